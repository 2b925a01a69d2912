// SPDX-License-Identifier: MIT
/// \file
/// Copies of views for kernels that ask for another layout or dtype.
#pragma once

#include <optional>

#include "backend.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// A view as it lies, or a copy for the duration of one operation.
class Repacked {
 public:
  explicit Repacked(const View& x) : view_(x) {}
  /// A contiguous copy of x in `dtype`, but what repeats along an axis before the last two is
  /// copied once.
  Repacked(CudaBackend& backend, Memory& memory, const View& x, DType dtype, cudaStream_t stream)
      : view_(x) {
    View source = x;
    for (int axis = 0; axis < x.rank() - 2; ++axis) {
      if (x.strides[axis] == 0) source.shape[axis] = 1;
    }
    copy_.emplace(memory, source.count() * size_of(dtype), stream);
    const View copy{copy_->as<void>(), dtype, source.shape, row_major_strides(source.shape)};
    backend.copy(source, copy);
    view_.data = copy.data;
    view_.dtype = dtype;
    for (int axis = 0; axis < x.rank(); ++axis) {
      view_.strides[axis] = source.shape[axis] == 1 ? 0 : copy.strides[axis];
    }
  }

  const View& view() const { return view_; }

 private:
  View view_;
  std::optional<Scratch> copy_;
};

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
