// SPDX-License-Identifier: MIT
/// \file
/// What a readout reads at its ticks, and what it is to predict there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../array/array_map.h"
#include "../../hierarchy/manager.h"
#include "../config/config.h"
#include "../data/sample_reader.h"
#include "readout_ticks.h"
#include "reconstruction.h"

namespace gaia {

/// A level that a readout reads: its place in a HierarchyBlock, and its neurons.
struct ReadoutSource {
  std::int64_t level = 0;
  std::int64_t size = 0;
};

/// What a readout reads of a run's own hierarchy.
std::vector<ReadoutSource> readout_sources(const ReadoutConfig& config,
                                           const HierarchyManager& hierarchy);

/// What readouts ask for around a block, and whether they ask for latents.
SampleReader::Reach reach_of(const std::vector<ReadoutConfig>& readouts);
bool read_latents(const std::vector<ReadoutConfig>& readouts);

/// Consecutive ticks of a readout.
struct ReadoutRows {
  std::int64_t first = 0;           ///< Number of the first of them (ReadoutTicks).
  std::vector<std::int64_t> steps;  ///< Counted through all trials.
  std::vector<std::int64_t> times;  ///< If they are known: dates, or the bits of other numbers.
  std::vector<double> features;     ///< [rows, features]
  std::vector<double> targets;      ///< [rows, targets]; NaN, of a class -1: not known.
  std::vector<double> baseline;     ///< [rows, targets]: the targets as they are now.

  std::int64_t count() const { return std::ssize(steps); }
  void append(const ReadoutRows& rows);
  /// The rows [begin, end).
  ReadoutRows part(std::int64_t begin, std::int64_t end) const;

  void add_state(const std::string& prefix, ArrayMap& arrays) const;
  /// \throws ArgumentError or ShapeError unless there are rows of so many features and targets.
  void set_state(const std::string& prefix, const ArrayMap& arrays, std::int64_t features_in_row,
                 std::int64_t targets_in_row);
};

/// Rows [begin, end) of values [rows, width].
std::span<const double> rows_between(const std::vector<double>& values, std::int64_t begin,
                                     std::int64_t end, std::int64_t width);

/// Gathers, block by block, what levels show at the ticks of a readout: fresh, or held since their
/// last tick.
class ReadoutReader {
 public:
  /// Reads `sources`, and beside them what the features ask for; of an anomaly also the `channels`
  /// of the newest row.  A consensus has no sources: there is room for what it fuses, with NaN in
  /// it.
  ReadoutReader(const ReadoutConfig& config, std::vector<ReadoutSource> sources, ReadoutTicks ticks,
                const Trials& trials, std::int64_t channels);

  const ReadoutTicks& ticks() const { return ticks_; }
  const Trials& trials() const { return trials_; }
  /// Numbers in a row: what it reads, of these the channels of an anomaly, and targets, where a
  /// class, or whether it is an anomaly, is one.
  std::int64_t features() const { return features_; }
  std::int64_t channels() const { return channels_; }
  std::int64_t targets() const { return targets_; }

  /// A trial begins: what levels showed in the one before is not held.
  void begin_trial();
  /// To be told before `hierarchy` reads the samples x [steps, features] whose block is read next:
  /// where reconstructions are read, they are by the weights of now; where the input is, it is x.
  void before_block(const HierarchyManager& hierarchy, const Array& x);
  /// The ticks in a block of the trial that `samples` read last; where there is one prediction a
  /// trial, none or that one, the mean over it.
  ReadoutRows read(const HierarchyBlock& block, const SampleReader& samples);
  /// Targets of the ticks among `steps` steps from `first_step` of the trial that `samples` read
  /// last, [ticks, targets]; NaN where they are not known.
  std::vector<double> targets_of_ticks(const SampleReader& samples, std::int64_t first_step,
                                       std::int64_t steps) const;
  /// What each level showed when the last block ended.
  using Held = std::vector<std::vector<double>>;
  const Held& held() const { return held_; }
  void hold(Held held) { held_ = std::move(held); }
  /// What the levels show, [features], at a step that no series has: `block` is of the sample x [1,
  /// features], which comes next.
  std::vector<double> read_alone(const HierarchyBlock& block, const Array& x,
                                 const SampleReader& samples);
  bool is_known(const ReadoutRows& rows, std::int64_t row) const;

  void add_state(const std::string& prefix, ArrayMap& arrays) const;
  /// Stands before step `step` of a trial.
  void set_state(const std::string& prefix, const ArrayMap& arrays, std::int64_t step);

 private:
  std::int64_t held_size() const;
  ReadoutRows at_ticks(const HierarchyBlock& block, const SampleReader& samples);
  /// What the levels show at `ticks` steps from first_tick of the trial on, [ticks, features].
  std::vector<double> gather(const HierarchyBlock& block, const SampleReader& samples,
                             std::int64_t first_tick, std::int64_t ticks);
  /// The targets as they are `horizon` steps after each of these ticks, [ticks, targets]; NaN where
  /// a value that they are computed from was missing, filled or not, unless `with_filled`.
  std::vector<double> targets_at(const SampleReader& samples, std::int64_t first_tick,
                                 std::int64_t ticks, std::int64_t horizon,
                                 bool with_filled = false) const;
  /// Forgets whether these are anomalies where nothing of the row was measured.
  void forget_unmeasured(ReadoutRows& rows, const SampleReader& samples) const;
  /// Adds the rows up to one for the trial; returns that, or no row.
  ReadoutRows average(const ReadoutRows& rows, std::size_t trial);

  ReadoutConfig config_;
  std::vector<ReadoutSource> sources_;
  Trials trials_;
  ReadoutTicks ticks_;
  std::int64_t features_ = 0;
  std::int64_t targets_ = 1;
  std::int64_t channels_ = 0;
  Held held_;
  Array samples_;  // samples that were read last, where the input is a feature
  std::optional<Reconstruction> reconstruction_;  // reader of more than what levels show
  ReadoutRows sums_;     // sums of the trial, where there is one prediction for it
  double summed_ = 0.0;  // ticks in them
};

}  // namespace gaia
