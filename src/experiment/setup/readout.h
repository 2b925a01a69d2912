// SPDX-License-Identifier: MIT
/// \file
/// Readouts of representations, trained while the run goes on.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../array/array_map.h"
#include "../../hierarchy/manager.h"
#include "../../io/hdf5.h"
#include "../../learning/readout_kind.h"
#include "../config/config.h"
#include "readout_score.h"
#include "readout_ticks.h"
#include "reconstruction.h"
#include "sample_reader.h"

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

/// What a readout is of, for people: "channel 0 (temperature)", "column quality", "the classes".
std::string target_text(const ReadoutConfig& config,
                        const std::vector<std::string>& channel_names);

/// A series that a readout adds to the results, a number or `width` of them a tick.
struct ReadoutSeries {
  std::string name;
  std::string meaning;
  hdf5::Type type = hdf5::Type::float64;
  std::int64_t width = 0;  ///< 0: one number, without an axis of its own.
  std::string axis = {};   ///< Name of that axis.
};

/// One readout of a run.  It reads, at every tick t of the fastest of its levels, what these levels
/// show, and predicts the target: the mean of channels, latents or columns over the steps
/// (t + horizon - mean_over, t + horizon], or as many of them as there are, or the class at
/// t + horizon.  Steps of other trials count for nothing.  ReadoutTicks says which ticks are
/// trained on; as soon as they are over the training ends, and the others are predicted.  One that
/// does not learn has the weights of another and predicts at all ticks, also where the series ends
/// before the target: that is NaN then, and no error.
class Readout {
 public:
  /// Reads `sources` every `spacing` steps of each trial.  `classes`: how many the labels of the
  /// series have; `channels`: how many numbers its rows have.  `stored` is that of a readout that
  /// does not learn.
  Readout(const ReadoutConfig& config, std::vector<ReadoutSource> sources, std::int64_t spacing,
          const Trials& trials, std::int64_t channels, std::int64_t classes,
          const ReadoutSolution& stored = {});

  const ReadoutConfig& config() const { return config_; }
  const ReadoutTicks& ticks() const { return ticks_; }
  /// How many rows its series in the results come to.
  std::int64_t rows() const;
  std::vector<ReadoutSeries> series() const;

  /// A trial begins: what levels showed in the one before is not held.
  void begin_trial();

  /// To be told before `hierarchy` reads the samples x [steps, features] whose block is processed
  /// next, by which a readout that looks at reconstructions takes the weights.
  void before_block(const HierarchyManager& hierarchy, const Array& x);

  /// What a block adds: steps, counted through all trials, and the rows of each of `series`.
  struct Added {
    std::vector<std::int64_t> steps;
    std::optional<SideValues> times;  ///< If the series has a time column.
    std::vector<std::vector<double>> values;
  };
  /// Reads a block of the trial that `samples` read last.
  Added process(const HierarchyBlock& block, const SampleReader& samples);

  /// Over all test predictions so far, and over those for validation; that of a readout without
  /// validation has no numbers.
  ReadoutScore score() const { return test_->score(); }
  std::optional<ReadoutScore> validation() const;

  /// Neurons of all levels that it reads.
  std::int64_t features() const { return features_; }
  /// Numbers that it predicts at a tick.
  std::int64_t targets() const { return targets_; }
  /// What it has found; nothing as long as it has not been trained, or if it is not linear.
  std::optional<ReadoutSolution> solution() const;
  /// Whether it has weights to be stored.
  bool is_linear() const { return config_.task() != ReadoutTask::anomaly; }

  /// How many rows of its series it has added.
  std::int64_t added() const { return added_; }

  /// Adds everything from which it goes on bit for bit, under names that begin with
  /// "readouts/NAME/".
  void add_state(ArrayMap& arrays) const;
  /// Takes over what add_state has added.  \throws ArgumentError or ShapeError unless it was that
  /// of such a readout.
  /// It stands before step `step` of a trial.
  void set_state(const ArrayMap& arrays, std::int64_t step);

 private:
  /// Consecutive ticks of one trial: what was read at them, and what is to be predicted.
  struct Rows {
    std::int64_t first = 0;             // number of the first of them (ReadoutTicks)
    std::vector<std::int64_t> steps;    // counted through all trials
    std::vector<std::int64_t> times;    // if they are known: dates, or the bits of other numbers
    std::vector<double> features;       // [rows, features]
    std::vector<double> targets;        // [rows, targets]; NaN, of a class -1: not known
    std::vector<double> baseline;       // [rows, targets]: the targets as they are now
    std::int64_t count() const { return static_cast<std::int64_t>(steps.size()); }
  };

  /// What the levels show at `ticks` steps from first_tick of the trial on, [ticks, features]; of
  /// an anomaly, behind it what the newest rows are.
  std::vector<double> gather(const HierarchyBlock& block, const SampleReader& samples,
                             std::int64_t first_tick, std::int64_t ticks);
  /// The targets as they are `horizon` steps after each of these ticks, [ticks, targets].
  std::vector<double> targets_at(const SampleReader& samples, std::int64_t first_tick,
                                 std::int64_t ticks, std::int64_t horizon) const;
  Rows read(const HierarchyBlock& block, const SampleReader& samples);
  /// As the results have the time of one row.
  void add_time(Added& added, const Rows& rows, std::int64_t row) const;
  /// Adds the rows up to one for the trial; returns that, or no row.
  Rows average(const Rows& rows, std::size_t trial);
  Added take(const Rows& rows);
  Added take_online(const Rows& rows);
  /// Predicts each fold by what the others teach, once all rows are there.
  Added take_folds(const Rows& rows);

  void train(ReadoutModel& model, const Rows& rows, std::int64_t begin, std::int64_t end);
  void predict(ReadoutModel& model, const Rows& rows, std::int64_t begin, std::int64_t end,
               Added& added);
  bool is_known(const Rows& rows, std::int64_t row) const;
  std::unique_ptr<ReadoutModel> make_model() const;

  ReadoutConfig config_;
  std::vector<ReadoutSource> sources_;
  Trials trials_;
  ReadoutTicks ticks_;
  std::int64_t features_ = 0;
  std::int64_t targets_ = 1;    // a class, or whether it is an anomaly, counts as one
  std::int64_t predicted_ = 1;  // numbers that the model gives at a tick
  std::int64_t classes_ = 0;
  std::int64_t channels_ = 0;  // that stand behind the features of an anomaly
  std::vector<std::vector<double>> held_;  // what each level showed when the last block ended
  std::optional<Reconstruction> reconstruction_;  // where the errors of levels are read
  std::unique_ptr<ReadoutModel> model_;
  std::vector<double> seen_classes_;  // how often each was trained on
  std::unique_ptr<Scorer> validation_;
  std::unique_ptr<Scorer> test_;
  SampleReader::TimeKind time_kind_ = SampleReader::TimeKind::none;
  std::int64_t added_ = 0;
  Rows sums_;                   // of the trial that is read, where there is one prediction for it
  double summed_ = 0.0;         // ticks in them
  Rows kept_;                   // all rows, where there are folds
  std::deque<Rows> not_known_;  // rows of what learns online whose targets lie ahead
};

}  // namespace gaia
