// SPDX-License-Identifier: MIT
/// \file
/// Plastic layers under rules of single neurons.
///
/// Both executors are the same here: sample by sample, which is the definition.  Chunks of samples
/// through matrix products are for processors that fetch the weights anew at every tick.  Here they
/// stay in registers from the first sample of a block to the last, at three operations for each
/// weight and tick, and neurons for which there is no room yet wait for others to be through.
#include "backend.h"
#include "layer_phases.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

/// Shared memory of a block for samples.
constexpr std::int64_t kStagingBytes = 48 * 1024;
constexpr std::int64_t kMostRows = 32;

/// Weights that a lane holds at most: with a sample beside them they take two thirds of its registers.
template <class T>
constexpr int kMostPerLane = sizeof(T) == 4 ? 64 : 32;

template <class T>
bool has_packs(const Ticks<T>& x) {
  constexpr int pack = 16 / sizeof(T);
  return lies_on_packs(x.data, pack) && x.n % pack == 0 && x.stream_stride % pack == 0 &&
         x.tick_stride % pack == 0;
}

template <class T, class R, int K>
void launch_owners(cudaStream_t stream, const PlasticLayer<T>& layer, const R& rule) {
  int lanes = 1;
  while (lanes * K < layer.x.n) lanes *= 2;
  const std::int64_t row_bytes = std::int64_t{lanes} * K * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t rows = std::min(kMostRows, kStagingBytes / (2 * row_bytes));
  const std::int64_t sums = layer.x.streams > 1 ? K * kOwnerThreads : 0;
  const std::int64_t bytes = 2 * rows * row_bytes + sums * static_cast<std::int64_t>(sizeof(T));
  const Owners owners{
      .lanes = lanes, .rows = static_cast<int>(rows), .packs = has_packs(layer.x)};
  launch("plastic", plastic_kernel<T, R, K>,
         {.grid = static_cast<unsigned>(ceil_div(layer.neurons * lanes, kOwnerThreads)),
          .block = kOwnerThreads,
          .shared_bytes = static_cast<std::size_t>(bytes)},
         stream, layer, rule, owners);
}

/// Few weights per lane make many lanes, which take long to sum up; many make few threads.
template <class T, class R>
void run_rule(cudaStream_t stream, const PlasticLayer<T>& layer, const R& rule) {
  const std::int64_t n = layer.x.n;
  if (layer.activation == Activation::softmax || n > kWarp * kMostPerLane<T>) {
    run_phases("plastic", stream, layer, rule);
  } else if (n <= 64) {
    launch_owners<T, R, 8>(stream, layer, rule);
  } else if (n <= 512) {
    launch_owners<T, R, 16>(stream, layer, rule);
  } else if (n <= 1024) {
    launch_owners<T, R, 32>(stream, layer, rule);
  } else if constexpr (kMostPerLane<T> == 64) {
    launch_owners<T, R, 64>(stream, layer, rule);
  }
}

}  // namespace

void CudaBackend::plastic(const PlasticRun& run) {
  const cudaStream_t stream = begin({&run.samples, &run.weights, &run.outputs, &run.memory});
  if (run.outputs.count() == 0) return;
  dispatch_floating(run.weights.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    PlasticLayer<T> layer(run);
    layer.memory = run.memory.as<T>();
    std::visit([&](const auto& rule) { run_rule(stream, layer, rule); }, run.rule);
  });
}

}  // namespace gaia::cuda
