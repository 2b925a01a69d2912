// SPDX-License-Identifier: MIT
/// \file
/// The rival of layers that go on learning: logistic regression on what the levels read, which goes
/// on by its own answers.
#pragma once

#include "same_past_control.h"

namespace gaia {

class SelfTrainedControl final : public Control {
 public:
  static constexpr const char* kName = "self_trained";
  static constexpr const char* kTitle = "logistic regression that trains itself";
  static constexpr bool kStandsAlone = true;
  static std::string why_left_out(const ControlSetup& setup, const ReadoutConfig& readout);
  static double numbers(const ControlSetup& setup, std::int64_t block_steps);

  explicit SelfTrainedControl(const ControlSetup& setup)
      : past_(setup), training_(setup.config.self_trained) {}

  std::string name() const override { return kName; }
  Attributes variant(std::size_t /*index*/) const override {
    return {{"memory", training_.memory}, {"every", training_.every}};
  }
  std::vector<ReadoutSource> sources(const ReadoutConfig& readout,
                                     std::size_t variant) const override {
    return past_.sources(readout, variant);
  }
  ReadoutConfig reader_of(const ReadoutConfig& readout) const override;
  HierarchyBlock process(const RunBlock& run) override { return past_.process(run); }
  void begin_trial() override { past_.begin_trial(); }
  void add_state(ArrayMap& arrays) const override { past_.add_state(arrays); }
  void set_state(const ArrayMap& arrays, std::int64_t step) override {
    past_.set_state(arrays, step);
  }

 private:
  SamePastControl past_;
  SelfTraining training_;
};

}  // namespace gaia
