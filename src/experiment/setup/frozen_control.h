// SPDX-License-Identifier: MIT
/// \file
/// The control of learning: the same hierarchy with the weights that the run began with.
#pragma once

#include "control.h"

namespace gaia {

class FrozenControl final : public Control {
 public:
  static constexpr const char* kName = "frozen";

  /// A copy of `hierarchy` as the run begins.
  FrozenControl(const HierarchyManager& hierarchy, std::int64_t features, DType dtype);

  std::string name() const override { return kName; }
  std::vector<ReadoutSource> sources(const ReadoutConfig& readout) const override {
    return readout_sources(readout, hierarchy_);
  }
  HierarchyBlock process(const Array& x) override;
  void begin_trial() override;
  void add_state(ArrayMap& arrays) const override;
  void set_state(const ArrayMap& arrays, std::int64_t step) override;

 private:
  HierarchyManager hierarchy_;
  std::int64_t features_;
  DType dtype_;
};

}  // namespace gaia
