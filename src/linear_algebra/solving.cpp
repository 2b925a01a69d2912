// SPDX-License-Identifier: MIT
/// \file
/// Systems of equations and determinants.
#include <cmath>
#include <limits>
#include <vector>

#include "../array/create.h"
#include "../array/functions.h"
#include "../array/on_host.h"
#include "../array/operands.h"
#include "../array/reductions.h"
#include "../core/message.h"
#include "batches.h"
#include "dense_matrices.h"
#include "lapack.h"
#include "linear_algebra.h"

namespace gaia {
namespace {

using linear_algebra::copy_matrices;
using linear_algebra::copy_square;
using linear_algebra::for_each_matrix;
using linear_algebra::Matrices;
using linear_algebra::which_matrix;

Shape without_matrix(const Shape& shape) {
  Shape leading = shape;
  leading.erase(leading.rank() - 1);
  leading.erase(leading.rank() - 1);
  return leading;
}

constexpr auto kShortest = "lstsq finds the shortest answer of least error";

/// Solves A X = B by `solve_one(T* a, T* b, rows, columns, which)`.
template <class SolveOne>
Array solve_with(const Array& a, const Array& b, const char* function, const char* way_out,
                 const SolveOne& solve_one) {
  if (a.rank() < 2 || b.rank() < 1 || a.shape(-1) != a.shape(-2) ||
      a.shape(-1) != b.shape(b.rank() == 1 ? -1 : -2)) {
    fail<ShapeError>("[{}] expected A [..., n, n] and B [..., n, k] or [n], got {} and {}",
                     function, a.shape(), b.shape());
  }
  if (b.rank() == 1) {
    return solve_with(a, b.expand_dims(1), function, way_out, solve_one).squeeze({-1});
  }
  const Shape leading =
      broadcast_shapes(without_matrix(a.shape()), without_matrix(b.shape()), function);
  const DType dtype = promote(floating_result(a.dtype()), floating_result(b.dtype()));
  const auto compute = [&] {
    const Matrices left = copy_matrices(a, leading, dtype, function);
    const Matrices right = copy_matrices(b, leading, dtype, function);
    if (right.columns.size() > 0) {
      const OneThreadOfLapack one_thread;
      for_each_matrix(dtype, left.count, [&](auto number, std::int64_t i) {
        using T = decltype(number);
        if (!solve_one(left.at<T>(i), right.at<T>(i), left.rows, right.width)) {
          fail<ArgumentError>("[{}] {} is singular; {}", function, which_matrix(i, left.count),
                              way_out);
        }
      });
    }
    return std::vector{right.matrices()};
  };
  return on_host(function, compute).front();
}

struct Determinants {
  Array sign;    // [leading...]
  Array logabs;  // float64
  Array value;
};

/// By the diagonal of U and the sign of the permutation.
Determinants determinants_of(const Array& a, const char* function) {
  const auto compute = [&] {
    const Matrices factors = copy_square(a, function);
    const DType dtype = factors.columns.dtype();
    const Determinants found = {zeros(factors.leading, dtype), zeros(factors.leading, dtype),
                                zeros(factors.leading, dtype)};
    const OneThreadOfLapack one_thread;
    for_each_matrix(dtype, factors.count, [&](auto number, std::int64_t i) {
      using T = decltype(number);
      T* lu = factors.at<T>(i);
      const int n = factors.rows;
      double sign = n == 0 ? 1 : lu_in_place(lu, n);
      T value = static_cast<T>(sign);
      double logabs = 0.0;
      for (int k = 0; k < n; ++k) {
        const T pivot = lu[static_cast<std::ptrdiff_t>(k) * (n + 1)];
        value *= pivot;
        logabs += std::log(std::abs(static_cast<double>(pivot)));
        sign = pivot == T{0} ? 0.0 : pivot < T{0} ? -sign : sign;
      }
      const auto at = static_cast<std::size_t>(i);
      found.sign.elements<T>()[at] = static_cast<T>(sign);
      found.logabs.elements<T>()[at] =
          static_cast<T>(sign == 0.0 ? -std::numeric_limits<double>::infinity() : logabs);
      found.value.elements<T>()[at] = value;
    });
    return std::vector{found.sign, found.logabs, found.value};
  };
  const std::vector<Array> parts = on_host(function, compute);
  return {parts[0], parts[1], parts[2]};
}

}  // namespace

Array solve(const Array& a, const Array& b) {
  return solve_with(a, b, "solve", kShortest, [](auto* left, auto* right, int n, int k) {
    return solve_in_place(left, right, n, k);
  });
}

Array triangular_solve(const Array& a, const Array& b, const TriangularOptions& options) {
  return solve_with(a, b, "triangular_solve", kShortest,
                    [&](auto* left, auto* right, int n, int k) {
                      return triangular_solve_in_place(left, right, n, k, options.upper,
                                                       options.transposed, options.unit_diagonal);
                    });
}

Array inv(const Array& a) {
  if (a.rank() < 2 || a.shape(-1) != a.shape(-2)) {
    fail<ShapeError>("[inv] expected square matrices [..., n, n], got shape {}", a.shape());
  }
  const Array one = eye(a.shape(-1), a.shape(-1), floating_result(a.dtype()));
  return solve_with(
      a, one, "inv", "pinv finds its pseudo-inverse",
      [](auto* left, auto* right, int n, int k) { return solve_in_place(left, right, n, k); });
}

Array det(const Array& a) { return determinants_of(a, "det").value; }

SlogdetOf<Array> slogdet(const Array& a) {
  const Determinants found = determinants_of(a, "slogdet");
  return {found.sign, found.logabs};
}

Array cholesky(const Array& a, bool upper) {
  const auto compute = [&] {
    const Matrices factors = copy_square(a, "cholesky");
    const OneThreadOfLapack one_thread;
    for_each_matrix(factors.columns.dtype(), factors.count, [&](auto number, std::int64_t i) {
      using T = decltype(number);
      if (factors.rows > 0 && !cholesky_in_place(factors.at<T>(i), factors.rows)) {
        fail<ArgumentError>("[cholesky] {} is not positive definite",
                            which_matrix(i, factors.count));
      }
    });
    const Array lower = factors.matrices();
    return std::vector{upper ? lower.swapaxes(-1, -2).contiguous() : lower};
  };
  return on_host("cholesky", compute).front();
}

}  // namespace gaia
