// SPDX-License-Identifier: MIT
/// \file
/// Temporal pooling of a held representation.  Windows do not see each other, so threads share the
/// numbers of all windows of a block; only ema goes step by step.
#include "backend.h"
#include "rows.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

/// A block of steps [first, end) of streams of n numbers.
template <class T>
struct Steps {
  Pooling pooling;
  std::int64_t resolution;
  std::int64_t source_resolution;
  std::int64_t first;
  std::int64_t end;
  std::int64_t steps_held;
  std::int64_t first_tick;         ///< The first step of the level, at or after `first`.
  std::int64_t first_source_tick;  ///< The same of the source.
  std::int64_t ticks;
  std::int64_t streams;
  std::int64_t n;
  std::int64_t stream_stride;
  std::int64_t tick_stride;
  const T* source;
  T* held;
  T* state;
  T* outputs;

  /// What the source shows at `step`.
  __device__ T shown(std::int64_t stream, std::int64_t step, std::int64_t j) const {
    if (step < first_source_tick) return held[stream * n + j];
    const std::int64_t tick = quotient(step - first_source_tick, source_resolution);
    return source[stream * stream_stride + tick * tick_stride + j];
  }

  /// A window takes the steps [begin, end) here, besides `before` that state holds.
  struct Window {
    std::int64_t begin;
    std::int64_t end;
    std::int64_t before;
    __device__ std::int64_t length() const { return before + end - begin; }
  };

  /// Number `ticks` is the one in progress at the end.
  __device__ Window window(std::int64_t number) const {
    const std::int64_t closes = first_tick + number * resolution + 1;
    return {number == 0 ? first : closes - resolution, closes < end ? closes : end,
            number == 0 ? steps_held : 0};
  }
};

/// The sum or maximum that a window, not empty, comes to so far.
template <class T>
__device__ T gathered(const Steps<T>& steps, const typename Steps<T>::Window& window,
                      std::int64_t stream, std::int64_t j) {
  std::int64_t step = window.begin;
  T value = window.before > 0 ? steps.state[stream * steps.n + j] : steps.shown(stream, step++, j);
  for (; step < window.end; ++step) {
    const T x = steps.shown(stream, step, j);
    value = steps.pooling == Pooling::max ? Maximum{}.value(value, x) : value + x;
  }
  return value;
}

/// Number j of slot `slot`, oldest first, of a whole window.
template <class T>
__device__ T placed(const Steps<T>& steps, const typename Steps<T>::Window& window,
                    std::int64_t stream, std::int64_t slot, std::int64_t j) {
  const std::int64_t index = slot - (steps.resolution - window.length());
  if (index < 0) return T(0);
  if (index < window.before) {
    return steps.state[(stream * steps.resolution + index) * steps.n + j];
  }
  return steps.shown(stream, window.begin + index - window.before, j);
}

/// One thread for each number that a tick of the level shows.
template <class T>
__global__ void emit_kernel(const __grid_constant__ Steps<T> steps, std::int64_t count) {
  const std::int64_t slots = steps.pooling == Pooling::concat ? steps.resolution : 1;
  for (std::int64_t i = first_of_grid(); i < count; i += threads_of_grid()) {
    const std::int64_t line = quotient(i, steps.n);
    const std::int64_t j = i - line * steps.n;
    const std::int64_t row = quotient(line, slots);
    const std::int64_t slot = line - row * slots;
    const std::int64_t stream = quotient(row, steps.ticks);
    const auto window = steps.window(row - stream * steps.ticks);
    if (steps.pooling == Pooling::concat) {
      steps.outputs[i] = placed(steps, window, stream, slot, j);
    } else if (steps.pooling == Pooling::last) {
      steps.outputs[i] = steps.shown(stream, window.end - 1, j);
    } else {
      const T value = gathered(steps, window, stream, j);
      steps.outputs[i] =
          steps.pooling == Pooling::mean ? value / static_cast<T>(window.length()) : value;
    }
  }
}

/// One thread for each number of a stream: what the block leaves behind.
template <class T>
__global__ void leave_kernel(const __grid_constant__ Steps<T> steps) {
  const auto window = steps.window(steps.ticks);
  for (std::int64_t i = first_of_grid(); i < steps.streams * steps.n; i += threads_of_grid()) {
    const std::int64_t stream = quotient(i, steps.n);
    const std::int64_t j = i - stream * steps.n;
    if (steps.pooling == Pooling::concat) {
      for (std::int64_t step = window.begin; step < window.end; ++step) {
        const std::int64_t index = window.before + step - window.begin;
        steps.state[(stream * steps.resolution + index) * steps.n + j] =
            steps.shown(stream, step, j);
      }
      for (std::int64_t index = window.length(); steps.ticks > 0 && index < steps.resolution;
           ++index) {
        steps.state[(stream * steps.resolution + index) * steps.n + j] = T(0);
      }
    } else if (steps.pooling != Pooling::last) {
      steps.state[i] = window.begin < window.end ? gathered(steps, window, stream, j) : T(0);
    }
    steps.held[i] = steps.shown(stream, steps.end - 1, j);
  }
}

/// One thread for each number of a stream, through all steps.
template <class T>
__global__ void ema_kernel(const __grid_constant__ Steps<T> steps) {
  const T resolution = static_cast<T>(steps.resolution);
  for (std::int64_t i = first_of_grid(); i < steps.streams * steps.n; i += threads_of_grid()) {
    const std::int64_t stream = quotient(i, steps.n);
    const std::int64_t j = i - stream * steps.n;
    const T* source = steps.source + stream * steps.stream_stride + j;
    T* output = steps.outputs + stream * steps.ticks * steps.n + j;
    T shown = steps.held[i];
    T mean = steps.steps_held > 0 ? steps.state[i] : T(0);
    std::int64_t next_tick = steps.first_tick;
    std::int64_t next_source_tick = steps.first_source_tick;
    for (std::int64_t step = steps.first; step < steps.end; ++step) {
      if (step == next_source_tick) {
        shown = *source;
        source += steps.tick_stride;
        next_source_tick += steps.source_resolution;
      }
      const bool is_first = step == steps.first && steps.steps_held == 0;
      mean = is_first ? shown : mean + (shown - mean) / resolution;
      if (step == next_tick) {
        *output = mean;
        output += steps.n;
        next_tick += steps.resolution;
      }
    }
    steps.held[i] = shown;
    steps.state[i] = mean;
  }
}

/// The first step at or after `step` that is a multiple of `resolution` past `phase`, which is less
/// than that.
std::int64_t next_multiple(std::int64_t step, std::int64_t resolution, std::int64_t phase) {
  return phase + (step > phase ? ceil_div(step - phase, resolution) * resolution : 0);
}

}  // namespace

void CudaBackend::pool(const PoolRun& run) {
  const Call stream = begin({&run.source, &run.held, &run.state, &run.outputs});
  const std::int64_t numbers = run.held.count();
  if (run.steps == 0 || numbers == 0) return;
  dispatch_floating(run.source.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Steps<T> steps{
        .pooling = run.pooling,
        .resolution = run.resolution,
        .source_resolution = run.source_resolution,
        .first = run.first_step,
        .end = run.first_step + run.steps,
        .steps_held = run.steps_held,
        .first_tick = next_multiple(run.first_step, run.resolution, run.phase),
        .first_source_tick = next_multiple(run.first_step, run.source_resolution, run.source_phase),
        .ticks = run.outputs.shape[1],
        .streams = run.source.shape[0],
        .n = run.source.shape[2],
        .stream_stride = run.source.strides[0],
        .tick_stride = run.source.strides[1],
        .source = run.source.as<T>(),
        .held = run.held.as<T>(),
        .state = run.state.as<T>(),
        .outputs = run.outputs.as<T>()};
    const LaunchShape by_number{.grid = blocks_for(numbers, kThreads), .block = kThreads};
    if (run.pooling == Pooling::ema) {
      launch("pool", ema_kernel<T>, by_number, stream, steps);
      return;
    }
    const std::int64_t count = run.outputs.count();
    if (count > 0) {
      launch("pool", emit_kernel<T>, {.grid = blocks_for(count, kThreads), .block = kThreads},
             stream, steps, count);
    }
    launch("pool", leave_kernel<T>, by_number, stream, steps);
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
