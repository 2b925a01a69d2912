// SPDX-License-Identifier: MIT
/// \file
/// Packs numbers whose bytes were shuffled, as HDF5's filters do, into a stream of zlib (RFC 1950).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gaia {

/// The stream of `planes`: the first bytes of all numbers, then the second ones, and so on, each
/// `plane_bytes` long.  `level` is one of zlib's, 1 to 9.  Empty if the stream is no shorter.
std::vector<std::uint8_t> zlib_stream(int level, std::span<const std::uint8_t> planes,
                                      std::size_t plane_bytes);

}  // namespace gaia
