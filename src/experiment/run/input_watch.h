// SPDX-License-Identifier: MIT
/// \file
/// Watches the inputs of a run behind the part that their moments were computed from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../array/array_map.h"
#include "../data/experiment.h"
#include "../data/input_range.h"
#include "../data/sample_reader.h"

namespace gaia {

/// Whether an earlier run has scaled its channels by least and largest value.
bool scales_by_range(const StoredRun& run);

/// What is reported of inputs that leave what they are normalised by (InputRange).  It watches the
/// steps behind the training part, in the last epoch; all of them where the moments are those of
/// another run; none where data are not normalised, or by moments of all rows.
class InputWatch {
 public:
  explicit InputWatch(const Experiment& experiment);

  /// Reads the newest rows of samples [first, first + count) of the last epoch, of the trial that
  /// `samples` read last, which begins with the first of them where `begins_trial`.
  void read(const SampleReader& samples, std::int64_t first, std::int64_t count, bool begins_trial);

  /// What was reported so far, in sentences without their ends.
  const std::vector<std::string>& told() const { return told_; }

  void add_state(ArrayMap& arrays) const;
  /// Takes the state, or begins anew where there is none.
  void set_state(const ArrayMap& arrays);

 private:
  void tell(const InputLeft& left);

  std::optional<InputRange> range_;  // none where nothing is watched
  std::int64_t from_ = 0;            // first step
  std::size_t channels_ = 0;
  std::vector<InputLeft> left_;
  std::vector<std::string> told_;
};

}  // namespace gaia
