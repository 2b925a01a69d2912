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
#include "../../core/message.h"
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
  if (f == Activation::coates) {
    const Array passed = where(greater(y, 0), dy, 0.0);
    return passed - mean(passed, {-1}, true);
  }
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

std::vector<Array> values_of(const std::vector<Tensor>& tensors) {
  std::vector<Array> values;
  for (const Tensor& tensor : tensors) values.push_back(tensor.value());
  return values;
}

/// The sum along an axis of `numbers` [batch, outputs, inputs] times a factor that broadcasts to
/// [outputs, inputs].
Array sum_along(int axis, const Array& numbers, const Array& factor) {
  const int from_end = 3 - axis;
  if (factor.rank() < from_end || factor.shape(-from_end) == 1) {
    return (sum(numbers, {axis}, true) * factor).squeeze({axis});
  }
  return sum(numbers * factor, {axis});
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

// Positions of the inputs of the operation.
enum Input : std::size_t { kX, kDrive, kPlastic, kAlpha, kFirstParameter };

/// A window, from its last tick to its first.
class WayBack {
 public:
  WayBack(const Window& window, GradientFlow& flow)
      : window_(window),
        flow_(flow),
        x_(flow.saved(window.x)),
        alpha_(flow.saved(window.alpha)),
        needs_x_(flow.needs(kX)),
        sums_(window.parameters.size()) {
    bool any = false;
    for (std::size_t k = 0; k < window.parameters.size(); ++k) {
      p_.push_back(flow.saved(window.parameters[k]));
      any = any || flow.needs(kFirstParameter + k);
    }
    needs_parameters_ = any;
  }

  void run() {
    const Array& dy = flow_.gradient(0);
    const Array d_drive = Array::uninitialized(dy.shape(), dy.dtype());
    const Array dx = Array::uninitialized(needs_x_ ? x_.shape() : Shape{0}, dy.dtype());
    Sum by_alpha;
    Array dh = flow_.gradient(1);  // by H after a tick, then before it
    for (std::int64_t t = x_.shape(0) - 1; t >= 0; --t) {
      const auto k = static_cast<std::size_t>(t);
      const Array& h = t == 0 ? flow_.saved(window_.plastic) : window_.before[k - 1];
      const Array& z = window_.drives[k];
      const Array y = activate(window_.f, z);
      if (needs_parameters_) add_parameters(h, x_[t], y, dh);
      const TickGradient tick = through_update(h, x_[t], y, dh);
      const Array dz = through_activation(window_.f, z, y, dy[t] + tick.y);
      d_drive[t].assign(dz);
      if (needs_x_) dx[t].assign(tick.x + times((alpha_ * h).swapaxes(1, 2), dz));
      const Array through_drive = products(dz, x_[t]);
      if (flow_.needs(kAlpha)) by_alpha.add(sum(through_drive * h, {0}));
      through_drive *= alpha_;
      through_drive += tick.h;
      dh = through_drive;
    }
    if (needs_x_) flow_.give(kX, dx);
    flow_.give(kDrive, d_drive);
    flow_.give(kPlastic, dh);
    if (!by_alpha.is_empty()) flow_.give(kAlpha, by_alpha.value());
    if (!sums_.front().is_empty()) give_parameters();
  }

 private:
  struct TickGradient {
    Array y, x, h;
  };

  /// What comes back from H after a tick to the y, the x (where it is needed) and the H of which
  /// the rule has computed it.
  TickGradient through_update(const Array& h, const Array& x, const Array& y,
                              const Array& dh) const {
    const auto by_x = [&](const Array& q) {
      return needs_x_ ? times(q.swapaxes(1, 2), y) : Array();
    };
    if (window_.rule == DifferentiableRule::abcd) {
      const Array q = dh * (p_[0] * p_[1]);
      const Array dy = times(q, x);
      dy += sum_along(2, dh, p_[0] * p_[3]);
      const Array dx = by_x(q);
      if (needs_x_) dx += sum_along(1, dh, p_[0] * p_[2]);
      return {dy, dx, dh};
    }
    const Array q = dh * p_[0];
    if (window_.rule == DifferentiableRule::hebbian) return {times(q, x), by_x(q), dh - q};
    const Array dy = times(q, x);
    dy -= 2.0 * y * sum(q * h, {2});
    return {dy, by_x(q), dh - column(square(y)) * q};
  }

  /// Sums over ticks and streams, [outputs, inputs], from which the parameters' gradients are
  /// computed: of dh times what the rate multiplies, or of dh times y x, x, y and 1 each.
  void add_parameters(const Array& h, const Array& x, const Array& y, const Array& dh) {
    if (window_.rule != DifferentiableRule::abcd) {
      const Array change = direction(window_.rule, h, x, y, p_);
      change *= dh;
      sums_[0].add(sum(change, {0}));
      return;
    }
    const Array by_y = dh * column(y);
    sums_[2].add(sum(by_y, {0}));
    by_y *= row(x);
    sums_[0].add(sum(by_y, {0}));
    sums_[1].add(sum(dh * row(x), {0}));
    sums_[3].add(sum(dh, {0}));
  }

  void give_parameters() {
    if (window_.rule != DifferentiableRule::abcd) {
      flow_.give(kFirstParameter, sums_[0].value());
      return;
    }
    for (std::size_t k = 1; k < p_.size(); ++k) {
      flow_.give(kFirstParameter, p_[k] * sums_[k - 1].value());
      if (flow_.needs(kFirstParameter + k)) {
        flow_.give(kFirstParameter + k, p_[0] * sums_[k - 1].value());
      }
    }
  }

  const Window& window_;
  GradientFlow& flow_;
  const Array& x_;
  const Array& alpha_;
  bool needs_x_;
  bool needs_parameters_ = false;
  std::vector<Array> p_;
  std::vector<Sum> sums_;
};

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
  const std::string where = message("[{}] ", function);
  const bool fits = x.rank() == 3 && drive.rank() == 3 && drive.shape(0) == x.shape(0) &&
                    drive.shape(1) == x.shape(1) &&
                    plastic.shape() == Shape{x.shape(1), drive.shape(2), x.shape(2)};
  if (!fits) {
    fail<ShapeError>(
        "{}expected x [ticks, batch, inputs], drive [ticks, batch, outputs] and plastic [batch, "
        "outputs, inputs], got {}, {} and {}",
        where, x.shape(), drive.shape(), plastic.shape());
  }
  if (names.size() != parameters.size()) {
    fail<ArgumentError>("{}expected the parameters {}, got {}", where, join(names),
                        parameters.size());
  }
  const Shape weights = {drive.shape(2), x.shape(2)};
  const auto check_number = [&](const std::string& name, const Tensor& number) {
    bool broadcasts = number.rank() <= 2;
    for (int axis = 1; broadcasts && axis <= number.rank(); ++axis) {
      const std::int64_t length = number.shape(-axis);
      broadcasts = length == 1 || length == weights[2 - axis];
    }
    if (!broadcasts) {
      fail<ShapeError>(
          "{}{}: expected a shape that broadcasts to [outputs, inputs] = {}, such as [], [outputs, "
          "1] or that itself, got {}",
          where, name, weights, number.shape());
    }
  };
  const DType dtype = drive.dtype();
  const auto check_dtype = [&](const std::string& name, const Tensor& tensor) {
    if (tensor.dtype() == dtype && (dtype == DType::float32 || dtype == DType::float64)) return;
    fail<DTypeError>(
        "{}{}: expected float32 or float64, of the drive's dtype {}, got {}; cast it by astype",
        where, name, dtype, tensor.dtype());
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
  const std::vector<Tensor> results =
      record("plastic_sequence", inputs, std::vector<Array>{answers, h},
             [window = std::move(window)](GradientFlow& flow) { WayBack(window, flow).run(); });
  return {results[0], results[1]};
}

}  // namespace gaia
