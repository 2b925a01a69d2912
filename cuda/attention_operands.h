// SPDX-License-Identifier: MIT
/// \file
/// Which kernels attention goes to, and its operands as these take them.
#pragma once

#include <optional>

#include "repack.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Queries, keys and values of the dtype and layout that the kernels take, for the duration of one
/// operation.
class AttentionOperands {
 public:
  AttentionOperands(CudaBackend& backend, Memory& memory, const AttentionInputs& inputs,
                    cudaStream_t stream);

  /// Whether tensor cores take them: bfloat16, or what may be rounded to it or to TF32, with 64 or
  /// 128 numbers each.
  bool for_tensor_cores() const { return for_tensor_cores_; }

  /// `x` as the kernels take it.
  Repacked ready(const View& x) const;

  /// `run` with these in the place of its own.
  template <class Run>
  Run in(const Run& run) const {
    Run mine = run;
    mine.q = q_.view();
    mine.k = k_.view();
    mine.v = v_.view();
    return mine;
  }

 private:
  CudaBackend& backend_;
  Memory& memory_;
  cudaStream_t stream_;
  bool for_tensor_cores_;
  DType dtype_;
  Repacked q_;
  Repacked k_;
  Repacked v_;
};

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
