// SPDX-License-Identifier: MIT
/// \file
/// How rows change while they are read (data.drift).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../../core/random.h"
#include "../config/drift_config.h"

namespace gaia {

/// What a drift does when, as the results have it.
struct DriftRecord {
  std::vector<std::int64_t> step = {};
  std::vector<std::int64_t> a = {};  ///< First channel of each pair that is swapped or turns.
  std::vector<std::int64_t> b = {};
  std::vector<std::int64_t> channel = {};       ///< Channels that change otherwise.
  std::vector<double> angle = {};               ///< Degrees at each step.
  std::vector<std::vector<double>> value = {};  ///< What stands for each channel at each step.
};

/// One entry of data.drift.  docs/experiments.md has the formulas.  What it does to a row is a
/// function of the row's step and of the seed alone.
class Drift {
 public:
  /// Number `number` of the list, of a series with these channels.  \throws DataKeyError, whose key
  /// is that of data, for channels that there are not and shares that are too small.
  Drift(const DriftConfig& config, const std::vector<std::string>& channels, std::uint64_t seed,
        std::size_t number);

  /// Changes rows [steps, channels], each as of its step; steps do not fall.
  void change(std::span<const std::int64_t> steps, std::span<double> rows) const;

  const DriftConfig& config() const { return config_; }
  const DriftRecord& record() const { return record_; }

 private:
  double progress(std::int64_t step) const;

  DriftConfig config_;
  std::size_t width_;
  RandomStream noise_;
  DriftRecord record_;
};

/// Channel whose wire leads to each of `width` inputs, once the swaps of inputs a[k] and b[k]
/// before steps[k] are done as far as steps before `step` are read.  a, b < width, as many as
/// steps.
std::vector<std::int64_t> swapped_wires(std::span<const std::int64_t> steps,
                                        std::span<const std::int64_t> a,
                                        std::span<const std::int64_t> b, std::size_t width,
                                        std::int64_t step);

/// All of a list.
std::vector<Drift> make_drifts(const std::vector<DriftConfig>& configs,
                               const std::vector<std::string>& channels, std::uint64_t seed);

}  // namespace gaia
