// SPDX-License-Identifier: MIT
/// \file
/// The last rows of a series, for controls that read them side by side.
#pragma once

#include <cstdint>

#include "../../array/array.h"
#include "../../array/array_map.h"

namespace gaia {

/// Holds the rows before those that are read; zeros where a trial has none yet.
class LastRows {
 public:
  /// `rows` before a sample's newest, of so many channels.
  LastRows(std::int64_t rows, std::int64_t channels, DType dtype);

  void begin_trial();
  /// Step of the trial that comes next.
  std::int64_t step() const { return step_; }
  /// The newest rows of the samples x [steps, features], which come next, and those before them,
  /// oldest first: [(rows + steps) channels].
  Array take(const Array& x);

  void add_state(ArrayMap& arrays) const;
  /// Stands before step `step` of a trial.  \throws ArgumentError or ShapeError unless it was the
  /// state of such rows.
  void set_state(const ArrayMap& arrays, std::int64_t step);

 private:
  std::int64_t rows_;
  std::int64_t channels_;
  DType dtype_;
  std::int64_t step_ = 0;
  Array before_;  // [rows channels]
};

}  // namespace gaia
