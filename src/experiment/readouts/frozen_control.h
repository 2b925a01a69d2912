// SPDX-License-Identifier: MIT
/// \file
/// The control of learning: the same hierarchy with the weights that the run began with.
#pragma once

#include "control.h"

namespace gaia {

class FrozenControl final : public Control {
 public:
  static constexpr const char* kName = "frozen";
  static constexpr const char* kTitle = kFrozenWeights;
  static constexpr bool kStandsAlone = true;
  static std::string why_left_out(const ControlSetup& /*setup*/, const ReadoutConfig& /*readout*/) {
    return {};
  }
  static double numbers(const ControlSetup& setup, std::int64_t block_steps);

  /// A copy of the hierarchy as the run begins.
  explicit FrozenControl(const ControlSetup& setup);

  std::string name() const override { return kName; }
  std::vector<ReadoutSource> sources(const ReadoutConfig& readout,
                                     std::size_t /*variant*/) const override {
    return readout_sources(readout, hierarchy_);
  }
  const HierarchyManager* neurons(const HierarchyManager& /*run*/) const override {
    return &hierarchy_;
  }
  /// What layers know of what they read moves as in the run, though their weights stand still.
  bool reads_every_epoch() const override;
  HierarchyBlock process(const RunBlock& run) override;
  void begin_trial() override;
  void add_state(ArrayMap& arrays) const override;
  void set_state(const ArrayMap& arrays, std::int64_t step) override;

 private:
  HierarchyManager hierarchy_;
  std::int64_t features_;
  DType dtype_;
};

}  // namespace gaia
