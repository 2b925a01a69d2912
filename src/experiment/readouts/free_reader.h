// SPDX-License-Identifier: MIT
/// \file
/// What reads samples of a readout's own making, from where a run stands.
#pragma once

#include <cstddef>

#include "../../hierarchy/manager.h"

namespace gaia {

/// Reads samples one by one and learns nothing; whatever it was built from is as it was.
class FreeReader {
 public:
  virtual ~FreeReader() = default;
  /// What a readout is shown of the sample x [1, features], which comes next.
  virtual HierarchyBlock read(const Array& x) = 0;
  /// What its layers are to read beside the sample that comes next.
  virtual void hear(const TickSignals& /*signals*/) {}
};

/// A copy of a hierarchy as it stands.  The ticks of its level n stand at place `first` + n of a
/// block.
class FreeHierarchy final : public FreeReader {
 public:
  explicit FreeHierarchy(const HierarchyManager& of, std::size_t first = 0)
      : hierarchy_(of.clone()), first_(first) {}

  HierarchyBlock read(const Array& x) override;
  void hear(const TickSignals& signals) override { signals_ = signals; }

 private:
  HierarchyManager hierarchy_;
  std::size_t first_;
  TickSignals signals_;
};

}  // namespace gaia
