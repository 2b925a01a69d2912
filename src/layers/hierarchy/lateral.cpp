// SPDX-License-Identifier: MIT
#include "lateral.h"

#include <algorithm>
#include <cmath>

#include "../../array/create.h"
#include "../../array/device.h"
#include "../../array/ops.h"
#include "../../core/keys.h"
#include "../../core/message.h"
#include "../../core/names.h"
#include "../../learning/rule_text.h"

namespace gaia {
namespace {

constexpr NameTable<LateralForm, 3> kLateralForms = {{{"triangle", LateralForm::triangle},
                                                      {"settle", LateralForm::settle},
                                                      {"solve", LateralForm::solve}}};
constexpr NameTable<TriangleRule, 2> kTriangleRules = {
    {{"rubner_tavan", TriangleRule::rubner_tavan}, {"apex", TriangleRule::apex}}};

/// Rate of theta in the ticks that move it alone.
constexpr double kFirstThresholdRate = 0.1;

LateralForm lateral_form_from_name(std::string_view name) {
  return from_name(kLateralForms, name, "lateral form");
}
TriangleRule triangle_rule_from_name(std::string_view name) {
  return from_name(kTriangleRules, name, "rule of a triangle");
}

constexpr const char* kNoInverse =
    "I - U has no inverse, so that no y solves (I - U) y = z; take weaker connections";

std::vector<double> row_after_row(const std::vector<std::vector<double>>& rows) {
  std::vector<double> all;
  for (const std::vector<double>& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

/// (I - U)^-1 of U [n, n] by Gauss and Jordan with pivots of columns; empty where there is none.
std::vector<double> inverse_of_rest(const std::vector<double>& weights, std::size_t n) {
  std::vector<std::vector<double>> rows(n, std::vector<double>(2 * n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) rows[i][k] = (i == k ? 1.0 : 0.0) - weights[i * n + k];
    rows[i][n + i] = 1.0;
  }
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r) {
      if (std::abs(rows[r][c]) > std::abs(rows[pivot][c])) pivot = r;
    }
    if (!(std::abs(rows[pivot][c]) > 1e-12)) return {};
    std::swap(rows[c], rows[pivot]);
    const double scale = 1.0 / rows[c][c];
    for (double& number : rows[c]) number *= scale;
    for (std::size_t r = 0; r < n; ++r) {
      const double factor = rows[r][c];
      if (r == c || factor == 0.0) continue;
      for (std::size_t k = c; k < 2 * n; ++k) rows[r][k] -= factor * rows[c][k];
    }
  }
  std::vector<double> inverse;
  for (const std::vector<double>& row : rows) {
    inverse.insert(inverse.end(), row.begin() + static_cast<std::ptrdiff_t>(n), row.end());
  }
  return inverse;
}

}  // namespace

std::string to_string(LateralForm form) { return name_of(kLateralForms, form); }
std::string to_string(TriangleRule rule) { return name_of(kTriangleRules, rule); }

void LateralOptions::keys(ConfigVisitor& v) {
  v.choice({"form", "how neurons answer each other", true},
           choice_of({"triangle", "settle", "solve"}, form, lateral_form_from_name));
  v.where(form == LateralForm::triangle, "form: triangle", [&] {
    v.choice({"rule", "how the connections learn"},
             choice_of({"rubner_tavan", "apex"}, rule, triangle_rule_from_name));
  });
  v.where(form != LateralForm::solve, "form: triangle or settle", [&] {
    v.optional({"rate_lateral",
                "rate of the connections; default twice the learning rate, under settle 0.1"},
               rate_lateral, kNotNegative);
  });
  v.where(form == LateralForm::settle, "form: settle", [&] {
    v.integer({"iterations", "steps in which the neurons settle at a tick"}, iterations,
              {1, 100000});
    v.number({"step", "length of such a step"}, step, {0.0, 1.0, true});
    v.number({"gain", "steepness of a neuron while it settles"}, gain, kPositive);
    v.number({"target", "share of ticks at which a neuron is to answer"}, target,
             {0.0, 1.0, true, true});
    v.number({"rate_threshold", "rate of the thresholds"}, rate_threshold, kNotNegative);
    v.number({"threshold", "initial threshold"}, threshold, kAnyNumber);
    v.integer({"settle_first", "first ticks that learn, which move the thresholds alone"},
              settle_first, {0, std::int64_t{1} << 53});
  });
  v.where(form == LateralForm::solve, "form: solve",
          [&] { v.matrix({"weights", "the connections, a list for each neuron"}, weights); });
}

std::optional<LateralFault> fault_of(const LateralOptions& o, Activation f,
                                     std::optional<std::int64_t> outputs) {
  std::optional<LateralFault> found;
  const auto expect = [&](bool fits, const char* key, double value, const char* range) {
    if (found || fits) return;
    found = LateralFault{key, message("expected a number {}, got {}", range, value)};
  };
  const double rate = o.rate_lateral.value_or(0.0);
  expect(rate >= 0 && std::isfinite(rate), "rate_lateral", rate, ">= 0");
  if (found) return found;
  if (o.form == LateralForm::triangle) {
    if (!is_of_row(f)) return {};
    return LateralFault{"form", message("a triangle answers neuron by neuron, which {} does not; "
                                        "take another activation",
                                        to_string(f))};
  }
  if (f != Activation::linear) {
    return LateralFault{
        "form",
        message("{} is of linear neurons{}, got activation {}; leave activation out, or "
                "take form: triangle",
                to_string(o.form),
                o.form == LateralForm::settle ? " with a function of its own" : "", to_string(f))};
  }
  if (o.form == LateralForm::settle) {
    const auto iterations = static_cast<double>(o.iterations);
    const auto first = static_cast<double>(o.settle_first);
    expect(o.iterations >= 1, "iterations", iterations, ">= 1");
    expect(o.settle_first >= 0, "settle_first", first, ">= 0");
    expect(o.step > 0 && o.step <= 1, "step", o.step, "above 0, at most 1");
    expect(o.gain > 0 && std::isfinite(o.gain), "gain", o.gain, "above 0");
    expect(o.target > 0 && o.target < 1, "target", o.target, "between 0 and 1");
    expect(o.rate_threshold >= 0 && std::isfinite(o.rate_threshold), "rate_threshold",
           o.rate_threshold, ">= 0");
    expect(std::isfinite(o.threshold), "threshold", o.threshold, "that is finite");
    return found;
  }
  const std::int64_t expected = outputs.value_or(std::ssize(o.weights));
  if (o.weights.empty() || expected != std::ssize(o.weights)) {
    return LateralFault{"weights",
                        message("expected {} of numbers, one for each neuron, got {}",
                                outputs ? message("{} lists", *outputs) : std::string("lists"),
                                o.weights.empty() ? "none" : std::to_string(o.weights.size()))};
  }
  for (std::size_t i = 0; i < o.weights.size(); ++i) {
    if (std::ssize(o.weights[i]) != expected) {
      return LateralFault{"weights", message("expected {} numbers in each list, one for each "
                                             "neuron, got {} in list {}",
                                             expected, o.weights[i].size(), i)};
    }
    for (const double weight : o.weights[i]) {
      if (std::isfinite(weight)) continue;
      return LateralFault{
          "weights", message("expected numbers that are finite, got {} in list {}", weight, i)};
    }
  }
  if (inverse_of_rest(row_after_row(o.weights), o.weights.size()).empty()) {
    return LateralFault{"weights", kNoInverse};
  }
  return {};
}

std::string why_not_under_lateral(const PlasticityRule& rule, const LateralOptions& options) {
  const auto* const text = std::get_if<EquationRule>(&rule);
  if (text == nullptr && entry_of(rule) == nullptr) {
    return message(
        "rule '{}' is a program's own and has no text; write it as its equations "
        "(EquationRule, docs/rules.md)",
        rule_name(rule));
  }
  if (text == nullptr) return {};
  if (!text->program().reads_activation) {
    return "the equations assign y and never read it before, so that connections within the layer "
           "have no effect; read y above its assignment, or leave lateral out";
  }
  if (options.form == LateralForm::triangle && !options.rate_lateral &&
      text->parameter("rate") == nullptr) {
    return "the rule has no parameter named rate, of which rate_lateral is twice; give "
           "rate_lateral";
  }
  return {};
}

EquationRule text_under_lateral(const PlasticityRule& rule, const LateralOptions& options) {
  const std::string why = why_not_under_lateral(rule, options);
  if (!why.empty()) throw ArgumentError("[hebbian layer] lateral: " + why);
  return *text_of(rule);
}

LateralState::LateralState(const LateralOptions& options, Activation f, std::int64_t outputs,
                           DType dtype)
    : options_(options), activation_(f), neurons_(outputs) {
  if (const auto fault = fault_of(options, f, outputs)) {
    throw ArgumentError(message("[hebbian layer] lateral.{}: {}", fault->key, fault->why));
  }
  const bool settles = options.form == LateralForm::settle;
  weights_ = zeros({outputs, outputs}, dtype);
  threshold_ = zeros({settles ? outputs : 0}, dtype);
  if (settles) threshold_.fill(options.threshold);
  const GPUContext host(Device::cpu());
  first_ticks_ = zeros({settles ? 1 : 0}, DType::int64);
  room_ = zeros({2, outputs}, dtype);
  if (options.form != LateralForm::solve) return;
  weights_.assign(from_values(row_after_row(options.weights), {outputs, outputs}).astype(dtype));
}

void LateralState::invert() {
  // Anyone who holds the array, as a run that begins from another, may have set it.
  const std::vector<double> now = weights_.astype(DType::float64).to_vector<double>();
  if (now == inverted_) return;
  inverse_ = inverse_of_rest(now, static_cast<std::size_t>(neurons_));
  if (inverse_.empty()) {
    throw ArgumentError(std::string("[hebbian layer] lateral.weights: ") + kNoInverse);
  }
  inverted_ = now;
}

std::int64_t LateralState::threshold_alone(std::int64_t ticks) const {
  if (options_.form != LateralForm::settle) return 0;
  const auto before = static_cast<std::int64_t>(first_ticks_.item());
  return std::clamp<std::int64_t>(options_.settle_first - before, 0, ticks);
}

void LateralState::move_threshold(const Array& y) {
  const Array step = multiply(subtract(mean(y, {0, 1}), options_.target), kFirstThresholdRate);
  threshold_.assign(add(threshold_, step));
  first_ticks_.fill(first_ticks_.item() + 1);
}

void LateralState::begin(std::int64_t streams, double learning_rate, double rate_factor) {
  streams_ = streams;
  const bool is_settle = options_.form == LateralForm::settle;
  rate_ = options_.rate_lateral || is_settle ? options_.rate_lateral.value_or(0.1) * rate_factor
                                             : 2.0 * learning_rate;
  rate_threshold_ = options_.rate_threshold * rate_factor;
  if (answers_.rank() != 2 || answers_.shape(0) != streams) {
    answers_ = zeros({streams, neurons_}, weights_.dtype());
  }
  if (options_.form == LateralForm::solve) invert();
}

template <class T>
void LateralState::answer_as(const T* z, T* y) {
  const std::int64_t n = neurons_;
  switch (options_.form) {
    case LateralForm::settle:
      return settle(z, y);
    case LateralForm::triangle: {
      const T* row = weights_.view().as<T>();
      dispatch_activation(activation_, [&](auto f) {
        for (std::int64_t i = 0; i < n; ++i, row += n) {
          T sum = z[i];
          for (std::int64_t k = 0; k < i; ++k) sum += row[k] * y[k];
          y[i] = f.value(sum);
        }
      });
      return;
    }
    case LateralForm::solve: {
      const double* row = inverse_.data();
      for (std::int64_t i = 0; i < n; ++i, row += n) {
        double sum = 0;
        for (std::int64_t k = 0; k < n; ++k) sum += row[k] * static_cast<double>(z[k]);
        y[i] = static_cast<T>(sum);
      }
      return;
    }
  }
}

template <class T>
void LateralState::settle(const T* z, T* y) {
  const std::int64_t n = neurons_;
  const T* const weights = weights_.view().as<T>();
  const T* const theta = threshold_.view().as<T>();
  T* const now = room_.view().as<T>();  // y*
  T* const drive = now + n;
  const T step = static_cast<T>(options_.step);
  const T gain = static_cast<T>(options_.gain);
  std::fill_n(now, n, T(0));
  for (std::int64_t once = 0; once < options_.iterations; ++once) {
    for (std::int64_t i = 0; i < n; ++i) drive[i] = z[i] - theta[i];
    // U is symmetric, its columns are its rows.
    for (std::int64_t k = 0; k < n; ++k) {
      const T* const column = weights + k * n;
      const T from = now[k];
      for (std::int64_t i = 0; i < n; ++i) drive[i] += column[i] * from;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      const T wanted = T(1) / (T(1) + std::exp(-gain * drive[i]));
      now[i] += step * (wanted - now[i]);
    }
  }
  for (std::int64_t i = 0; i < n; ++i) y[i] = now[i] > T(0.5) ? T(1) : T(0);
}

template <class T>
void LateralState::take_as(std::int64_t stream, const T* y) {
  T* const all = answers_.view().as<T>();
  std::copy_n(y, neurons_, all + stream * neurons_);
  if (stream + 1 == streams_) learn<T>(all);
}

template <class T>
void LateralState::learn(const T* y) {
  if (options_.form == LateralForm::solve) return;
  const std::int64_t n = neurons_;
  const bool settles = options_.form == LateralForm::settle;
  const bool is_apex = options_.rule == TriangleRule::apex;
  const T rate = static_cast<T>(rate_);
  const T share = T(1) / static_cast<T>(streams_);
  const T wanted = static_cast<T>(options_.target);
  T* const change = room_.view().as<T>();
  for (std::int64_t i = 0; i < n; ++i) {
    T* const row = weights_.view().as<T>() + i * n;
    const std::int64_t end = settles ? n : i;
    std::fill_n(change, end, T(0));
    for (std::int64_t b = 0; b < streams_; ++b) {
      const T* const own = y + b * n;
      const T mine = own[i];
      for (std::int64_t k = 0; k < end; ++k) change[k] += mine * own[k];
      if (settles || !is_apex) continue;
      for (std::int64_t k = 0; k < end; ++k) change[k] += mine * mine * row[k];
    }
    for (std::int64_t k = 0; k < end; ++k) {
      const T moved = row[k] - rate * (change[k] * share - (settles ? wanted * wanted : T(0)));
      // NaN stays NaN, so that a run is seen to diverge.
      row[k] = settles && moved > T(0) ? T(0) : moved;
    }
    if (!settles) continue;
    row[i] = T(0);
    T sum = 0;
    for (std::int64_t b = 0; b < streams_; ++b) sum += y[b * n + i];
    threshold_.view().as<T>()[i] += static_cast<T>(rate_threshold_) * (sum * share - wanted);
  }
}

void LateralState::keep(ArrayUndo& undo) {
  if (options_.form == LateralForm::solve) return;
  undo.keep(weights_);
  undo.keep(threshold_);
  undo.keep(first_ticks_);
}

LateralState LateralState::copy() const {
  LateralState twin = *this;
  twin.weights_ = weights_.copy();
  twin.threshold_ = threshold_.copy();
  twin.first_ticks_ = first_ticks_.copy();
  twin.room_ = room_.copy();
  twin.answers_ = {};
  return twin;
}

void LateralState::move_to_current_device() {
  weights_ = on_current_device(weights_, "lateral connections");
  threshold_ = on_current_device(threshold_, "lateral connections");
}

std::int64_t LateralState::operations_per_tick(bool learn) const {
  const std::int64_t square = neurons_ * neurons_;
  switch (options_.form) {
    case LateralForm::triangle:
      return (learn ? 2 : 1) * square;
    case LateralForm::settle:
      return 2 * options_.iterations * square + (learn ? 2 * square : 0);
    case LateralForm::solve:
      break;
  }
  return 2 * square;
}

void LateralState::answer(const float* z, float* y) { answer_as(z, y); }
void LateralState::answer(const double* z, double* y) { answer_as(z, y); }
void LateralState::take(std::int64_t stream, const float* y) { take_as(stream, y); }
void LateralState::take(std::int64_t stream, const double* y) { take_as(stream, y); }

}  // namespace gaia
