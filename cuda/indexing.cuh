// SPDX-License-Identifier: MIT
/// \file
/// What reading and writing by positions share.
#pragma once

#include "map.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// The axis that indices count along.
struct IndexedAxis {
  std::int64_t length;
  std::int64_t stride;
  __device__ std::int64_t place(std::int64_t index) const {
    return (index < 0 ? index + length : index) * stride;
  }
};

/// Calls `f` with the TypeTag of a type of `width` bytes, for what is moved and not computed.
template <class F>
void dispatch_width(std::int64_t width, const F& f) {
  switch (width) {
    case 1:
      return f(TypeTag<std::uint8_t>{});
    case 2:
      return f(TypeTag<std::uint16_t>{});
    case 4:
      return f(TypeTag<std::uint32_t>{});
    case 8:
      return f(TypeTag<std::uint64_t>{});
    default:
      return f(TypeTag<Pack<std::uint64_t, 2>>{});
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
