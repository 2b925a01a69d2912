// SPDX-License-Identifier: MIT
#include "unary_cases.h"

#include <algorithm>
#include <cmath>

namespace gaia::test {

/// The function that users call by this name.
#define GAIA_NAMED(name) [](const auto& x) { return gaia::name(x); }

std::vector<UnaryCase> unary_cases() {
  const double root_half = std::sqrt(0.5);
  const double root_two_over_pi = std::sqrt(2.0 / std::acos(-1.0));
  return {
      {"negative", Negate{}, GAIA_NAMED(negative), [](double x) { return -x; }, -4, 4},
      {"abs", Abs{}, GAIA_NAMED(abs), [](double x) { return x < 0 ? -x : x; }, -4, 4},
      {"sign", Sign{}, GAIA_NAMED(sign), [](double x) { return x < 0   ? -1.0
                                                               : x > 0 ? 1.0
                                                                       : 0.0; },
       -4, 4},
      {"square", Square{}, GAIA_NAMED(square), [](double x) { return x * x; }, -4, 4},
      {"sqrt", Sqrt{}, GAIA_NAMED(sqrt), [](double x) { return std::sqrt(x); }, 0, 9},
      {"rsqrt", Rsqrt{}, GAIA_NAMED(rsqrt), [](double x) { return 1 / std::sqrt(x); }, 0.125, 9},
      {"reciprocal", Reciprocal{}, GAIA_NAMED(reciprocal), [](double x) { return 1 / x; }, -9,
       -0.125},
      {"exp", Exp{}, GAIA_NAMED(exp), [](double x) { return std::exp(x); }, -9, 9},
      {"exp2", Exp2{}, GAIA_NAMED(exp2), [](double x) { return std::pow(2.0, x); }, -9, 9},
      {"expm1", Expm1{}, GAIA_NAMED(expm1), [](double x) { return std::expm1(x); }, -9, 9},
      {"log", Log{}, GAIA_NAMED(log), [](double x) { return std::log(x); }, 0.125, 9},
      {"log2", Log2{}, GAIA_NAMED(log2), [](double x) { return std::log2(x); }, 0.125, 9},
      {"log10", Log10{}, GAIA_NAMED(log10), [](double x) { return std::log10(x); }, 0.125, 9},
      {"log1p", Log1p{}, GAIA_NAMED(log1p), [](double x) { return std::log1p(x); }, -0.875, 9},
      {"floor", Floor{}, GAIA_NAMED(floor), [](double x) { return std::floor(x); }},
      {"ceil", Ceil{}, GAIA_NAMED(ceil), [](double x) { return std::ceil(x); }},
      {"round", Round{}, GAIA_NAMED(round), [](double x) { return x - std::remainder(x, 1.0); }},
      {"trunc", Trunc{}, GAIA_NAMED(trunc), [](double x) { return x - std::fmod(x, 1.0); }},
      {"clip", Clip{-1.5, 2.5}, [](const auto& x) { return clip(x, -1.5, 2.5); },
       [](double x) { return std::max(-1.5, std::min(2.5, x)); }},
      {"sin", Sin{}, GAIA_NAMED(sin), [](double x) { return std::sin(x); }},
      {"cos", Cos{}, GAIA_NAMED(cos), [](double x) { return std::cos(x); }},
      {"tan", Tan{}, GAIA_NAMED(tan), [](double x) { return std::tan(x); }, -1.5, 1.5},
      {"arcsin", Arcsin{}, GAIA_NAMED(arcsin), [](double x) { return std::asin(x); }, -0.99, 0.99},
      {"arccos", Arccos{}, GAIA_NAMED(arccos), [](double x) { return std::acos(x); }, -0.99, 0.99},
      {"arctan", Arctan{}, GAIA_NAMED(arctan), [](double x) { return std::atan(x); }},
      {"sinh", Sinh{}, GAIA_NAMED(sinh), [](double x) { return std::sinh(x); }},
      {"cosh", Cosh{}, GAIA_NAMED(cosh), [](double x) { return std::cosh(x); }},
      {"tanh", Tanh{}, GAIA_NAMED(tanh), [](double x) { return std::tanh(x); }},
      {"arcsinh", Arcsinh{}, GAIA_NAMED(arcsinh), [](double x) { return std::asinh(x); }},
      {"arccosh", Arccosh{}, GAIA_NAMED(arccosh), [](double x) { return std::acosh(x); }, 1.125, 9},
      {"arctanh", Arctanh{}, GAIA_NAMED(arctanh), [](double x) { return std::atanh(x); }, -0.99,
       0.99},
      {"erf", Erf{}, GAIA_NAMED(erf), [](double x) { return std::erf(x); }},
      {"erfc", Erfc{}, GAIA_NAMED(erfc), [](double x) { return std::erfc(x); }},
      {"sigmoid", Sigmoid{}, GAIA_NAMED(sigmoid), [](double x) { return 1 / (1 + std::exp(-x)); },
       -20, 20},
      {"relu", Relu{}, GAIA_NAMED(relu), [](double x) { return x > 0 ? x : 0.0; }},
      {"leaky_relu", LeakyRelu{0.25}, [](const auto& x) { return leaky_relu(x, 0.25); },
       [](double x) { return x > 0 ? x : 0.25 * x; }},
      {"log_sigmoid", LogSigmoid{}, GAIA_NAMED(log_sigmoid),
       [](double x) { return -std::log1p(std::exp(-x)); }, -20, 20},
      {"elu", Elu{0.75}, [](const auto& x) { return elu(x, 0.75); },
       [](double x) { return x > 0 ? x : 0.75 * std::expm1(x); }},
      {"selu", Selu{}, GAIA_NAMED(selu),
       [](double x) {
         return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x));
       }},
      {"softplus", Softplus{2.0, 6.0}, [](const auto& x) { return softplus(x, 2.0, 6.0); },
       [](double x) { return 2 * x > 6 ? x : std::log1p(std::exp(2 * x)) / 2; }},
      {"silu", Silu{}, GAIA_NAMED(silu), [](double x) { return x / (1 + std::exp(-x)); }, -20, 20},
      {"mish", Mish{}, GAIA_NAMED(mish),
       [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }, -20, 20},
      {"hardswish", HardSwish{}, GAIA_NAMED(hardswish),
       [](double x) { return x * std::min(std::max(x + 3, 0.0), 6.0) / 6; }},
      {"gelu", GeluTanh{}, GAIA_NAMED(gelu),
       [=](double x) {
         return x / (1 + std::exp(-2 * root_two_over_pi * (x + 0.044715 * x * x * x)));
       },
       -8, 8},
      {"gelu, exact", GeluExact{}, [](const auto& x) { return gelu(x, GeluForm::exact); },
       [=](double x) { return 0.5 * x * std::erfc(-x * root_half); }, -8, 8}};
}

#undef GAIA_NAMED

std::function<double(double)> reference_of(const std::string& name) {
  for (const UnaryCase& c : unary_cases()) {
    if (c.name == name) return c.reference;
  }
  throw InternalError("[reference_of] no case is named '" + name + "'");
}

}  // namespace gaia::test
