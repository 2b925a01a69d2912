// SPDX-License-Identifier: MIT
/// \file
/// What the executors of plastic layers share: the samples of a block, and what happens to one
/// neuron at one tick.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "../src/array/backend.h"
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

/// The answers of a block, [streams, ticks, outputs].
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

/// Whether homeostasis changes anything: under l2 its factor, which is positive, cancels.  It is
/// left out there, since it may underflow where the normalised weights do not.
inline bool homeostasis_acts(const WeightControl& control) {
  return control.homeostasis && control.normalization != Normalization::l2;
}

/// The factor on a neuron's weights from homeostasis, minus one: exp(strength (target - y)) - 1.
template <class T>
T homeostatic_excess(const Homeostasis& h, T mean_answer) {
  return std::expm1(T(h.strength) * (T(h.target) - mean_answer));
}

/// The factor that normalisation puts on weights whose squared norm is `square`.  A norm that has
/// overflowed gives NaN, so that the run is seen to diverge rather than to go on with zeros.
template <class T>
T normalizing_factor(const WeightControl& control, T square) {
  if (!std::isfinite(square)) return std::numeric_limits<T>::quiet_NaN();
  switch (control.normalization) {
    case Normalization::l2:
      return square > T(0) ? T(1) / std::sqrt(square) : T(1);
    case Normalization::max_norm:
      return square > T(control.bound * control.bound) ? T(control.bound) / std::sqrt(square)
                                                       : T(1);
    case Normalization::none:
      break;
  }
  return T(1);
}

/// Homeostasis, then normalisation, of the weights w [n] of a neuron that has answered
/// `mean_answer`.
template <class T>
void control_weights(const WeightControl& control, T mean_answer, T* w, std::int64_t n) {
  T factor = 1;
  if (homeostasis_acts(control)) factor += homeostatic_excess(*control.homeostasis, mean_answer);
  if (control.normalization != Normalization::none) {
    factor *= normalizing_factor(control, factor * factor * dot(w, w, n));
  }
  if (factor == T(1)) return;
  for (std::int64_t j = 0; j < n; ++j) w[j] *= factor;
}

/// The two executors; `plastic` of the backend chooses.
template <class T>
void run_stepwise(const PlasticRun& run);
template <class T>
void run_chunkwise(const PlasticRun& run);

}  // namespace gaia::cpu
