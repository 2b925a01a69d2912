// SPDX-License-Identifier: MIT
/// \file
/// Gradients through plasticity against central differences: 500 layers of random sizes, windows,
/// rules and parameters, by everything that a window reads.
#include <random>

#include "../../../src/array/ops.h"
#include "../../../src/array/random_arrays.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/layers/network/differentiable_plasticity.h"
#include "../../support/catch.h"
#include "../../support/module_gradients.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// All that a window answers, as a function of all that it reads, in a row: x, drive, H before.
class WholeWindow final : public Module {
 public:
  WholeWindow(std::shared_ptr<DifferentiablePlasticity> layer, std::int64_t batch,
              std::int64_t steps, std::int64_t inputs, std::int64_t outputs)
      : layer_(std::move(layer)),
        x_{batch, steps, inputs},
        drive_{batch, steps, outputs},
        plastic_{batch, outputs, inputs} {
    add("layer", layer_);
  }
  std::string type() const override { return "whole window"; }
  std::int64_t numbers() const {
    return count_elements(x_) + count_elements(drive_) + count_elements(plastic_);
  }
  Tensor forward(const Tensor& row) override {
    std::int64_t at = 0;
    const auto next = [&](const Shape& shape) {
      const std::int64_t first = at;
      at += count_elements(shape);
      return reshape(slice(row, 0, first, at), shape);
    };
    const Tensor x = next(x_);
    const Tensor drive = next(drive_);
    const PlasticWindowResult result = layer_->run(x, {.plastic = next(plastic_), .drive = drive});
    return concatenate({reshape(result.sequence, {-1}), reshape(result.plastic, {-1})});
  }

 private:
  std::shared_ptr<DifferentiablePlasticity> layer_;
  Shape x_, drive_, plastic_;
};

using AnyRule = std::variant<DifferentiableRule, EquationRule>;

/// Rules by their names, and texts that between them read all that a text may.
std::vector<AnyRule> rules() {
  const auto text = [](const char* equations, std::vector<std::pair<std::string, double>> numbers,
                       EquationRuleOptions options = {}) {
    options.parameters = std::move(numbers);
    return EquationRule(equations, options);
  };
  return {
      DifferentiableRule::hebbian,
      DifferentiableRule::oja,
      DifferentiableRule::abcd,
      text("dw = rate*y*(x - y*w) - decay*w", {{"rate", 0.2}, {"decay", 0.1}}),
      text("theta = theta + (y^2 - theta)/tau\ndw = rate*y*(y - theta)*x",
           {{"rate", 0.2}, {"tau", 3.0}}, {.memory = {{"theta", 0.3}}}),
      text("post = exp(-1/tau)*post + y\ndw = rate*(y*pre - share*post*x)",
           {{"rate", 0.2}, {"share", 0.7}, {"tau", 2.5}}, {.traces = {{"pre", "tau"}}}),
      text("de = y*x - e/tau\ndw = rate*(1 - y)*e", {{"rate", 0.3}, {"tau", 2.0}}),
      text("dw = rate*y*(x - back(y))", {{"rate", 0.2}}),
      text("dw = rate*y*(x - back_upto(y))", {{"rate", 0.2}}),
      text("y = softmax(z/heat)\ndw = rate*y*(x - z*w)", {{"rate", 0.2}, {"heat", 0.7}}),
      text("y = kwta(z, 1)\ndw = rate*(y + winner(z))*(x - w)", {{"rate", 0.3}}),
      text("y = where(z > 0 and not (z > 40), tanh(z), slope*z)\n"
           "dw = rate*sigmoid(y*x)*exp(-w^2)/(1 + abs(w))",
           {{"rate", 0.3}, {"slope", 0.2}}),
      text("far = largest(z) - smallest(z) + mean(z) - sum(z)/n_out\n"
           "dw = rate*(max(x, w) - min(y, 0.3))*sqrt(far^2 + 1)*log(xx + 2)/(t + 1 + ww) - "
           "relu(w)/9",
           {{"rate", 0.2}}),
  };
}

Array drawn(const Shape& shape, std::uint64_t stream) {
  return random_normal(shape, 0.0, 0.8, DType::float64, {21, stream});
}

}  // namespace

TEST_CASE("500 gradients through plasticity agree with central differences") {
  const std::vector<AnyRule> all = rules();
  std::mt19937_64 engine(4);
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(engine);
  };
  for (int index = 0; index < 500; ++index) {
    // Half of the cases have rules by their names.
    const std::size_t which = index % 2 == 0
                                  ? static_cast<std::size_t>(draw(0, 2))
                                  : static_cast<std::size_t>(draw(3, std::ssize(all) - 1));
    const std::int64_t batch = draw(1, 2);
    const std::int64_t steps = draw(1, 4);
    const std::int64_t inputs = draw(1, 3);
    const std::int64_t outputs = draw(1, 3);
    const auto sharing = [&] { return static_cast<PlasticSharing>(draw(0, 2)); };
    DifferentiablePlasticityOptions options{
        .rule = all[which],
        .alpha = {.start = 0.0, .sharing = sharing()},
        .activation = std::vector{Activation::linear, Activation::tanh, Activation::sigmoid,
                                  Activation::softmax,
                                  Activation::gelu}[static_cast<std::size_t>(draw(0, 4))],
        .bias = draw(0, 1) == 1,
        .dtype = DType::float64,
        .random = {21, static_cast<std::uint64_t>(index)}};
    if (which < 3) {
      for (const std::string& name : parameter_names(static_cast<DifferentiableRule>(which))) {
        options.parameters[name] = {.start = 0.25, .sharing = sharing()};
      }
    } else {
      options.parameters["rate"] = {.sharing = sharing()};
    }
    const auto layer = std::make_shared<DifferentiablePlasticity>(inputs, outputs, options);
    // Every number of the rule moves from where it starts, each by its own.
    std::uint64_t stream = 1000 * static_cast<std::uint64_t>(index);
    for (const auto& [name, value] : layer->named_parameters()) {
      const Array move = drawn(value.shape(), ++stream);
      value.value().assign(name.starts_with("rule.") ? value.value() * (1.0 + 0.3 * move)
                                                     : value.value() + move);
    }
    WholeWindow window(layer, batch, steps, inputs, outputs);
    INFO("case " << index << ", rule " << which << ", activation " << to_string(options.activation)
                 << ", batch " << batch << ", steps " << steps << ", inputs " << inputs
                 << ", outputs " << outputs);
    REQUIRE(gradient_complaint(window, drawn({window.numbers()}, ++stream)) == "");
  }
}
