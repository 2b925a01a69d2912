// SPDX-License-Identifier: MIT
/// \file
/// Leaky recurrent layers, in one of two ways: a block for each stream that goes through all ticks
/// with its state on the chip, or a launch for each tick where a layer has more weights than one
/// multiprocessor reads in the time of a launch.
#include "backend.h"
#include "rows.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

constexpr int kBlock = 512;
constexpr int kWarpsOfBlock = kBlock / kWarp;

/// Neurons up to which a block takes all ticks of a stream.
constexpr std::int64_t kNeuronsOfBlock = 256;

/// Shared memory that every multiprocessor since compute capability 8.0 gives to a block.
constexpr std::int64_t kMostShared = 99 * 1024;

template <class T>
struct Layer {
  Activation activation;
  T leak;
  Ticks<T> drive;
  Ticks<T> outputs;
  const T* weights;
  T* state;

  explicit Layer(const RecurrentRun& run)
      : activation(run.activation),
        leak(T(run.leak)),
        drive(run.drive),
        outputs(run.outputs),
        weights(run.recurrent.as<T>()),
        state(run.state.as<T>()) {}

  __device__ T moved(T from, T target) const { return from + leak * (target - from); }
};

/// All ticks of stream blockIdx.x.  Shared: state and drive [n] each, and the weights [n, n] if
/// `keeps_weights`.
template <class T>
__global__ void __launch_bounds__(kBlock)
    all_ticks_kernel(const __grid_constant__ Layer<T> layer, bool keeps_weights) {
  GAIA_SHARED_DYNAMIC(T, shared);
  const std::int64_t n = layer.drive.n;
  const std::int64_t stream = blockIdx.x;
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % kWarp;
  const int warp = thread / kWarp;
  T* const h = shared;
  T* const z = shared + n;
  T* const kept = shared + 2 * n;
  for (std::int64_t i = thread; i < n; i += kBlock) h[i] = layer.state[stream * n + i];
  for (std::int64_t i = thread; keeps_weights && i < n * n; i += kBlock) kept[i] = layer.weights[i];
  __syncthreads();
  const T* const weights = keeps_weights ? kept : layer.weights;
  for (std::int64_t t = 0; t < layer.drive.ticks; ++t) {
    const T* const drive = layer.drive.row(stream, t);
    for (std::int64_t i = warp; i < n; i += kWarpsOfBlock) {
      const T driven = drive[i];
      const T from_state = warp_dot(lane, weights + i * n, h, n);
      if (lane == 0) z[i] = driven + from_state;
    }
    __syncthreads();
    if (is_of_row(layer.activation)) {
      if (warp == 0) warp_activate_row(lane, layer.activation, z, n);
      __syncthreads();
    }
    T* const y = layer.outputs.row(stream, t);
    for (std::int64_t i = thread; i < n; i += kBlock) {
      h[i] = layer.moved(h[i], activate(layer.activation, z[i]));
      y[i] = h[i];
    }
    __syncthreads();
  }
  for (std::int64_t i = thread; i < n; i += kBlock) layer.state[stream * n + i] = h[i];
}

/// The state of a stream before a tick: what it showed at the tick before.
template <class T>
__device__ const T* state_before(const Layer<T>& layer, std::int64_t stream, std::int64_t tick) {
  return tick == 0 ? layer.state + stream * layer.drive.n : layer.outputs.row(stream, tick - 1);
}

/// One warp for each neuron of each stream.  Under an activation of rows outputs become the drives,
/// for settle_kernel.
template <class T>
__global__ void __launch_bounds__(kBlock)
    tick_kernel(const __grid_constant__ Layer<T> layer, std::int64_t tick) {
  const std::int64_t n = layer.drive.n;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::int64_t warps = threads_of_grid() / kWarp;
  for (std::int64_t i = first_of_grid() / kWarp; i < n * layer.drive.streams; i += warps) {
    const std::int64_t stream = quotient(i, n);
    const std::int64_t neuron = i - stream * n;
    const T* const h = state_before(layer, stream, tick);
    const T from_state = warp_dot(lane, layer.weights + neuron * n, h, n);
    if (lane != 0) continue;
    const T z = layer.drive.row(stream, tick)[neuron] + from_state;
    layer.outputs.row(stream, tick)[neuron] =
        is_of_row(layer.activation) ? z : layer.moved(h[neuron], activate(layer.activation, z));
  }
}

/// One warp for each stream.
template <class T>
__global__ void __launch_bounds__(kBlock)
    settle_kernel(const __grid_constant__ Layer<T> layer, std::int64_t tick) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::int64_t warps = threads_of_grid() / kWarp;
  for (std::int64_t b = first_of_grid() / kWarp; b < layer.drive.streams; b += warps) {
    T* const y = layer.outputs.row(b, tick);
    const T* const h = state_before(layer, b, tick);
    warp_activate_row(lane, layer.activation, y, layer.drive.n);
    for (std::int64_t j = lane; j < layer.drive.n; j += kWarp) y[j] = layer.moved(h[j], y[j]);
  }
}

template <class T>
__global__ void __launch_bounds__(kBlock) keep_kernel(const __grid_constant__ Layer<T> layer) {
  const std::int64_t n = layer.drive.n;
  for (std::int64_t i = first_of_grid(); i < n * layer.drive.streams; i += threads_of_grid()) {
    const std::int64_t stream = quotient(i, n);
    layer.state[i] = layer.outputs.row(stream, layer.drive.ticks - 1)[i - stream * n];
  }
}

}  // namespace

void CudaBackend::recurrent(const RecurrentRun& run) {
  const Call stream = begin({&run.drive, &run.recurrent, &run.state, &run.outputs});
  if (run.drive.count() == 0) return;
  dispatch_floating(run.drive.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Layer<T> layer(run);
    const std::int64_t streams = layer.drive.streams;
    const std::int64_t n = layer.drive.n;
    if (n <= kNeuronsOfBlock) {
      const std::int64_t state_bytes = 2 * n * size_of(run.drive.dtype);
      const std::int64_t weight_bytes = n * n * size_of(run.drive.dtype);
      const bool keeps_weights = state_bytes + weight_bytes <= kMostShared;
      const std::int64_t bytes = state_bytes + (keeps_weights ? weight_bytes : 0);
      launch("recurrent", all_ticks_kernel<T>,
             {.grid = static_cast<unsigned>(streams),
              .block = kBlock,
              .shared_bytes = static_cast<std::size_t>(bytes)},
             stream, layer, keeps_weights);
      return;
    }
    const LaunchShape warps{.grid = blocks_for(streams * n, kWarpsOfBlock), .block = kBlock};
    for (std::int64_t t = 0; t < layer.drive.ticks; ++t) {
      launch("recurrent", tick_kernel<T>, warps, stream, layer, t);
      if (!is_of_row(run.activation)) continue;
      launch("recurrent", settle_kernel<T>,
             {.grid = blocks_for(streams, kWarpsOfBlock), .block = kBlock}, stream, layer, t);
    }
    launch("recurrent", keep_kernel<T>, {.grid = blocks_for(streams * n, kBlock), .block = kBlock},
           stream, layer);
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
