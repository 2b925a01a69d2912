// SPDX-License-Identifier: MIT
#include "interpolation.h"

#include <algorithm>
#include <cmath>

#include "create.h"
#include "differences.h"
#include "indexing.h"
#include "interpolation_steps.h"
#include "joining.h"

namespace gaia {
namespace {

/// What NumPy does where a line through infinities has no height at x: as seen from the point
/// above, and where both points are of one height, that.
Array heights_again(const Array& y, const Array& x, const Array& slope, const Array& xp,
                    const Array& fp, const Array& below) {
  const Array above = minimum(add(below, 1), xp.size() - 1);
  const Array low = take(fp, below);
  const Array high = take(fp, above);
  const Array exact = equal(x, take(xp, below));
  const Array again = where(isnan(y), add(multiply(slope, subtract(x, take(xp, above))), high), y);
  const Array level = logical_and(isnan(again), equal(low, high));
  return where(logical_or(exact, logical_and(level, logical_not(isnan(x)))), low, again);
}

/// Heights of x, all in float64.
detail::Lines heights_at(const Array& x, const Array& xp, const Array& fp, bool for_gradients) {
  const std::int64_t n = xp.size();
  const double first = xp.item({0});
  const Array within = clip(x, first, xp.item({n - 1}));
  // Beyond the last point, on which a NaN lands too, the line goes on level.
  const Array level = zeros({1}, DType::float64);
  const Array widths = diff(xp);
  const Array slopes = concatenate({divide(diff(fp), widths), level}, 0);
  detail::Lines lines;
  lines.below = searchsorted(xp.slice(0, 1), within, Side::right);
  lines.slope = take(slopes, lines.below);
  Array distance = subtract(within, take(xp, lines.below));
  if (for_gradients) {
    const Array width = take(concatenate({widths, ones({1}, DType::float64)}, 0), lines.below);
    lines.share = divide(distance, where(equal(width, 0.0), 1.0, width));
  }
  distance *= lines.slope;
  distance += take(fp, lines.below);
  lines.y = distance;
  const bool has_infinities =
      first_not_finite(slopes) >= 0 || first_not_finite(fp) >= 0 || first_not_finite(xp) >= 0;
  if (has_infinities) {
    lines.y = heights_again(lines.y, within, lines.slope, xp, fp, lines.below);
  }
  const bool begins_with_several = n > 1 && xp.item({1}) == first;
  if (!begins_with_several && !for_gradients) return lines;
  const Array is_below = less(x, first);
  lines.slope = where(is_below, 0.0, lines.slope);
  if (begins_with_several) {  // the first of them counts for what lies below
    lines.y = where(is_below, fp.item({0}), lines.y);
    lines.below = where(is_below, 0, lines.below);
  }
  return lines;
}

/// Lengths or scales of the axes behind the first two.
template <class T>
std::vector<T> for_spatial_axes(const std::vector<T>& given, int rank, const char* what) {
  const std::size_t axes = static_cast<std::size_t>(rank - 2);
  if (given.size() == 1) return std::vector<T>(axes, given.front());
  if (given.size() != axes) {
    fail<ArgumentError>("[interpolate] expected a {} for 1 axis or for each of {}, got {}", what,
                        axes, given.size());
  }
  return given;
}

/// Positions of the new axis's elements on the old one, as if an element were its middle, or,
/// of PyTorch's older nearest, its beginning; in `dtype`.
Array positions_of(std::int64_t to, double ratio, bool from_middles, DType dtype) {
  const Array numbers = arange(to).astype(dtype);
  if (!from_middles) return multiply(numbers, ratio);
  return maximum(subtract(multiply(add(numbers, 0.5), ratio), 0.5), 0.0);
}

/// Computed in the dtype of the array, and rounded down in float32, as PyTorch does.
detail::ResizedAxis nearest_elements(int axis, std::int64_t from, std::int64_t to, double ratio,
                                     bool exact, DType dtype) {
  const DType computed = dtype == DType::float64 ? DType::float64 : DType::float32;
  Array position = positions_of(to, ratio, exact, computed);
  if (exact) position = add(position, 0.5);
  const Array element = floor(position.astype(DType::float32)).astype(DType::int64);
  return {axis, minimum(element, from - 1), {}, {}};
}

detail::ResizedAxis linear_elements(int axis, std::int64_t from, std::int64_t to, double ratio,
                                    bool align_corners) {
  if (align_corners) {
    ratio = to > 1 ? static_cast<double>(from - 1) / static_cast<double>(to - 1) : 0.0;
  }
  const Array position = positions_of(to, ratio, !align_corners, DType::float64);
  const Array low = minimum(position.astype(DType::int64), from - 1);
  return {axis, low, minimum(add(low, 1), from - 1), clip(subtract(position, low), 0.0, 1.0)};
}

}  // namespace

namespace detail {

void check_points(const Shape& xp, const Shape& fp) {
  if (xp.rank() == 1 && xp == fp && xp[0] > 0) return;
  fail<ShapeError>(
      "[interp] expected points xp and fp, 1-d, of one length and at least one, got shapes {} and "
      "{}",
      xp, fp);
}

Lines lines_at(const Array& x, const Array& xp, const Array& fp, const InterpOptions& options,
               bool for_gradients) {
  check_points(xp.shape(), fp.shape());
  const Array numbers = prepare(x, DType::float64, "interp");
  const Array positions = prepare(xp, DType::float64, "interp");
  const Array heights = prepare(fp, DType::float64, "interp");
  Lines lines = heights_at(numbers, positions, heights, for_gradients);
  const auto beyond = [&](const Array& outside, double value) {
    lines.y = where(outside, value, lines.y);
    const Array rest = logical_not(outside);
    lines.inside = lines.inside.rank() == 1 && lines.inside.size() == 0
                       ? rest
                       : logical_and(lines.inside, rest);
  };
  lines.inside = Array();
  if (options.left) beyond(less(numbers, positions.slice(0, 0, 1).reshape({})), *options.left);
  if (options.right) beyond(greater(numbers, positions.slice(0, -1).reshape({})), *options.right);
  return lines;
}

std::vector<ResizedAxis> resized_axes(const Shape& shape, DType dtype,
                                      const InterpolateOptions& options) {
  const int rank = shape.rank();
  if (rank < 3) {
    fail<ShapeError>("[interpolate] expected x [N, C, L], [N, C, H, W] or more, got shape {}",
                     shape);
  }
  if (options.size.empty() == options.scale.empty()) {
    throw ArgumentError("[interpolate] expected either a size or a scale");
  }
  const bool is_linear = options.mode == Interpolation::linear;
  if (options.align_corners && !is_linear) {
    throw ArgumentError("[interpolate] expected the mode linear with align_corners");
  }
  std::vector<ResizedAxis> resized;
  const auto sizes = options.size.empty() ? std::vector<std::int64_t>()
                                          : for_spatial_axes(options.size, rank, "size");
  const auto scales = options.scale.empty() ? std::vector<double>()
                                            : for_spatial_axes(options.scale, rank, "scale");
  for (int axis = 2; axis < rank; ++axis) {
    const auto i = static_cast<std::size_t>(axis - 2);
    const std::int64_t from = shape[axis];
    if (from == 0) fail<ShapeError>("[interpolate] axis {} of x has no elements", axis);
    std::int64_t to = 0;
    double ratio = 0.0;
    if (scales.empty()) {
      to = sizes[i];
      ratio = static_cast<double>(from) / static_cast<double>(to);
    } else {
      const double length = std::floor(static_cast<double>(from) * scales[i]);
      if (!(scales[i] > 0.0) || !(length < 0x1p62)) {
        fail<ArgumentError>("[interpolate] expected a scale above 0 that makes an axis, got {}",
                            scales[i]);
      }
      to = static_cast<std::int64_t>(length);
      ratio = 1.0 / scales[i];
    }
    if (to < 1) {
      fail<ArgumentError>("[interpolate] expected axes of at least 1 element, got {} along axis {}",
                          to, axis);
    }
    // Where lengths are equal PyTorch's linear modes copy, whatever the scale, and so does nearest
    // for images, which also shows each element twice along an axis of twice the length.
    const bool nearest_of_images = options.mode == Interpolation::nearest && rank == 4;
    if (from == to && (ratio == 1.0 || is_linear || nearest_of_images)) continue;
    if (nearest_of_images && to == 2 * from) ratio = 0.5;
    const bool exact = options.mode == Interpolation::nearest_exact;
    resized.push_back(is_linear ? linear_elements(axis, from, to, ratio, options.align_corners)
                                : nearest_elements(axis, from, to, ratio, exact, dtype));
  }
  return resized;
}

Array shares_of(const ResizedAxis& resized, int rank, DType dtype) {
  Shape along = Shape::filled(rank, 1);
  along[resized.axis] = resized.share.size();
  return resized.share.astype(dtype).reshape(along);
}

Array resize(const Array& x, const ResizedAxis& resized) {
  const Array low = take(x, resized.low, resized.axis);
  if (resized.share.size() == 0) return low;
  const Array result = take(x, resized.high, resized.axis);
  result -= low;
  result *= shares_of(resized, x.rank(), x.dtype());
  result += low;
  return result;
}

}  // namespace detail

Array interp(const Array& x, const Array& xp, const Array& fp, const InterpOptions& options) {
  const DType dtype = floating_result(promote(promote(x.dtype(), xp.dtype()), fp.dtype()));
  detail::check_points(xp.shape(), fp.shape());
  if (options.period) {
    const auto core = [](const Array& at, const Array& positions, const Array& heights) {
      return detail::lines_at(at, positions, heights, {}, false).y;
    };
    return detail::interp_periodic(on_current_device(x, "interp"), on_current_device(xp, "interp"),
                                   on_current_device(fp, "interp"), *options.period, core)
        .astype(dtype);
  }
  return detail::lines_at(x, xp, fp, options, false).y.astype(dtype);
}

Array interpolate(const Array& x, const InterpolateOptions& options) {
  const std::vector<detail::ResizedAxis> resized =
      detail::resized_axes(x.shape(), x.dtype(), options);
  const bool is_linear = options.mode == Interpolation::linear;
  Array y = prepare(x, is_linear ? floating_result(x.dtype()) : x.dtype(), "interpolate");
  for (const detail::ResizedAxis& axis : resized) y = detail::resize(y, axis);
  return resized.empty() ? y.copy() : y;
}

}  // namespace gaia
