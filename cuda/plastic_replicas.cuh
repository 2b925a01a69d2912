// SPDX-License-Identifier: MIT
/// \file
/// Runs of alike plastic layers, as the kernels that take all of them at once read them.
#pragma once

#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "memory.h"
#include "plastic.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// The replicas that the parameters of a kernel hold.
template <class T, class R>
struct SomeReplicas {
  static constexpr int kMost = 3072 / static_cast<int>(sizeof(PlasticReplica<T, R>));
  PlasticReplica<T, R> replica[kMost];
  int count = 0;
};

template <class T, class R>
__global__ void write_replicas_kernel(const __grid_constant__ SomeReplicas<T, R> some,
                                      PlasticReplica<T, R>* table) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < some.count) table[i] = some.replica[i];
}

/// Replicas with the table in which kernels find them.  It is written by kernels: a copy from the
/// host might wait for the stream.
template <class T, class R>
class ReplicaTable {
 public:
  ReplicaTable(std::span<const PlasticRun> runs, Memory& memory, cudaStream_t stream)
      : replicas_{PlasticLayer<T>(runs[0]), std::get<R>(runs[0].rule), nullptr} {
    replicas_.layer.memory = runs[0].memory.as<T>();
    if (runs.size() == 1) return;
    using Some = SomeReplicas<T, R>;
    static_assert(Some::kMost >= 16 && Some::kMost <= kThreads);
    table_.emplace(memory, static_cast<std::int64_t>(runs.size() * sizeof(PlasticReplica<T, R>)),
                   stream);
    auto* const table = table_->template as<PlasticReplica<T, R>>();
    replicas_.table = table;
    for (std::size_t first = 0; first < runs.size(); first += Some::kMost) {
      Some some;
      for (const PlasticRun& run : runs.subspan(first)) {
        if (some.count == Some::kMost) break;
        some.replica[some.count++] = {ControlFactors<T>(run.control),
                                      std::get<R>(run.rule),
                                      run.samples.as<T>(),
                                      run.outputs.as<T>(),
                                      run.weights.as<T>(),
                                      run.memory.as<T>()};
      }
      launch("plastic", write_replicas_kernel<T, R>, {.grid = 1, .block = kThreads}, stream, some,
             table + first);
    }
  }

  const PlasticReplicas<T, R>& replicas() const { return replicas_; }

  /// The same for `count` of them from `first` on.
  PlasticReplicas<T, R> replicas(std::int64_t first) const {
    PlasticReplicas<T, R> some = replicas_;
    if (some.table != nullptr) some.table += first;
    return some;
  }

 private:
  PlasticReplicas<T, R> replicas_;
  std::optional<Scratch> table_;
};

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
