// SPDX-License-Identifier: MIT
/// \file
/// A readout of a result on rows that come one by one.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../../array/array_map.h"
#include "../../hierarchy/manager.h"
#include "../../learning/readout_kind.h"
#include "../readouts/readout_ticks.h"
#include "../readouts/reconstruction.h"
#include "live_plan.h"
#include "stream.h"

namespace gaia {

/// Why a readout of a result cannot be streamed, as a sentence without its end; empty if it can.
std::string why_not_live(const LivePlan& plan, const ReadoutConfig& readout, bool learn);

/// Path of the dataset that holds what a readout without a solution goes on from.
std::string model_state_path(const std::string& readout);

/// What readouts see of a row.
struct LiveStep {
  std::int64_t row = 0;        ///< Number of the row, among those that a filter has let through.
  std::int64_t step = 0;       ///< Number of its sample in the trial.
  std::int64_t first_row = 0;  ///< Row of the trial's first sample.
  /// What each level shows, fresh or held, zeros before its first tick.
  const std::vector<std::vector<double>>* shown = nullptr;
  std::span<const double> newest;    ///< The row, scaled.
  std::span<const char> is_missing;  ///< Whether each channel of it was filled.
  const HierarchyBlock* block = nullptr;
  std::span<const double> sample = {};  ///< The sample as level 0 reads it, where one is asked for.
};

/// Numbers of the last rows, [rows, width], NaN where they are not known.
class RowRing {
 public:
  RowRing(std::int64_t rows, std::int64_t width);

  /// The numbers of row `row`, the one behind the last, are to be set, and are not known yet.
  std::span<double> begin(std::int64_t row);
  /// Those of a row that is there still; none else.
  std::span<double> at(std::int64_t row);
  /// Mean of number `which` over the `count` rows up to `last`; NaN where one is not known.
  double mean(std::int64_t last, std::int64_t count, std::int64_t which) const;

  /// Oldest row first, and behind them the number of the row that comes next.
  std::vector<double> state() const;
  /// \throws ShapeError for a list of another length.
  void set_state(const std::vector<double>& state);

 private:
  bool has(std::int64_t row) const { return row >= 0 && row < next_ && row >= next_ - rows_; }

  std::int64_t rows_;
  std::int64_t width_;
  std::int64_t next_ = 0;
  std::vector<double> values_;
};

/// Reads what its levels show at its ticks, and predicts; between ticks the prediction is held.
/// One that learns online is told, at the tick at which they are there, the targets of what it read
/// `horizon` steps before, and only then predicts, as in a run; a row whose target does not come
/// waits for it for `late` rows.
class LiveReadout {
 public:
  /// `solution` is that of a stored one; `state` that of a model that has none.
  LiveReadout(const LivePlan& plan, std::size_t index, const HierarchyManager& hierarchy,
              const ReadoutSolution& solution, const std::vector<double>& state, bool learn,
              std::int64_t late);

  const std::string& name() const { return config_.name; }
  /// What it gives of each row.
  std::vector<StreamField> fields() const;
  /// NaN before its first tick in a trial.
  std::span<const double> values() const { return values_; }

  /// Whether it reads the sample itself.
  bool reads_sample() const { return config_.features.input; }
  bool reads_reconstructions() const { return reconstruction_.has_value(); }
  /// To be told before the hierarchy reads x [1, features], where reconstructions are read.
  void before_block(const HierarchyManager& hierarchy, const Array& x);

  /// A trial begins with row `row`.
  void begin_trial(std::int64_t row);
  /// The targets of a row that has just come, [data.targets], before its tick; empty: none.
  void take_targets(const LiveStep& step, std::span<const double> targets);
  /// Predicts where this is a tick.  `all` has those that it fuses, which have read the row.
  /// A target that cannot be learnt gives a warning.
  void read(const LiveStep& step, const std::vector<LiveReadout*>& fused,
            std::vector<std::string>& warnings);
  /// The targets of an earlier row, as far as they are not NaN.
  void teach(std::int64_t row, std::span<const double> targets);

  void add_state(ArrayMap& arrays) const;
  /// Stands before step `step` of a trial.
  /// \throws ArgumentError or ShapeError unless add_state of such a readout has added it.
  void set_state(const ArrayMap& arrays, std::int64_t step);

 private:
  /// A tick that waits for its target: the mean over the `count` rows up to `last`.
  struct Waiting {
    std::int64_t last = 0;
    std::int64_t count = 0;
    bool is_over = false;
    std::vector<double> read = {};  // numbers that the model read
  };

  bool is_tick(std::int64_t step) const {
    return step >= ticks_.phase && (step - ticks_.phase) % ticks_.spacing == 0;
  }
  std::int64_t targets() const;
  std::int64_t rows_of_target(std::int64_t last, std::int64_t first_row) const;
  void gather(const LiveStep& step, const std::vector<LiveReadout*>& fused);
  void learn_what_has_come(std::int64_t row, std::vector<std::string>& warnings);
  void wait_for_target(const LiveStep& step);
  /// How many numbers the model reads, with what there is now.
  std::size_t width() const { return static_cast<std::size_t>(features_ + (now_ ? targets() : 0)); }
  void show(std::span<const double> said);

  ReadoutConfig config_;
  std::vector<std::string> readouts_;  // names of what a consensus fuses
  TickOptions ticks_;
  bool learns_;
  std::int64_t late_;
  std::int64_t features_ = 0;  // numbers that the model reads, without what there is now
  std::int64_t channels_ = 0;  // those of them that are of the newest row, for an anomaly
  std::int64_t predicted_ = 1;
  std::vector<std::string> classes_;
  std::unique_ptr<ReadoutModel> model_;
  std::optional<Reconstruction> reconstruction_;
  std::vector<double> errors_;  // errors of the levels, where reconstructions are read

  std::vector<double> read_;    // numbers that the model read at the last tick
  std::vector<double> said_;    // numbers that it said then
  std::vector<double> values_;  // numbers that are shown
  std::vector<double> sums_;    // over the ticks of the trial, where there is one prediction for it
  double summed_ = 0.0;

  std::optional<RowRing> truth_;  // targets as they are learnt
  std::optional<RowRing> now_;    // the same for the change from now, filled or not
  std::deque<Waiting> waiting_;   // in the order of ticks, none longer than for `late_` rows
};

}  // namespace gaia
