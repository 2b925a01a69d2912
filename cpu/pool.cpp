// SPDX-License-Identifier: MIT
/// \file
/// Temporal pooling of a held representation, step by step, so that a block may begin and end
/// anywhere in a window.
#include <algorithm>

#include "../src/core/parallel.h"
#include "backend.h"
#include "plastic.h"

namespace gaia::cpu {
namespace {

template <class T>
class StreamPool {
 public:
  StreamPool(const PoolRun& run, std::int64_t stream)
      : run_(run),
        source_(run.source),
        stream_(stream),
        n_(source_.inputs),
        held_(run.held.as<T>() + stream * n_),
        state_(run.state.as<T>() + stream * (run.state.count() / source_.streams)),
        output_(run.outputs.as<T>() + stream * (run.outputs.count() / source_.streams)) {}

  void run() {
    std::int64_t source_tick = 0;
    std::int64_t in_window = run_.steps_held;
    for (std::int64_t step = run_.first_step; step < run_.first_step + run_.steps; ++step) {
      if ((step - run_.source_phase) % run_.source_resolution == 0) {
        std::copy_n(source_.row(stream_, source_tick++), n_, held_);
      }
      take(in_window++);
      if ((step - run_.phase) % run_.resolution != 0) continue;
      emit(in_window);
      if (run_.pooling != Pooling::ema) in_window = 0;
    }
    if (run_.outputs.count() > 0) forget_beyond(in_window);
  }

 private:
  /// Lets the step that held_ stands for into the window, as number `index`.
  void take(std::int64_t index) {
    switch (run_.pooling) {
      case Pooling::last:
        break;
      case Pooling::mean:
        for (std::int64_t j = 0; j < n_; ++j)
          state_[j] = index == 0 ? held_[j] : state_[j] + held_[j];
        break;
      case Pooling::max:
        for (std::int64_t j = 0; j < n_; ++j) {
          state_[j] = index == 0 ? held_[j] : Maximum{}.value(state_[j], held_[j]);
        }
        break;
      case Pooling::ema:
        for (std::int64_t j = 0; j < n_; ++j) {
          state_[j] = index == 0
                          ? held_[j]
                          : state_[j] + (held_[j] - state_[j]) / static_cast<T>(run_.resolution);
        }
        break;
      case Pooling::concat:
      case Pooling::legendre:
        std::copy_n(held_, n_, state_ + index * n_);
        break;
    }
  }

  /// Writes what the window of `in_window` steps comes to.
  void emit(std::int64_t in_window) {
    switch (run_.pooling) {
      case Pooling::last:
        std::copy_n(held_, n_, output_);
        break;
      case Pooling::mean:
        for (std::int64_t j = 0; j < n_; ++j) output_[j] = state_[j] / static_cast<T>(in_window);
        break;
      case Pooling::max:
      case Pooling::ema:
        std::copy_n(state_, n_, output_);
        break;
      case Pooling::concat:
      case Pooling::legendre: {
        const std::int64_t missing = (run_.resolution - in_window) * n_;
        std::fill_n(output_, missing, T(0));
        std::copy_n(state_, in_window * n_, output_ + missing);
        break;
      }
    }
    output_ += run_.pooling == Pooling::concat ? run_.resolution * n_ : n_;
  }

  /// Sets what `in_window` steps left of the windows before them to 0.
  void forget_beyond(std::int64_t in_window) {
    if (run_.pooling == Pooling::concat) {
      std::fill_n(state_ + in_window * n_, (run_.resolution - in_window) * n_, T(0));
    } else if (in_window == 0) {
      std::fill_n(state_, n_, T(0));
    }
  }

  const PoolRun& run_;
  Samples<T> source_;
  std::int64_t stream_;
  std::int64_t n_;
  T* held_;
  T* state_;
  T* output_;
};

}  // namespace

void CpuBackend::pool(const PoolRun& run) {
  dispatch_floating(run.source.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    parallel_for(run.source.shape[0], [&](std::int64_t b) { StreamPool<T>(run, b).run(); });
  });
}

}  // namespace gaia::cpu
