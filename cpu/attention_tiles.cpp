// SPDX-License-Identifier: MIT
#include "attention_tiles.h"

#include "vector/rows.h"

namespace gaia::cpu {

template <class T>
T largest(const T* x, std::int64_t n, T scale) {
  return scale * (scale < T(0) ? GAIA_VECTOR_KERNEL(smallest_of_row<T>)(x, n)
                               : GAIA_VECTOR_KERNEL(largest_of_row<T>)(x, n));
}

template <class T>
T exponentials(T* x, std::int64_t n, T scale, T shift) {
  return GAIA_VECTOR_KERNEL(exponentials_of_row<T>)(x, n, scale, shift);
}

template float largest(const float*, std::int64_t, float);
template double largest(const double*, std::int64_t, double);
template float exponentials(float*, std::int64_t, float, float);
template double exponentials(double*, std::int64_t, double, double);

}  // namespace gaia::cpu
