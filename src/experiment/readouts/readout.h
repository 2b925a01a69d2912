// SPDX-License-Identifier: MIT
/// \file
/// Readouts of representations, trained while the run goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../array/array_map.h"
#include "../../hierarchy/manager.h"
#include "../../io/hdf5.h"
#include "../../learning/readout_kind.h"
#include "../config/config.h"
#include "free_run.h"
#include "readout_reader.h"
#include "readout_score.h"
#include "window_scores.h"

namespace gaia {

class FreeReader;

/// What a readout is of, for people: "channel 0 (temperature)", "column quality", "the classes".
std::string target_text(const ReadoutConfig& config, const std::vector<std::string>& channel_names);

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
/// trained on; as soon as they are over the training ends, and the others are predicted, also those
/// that came before, which are kept until then.  One that
/// does not learn has the weights of another and predicts at all ticks, also where the series ends
/// before the target: that is NaN then, and no error.
class Readout {
 public:
  /// Reads `sources`.  `channels`: how many numbers the rows of the series have; `classes`: names
  /// of those that its labels have.  `stored` is that of a readout that does not learn; its classes
  /// may be others.
  Readout(const ReadoutConfig& config, std::vector<ReadoutSource> sources, const TickOptions& ticks,
          const Trials& trials, std::int64_t channels, const std::vector<std::string>& classes,
          const ReadoutSolution& stored = {});
  /// A consensus of `fused`, or what watches them, those that its configuration names, in that
  /// order.
  Readout(const ReadoutConfig& config, const std::vector<const Readout*>& fused,
          const Trials& trials, const ReadoutSolution& stored = {});

  const ReadoutConfig& config() const { return config_; }
  /// Remarks as remarks_about() has them.
  const std::vector<std::string>& remarks() const { return remarks_; }
  void set_remarks(std::vector<std::string> remarks) { remarks_ = std::move(remarks); }
  const ReadoutTicks& ticks() const { return reader_.ticks(); }
  /// How many rows its series in the results come to.
  std::int64_t rows() const;
  /// Ticks that its weights are trained on before it predicts, those that it is told the class of;
  /// of folds all that are not skipped.
  std::int64_t training_ticks() const;
  /// Steps within which ticks are left out beside another part.
  std::int64_t purge() const { return purge_; }
  std::vector<ReadoutSeries> series() const;

  /// A trial begins: what levels showed in the one before is not held.
  void begin_trial();

  /// To be told before `hierarchy` reads the samples x [steps, features] whose block is processed
  /// next, by which a readout that looks at reconstructions takes the weights, and one that looks
  /// at the input takes that.
  void before_block(const HierarchyManager& hierarchy, const Array& x);
  /// Step at which a block from step `step` of the series on has to end, `end` at the latest: of a
  /// statistic of weights behind the last tick of each part, where they are read.
  std::int64_t end_of_part(std::int64_t step, std::int64_t end) const;

  /// A change of something that is watched.
  struct Change {
    std::int64_t step = 0;    ///< Step at which it is reported, counted through all trials.
    std::int64_t series = 0;  ///< Number of the series that has changed.
    double statistic = 0.0;   ///< Statistic of the detector then.
    double estimate = 0.0;    ///< Estimate of the detector then.
  };
  /// Changes that were reported so far, in their order.
  const std::vector<Change>& changes() const { return changes_; }

  /// What a block adds: steps, counted through all trials, and the rows of each of `series`.
  struct Added {
    std::vector<std::int64_t> steps;
    std::optional<SideValues> times;  ///< If the series has a time column.
    std::vector<std::vector<double>> values;
  };
  /// Reads a block of the trial that `samples` read last; a consensus hears what those that it
  /// fuses have said of it, which they have read before.
  Added process(const HierarchyBlock& block, const SampleReader& samples,
                const std::vector<const Readout*>& fused = {});

  /// The training part is read once more where this is not 0, from the first step of each trial up
  /// to this step of the series, once the run has read that far (ReadoutConfig::reads_again).
  std::int64_t read_again_at() const;
  /// Begins that: `asked` are the steps whose classes it is told, where these are not its own.
  void begin_reading_again(const std::vector<std::int64_t>& asked = {});
  void begin_trial_again();
  /// Reads a block of it, of the trial that `samples` read last.
  void read_again(const HierarchyBlock& block, const SampleReader& samples);
  /// Is trained by what it has read; predicts what had to wait for that.
  Added end_reading_again();
  /// Steps whose classes it has asked for, by neuron; -1: none.
  const std::vector<std::int64_t>& asked_steps() const { return asked_steps_; }

  // Functions of a readout that is fed back (feedback.h):
  /// The first step of the series at which it says itself what is fed back.
  std::int64_t speaks_from() const;
  /// See end_of_feedback.
  std::int64_t end_of_feedback(std::int64_t step, std::int64_t end) const;
  /// What layers read of it at `steps` steps from step `first` of the trial that `samples` read
  /// last, and behind them, as far as that is known before it reads them: [steps + 1, targets].
  std::vector<double> feedback(const SampleReader& samples, std::int64_t first,
                               std::int64_t steps) const;

  /// Whether it goes on by itself (FreeRun) from this step of the series on, once it has read the
  /// block that ends there.
  bool starts_at(std::int64_t step) const { return free_run_ && free_run_->starts_at(step); }
  /// Does so: `reader` stands where the run does and reads what it says; `newest` [features] is the
  /// sample that the run has read last, one of the trial that `samples` read last.
  void run_free(std::int64_t step, FreeReader& reader, const Array& newest,
                const SampleReader& samples);
  /// What came of that; nothing of a readout that never does.
  std::optional<FreeRun::Table> free_run() const {
    return free_run_ ? std::optional(free_run_->table()) : std::nullopt;
  }

  // Parts of `process`, by which an estimate measures what the training takes:
  /// Rows of a block, of which nothing is taken.
  ReadoutRows read(const HierarchyBlock& block, const SampleReader& samples);
  /// What its model reads of these rows: their features as they lie, and of a change what there is
  /// now beside them, for which `room` is there.
  std::span<const double> read_by_model(const ReadoutRows& rows, std::int64_t begin,
                                        std::int64_t end, std::vector<double>& room) const;
  /// Whether the target of a row is known.
  bool is_known(const ReadoutRows& rows, std::int64_t row) const {
    return reader_.is_known(rows, row);
  }
  /// A model that has learnt nothing yet.
  std::unique_ptr<ReadoutModel> make_model() const;

  /// Over all test predictions so far, and over those for validation; that of a readout without
  /// validation has no numbers.
  ReadoutScore score() const;
  std::optional<ReadoutScore> validation() const;

  /// Scores of the test part along the stream.
  WindowScores::Table windows() const { return windows_->table(); }
  /// Scores of each group, where each is a fold; else empty.
  FoldScores fold_scores() const;

  /// Numbers that it reads: neurons of all its levels, and what its features add to them.
  std::int64_t features() const { return reader_.features(); }
  /// Names of the classes that it tells apart.
  const std::vector<std::string>& classes() const { return classes_; }
  /// What it has found; nothing as long as it has not been trained, or if it is not linear.
  std::optional<ReadoutSolution> solution() const;
  /// What a reader should know of what it has found, in sentences without their ends.
  std::vector<std::string> notices() const;
  /// How its weights are found, where there are several ways; else empty.
  std::string solved_by() const { return model_->solved_by(); }
  /// What one that has no solution another run could take over goes on from, on rows that come
  /// later; empty for all others, and where it has not been trained.
  std::vector<double> model_state() const {
    const bool is_needed =
        config_.learn && !config_.kind->is_stored() && config_.teaches() && model_->is_solved();
    return is_needed ? model_->state() : std::vector<double>();
  }
  /// Whether it has weights to be stored.
  bool is_linear() const { return model_->is_linear(); }
  /// Names of the readouts that it fuses; of others none.
  std::vector<std::string> fused_names() const { return config_.kind->of(); }

  /// How many rows of its series it has added.
  std::int64_t added() const { return added_; }

  /// Adds everything from which it goes on bit for bit, under names that begin with
  /// "readouts/NAME/".
  void add_state(ArrayMap& arrays) const;
  /// Takes over what add_state has added before step `step` of a trial.
  /// \throws ArgumentError or ShapeError unless it was that of such a readout.
  void set_state(const ArrayMap& arrays, std::int64_t step);

 private:
  /// What the model says of these rows, and what it was trained on.
  struct Said {
    std::vector<double> predictions;  ///< [rows, told_]
    std::vector<double> means;        ///< Means of the targets; of classes their shares.
  };
  /// What it has said in the block that it read last, for a consensus.
  struct Spoken {
    std::vector<std::int64_t> steps;
    std::vector<double> predictions;  ///< [steps, targets]
    std::vector<double> means;        ///< Means of the targets that it was trained on.
    std::vector<Said> by_folds;       ///< By the model of each fold, and last of all, at all ticks.
  };

  /// What it has missed a target by.
  struct Miss {
    std::int64_t step = 0;
    std::int64_t time = 0;  // time of the target's newest row, where times are known
    bool is_test = false;
    double error = 0.0;
  };

  Readout(const ReadoutConfig& config, std::vector<ReadoutSource> sources, ReadoutTicks ticks,
          std::int64_t purge, const Trials& trials, std::int64_t channels,
          const std::vector<std::string>& classes, const ReadoutSolution& stored);

  Added take(const ReadoutRows& rows);
  /// Takes the weights, of a statistic of them, as they are behind the block in which these rows
  /// are.
  void take_weights(const ReadoutRows& rows, std::int64_t begin, std::int64_t end, Added& added);
  /// The same of a readout of any kind that predicts.
  Added take_any(const ReadoutRows& rows, const std::vector<const Readout*>& fused);
  /// Keeps what a consensus will hear of rows that it is trained on, and says it.
  void keep_trained(const ReadoutRows& rows, std::int64_t begin, std::int64_t end);
  void speak_of_trained();
  void speak(std::int64_t step, std::span<const double> prediction);
  /// Rows of a consensus, taken once all of `fused` have been trained.
  Added take_fused(const ReadoutRows& rows, const std::vector<const Readout*>& fused);
  /// What `fused` say of all ticks in fold k, or by all where k is the number of folds, as features
  /// of the rows that are kept.
  void hear_fold(const std::vector<const Readout*>& fused, std::size_t k);
  Added take_online(const ReadoutRows& rows);
  /// Watches rows that are read, or what another has missed its targets by.
  Added watch_rows(const ReadoutRows& rows);
  Added watch_errors(const Readout& other);
  /// Notes when the targets of rows that will be scored were taken.
  void note_target_times(const ReadoutRows& rows, const SampleReader& samples);
  /// Notes what the prediction of a row misses its target by.
  void note_miss(const ReadoutRows& rows, std::int64_t row, std::span<const double> prediction,
                 bool is_validation);
  /// Adds `told`, the numbers at this step, as one row of the results, and its changes.
  void add_watched(std::int64_t step, std::int64_t time, std::span<const double> told,
                   Added& added);
  void add_time(std::int64_t time, Added& added) const;
  /// Predicts each fold by what the others teach, once all rows are there.
  Added take_folds(const ReadoutRows& rows, const std::vector<const Readout*>& fused);

  /// Tells a free run what came, and keeps the row from which one may start.
  void watch(const ReadoutRows& rows, const HierarchyBlock& block, const SampleReader& samples);
  void train(ReadoutModel& model, const ReadoutRows& rows, std::int64_t begin, std::int64_t end);
  /// Whether a row counts for the score: its target is known, and its tick is to be scored.
  bool is_scored(const ReadoutRows& rows, std::int64_t row) const;
  /// Whether it may be told the target of a row: that is known, and drawn or asked for.
  bool is_told(const ReadoutRows& rows, std::int64_t row) const;
  Said say(ReadoutModel& model, const ReadoutRows& rows, std::int64_t begin,
           std::int64_t end) const;
  /// Predicts those of these rows that are for validation or test.
  void predict(ReadoutModel& model, const ReadoutRows& rows, std::int64_t begin, std::int64_t end,
               Added& added);
  /// Scores the prediction of a row, which is for validation or else for the test, also by
  /// `fold_test`, where there is one.
  void score(const ReadoutRows& rows, std::int64_t row, std::span<const double> prediction,
             const std::vector<double>& means, bool is_validation, Added& added,
             Scorer* fold_test = nullptr);
  /// Adds one row of the test part to the results.
  void add(const ReadoutRows& rows, std::int64_t row, std::span<const double> prediction,
           Added& added);
  void add_watched_state(const std::string& prefix, ArrayMap& arrays) const;
  void set_watched_state(const std::string& prefix, const ArrayMap& arrays);
  std::vector<ReadoutSeries> series_of_task() const;
  /// The classes of the readout by the numbers that the series has for them.
  void translate(ReadoutRows& rows) const;

  ReadoutConfig config_;
  std::vector<std::string> remarks_;
  std::int64_t purge_;
  ReadoutReader reader_;
  std::vector<std::string> classes_;
  std::vector<double> class_of_;  // for each class of the series its number in classes_
  std::int64_t predicted_ = 1;    // numbers that are predicted at a tick
  std::int64_t told_ = 1;         // numbers that the model gives at a tick, these first
  std::unique_ptr<ReadoutModel> model_;
  std::unique_ptr<Scorer> validation_;
  std::unique_ptr<Scorer> test_;
  std::optional<WindowScores> windows_;              // windows of the test
  std::vector<std::unique_ptr<Scorer>> fold_tests_;  // scorer of each fold, where that is a group
  SampleReader::TimeKind time_kind_ = SampleReader::TimeKind::none;
  const HierarchyManager* weighed_ = nullptr;  // hierarchy of the block, where weights are read
  std::int64_t added_ = 0;
  std::vector<double> fed_back_;  // [targets], at the step that comes next; empty: nobody reads it
  std::vector<std::int64_t> asked_steps_;
  std::optional<FreeRun> free_run_;
  ReadoutRows before_free_run_;  // the row at the step before a start, until it has started
  // While the training part is read again:
  std::optional<ReadoutReader> again_;     // reader of it, where it is ever read again
  std::vector<std::int64_t> told_steps_;   // the only ones that it is told the class of, in order
  std::vector<std::int64_t> added_steps_;  // steps of the rows that the model was given
  ReadoutRows kept_;       // all rows, where there are folds; else those that wait for the training
  ReadoutRows not_known_;  // rows of what learns online whose targets lie ahead
  // Parts of a consensus that hear others:
  Spoken spoken_;
  ReadoutRows trained_;  // rows of the training part, until the training is over
  std::vector<std::pair<std::int64_t, std::int64_t>> target_times_;  // times of steps to be scored
  std::vector<Miss> misses_;  // errors that what watches it has not heard, behind those that it has
  std::size_t heard_misses_ = 0;  // number of those that it has
  std::vector<Change> changes_;
  // Parts of a consensus:
  ReadoutRows unheard_;        // rows until all that it fuses have been trained
  std::vector<double> means_;  // means of the targets that these were trained on
};

}  // namespace gaia
