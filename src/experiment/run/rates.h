// SPDX-License-Identifier: MIT
/// \file
/// Whether learning rates are too large for the data at hand, and what `auto` makes of these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../data/experiment.h"
#include "../data/sample_reader.h"

namespace gaia {

/// The rate of one plastic layer, and the size of what it reads.
struct LayerRate {
  std::size_t level = 0;
  std::size_t layer = 0;
  std::string rule;
  bool is_automatic = false;
  double learning_rate = 0.0;   ///< Rate that is given; of an automatic one that at the end.
  double first_rate = 0.0;      ///< First rate of an automatic one, about.
  std::int64_t course = 0;      ///< Ticks over which it falls; 0: no end is known.
  std::optional<double> limit;  ///< Largest stable learning_rate |x|^2 (learning/rule_list.h).
  std::int64_t ticks = 0;       ///< Ticks over which the squares were measured.
  double mean_square = 0.0;     ///< Mean of |x|^2, x being what the layer reads.
  double largest_square = 0.0;
  std::string note;  ///< What the rule says of its stability; may be empty.

  /// Whether a rate that is given, times the mean |x|^2, is above the limit.
  bool is_too_large() const;
};

/// Measured over the first ticks, 1 000 of each layer as far as the series and some seconds go, by
/// the hierarchy as a run begins with it.  Layers learn, at automatic rates where their rules have
/// a limit: so a level is measured on what the one below it shows while that learns.
std::vector<LayerRate> measure_rates(const Experiment& experiment, SampleReader& samples);
std::vector<LayerRate> measure_rates(Experiment& experiment);

/// A warning for every layer whose rate is too large.
std::vector<std::string> rate_warnings(const std::vector<LayerRate>& rates, Experiment& experiment);

/// Lines, one for every automatic rate: what it is about at first, and at the end.
std::vector<std::string> automatic_rates_text(const std::vector<LayerRate>& rates);

/// What is known of the rate that made a layer diverge, to follow the error: that of the first
/// layer, this one or before it, whose rate is too large or whose rule has no limit, else of the
/// nearest plastic one.  A rate that it calls stable has been tried.  Empty if there is none.
std::string rate_advice(const std::vector<LayerRate>& rates, const Experiment& experiment,
                        SampleReader& samples, std::size_t level, std::size_t layer);

}  // namespace gaia
