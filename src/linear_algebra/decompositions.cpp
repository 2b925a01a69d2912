// SPDX-License-Identifier: MIT
/// \file
/// Decompositions, and what is computed by them.
#include <algorithm>
#include <limits>
#include <string>
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
#include "least_squares.h"
#include "linear_algebra.h"

namespace gaia {
namespace {

using linear_algebra::copy_matrices;
using linear_algebra::copy_square;
using linear_algebra::for_each_matrix;
using linear_algebra::Matrices;
using linear_algebra::new_matrices;
using linear_algebra::new_vectors;
using linear_algebra::which_matrix;

/// Row i of a batch of vectors [..., length].
template <class T>
T* vector_at(const Array& vectors, std::int64_t i) {
  return vectors.elements<T>().data() + i * vectors.shape(-1);
}

/// Iterations over NaN need not end.
template <class T>
void check_finite(const Matrices& matrices, std::int64_t i, const char* function) {
  const T* numbers = matrices.at<T>(i);
  const std::int64_t count = std::int64_t{matrices.rows} * matrices.width;
  // 0 unless there is a NaN or infinity.
  T total = 0;
  for (std::int64_t k = 0; k < count; ++k) total += numbers[k] - numbers[k];
  if (total == T{0}) return;
  fail<ArgumentError>("[{}] expected finite numbers, got NaN or infinity in {}", function,
                      which_matrix(i, matrices.count));
}

[[noreturn]] void not_converged(const char* function, const std::string& which) {
  fail<ArgumentError>("[{}] {} does not converge", function, which);
}

SvdOf<Array> svd_with(const Array& a, bool vectors, bool full, const char* function) {
  const auto compute = [&] {
    const Matrices matrices = copy_matrices(a, function);
    const int m = matrices.rows;
    const int n = matrices.width;
    const int least = std::min(m, n);
    const DType dtype = matrices.columns.dtype();
    const Matrices u = new_matrices(matrices.leading, m, vectors ? (full ? m : least) : 0, dtype);
    const Matrices vt = new_matrices(matrices.leading, vectors ? (full ? n : least) : 0, n, dtype);
    const Array s = new_vectors(matrices.leading, least, dtype);
    const OneThreadOfLapack one_thread;
    for_each_matrix(dtype, matrices.count, [&](auto number, std::int64_t i) {
      using T = decltype(number);
      check_finite<T>(matrices, i, function);
      if (least == 0) {
        for (int k = 0; k < u.width && k < m; ++k) u.at<T>(i)[std::ptrdiff_t{k} * (m + 1)] = T{1};
        for (int k = 0; k < vt.rows && k < n; ++k) {
          vt.at<T>(i)[std::ptrdiff_t{k} * (vt.rows + 1)] = T{1};
        }
        return;
      }
      if (!svd_of(matrices.at<T>(i), m, n, full, vectors ? u.at<T>(i) : nullptr, vector_at<T>(s, i),
                  vectors ? vt.at<T>(i) : nullptr)) {
        not_converged(function, which_matrix(i, matrices.count));
      }
    });
    return vectors ? std::vector{s, u.matrices(), vt.matrices()} : std::vector{s};
  };
  const std::vector<Array> parts = on_host(function, compute);
  if (!vectors) return {{}, parts[0], {}};
  return {parts[1], parts[0], parts[2]};
}

EighOf<Array> eigh_with(const Array& a, bool vectors, bool upper, const char* function) {
  const auto compute = [&] {
    const Matrices matrices = copy_square(a, function);
    const int n = matrices.rows;
    const DType dtype = matrices.columns.dtype();
    const Array values = new_vectors(matrices.leading, n, dtype);
    const OneThreadOfLapack one_thread;
    for_each_matrix(dtype, matrices.count, [&](auto number, std::int64_t i) {
      using T = decltype(number);
      if (n == 0) return;
      check_finite<T>(matrices, i, function);
      if (!eigh_in_place(matrices.at<T>(i), n, !upper, vectors, vector_at<T>(values, i))) {
        not_converged(function, which_matrix(i, matrices.count));
      }
    });
    return vectors ? std::vector{values, matrices.matrices()} : std::vector{values};
  };
  const std::vector<Array> parts = on_host(function, compute);
  return {parts[0], vectors ? parts[1] : Array()};
}

EigOf<Array> eig_with(const Array& a, bool vectors, const char* function) {
  const auto compute = [&] {
    const Matrices matrices = copy_square(a, function);
    const int n = matrices.rows;
    const DType dtype = matrices.columns.dtype();
    const Array real = new_vectors(matrices.leading, n, dtype);
    const Array imag = new_vectors(matrices.leading, n, dtype);
    const Matrices vectors_real = new_matrices(matrices.leading, n, vectors ? n : 0, dtype);
    const Matrices vectors_imag = new_matrices(matrices.leading, n, vectors ? n : 0, dtype);
    const OneThreadOfLapack one_thread;
    for_each_matrix(dtype, matrices.count, [&](auto number, std::int64_t i) {
      using T = decltype(number);
      if (n == 0) return;
      check_finite<T>(matrices, i, function);
      if (!eig_of(matrices.at<T>(i), n, vector_at<T>(real, i), vector_at<T>(imag, i),
                  vectors ? vectors_real.at<T>(i) : nullptr,
                  vectors ? vectors_imag.at<T>(i) : nullptr)) {
        not_converged(function, which_matrix(i, matrices.count));
      }
    });
    return vectors ? std::vector{real, imag, vectors_real.matrices(), vectors_imag.matrices()}
                   : std::vector{real, imag};
  };
  const std::vector<Array> parts = on_host(function, compute);
  if (!vectors) return {{parts[0], parts[1]}, {}};
  return {{parts[0], parts[1]}, {parts[2], parts[3]}};
}

double spacing_at_one(DType dtype) {
  return dtype == DType::float64 ? std::numeric_limits<double>::epsilon()
                                 : std::numeric_limits<float>::epsilon();
}

/// 1 / s where s is above `share` of the largest of its matrix, else 0.
Array inverted(const Array& s, double share) {
  if (s.shape(-1) == 0) return s;
  const Array bound = max(s, {-1}, true) * share;
  return where(greater(s, bound), reciprocal(where(greater(s, bound), s, 1.0)), 0.0);
}

}  // namespace

double detail::lstsq_share(const Array& a, std::optional<double> rcond) {
  const double spacing = spacing_at_one(floating_result(a.dtype()));
  if (rcond) return *rcond < 0.0 ? spacing : *rcond;
  return static_cast<double>(std::max(a.shape(-1), a.shape(-2))) * spacing;
}

QrOf<Array> qr(const Array& a, QrMode mode) {
  const auto compute = [&] {
    const Matrices matrices = copy_matrices(a, "qr");
    const int m = matrices.rows;
    const int n = matrices.width;
    const int columns = mode == QrMode::complete ? m : std::min(m, n);
    const DType dtype = matrices.columns.dtype();
    const Matrices q = new_matrices(matrices.leading, m, mode == QrMode::r ? 0 : columns, dtype);
    const Matrices r = new_matrices(matrices.leading, columns, n, dtype);
    const OneThreadOfLapack one_thread;
    for_each_matrix(dtype, matrices.count, [&](auto number, std::int64_t i) {
      using T = decltype(number);
      if (m == 0 || n == 0) {
        for (int k = 0; k < q.width; ++k) q.at<T>(i)[std::ptrdiff_t{k} * (m + 1)] = T{1};
        return;
      }
      qr_of(matrices.at<T>(i), m, n, columns, mode == QrMode::r ? nullptr : q.at<T>(i), r.at<T>(i));
    });
    return std::vector{mode == QrMode::r ? zeros({0}, dtype) : q.matrices(), r.matrices()};
  };
  const std::vector<Array> parts = on_host("qr", compute);
  return {parts[0], parts[1]};
}

SvdOf<Array> svd(const Array& a, bool full_matrices) {
  return svd_with(a, true, full_matrices, "svd");
}

Array svdvals(const Array& a) { return svd_with(a, false, false, "svdvals").s; }

EighOf<Array> eigh(const Array& a, bool upper) { return eigh_with(a, true, upper, "eigh"); }

Array eigvalsh(const Array& a, bool upper) { return eigh_with(a, false, upper, "eigvalsh").values; }

EigOf<Array> eig(const Array& a) { return eig_with(a, true, "eig"); }

Complex eigvals(const Array& a) { return eig_with(a, false, "eigvals").values; }

Array matrix_rank(const Array& a, std::optional<double> tolerance) {
  if (a.rank() < 2) return any(not_equal(a, 0.0)).astype(DType::int64);
  const Array s = svdvals(a);
  if (s.shape(-1) == 0) return sum(greater(s, 0.0), {-1});
  const double share =
      static_cast<double>(std::max(a.shape(-1), a.shape(-2))) * spacing_at_one(s.dtype());
  const Array bound = tolerance ? full({1}, *tolerance, s.dtype()) : max(s, {-1}, true) * share;
  return sum(greater(s, bound), {-1});
}

Array pinv(const Array& a, double rcond) {
  const SvdOf<Array> parts = svd_with(a, true, false, "pinv");
  const Array scaled = parts.vt.swapaxes(-1, -2) * inverted(parts.s, rcond).expand_dims(-2);
  return matmul(scaled, parts.u.swapaxes(-1, -2));
}

LeastSquaresOf<Array> lstsq(const Array& a, const Array& b, std::optional<double> rcond) {
  if (a.rank() < 2 || b.rank() < 1 || a.shape(-2) != b.shape(b.rank() == 1 ? -1 : -2)) {
    fail<ShapeError>("[lstsq] expected A [..., m, n] and B [..., m, k] or [m], got {} and {}",
                     a.shape(), b.shape());
  }
  const SvdOf<Array> parts = svd_with(a, true, false, "lstsq");
  const std::int64_t m = a.shape(-2);
  const std::int64_t n = a.shape(-1);
  const Array right = b.rank() == 1 ? b.expand_dims(1) : b;
  const Array inverse = inverted(parts.s, detail::lstsq_share(a, rcond));
  const Array x = matmul(parts.vt.swapaxes(-1, -2),
                         inverse.expand_dims(-1) * matmul(parts.u.swapaxes(-1, -2), right));
  LeastSquaresOf<Array> found = {.x = b.rank() == 1 ? x.squeeze({-1}) : x,
                                 .residuals = zeros({0}, x.dtype()),
                                 .rank = sum(not_equal(inverse, 0.0), {-1}),
                                 .singular_values = parts.s};
  if (m > n && all(equal(found.rank, static_cast<double>(n))).item() != 0) {
    found.residuals = sum(square(right - matmul(a, x)), {-2});
  }
  return found;
}

Array expm(const Array& a) {
  const auto compute = [&] {
    const Matrices matrices = copy_square(a, "expm");
    const OneThreadOfLapack one_thread;
    for_each_matrix(matrices.columns.dtype(), matrices.count, [&](auto number, std::int64_t i) {
      using T = decltype(number);
      check_finite<T>(matrices, i, "expm");
      if (matrices.rows > 0) expm_in_place(matrices.at<T>(i), matrices.rows);
    });
    return std::vector{matrices.matrices()};
  };
  return on_host("expm", compute).front();
}

}  // namespace gaia
