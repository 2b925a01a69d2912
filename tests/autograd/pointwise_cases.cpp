// SPDX-License-Identifier: MIT
#include "../reference/ops.h"
#include "gradient_check.h"

namespace gaia::test {
namespace {

struct Function {
  std::string name;
  double low;
  double high;
  std::function<Tensor(const Tensor&)> f;
};

std::vector<Function> functions() {
  using T = const Tensor&;
  return {{"leaky_relu 0.3", -2.0, 2.0, [](T x) { return leaky_relu(x, 0.3); }},
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
  std::vector<Function> list = functions();
  for (const UnaryOp& op : unary_ops()) {
    list.push_back({op.name, op.low, op.high, op.named.of_tensor});
  }
  for (const Function& function : list) {
    for (const Form& form : forms()) {
      cases.push_back({function.name + " " + to_string(form.shape) + " " + to_string(form.layout),
                       {draw(form.shape, form.layout, function.low, function.high)},
                       [f = function.f](const Inputs& in) { return f(in[0]); }});
    }
  }
  return cases;
}

}  // namespace gaia::test
