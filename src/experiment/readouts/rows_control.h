// SPDX-License-Identifier: MIT
/// \file
/// Controls that read rows of the series side by side.
#pragma once

#include "control.h"
#include "last_rows.h"

namespace gaia {

/// What such controls carry from sample to sample: the last rows of the trial, and nothing else.
class RowsControl : public Control {
 public:
  static constexpr bool kSameForAll = true;

  HierarchyBlock process(const RunBlock& run) override { return read(run.x); }
  void begin_trial() override { last_.begin_trial(); }
  void add_state(ArrayMap& arrays) const override { last_.add_state(arrays); }
  void set_state(const ArrayMap& arrays, std::int64_t step) override {
    last_.set_state(arrays, step);
  }

 protected:
  /// `before`: rows that are held beside those of a block.
  RowsControl(const ControlSetup& setup, std::int64_t before)
      : channels_(setup.channels()),
        spacing_(common_spacing(setup)),
        last_(before, channels_, setup.config.dtype) {}

  /// Reads the samples x [steps, features], which come next.
  virtual HierarchyBlock read(const Array& x) = 0;

  std::int64_t channels_;
  std::int64_t spacing_;  // ticks that are read lie so many steps apart
  LastRows last_;
};

}  // namespace gaia
