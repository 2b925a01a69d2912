// SPDX-License-Identifier: MIT
/// \file
/// What the controls of connections between levels have in common: the same hierarchy, which learns
/// as the run does, with another map in place of each that comes from a level above.
#pragma once

#include "control.h"

namespace gaia {

/// A copy of the hierarchy as the run begins, which reads every epoch.
class TalkControl : public Control {
 public:
  static double numbers(const ControlSetup& setup, std::int64_t block_steps);

  std::vector<ReadoutSource> sources(const ReadoutConfig& readout,
                                     std::size_t /*variant*/) const override {
    return readout_sources(readout, hierarchy_);
  }
  const HierarchyManager* neurons(const HierarchyManager& /*run*/) const override {
    return &hierarchy_;
  }
  bool reads_every_epoch() const override { return true; }
  /// \throws DataError, with the way out, where it diverges and the run does not.
  HierarchyBlock process(const RunBlock& run) override;
  void begin_trial() override;
  void add_state(ArrayMap& arrays) const override;
  void set_state(const ArrayMap& arrays, std::int64_t step) override;

 protected:
  TalkControl(const ControlSetup& setup, TopDownMode mode);

 private:
  HierarchyManager hierarchy_;
  std::int64_t features_;
  DType dtype_;
};

/// Whether a level of the hierarchy hears another (TopDownOptions).
bool any_level_hears(const HierarchyManager& hierarchy);

}  // namespace gaia
