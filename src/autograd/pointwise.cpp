// SPDX-License-Identifier: MIT
#include "pointwise.h"

#include <limits>
#include <type_traits>
#include <utility>

#include "../array/apply.h"
#include "../array/create.h"
#include "function.h"
#include "reduce.h"
#include "twice.h"

namespace gaia {
namespace {

/// dx = dy f'(x).  Of x and y only what the slope reads is kept; it stands in for the other.
Tensor pointwise(const char* name, const Unary& f, const Tensor& x, const Array& value) {
  const Slope slope = facts_of(f).slope;
  if (slope == Slope::flat) {
    return record_twice(name, {x}, value, [](auto& flow) {
      const Array& gradient = value_of(flow.gradient());
      flow.give(0, zeros({}, gradient.dtype()).broadcast_to(gradient.shape()));
    });
  }
  if (slope == Slope::constant) {
    return record_twice(name, {x}, value, [f](auto& flow) {
      const auto& gradient = flow.gradient();
      if constexpr (is_on_tensors<decltype(flow)>) {
        flow.give(0, multiply(gradient, slope_of(f, gradient, gradient, flow)));
      } else {
        flow.give(0, unary_gradient(f, gradient, gradient, gradient));
      }
    });
  }
  const bool keeps_x = slope != Slope::of_y;
  const bool keeps_y = slope != Slope::of_x;
  return record_twice(
      name, {x}, value,
      [f, keeps_x, keeps_y, dtype = value.dtype(), input = keeps_x ? SavedTensor(x) : SavedTensor(),
       output = keeps_y ? SavedArray(value) : SavedArray()](auto& flow) {
        if constexpr (is_on_tensors<decltype(flow)>) {
          const Tensor given = keeps_x ? flow.saved(input) : flow.result(output);
          const Tensor answer = keeps_y ? flow.result(output) : given;
          flow.give(0, multiply(flow.gradient(), slope_of(f, given, answer, flow)));
        } else {
          const Array given = keeps_x ? flow.saved(input).astype(dtype) : flow.saved(output);
          const Array answer = keeps_y ? flow.saved(output) : given;
          flow.give(0, unary_gradient(f, given, answer, flow.gradient()));
        }
      });
}

/// a - b q of a whole number q, which is flat: `quotient` computes it.
template <class Quotient>
Tensor rest(const char* name, const Tensor& a, const Tensor& b, Array value, Quotient quotient) {
  return record(
      name, {a, b}, std::move(value),
      [quotient, a = saved_for(b, a.value()), b = saved_for(b, b.value())](GradientFlow& flow) {
        flow.give(0, flow.gradient());
        if (!flow.needs(1)) return;
        const Array whole = quotient(flow.saved(a), flow.saved(b));
        flow.give(1, negative(multiply(flow.gradient(), whole)));
      });
}

/// d/da of a^b.
template <class T>
T base_gradient(const T& a, const T& b, const T& dy) {
  const T slope = multiply(b, power(a, subtract(b, 1)));
  return multiply(dy, where(equal(value_of(b), 0), 0.0, slope));
}

/// d/db of a^b = y.
template <class T>
T exponent_gradient(const T& a, const T& b, const T& y, const T& dy) {
  const Array is_flat = logical_and(equal(value_of(a), 0), greater_equal(value_of(b), 0));
  return multiply(dy, where(is_flat, T(zeros({}, y.dtype())), multiply(y, log(a))));
}

/// A length to divide by: 1 where it is 0, so that what has no direction there has slopes of 0.
Array not_zero(const Array& length) { return where(equal(length, 0.0), 1.0, length); }

/// The larger (or smaller) of the two gets the gradient, half each where they meet.
Tensor extremum(const char* name, const Tensor& a, const Tensor& b, Array value, bool larger) {
  const auto save = [&] { return std::pair(SavedArray(a.value()), SavedArray(b.value())); };
  return record_twice(name, {a, b}, std::move(value), [larger, both = save()](auto& flow) {
    const Array& first = flow.saved(both.first);
    const Array& second = flow.saved(both.second);
    const auto shared =
        where(equal(first, second), multiply(flow.gradient(), 0.5), flow.gradient());
    const Array first_loses = larger ? less(first, second) : less(second, first);
    const Array second_loses = larger ? less(second, first) : less(first, second);
    if (flow.needs(0)) flow.give(0, where(first_loses, 0.0, shared));
    if (flow.needs(1)) flow.give(1, where(second_loses, 0.0, shared));
  });
}

}  // namespace

Tensor elementwise(const Unary& f, const Tensor& x) {
  return pointwise(facts_of(f).name, f, x, elementwise(f, x.value()));
}

Tensor round(const Tensor& x, int decimals) {
  return pointwise("round", Round{}, x, round(x.value(), decimals));
}

Tensor clip(const Tensor& x, std::optional<Scalar> low, std::optional<Scalar> high) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Clip within{low ? low->value : -kInfinity, high ? high->value : kInfinity};
  return pointwise("clip", within, x, clip(x.value(), low, high));
}
Tensor activate(Activation f, const Tensor& x) {
  if (f == Activation::softmax) return softmax(x);
  if (f == Activation::coates) return relu(x - mean(x, {-1}, true));
  return dispatch_activation(f, [&](const auto& functor) {
    if constexpr (std::is_same_v<std::decay_t<decltype(functor)>, Identity>) {
      return x;
    } else {
      return pointwise("activate", functor, x, apply(functor, x.value(), "activate"));
    }
  });
}

Tensor astype(const Tensor& x, DType dtype) {
  return record_twice("astype", {x}, x.value().astype(dtype),
                      [](auto& flow) { flow.give(0, flow.gradient()); });
}

Tensor Tensor::astype(DType dtype) const { return gaia::astype(*this, dtype); }

Tensor Tensor::to(Device device) const {
  return record_twice("to", {*this}, value().to(device), [home = value().device()](auto& flow) {
    flow.give(0, flow.gradient().to(home));
  });
}

Tensor add(const Tensor& a, const Tensor& b) {
  return record_twice("add", {a, b}, add(a.value(), b.value()), [](auto& flow) {
    flow.give(0, flow.gradient());
    flow.give(1, flow.gradient());
  });
}

Tensor subtract(const Tensor& a, const Tensor& b) {
  return record_twice("subtract", {a, b}, subtract(a.value(), b.value()), [](auto& flow) {
    flow.give(0, flow.gradient());
    if (flow.needs(1)) flow.give(1, negative(flow.gradient()));
  });
}

Tensor multiply(const Tensor& a, const Tensor& b) {
  return record_twice("multiply", {a, b}, multiply(a.value(), b.value()),
                      [a = saved_for(b, a), b = saved_for(a, b)](auto& flow) {
                        if (flow.needs(0)) flow.give(0, multiply(flow.gradient(), flow.saved(b)));
                        if (flow.needs(1)) flow.give(1, multiply(flow.gradient(), flow.saved(a)));
                      });
}

Tensor divide(const Tensor& a, const Tensor& b) {
  const Array value = divide(a.value(), b.value());
  return record_twice("divide", {a, b}, value,
                      [b = SavedTensor(b), y = saved_for(b, value)](auto& flow) {
                        const auto by_a = divide(flow.gradient(), flow.saved(b));
                        flow.give(0, by_a);
                        if (flow.needs(1)) flow.give(1, negative(multiply(by_a, flow.result(y))));
                      });
}

Tensor power(const Tensor& a, const Tensor& b) {
  const Array value = power(a.value(), b.value());
  return record_twice(
      "power", {a, b}, value,
      [a = SavedTensor(a), b = SavedTensor(b), y = saved_for(b, value)](auto& flow) {
        const auto& base = flow.saved(a);
        const auto& exponent = flow.saved(b);
        if (flow.needs(0)) flow.give(0, base_gradient(base, exponent, flow.gradient()));
        if (flow.needs(1)) {
          const auto power_of = flow.result(y);
          flow.give(1, exponent_gradient(base, exponent, power_of, flow.gradient()));
        }
      });
}

Tensor floor_divide(const Tensor& a, const Tensor& b) {
  return record("floor_divide", {a, b}, floor_divide(a.value(), b.value()), [](GradientFlow& flow) {
    const Array& gradient = flow.gradient();
    const Array flat = zeros({}, gradient.dtype()).broadcast_to(gradient.shape());
    flow.give(0, flat);
    flow.give(1, flat);
  });
}

Tensor remainder(const Tensor& a, const Tensor& b) {
  return rest("remainder", a, b, remainder(a.value(), b.value()),
              [](const Array& x, const Array& y) { return floor_divide(x, y); });
}

Tensor fmod(const Tensor& a, const Tensor& b) {
  return rest("fmod", a, b, fmod(a.value(), b.value()),
              [](const Array& x, const Array& y) { return trunc(divide(x, y)); });
}

Tensor floor_divide(const Tensor& a, Scalar b) {
  return floor_divide(a, Tensor(beside(a.value(), b, "floor_divide")));
}
Tensor floor_divide(Scalar a, const Tensor& b) {
  return floor_divide(Tensor(beside(b.value(), a, "floor_divide")), b);
}
Tensor remainder(const Tensor& a, Scalar b) {
  return remainder(a, Tensor(beside(a.value(), b, "remainder")));
}
Tensor remainder(Scalar a, const Tensor& b) {
  return remainder(Tensor(beside(b.value(), a, "remainder")), b);
}
Tensor fmod(const Tensor& a, Scalar b) { return fmod(a, Tensor(beside(a.value(), b, "fmod"))); }
Tensor fmod(Scalar a, const Tensor& b) { return fmod(Tensor(beside(b.value(), a, "fmod")), b); }

Tensor maximum(const Tensor& a, const Tensor& b) {
  return extremum("maximum", a, b, maximum(a.value(), b.value()), true);
}

Tensor minimum(const Tensor& a, const Tensor& b) {
  return extremum("minimum", a, b, minimum(a.value(), b.value()), false);
}

Tensor maximum(const Tensor& a, Scalar b) {
  return maximum(a, Tensor(beside(a.value(), b, "maximum")));
}

Tensor minimum(const Tensor& a, Scalar b) {
  return minimum(a, Tensor(beside(a.value(), b, "minimum")));
}

Tensor arctan2(const Tensor& a, const Tensor& b) {
  return record("arctan2", {a, b}, arctan2(a.value(), b.value()),
                [a = SavedArray(a.value()), b = SavedArray(b.value())](GradientFlow& flow) {
                  const Array& rise = flow.saved(a);
                  const Array& run = flow.saved(b);
                  const Array length = hypot(rise, run);
                  const Array away = not_zero(length);
                  const Array dy = divide(flow.gradient(), away);
                  if (flow.needs(0)) flow.give(0, multiply(dy, divide(run, away)));
                  if (flow.needs(1)) flow.give(1, negative(multiply(dy, divide(rise, away))));
                });
}

Tensor hypot(const Tensor& a, const Tensor& b) {
  const Array value = hypot(a.value(), b.value());
  return record("hypot", {a, b}, value,
                [a = SavedArray(a.value()), b = SavedArray(b.value()),
                 y = SavedArray(value)](GradientFlow& flow) {
                  const Array away = not_zero(flow.saved(y));
                  const auto share = [&](const Array& x) {
                    return multiply(flow.gradient(), divide(x, away));
                  };
                  if (flow.needs(0)) flow.give(0, share(flow.saved(a)));
                  if (flow.needs(1)) flow.give(1, share(flow.saved(b)));
                });
}

Tensor logaddexp(const Tensor& a, const Tensor& b) {
  const Array value = logaddexp(a.value(), b.value());
  return record("logaddexp", {a, b}, value,
                [a = SavedArray(a.value()), b = SavedArray(b.value()),
                 y = SavedArray(value)](GradientFlow& flow) {
                  // Slopes of nothing but -inf are 0, not NaN, as those of logsumexp.
                  constexpr double kLowest = -std::numeric_limits<double>::infinity();
                  const Array dy = where(equal(flow.saved(y), kLowest), 0.0, flow.gradient());
                  const Array lead = where(equal(flow.saved(a), flow.saved(b)), 0.0,
                                           subtract(flow.saved(a), flow.saved(b)));
                  if (flow.needs(0)) flow.give(0, multiply(dy, sigmoid(lead)));
                  if (flow.needs(1)) flow.give(1, multiply(dy, sigmoid(negative(lead))));
                });
}

Tensor weighted_sum(Scalar p, const Tensor& a, Scalar q, const Tensor& b) {
  return record_twice("weighted_sum", {a, b}, weighted_sum(p, a.value(), q, b.value()),
                      [p, q](auto& flow) {
                        if (flow.needs(0)) flow.give(0, multiply(flow.gradient(), p));
                        if (flow.needs(1)) flow.give(1, multiply(flow.gradient(), q));
                      });
}

Tensor add(const Tensor& a, Scalar b) {
  return record_twice("add", {a}, add(a.value(), b),
                      [](auto& flow) { flow.give(0, flow.gradient()); });
}

Tensor subtract(const Tensor& a, Scalar b) {
  return record_twice("subtract", {a}, subtract(a.value(), b),
                      [](auto& flow) { flow.give(0, flow.gradient()); });
}

Tensor subtract(Scalar a, const Tensor& b) {
  return record_twice("subtract", {b}, subtract(a, b.value()),
                      [](auto& flow) { flow.give(0, negative(flow.gradient())); });
}

Tensor multiply(const Tensor& a, Scalar b) {
  return record_twice("multiply", {a}, multiply(a.value(), b),
                      [b](auto& flow) { flow.give(0, multiply(flow.gradient(), b)); });
}

Tensor divide(const Tensor& a, Scalar b) {
  return record_twice("divide", {a}, divide(a.value(), b),
                      [b](auto& flow) { flow.give(0, divide(flow.gradient(), b)); });
}

Tensor divide(Scalar a, const Tensor& b) {
  const Array value = divide(a, b.value());
  return record_twice("divide", {b}, value,
                      [b = SavedTensor(b), y = SavedArray(value)](auto& flow) {
                        const auto slope = divide(flow.result(y), flow.saved(b));
                        flow.give(0, negative(multiply(flow.gradient(), slope)));
                      });
}

Tensor power(const Tensor& a, Scalar b) {
  return record_twice("power", {a}, power(a.value(), b), [b, a = SavedTensor(a)](auto& flow) {
    const auto& base = flow.saved(a);
    using T = std::decay_t<decltype(base)>;
    const T exponent(full({}, b.value, base.dtype()));
    flow.give(0, base_gradient(base, exponent, flow.gradient()));
  });
}

Tensor power(Scalar a, const Tensor& b) {
  const Array value = power(a, b.value());
  return record_twice("power", {b}, value,
                      [a, b = SavedTensor(b), y = SavedArray(value)](auto& flow) {
                        const auto& exponent = flow.saved(b);
                        using T = std::decay_t<decltype(exponent)>;
                        const T base(full({}, a.value, exponent.dtype()));
                        const T power_of = flow.result(y);
                        flow.give(0, exponent_gradient(base, exponent, power_of, flow.gradient()));
                      });
}

Tensor where(const Array& condition, const Tensor& a, const Tensor& b) {
  return record_twice("where", {a, b}, where(condition, a.value(), b.value()),
                      [condition = SavedArray(condition)](auto& flow) {
                        const Array& holds = flow.saved(condition);
                        if (flow.needs(0)) flow.give(0, where(holds, flow.gradient(), 0.0));
                        if (flow.needs(1)) flow.give(1, where(holds, 0.0, flow.gradient()));
                      });
}

Tensor where(const Array& condition, const Tensor& a, Scalar b) {
  return where(condition, a, Tensor(beside(a.value(), b, "where")));
}

Tensor where(const Array& condition, Scalar a, const Tensor& b) {
  return where(condition, Tensor(beside(b.value(), a, "where")), b);
}

}  // namespace gaia
