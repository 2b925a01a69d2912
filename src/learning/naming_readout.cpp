// SPDX-License-Identifier: MIT
#include "naming_readout.h"

#include <algorithm>
#include <set>

#include "../core/message.h"
#include "../core/names.h"
#include "../core/state_fields.h"

namespace gaia {
namespace {

constexpr NameTable<NamedBy, 2> kNamedBy = {
    {{"majority", NamedBy::majority}, {"ask", NamedBy::ask}}};

constexpr std::size_t kFewValues = 2;

}  // namespace

std::string to_string(NamedBy by) { return name_of(kNamedBy, by); }

NamedBy named_by_from_name(std::string_view name) {
  return from_name(kNamedBy, name, "way to name neurons");
}

std::unique_ptr<ReadoutModel> NamingOptions::make(const ReadoutSizes& sizes) const {
  return std::make_unique<NamingReadout>(sizes, *this);
}

NamingReadout::NamingReadout(const ReadoutSizes& sizes, const NamingOptions& options)
    : neurons_(static_cast<std::size_t>(sizes.features)),
      classes_(static_cast<std::size_t>(sizes.targets)),
      asks_(options.asks()),
      weights_(classes_ * neurons_),
      shares_(classes_),
      answers_(asks_ ? neurons_ : 0) {}

std::size_t NamingReadout::winner(std::span<const double> answers) const {
  return static_cast<std::size_t>(std::max_element(answers.begin(), answers.end()) -
                                  answers.begin());
}

void NamingReadout::consider(std::span<const double> answers, std::int64_t code) {
  for (std::size_t i = 0; i < neurons_; ++i) {
    Answers& of = answers_[i];
    const Candidate candidate{answers[i], rows_, code};
    if (of.values.size() <= kFewValues &&
        std::find(of.values.begin(), of.values.end(), candidate.answer) == of.values.end()) {
      of.values.push_back(candidate.answer);
    }
    if (of.best.size() < neurons_) {
      of.best.push_back(candidate);
      std::push_heap(of.best.begin(), of.best.end());
    } else if (candidate < of.best.front()) {
      std::pop_heap(of.best.begin(), of.best.end());
      of.best.back() = candidate;
      std::push_heap(of.best.begin(), of.best.end());
    }
  }
}

void NamingReadout::add(std::span<const double> features, std::span<const double> targets) {
  if (features.size() != targets.size() * neurons_) {
    fail<ShapeError>("[NamingReadout] {} classes need {} answers of neurons, got {}",
                     targets.size(), targets.size() * neurons_, features.size());
  }
  for (std::size_t row = 0; row < targets.size(); ++row, ++rows_) {
    const std::span<const double> answers = features.subspan(row * neurons_, neurons_);
    const auto code = static_cast<std::size_t>(targets[row]);
    if (asks_) {
      consider(answers, static_cast<std::int64_t>(code));
    } else {
      weights_[code * neurons_ + winner(answers)] += 1.0;
      shares_[code] += 1.0;
    }
  }
}

void NamingReadout::ask() {
  std::set<std::int64_t> taken;
  for (Answers& of : answers_) {
    if (of.values.size() <= kFewValues) ++alike_;
    std::sort_heap(of.best.begin(), of.best.end());
    const auto found = std::find_if(of.best.begin(), of.best.end(), [&](const Candidate& one) {
      return taken.insert(one.row).second;
    });
    const std::size_t neuron = asked_.size();
    asked_.push_back(found == of.best.end() ? -1 : found->row);
    if (found == of.best.end()) continue;
    const auto code = static_cast<std::size_t>(found->code);
    weights_[code * neurons_ + neuron] = 1.0;
    shares_[code] += 1.0;
  }
  answers_ = {};
}

void NamingReadout::solve() {
  if (rows_ == 0) throw DataError("its training part has no labels");
  if (asks_) ask();
  for (std::size_t i = 0; i < neurons_ && !asks_; ++i) {
    double won = 0.0;
    for (std::size_t c = 0; c < classes_; ++c) won += weights_[c * neurons_ + i];
    for (std::size_t c = 0; c < classes_ && won > 0.0; ++c) weights_[c * neurons_ + i] /= won;
  }
  double all = 0.0;
  for (const double share : shares_) all += share;
  for (double& share : shares_) share /= all;
  is_solved_ = true;
}

std::vector<double> NamingReadout::predict(std::span<const double> features) {
  const std::size_t rows = features.size() / neurons_;
  std::vector<double> predictions(rows * classes_);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t neuron = winner(features.subspan(row * neurons_, neurons_));
    for (std::size_t c = 0; c < classes_; ++c) {
      predictions[row * classes_ + c] = weights_[c * neurons_ + neuron];
    }
  }
  return predictions;
}

ReadoutSolution NamingReadout::solution() const {
  ReadoutSolution solution{
      .weights = weights_, .intercepts = std::vector<double>(classes_), .target_means = shares_};
  for (std::size_t i = 0; i < neurons_; ++i) {
    std::int64_t name = -1;
    double largest = 0.0;
    for (std::size_t c = 0; c < classes_; ++c) {
      const double share = weights_[c * neurons_ + i];
      if (!(share > largest)) continue;
      largest = share;
      name = static_cast<std::int64_t>(c);
    }
    solution.names.push_back(name);
  }
  return solution;
}

void NamingReadout::set_solution(const ReadoutSolution& solution) {
  if (solution.weights.size() != weights_.size() || solution.target_means.size() != classes_) {
    fail<ShapeError>("[NamingReadout] expected {} shares for each of {} classes, got {}", neurons_,
                     classes_, solution.weights.size());
  }
  weights_ = solution.weights;
  shares_ = solution.target_means;
  is_solved_ = true;
}

std::vector<std::string> NamingReadout::notices() const {
  std::vector<std::string> found;
  const std::vector<std::int64_t> names = solution().names;
  const auto unnamed = std::count(names.begin(), names.end(), -1);
  if (is_solved_ && unnamed > 0) {
    found.push_back(
        message("{} of {} neurons have no name, since they won none of the samples that "
                "names were given by; what they win is counted wrong",
                unnamed, neurons_));
  }
  if (alike_ > 0) {
    found.push_back(message(
        "{} of {} neurons answered with two values at most, as `winner` does, so that asking "
        "(by: ask) compares nothing and takes the first sample of many; let y compare samples, as "
        "y = 2*z - ww - xx does",
        alike_, neurons_));
  }
  return found;
}

void NamingReadout::fields(auto& self, auto& state) {
  state(self.is_solved_);
  if (!self.is_solved_) return;
  auto asked = self.asked_.size();
  state(self.alike_, asked);
  state.numbers(self.asked_, asked);
  state(self.shares_, self.weights_);
}

std::vector<double> NamingReadout::state() const { return StateFields::of(*this); }

void NamingReadout::set_state(std::span<const double> state) {
  StateFields::set(*this, "NamingReadout", state);
}

}  // namespace gaia
