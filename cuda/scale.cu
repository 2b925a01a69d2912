// SPDX-License-Identifier: MIT
/// \file
/// Many arrays times one factor, as gradients are that are too long together.
#include "scale.cuh"

#include "../src/formulas/cast.h"
#include "backend.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

/// Those of type T.
template <class T>
void scale_those(double factor, std::span<const ScaledViews> arrays, cudaStream_t stream) {
  const auto start = [&](const PartTable<ScaledPart<T>>& table) {
    launch("scale", scale_kernel<T>, {.grid = blocks_for(table.tiles, 1), .block = kThreads},
           stream, cast<T>(factor), table);
  };
  PartCollector<ScaledPart<T>, decltype(start)> parts(kScaledTile<T>, start);
  for (const ScaledViews& of : arrays) {
    if (of.x.dtype != dtype_of<T>() || of.x.count() == 0) continue;
    parts.add({.x = of.x.as<T>(), .y = of.y.as<T>(), .count = of.x.count()});
  }
  parts.finish();
}

}  // namespace

void CudaBackend::scale(double factor, std::span<const ScaledViews> arrays) {
  Call stream = begin({});
  for (const ScaledViews& of : arrays) stream = begin({&of.x, &of.y});
  scale_those<float>(factor, arrays, stream);
  scale_those<double>(factor, arrays, stream);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
