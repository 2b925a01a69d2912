// SPDX-License-Identifier: MIT
/// \file
/// How the cost of a layer that learns grows: with its size, with the length of the series, and
/// with the number of streams.
#include <algorithm>
#include <cmath>

#include "../src/array/create.h"
#include "../src/learning/plasticity.h"
#include "cases.h"

namespace gaia::bench {
namespace {

struct Size {
  std::int64_t streams;
  std::int64_t inputs;
  std::int64_t outputs;
  std::int64_t ticks;
};

/// What a layer answers, and its weights after that, one behind the other.
struct Learnt {
  std::vector<double> numbers;

  Learnt(const Plasticity& plasticity, const Array& start, const Array& samples) {
    const Array weights = start.copy();
    const Array memory = ones({start.shape(0)}, start.dtype());
    numbers = learn(plasticity, weights, memory, samples).to_vector<double>();
    const std::vector<double> after = weights.to_vector<double>();
    numbers.insert(numbers.end(), after.begin(), after.end());
  }
};

Task prepare(const Plasticity& plasticity, const Size& size) {
  const Array x = normal_input({size.streams, size.ticks, size.inputs}, 1, DType::float32, 0.3);
  const Array start = normal_input({size.outputs, size.inputs}, 2, DType::float32,
                                   1.0 / std::sqrt(static_cast<double>(size.inputs)));
  const Array weights = start.copy();
  const Array memory = ones({size.outputs}, DType::float32);
  const auto error = [=] {
    const Array part = x.slice(1, 0, std::min<std::int64_t>(size.ticks, 64)).copy();
    Plasticity by_definition = plasticity;
    by_definition.executor = Executor::stepwise;
    return relative_error(
        Learnt(plasticity, start, part).numbers,
        Learnt(by_definition, start.astype(DType::float64), part.astype(DType::float64)).numbers);
  };
  return {.run = [=] { return learn(plasticity, weights, memory, x); },
          .error = error,
          .reset = [=] { weights.assign(start); }};
}

}  // namespace

std::vector<Case> growth_cases(bool quick) {
  std::vector<Size> sizes;
  const auto add = [&](const Size& size) { sizes.push_back(size); };
  for (std::int64_t n = 16; n <= (quick ? 32 : 2048); n *= 2) add({1, n, n, quick ? 100 : 2000});
  for (std::int64_t t = 10; t <= (quick ? 100 : 100000); t *= 10) add({1, 200, 200, t});
  for (std::int64_t b = 1; b <= (quick ? 4 : 256); b *= 2) add({b, 400, 400, quick ? 20 : 256});
  const Plasticity plasticity{.rule = OjaRule{.learning_rate = 1e-3},
                              .control = {.normalization = Normalization::l2}};
  std::vector<Case> cases;
  for (const Size& size : sizes) {
    const auto samples = static_cast<double>(size.streams * size.ticks);
    cases.push_back({.name = "growth/" +
                             joined_sizes({size.streams, size.inputs, size.outputs, size.ticks}) +
                             "/float32",
                     .prepare = [=](const Arrays&) { return prepare(plasticity, size); },
                     .flops = 4.0 * static_cast<double>(size.inputs * size.outputs) * samples,
                     .items = samples,
                     .tolerance = 1e-4});
  }
  return cases;
}

}  // namespace gaia::bench
