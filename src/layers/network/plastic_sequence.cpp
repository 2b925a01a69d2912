// SPDX-License-Identifier: MIT
#include "plastic_sequence.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "../../array/apply.h"
#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../autograd/function.h"
#include "../../autograd/grad_mode.h"
#include "../../core/error.h"
#include "../../core/names.h"

namespace gaia {
namespace {

constexpr NameTable<DifferentiableRule, 3> kRules{{{"hebbian", DifferentiableRule::hebbian},
                                                   {"oja", DifferentiableRule::oja},
                                                   {"abcd", DifferentiableRule::abcd}}};

/// x [batch, inputs] as a row for every neuron, y [batch, outputs] as a column for every input.
Array row(const Array& x) { return x.expand_dims(1); }
Array column(const Array& y) { return y.expand_dims(2); }

/// M v for the matrix and the vector of each stream.
Array times(const Array& matrices, const Array& vectors) {
  return matmul(matrices, column(vectors)).squeeze({2});
}

/// y x^T of each stream.
Array products(const Array& y, const Array& x) { return column(y) * row(x); }

/// dz = f'(z) dy.
Array through_activation(Activation f, const Array& z, const Array& y, const Array& dy) {
  if (f == Activation::softmax) return y * (dy - sum(dy * y, {-1}, true));
  return dispatch_activation(f, [&](const auto& functor) -> Array {
    if constexpr (std::is_same_v<std::decay_t<decltype(functor)>, Identity>) {
      return dy;
    } else {
      return unary_gradient(functor, z, y, dy);
    }
  });
}

/// A sum that begins with its first term.
class Sum {
 public:
  void add(const Array& term) {
    if (sum_) {
      *sum_ += term;
    } else {
      sum_ = term;
    }
  }
  bool is_empty() const { return !sum_; }
  const Array& value() const { return *sum_; }

 private:
  std::optional<Array> sum_;
};

/// One tick, forwards: what the rule asks for, without the rate.
Array direction(DifferentiableRule rule, const Array& h, const Array& x, const Array& y,
                const std::vector<Array>& p) {
  if (rule == DifferentiableRule::hebbian) {
    const Array change = products(y, x);
    change -= h;
    return change;
  }
  if (rule == DifferentiableRule::oja) {
    const Array change = row(x) - column(y) * h;
    change *= column(y);
    return change;
  }
  const Array change = (p[1] * column(y) + p[2]) * row(x);
  change += p[3] * column(y) + p[4];
  return change;
}

Array updated(DifferentiableRule rule, const Array& h, const Array& x, const Array& y,
              const std::vector<Array>& p) {
  const Array change = direction(rule, h, x, y, p);
  change *= p[0];
  change += h;
  return change;
}

/// What comes back to a tick from the weights that it has left.
struct TickGradient {
  Array y, x, h;
};

/// One tick, backwards: dh is d loss / d H after the update.  Adds to `sums` what the rule's
/// parameters get, [outputs, inputs] each, as far as they are wanted.
TickGradient back_through_update(DifferentiableRule rule, const Array& h, const Array& x,
                                 const Array& y, const std::vector<Array>& p, const Array& dh,
                                 const std::vector<bool>& wanted, std::vector<Sum>& sums) {
  if (wanted[0]) {
    const Array change = direction(rule, h, x, y, p);
    change *= dh;
    sums[0].add(sum(change, {0}));
  }
  const Array q = dh * p[0];
  if (rule == DifferentiableRule::hebbian) {
    return {times(q, x), times(q.swapaxes(1, 2), y), dh - q};
  }
  if (rule == DifferentiableRule::oja) {
    const Array dy = times(q, x);
    dy -= 2.0 * y * sum(q * h, {2});
    return {dy, times(q.swapaxes(1, 2), y), dh - column(square(y)) * q};
  }
  if (wanted[1]) sums[1].add(sum(q * products(y, x), {0}));
  if (wanted[2]) sums[2].add(sum(q * row(x), {0}));
  if (wanted[3]) sums[3].add(sum(q * column(y), {0}));
  if (wanted[4]) sums[4].add(sum(q, {0}));
  const Array qa = q * p[1];
  const Array dy = times(qa, x);
  dy += sum(q * p[3], {2});
  const Array dx = times(qa.swapaxes(1, 2), y);
  dx += sum(q * p[2], {1});
  return {dy, dx, dh};
}

std::vector<Array> values_of(const std::vector<Tensor>& tensors) {
  std::vector<Array> values;
  for (const Tensor& tensor : tensors) values.push_back(tensor.value());
  return values;
}

/// What the way back needs.
struct Window {
  DifferentiableRule rule;
  Activation f;
  std::vector<Array> before;  ///< H before each tick but the first.
  std::vector<Array> drives;  ///< z of each tick.
  SavedArray x, plastic, alpha;
  std::vector<SavedArray> parameters;
};

// Where the inputs of the operation stand.
enum Input : std::size_t { kX, kDrive, kPlastic, kAlpha, kFirstParameter };

void back_through_window(const Window& window, GradientFlow& flow) {
  const Array& x = flow.saved(window.x);
  const Array& alpha = flow.saved(window.alpha);
  std::vector<Array> p;
  std::vector<bool> wanted;
  for (std::size_t k = 0; k < window.parameters.size(); ++k) {
    p.push_back(flow.saved(window.parameters[k]));
    wanted.push_back(flow.needs(kFirstParameter + k));
  }
  std::vector<Sum> sums(p.size());
  Sum by_alpha;
  const Array& dy = flow.gradient(0);
  const Array d_drive = Array::uninitialized(dy.shape(), dy.dtype());
  const Array dx = Array::uninitialized(x.shape(), dy.dtype());
  Array dh = flow.gradient(1);
  for (std::int64_t t = x.shape(0) - 1; t >= 0; --t) {
    const auto k = static_cast<std::size_t>(t);
    const Array& h = t == 0 ? flow.saved(window.plastic) : window.before[k - 1];
    const Array& z = window.drives[k];
    const Array y = activate(window.f, z);
    TickGradient tick = back_through_update(window.rule, h, x[t], y, p, dh, wanted, sums);
    const Array dz = through_activation(window.f, z, y, dy[t] + tick.y);
    d_drive[t].assign(dz);
    if (flow.needs(kX)) {
      tick.x += times((alpha * h).swapaxes(1, 2), dz);
      dx[t].assign(tick.x);
    }
    const Array through_drive = products(dz, x[t]);
    if (flow.needs(kAlpha)) by_alpha.add(sum(through_drive * h, {0}));
    dh = tick.h + alpha * through_drive;
  }
  flow.give(kX, dx);
  flow.give(kDrive, d_drive);
  flow.give(kPlastic, dh);
  if (!by_alpha.is_empty()) flow.give(kAlpha, by_alpha.value());
  for (std::size_t k = 0; k < sums.size(); ++k) {
    if (!sums[k].is_empty()) flow.give(kFirstParameter + k, sums[k].value());
  }
}

}  // namespace

std::string to_string(DifferentiableRule rule) { return name_of(kRules, rule); }

DifferentiableRule differentiable_rule_from_name(std::string_view name) {
  return from_name(kRules, name, "differentiable rule");
}

std::vector<std::string> parameter_names(DifferentiableRule rule) {
  if (rule == DifferentiableRule::abcd) return {"rate", "a", "b", "c", "d"};
  return {"rate"};
}

void check_plastic_operands(const char* function, const Tensor& x, const Tensor& drive,
                            const Tensor& plastic, const Tensor& alpha,
                            const std::vector<std::string>& names,
                            const std::vector<Tensor>& parameters) {
  const std::string where = "[" + std::string(function) + "] ";
  const bool fits = x.rank() == 3 && drive.rank() == 3 && drive.shape(0) == x.shape(0) &&
                    drive.shape(1) == x.shape(1) &&
                    plastic.shape() == Shape{x.shape(1), drive.shape(2), x.shape(2)};
  if (!fits) {
    throw ShapeError(where +
                     "expected x [ticks, batch, inputs], drive [ticks, batch, outputs] and plastic "
                     "[batch, outputs, inputs], got " +
                     to_string(x.shape()) + ", " + to_string(drive.shape()) + " and " +
                     to_string(plastic.shape()));
  }
  if (names.size() != parameters.size()) {
    throw ArgumentError(where + "expected the parameters " + join(names) + ", got " +
                        std::to_string(parameters.size()));
  }
  const Shape weights = {drive.shape(2), x.shape(2)};
  const auto check_number = [&](const std::string& name, const Tensor& number) {
    bool broadcasts = number.rank() <= 2;
    for (int axis = 1; broadcasts && axis <= number.rank(); ++axis) {
      const std::int64_t length = number.shape(-axis);
      broadcasts = length == 1 || length == weights[2 - axis];
    }
    if (!broadcasts) {
      throw ShapeError(where + name + ": expected a shape that broadcasts to [outputs, inputs] = " +
                       to_string(weights) + ", such as [], [outputs, 1] or that itself, got " +
                       to_string(number.shape()));
    }
  };
  const DType dtype = drive.dtype();
  const auto check_dtype = [&](const std::string& name, const Tensor& tensor) {
    if (tensor.dtype() == dtype && (dtype == DType::float32 || dtype == DType::float64)) return;
    throw DTypeError(where + name + ": expected float32 or float64, of the drive's dtype " +
                     to_string(dtype) + ", got " + to_string(tensor.dtype()) +
                     "; cast it by astype");
  };
  check_number("alpha", alpha);
  check_dtype("x", x);
  check_dtype("plastic", plastic);
  check_dtype("alpha", alpha);
  for (std::size_t k = 0; k < names.size(); ++k) {
    check_number(names[k], parameters[k]);
    check_dtype(names[k], parameters[k]);
  }
}

PlasticSequence plastic_sequence(DifferentiableRule rule, Activation f, const Tensor& x,
                                 const Tensor& drive, const Tensor& plastic, const Tensor& alpha,
                                 const std::vector<Tensor>& parameters) {
  check_plastic_operands("plastic_sequence", x, drive, plastic, alpha, parameter_names(rule),
                         parameters);
  std::vector<Tensor> inputs = {x, drive, plastic, alpha};
  inputs.insert(inputs.end(), parameters.begin(), parameters.end());
  const bool keeps =
      grad_enabled() &&
      std::any_of(inputs.begin(), inputs.end(), [](const Tensor& t) { return t.requires_grad(); });
  Window window{rule, f, {}, {}, {}, {}, {}, {}};
  const std::vector<Array> p = values_of(parameters);
  const Array answers = Array::uninitialized(drive.shape(), drive.dtype());
  const std::int64_t ticks = x.shape(0);
  Array h = ticks == 0 ? plastic.value().copy() : plastic.value();
  for (std::int64_t t = 0; t < ticks; ++t) {
    const Array now = x.value()[t];
    const Array z = drive.value()[t] + times(alpha.value() * h, now);
    const Array y = activate(f, z);
    answers[t].assign(y);
    if (keeps && t > 0) window.before.push_back(h);
    if (keeps) window.drives.push_back(z);
    h = updated(rule, h, now, y, p);
  }
  if (keeps) {
    window.x = SavedArray(x.value());
    window.plastic = SavedArray(plastic.value());
    window.alpha = SavedArray(alpha.value());
    for (const Array& parameter : p) window.parameters.emplace_back(parameter);
  }
  const std::vector<Tensor> results = record(
      "plastic_sequence", inputs, std::vector<Array>{answers, h},
      [window = std::move(window)](GradientFlow& flow) { back_through_window(window, flow); });
  return {results[0], results[1]};
}

}  // namespace gaia
