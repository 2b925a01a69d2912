// SPDX-License-Identifier: MIT
#include "ops.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "../../src/core/error.h"
#include "../support/special_numbers.h"

namespace gaia::test {
namespace {

using Numbers = std::vector<long double>;

long double total(const Numbers& x, const std::function<long double(long double)>& term) {
  long double sum = 0;
  for (const long double v : x) sum += term(v);
  return sum;
}

long double mean_of(const Numbers& x) {
  return total(x, [](long double v) { return v; }) / static_cast<long double>(x.size());
}

long double variance(const Numbers& x, std::int64_t ddof) {
  const auto n = static_cast<long double>(x.size());
  const long double mean = mean_of(x);
  const long double squares = total(x, [=](long double v) { return (v - mean) * (v - mean); });
  return squares / std::max(n - static_cast<long double>(ddof), 0.0L);
}

/// Integers divided by 0 give 0; floating-point numbers are not asked.
template <class T>
T floor_quotient(T a, T b) {
  return b == 0 ? 0 : std::floor(a / b);
}

}  // namespace

// A row of the table: name, functor, formula of x, and the rest; under another name, with settings.
#define GAIA_OP(name, Functor, formula, ...)                      \
  {#name, Functor{}, [](const auto& x) { return gaia::name(x); }, \
   []<class T>(T x) -> T { return formula; } __VA_OPT__(, __VA_ARGS__)}
#define GAIA_OP_WITH(name, functor, call, formula, ...) \
  {name, functor, [](const auto& x) { return call; },   \
   []<class T>(T x) -> T { return formula; } __VA_OPT__(, __VA_ARGS__)}

std::vector<UnaryOp> unary_ops() {
  return {
      GAIA_OP(negative, Negate, -x),
      GAIA_OP(abs, Abs, x < 0 ? -x : x),
      GAIA_OP(sign, Sign,
              x < 0   ? -1
              : x > 0 ? 1
                      : 0),
      GAIA_OP(square, Square, x * x),
      GAIA_OP(sqrt, Sqrt, std::sqrt(x), 0, 9, {{0, 100, 0.501}}),
      GAIA_OP(rsqrt, Rsqrt, 1 / std::sqrt(x), 0.125, 9),
      GAIA_OP(reciprocal, Reciprocal, 1 / x, -9, -0.125),
      GAIA_OP(exp, Exp, std::exp(x), -9, 9, {{-87, 88}}),
      GAIA_OP(exp2, Exp2, std::pow(T(2.0), x), -9, 9, {{-125, 127}}),
      GAIA_OP(expm1, Expm1, std::expm1(x), -9, 9, {{-40, 88}}),
      GAIA_OP(log, Log, std::log(x), 0.125, 9, {{1e-30, 1e4}, {0.6, 1.5}}),
      GAIA_OP(log2, Log2, std::log2(x), 0.125, 9, {{1e-30, 4}, {0.6, 1.5}}),
      GAIA_OP(log10, Log10, std::log10(x), 0.125, 9, {{1e-30, 4}, {0.6, 1.5}}),
      GAIA_OP(log1p, Log1p, std::log1p(x), -0.875, 9, {{-0.999, 1e4}, {-0.5, 1}}),
      GAIA_OP(floor, Floor, std::floor(x)),
      GAIA_OP(ceil, Ceil, std::ceil(x)),
      GAIA_OP(round, Round, x - std::remainder(x, T(1.0))),
      GAIA_OP(trunc, Trunc, x - std::fmod(x, T(1.0))),
      GAIA_OP_WITH("clip", (Clip{-1.5, 2.5}), clip(x, -1.5, 2.5),
                   std::max(T(-1.5), std::min(T(2.5), x))),
      GAIA_OP(sin, Sin, std::sin(x), -4, 4, {{-50, 50}, {-1e30, 1e30}}),
      GAIA_OP(cos, Cos, std::cos(x), -4, 4, {{-50, 50}, {-1e30, 1e30}}),
      GAIA_OP(tan, Tan, std::tan(x), -1.5, 1.5, {{-50, 50}, {-1e30, 1e30}}),
      GAIA_OP(arcsin, Arcsin, std::asin(x), -0.99, 0.99, {{-1, 1}}),
      GAIA_OP(arccos, Arccos, std::acos(x), -0.99, 0.99, {{-1, 1}}),
      GAIA_OP(arctan, Arctan, std::atan(x), -4, 4, {{-20, 20}, {-1e30, 1e30}}),
      GAIA_OP(sinh, Sinh, std::sinh(x), -4, 4, {{-2, 2}, {-12, 12}, {-89, 89}}),
      GAIA_OP(cosh, Cosh, std::cosh(x), -4, 4, {{-2, 2}, {-12, 12}, {-89, 89}}),
      GAIA_OP(tanh, Tanh, std::tanh(x), -4, 4, {{-30, 30}}),
      GAIA_OP(arcsinh, Arcsinh, std::asinh(x), -4, 4, {{-4, 4}, {-0.6, 0.6}, {-1e30, 1e30}}),
      GAIA_OP(arccosh, Arccosh, std::acosh(x), 1.125, 9, {{1, 4}, {1, 1.1}, {1, 1e30}}),
      GAIA_OP(arctanh, Arctanh, std::atanh(x), -0.99, 0.99, {{-1, 1}}),
      GAIA_OP(erf, Erf, std::erf(x), -4, 4, {{-30, 30}, {-1, 1}, {-6.1, 6.1}}),
      GAIA_OP(erfc, Erfc, std::erfc(x), -4, 4, {{-10, 28, 4}}),
      GAIA_OP(sigmoid, Sigmoid, 1 / (1 + std::exp(-x)), -20, 20),
      GAIA_OP(relu, Relu, x > 0 ? x : 0),
      GAIA_OP_WITH("leaky_relu", LeakyRelu{0.25}, leaky_relu(x, 0.25), x > 0 ? x : T(0.25) * x),
      GAIA_OP(log_sigmoid, LogSigmoid, -std::log1p(std::exp(-x)), -20, 20),
      GAIA_OP_WITH("elu", Elu{0.75}, elu(x, 0.75), x > 0 ? x : T(0.75) * std::expm1(x)),
      GAIA_OP(selu, Selu, 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x))),
      GAIA_OP_WITH("softplus", (Softplus{2.0, 6.0}), softplus(x, 2.0, 6.0),
                   2 * x > 6 ? x : std::log1p(std::exp(2 * x)) / 2),
      GAIA_OP(silu, Silu, x / (1 + std::exp(-x)), -20, 20),
      GAIA_OP(mish, Mish, x * std::tanh(std::log1p(std::exp(x))), -20, 20),
      GAIA_OP(hardswish, HardSwish, x * std::min(std::max(x + 3, T(0.0)), T(6.0)) / 6),
      GAIA_OP(
          gelu, GeluTanh,
          x / (1 + std::exp(-2 * std::sqrt(2 / std::acos(T(-1.0))) * (x + 0.044715 * x * x * x))),
          -8, 8, {}, 1),
      GAIA_OP_WITH("gelu, exact", GeluExact{}, gelu(x, GeluForm::exact),
                   T(0.5) * x * std::erfc(-x * std::sqrt(T(0.5))), -8, 8, {}, 1)};
}

#undef GAIA_OP
#define GAIA_OP(name, Functor, formula, ...)                                        \
  {#name, Functor{}, [](const auto& a, const auto& b) { return gaia::name(a, b); }, \
   []<class T>(T a, T b) -> T { return formula; } __VA_OPT__(, __VA_ARGS__)}

std::vector<BinaryOp> binary_ops() {
  const std::vector<BinaryOp::Span> of_powers = {{0, 9, -30, 30},
                                                 {0.99, 1.01, -8000, 8000},
                                                 {1.005, 1.025, -5600, 5600},
                                                 {0.7, 1.42, -240, 240},
                                                 {0, 1e30, -11, 11}};
  return {GAIA_OP(add, Add, a + b),
          GAIA_OP(subtract, Subtract, a - b),
          GAIA_OP(multiply, Multiply, a * b),
          GAIA_OP(divide, Divide, a / b, 0.5, 3, false),
          GAIA_OP(maximum, Maximum, a < b ? b : a),
          GAIA_OP(minimum, Minimum, a < b ? a : b),
          GAIA_OP(floor_divide, FloorDivide, floor_quotient(a, b), 0.5, 3),
          GAIA_OP(remainder, Remainder, b == 0 ? 0 : a - b * floor_quotient(a, b), 0.5, 3, true, 8),
          GAIA_OP(fmod, Fmod, b == 0 ? 0 : std::fmod(a, b), 0.5, 3),
          GAIA_OP(power, Power, std::pow(a, b), 0.5, 2, false, 4, of_powers),
          GAIA_OP(arctan2, Arctan2, std::atan2(a, b), 0.3, 2, false, 4, {{-3, 3, -3, 3}}),
          GAIA_OP(hypot, Hypot, std::hypot(a, b), 0.3, 2, false, 4, {{-3, 3, -3, 3}}),
          GAIA_OP(logaddexp, LogAddExp, std::log(std::exp(a) + std::exp(b)), -2, 2, false, 8),
          {"weighted_sum", WeightedSum{2.0, -4.0, 2, -4},
           [](const auto& a, const auto& b) { return weighted_sum(2, a, -4, b); },
           []<class T>(T a, T b) -> T { return 2 * a - 4 * b; }}};
}

#undef GAIA_OP
#undef GAIA_OP_WITH

std::vector<ComparisonOp> comparison_ops() {
  return {
      {"equal", Equal{}, equal, [](double a, double b) { return a == b; }},
      {"not_equal", NotEqual{}, not_equal, [](double a, double b) { return a != b; }},
      {"less", Less{}, less, [](double a, double b) { return a < b; }},
      {"less_equal", LessEqual{}, less_equal, [](double a, double b) { return a <= b; }},
      {"logical_and", LogicalAnd{}, logical_and,
       [](double a, double b) { return a != 0 && b != 0; }},
      {"logical_or", LogicalOr{}, logical_or, [](double a, double b) { return a != 0 || b != 0; }},
      {"logical_xor", LogicalXor{}, logical_xor,
       [](double a, double b) { return (a != 0) != (b != 0); }}};
}

std::vector<ReductionOp> reduction_ops() {
  using A = const Array&;
  using X = const Axes&;
  using N = const Numbers&;
  return {
      {"sum", [](const auto& x, X a, bool k) { return sum(x, a, k); },
       [](N x) { return total(x, [](long double v) { return v; }); }},
      {"mean", [](const auto& x, X a, bool k) { return mean(x, a, k); }, mean_of},
      {"max", [](const auto& x, X a, bool k) { return max(x, a, k); },
       [](N x) { return *std::max_element(x.begin(), x.end()); }, false, false},
      {"min", [](const auto& x, X a, bool k) { return min(x, a, k); },
       [](N x) { return *std::min_element(x.begin(), x.end()); }, false, false},
      {"prod", [](const auto& x, X a, bool k) { return prod(x, a, k); },
       [](N x) { return std::accumulate(x.begin(), x.end(), 1.0L, std::multiplies<>()); }},
      {"var", [](const auto& x, X a, bool k) { return var(x, a, 0, k); },
       [](N x) { return variance(x, 0); }},
      {"var of a sample", [](A x, X a, bool k) { return var(x, a, 1, k); },
       [](N x) { return variance(x, 1); }},
      {"std", [](const auto& x, X a, bool k) { return gaia::std(x, a, 0, k); },
       [](N x) { return std::sqrt(variance(x, 0)); }, true, false},
      {"logsumexp", [](const auto& x, X a, bool k) { return logsumexp(x, a, k); },
       [](N x) { return std::log(total(x, [](long double v) { return std::exp(v); })); }},
      {"norm", [](const auto& x, X a, bool k) { return norm(x, a, k); },
       [](N x) { return std::sqrt(total(x, [](long double v) { return v * v; })); }},
      {"norm of order 1", [](const auto& x, X a, bool k) { return norm(x, a, k, 1); },
       [](N x) { return total(x, [](long double v) { return std::abs(v); }); }},
      {"norm of order 3", [](const auto& x, X a, bool k) { return norm(x, a, k, 3); },
       [](N x) { return std::cbrt(total(x, [](long double v) { return std::abs(v * v * v); })); }},
      {"largest norm", [](const auto& x, X a, bool k) { return norm(x, a, k, kInfinity); },
       [](N x) {
         long double largest = 0;
         for (const long double v : x) largest = std::max(largest, std::abs(v));
         return largest;
       },
       false, false},
      {"any", [](A x, X a, bool k) { return any(x > 2, a, k); },
       [](N x) { return total(x, [](long double v) { return v > 2; }) > 0 ? 1.0L : 0.0L; }},
      {"all", [](A x, X a, bool k) { return all(x < 2, a, k); },
       [](N x) { return total(x, [](long double v) { return v >= 2; }) > 0 ? 0.0L : 1.0L; }},
      {"count_nonzero", [](A x, X a, bool k) { return count_nonzero(x, a, k); },
       [](N x) { return total(x, [](long double v) { return v != 0; }); }},
  };
}

UnaryOp unary_op(const std::string& name) {
  for (const UnaryOp& op : unary_ops()) {
    if (op.name == name) return op;
  }
  throw InternalError("[unary_op] no operation is named '" + name + "'");
}

}  // namespace gaia::test
