// SPDX-License-Identifier: MIT
/// \file
/// A hierarchy as it was before steps that may fail.
#pragma once

#include <cstdint>

#include "../array/undo.h"

namespace gaia {

class HierarchyManager;

class HierarchyUndo {
 public:
  /// Keeps what the next `steps` steps may change.
  void keep(HierarchyManager& hierarchy, std::int64_t steps, bool learn);
  /// Keeps all that any step may change.
  void keep_all(HierarchyManager& hierarchy);
  /// Whether something is kept that is neither put back nor forgotten.
  bool is_active() const { return hierarchy_ != nullptr; }
  /// Whether it is of this hierarchy, which may have been moved.
  bool is_of(const HierarchyManager& hierarchy) const { return hierarchy_ == &hierarchy; }
  /// Whether what is carried on is free of NaN and Inf, as far as these steps may change it:
  /// weights, memories and state, and while learning representations.
  bool all_finite() const { return arrays_.all_finite(); }
  /// The hierarchy, which has not been moved, and its levels are as they were.
  void put_back();
  void forget();

 private:
  HierarchyManager* hierarchy_ = nullptr;
  std::int64_t step_ = 0;
  ArrayUndo arrays_;
};

}  // namespace gaia
