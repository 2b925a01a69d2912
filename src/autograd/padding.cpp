// SPDX-License-Identifier: MIT
#include "padding.h"

#include <utility>

#include "../array/create.h"
#include "../array/ops.h"
#include "../array/padding_steps.h"
#include "function.h"
#include "joining.h"
#include "reduce.h"
#include "statistics.h"
#include "views.h"

namespace gaia {
namespace {

// What `pad` fills, part for part in reverse: gradients of what was added go to what it was
// computed from.

Array total_of(const detail::PaddedAxis& at, const Array& part) {
  return sum(part, {at.axis}, true);
}

void edges_back(const detail::PaddedAxis& at) {
  if (at.width.before > 0) at.inner(0, 1) += total_of(at, at.before());
  if (at.width.behind > 0) at.inner(at.length - 1, at.length) += total_of(at, at.behind());
}

void ramps_back(const detail::PaddedAxis& at) {
  const auto shares = [&](std::int64_t width) {
    Shape along = Shape::filled(at.lanes.rank(), 1);
    along[at.axis] = width;
    const Array line = divide(arange(width).astype(at.lanes.dtype()), static_cast<double>(width));
    return line.reshape(along);
  };
  const auto [before, behind] = at.width;
  if (before > 0) at.inner(0, 1) += total_of(at, multiply(at.before(), shares(before)));
  if (behind > 0) {
    const Array line = shares(behind).slice(at.axis, {}, {}, -1);
    at.inner(at.length - 1, at.length) += total_of(at, multiply(at.behind(), line));
  }
}

void means_back(const detail::PaddedAxis& at, PadWidth lengths) {
  const auto [before, behind] = lengths;
  if (at.width.before > 0 && before > 0) {
    at.inner(0, before) += divide(total_of(at, at.before()), static_cast<double>(before));
  }
  if (at.width.behind > 0 && behind > 0) {
    const Array part = at.inner(at.length - behind, at.length);
    part += divide(total_of(at, at.behind()), static_cast<double>(behind));
  }
}

void moves_back(const detail::PaddedAxis& at, PadMode mode, ReflectType type) {
  std::vector<detail::PadMove> moves = detail::moves_along(at.length, at.width, mode, type);
  for (auto move = moves.rbegin(); move != moves.rend(); ++move) {
    const Array target = at.lanes.slice(at.axis, move->to, move->to + move->count);
    const Array source = move->source(at.lanes, at.axis);
    if (move->end < 0) {
      source += target;
    } else {
      source -= target;
      at.lanes.slice(at.axis, move->end, move->end + 1) += multiply(total_of(at, target), 2.0);
    }
  }
}

void axis_back(const detail::PaddedAxis& at, const PadOptions& options, int rank) {
  const PadMode mode = detail::mode_along(options.mode, at.length);
  if (mode == PadMode::edge) return edges_back(at);
  if (mode == PadMode::linear_ramp) return ramps_back(at);
  if (mode == PadMode::mean) {
    return means_back(at, detail::stat_lengths_of(options, at.axis, rank, at.length));
  }
  if (mode == PadMode::constant || mode == PadMode::empty) return;
  moves_back(at, mode, options.reflect_type);
}

/// The gradient of an array of `shape` from that of the padded one, for modes that are linear.
Array unpadded(const Array& dy, const Shape& shape, const std::vector<PadWidth>& widths,
               const PadOptions& options) {
  const Array sums = dy.copy();
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] == 0) continue;
    axis_back(detail::PaddedAxis(sums, shape, widths, axis), options, shape.rank());
  }
  return detail::shown_part(sums, shape, widths, 0);
}

Tensor extreme_of(PadMode mode, const Tensor& lanes, int axis) {
  if (mode == PadMode::maximum) return max(lanes, {axis}, true);
  if (mode == PadMode::minimum) return min(lanes, {axis}, true);
  return median(lanes, {axis}, true);
}

/// Padding by maximum, minimum or median, joined of its parts, whose gradients are known.
Tensor padded_by_order(const Tensor& x, const std::vector<PadWidth>& widths,
                       const PadOptions& options) {
  Tensor y = x;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const auto [before, behind] = widths[static_cast<std::size_t>(axis)];
    if (before == 0 && behind == 0) continue;
    const std::int64_t length = x.shape(axis);
    const PadWidth stat = detail::stat_lengths_of(options, axis, x.rank(), length);
    const auto of = [&](std::int64_t start, std::int64_t stop, std::int64_t count) {
      const Tensor one = extreme_of(options.mode, y.slice(axis, start, stop), axis);
      Shape shape = one.shape();
      shape[axis] = count;
      return one.astype(x.dtype()).broadcast_to(shape);
    };
    const Tensor parts[] = {of(0, stat.before, before), y,
                            of(length - stat.behind, length, behind)};
    y = concatenate(parts, axis);
  }
  return y;
}

}  // namespace

Tensor pad(const Tensor& x, const std::vector<PadWidth>& given, const PadOptions& options) {
  const PadMode mode = options.mode;
  const std::vector<PadWidth> widths = detail::widths_of(x.shape(), given, mode);
  const bool is_ordered =
      mode == PadMode::maximum || mode == PadMode::minimum || mode == PadMode::median;
  if (is_ordered && x.requires_grad()) return padded_by_order(x, widths, options);
  return record("pad", {x}, pad(x.value(), widths, options),
                [shape = x.shape(), widths, options](GradientFlow& flow) {
                  flow.give(0, unpadded(flow.gradient(), shape, widths, options));
                });
}

}  // namespace gaia
