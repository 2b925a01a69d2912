// SPDX-License-Identifier: MIT
#include "plastic_linear.h"

#include <cmath>
#include <limits>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../array/reductions.h"
#include "../../autograd/checkpoint.h"
#include "../../autograd/ops.h"
#include "../../autograd/trace_guard.h"
#include "../../core/message.h"
#include "dense.h"

namespace gaia {
namespace {

constexpr const char* kPlasticLinear = "plastic_linear";

void check_plastic_linear(const PlasticLinearOptions& options) {
  const auto check = [](const char* name, double value, bool is_right, const char* expected) {
    if (is_right) return;
    fail<ArgumentError>("[{}] {}: expected {}, got {}", kPlasticLinear, name, expected, value);
  };
  const auto check_gain = [&](const char* name, double gain) {
    check(name, gain, std::isfinite(gain), "a finite number");
  };
  const auto check_decay = [&](const char* name, double decay) {
    check(name, decay, decay >= 0.0 && decay < 1.0, "at least 0 and below 1");
  };
  const auto check_rate = [&](const char* name, double rate) {
    check(name, rate, rate >= 0.0 && std::isfinite(rate), "a finite number of at least 0");
  };
  check_gain("fast_gain", options.fast_gain);
  check_gain("slow_gain", options.slow_gain);
  check_decay("fast_decay", options.fast_decay);
  check_decay("slow_decay", options.slow_decay);
  check_rate("fast_rate", options.fast_rate);
  check_rate("slow_rate", options.slow_rate);
  check_rate("deviation", options.deviation);
  check("trace_bound", options.trace_bound,
        options.trace_bound > 0.0 && std::isfinite(options.trace_bound), "a finite number above 0");
}

void check_inputs_of_plastic_linear(const Tensor& x, std::int64_t inputs) {
  if (x.rank() > 0 && x.shape(-1) == inputs) return;
  fail<ShapeError>("[{}] expected inputs [..., {}], got shape {}", kPlasticLinear, inputs,
                   x.shape());
}

void add_plastic_linear_layers(const std::string& name, const Module& net,
                               std::vector<std::pair<std::string, const PlasticLinear*>>& found) {
  const auto* const layer = dynamic_cast<const PlasticLinear*>(&net);
  if (layer != nullptr) found.emplace_back(name, layer);
  for (const auto& [child, module] : net.children()) {
    add_plastic_linear_layers(name.empty() ? child : name + "." + child, *module, found);
  }
}

}  // namespace

std::vector<std::pair<std::string, double>> PlasticLinearDiagnostics::named() const {
  return {{"fast_norm", fast_norm},     {"slow_norm", slow_norm}, {"update_norm", update_norm},
          {"weight_norm", weight_norm}, {"sparsity", sparsity},   {"gradient_norm", gradient_norm}};
}

PlasticLinear::PlasticLinear(std::int64_t inputs, std::int64_t outputs,
                             const PlasticLinearOptions& options)
    : options_(options), plasticity_enabled_(options.plasticity) {
  check_size(kPlasticLinear, "inputs", inputs);
  check_size(kPlasticLinear, "outputs", outputs);
  check_trainable(kPlasticLinear, options.dtype);
  check_plastic_linear(options);
  const Shape shape = {outputs, inputs};
  weights_ =
      Tensor(random_normal(shape, 0.0, options.deviation, options.dtype, options.random), true);
  add("weights", weights_);
  if (options.bias) {
    bias_ = Tensor(zeros({outputs}, options.dtype), true);
    add("bias", bias_);
  }
  fast_ = zeros(shape, options.dtype);
  slow_ = zeros(shape, options.dtype);
  update_ = zeros({}, options.dtype);
  add("fast", fast_);
  add("slow", slow_);
  add("update", update_);
}

Array PlasticLinear::traces() const {
  return fast_ * options_.fast_gain + slow_ * options_.slow_gain;
}

Tensor PlasticLinear::forward(const Tensor& x) {
  check_inputs_of_plastic_linear(x, weights_.shape(1));
  const RepeatedState repeated({&fast_, &slow_, &update_});
  const Ternary parts = ternary(weights_.value(), TernaryScale::row);
  const Tensor weights = straight_through(weights_, parts.codes * parts.scale + traces());
  const Tensor y = options_.bias ? linear(x, weights, bias_) : linear(x, weights);
  if (is_training() && plasticity_enabled_ && traces_writable()) write_traces(x.value(), y.value());
  return y;
}

void PlasticLinear::write_traces(const Array& x, const Array& y) {
  const std::int64_t rows = x.size() / fast_.shape(1);
  if (rows == 0) return;
  const Array in = x.reshape({rows, fast_.shape(1)});
  const Array active = relu(y).reshape({rows, fast_.shape(0)});
  const Array update = matmul(active.transpose(), in).astype(fast_.dtype()) *
                       (options_.fast_rate / static_cast<double>(rows));
  const Array fast = fast_ * options_.fast_decay + update;
  // The bound by the norm of a trace of zeros is infinite, and nothing is shortened.
  const Array bounded = fast * minimum(options_.trace_bound / norm(fast), 1.0);
  fast_ = on_current_device(fast_, kPlasticLinear);
  slow_ = on_current_device(slow_, kPlasticLinear);
  update_ = on_current_device(update_, kPlasticLinear);
  // Numbers that are not finite are not written: they would never go away again.
  const Array size = norm(update);
  const Array holds = isfinite(size);
  update_.assign(where(holds, size, update_));
  slow_.assign(where(holds, slow_ * options_.slow_decay + bounded * options_.slow_rate, slow_));
  fast_.assign(where(holds, bounded, fast_));
}

void PlasticLinear::reset_traces() {
  fast_.fill(0.0);
  slow_.fill(0.0);
  update_.fill(0.0);
}

PlasticLinearDiagnostics PlasticLinear::diagnostics() const {
  const Array& weights = weights_.value();
  const double zeros_of_codes = sum(equal(ternary(weights, TernaryScale::row).codes, 0.0)).item();
  return {.fast_norm = norm(fast_).item(),
          .slow_norm = norm(slow_).item(),
          .update_norm = update_.item(),
          .weight_norm = norm(weights).item(),
          .sparsity = zeros_of_codes / static_cast<double>(weights.size()),
          .gradient_norm = weights_.has_grad() ? norm(weights_.grad()).item()
                                               : std::numeric_limits<double>::quiet_NaN()};
}

std::shared_ptr<PackedPlasticLinear> PlasticLinear::pack() const {
  const Array both = traces();
  return std::make_shared<PackedPlasticLinear>(ternary(weights_.value(), TernaryScale::row),
                                               any(both).item() != 0.0 ? both : Array(),
                                               options_.bias ? bias_.value().copy() : Array());
}

PackedPlasticLinear::PackedPlasticLinear(const Ternary& weights, const Array& traces,
                                         const Array& bias)
    : inputs_(weights.codes.shape(-1)),
      dtype_(weights.codes.dtype()),
      packed_(pack_ternary(weights.codes)),
      scale_(weights.scale.reshape({-1}).copy()),
      traces_(traces),
      bias_(bias) {
  add("packed", packed_);
  add("scale", scale_);
  if (traces_.size() > 0) add("traces", traces_);
  if (bias_.size() > 0) add("bias", bias_);
}

Tensor PackedPlasticLinear::forward(const Tensor& x) {
  check_inputs_of_plastic_linear(x, inputs_);
  Tensor y = packed_product(x, packed_, inputs_, dtype_) * Tensor(scale_);
  if (traces_.size() > 0) y = y + linear(x, Tensor(traces_));
  return bias_.size() > 0 ? y + Tensor(bias_) : y;
}

void enable_plasticity(Module& net, bool enabled) {
  if (auto* const layer = dynamic_cast<PlasticLinear*>(&net)) layer->enable_plasticity(enabled);
  for (const auto& [name, child] : net.children()) enable_plasticity(*child, enabled);
}

std::vector<std::pair<std::string, const PlasticLinear*>> plastic_linear_layers(const Module& net) {
  std::vector<std::pair<std::string, const PlasticLinear*>> found;
  add_plastic_linear_layers("", net, found);
  return found;
}

void PlasticLinearKind::keys(ConfigVisitor& v) {
  constexpr NumberRange kGains{-1e6, 1e6};
  constexpr NumberRange kDecays{0.0, 1.0, false, true};
  v.integer(kSizeKey, size, kNeurons);
  v.choice({"activation", "what a neuron makes of its drive"}, activations(activation));
  v.flag({"bias", "whether neurons have a bias"}, options.bias);
  v.flag({"plasticity", "whether traces are written"}, options.plasticity);
  v.number({"fast_gain", "what the fast trace adds to the weights"}, options.fast_gain, kGains);
  v.number({"slow_gain", "what the slow trace adds to the weights"}, options.slow_gain, kGains);
  v.number({"fast_decay", "share of the fast trace that is left after a step"}, options.fast_decay,
           kDecays);
  v.number({"fast_rate", "share of a step's activity in the fast trace"}, options.fast_rate,
           kNotNegative);
  v.number({"slow_decay", "share of the slow trace that is left after a step"}, options.slow_decay,
           kDecays);
  v.number({"slow_rate", "share of the fast trace in the slow one"}, options.slow_rate,
           kNotNegative);
  v.number({"trace_bound", "largest norm of the fast trace"}, options.trace_bound, kPositive);
  v.number({"deviation", "standard deviation of the weights at first"}, options.deviation,
           kNotNegative);
}

void PlasticLinearKind::add_to(const ModulePlace& place) const {
  place.net.add<PlasticLinear>(place.features(), size, placed(options, place));
  place.activate(activation);
}

}  // namespace gaia
