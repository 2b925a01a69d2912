// SPDX-License-Identifier: MIT
/// \file
/// exp of one matrix, by scaling and squaring of Pade's approximants: Higham (2005), SIAM J. Matrix
/// Anal. Appl. 26, 1179.
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "dense_matrices.h"
#include "lapack.h"

namespace gaia {
namespace {

template <class T>
using SquareOf = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

/// Degrees of Pade's approximants of exp, each with the largest 1-norm for which its error is below
/// rounding (Higham 2005, table 2.3).
struct PadeDegree {
  int degree;
  double norm;
};
template <class T>
constexpr auto kPadeDegrees = std::array<PadeDegree, 5>{{{3, 1.495585217958292e-2},
                                                         {5, 2.539398330063230e-1},
                                                         {7, 9.504178996162932e-1},
                                                         {9, 2.097847961257068},
                                                         {13, 5.371920351148152}}};
template <>
constexpr auto kPadeDegrees<float> = std::array<PadeDegree, 3>{
    {{3, 4.258730016922831e-1}, {5, 1.880152677804762}, {7, 3.925724783138660}}};

template <class T>
SquareOf<T> product(const SquareOf<T>& a, const SquareOf<T>& b) {
  const auto n = static_cast<int>(a.rows());
  // A call costs more than the product of small matrices does.
  if (n < 16) return a * b;
  const LapackTurn<T> routine;
  if (!routine) return a * b;
  SquareOf<T> c(n, n);
  const T one = 1;
  const T zero = 0;
  routine->gemm("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &zero, c.data(), &n);
  return c;
}

}  // namespace

template <class T>
void expm_in_place(T* numbers, int n) {
  Eigen::Map<SquareOf<T>> result(numbers, n, n);
  const auto norm = static_cast<double>(result.cwiseAbs().colwise().sum().maxCoeff());
  const auto& degrees = kPadeDegrees<T>;
  const auto* chosen = std::find_if(degrees.begin(), degrees.end() - 1,
                                    [&](const PadeDegree& d) { return norm <= d.norm; });
  int halvings = 0;
  if (norm > chosen->norm) std::frexp(norm / chosen->norm, &halvings);
  const SquareOf<T> a = result * static_cast<T>(std::ldexp(1.0, -halvings));

  // The approximant is (V - U)^-1 (V + U); U has the odd powers, V the even ones, of
  // b_(k+1) = b_k (m - k) / ((2 m - k) (k + 1)), b_0 = 1.
  const int m = chosen->degree;
  std::array<T, 14> b = {};
  double coefficient = 1.0;
  for (int k = 0; k <= m; ++k) {
    b[static_cast<std::size_t>(k)] = static_cast<T>(coefficient);
    coefficient *= static_cast<double>(m - k) / (static_cast<double>(2 * m - k) * (k + 1));
  }
  const SquareOf<T> a2 = product(a, a);
  SquareOf<T> odd = SquareOf<T>::Identity(n, n) * b[1] + a2 * b[3];
  SquareOf<T> even = SquareOf<T>::Identity(n, n) + a2 * b[2];
  if (m == 13) {
    const SquareOf<T> a4 = product(a2, a2);
    const SquareOf<T> a6 = product(a4, a2);
    odd += a4 * b[5] + a6 * b[7] + product<T>(a6, a2 * b[9] + a4 * b[11] + a6 * b[13]);
    even += a4 * b[4] + a6 * b[6] + product<T>(a6, a2 * b[8] + a4 * b[10] + a6 * b[12]);
  } else {
    SquareOf<T> power = a2;
    for (std::size_t k = 4; k < static_cast<std::size_t>(m); k += 2) {
      power = product(power, a2);
      even += power * b[k];
      odd += power * b[k + 1];
    }
  }
  odd = product(a, odd);
  SquareOf<T> below = even - odd;
  result = even + odd;
  solve_in_place(below.data(), numbers, n, n);
  for (; halvings > 0; --halvings) result = product<T>(result, result);
}

template void expm_in_place(double*, int);
template void expm_in_place(float*, int);

}  // namespace gaia
