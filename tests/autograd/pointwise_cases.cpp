// SPDX-License-Identifier: MIT
#include "gradient_check.h"

namespace gaia::test {
namespace {

struct Function {
  std::string name;
  double low;
  double high;
  std::function<Tensor(const Tensor&)> f;
};

#define GAIA_FUNCTION(name, low, high)                        \
  Function {                                                  \
#name, low, high, [](const Tensor& x) { return name(x); } \
  }

std::vector<Function> functions() {
  using T = const Tensor&;
  return {GAIA_FUNCTION(negative, -2.0, 2.0),
          GAIA_FUNCTION(abs, -2.0, 2.0),
          GAIA_FUNCTION(sign, -2.0, 2.0),
          GAIA_FUNCTION(square, -2.0, 2.0),
          GAIA_FUNCTION(sqrt, 0.5, 3.0),
          GAIA_FUNCTION(rsqrt, 0.5, 3.0),
          GAIA_FUNCTION(reciprocal, 0.5, 3.0),
          GAIA_FUNCTION(exp, -2.0, 2.0),
          GAIA_FUNCTION(exp2, -2.0, 2.0),
          GAIA_FUNCTION(expm1, -2.0, 2.0),
          GAIA_FUNCTION(log, 0.5, 3.0),
          GAIA_FUNCTION(log2, 0.5, 3.0),
          GAIA_FUNCTION(log10, 0.5, 3.0),
          GAIA_FUNCTION(log1p, -0.5, 3.0),
          GAIA_FUNCTION(floor, 0.1, 0.9),
          GAIA_FUNCTION(ceil, 0.1, 0.9),
          GAIA_FUNCTION(round, 0.6, 1.4),
          GAIA_FUNCTION(trunc, 0.1, 0.9),
          GAIA_FUNCTION(sin, -4.0, 4.0),
          GAIA_FUNCTION(cos, -4.0, 4.0),
          GAIA_FUNCTION(tan, -1.2, 1.2),
          GAIA_FUNCTION(arcsin, -0.9, 0.9),
          GAIA_FUNCTION(arccos, -0.9, 0.9),
          GAIA_FUNCTION(arctan, -3.0, 3.0),
          GAIA_FUNCTION(sinh, -2.0, 2.0),
          GAIA_FUNCTION(cosh, -2.0, 2.0),
          GAIA_FUNCTION(tanh, -3.0, 3.0),
          GAIA_FUNCTION(arcsinh, -3.0, 3.0),
          GAIA_FUNCTION(arccosh, 1.2, 4.0),
          GAIA_FUNCTION(arctanh, -0.9, 0.9),
          GAIA_FUNCTION(erf, -2.0, 2.0),
          GAIA_FUNCTION(erfc, -2.0, 2.0),
          GAIA_FUNCTION(sigmoid, -4.0, 4.0),
          GAIA_FUNCTION(log_sigmoid, -4.0, 4.0),
          GAIA_FUNCTION(relu, -2.0, 2.0),
          GAIA_FUNCTION(leaky_relu, -2.0, 2.0),
          GAIA_FUNCTION(elu, -2.0, 2.0),
          GAIA_FUNCTION(selu, -2.0, 2.0),
          GAIA_FUNCTION(softplus, -4.0, 4.0),
          GAIA_FUNCTION(silu, -4.0, 4.0),
          GAIA_FUNCTION(gelu, -3.0, 3.0),
          {"gelu exact", -3.0, 3.0, [](T x) { return gelu(x, GeluForm::exact); }},
          {"leaky_relu 0.3", -2.0, 2.0, [](T x) { return leaky_relu(x, 0.3); }},
          {"elu 0.7", -2.0, 2.0, [](T x) { return elu(x, 0.7); }},
          {"softplus 2", -4.0, 4.0, [](T x) { return softplus(x, 2.0); }},
          {"clip", -2.0, 2.0, [](T x) { return clip(x, -1.0, 1.0); }},
          {"clip below", -2.0, 2.0, [](T x) { return clip(x, {}, 1.0); }},
          {"clip above", -2.0, 2.0, [](T x) { return clip(x, -1, {}); }},
          {"round to tenths", 0.11, 0.14, [](T x) { return round(x, 1); }},
          {"maximum with 0", -2.0, 2.0, [](T x) { return maximum(x, 0.0); }},
          {"minimum with 1", -2.0, 2.0, [](T x) { return minimum(x, 1); }},
          {"where number", -2.0, 2.0, [](T x) { return where(less(x.value(), 0.0), x, 2.0); }},
          {"number where", -2.0, 2.0, [](T x) { return where(less(x.value(), 0.0), 2.0, x); }},
          {"activate tanh", -2.0, 2.0, [](T x) { return activate(Activation::tanh, x); }},
          {"activate gelu", -2.0, 2.0, [](T x) { return activate(Activation::gelu, x); }},
          {"activate linear", -2.0, 2.0, [](T x) { return activate(Activation::linear, x); }},
          {"x + 2", -2.0, 2.0, [](T x) { return x + 2.0; }},
          {"2 + x", -2.0, 2.0, [](T x) { return 2 + x; }},
          {"x - 2", -2.0, 2.0, [](T x) { return x - 2; }},
          {"2 - x", -2.0, 2.0, [](T x) { return 2.0 - x; }},
          {"x * 3", -2.0, 2.0, [](T x) { return x * 3.0; }},
          {"3 * x", -2.0, 2.0, [](T x) { return 3 * x; }},
          {"x / 3", -2.0, 2.0, [](T x) { return x / 3; }},
          {"3 / x", 0.5, 3.0, [](T x) { return 3.0 / x; }},
          {"x ^ 2.5", 0.5, 3.0, [](T x) { return power(x, 2.5); }},
          {"x ^ 3", -2.0, 2.0, [](T x) { return power(x, 3); }},
          {"x ^ 0", -2.0, 2.0, [](T x) { return power(x, 0); }},
          {"x ^ -1", 0.5, 2.0, [](T x) { return power(x, -1.0); }},
          {"1.5 ^ x", -2.0, 2.0, [](T x) { return power(1.5, x); }},
          {"-x", -2.0, 2.0, [](T x) { return -x; }},
          {"x * x", -2.0, 2.0, [](T x) { return x * x; }},
          {"x / x^2", 0.5, 2.0, [](T x) { return x / square(x); }},
          {"tanh(x) + x sin(x)", -2.0, 2.0, [](T x) { return tanh(x) + x * sin(x); }}};
}

}  // namespace

std::vector<GradientCase> pointwise_cases() {
  Draw draw(1);
  std::vector<GradientCase> cases;
  for (const Function& function : functions()) {
    for (const Form& form : forms()) {
      cases.push_back({function.name + " " + to_string(form.shape) + " " + to_string(form.layout),
                       {draw(form.shape, form.layout, function.low, function.high)},
                       [f = function.f](const Inputs& in) { return f(in[0]); }});
    }
  }
  return cases;
}

}  // namespace gaia::test
