// SPDX-License-Identifier: MIT
/// \file
/// Controls: what is fed the same samples as the hierarchy of a run, and read by the same readouts,
/// so that the run can tell whether its learning was worth it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../array/array_map.h"
#include "../../hierarchy/manager.h"
#include "../config/config.h"
#include "../config/config_writer.h"
#include "free_reader.h"
#include "readout.h"
#include "verdict.h"

namespace gaia {

struct Experiment;

/// The run that controls stand beside, before its first step.
struct ControlSetup {
  const ExperimentConfig& config;
  const Trials& trials;
  const HierarchyManager& hierarchy;  ///< Hierarchy that the run begins with.
  std::int64_t features;              ///< Number of values in a sample.
  bool has_pictures = false;          ///< Whether a row is a picture.
  /// Factor of the learning rates at a step, counted through all epochs: 0 where nothing learns.
  std::function<double(std::int64_t)> rate = {};
  /// Has a hierarchy learn as that of the run does at a step, counted alike.
  std::function<void(HierarchyManager&, std::int64_t)> learn_as_at = {};

  std::int64_t channels() const { return features / config.data.window; }
  std::int64_t spacing(const ReadoutConfig& readout) const {
    return tick_options(readout, config).spacing;
  }
  ReadoutTicks ticks(const ReadoutConfig& readout) const {
    return readout_ticks(readout, config, trials);
  }
};

ControlSetup control_setup(const Experiment& experiment, const HierarchyManager& hierarchy);

/// What the run has just computed from the samples that come next, as it is shown to controls.
struct RunBlock {
  const Array& x;                 ///< Samples [steps, features], on the current device.
  const ProcessOptions& options;  ///< Signals beside them, and whether the run learnt from them.
  std::int64_t step;              ///< Step of the series of the first of them.
  const HierarchyBlock& shown;    ///< Ticks of the run's levels.
  const HierarchyManager& hierarchy;  ///< The run's, as it stands behind the block.
  double rate = 1.0;                  ///< Factor of the run's learning rates.

  std::int64_t end() const { return step + x.shape(0); }
};

/// One kind of comparison.  It knows the samples alone, never a target.
///
/// A kind is a class in a file of its own, named in the list of control.cpp, with
///
///     static constexpr const char* kName;   // in YAML and in results
///     static constexpr const char* kTitle;  // for people
///     static constexpr bool kStandsAlone;   // true: the title says how it is read, too; optional
///     static constexpr bool kSameForAll;    // true: all readouts read the same in it; optional
///     static std::string why_left_out(const ControlSetup&, const ReadoutConfig&);
///     static double numbers(const ControlSetup&, std::int64_t block_steps);
///     explicit Kind(const ControlSetup&);
///
/// why_left_out: what keeps a readout, which learns, from reading it; empty if nothing does.
/// numbers: about how many numbers it keeps in memory while it reads a block.
class Control {
 public:
  virtual ~Control() = default;

  /// Name in `controls` of an experiment and in the results file.
  virtual std::string name() const = 0;

  /// What people call it, beside these data.
  virtual std::string title() const { return control_title(name()); }

  /// In how many ways it is run at once.  Of several each readout gets the one on which it is best
  /// before its test part.
  virtual std::size_t variants() const { return 1; }
  /// By what a variant differs, as attributes of the results.
  virtual Attributes variant(std::size_t /*index*/) const { return {}; }

  /// What a readout reads in its blocks, of one variant, in place of the run's levels.
  virtual std::vector<ReadoutSource> sources(const ReadoutConfig& readout,
                                             std::size_t variant) const = 0;
  std::vector<ReadoutSource> sources(const ReadoutConfig& readout) const {
    return sources(readout, 0);
  }

  /// What reads it in place of a readout of the experiment.
  virtual ReadoutConfig reader_of(const ReadoutConfig& readout) const { return readout; }

  /// Rows that what it shows at a step depends on, where these are not those of the run's levels.
  virtual std::int64_t rows_read() const { return 0; }

  /// The hierarchy whose neurons its readouts read, and whose weights rebuild samples, as it stands
  /// beside that of the run; null where they read no neurons.
  virtual const HierarchyManager* neurons(const HierarchyManager& /*run*/) const { return nullptr; }

  /// Which steps of the series it has to see before the run begins: at most those that all of its
  /// readouts are trained on.
  virtual Stretches steps_before() const { return {}; }
  /// Sees x [steps, features], those samples in their order, begin_trial between those that do not
  /// follow on each other within a trial.
  virtual void see(const Array& /*x*/) {}
  /// All of them were seen; it stands before the first step of the series.
  virtual void end_seeing() {}

  /// What goes on from where it stands with samples that a readout has made, of a variant: a copy
  /// of its neurons where it has some; null where nothing does.  Used up before anything else is
  /// asked of the control.
  virtual std::unique_ptr<FreeReader> free_reader(std::size_t variant,
                                                  const HierarchyManager& run) const;

  /// A step of the series at which a block has to end; empty: any will do.
  virtual std::optional<std::int64_t> border() const { return {}; }

  /// Whether it reads all epochs, else the last alone, which readouts read.
  virtual bool reads_every_epoch() const { return false; }

  /// Reads the samples that come next.
  virtual HierarchyBlock process(const RunBlock& run) = 0;
  /// A trial begins, or the series anew: nothing is carried on but what was learnt.
  virtual void begin_trial() = 0;

  /// Adds everything from which it goes on bit for bit, but for what a run that begins makes of it
  /// anyway; copied to the host.
  virtual void add_state(ArrayMap& arrays) const = 0;
  /// Stands before step `step` of the trial with what add_state has added there.
  /// \throws ArgumentError or ShapeError unless it was that of such a control.
  virtual void set_state(const ArrayMap& arrays, std::int64_t step) = 0;
};

/// What one readout reaches on one control.
struct ControlScore {
  std::string control;
  std::string title;
  ReadoutScore score;
  std::optional<ReadoutScore> validation = {};
  Attributes variant = {};  ///< The one that was chosen.
  WindowScores::Table windows = {};
  std::optional<FreeRun::Table> free_run = {};
  FoldScores folds = {};  ///< Scores of each group, where each is a fold.
};

/// A control beside one run.
struct ControlPlan {
  std::string name;
  /// For each readout of the experiment why it does not read this control; empty where it does.
  std::vector<std::string> left_out;

  bool is_read(std::size_t readout) const { return left_out[readout].empty(); }
  bool is_run() const;
};

/// The controls that the experiment asks for, also those that no readout reads in the end; but
/// `frozen`, `stopped` and `shuffled` only where something learns, `silent` and `random_map` only
/// where a level hears another, and all but `frozen` only where a readout learns.
std::vector<ControlPlan> plan_controls(const ControlSetup& setup);

/// A control of this name.  \throws ArgumentError for an unknown name.
std::unique_ptr<Control> make_control(const std::string& name, const ControlSetup& setup);

/// About how many numbers it keeps in memory while it reads a block; its readouts' too.
double control_numbers(const ControlPlan& plan, const ControlSetup& setup,
                       std::int64_t block_steps);

/// More numbers than that are not read by a readout of a control, whose time grows with their
/// square.
inline constexpr std::int64_t kMostControlFeatures = 2048;

/// What reads in place of `readout` numbers that are no neurons, of which there are no squares to
/// be had.
ReadoutConfig without_squares(ReadoutConfig readout);

/// For why_left_out: that a readout would read too many numbers; empty if they are few enough.
std::string too_many_features(std::int64_t features);

/// The steps of the series, as ReadoutTicks::training_steps() has them, that a readout is trained
/// on: none of what it is validated or tested by.  Empty where there are none, or its folds are
/// tested all.
Stretches steps_of_training(const ControlSetup& setup, const ReadoutConfig& readout);

/// Steps that are read once more by readouts that are trained behind their training part.
std::int64_t steps_read_again(const ControlSetup& setup);

/// The step of the series at which the training part of the first readout that is trained before it
/// is scored ends; 0 if there is none.
std::int64_t first_training_end(const ControlSetup& setup);

/// For what sees every sample and is read at some: the greatest number of steps that the ticks of
/// all readouts are multiples of.
std::int64_t common_spacing(const ControlSetup& setup);

/// Ticks at the multiples of `spacing` in a block that ticks at every step.
LevelBlock thinned(const LevelBlock& block, std::int64_t spacing);

}  // namespace gaia
