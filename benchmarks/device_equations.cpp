// SPDX-License-Identifier: MIT
/// \file
/// Layers that learn by rules that are written as equations: one of each way in which a GPU runs
/// them.
#include <memory>
#include <string>

#include "../src/array/random_arrays.h"
#include "../src/layers/hierarchy/hebbian.h"
#include "cases.h"

namespace gaia::bench {
namespace {

struct WrittenRule {
  const char* name;
  const char* equations;
};

constexpr WrittenRule kWrittenRules[] = {
    {"oja", "dw = rate*y*(x - y*w)"},
    {"soft_bounds", "dw = rate*y*x*w*(1 - w)"},             // weight by weight
    {"softhebb", "y = softmax(z)\ndw = rate*y*(x - z*w)"},  // neurons see each other
    {"oja_subspace", "dw = rate*y*(x - back(y))"},          // and the weights of the others
    {"sanger", "dw = rate*y*(x - back_upto(y))"},           // of those up to each
};

Case equation_case(const WrittenRule& rule, std::int64_t inputs, std::int64_t outputs,
                   std::int64_t steps) {
  return {
      .name = std::string("equations/") + rule.name + "/" + joined_sizes({inputs, outputs}) +
              "/steps:" + std::to_string(steps),
      .what = "the answers of one layer that learns by equations",
      .inputs =
          [=] {
            return Arrays{random_normal({1, steps, inputs}, 0.0, 0.3, DType::float32, {42, 1002})};
          },
      .prepare = [=](const Arrays& x) -> Task {
        const auto layer = std::make_shared<HebbianLayer>(
            inputs, outputs,
            HebbianOptions{.rule = EquationRule(rule.equations, {.parameters = {{"rate", 1e-4}}}),
                           .random = {42, 0}});
        return {.run = [layer, data = x[0]] { return layer->process(data, true); }};
      },
      .flops = 4.0 * number(inputs * outputs) * number(steps),
      .tolerance = 1e-3};
}

/// Oja's rule by its functor, for the price of the text.
Case built_in_case(std::int64_t inputs, std::int64_t outputs, std::int64_t steps) {
  Case made = equation_case(kWrittenRules[0], inputs, outputs, steps);
  made.name = "equations/oja_built_in/" + joined_sizes({inputs, outputs}) +
              "/steps:" + std::to_string(steps);
  made.what = "the answers of one layer that learns by Oja's rule itself";
  made.prepare = [=](const Arrays& x) -> Task {
    const auto layer = std::make_shared<HebbianLayer>(
        inputs, outputs, HebbianOptions{.rule = OjaRule{.learning_rate = 1e-4}, .random = {42, 0}});
    return {.run = [layer, data = x[0]] { return layer->process(data, true); }};
  };
  return made;
}

/// Layers under one text, which a GPU takes at once.
Case equation_replicas(const WrittenRule& rule, std::int64_t inputs, std::int64_t outputs,
                       std::int64_t steps, std::int64_t replicas) {
  Case made = equation_case(rule, inputs, outputs, steps);
  made.name += "/replicas:" + std::to_string(replicas);
  made.what = "the answers of layers side by side that learn by equations";
  made.inputs = [=] {
    return Arrays{random_normal({replicas, steps, inputs}, 0.0, 0.3, DType::float32, {42, 1002})};
  };
  made.prepare = [=](const Arrays& x) -> Task {
    const auto layers = std::make_shared<std::vector<HebbianLayer>>();
    for (std::int64_t r = 0; r < replicas; ++r) {
      layers->emplace_back(
          inputs, outputs,
          HebbianOptions{.rule = EquationRule(rule.equations, {.parameters = {{"rate", 1e-4}}}),
                         .random = {42, static_cast<std::uint64_t>(r)}});
    }
    return {.run = [layers, data = x[0]] {
      std::vector<Layer*> all;
      for (HebbianLayer& layer : *layers) all.push_back(&layer);
      return layers->front().process_replicas(all, data, true);
    }};
  };
  made.flops *= number(replicas);
  return made;
}

}  // namespace

std::vector<Case> device_equation_cases(bool quick) {
  std::vector<Case> cases = {quick ? built_in_case(60, 40, 100) : built_in_case(784, 400, 1000)};
  for (const WrittenRule& rule : kWrittenRules) {
    cases.push_back(quick ? equation_case(rule, 60, 40, 100) : equation_case(rule, 784, 400, 1000));
  }
  const WrittenRule& softhebb = kWrittenRules[2];
  cases.push_back(quick ? equation_replicas(softhebb, 60, 40, 100, 4)
                        : equation_replicas(softhebb, 784, 400, 1000, 64));
  if (!quick) cases.push_back(equation_case(kWrittenRules[0], 4096, 1024, 500));  // by its size
  return cases;
}

}  // namespace gaia::bench
