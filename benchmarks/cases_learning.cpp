// SPDX-License-Identifier: MIT
/// \file
/// One plastic layer that learns from a sequence, at every tick.
#include <cmath>
#include <limits>

#include "../src/array/create.h"
#include "../src/array/ops.h"
#include "../src/learning/plasticity.h"
#include "cases.h"
#include "reference.h"

namespace gaia::bench {
namespace {

constexpr std::int64_t kCheckedTicks = 64;

struct LayerSize {
  std::int64_t inputs;
  std::int64_t outputs;
  std::int64_t ticks;
};

Task prepare(const Plasticity& plasticity, const LayerSize& size, DType dtype) {
  const Array x = normal_input({1, size.ticks, size.inputs}, 1, dtype, 0.3);
  // Rows of length about one.
  const Array start = normal_input({size.outputs, size.inputs}, 2, dtype,
                                   1.0 / std::sqrt(static_cast<double>(size.inputs)));
  const Array weights = start.copy();
  const Array memory = ones({size.outputs}, dtype);  // BCM's theta
  const auto reset = [=] {
    weights.assign(start);
    memory.fill(1.0);
  };
  const auto error = [=] {
    const std::int64_t ticks = std::min(kCheckedTicks, size.ticks);
    const Array part = x.slice(1, 0, ticks).copy();
    ReferenceLayer reference{size.inputs,
                             size.outputs,
                             start.to_vector<double>(),
                             std::get<Rule>(plasticity.rule),
                             plasticity.control.normalization,
                             plasticity.control.bound};
    const Doubles wanted = reference.learn(part.to_vector<double>(), ticks);
    reset();
    const Array answers = learn(plasticity, weights, memory, part);
    const double answers_error = relative_error(answers.to_vector<double>(), wanted);
    const double weights_error = relative_error(weights.to_vector<double>(), reference.weights);
    // And nothing runs away on the whole way.
    reset();
    const bool finite = first_not_finite(learn(plasticity, weights, memory, x)) < 0;
    return finite ? std::max(answers_error, weights_error)
                  : std::numeric_limits<double>::infinity();
  };
  return {
      .run = [=] { return learn(plasticity, weights, memory, x); }, .error = error, .reset = reset};
}

}  // namespace

std::vector<Case> learning_cases(bool quick) {
  const std::vector<LayerSize> sizes =
      quick ? std::vector<LayerSize>{{40, 80, 100}}
            : std::vector<LayerSize>{{400, 800, 2500}, {1000, 2000, 2000}};
  // BCM is stable for rate tau |x|^2 below 1.
  const std::vector<PlasticityRule> rules = {HebbRule{.learning_rate = 1e-3},
                                             OjaRule{.learning_rate = 1e-3},
                                             BcmRule{.learning_rate = 1e-4}};
  std::vector<Case> cases;
  for (const LayerSize& size : sizes) {
    for (const DType dtype : {DType::float32, DType::float64}) {
      for (const Normalization normalization :
           {Normalization::none, Normalization::l2, Normalization::max_norm}) {
        for (const PlasticityRule& rule : rules) {
          const Plasticity plasticity{.rule = rule, .control = {.normalization = normalization}};
          std::string name = "plasticity/" + rule_name(rule) + "/" +
                             joined_sizes({size.inputs, size.outputs, size.ticks}) + "/" +
                             to_string(dtype);
          if (normalization != Normalization::none) name += "/" + to_string(normalization);
          cases.push_back(
              {.name = name,
               .prepare = [=](const Arrays&) { return prepare(plasticity, size, dtype); },
               .flops = 4.0 * static_cast<double>(size.inputs * size.outputs) *
                        static_cast<double>(size.ticks),
               .items = static_cast<double>(size.ticks),
               .dtype = dtype,
               .tolerance = dtype == DType::float32 ? 1e-4 : 1e-11});
        }
      }
    }
  }
  return cases;
}

}  // namespace gaia::bench
