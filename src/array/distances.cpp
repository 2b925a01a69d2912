// SPDX-License-Identifier: MIT
#include "distances.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "../core/message.h"
#include "../core/parallel.h"
#include "apply.h"
#include "create.h"
#include "distances_steps.h"
#include "indexing.h"
#include "joining.h"
#include "operands.h"
#include "ops.h"

namespace gaia {
namespace {

/// Numbers that are worked on at a time, so that they stay in a cache.
constexpr std::int64_t kAtATime = 1 << 15;
/// With so many coordinates Euclidean distances come from a matrix product.
constexpr std::int64_t kFewestOfProduct = 5;

bool is_largest(double p) { return std::isinf(p); }

/// |difference|^p, whose sum (or, for infinity, largest) makes the distance; in the place of the
/// differences where it can.
Array term_of(const Array& difference, double p) {
  if (p == 0.0) return not_equal(difference, 0.0).astype(DType::float64);
  if (p == 2.0) {
    apply(Square{}, difference, difference);
    return difference;
  }
  apply(Abs{}, difference, difference);
  return p == 1.0 || is_largest(p) ? difference : power(difference, p);
}

Array root_of(const Array& sums, double p) {
  if (p == 2.0) return sqrt(sums);
  if (p == 0.0 || p == 1.0 || is_largest(p)) return sums;
  return power(sums, 1.0 / p);
}

/// Coordinates before points: [M, B, n].
Array by_coordinates(const Array& points) { return points.transpose({2, 0, 1}).contiguous(); }

/// Differences of points [first, last) of a to all of b: [M, B, last - first, R] of coordinates,
/// both [M, B, points].
Array differences_of(const Array& a, const Array& b, std::int64_t first, std::int64_t last) {
  return subtract(a.slice(2, first, last).expand_dims(3), b.expand_dims(2));
}

/// f(first, last) for points of a, so many at a time that `each` numbers for one of them are few.
template <class F>
void in_parts(std::int64_t points, std::int64_t each, F f) {
  const std::int64_t count = std::max<std::int64_t>(1, kAtATime / std::max<std::int64_t>(1, each));
  for (std::int64_t first = 0; first < points; first += count) {
    f(first, std::min(points, first + count));
  }
}

/// The same of parts that have nothing to do with each other, which threads share on the CPU.
template <class F>
void in_parts_at_once(std::int64_t points, std::int64_t each, F f) {
  if (!current_device().is_cpu()) return in_parts(points, each, f);
  std::vector<std::int64_t> starts;
  in_parts(points, each, [&](std::int64_t first, std::int64_t) { starts.push_back(first); });
  starts.push_back(points);
  parallel_for(static_cast<std::int64_t>(starts.size()) - 1, [&](std::int64_t i) {
    const GPUContext here(Device::cpu());
    const auto part = static_cast<std::size_t>(i);
    f(starts[part], starts[part + 1]);
  });
}

/// Terms added up (or their largest) over all coordinates, one after the other: [B, P, R].
Array terms_over_coordinates(const detail::PointSets& sets, double p) {
  const Array a = by_coordinates(sets.a);
  const Array b = by_coordinates(sets.b);
  const std::int64_t points = a.shape(2);
  const Array result = zeros({a.shape(1), points, b.shape(2)}, DType::float64);
  in_parts_at_once(points, b.shape(1) * b.shape(2), [&](std::int64_t first, std::int64_t last) {
    const Array sums = result.slice(1, first, last);
    for (std::int64_t k = 0; k < a.shape(0); ++k) {
      const Array apart =
          differences_of(a.slice(0, k, k + 1), b.slice(0, k, k + 1), first, last)[0];
      if (is_largest(p)) {
        sums.update(Maximum{}, term_of(apart, p), "cdist");
      } else {
        sums += term_of(apart, p);
      }
    }
  });
  return result;
}

/// Squares of Euclidean distances [B, P, R] from |a|^2 + |b|^2 - 2 a b, of points seen from the
/// middle of b; those of points so close that digits cancel from their differences.
Array squares_by_product(const detail::PointSets& sets) {
  const Array middle = mean(sets.b, {1}, true);
  const Array a = subtract(sets.a, middle);
  const Array b = subtract(sets.b, middle);
  const Array a_squares = sum(square(a), {2}, true);
  const Array b_squares = sum(square(b), {2}, true);
  const Array left = concatenate({multiply(a, -2.0), a_squares, ones_like(a_squares)}, 2);
  const Array right = concatenate({b, ones_like(b_squares), b_squares}, 2);
  const Array squares = matmul(left, right.swapaxes(1, 2));
  if (first_not_finite(squares) >= 0) return terms_over_coordinates(sets, 2.0);
  // A square of a share s of |a|^2 + |b|^2 has lost the digits of 1 / s.
  constexpr double kShare = 1e-3;
  const Array small = multiply(add(a_squares, max(b_squares, {1}, true)), kShare);
  const Array close = flatnonzero(less(squares, small));
  if (close.size() > squares.size() / 4) return terms_over_coordinates(sets, 2.0);
  const std::int64_t coordinates = a.shape(2);
  const Array a_rows = sets.a.reshape({-1, coordinates});
  const Array b_rows = sets.b.reshape({-1, coordinates});
  const Array flat = squares.reshape({-1});
  in_parts(close.size(), coordinates, [&](std::int64_t first, std::int64_t last) {
    const Array at = close.slice(0, first, last);
    const Array of_a = floor_divide(at, b.shape(1));  // the row among all batches
    const Array of_b =
        add(multiply(floor_divide(of_a, a.shape(1)), b.shape(1)), remainder(at, b.shape(1)));
    const Array difference = subtract(take(a_rows, of_a, 0), take(b_rows, of_b, 0));
    index_assign(flat, at, sum(square(difference), {1}));
  });
  return squares;
}

Shape with_lengths(const Shape& batch, std::int64_t rows, std::int64_t columns) {
  Shape shape = batch;
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}

/// dy |a - b|^(p - 1) sign(a - b) / d^(p - 1), [M, B, n, R]; d and dy are [B, n, R].
Array slopes_of(const Array& difference, double p, const Array& d, const Array& dy) {
  if (is_largest(p)) {  // not of d, which may have been rounded
    const Array size = abs(difference);
    return where(equal(size, max(size, {0}, true)), multiply(sign(difference), dy), 0.0);
  }
  if (p == 1.0) return multiply(sign(difference), dy);
  // Seen from the distance, so that no power leaves the range of numbers.
  const Array share = divide(abs(difference), where(equal(d, 0.0), 1.0, d));
  const Array slope = multiply(sign(difference), multiply(power(share, p - 1.0), dy));
  return where(equal(difference, 0.0), 0.0, slope);
}

}  // namespace

namespace detail {

PointSets point_sets(const Array& a, const Array& b, double p) {
  if (a.rank() < 2 || b.rank() < 2 || a.shape(-1) != b.shape(-1)) {
    fail<ShapeError>(
        "[cdist] expected points in rows, [..., P, M] and [..., R, M], got shapes {} and {}",
        a.shape(), b.shape());
  }
  if (!(p >= 0.0)) fail<ArgumentError>("[cdist] expected p of at least 0, got {}", p);
  const auto batch_of = [](const Array& x) {
    return Shape(std::span(x.shape().begin(), static_cast<std::size_t>(x.rank() - 2)));
  };
  const Shape batch = broadcast_shapes(batch_of(a), batch_of(b), "cdist");
  const auto matrices = [&](const Array& x) {
    return prepare(x, DType::float64, "cdist")
        .broadcast_to(with_lengths(batch, x.shape(-2), x.shape(-1)))
        .reshape({count_elements(batch), x.shape(-2), x.shape(-1)});
  };
  return {matrices(a), matrices(b), batch};
}

DistanceGradients distance_gradients(const Array& a, const Array& b, double p, const Array& d,
                                     const Array& dy) {
  const PointSets sets = point_sets(a, b, p);
  const Shape pairs = {sets.a.shape(0), sets.a.shape(1), sets.b.shape(1)};
  const Array lengths = prepare(d, DType::float64, "cdist").reshape(pairs);
  const Array slopes = prepare(dy, DType::float64, "cdist").reshape(pairs);
  const auto shaped = [&](const Array& x) {
    return x.reshape(with_lengths(sets.batch, x.shape(1), x.shape(2)));
  };
  if (p == 2.0) {  // sum_j w_ij (a_i - b_j), w = dy / d
    const Array weights = where(equal(lengths, 0.0), 0.0, divide(slopes, lengths));
    const Array middle = mean(sets.b, {1}, true);
    const Array from = subtract(sets.a, middle);
    const Array to = subtract(sets.b, middle);
    const Array da = subtract(multiply(from, sum(weights, {2}, true)), matmul(weights, to));
    const Array across = weights.swapaxes(1, 2);
    const Array db = subtract(multiply(to, sum(across, {2}, true)), matmul(across, from));
    return {shaped(da), shaped(db)};
  }
  const Array da = zeros(sets.a.shape(), DType::float64);
  const Array db = zeros(sets.b.shape(), DType::float64);
  if (p == 0.0 || da.size() == 0 || db.size() == 0) return {shaped(da), shaped(db)};
  const Array x = by_coordinates(sets.a);
  const Array y = by_coordinates(sets.b);
  in_parts(x.shape(2), y.size(), [&](std::int64_t first, std::int64_t last) {
    const Array slope = slopes_of(differences_of(x, y, first, last), p,
                                  lengths.slice(1, first, last), slopes.slice(1, first, last));
    da.slice(1, first, last).assign(sum(slope, {3}).transpose({1, 2, 0}));
    db -= sum(slope, {2}).transpose({1, 2, 0});
  });
  return {shaped(da), shaped(db)};
}

}  // namespace detail

Array cdist(const Array& a, const Array& b, double p) {
  const detail::PointSets sets = detail::point_sets(a, b, p);
  const Shape shape = with_lengths(sets.batch, a.shape(-2), b.shape(-2));
  const DType dtype = floating_result(promote(a.dtype(), b.dtype()));
  if (count_elements(shape) == 0) return zeros(shape, dtype);
  const bool by_product = p == 2.0 && sets.a.shape(2) >= kFewestOfProduct;
  const Array sums = by_product ? squares_by_product(sets) : terms_over_coordinates(sets, p);
  return root_of(sums, p).reshape(shape).astype(dtype);
}

}  // namespace gaia
