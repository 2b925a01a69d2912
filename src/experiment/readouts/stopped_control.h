// SPDX-License-Identifier: MIT
/// \file
/// The control of going on: the same hierarchy, which has learnt in the training part of the first
/// readout and not since.
#pragma once

#include "control.h"

namespace gaia {

/// Shows what the run shows up to the end of that part; from there on a copy of the run's
/// hierarchy, which does not learn.
class StoppedControl final : public Control {
 public:
  static constexpr const char* kName = "stopped";
  static constexpr const char* kTitle = kStoppedWeights;
  static constexpr bool kStandsAlone = true;
  static std::string why_left_out(const ControlSetup& setup, const ReadoutConfig& readout);
  static double numbers(const ControlSetup& setup, std::int64_t block_steps);

  explicit StoppedControl(const ControlSetup& setup);

  std::string name() const override { return kName; }
  std::vector<ReadoutSource> sources(const ReadoutConfig& readout,
                                     std::size_t /*variant*/) const override {
    return readout_sources(readout, template_);
  }
  std::optional<std::int64_t> border() const override { return end_; }
  const HierarchyManager* neurons(const HierarchyManager& run) const override {
    return stopped_ ? &*stopped_ : &run;
  }
  HierarchyBlock process(const RunBlock& run) override;
  void begin_trial() override;
  void add_state(ArrayMap& arrays) const override;
  void set_state(const ArrayMap& arrays, std::int64_t step) override;

 private:
  HierarchyManager template_;  // hierarchy of the run's sizes
  std::int64_t features_;
  DType dtype_;
  std::int64_t end_;                         // step at which it stops
  std::optional<HierarchyManager> stopped_;  // from there on
};

}  // namespace gaia
