// SPDX-License-Identifier: MIT
/// \file
/// Reads the training part once more, when it is over, for readouts that are trained only then.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../../hierarchy/manager.h"
#include "../data/sample_reader.h"

namespace gaia {

/// Samples of a block that is read again, and what rules read beside them.
struct BlockAgain {
  const Array& x;  ///< [steps, features]
  const TickSignals& signals;
  std::int64_t step;  ///< Step of the series of the first of them.
};

/// Reads each trial that begins before step `end`, from its first step up to there, in blocks of
/// `block_steps`.  `begin_trial` is told where one begins; `read` is shown each block.
void read_training_again(SampleReader& samples, const std::vector<std::string>& signal_columns,
                         std::int64_t end, std::int64_t block_steps,
                         const std::function<void()>& begin_trial,
                         const std::function<void(const BlockAgain&)>& read);

/// A copy of a hierarchy, as it stands, that reads such blocks without learning.
class StillHierarchy {
 public:
  StillHierarchy(const HierarchyManager& of, std::int64_t features, DType dtype)
      : hierarchy_(of.clone()), features_(features), dtype_(dtype) {}

  void begin_trial();
  HierarchyBlock read(const BlockAgain& block);

 private:
  HierarchyManager hierarchy_;
  std::int64_t features_;
  DType dtype_;
};

}  // namespace gaia
