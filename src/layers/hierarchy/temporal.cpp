// SPDX-License-Identifier: MIT
#include "temporal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../array/backend.h"
#include "../../array/create.h"
#include "../../array/kernel_families.h"
#include "../../array/ops.h"
#include "../../array/random_arrays.h"
#include "../../core/message.h"
#include "../../formulas/representable.h"
#include "../choices.h"
#include "layer_kind.h"

namespace gaia {
namespace {

/// Above all factors.
constexpr double kMostFactor = 1e6;

constexpr const char* kStepwise =
    "a tick's drive needs the state that the weights before it have made";

/// A stream for R.  Not the next one: that is what `next_stream` gives to the next layer.
RandomStream twin_of(RandomStream stream) { return {stream.seed, ~stream.stream}; }

/// The stream of a layer for `purpose`, apart from those of all other layers.
RandomStream stream_for(const char* purpose, RandomStream stream) {
  return RandomStream::named(stream.seed,
                             fmt::format("temporal/{:016x}/{}", stream.stream, purpose));
}

const TemporalOptions& checked(const TemporalOptions& options) {
  const auto is_factor = [](double value) { return value >= 0.0 && value < kMostFactor; };
  require(options.leak > 0.0 && options.leak <= 1.0,
          "[temporal layer] leak must be in (0, 1], got {}", options.leak);
  require(is_factor(options.spectral_radius),
          "[temporal layer] spectral_radius must be in [0, 1e6), got {}", options.spectral_radius);
  require(is_factor(options.input_scale),
          "[temporal layer] input_scale must be in [0, 1e6), got {}", options.input_scale);
  require(is_factor(options.bias_scale), "[temporal layer] bias_scale must be in [0, 1e6), got {}",
          options.bias_scale);
  require(options.density > 0.0 && options.density <= 1.0,
          "[temporal layer] density must be in (0, 1], got {}", options.density);
  const auto check = [&](const char* name, double value) {
    check_representable(message("[temporal layer] {}", name), value, options.dtype);
  };
  check("leak", options.leak);
  check("spectral_radius", options.spectral_radius);
  check("input_scale", options.input_scale);
  check("bias", options.bias);
  check("bias_scale", options.bias_scale);
  require(options.hold_spectral_radius >= 0,
          "[temporal layer] hold_spectral_radius must be >= 0 ticks, got {}",
          options.hold_spectral_radius);
  if (options.hold_spectral_radius > 0 && !options.recurrent_rule) {
    throw ArgumentError(
        "[temporal layer] hold_spectral_radius holds recurrent weights that learn, and there is no "
        "recurrent rule; give it one, or leave hold_spectral_radius out");
  }
  require(is_factor(options.feedback_scale),
          "[temporal layer] feedback_scale must be in [0, 1e6), got {}", options.feedback_scale);
  check("feedback_scale", options.feedback_scale);
  require(options.feedback_size >= 0 && (options.feedback_size == 0 || !options.feedback.empty()),
          "[temporal layer] feedback_size must be >= 0, and 0 without a readout, got {}",
          options.feedback_size);
  require(options.time_window >= 0, "[temporal layer] time_window must be >= 0 ticks, got {}",
          options.time_window);
  return options;
}

Array scaled_weights(std::int64_t inputs, std::int64_t outputs, double scale,
                     const TemporalOptions& options, const RandomStream& stream) {
  if (scale == 1.0) return initial_weights(options.init, outputs, inputs, options.dtype, stream);
  const Array drawn = initial_weights(options.init, outputs, inputs, DType::float64, stream);
  return multiply(drawn, scale).astype(options.dtype);
}

Array feedback_weights(std::int64_t size, const TemporalOptions& options) {
  if (options.feedback_size == 0) return {};
  return scaled_weights(options.feedback_size, size, options.feedback_scale, options,
                        stream_for("feedback", options.random));
}

Array recurrent_weights_of(std::int64_t size, const TemporalOptions& options) {
  const RandomStream stream = twin_of(options.random);
  if (options.density == 1.0) {
    return recurrent_weights(size, options.spectral_radius, options.dtype, stream);
  }
  return sparse_recurrent_weights(size, options.spectral_radius, options.density, options.dtype,
                                  stream, stream_for("density", options.random));
}

Array biases(std::int64_t size, const TemporalOptions& options) {
  if (options.bias_scale == 0.0) return full({size}, options.bias, options.dtype);
  const Array drawn = random_uniform({size}, -options.bias_scale, options.bias_scale,
                                     DType::float64, stream_for("bias", options.random));
  return add(drawn, options.bias).astype(options.dtype);
}

/// `fixed`, or the keys of a rule and those of `more`.
void describe_connection(ConfigVisitor& v, const Key& key, std::optional<PlasticityRule>& rule,
                         const std::function<void()>& more) {
  PlasticityRule own = rule.value_or(PlasticityRule(OjaRule{}));
  bool is_map = rule.has_value();
  v.word_or_map(key,
                {{"fixed"},
                 [&] { return is_map ? "map" : "fixed"; },
                 [&](const std::string& word) { is_map = word == "map"; }},
                "map", [&] {
                  bool automatic = false;
                  describe_rule(v, own, automatic);
                  if (automatic) {
                    v.refuse({"learning_rate", ""},
                             "auto is of plastic layers, whose input alone decides what is stable; "
                             "write a number");
                  }
                  const auto* const functor = std::get_if<Rule>(&own);
                  if (functor != nullptr && std::holds_alternative<CustomRule>(*functor)) {
                    v.refuse({"rule", ""},
                             "a program's own functor makes its own drive; write it as equations");
                  }
                  more();
                });
  if (is_map) {
    rule = std::move(own);
  } else {
    rule.reset();
  }
}

bool says_answer(const PlasticityRule& rule) {
  const auto* const text = std::get_if<EquationRule>(&rule);
  return text != nullptr && text->program().assigns_output;
}

constexpr const char* kSaysAnswer =
    "the rule says y, and what the layer answers is said by the rule of `input` alone; move the "
    "lines of y there";

}  // namespace

std::string feedback_signal(const std::string& readout, std::int64_t output) {
  return fmt::format("feedback/{}/{}", readout, output);
}

void TemporalOptions::keys(ConfigVisitor& v) {
  v.choice({"activation", "what a neuron makes of its drive"}, activations(activation));
  v.choice({"init", "initial weights of the input"}, inits(init));
  v.number({"input_scale", "factor on the weights of the input"}, input_scale,
           {0.0, kMostFactor, false, true});
  v.number({"leak", "share of the state that is renewed at a tick"}, leak, {0.0, 1.0, true});
  v.number({"spectral_radius", "largest absolute eigenvalue of the recurrent weights"},
           spectral_radius, {0.0, kMostFactor, false, true});
  v.number({"density", "share of the recurrent weights that are not 0"}, density, {0.0, 1.0, true});
  v.number({"bias", "bias of every neuron"}, bias, kAnyNumber);
  v.number({"bias_scale", "a random number in +- this is added to each bias"}, bias_scale,
           {0.0, kMostFactor, false, true});
  describe_connection(v, {"input", "how the weights of the input learn: fixed, or a rule"},
                      input_rule, [] {});
  describe_connection(
      v, {"recurrent", "how the recurrent weights learn: fixed, or a rule"}, recurrent_rule, [&] {
        v.integer({"hold_spectral_radius",
                   "ticks that learn after which the recurrent weights are brought back to "
                   "spectral_radius; 0: never"},
                  hold_spectral_radius, {0, std::int64_t{1} << 53});
      });
  if (!recurrent_rule) hold_spectral_radius = 0;
  if (recurrent_rule && says_answer(*recurrent_rule)) v.refuse({"recurrent", ""}, kSaysAnswer);
  v.integer({"time_window", "inputs of the last ticks that the layer shows; 0: none"}, time_window,
            {0, 1000000});
  v.text({"feedback", "readout whose last prediction the layer reads beside its input"}, feedback);
  if (feedback.empty()) return;
  v.number({"feedback_scale", "factor on the weights of the feedback"}, feedback_scale,
           {0.0, kMostFactor, false, true});
}

std::vector<const PlasticityRule*> TemporalOptions::rules() const {
  std::vector<const PlasticityRule*> all;
  for (const std::optional<PlasticityRule>* const rule : {&input_rule, &recurrent_rule}) {
    if (*rule) all.push_back(&**rule);
  }
  return all;
}

std::string TemporalOptions::summary() const {
  std::string text;
  if (input_rule) text += "input " + rule_name(*input_rule);
  if (recurrent_rule)
    text += (text.empty() ? "recurrent " : ", recurrent ") + rule_name(*recurrent_rule);
  return text;
}

TemporalLayer::TemporalLayer(std::int64_t input_size, std::int64_t output_size,
                             const TemporalOptions& options)
    : Layer(input_size, output_size, checked(options).dtype),
      made_with_(options),
      activation_(options.activation),
      leak_(options.leak),
      weights_(
          scaled_weights(input_size, output_size, options.input_scale, options, options.random)),
      recurrent_(recurrent_weights_of(output_size, options)),
      bias_(biases(output_size, options)),
      feedback_(feedback_weights(output_size, options)),
      learns_(options.learn),
      radius_(options.spectral_radius),
      hold_every_(options.hold_spectral_radius),
      window_length_(options.time_window) {
  if (options.input_rule) {
    input_.emplace(*options.input_rule, input_size, output_size, dtype(),
                   stream_for("input", options.random));
  }
  if (options.recurrent_rule) {
    if (says_answer(*options.recurrent_rule)) {
      fail<ArgumentError>("[temporal layer] {}", kSaysAnswer);
    }
    cross_.emplace(*options.recurrent_rule, output_size, output_size, dtype(),
                   stream_for("recurrent", options.random));
  }
  if (hold_every_ > 0) {
    const GPUContext host(Device::cpu());  // which counts ticks without waiting for the device
    learnt_ticks_ = zeros({1}, DType::int64);
  }
}

std::unique_ptr<LayerKind> TemporalLayer::kind() const {
  return LayerKind::Of<TemporalOptions>::with(made_with_);
}

std::unique_ptr<Layer> TemporalLayer::clone() const {
  auto twin = std::make_unique<TemporalLayer>(*this);
  for (Array* array : {&twin->weights_, &twin->recurrent_, &twin->bias_, &twin->feedback_,
                       &twin->state_, &twin->learnt_ticks_, &twin->window_}) {
    *array = array->copy();
  }
  if (input_) twin->input_ = input_->copy();
  if (cross_) twin->cross_ = cross_->copy();
  return twin;
}

std::vector<NamedArray> TemporalLayer::arrays() const {
  std::vector<NamedArray> all = {{"weights", NamedArray::Role::weights, weights_},
                                 {"recurrent", NamedArray::Role::weights, recurrent_},
                                 {"bias", NamedArray::Role::weights, bias_},
                                 {"state", NamedArray::Role::state, state_}};
  if (feedback_.size() > 0) all.push_back({"feedback", NamedArray::Role::weights, feedback_});
  if (input_) input_->add_arrays("", all);
  if (cross_) cross_->add_arrays("recurrent_", all);
  if (hold_every_ > 0) {
    all.push_back({"recurrent_learnt_ticks", NamedArray::Role::state, learnt_ticks_});
  }
  if (window_length_ > 0) all.push_back({"time_window", NamedArray::Role::state, window_});
  return all;
}

std::int64_t TemporalLayer::operations_per_tick(bool learn) const {
  const bool learns = learn && learns_;
  // A rule computes the drive of its own connection beside the layer.
  const std::int64_t input = weights_.size() * (2 + (input_ ? 2 : 0) + (learns && input_ ? 2 : 0));
  const std::int64_t cross =
      recurrent_.size() * (2 + (cross_ ? 2 : 0) + (learns && cross_ ? 2 : 0));
  return input + cross + 2 * feedback_.size() + 5 * output_size();
}

std::vector<std::string> TemporalLayer::signal_columns() const {
  std::vector<std::string> columns;
  for (std::int64_t k = 0; k < made_with_.feedback_size; ++k) {
    columns.push_back(feedback_signal(made_with_.feedback, k));
  }
  for (const auto* const connection : {&input_, &cross_}) {
    if (!*connection) continue;
    for (const std::string& column : (*connection)->signal_columns()) {
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
        columns.push_back(column);
      }
    }
  }
  return columns;
}

void TemporalLayer::scale_learning_rate(double factor) {
  if (input_) input_->scale_learning_rate(factor);
  if (cross_) cross_->scale_learning_rate(factor);
}

std::string TemporalLayer::why_not_replica(const Layer& other) const {
  const std::string why_not = Layer::why_not_replica(other);
  const auto* const twin = dynamic_cast<const TemporalLayer*>(&other);
  if (!why_not.empty() || twin == nullptr) return why_not;
  const auto differs = [](const char* what, const auto& mine, const auto& theirs) -> std::string {
    if (mine.has_value() != theirs.has_value()) {
      return message("is unlike: its {} weights {}", what,
                     theirs ? "learn by a rule" : "are fixed");
    }
    if (!mine) return "";
    const std::string apart = mine->why_not_replica(*theirs);
    return apart.empty() ? "" : message("is unlike: of its {} rule {}", what, apart);
  };
  std::string apart = differs("input", input_, twin->input_);
  if (apart.empty()) apart = differs("recurrent", cross_, twin->cross_);
  if (!apart.empty()) return apart;
  if (twin->learns_ != learns_) return twin->learns_ ? "learns" : "does not learn";
  if (twin->made_with_.feedback != made_with_.feedback ||
      twin->made_with_.feedback_size != made_with_.feedback_size) {
    return "is unlike: it reads what another readout says";
  }
  if (twin->window_length_ != window_length_) {
    return message("has a time_window of {}, not {}", twin->window_length_, window_length_);
  }
  return "";
}

std::vector<std::pair<std::string, std::string>> TemporalLayer::attributes() const {
  std::vector<std::pair<std::string, std::string>> told;
  if (!input_ && !cross_) return told;
  if (input_) input_->add_attributes("input_", told);
  if (cross_) cross_->add_attributes("recurrent_", told);
  told.emplace_back("executor", "stepwise");
  told.emplace_back("executor_why", kStepwise);
  return told;
}

void TemporalLayer::allocate_state(std::int64_t streams) {
  if (state_.size() == 0) {
    state_ = zeros({streams, output_size()}, dtype());
    if (window_length_ > 0) window_ = zeros({streams, window_length_, input_size()}, dtype());
  }
  if (input_) input_->allocate_state(streams);
  if (cross_) cross_->allocate_state(streams);
}

void TemporalLayer::reset_state() {
  state_ = Array();
  window_ = Array();
  if (input_) input_->reset_state();
  if (cross_) cross_->reset_state();
}

void TemporalLayer::keep(ArrayUndo& undo, bool learn) {
  undo.keep(state_);
  if (window_length_ > 0) undo.keep(window_);
  const bool learns = learn && learns_;
  if (input_) {
    if (learns) undo.keep(weights_);
    input_->keep(undo, learns);
  }
  if (cross_) {
    if (learns) undo.keep(recurrent_);
    cross_->keep(undo, learns);
  }
  if (hold_every_ > 0) undo.keep(learnt_ticks_);
}

Array TemporalLayer::feedback_drive(std::int64_t streams, std::int64_t ticks) const {
  const std::int64_t numbers = made_with_.feedback_size;
  if (numbers == 0) return {};
  const Shape expected = {streams, ticks};
  std::vector<double> said(static_cast<std::size_t>(streams * ticks * numbers));
  for (std::int64_t k = 0; k < numbers; ++k) {
    const std::string name = feedback_signal(made_with_.feedback, k);
    const auto found = signals_.find(name);
    if (found == signals_.end()) continue;
    if (!(found->second.shape() == expected)) {
      fail<ShapeError>("[temporal layer] the signal '{}' must be [streams, ticks] = {}, got {}",
                       name, expected, found->second.shape());
    }
    const std::vector<double> of_output = found->second.to_vector<double>();
    for (std::size_t i = 0; i < of_output.size(); ++i) {
      if (!std::isfinite(of_output[i])) {
        fail<ArgumentError>("[temporal layer] the signal '{}' is not finite at tick {}", name,
                            static_cast<std::int64_t>(i) % ticks);
      }
      said[i * static_cast<std::size_t>(numbers) + static_cast<std::size_t>(k)] = of_output[i];
    }
  }
  const Array read = from_values(said, {streams, ticks, numbers}).astype(dtype());
  const Array drive = Array::uninitialized({streams, ticks, output_size()}, dtype());
  answer_linearly(Activation::linear, read, feedback_, {}, drive);
  return drive;
}

void TemporalLayer::shift_window(const Array& x) {
  const std::int64_t ticks = x.shape(1);
  if (ticks >= window_length_) {
    window_.assign(x.slice(1, ticks - window_length_, ticks));
    return;
  }
  const Array left = window_.slice(1, ticks, window_length_).copy();
  window_.slice(1, 0, window_length_ - ticks).assign(left);
  window_.slice(1, window_length_ - ticks, window_length_).assign(x);
}

void TemporalLayer::hold_radius() {
  const auto ticks = static_cast<std::int64_t>(learnt_ticks_.item()) + 1;
  learnt_ticks_.fill(static_cast<double>(ticks));
  if (ticks % hold_every_ != 0) return;
  const double own = spectral_radius(recurrent_);
  // Weights without a loop have no radius that a factor could change.
  if (own > 0.0) recurrent_ *= radius_ / own;
}

void TemporalLayer::answer(const Array& x, bool learn, const Array& y) {
  const std::int64_t streams = x.shape(0);
  allocate_state(streams);
  if (state_.shape(0) != streams) {
    fail<ShapeError>("[temporal layer] its state is of {} stream(s), got {}; reset its state first",
                     state_.shape(0), streams);
  }
  if (input_ || cross_) {
    answer_by_rules(x, learn && learns_, y);
    if (window_length_ > 0) shift_window(x);
    return;
  }
  const Array drive = Array::uninitialized(y.shape(), dtype());
  answer_linearly(Activation::linear, x, weights_, bias_, drive);
  if (feedback_.size() > 0) drive.assign(add(drive, feedback_drive(streams, x.shape(1))));
  backend_for(KernelFamily::recurrent)
      .recurrent({.activation = activation_,
                  .leak = leak_,
                  .drive = drive.view(),
                  .recurrent = recurrent_.view(),
                  .state = state_.view(),
                  .outputs = y.view()});
  if (window_length_ > 0) shift_window(x);
}

void TemporalLayer::answer_by_rules(const Array& x, bool learns, const Array& y) {
  const std::int64_t streams = x.shape(0);
  const std::int64_t ticks = x.shape(1);
  for (auto* const connection : {&input_, &cross_}) {
    if (*connection) (*connection)->begin_block(signals_, streams, ticks, learns);
  }
  const Shape shape = {streams, 1, output_size()};
  const Array drive = Array::uninitialized(shape, dtype());
  const Array fired = Array::uninitialized(shape, dtype());
  const Array unused = Array::uninitialized(shape, dtype());
  const Array said = feedback_drive(streams, ticks);
  for (std::int64_t t = 0; t < ticks; ++t) {
    const Array sample = x.slice(1, t, t + 1).contiguous();
    const Array before = state_.copy().expand_dims(1);  // [streams, 1, n]
    answer_linearly(Activation::linear, sample, weights_, bias_, drive);
    if (said.size() > 0) drive.assign(add(drive, said.slice(1, t, t + 1)));
    drive.assign(add(drive, matmul(state_, recurrent_.transpose()).expand_dims(1)));
    activate(activation_, drive, fired);
    const bool rule_answers = input_ && input_->answers();
    if (rule_answers) input_->tick(t, weights_, sample, drive, fired.copy(), learns, fired);
    const Array after =
        leak_ == 1.0 ? fired : add(multiply(before, 1.0 - leak_), multiply(fired, leak_));
    if (input_ && !rule_answers) input_->tick(t, weights_, sample, drive, after, learns, unused);
    if (cross_) {
      cross_->tick(t, recurrent_, before, drive, after, learns, unused);
      if (learns && hold_every_ > 0) hold_radius();
    }
    state_.assign(after.squeeze({1}));
    y.slice(1, t, t + 1).assign(after);
  }
  if (learns && input_) weights_.count_change();
  if (learns && cross_) recurrent_.count_change();
}

void TemporalLayer::move_to_current_device() {
  for (Array* array : {&weights_, &recurrent_, &bias_, &feedback_, &state_, &window_}) {
    *array = on_current_device(*array, "temporal layer");
  }
  if (input_) input_->move_to_current_device();
  if (cross_) cross_->move_to_current_device();
}

}  // namespace gaia
