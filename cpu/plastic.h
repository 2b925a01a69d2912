// SPDX-License-Identifier: MIT
/// \file
/// What the executors of plastic layers share: the samples of a block, and what happens to one
/// neuron at one tick.
#pragma once

#include <cstdint>

#include "../src/array/backend.h"
#include "../src/formulas/rules_control.h"
#include "rows.h"

namespace gaia::cpu {

/// The samples of a block, [streams, ticks, inputs], one row per stream and tick.
template <class T>
struct Samples {
  const T* data;
  std::int64_t streams;
  std::int64_t ticks;
  std::int64_t inputs;
  std::int64_t stream_stride;
  std::int64_t tick_stride;

  explicit Samples(const View& x)
      : data(x.as<T>()),
        streams(x.shape[0]),
        ticks(x.shape[1]),
        inputs(x.shape[2]),
        stream_stride(x.strides[0]),
        tick_stride(x.strides[1]) {}

  const T* row(std::int64_t stream, std::int64_t tick) const {
    return data + stream * stream_stride + tick * tick_stride;
  }
};

/// The outputs of a block, [streams, ticks, outputs].
template <class T>
struct Answers {
  T* data;
  std::int64_t stream_stride;
  std::int64_t tick_stride;

  explicit Answers(const View& y)
      : data(y.as<T>()), stream_stride(y.strides[0]), tick_stride(y.strides[1]) {}

  T* row(std::int64_t stream, std::int64_t tick) const {
    return data + stream * stream_stride + tick * tick_stride;
  }
};

/// Homeostasis, then normalisation, of the weights w [n] of a neuron whose output was
/// `mean_answer`.
template <class T>
void control_weights(const ControlFactors<T>& control, T mean_answer, T* w, std::int64_t n) {
  T factor = control.homeostatic ? control.homeostatic_factor(mean_answer) : T(1);
  if (control.normalizes()) factor *= control.normalizing(factor * factor * dot(w, w, n));
  if (factor == T(1)) return;
  for (std::int64_t j = 0; j < n; ++j) w[j] *= factor;
}

/// Whether a neuron's output, or its step, depends on all others.
inline bool is_layer_wide(const PlasticRun& run) {
  return is_of_row(run.activation) || std::holds_alternative<CustomRule>(run.rule);
}

/// The two executors; `plastic` of the backend chooses.
template <class T>
void run_stepwise(const PlasticRun& run);
template <class T>
void run_chunkwise(const PlasticRun& run, Backend& backend);

}  // namespace gaia::cpu
