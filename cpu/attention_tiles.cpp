// SPDX-License-Identifier: MIT
#include "attention_tiles.h"

#include <Eigen/Core>
#include <limits>

namespace gaia::cpu {
namespace {

template <class T>
using Row = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
template <class T>
using ConstRow = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;

}  // namespace

template <class T>
T largest(const T* x, std::int64_t n, T scale) {
  const ConstRow<T> row(x, n);
  return scale * (scale < T(0) ? row.template minCoeff<Eigen::PropagateNaN>()
                               : row.template maxCoeff<Eigen::PropagateNaN>());
}

template <class T>
T exponentials(T* x, std::int64_t n, T scale, T shift) {
  // Below, exp is no normal number, which costs time and adds nothing.
  const T least = std::numeric_limits<T>::min_exponent * T(0.6);
  Row<T> row(x, n);
  row = row * scale - shift;
  row = (row < least).select(T(0), row.exp());
  return row.sum();
}

template float largest(const float*, std::int64_t, float);
template double largest(const double*, std::int64_t, double);
template float exponentials(float*, std::int64_t, float, float);
template double exponentials(double*, std::int64_t, double, double);

}  // namespace gaia::cpu
