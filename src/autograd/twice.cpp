// SPDX-License-Identifier: MIT
#include "twice.h"

#include <cmath>
#include <numbers>
#include <optional>
#include <type_traits>
#include <variant>

#include "../array/apply.h"
#include "../array/create.h"
#include "function.h"
#include "pointwise.h"

namespace gaia {
namespace {

template <class F, class... Fs>
constexpr bool is_one_of = (std::is_same_v<F, Fs> || ...);

/// x sigmoid(x) and its kin: the slope of silu.
Tensor silu_slope(const Tensor& x) {
  const Tensor s = sigmoid(x);
  return s * (1.0 + x * (1.0 - s));
}

/// The slope of x Phi(x), Phi as formulas/activation.h has it.
Tensor gelu_slope(const Tensor& x, bool is_exact) {
  if (is_exact) {
    const Tensor density = exp(square(x) * -0.5) * (1.0 / std::sqrt(2.0 * std::numbers::pi));
    return 0.5 * (1.0 + erf(x * std::sqrt(0.5))) + x * density;
  }
  const double scale = std::sqrt(2.0 / std::numbers::pi);
  const Tensor t = tanh(scale * (x + 0.044715 * x * square(x)));
  const Tensor inner = scale * (1.0 + 3.0 * 0.044715 * square(x));
  return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - square(t)) * inner;
}

template <class F>
std::optional<Tensor> slope(const F&, const Tensor& x, const Tensor& y) {
  if constexpr (std::is_same_v<F, Square>) return 2.0 * x;
  if constexpr (std::is_same_v<F, Sqrt>) return 0.5 / y;
  if constexpr (std::is_same_v<F, Rsqrt>) return -0.5 * y * square(y);
  if constexpr (std::is_same_v<F, Reciprocal>) return -square(y);
  if constexpr (std::is_same_v<F, Exp>) return y;
  if constexpr (std::is_same_v<F, Exp2>) return y * std::numbers::ln2;
  if constexpr (std::is_same_v<F, Expm1>) return y + 1.0;
  if constexpr (std::is_same_v<F, Log>) return 1.0 / x;
  if constexpr (std::is_same_v<F, Log2>) return (1.0 / std::numbers::ln2) / x;
  if constexpr (std::is_same_v<F, Log10>) return (1.0 / std::numbers::ln10) / x;
  if constexpr (std::is_same_v<F, Log1p>) return 1.0 / (x + 1.0);
  if constexpr (std::is_same_v<F, Sin>) return cos(x);
  if constexpr (std::is_same_v<F, Cos>) return -sin(x);
  if constexpr (std::is_same_v<F, Sinh>) return cosh(x);
  if constexpr (std::is_same_v<F, Cosh>) return sinh(x);
  if constexpr (std::is_same_v<F, Tanh>) return 1.0 - square(y);
  if constexpr (std::is_same_v<F, Erf>) {
    return exp(-square(x)) * (2.0 / std::sqrt(std::numbers::pi));
  }
  if constexpr (std::is_same_v<F, Sigmoid>) return y * (1.0 - y);
  if constexpr (std::is_same_v<F, LogSigmoid>) return sigmoid(-x);
  if constexpr (std::is_same_v<F, Softplus>) return sigmoid(x);
  if constexpr (std::is_same_v<F, Silu>) return silu_slope(x);
  if constexpr (std::is_same_v<F, GeluTanh>) return gelu_slope(x, false);
  if constexpr (std::is_same_v<F, GeluExact>) return gelu_slope(x, true);
  return std::nullopt;
}

/// Functions made of straight lines, whose slope has none.
template <class F>
constexpr bool is_straight = is_one_of<F, Negate, Abs, Clip, Relu, LeakyRelu, Identity>;

}  // namespace

Tensor slope_of(const Unary& f, const Tensor& x, const Tensor& y, const TensorFlow& flow) {
  return std::visit(
      [&](const auto& function) -> Tensor {
        using F = std::decay_t<decltype(function)>;
        if constexpr (is_straight<F>) {
          return Tensor(unary_gradient(f, x.value(), y.value(), ones_like(y.value())));
        } else {
          // Where x alone was kept it stands for y, which some of the formulas read.
          const bool has_y = function.facts.slope != Slope::of_x;
          if (const auto found = slope(function, x, has_y ? y : elementwise(f, x))) return *found;
          flow.refuse();
        }
      },
      f);
}

}  // namespace gaia
