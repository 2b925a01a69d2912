// SPDX-License-Identifier: MIT
/// \file
/// Plain loops, which the compiler turns into vectors of each instruction set.
#include "pack.h"

#include <cstdint>
#include <limits>
#include <type_traits>

#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

template <class T>
GAIA_FLATTEN KeyRange value_keys_of(const T* x, std::int64_t stride, std::int64_t n,
                                    SortKey<T> flip, std::int64_t* keys) {
  KeyRange range = {std::numeric_limits<std::int64_t>::max(),
                    std::numeric_limits<std::int64_t>::min()};
  const auto loop = [&](auto apart) {
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t key = sort_key_of_value(x[i * apart]) ^ flip;
      keys[i] = key;
      range.least = key < range.least ? key : range.least;
      range.most = key > range.most ? key : range.most;
    }
  };
  if (stride == 1) {
    loop(std::integral_constant<std::int64_t, 1>{});
  } else {
    loop(stride);
  }
  return range;
}

GAIA_FLATTEN void pack_with_places(const Packing& packing, std::int64_t* keys, std::int64_t n) {
  const auto [least, left_out, of_place] = packing;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto above = static_cast<std::uint64_t>(keys[i]) - static_cast<std::uint64_t>(least);
    keys[i] =
        static_cast<std::int64_t>(above >> left_out << of_place | static_cast<std::uint64_t>(i));
  }
}

GAIA_FLATTEN bool have_alike(const Packing& packing, const std::int64_t* packed, std::int64_t n) {
  const int of_place = packing.of_place;
  std::int64_t alike = 0;
  for (std::int64_t i = 0; i + 1 < n; ++i) {
    alike |= (packed[i] ^ packed[i + 1]) >> of_place == 0 ? 1 : 0;
  }
  return alike != 0;
}

#define GAIA_VALUE_KEYS(T) \
  template KeyRange value_keys_of(const T*, std::int64_t, std::int64_t, SortKey<T>, std::int64_t*);
GAIA_VALUE_KEYS(bool)
GAIA_VALUE_KEYS(std::int32_t)
GAIA_VALUE_KEYS(std::int64_t)
GAIA_VALUE_KEYS(float)
GAIA_VALUE_KEYS(double)
#undef GAIA_VALUE_KEYS

}  // namespace gaia::cpu::GAIA_VECTOR_SET
