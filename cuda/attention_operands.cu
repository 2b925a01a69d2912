// SPDX-License-Identifier: MIT
#include "attention_operands.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

/// The dtype in which tensor cores take the operands, if they do.
std::optional<DType> tensor_core_dtype(const AttentionInputs& inputs) {
  const std::int64_t size = inputs.q.shape.back();
  if (size != inputs.v.shape.back() || (size != 64 && size != 128)) return std::nullopt;
  if (inputs.q.dtype == DType::bfloat16) return DType::bfloat16;
  if (inputs.q.dtype != DType::float32) return std::nullopt;
  switch (inputs.precision) {
    case MatmulPrecision::tf32:
      return DType::float32;
    case MatmulPrecision::bfloat16:
      return DType::bfloat16;
    case MatmulPrecision::full:
      break;
  }
  return std::nullopt;
}

/// Whether rows can be copied by 16 bytes.
bool lies_on_chunks(const View& x) {
  constexpr std::int64_t chunk = 16;
  if (reinterpret_cast<std::uintptr_t>(x.data) % chunk != 0 || x.strides.back() != 1) return false;
  for (int axis = 0; axis + 1 < x.rank(); ++axis) {
    if (x.shape[axis] > 1 && x.strides[axis] * size_of(x.dtype) % chunk != 0) return false;
  }
  return true;
}

}  // namespace

AttentionOperands::AttentionOperands(CudaBackend& backend, Memory& memory,
                                     const AttentionInputs& inputs, cudaStream_t stream)
    : backend_(backend),
      memory_(memory),
      stream_(stream),
      for_tensor_cores_(tensor_core_dtype(inputs).has_value()),
      dtype_(tensor_core_dtype(inputs).value_or(
          inputs.q.dtype == DType::bfloat16 ? DType::float32 : inputs.q.dtype)),
      q_(ready(inputs.q)),
      k_(ready(inputs.k)),
      v_(ready(inputs.v)) {}

Repacked AttentionOperands::ready(const View& x) const {
  const bool is_ready = x.dtype == dtype_ && (!for_tensor_cores_ || lies_on_chunks(x));
  return is_ready ? Repacked(x) : Repacked(backend_, memory_, x, dtype_, stream_);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
