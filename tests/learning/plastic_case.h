// SPDX-License-Identifier: MIT
/// \file
/// A plastic layer with weights and samples to learn from, and what executors and the reference
/// make of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../reference/plasticity_reference.h"

namespace gaia::test {

inline constexpr Executor kExecutors[] = {Executor::stepwise, Executor::chunkwise};

/// How the samples lie in memory.
enum class SampleLayout { contiguous, every_other_tick, overlapping_windows };

struct PlasticCase {
  Plasticity plasticity = {};
  std::int64_t outputs = 3;
  std::int64_t inputs = 5;
  std::int64_t streams = 1;
  std::int64_t ticks = 100;
  DType dtype = DType::float64;
  SampleLayout layout = SampleLayout::contiguous;
  std::uint64_t seed = 1;

  friend std::ostream& operator<<(std::ostream& out, const PlasticCase& c) {
    const WeightControl& control = c.plasticity.control;
    return out << rule_name(c.plasticity.rule) << ", " << to_string(c.plasticity.activation)
               << ", normalization " << to_string(control.normalization) << " (bound "
               << control.bound << "), homeostasis " << (control.homeostasis ? "on" : "off") << ", "
               << c.outputs << "x" << c.inputs << ", " << c.streams << " streams, " << c.ticks
               << " ticks, " << to_string(c.dtype) << ", layout " << static_cast<int>(c.layout)
               << ", seed " << c.seed;
  }
};

/// Rows of length about one: a slowly varying direction that all share, and noise.  So answers are
/// of order one whatever the size, and learning has something to find.
inline Array series(std::int64_t rows, std::int64_t n, std::uint64_t seed) {
  const RandomStream random = RandomStream::named(seed, "samples");
  std::vector<double> noise(static_cast<std::size_t>(rows * n + n + rows));
  random.normals(0, noise);
  const double* const direction = noise.data() + rows * n;
  const double* const drive = direction + n;
  const double scale = 1.0 / std::sqrt(static_cast<double>(n));
  const double length = std::sqrt(std::inner_product(direction, drive, direction, 0.0));
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(rows * n));
  double slow = 1.0;
  for (std::int64_t r = 0; r < rows; ++r) {
    slow = 0.3 + 0.9 * (slow - 0.3) + 0.4 * drive[r];
    for (std::int64_t j = 0; j < n; ++j) {
      const double own = noise[static_cast<std::size_t>(r * n + j)];
      values.push_back(slow * direction[j] / length + 0.5 * scale * own);
    }
  }
  return from_values(values, {rows, n});
}

inline Array samples_of(const PlasticCase& c) {
  const std::int64_t rows = c.streams * c.ticks;
  const Shape shape = {c.streams, c.ticks, c.inputs};
  switch (c.layout) {
    case SampleLayout::contiguous:
      break;
    case SampleLayout::every_other_tick:
      return series(2 * rows, c.inputs, c.seed)
          .astype(c.dtype)
          .reshape({c.streams, 2 * c.ticks, c.inputs})
          .slice(1, 0, {}, 2);
    case SampleLayout::overlapping_windows:
      return multiply(series(rows + c.inputs - 1, 1, c.seed).astype(c.dtype).reshape({-1}),
                      1.0 / std::sqrt(static_cast<double>(c.inputs)))
          .windows(rows, c.inputs, 1)
          .reshape(shape);
  }
  return series(rows, c.inputs, c.seed).astype(c.dtype).reshape(shape);
}

/// Rows of length about one.
inline Array initial_weights_of(const PlasticCase& c) {
  return random_normal({c.outputs, c.inputs}, 0.0, 1.0 / std::sqrt(static_cast<double>(c.inputs)),
                       DType::float64, RandomStream::named(c.seed, "weights"))
      .astype(c.dtype);
}

inline Array initial_memory_of(const PlasticCase& c) {
  return full({c.outputs}, rule_name(c.plasticity.rule) == "bcm" ? 0.5 : 0.0, c.dtype);
}

/// What comes out of a block.
struct Outcome {
  Row answers;  ///< [streams, ticks, outputs]
  Row weights;
  Real initial_scale;  ///< Largest initial weight.
  Row memory;
};

inline Real largest(const Row& values) {
  Real result = 0;
  for (const Real v : values) result = std::max(result, std::abs(v));
  return result;
}

inline Outcome run_executor(const PlasticCase& c, Executor executor, std::int64_t chunk = 32) {
  Plasticity plasticity = c.plasticity;
  plasticity.executor = executor;
  plasticity.chunk = chunk;
  const Array weights = initial_weights_of(c);
  const Array memory = initial_memory_of(c);
  const Real scale = largest(to_row(weights));
  const Array answers = learn(plasticity, weights, memory, samples_of(c));
  return {to_row(answers), to_row(weights), scale, to_row(memory)};
}

inline Outcome run_reference(const PlasticCase& c) {
  PlasticityReference reference(c.plasticity, initial_weights_of(c), initial_memory_of(c));
  const Row samples = to_row(samples_of(c));
  Outcome outcome;
  outcome.initial_scale = largest(reference.weights);
  outcome.answers.resize(static_cast<std::size_t>(c.streams * c.ticks * c.outputs));
  for (std::int64_t t = 0; t < c.ticks; ++t) {
    std::vector<Row> x;
    for (std::int64_t b = 0; b < c.streams; ++b) {
      const auto first = samples.begin() + (b * c.ticks + t) * c.inputs;
      x.emplace_back(first, first + c.inputs);
    }
    const std::vector<Row> y = reference.tick(x);
    for (std::int64_t b = 0; b < c.streams; ++b) {
      std::copy(y[static_cast<std::size_t>(b)].begin(), y[static_cast<std::size_t>(b)].end(),
                outcome.answers.begin() + (b * c.ticks + t) * c.outputs);
    }
  }
  outcome.weights = reference.weights;
  outcome.memory = reference.memory;
  return outcome;
}

/// max |a - b| / max(|b|, scale); infinite where something is not finite or lengths differ.
inline double distance(const Row& a, const Row& b, Real scale = 0) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  Real largest = scale;
  Real difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i]))
      return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::abs(b[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  return static_cast<double>(difference == 0 ? 0 : difference / largest);
}

/// The largest distance among answers, weights and memory.  Weights that have shrunk are measured
/// against what they were: rounding is relative to the largest weights on the way.
inline double distance(const Outcome& a, const Outcome& b) {
  return std::max({distance(a.answers, b.answers), distance(a.weights, b.weights, b.initial_scale),
                   distance(a.memory, b.memory)});
}

/// Every rule with parameters under which a few hundred samples of `series` change weights by about
/// their own size, and nothing diverges.
inline std::vector<PlasticityRule> lively_rules() {
  return {HebbRule{.learning_rate = 0.01, .decay = 0.02},
          OjaRule{.learning_rate = 0.05, .decay = 0.003},
          BcmRule{.learning_rate = 0.02, .decay = 0.001, .tau = 10.0},
          SangerRule{.learning_rate = 0.05, .decay = 0.003},
          OjaSubspaceRule{.learning_rate = 0.05, .decay = 0.003}};
}

/// No normalisation, l2, and max_norm with a bound that cuts and with one that never does.
inline std::vector<WeightControl> all_controls() {
  std::vector<WeightControl> controls;
  for (const bool homeostatic : {false, true}) {
    WeightControl control;
    if (homeostatic) control.homeostasis = Homeostasis{.target = 0.5, .strength = 0.003};
    controls.push_back(control);
    control.normalization = Normalization::l2;
    controls.push_back(control);
    control.normalization = Normalization::max_norm;
    control.bound = 0.8;
    controls.push_back(control);
    control.bound = 1e3;
    controls.push_back(control);
  }
  return controls;
}

}  // namespace gaia::test
