// SPDX-License-Identifier: MIT
#include "padding.h"

#include "../core/checked.h"
#include "create.h"
#include "operands.h"
#include "ops.h"
#include "padding_steps.h"
#include "statistics.h"

namespace gaia {
namespace {

using detail::PaddedAxis;

void fill_ends(const PaddedAxis& at, PadValues values) {
  if (at.width.before > 0) at.before().fill(values.before);
  if (at.width.behind > 0) at.behind().fill(values.behind);
}

/// The straight line from `end`, outside, to the element `edge`, which is not in it: NumPy's
/// linspace.
Array ramp(const Array& edge, double end, std::int64_t width, int axis) {
  Shape along = Shape::filled(edge.rank(), 1);
  along[axis] = width;
  const Array from = edge.astype(DType::float64);
  const Array step = divide(subtract(from, end), static_cast<double>(width));
  const Array line = add(multiply(arange(width).reshape(along), step), end);
  return is_integer(edge.dtype()) ? floor(line) : line;
}

void ramp_ends(const PaddedAxis& at, PadValues values) {
  const auto [before, behind] = at.width;
  if (before > 0) at.before().assign(ramp(at.inner(0, 1), values.before, before, at.axis));
  if (behind > 0) {
    const Array line = ramp(at.inner(at.length - 1, at.length), values.behind, behind, at.axis);
    at.behind().assign(line.slice(at.axis, {}, {}, -1));
  }
}

/// The statistic of lanes, which stays along the axis.
Array statistic(PadMode mode, const Array& lanes, int axis) {
  Array result;
  switch (mode) {
    case PadMode::maximum:
      return max(lanes, {axis}, true);
    case PadMode::minimum:
      return min(lanes, {axis}, true);
    case PadMode::mean:
      result = mean(lanes, {axis}, true);
      break;
    default:
      result = median(lanes, {axis}, true);
      break;
  }
  return is_integer(lanes.dtype()) ? round(result) : result;
}

void repeat_statistic(const PaddedAxis& at, PadMode mode, PadWidth lengths) {
  const auto of = [&](std::int64_t start, std::int64_t stop) {
    return statistic(mode, at.inner(start, stop), at.axis);
  };
  // A statistic of the whole is the same at both ends.
  const Array first = of(0, lengths.before);
  const bool whole = lengths.before == at.length && lengths.behind == at.length;
  if (at.width.before > 0) at.before().assign(first);
  if (at.width.behind > 0) {
    at.behind().assign(whole ? first : of(at.length - lengths.behind, at.length));
  }
}

void repeat_edges(const PaddedAxis& at) {
  if (at.width.before > 0) at.before().assign(at.inner(0, 1));
  if (at.width.behind > 0) at.behind().assign(at.inner(at.length - 1, at.length));
}

void move_elements(const PaddedAxis& at, PadMode mode, ReflectType type) {
  for (const detail::PadMove& move : detail::moves_along(at.length, at.width, mode, type)) {
    const Array target = at.lanes.slice(at.axis, move.to, move.to + move.count);
    const Array source = move.source(at.lanes, at.axis);
    if (move.end < 0) {
      target.assign(source);
    } else {
      const Array end = at.lanes.slice(at.axis, move.end, move.end + 1);
      target.assign(subtract(multiply(end, 2), source));
    }
  }
}

/// The values of an axis, which are 0 where none are given.
PadValues values_along(const PadOptions& options, int axis, int rank) {
  if (options.values.empty()) return {};
  return detail::for_each_axis(options.values, rank, "values")[static_cast<std::size_t>(axis)];
}

void fill_axis(const PaddedAxis& at, const PadOptions& options, int rank) {
  const PadMode mode = detail::mode_along(options.mode, at.length);
  switch (mode) {
    case PadMode::constant:
      return fill_ends(at, values_along(options, at.axis, rank));
    case PadMode::edge:
      return repeat_edges(at);
    case PadMode::linear_ramp:
      return ramp_ends(at, values_along(options, at.axis, rank));
    case PadMode::maximum:
    case PadMode::mean:
    case PadMode::median:
    case PadMode::minimum:
      return repeat_statistic(at, mode, detail::stat_lengths_of(options, at.axis, rank, at.length));
    case PadMode::reflect:
    case PadMode::symmetric:
    case PadMode::wrap:
      return move_elements(at, mode, options.reflect_type);
    case PadMode::empty:
      return;
  }
}

}  // namespace

Array pad(const Array& x, const std::vector<PadWidth>& given, const PadOptions& options) {
  const std::vector<PadWidth> widths = detail::widths_of(x.shape(), given, options.mode);
  const bool mirrors = options.mode == PadMode::reflect || options.mode == PadMode::symmetric;
  if (mirrors && options.reflect_type == ReflectType::odd && x.dtype() == DType::boolean) {
    throw DTypeError("[pad] expected numbers to mirror oddly, got bool; use the type even");
  }
  const auto width_of = [&](int axis) { return widths[static_cast<std::size_t>(axis)]; };
  Shape shape = x.shape();
  for (int axis = 0; axis < x.rank(); ++axis) {
    const auto added = checked_add(width_of(axis).before, width_of(axis).behind);
    const auto length = added ? checked_add(*added, shape[axis]) : added;
    if (!length) fail<ShapeError>("[pad] axis {} would be longer than 2^63", axis);
    shape[axis] = *length;
  }
  const Array result = Array::uninitialized(shape, x.dtype());
  if (result.size() == 0) return result;
  const Array middle = detail::shown_part(result, x.shape(), widths, 0);
  if (x.size() > 0) middle.assign(on_current_device(x, "pad"));
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (width_of(axis).before == 0 && width_of(axis).behind == 0) continue;
    fill_axis(PaddedAxis(result, x.shape(), widths, axis), options, x.rank());
  }
  return result;
}

}  // namespace gaia
