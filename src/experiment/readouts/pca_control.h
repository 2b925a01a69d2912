// SPDX-License-Identifier: MIT
/// \file
/// The control of what is learnt: in place of the layers of each level as many principal components
/// of what it reads, found by one pass over the part that all readouts are trained on.
#pragma once

#include <optional>

#include "../../learning/pca.h"
#include "control.h"

namespace gaia {

class PcaControl final : public Control {
 public:
  static constexpr const char* kName = "pca";
  static constexpr const char* kTitle = "principal components";
  static std::string why_left_out(const ControlSetup& setup, const ReadoutConfig& readout);
  static double numbers(const ControlSetup& setup, std::int64_t block_steps);

  explicit PcaControl(const ControlSetup& setup);

  std::string name() const override { return kName; }
  std::vector<ReadoutSource> sources(const ReadoutConfig& readout,
                                     std::size_t variant) const override;
  Stretches steps_before() const override { return steps_; }
  void see(const Array& x) override;
  void end_seeing() override;
  ReadoutConfig reader_of(const ReadoutConfig& readout) const override {
    return without_squares(readout);
  }
  std::unique_ptr<FreeReader> free_reader(std::size_t variant,
                                          const HierarchyManager& run) const override;
  HierarchyBlock process(const RunBlock& run) override;
  void begin_trial() override;
  void add_state(ArrayMap& arrays) const override;
  void set_state(const ArrayMap& arrays, std::int64_t step) override;

 private:
  /// Components of one level that a readout reads.
  struct Components {
    std::size_t level;
    std::int64_t count;
    Covariance covariance;  // covariance of what it reads, as long as that is being seen
    std::vector<double> mean;
    std::vector<double> components;  // [count, size]
    Array mean_row = {};             // the same on the device of the run, [size]
    Array columns = {};              // [size, count]
  };

  /// What is read of the chain's block: components in place of ticks.
  HierarchyBlock project(HierarchyBlock block) const;
  /// Brings what was found to the current device.
  void place(Components& of) const;

  HierarchyManager past_;
  std::vector<Components> levels_;
  std::int64_t features_;
  DType dtype_;
  Stretches steps_;
};

}  // namespace gaia
