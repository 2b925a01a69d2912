// SPDX-License-Identifier: MIT
/// \file
/// A hierarchy of levels that reads a time series and gives one representation per level, from fast
/// to slow.
///
///     HierarchyManager hierarchy;
///     HierarchicalLevel level(0, 100, 200, 1);
///     level.add_layer(HebbianLayer(100, 200, {.rule = OjaRule{}}));
///     hierarchy.add_level(std::move(level));
///     auto representations = hierarchy.process_hierarchy(data, 10000, {.learn = true});
///     representations.at(0).ticks;                         // [10000, 200]
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "level.h"
#include "level_clock.h"
#include "undo.h"

namespace gaia {

class StepJournal;

/// What all levels computed for a block of steps; see HierarchyManager::add_observer.
struct HierarchyBlock {
  std::int64_t first_step = 0;
  std::int64_t steps = 0;
  std::vector<LevelBlock> levels;  ///< In the order of their ids.
};

struct ProcessOptions {
  /// Whether plastic layers change their weights, where their level and they themselves learn
  /// (LevelOptions, HebbianOptions).  So does an experiment without `hierarchy.learn`.
  bool learn = true;
  std::int64_t block_steps = 0;  ///< Steps worked on at a time; 0: as many as suit the device.
  /// true: the data before anything changes (on a GPU after it), and every output of every block
  /// are looked through, and a block with NaN or Inf throws DivergedError.  false: nothing is.  Not
  /// set: on a CPU the data of a hierarchy that learns, and what is carried on from block to block:
  /// weights, memories, state, and of a hierarchy that learns representations; on a GPU nothing,
  /// since the host would have to wait.
  std::optional<bool> check_finite = {};
  /// On a CPU, whatever fails leaves the hierarchy as it was before: process_hierarchy,
  /// process_block and process_time_step the whole call, process_stream the block, behind those
  /// that observers have seen.  false: what is done stays done, which saves a copy of what changes.
  bool undo_failures = true;
  /// What rules by their equations read beside the series, by the name of the column: [steps], or
  /// [streams, steps], of the steps that are read.  Labels stand under "labels" as numbers of
  /// classes, -1 where there is none.
  TickSignals signals = {};
  /// Called behind every block of process_hierarchy; what it throws is a failure of the call.
  std::function<void()> after_block = {};
};

/// The ticks of one level over a series.
struct LevelRepresentation {
  std::int64_t temporal_resolution = 1;
  std::int64_t first_step = 0;  ///< Number of the first step of the series.
  std::int64_t steps = 0;       ///< Steps of the series.
  Array ticks;  ///< [ticks, n], or [streams, ticks, n] for a batch; replicas come before that
  /// [n] or [streams, n]: what was held when the series began; empty if the level had nothing to
  /// show.
  Array before;
  std::int64_t phase = 0;  ///< Step of the first tick of a trial.

  /// The step of every tick, [ticks] int64.
  Array tick_steps() const;
  /// One row per step of the series, each tick held until the next: [steps, n] or [streams, steps,
  /// n], with steps in place of ticks.
  Array expanded() const;
};

class HierarchyManager {
 public:
  HierarchyManager() = default;
  HierarchyManager(HierarchyManager&&) = default;
  HierarchyManager& operator=(HierarchyManager&&) = default;

  /// A hierarchy of its own that stands at the same step and goes on bit for bit as this one would:
  ///
  ///     HierarchyManager frozen = hierarchy.clone();
  ///     frozen.process_hierarchy(data);  // the hierarchy is as it was
  ///
  /// It copies the levels with their layers (rules, controls, executors, rates), the weights, the
  /// memories of rules, and everything that is carried from step to step, each array to the device
  /// on which it lies; the copy works on whatever device is current when it is used, like any
  /// hierarchy.  No random numbers are drawn.  Not copied are the observers, who go on to see the
  /// blocks of this one alone, and the last block, so that `check_finite` of the copy finds nothing
  /// before its own first block.
  HierarchyManager clone() const;

  /// Levels run in the order of their ids; each reads the one before it, the first reads the
  /// series. \throws ArgumentError if there is a level with this id.
  void add_level(HierarchicalLevel level);
  /// \throws ArgumentError if there is no level with this id.
  void remove_level(int id);
  HierarchicalLevel& level(int id);
  const HierarchicalLevel& level(int id) const;
  const std::vector<HierarchicalLevel>& levels() const;

  /// \throws Error unless every level has something to show at step(), zeros included.
  void check_shows() const;

  /// The arrays of a layer of level `id`, which share their elements with it.
  /// \throws ArgumentError if there is no level or layer of that number.
  std::vector<NamedArray> arrays(int id, std::size_t layer) const;

  /// The step that comes next: 0 at first, and after reset_state.
  std::int64_t step() const { return step_; }
  /// Says that the next step is `step`; steps that are jumped over do not exist for any pooling.
  void set_step(std::int64_t step);
  /// Forgets everything carried from earlier steps and goes back to step 0; weights stay.
  void reset_state();

  /// From here on plastic layers learn at the rates that they were created with times `factor`,
  /// until another is given: so a schedule is a call before each block.  Decay, homeostasis and
  /// normalisation stay as they are.  A clone has the factor too; `state` has not.
  /// \throws ArgumentError unless the factor is finite and at least 0.
  void scale_learning_rate(double factor);

  /// What layers with a connection from above (TopDownOptions) hear from here on, for controls: as
  /// their options say, nothing (td = 0, V stays as it is, and all else learns), or a random map in
  /// place of V.  A clone has the mode too; `state` has not.  Set before the first step it makes of
  /// a hierarchy its control.
  void set_top_down(TopDownMode mode);
  TopDownMode top_down_mode() const { return top_down_mode_; }
  /// Makes connections from above where there are none yet, so that HierarchicalLevel::top_down has
  /// their arrays; whatever reads steps does it too.
  /// \throws ArgumentError for one from a level that is not above, ShapeError for one whose level
  ///         has another size now.
  void connect();

  /// Says of layers with an automatic rate (HebbianOptions::automatic_rate) that they are to learn
  /// from `steps` steps from step 0 on, `times` times: over these ticks the rates fall, and then
  /// they stay.  Without this call they fall with the ticks alone.  What they have measured is
  /// forgotten. \throws ArgumentError unless both are at least 1.
  void fall_over(std::int64_t steps, std::int64_t times = 1);

  /// Reads the first `steps` rows (-1: all) of data [T, F], or of every stream of [B, T, F], as the
  /// steps from step() on, and learns unless `options` say otherwise.  A series may be given in
  /// several calls: the results are those of one.
  /// The streams of a batch share the weights; the update is the mean of theirs.
  /// On a GPU levels work side by side: each on a stream of its own, and on a block while the
  /// levels below it are on later ones.  That changes no bit of the results.
  /// A call that fails leaves the hierarchy as it was (ProcessOptions::undo_failures).
  /// \throws ShapeError if sizes do not chain, ArgumentError naming the step, the stream and the
  /// feature where the data are not finite, DivergedError naming the level, the layer and the step
  /// where learning has come to NaN or Inf (ProcessOptions::check_finite).
  std::map<int, LevelRepresentation> process_hierarchy(const Array& data, std::int64_t steps = -1,
                                                       const ProcessOptions& options = {});
  /// All rows: process_hierarchy(data, {.learn = false}).
  std::map<int, LevelRepresentation> process_hierarchy(const Array& data,
                                                       const ProcessOptions& options) {
    return process_hierarchy(data, -1, options);
  }

  /// Reads x [F] (or [B, F]) as step step(), and returns every level's representation, held or
  /// fresh.
  std::map<int, Array> process_time_step(const Array& x, bool learn = true);

  /// Reads `steps` steps that `read(first row, rows)` gives as [rows, F] or [B, rows, F], block by
  /// block; nothing but a block is ever in memory.  Observers see the results.
  void process_stream(const std::function<Array(std::int64_t, std::int64_t)>& read,
                      std::int64_t steps, const ProcessOptions& options = {});

  /// Reads one block x [B, T, F]; observers are called, and the block is returned.  On a GPU
  /// several levels work side by side, as in process_hierarchy, on pieces of `block_steps`, which
  /// are joined at the end; on the CPU one after another, on the whole block.
  HierarchyBlock process_block(const Array& x, const ProcessOptions& options = {});

  /// Calls `observer` after every block, in the order in which they were added.
  void add_observer(std::function<void(const HierarchyBlock&)> observer);
  const std::vector<std::function<void(const HierarchyBlock&)>>& observers() const {
    return observers_;
  }

  /// From here on the time that each level takes is measured, or (false) no longer.  On a GPU
  /// levels then wait for each other.  A clone does not measure.
  void measure_time(bool measures = true);
  /// Seconds that levels have taken since then, by their ids; empty where nothing is measured.
  const LevelSeconds& level_seconds() const;

  /// \throws DivergedError for the earliest value that is not finite among what the last block
  ///         left: its outputs, of process_hierarchy on a CPU only those to the last tick, and the
  ///         weights.
  void check_finite() const;

  /// \throws ArgumentError for the earliest number of data [streams, steps, features], to be read
  ///         from step() on, that is not finite; on the CPU, where these options ask for it.
  void check_inputs(const Array& x, const ProcessOptions& options) const;

  /// Makes room for everything that is carried from step to step, for `streams` streams of a series
  /// of `features` numbers of type `dtype`, so that `state` is complete before the first step.
  void allocate_state(std::int64_t streams, std::int64_t features, DType dtype);

  /// Everything from which the hierarchy goes on bit for bit, under names such as
  /// "levels/1/layers/0/weights"; the arrays share their elements with the hierarchy.
  std::vector<NamedArray> state() const;
  /// Stands before step `step` with what `state` of such a hierarchy was there, under its names or,
  /// as io::load hands them out, with '.' for '/'; makes room for it.  \throws ArgumentError for an
  /// array that is missing or, of a layer, not finite, ShapeError for another shape; then the
  /// hierarchy is as it was.
  void set_state(const ArrayMap& values, std::int64_t step);

  /// Multiplications and additions for one step of one stream, on average.
  double operations_per_step(bool learn) const;

  /// The columns whose numbers layers read beside the series (ProcessOptions::signals), each once.
  std::vector<std::string> signal_columns() const;

  /// \throws ShapeError unless every level reads what the one before it gives, and the first reads
  ///         `features` numbers.
  void check_sizes(std::int64_t features) const;

 private:
  /// The array into which a level shall write its ticks among some steps; one without elements
  /// leaves that to the level.
  using Room = std::function<Array(const HierarchicalLevel&, std::int64_t, std::int64_t)>;

  std::size_t position(int id) const;
  std::int64_t block_length(const ProcessOptions& options) const;
  /// How the levels read some steps.
  struct Reading {
    std::int64_t first_step;
    bool learn;
    bool continues;              ///< The block that was read last.
    bool side_by_side;           ///< Each level on a stream of its own.
    const TickSignals& signals;  ///< [streams, steps] of these steps.
  };
  friend class HierarchyUndo;
  friend class StepJournal;

  /// Somebody may change levels from here on, with nobody to tell of it.
  void expose() const;
  /// Whether a failure of these steps is undone by doing again what was done since all was kept.
  bool can_do_again(const Array& x, const ProcessOptions& options) const;
  void end_journal();
  void forget_failures();

  std::vector<LevelBlock> run_levels(const Array& x, const Reading& reading, const Room& room);
  /// The same of steps during which no text that reads td hears anything new.
  std::vector<LevelBlock> run_piece(const Array& x, const Reading& reading, const Room& room);
  /// End of a piece that begins at `step`, for texts that read td; `end` where none does.
  std::int64_t end_of_piece(std::int64_t step, std::int64_t end) const;
  /// The place of the level that a level hears.
  std::size_t sender_of(const HierarchicalLevel& level) const;
  /// Makes connections as far as there are levels for them.
  void connect_known();
  bool any_hears() const;
  /// Whether NaN in the series is a value that is missing, which the first level can do without.
  bool takes_missing() const { return !levels_.empty() && levels_.front().takes_missing(); }
  /// What comes after a block: the next step, the observers.
  void go_on(const HierarchyBlock& block);
  /// \throws DivergedError where check_finite is not set, the hierarchy learns, and something that
  /// is carried on is not finite: representations, and weights if they are asked for.
  void check_carried(const ProcessOptions& options, bool weights) const;
  HierarchyBlock run_block(const Array& x, const ProcessOptions& options,
                           const TickSignals& signals, const Room& room);
  /// Does `work`, which reads the steps of these data.  If it fails, or leaves what is not finite,
  /// nothing is done.
  template <class Work>
  void all_or_nothing(const Array& x, const ProcessOptions& options, const Work& work);

  std::vector<HierarchicalLevel> levels_;
  std::vector<std::function<void(const HierarchyBlock&)>> observers_;
  std::int64_t step_ = 0;
  TopDownMode top_down_mode_ = TopDownMode::learnt;
  HierarchyUndo undo_;
  bool is_guarded_ = false;  // by a call around this one
  std::shared_ptr<StepJournal> journal_;
  std::unique_ptr<LevelSeconds> clock_;  // null: nothing is measured
};

}  // namespace gaia
