// SPDX-License-Identifier: MIT
/// \file
/// What `pad` does along one axis, step by step, for its values and for its gradient.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../core/message.h"
#include "padding.h"

namespace gaia::detail {

/// `given` for each of `rank` axes: one entry may stand for all.
template <class T>
std::vector<T> for_each_axis(const std::vector<T>& given, int rank, const char* what) {
  if (given.size() == 1) return std::vector<T>(static_cast<std::size_t>(rank), given.front());
  if (given.size() != static_cast<std::size_t>(rank)) {
    fail<ShapeError>("[pad] expected {} for 1 axis or for each of {}, got {}", what, rank,
                     given.size());
  }
  return given;
}

/// The widths of each axis, checked.
inline std::vector<PadWidth> widths_of(const Shape& shape, const std::vector<PadWidth>& given,
                                       PadMode mode) {
  std::vector<PadWidth> widths = for_each_axis(given, shape.rank(), "widths");
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const auto [before, behind] = widths[static_cast<std::size_t>(axis)];
    if (before < 0 || behind < 0) {
      fail<ArgumentError>("[pad] expected widths of at least 0, got {} and {} along axis {}",
                          before, behind, axis);
    }
    const bool needs_elements = mode != PadMode::constant && mode != PadMode::empty;
    if (needs_elements && shape[axis] == 0 && (before > 0 || behind > 0)) {
      fail<ShapeError>(
          "[pad] axis {} has no elements to fill with; only the modes constant and empty fill "
          "beside it",
          axis);
    }
  }
  return widths;
}

/// How many elements beside each end of an axis of `length` a statistic is taken of.
inline PadWidth stat_lengths_of(const PadOptions& options, int axis, int rank,
                                std::int64_t length) {
  PadWidth lengths = {length, length};
  if (!options.stat_lengths.empty()) {
    const auto given = for_each_axis(options.stat_lengths, rank, "stat_lengths");
    lengths = given[static_cast<std::size_t>(axis)];
    if (lengths.before < 0 || lengths.behind < 0) {
      fail<ArgumentError>("[pad] expected stat_lengths of at least 0, got {} and {}",
                          lengths.before, lengths.behind);
    }
    lengths = {std::min(lengths.before, length), std::min(lengths.behind, length)};
  }
  const bool is_extreme = options.mode == PadMode::maximum || options.mode == PadMode::minimum;
  if (is_extreme && (lengths.before == 0 || lengths.behind == 0)) {
    throw ArgumentError("[pad] expected stat_lengths of at least 1: nothing has no extreme");
  }
  return lengths;
}

/// Elements of a padded axis that are copied from others: [to, to + count) from [from, from +
/// count), backwards if mirrored; odd ones are mirrored at the element `end` in value, too.
struct PadMove {
  std::int64_t to = 0;
  std::int64_t from = 0;
  std::int64_t count = 0;
  bool mirrored = false;
  std::int64_t end = -1;  ///< -1: even.

  /// Sources of the elements, in the order of their places.
  template <class T>
  T source(const T& lane, int axis) const {
    const T part = lane.slice(axis, from, from + count);
    return mirrored ? part.slice(axis, {}, {}, -1) : part;
  }
};

/// The mode along an axis of `length` elements: a single one has nothing to be mirrored at it.
inline PadMode mode_along(PadMode mode, std::int64_t length) {
  const bool mirrors = mode == PadMode::reflect || mode == PadMode::symmetric;
  return mirrors && length == 1 ? PadMode::edge : mode;
}

/// The moves of reflect, symmetric and wrap along an axis of `length` elements, one after the
/// other: as in NumPy each extends what there is by whole periods of the elements at most.
inline std::vector<PadMove> moves_along(std::int64_t length, PadWidth width, PadMode mode,
                                        ReflectType type) {
  std::vector<PadMove> moves;
  const bool wraps = mode == PadMode::wrap;
  const std::int64_t total = width.before + length + width.behind;
  const std::int64_t beside = mode == PadMode::reflect ? 1 : 0;  // the end itself stays out
  const bool odd = !wraps && type == ReflectType::odd;
  auto [before, behind] = width;  // still to be filled
  while (before > 0 || behind > 0) {
    const std::int64_t first = before;
    const std::int64_t last = total - behind - 1;
    const std::int64_t period = length - beside;
    const std::int64_t there = (last + 1 - first - beside) / period * period;
    if (const std::int64_t count = std::min(there, before); count > 0) {
      const std::int64_t from = wraps ? first + there - count : first + beside;
      moves.push_back({first - count, from, count, !wraps, odd ? first : -1});
      before -= count;
    }
    if (const std::int64_t count = std::min(there, behind); count > 0) {
      const std::int64_t from = wraps ? last + 1 - there : last + 1 - beside - count;
      moves.push_back({last + 1, from, count, !wraps, odd ? last : -1});
      behind -= count;
    }
  }
  return moves;
}

/// `padded` with the axes up to `done` whole, and of the others only where an array of `shape`
/// stands in it.
inline Array shown_part(const Array& padded, const Shape& shape,
                        const std::vector<PadWidth>& widths, int done) {
  Array part = padded;
  for (int axis = done; axis < shape.rank(); ++axis) {
    const std::int64_t start = widths[static_cast<std::size_t>(axis)].before;
    part = part.slice(axis, start, start + shape[axis]);
  }
  return part;
}

/// An axis of a padded array, of which only what the axes up to it fill is shown.
struct PaddedAxis {
  PaddedAxis(const Array& padded, const Shape& shape, const std::vector<PadWidth>& widths,
             int which)
      : lanes(shown_part(padded, shape, widths, which + 1)),
        axis(which),
        length(shape[which]),
        width(widths[static_cast<std::size_t>(which)]) {}

  Array lanes;
  int axis;
  std::int64_t length;  ///< Before it was padded.
  PadWidth width;

  Array before() const { return lanes.slice(axis, 0, width.before); }
  Array behind() const { return lanes.slice(axis, width.before + length); }
  /// Elements [start, stop) of those that were there before.
  Array inner(std::int64_t start, std::int64_t stop) const {
    return lanes.slice(axis, width.before + start, width.before + stop);
  }
};

}  // namespace gaia::detail
