// SPDX-License-Identifier: MIT
#include "attention_tiles.h"

namespace gaia::cpu {

template <class T>
T largest(const T* x, std::int64_t n) {
  return GAIA_VECTOR_KERNEL(largest_of_row<T>)(x, n);
}

template <class T>
T exponentials(T* x, std::int64_t n, T scale, T largest) {
  return GAIA_VECTOR_KERNEL(exponentials_of_row<T>)(x, n, scale, largest);
}

template float largest(const float*, std::int64_t);
template double largest(const double*, std::int64_t);
template float exponentials(float*, std::int64_t, float, float);
template double exponentials(double*, std::int64_t, double, double);

}  // namespace gaia::cpu
