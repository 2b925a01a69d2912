// SPDX-License-Identifier: MIT
/// \file
/// Plastic layers under rules of single neurons.
///
/// Both executors usually are the same here: sample by sample, which is the definition.  Chunks of
/// samples through matrix products are for processors that fetch the weights anew at every tick.
/// Here they stay in registers from the first sample of a block to the last, at three operations
/// for each weight and tick, and neurons for which there is no room yet wait for others to be
/// through. Where that is too long a wait, the chunkwise executor takes products (plastic_form.h).
#include "backend.h"
#include "layer_phases.cuh"
#include "plastic_form.h"
#include "plastic_products.h"
#include "plastic_replicas.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

/// Shared memory of a block for samples.  With a replica beside them no more than is granted to any
/// kernel.
constexpr std::int64_t kStagingBytes = 47 * 1024;
constexpr std::int64_t kMostRows = 32;

bool has_packs(const View& x) {
  const std::int64_t pack = 16 / size_of(x.dtype);
  return reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0 && x.shape[2] % pack == 0 &&
         x.strides[0] % pack == 0 && x.strides[1] % pack == 0;
}

template <class T, class R, int K>
void launch_owners(cudaStream_t stream, std::span<const PlasticRun> runs, Memory& memory) {
  const ReplicaTable<T, R> table(runs, memory, stream);
  const PlasticLayer<T>& layer = table.replicas().layer;
  int lanes = 1;
  while (lanes * K < layer.x.n) lanes *= 2;
  const std::int64_t row_bytes = std::int64_t{lanes} * K * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t rows = std::min(kMostRows, kStagingBytes / (2 * row_bytes));
  const std::int64_t sums = layer.x.streams > 1 && !kSumsInRegisters<T, K> ? K * kOwnerThreads : 0;
  const std::int64_t bytes = 2 * rows * row_bytes + sums * static_cast<std::int64_t>(sizeof(T));
  const Owners owners{.lanes = lanes,
                      .rows = static_cast<int>(rows),
                      .packs = std::all_of(runs.begin(), runs.end(), [](const PlasticRun& run) {
                        return has_packs(run.samples);
                      })};
  const auto count = static_cast<std::int64_t>(runs.size());
  for (std::int64_t first = 0; first < count; first += kMostGridRows) {
    launch("plastic", plastic_kernel<T, R, K>,
           {.grid = {static_cast<unsigned>(ceil_div(layer.neurons * lanes, kOwnerThreads)),
                     static_cast<unsigned>(std::min(kMostGridRows, count - first))},
            .block = kOwnerThreads,
            .shared_bytes = static_cast<std::size_t>(bytes)},
           stream, table.replicas(first), owners);
  }
}

/// Few weights per lane make many lanes, which take long to sum up; many make few threads.
template <class T, class R>
void run_stationary(cudaStream_t stream, std::span<const PlasticRun> runs, Memory& memory) {
  const std::int64_t n = runs[0].weights.shape[1];
  if (n <= 64) {
    launch_owners<T, R, 8>(stream, runs, memory);
  } else if (n <= 512) {
    launch_owners<T, R, 16>(stream, runs, memory);
  } else if (n <= 1024) {
    launch_owners<T, R, 32>(stream, runs, memory);
  } else if constexpr (kMostPerLane<T> == 64) {
    launch_owners<T, R, 64>(stream, runs, memory);
  }
}

template <class T>
void run_all_phases(cudaStream_t stream, const PlasticRun& run, Memory& memory) {
  PlasticLayer<T> layer(run);
  layer.memory = run.memory.as<T>();
  const Scratch drives(
      memory, layer.x.streams * layer.neurons * static_cast<std::int64_t>(sizeof(T)), stream);
  layer.drives = drives.as<T>();
  visit_neuron_rule(run.rule,
                    [&](const auto& rule) { run_phases("plastic", stream, layer, rule); });
}

}  // namespace

void CudaBackend::plastic(std::span<const PlasticRun> runs) {
  if (runs.empty() || runs[0].outputs.count() == 0) return;
  Call stream = begin({});
  for (const PlasticRun& run : runs) {
    stream = begin({&run.samples, &run.weights, &run.outputs, &run.memory});
  }
  const PlasticForm form = plastic_form(PlasticSizes(runs, processors_));
  if (form == PlasticForm::products) return run_products(stream, runs, memory_);
  dispatch_floating(runs[0].weights.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (form == PlasticForm::phases) {
      for (const PlasticRun& run : runs) run_all_phases<T>(stream, run, memory_);
      return;
    }
    visit_neuron_rule(runs[0].rule, [&](const auto& rule) {
      run_stationary<T, std::decay_t<decltype(rule)>>(stream, runs, memory_);
    });
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
