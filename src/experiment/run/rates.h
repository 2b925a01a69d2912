// SPDX-License-Identifier: MIT
/// \file
/// Whether learning rates are too large for the data at hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../hierarchy/manager.h"
#include "../setup/load.h"
#include "../setup/sample_reader.h"

namespace gaia {

/// The rate of one plastic layer beside what it reads.
struct LayerRate {
  std::size_t level = 0;
  std::size_t layer = 0;
  std::string rule;
  double learning_rate = 0.0;
  std::optional<double> limit;  ///< Of learning_rate |x|^2 (learning/rule_list.h).
  std::int64_t ticks = 0;       ///< Over which the others were measured.
  double mean_square = 0.0;     ///< Of |x|^2, x being what the layer reads.
  double largest_square = 0.0;
  std::string note;  ///< What the rule says of its stability; may be empty.

  /// Whether learning_rate times the mean |x|^2 is above the limit.
  bool is_too_large() const;
  /// The largest rate that is stable for all that was measured.
  std::optional<double> largest_stable() const;
};

/// Measured over the first ticks, 1 000 of each layer as far as the series and a second or so go,
/// by a copy of `hierarchy` as a run begins with it, which does not learn.
std::vector<LayerRate> measure_rates(const HierarchyManager& hierarchy, SampleReader& samples);

/// The same for an experiment that has not begun.
std::vector<LayerRate> measure_rates(Experiment& experiment);

/// A warning for every layer whose rate is too large.
std::vector<std::string> rate_warnings(const std::vector<LayerRate>& rates);

/// What is known of the rate that made a layer diverge, to follow the error: that of the first
/// layer, this one or before it, whose rate is too large or whose rule has no limit, else of the
/// nearest plastic one.  Empty if there is none.
std::string rate_advice(const std::vector<LayerRate>& rates, std::size_t level, std::size_t layer);

}  // namespace gaia
