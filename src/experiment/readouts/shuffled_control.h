// SPDX-License-Identifier: MIT
/// \file
/// The control of order: the same hierarchy, to which the training part is shown in another order.
#pragma once

#include "control.h"

namespace gaia {

/// Learns from the samples of the training part before the run begins, as often as the run reads
/// them, in an order that is drawn anew each time, at the rates that the run has there.  Then it
/// reads the series with these weights, and behind the training part goes on learning as the run
/// does.
class ShuffledControl final : public Control {
 public:
  static constexpr const char* kName = "shuffled";
  static constexpr const char* kTitle = "the same weights, learnt in another order";
  static constexpr bool kStandsAlone = true;
  /// Numbers of the training part that are kept in memory at most.
  static constexpr std::int64_t kMostNumbers = std::int64_t{1} << 28;
  /// Steps that are computed together at most.
  static constexpr std::int64_t kLongestBlock = 1024;
  static std::string why_left_out(const ControlSetup& setup, const ReadoutConfig& readout);
  static double numbers(const ControlSetup& setup, std::int64_t block_steps);

  explicit ShuffledControl(const ControlSetup& setup);

  std::string name() const override { return kName; }
  std::vector<ReadoutSource> sources(const ReadoutConfig& readout,
                                     std::size_t /*variant*/) const override {
    return readout_sources(readout, hierarchy_);
  }
  std::optional<std::int64_t> border() const override { return end_; }
  Stretches steps_before() const override { return training_; }
  void see(const Array& x) override;
  void end_seeing() override;
  const HierarchyManager* neurons(const HierarchyManager& /*run*/) const override {
    return &hierarchy_;
  }
  HierarchyBlock process(const RunBlock& run) override;
  void begin_trial() override;
  void add_state(ArrayMap& arrays) const override;
  void set_state(const ArrayMap& arrays, std::int64_t step) override;

 private:
  /// Rates, and levels that learn, are those of the run at that step.
  void learn_at(std::int64_t step);

  HierarchyManager hierarchy_;
  std::int64_t epochs_;
  std::uint64_t seed_;
  std::int64_t steps_;  // steps of the series
  std::int64_t features_;
  DType dtype_;
  std::function<double(std::int64_t)> rate_;
  std::function<void(HierarchyManager&, std::int64_t)> learn_as_at_;
  std::optional<std::int64_t> layerwise_;  // steps of a level, as ControlSetup has them
  Stretches training_;
  std::int64_t end_;         // step at which the training part ends
  std::vector<Array> seen_;  // its samples, block by block
};

}  // namespace gaia
