// SPDX-License-Identifier: MIT
/// \file
/// Leaky recurrent layers: the input's part has come in by a matrix product, the state goes step by
/// step.
#include <algorithm>
#include <vector>

#include "../src/core/parallel.h"
#include "backend.h"
#include "plastic.h"
#include "rows.h"

namespace gaia::cpu {

void CpuBackend::recurrent(const RecurrentRun& run) {
  dispatch_floating(run.drive.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Samples<T> drive(run.drive);
    const Answers<T> outputs(run.outputs);
    const std::int64_t n = drive.inputs;
    const T* const weights = run.recurrent.as<T>();
    const T leak = T(run.leak);
    parallel_for(drive.streams, [&](std::int64_t b) {
      T* const state = run.state.as<T>() + b * n;
      std::vector<T> z(static_cast<std::size_t>(n));
      for (std::int64_t t = 0; t < drive.ticks; ++t) {
        const T* const from_input = drive.row(b, t);
        for (std::int64_t i = 0; i < n; ++i) {
          z[static_cast<std::size_t>(i)] = from_input[i] + dot(weights + i * n, state, n);
        }
        activate_row(run.activation, z.data(), n);
        for (std::int64_t i = 0; i < n; ++i) {
          state[i] += leak * (z[static_cast<std::size_t>(i)] - state[i]);
        }
        std::copy_n(state, n, outputs.row(b, t));
      }
    });
  });
}

}  // namespace gaia::cpu
