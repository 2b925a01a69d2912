// SPDX-License-Identifier: MIT
#include "../../src/linear_algebra/linear_algebra.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/array/random_arrays.h"
#include "../../src/core/error.h"
#include "../../src/core/parallel.h"
#include "../../src/linear_algebra/lapack.h"
#include "../support/complaint.h"
#include "../support/devices.h"

using namespace gaia;

namespace {

using Rows = std::vector<std::vector<double>>;

/// Matrix i of a batch as plain numbers.
Rows rows_of(const Array& x, std::int64_t i = 0) {
  const std::int64_t m = x.shape(-2);
  const std::int64_t n = x.shape(-1);
  const std::vector<double> all = x.to_vector<double>();
  Rows rows(static_cast<std::size_t>(m), std::vector<double>(static_cast<std::size_t>(n)));
  for (std::int64_t r = 0; r < m; ++r) {
    for (std::int64_t c = 0; c < n; ++c) {
      rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)] =
          all[static_cast<std::size_t>((i * m + r) * n + c)];
    }
  }
  return rows;
}

/// The determinant by Gauss's elimination with pivots, in long double.
long double determinant(const Rows& given) {
  std::vector<std::vector<long double>> a;
  for (const auto& row : given) a.emplace_back(row.begin(), row.end());
  long double value = 1;
  for (std::size_t k = 0; k < a.size(); ++k) {
    std::size_t pivot = k;
    for (std::size_t r = k + 1; r < a.size(); ++r) {
      if (std::abs(a[r][k]) > std::abs(a[pivot][k])) pivot = r;
    }
    if (a[pivot][k] == 0) return 0;
    if (pivot != k) {
      std::swap(a[pivot], a[k]);
      value = -value;
    }
    value *= a[k][k];
    for (std::size_t r = k + 1; r < a.size(); ++r) {
      const long double factor = a[r][k] / a[k][k];
      for (std::size_t c = k; c < a.size(); ++c) a[r][c] -= factor * a[k][c];
    }
  }
  return value;
}

double largest_difference(const Array& a, const Array& b) {
  REQUIRE(a.shape() == b.shape());
  if (a.size() == 0) return 0.0;
  const std::vector<double> x = a.to_vector<double>();
  const std::vector<double> y = b.to_vector<double>();
  double most = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]));
  return most;
}

Array transposed(const Array& x) { return x.swapaxes(-1, -2); }

Array draw(const Shape& shape, DType dtype, std::uint64_t stream) {
  return random_normal(shape, 0.0, 1.0, dtype, {11, stream});
}

double tolerance_of(DType dtype) { return dtype == DType::float64 ? 1e-10 : 1e-3; }

const std::vector<DType> kDTypes = {DType::float32, DType::float64};

/// Matrices of each layout: as they are, transposed, every second row.
std::vector<Array> layouts(const Shape& shape, DType dtype, std::uint64_t stream) {
  Shape doubled = shape;
  doubled[shape.rank() - 2] *= 2;
  Shape swapped = shape;
  std::swap(swapped[shape.rank() - 1], swapped[shape.rank() - 2]);
  return {draw(shape, dtype, stream), draw(swapped, dtype, stream).swapaxes(-1, -2),
          draw(doubled, dtype, stream).slice(-2, 0, {}, 2)};
}

}  // namespace

DEVICE_TEST_CASE("Solutions of equations solve them", "[linear_algebra]") {
  for (const DType dtype : kDTypes) {
    for (const Shape& shape : {Shape{1, 1}, Shape{5, 5}, Shape{2, 3, 4, 4}, Shape{0, 3, 3}}) {
      for (const Array& a : layouts(shape, dtype, 1)) {
        Shape right = shape;
        right[shape.rank() - 1] = 3;
        const Array b = draw(right, dtype, 2);
        const Array x = solve(a, b);
        CHECK(x.dtype() == dtype);
        CHECK(x.device() == current_device());
        CHECK(largest_difference(matmul(a, x), b) < tolerance_of(dtype) * 10);
        CHECK(largest_difference(
                  inv(a), solve(a, eye(shape[shape.rank() - 1], 0, dtype).broadcast_to(shape))) ==
              0);
      }
    }
  }
  // A vector, a batch beside one matrix, integers, none.
  const Array a = array({{2, 0}, {0, 4}}, DType::int32);
  CHECK(solve(a, array({2, 4})).to_vector<double>() == std::vector<double>{1, 1});
  CHECK(solve(a, array({2, 4}, DType::int32)).dtype() == DType::float64);
  CHECK(solve(stack({a, a * 2}), array({{2.0}, {4.0}}, DType::float64)).to_vector<double>() ==
        std::vector<double>{1, 1, 0.5, 0.5});
  CHECK(solve(zeros({0, 0}), zeros({0, 2})).shape() == Shape{0, 2});
}

TEST_CASE("Triangles are solved as they are asked for", "[linear_algebra]") {
  for (const DType dtype : kDTypes) {
    for (const bool upper : {false, true}) {
      for (const bool turned : {false, true}) {
        for (const bool unit : {false, true}) {
          const Array a = draw({2, 4, 4}, dtype, 3) + eye(4, 0, dtype) * 4;
          const Array b = draw({2, 4, 2}, dtype, 4);
          const Array x = triangular_solve(a, b, {upper, turned, unit});
          Array read = upper ? triu(a, unit ? 1 : 0) : tril(a, unit ? -1 : 0);
          if (unit) read = read + eye(4, 0, dtype);
          CHECK(largest_difference(matmul(turned ? transposed(read) : read, x), b) <
                tolerance_of(dtype));
        }
      }
    }
  }
}

TEST_CASE("Determinants are those of elimination", "[linear_algebra]") {
  for (const DType dtype : kDTypes) {
    for (const std::int64_t n : {0, 1, 2, 5, 9}) {
      const Array a = draw({3, n, n}, dtype, 5);
      const std::vector<double> values = det(a).to_vector<double>();
      const SlogdetOf<Array> parts = slogdet(a);
      for (std::int64_t i = 0; i < 3; ++i) {
        const double expected = static_cast<double>(determinant(rows_of(a, i)));
        const auto at = static_cast<std::size_t>(i);
        CHECK(values[at] == Approx(expected).epsilon(tolerance_of(dtype)));
        CHECK(parts.sign.to_vector<double>()[at] == (expected < 0 ? -1 : 1));
        CHECK(parts.logabsdet.to_vector<double>()[at] ==
              Approx(std::log(std::abs(expected))).margin(tolerance_of(dtype)));
      }
    }
  }
  const Array singular = array({{1.0, 2.0}, {2.0, 4.0}}, DType::float64);
  CHECK(det(singular).item() == 0);
  CHECK(slogdet(singular).sign.item() == 0);
  CHECK(slogdet(singular).logabsdet.item() == -std::numeric_limits<double>::infinity());
  // A determinant that overflows has a logarithm.
  const Array large = eye(400, 0, DType::float64) * 10.0;
  CHECK(std::isinf(det(large).item()));
  CHECK(slogdet(large).logabsdet.item() == Approx(400 * std::log(10.0)));
}

DEVICE_TEST_CASE("Decompositions give the matrix back", "[linear_algebra]") {
  for (const DType dtype : kDTypes) {
    const double tolerance = tolerance_of(dtype);
    for (const Shape& shape : {Shape{1, 1}, Shape{4, 4}, Shape{6, 3}, Shape{2, 3, 6},
                               Shape{0, 2, 2}, Shape{3, 0}, Shape{0, 3}}) {
      for (const Array& a : layouts(shape, dtype, 6)) {
        INFO(to_string(a.shape()));
        const std::int64_t m = a.shape(-2);
        const std::int64_t n = a.shape(-1);
        const std::int64_t least = std::min(m, n);
        for (const QrMode mode : {QrMode::reduced, QrMode::complete}) {
          const QrOf<Array> found = qr(a, mode);
          const std::int64_t columns = mode == QrMode::complete ? m : least;
          CHECK(found.q.shape(-1) == columns);
          CHECK(largest_difference(matmul(found.q, found.r), a) < tolerance);
          CHECK(largest_difference(triu(found.r), found.r) == 0);
          CHECK(largest_difference(
                    matmul(transposed(found.q), found.q),
                    eye(columns, 0, dtype)
                        .broadcast_to(matmul(transposed(found.q), found.q).shape())) < tolerance);
        }
        CHECK(largest_difference(qr(a, QrMode::r).r, qr(a).r) == 0);
        for (const bool full : {false, true}) {
          const SvdOf<Array> found = svd(a, full);
          CHECK(found.u.shape(-1) == (full ? m : least));
          CHECK(found.vt.shape(-2) == (full ? n : least));
          const Array u = found.u.slice(-1, 0, least);
          const Array vt = found.vt.slice(-2, 0, least);
          CHECK(largest_difference(matmul(u * found.s.expand_dims(-2), vt), a) < tolerance);
          CHECK(largest_difference(svdvals(a), found.s) < tolerance);
          const Array gram = matmul(found.vt, transposed(found.vt));
          CHECK(largest_difference(gram, eye(gram.shape(-1), 0, dtype).broadcast_to(gram.shape())) <
                tolerance);
        }
        const Array inverse = pinv(a);
        CHECK(largest_difference(matmul(matmul(a, inverse), a), a) < tolerance);
      }
    }
    const Array b = draw({2, 5, 5}, dtype, 7);
    const Array positive = matmul(b, transposed(b)) + eye(5, 0, dtype);
    CHECK(largest_difference(matmul(cholesky(positive), transposed(cholesky(positive))), positive) <
          tolerance * 10);
    CHECK(largest_difference(cholesky(positive, true), transposed(cholesky(positive))) == 0);
    // Only the lower triangle is read.
    CHECK(largest_difference(cholesky(tril(positive)), cholesky(positive)) == 0);
  }
}

TEST_CASE("Eigenvalues and eigenvectors belong together", "[linear_algebra]") {
  for (const DType dtype : kDTypes) {
    const double tolerance = tolerance_of(dtype);
    for (const std::int64_t n : {0, 1, 3, 8}) {
      const Array a = draw({2, n, n}, dtype, 8);
      const Array symmetric = a + transposed(a);
      for (const bool upper : {false, true}) {
        const Array read = upper ? triu(symmetric) : tril(symmetric);
        const EighOf<Array> found = eigh(read, upper);
        CHECK(largest_difference(matmul(symmetric, found.vectors),
                                 found.vectors * found.values.expand_dims(-2)) < tolerance * 10);
        CHECK(largest_difference(eigvalsh(read, upper), found.values) < tolerance);
        const std::vector<double> values = found.values.to_vector<double>();
        for (std::int64_t i = 0; i < 2 * n; ++i) {
          if (i % std::max<std::int64_t>(n, 1) > 0) {
            CHECK(values[static_cast<std::size_t>(i)] >= values[static_cast<std::size_t>(i - 1)]);
          }
        }
      }
      const EigOf<Array> found = eig(a);
      // A v = l v in the real and in the imaginary part.
      const Complex scaled = multiply(found.vectors, Complex{found.values.real.expand_dims(-2),
                                                             found.values.imag.expand_dims(-2)});
      CHECK(largest_difference(matmul(a, found.vectors.real), scaled.real) < tolerance * 10);
      CHECK(largest_difference(matmul(a, found.vectors.imag), scaled.imag) < tolerance * 10);
      const Array lengths = sum(square(abs(found.vectors)), {-2});
      CHECK(largest_difference(lengths, ones_like(lengths)) < tolerance);
    }
  }
  // A turn by a quarter: the eigenvalues are i and -i.
  const Complex values = eigvals(array({{0, -1}, {1, 0}}));
  CHECK(values.real.to_vector<double>() == std::vector<double>{0, 0});
  std::vector<double> imag = values.imag.to_vector<double>();
  std::sort(imag.begin(), imag.end());
  CHECK(imag == std::vector<double>{-1, 1});
}

TEST_CASE("Ranks and least squares know what counts as nothing", "[linear_algebra]") {
  const Array a = array({{1.0, 2.0}, {2.0, 4.0}, {3.0, 6.0}}, DType::float64);
  CHECK(matrix_rank(a).item() == 1);
  CHECK(matrix_rank(eye(3)).item() == 3);
  CHECK(matrix_rank(zeros({2, 2, 3})).to_vector<double>() == std::vector<double>{0, 0});
  CHECK(matrix_rank(eye(3), 2.0).item() == 0);
  CHECK(matrix_rank(array({0, 0})).item() == 0);
  CHECK(matrix_rank(array({0, 2})).item() == 1);

  const LeastSquaresOf<Array> shortest = lstsq(a, array({1.0, 2.0, 3.0}, DType::float64));
  // All (x, y) with x + 2 y = 1 fit; (1, 2) / 5 is the shortest.
  CHECK(largest_difference(shortest.x, array({0.2, 0.4}, DType::float64)) < 1e-14);
  CHECK(shortest.rank.item() == 1);
  CHECK(shortest.residuals.size() == 0);

  // A line through four points: normal equations by hand.
  const Array line = array({{0.0, 1.0}, {1.0, 1.0}, {2.0, 1.0}, {3.0, 1.0}}, DType::float64);
  const LeastSquaresOf<Array> fit = lstsq(line, array({-1.0, 0.2, 0.9, 2.1}, DType::float64));
  CHECK(largest_difference(fit.x, array({1.0, -0.95}, DType::float64)) < 1e-14);
  CHECK(fit.rank.item() == 2);
  CHECK(fit.residuals.shape() == Shape{1});
  CHECK(fit.residuals.to_vector<double>()[0] == Approx(0.05));
}

TEST_CASE("The exponential of a matrix is its series", "[linear_algebra]") {
  const Array a = draw({3, 4, 4}, DType::float64, 9);
  Array term = eye(4, 0, DType::float64).broadcast_to(a.shape());
  Array series = term;
  for (int k = 1; k < 60; ++k) {
    term = matmul(term, a) / k;
    series = series + term;
  }
  CHECK(largest_difference(expm(a), series) < 1e-11);
  // Every degree of the approximants, and halvings: exp(A) exp(-A) = 1, by LAPACK's products too.
  for (const std::int64_t n : {4, 20}) {
    const Array direction = draw({n, n}, DType::float64, 10) / static_cast<double>(4 * n);
    for (const double scale : {0.01, 0.2, 1.0, 3.0, 9.0, 30.0}) {
      const Array one = matmul(expm(direction * scale), expm(direction * -scale));
      CHECK(largest_difference(one, eye(n, 0, DType::float64)) < 1e-9);
    }
  }
  CHECK(largest_difference(expm(zeros({2, 2})), eye(2)) == 0);
  CHECK(expm(zeros({0, 0})).shape() == Shape{0, 0});
}

TEST_CASE("Products by axes and by blocks are plain sums", "[linear_algebra]") {
  const Array a = draw({2, 3, 4}, DType::float64, 1);
  const Array b = draw({4, 3, 5}, DType::float64, 2);
  const std::vector<double> x = a.to_vector<double>();
  const std::vector<double> y = b.to_vector<double>();
  const Array dots = tensordot(a, b, {1, -1}, {1, 0});
  REQUIRE(dots.shape() == Shape{2, 5});
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t l = 0; l < 4; ++l) sum += x[(i * 3 + k) * 4 + l] * y[(l * 3 + k) * 5 + j];
      }
      CHECK(dots.to_vector<double>()[i * 5 + j] == Approx(sum).margin(1e-12));
    }
  }
  CHECK(tensordot(array({1, 2}), array({3, 4}), 0).to_vector<double>() ==
        std::vector<double>{3, 4, 6, 8});
  CHECK(tensordot(array({1, 2}), array({3, 4}), 1).item() == 11);
  CHECK(kron(array({1, 10}), array({{1, 2}, {3, 4}})).to_vector<double>() ==
        std::vector<double>{1, 2, 10, 20, 3, 4, 30, 40});
  CHECK(kron(array({1, 10}), array({{1, 2}, {3, 4}})).shape() == Shape{2, 4});
  CHECK_THROWS_AS(tensordot(a, b, 2), ShapeError);
  CHECK_THROWS_AS(tensordot(a, b, 4), ShapeError);
  CHECK_THROWS_AS(tensordot(a, b, {1, 1}, {1, 1}), ShapeError);
}

TEST_CASE("Matrices that cannot be decomposed are refused", "[linear_algebra]") {
  const Array singular = array({{1.0, 2.0}, {2.0, 4.0}}, DType::float64);
  const Array batch = stack({eye(2, 0, DType::float64), singular});
  CHECK(test::complaint_of<ArgumentError>([&] { inv(batch); }) ==
        "[inv] matrix 1 of the batch is singular; pinv finds its pseudo-inverse");
  CHECK(test::complaint_of<ArgumentError>([&] {
          solve(singular, ones({2}));
        }).find("[solve] the matrix is singular") == 0);
  CHECK(test::complaint_of<ArgumentError>([&] { cholesky(-eye(2)); }) ==
        "[cholesky] the matrix is not positive definite");
  for (const double wrong : {NAN, INFINITY}) {
    const Array bad = full({2, 2}, wrong);
    CHECK_THROWS_AS(svd(bad), ArgumentError);
    CHECK_THROWS_AS(eigh(bad), ArgumentError);
    CHECK_THROWS_AS(eigvals(bad), ArgumentError);
  }
  // Eigen takes NaN for a success.
  CHECK_THROWS_AS(cholesky(full({2, 2}, NAN)), ArgumentError);
  CHECK(test::complaint_of<ShapeError>([&] { solve(ones({2, 2}), ones({3})); }) ==
        "[solve] expected A [..., n, n] and B [..., n, k] or [n], got [2, 2] and [3]");
  CHECK_THROWS_AS(det(ones({3})), ShapeError);
  CHECK_THROWS_AS(inv(ones({2, 3})), ShapeError);
  CHECK_THROWS_AS(solve(ones({2, 2}), ones({3})), ShapeError);
  CHECK_THROWS_AS(solve(ones({2, 2, 2}), ones({3, 2, 2})), ShapeError);
  CHECK_THROWS_AS(qr(ones({3})), ShapeError);
  CHECK_THROWS_AS(lstsq(ones({3, 2}), ones({2})), ShapeError);
}

TEST_CASE("Answers have the same bits for any number of threads", "[linear_algebra]") {
  const Array a = draw({7, 40, 40}, DType::float64, 12);
  std::vector<std::vector<double>> seen;
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    std::vector<double> all = inv(a).to_vector<double>();
    for (const Array& part : {svd(a).u, eigvals(a).real, qr(a).q, eigh(a).vectors}) {
      const std::vector<double> numbers = part.to_vector<double>();
      all.insert(all.end(), numbers.begin(), numbers.end());
    }
    seen.push_back(all);
  }
  set_num_threads(0);
  CHECK(seen[0] == seen[1]);
  CHECK(seen[0] == seen[2]);
  CHECK(!linear_algebra_library().empty());
}

TEST_CASE("Threads that decompose matrices at the same time do not disturb each other",
          "[linear_algebra]") {
  const Array a = draw({40, 40}, DType::float64, 12);
  const std::vector<double> expected = svd(a).u.to_vector<double>();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i) wrong += svd(a).u.to_vector<double>() == expected ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}
