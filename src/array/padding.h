// SPDX-License-Identifier: MIT
/// \file
/// More elements before and behind an array along its axes, in NumPy's modes.
#pragma once

#include <cstdint>
#include <vector>

#include "array.h"

namespace gaia {

/// What stands in the elements that `pad` adds.
enum class PadMode : std::uint8_t {
  constant,     ///< `PadOptions::values`, or 0.
  edge,         ///< The element at that end.
  linear_ramp,  ///< A straight line from the element at that end to `PadOptions::values`, or 0.
  maximum,      ///< The largest element of a lane, or of its part beside that end.
  mean,         ///< The mean of the same; among integers rounded, halves to even.
  median,       ///< The median of the same, alike.
  minimum,      ///< The smallest of the same.
  reflect,      ///< d c b | a b c d | c b a: mirrored, the element at that end once.
  symmetric,    ///< d c b a | a b c d | d c b a: mirrored with the element at that end.
  wrap,         ///< b c d | a b c d | a b c: from the other end.
  empty,        ///< Nothing: the elements are not set.
};

/// Whether mirrored elements stay as they are, or stand as far below the element at the end as they
/// were above it: 2 end - element.
enum class ReflectType : std::uint8_t { even, odd };

/// Number of elements before the first and behind the last one of an axis.
struct PadWidth {
  std::int64_t before = 0;
  std::int64_t behind = 0;
};

/// A number for each end of an axis.
struct PadValues {
  double before = 0.0;
  double behind = 0.0;
};

/// How `pad` fills.  Each list has one entry for each axis, or one for all of them.
struct PadOptions {
  PadMode mode = PadMode::constant;
  std::vector<PadValues> values = {};       ///< For constant and linear_ramp; none: 0.
  std::vector<PadWidth> stat_lengths = {};  ///< For maximum to minimum, beside the ends; none: all.
  ReflectType reflect_type = ReflectType::even;  ///< For reflect and symmetric.
};

/// numpy.pad: x with `widths` elements more at the ends of its axes, one entry for each axis or one
/// for all of them.  Axis after axis, each over what those before it have added; widths beyond the
/// length of an axis mirror and wrap again and again.  The dtype stays.
/// \throws ShapeError for lists of another length, or to fill beside an empty axis in a mode other
///         than constant and empty; ArgumentError for negative widths and for the extremes of no
///         elements; DTypeError for odd reflections of bool.
Array pad(const Array& x, const std::vector<PadWidth>& widths, const PadOptions& options = {});
/// The same number at all ends.
inline Array pad(const Array& x, std::int64_t width, const PadOptions& options = {}) {
  return pad(x, {{width, width}}, options);
}

}  // namespace gaia
