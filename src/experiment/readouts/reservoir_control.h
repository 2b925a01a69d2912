// SPDX-License-Identifier: MIT
/// \file
/// The control of memory: a reservoir of random weights that reads every sample.
#pragma once

#include <array>

#include "control.h"

namespace gaia {

/// Jaeger (2001), GMD Report 148: tanh neurons, as many as the hierarchy has in all levels, with a
/// spectral radius of 0.9.  Its variants differ by the leak alone.
class ReservoirControl final : public Control {
 public:
  static constexpr const char* kName = "reservoir";
  static constexpr const char* kTitle = "a reservoir";
  static constexpr bool kSameForAll = true;
  static constexpr std::array<double, 3> kLeaks = {1.0, 0.3, 0.1};
  static constexpr double kSpectralRadius = 0.9;
  static std::string why_left_out(const ControlSetup& setup, const ReadoutConfig& readout);
  static double numbers(const ControlSetup& setup, std::int64_t block_steps);

  explicit ReservoirControl(const ControlSetup& setup);

  std::string name() const override { return kName; }
  std::size_t variants() const override { return kLeaks.size(); }
  Attributes variant(std::size_t index) const override { return {{"leak", kLeaks[index]}}; }
  std::vector<ReadoutSource> sources(const ReadoutConfig& readout,
                                     std::size_t variant) const override;
  std::unique_ptr<FreeReader> free_reader(std::size_t variant,
                                          const HierarchyManager& /*run*/) const override {
    return std::make_unique<FreeHierarchy>(reservoirs_[variant], variant);
  }
  HierarchyBlock process(const RunBlock& run) override;
  void begin_trial() override;
  void add_state(ArrayMap& arrays) const override;
  void set_state(const ArrayMap& arrays, std::int64_t step) override;

 private:
  std::vector<HierarchyManager> reservoirs_;  // one for each leak
  std::int64_t features_;
  std::int64_t spacing_;
  DType dtype_;
};

}  // namespace gaia
