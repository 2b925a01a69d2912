// SPDX-License-Identifier: MIT
/// \file
/// The control of layers: what the levels would show if they had none, the samples through the same
/// chain of temporal resolutions and poolings.
#pragma once

#include "control.h"

namespace gaia {

/// Numbers that each level reads in the chain without layers: those of a sample, times the
/// resolutions of the levels that concatenate.  It ends before the first level of more than
/// kMostControlFeatures.
std::vector<std::int64_t> past_sizes(const ControlSetup& setup);

/// The chain of these levels.
HierarchyManager past_of(const ControlSetup& setup);

class SamePastControl final : public Control {
 public:
  static constexpr const char* kName = "same_past";
  static constexpr const char* kTitle = "the same past";
  /// The same where a sample is one picture.
  static constexpr const char* kTitleOfPictures = "all pixels";
  static std::string why_left_out(const ControlSetup& setup, const ReadoutConfig& readout);
  static double numbers(const ControlSetup& setup, std::int64_t block_steps);

  explicit SamePastControl(const ControlSetup& setup);

  std::string name() const override { return kName; }
  std::string title() const override { return title_; }
  std::vector<ReadoutSource> sources(const ReadoutConfig& readout,
                                     std::size_t /*variant*/) const override {
    return readout_sources(readout, past_);
  }
  ReadoutConfig reader_of(const ReadoutConfig& readout) const override {
    return without_squares(readout);
  }
  std::unique_ptr<FreeReader> free_reader(std::size_t /*variant*/,
                                          const HierarchyManager& /*run*/) const override {
    return std::make_unique<FreeHierarchy>(past_);
  }
  HierarchyBlock process(const RunBlock& run) override;
  void begin_trial() override;
  void add_state(ArrayMap& arrays) const override;
  void set_state(const ArrayMap& arrays, std::int64_t step) override;

 private:
  std::string title_;
  HierarchyManager past_;
  std::int64_t features_;
  DType dtype_;
};

}  // namespace gaia
