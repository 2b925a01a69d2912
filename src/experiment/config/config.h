// SPDX-License-Identifier: MIT
/// \file
/// An experiment as typed values: what the YAML file says, with every default filled in.
/// docs/experiments.md explains the keys; describe.h lists them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../../array/precision.h"
#include "../../array/runtime_config.h"
#include "../../formulas/dtype.h"
#include "../../hierarchy/level_options.h"
#include "../../io/event_series.h"
#include "../../io/generators/generator.h"
#include "../../io/idx.h"
#include "../../io/missing.h"
#include "../../io/pictures/pictures.h"
#include "../../io/series.h"
#include "../../io/time_check.h"
#include "../../layers/hierarchy/layer_kind.h"
#include "../../learning/readout_kind.h"
#include "agent_config.h"
#include "drift_config.h"
#include "experiment_kind.h"
#include "fault_config.h"
#include "free_run_config.h"
#include "network_config.h"
#include "published_config.h"
#include "readout_features.h"
#include "signal_config.h"
#include "spikes_config.h"

namespace gaia {

/// How channels are scaled; `stored`: as those of the run that hierarchy.from names.
enum class Normalize { none, zscore, minmax, stored };

std::string to_string(Normalize normalize);

/// \throws ArgumentError for an unknown name.
Normalize normalize_from_name(std::string_view name);

/// Which rows zscore and minmax are measured over, where a readout is trained or a network: those
/// of its training part, or all.
enum class NormalizeFrom { train, all };

/// What trials are within a file.
struct TrialsConfig {
  enum class By { none, column, length, axes } by = By::none;
  std::string column;             ///< A trial is a stretch of rows with the same value in it.
  std::int64_t length = 1;        ///< Rows.
  std::vector<std::string> axes;  ///< What those of an array are: trial, time, channel.

  friend bool operator==(const TrialsConfig&, const TrialsConfig&) = default;
};

/// data: source: file
struct FileConfig {
  static constexpr const char* name = "file";
  std::string path = {};                ///< Path or pattern as written; relative to the YAML file.
  std::vector<std::string> files = {};  ///< Paths in place of `path`.
  std::string dataset = {};             ///< HDF5 and MATLAB only.
  std::string time = {};                ///< When each row was taken.
  GapPolicy gaps = GapPolicy::warn;
  std::vector<std::string> columns = {};
  std::vector<std::string> targets = {};  ///< What no level reads.
  std::string labels = {};                ///< The class of each row or trial.
  std::string groups = {};                ///< What rows belong together, on one side of a split.
  TrialsConfig trials = {};
  bool transpose = false;  ///< Rows are channels.
  MissingPolicy missing = MissingPolicy::error;
  char decimal = '.';    ///< CSV only: what sets off decimals, or ','.
  bool trusted = false;  ///< HDF5 and MATLAB only: read without a process and limits of its own.

  friend bool operator==(const FileConfig&, const FileConfig&) = default;
};

/// data: source: generator
struct GeneratorConfig {
  static constexpr const char* name = "generator";
  Kind<GeneratorKind> kind;
  std::vector<std::string> columns;  ///< Channels that the levels read.
  std::vector<std::string> targets;  ///< Channels that no level reads.
};

/// data: source: events.  Times and channels of events, such as spikes, counted in bins.
struct EventsConfig {
  static constexpr const char* name = "events";
  std::string path = {};  ///< Path of the list of events, relative to the YAML file.
  EventOptions options = {};
  std::vector<std::string> targets = {};  ///< Channels that no level reads.

  friend bool operator==(const EventsConfig&, const EventsConfig&) = default;
};

/// How rows are whitened; `stored`: as those of the run that hierarchy.from names.
enum class Whiten { none, zca, stored };

std::string to_string(Whiten whiten);

/// \throws ArgumentError for an unknown name.
Whiten whiten_from_name(std::string_view name);

/// data: source: images.  A folder of IDX files of the names that MNIST and Fashion-MNIST have, or
/// of PNG and JPEG files, or one file of any name.
struct ImagesConfig {
  static constexpr const char* name = "images";
  std::string folder = io::kFashionMnistFolder;    ///< Absolute, or relative to the YAML file.
  std::optional<std::int64_t> train_samples = {};  ///< The first so many; all if absent.
  std::optional<std::int64_t> test_samples = {};
  // A hierarchy has these too:
  /// Path of one file of pictures in place of a folder; relative to the YAML file.
  std::string path = {};
  std::string labels = {};               ///< Path of the classes of these pictures.
  std::vector<std::int64_t> patch = {};  ///< [height, width], or one number; empty: whole pictures.
  std::optional<std::int64_t> count = {};  ///< Number of patches.
  io::Colours colours = io::Colours::automatic;

  friend bool operator==(const ImagesConfig&, const ImagesConfig&) = default;
};

/// What is subtracted and divided by, per channel.
struct Scaling {
  std::vector<double> offset;
  std::vector<double> scale;
};

/// In which order the rows of a source are read.
struct OrderConfig {
  enum class By {
    none,
    runs,     ///< Rows of one class, then of another.
    shuffle,  ///< Each once.
    draw,     ///< With replacement.
  } by = By::none;
  double runs = 20.0;  ///< Mean length.
  struct Draw {
    double share = 1.0;  ///< Rows that are drawn from: the first so many of all.
    std::int64_t count = 1;

    friend bool operator==(const Draw&, const Draw&) = default;
  };
  std::vector<Draw> draw = {};  ///< One after the other.

  friend bool operator==(const OrderConfig&, const OrderConfig&) = default;
};

struct DataConfig {
  std::variant<FileConfig, GeneratorConfig, ImagesConfig, EventsConfig> source;
  OrderConfig order;
  std::int64_t permuted_tasks = 0;    ///< Tasks of a network, one after another; 0: data are one.
  std::optional<std::int64_t> steps;  ///< Samples; all of a file if absent.
  std::int64_t window = 1;
  Normalize normalize = Normalize::none;
  NormalizeFrom normalize_from = NormalizeFrom::train;
  /// Rows that zscore and minmax are measured over, once data are open; empty: all that are read.
  std::vector<RowRange> measured;
  Scaling scaling;  ///< Scaling of Normalize::stored, taken from that run.
  Whiten whiten = Whiten::none;
  double whiten_epsilon = 0.01;  ///< Addend to every variance, in mean variances of the channels.
  std::vector<FaultConfig> faults;  ///< Faults of the values that are read, one after the other.
  SignalFilterConfig filter;        ///< Frequencies of the rows that are read.
  ResampleConfig resample;          ///< Rows that stay, after the filter.
  SpikesConfig spikes;              ///< Trials of spikes that rows become.
  std::vector<DriftConfig> drift;   ///< Changes of the scaled rows, one after the other.
  std::int64_t seed =
      0;  ///< Seed of faults, order and drift: that of the experiment, once data are open.
  /// Names of the classes of the labels in the order of the neurons that stand for them: those of
  /// the run that this one begins from first, then those that it did not have.
  std::vector<std::string> label_classes;
  std::vector<double> class_numbers;  ///< Place there of each class of the series.
  /// Hz, of the rows of the source; where a filter or a resampling needs it and the source tells
  /// it, that, once data are open.
  std::optional<double> sample_rate;
  /// [height, width] or [height, width, colours] of a row that is a picture; empty: it is none, or
  /// the source says it.
  std::vector<std::int64_t> shape;

  /// Hz, of the rows that are read.
  std::optional<double> rate_of_rows() const {
    if (!sample_rate || resample.by == ResampleConfig::By::none) return sample_rate;
    return resample.by == ResampleConfig::By::to
               ? resample.to
               : *sample_rate / static_cast<double>(resample.every);
  }
  /// Whether channels are scaled by moments of the series itself.
  bool is_measured() const {
    return normalize == Normalize::zscore || normalize == Normalize::minmax;
  }
  /// Whether missing values are NaN in what is read (MissingPolicy::keep, or faults that show
  /// nothing).
  bool keeps_missing() const {
    const auto* const file = std::get_if<FileConfig>(&source);
    return (file != nullptr && file->missing == MissingPolicy::keep) || leaves_missing(faults);
  }
};

/// One layer of a level.
struct LayerConfig {
  std::int64_t size = 0;
  bool learn = true;  ///< Plastic layers: whether this one learns where its level does.
  Kind<LayerKind> kind;
};

struct LevelConfig {
  std::int64_t temporal_resolution = 1;
  LevelOptions options = {};
  std::vector<LayerConfig> layers;
};

/// How learning rates change from step to step; t counts them through all epochs.
struct RateSchedule {
  enum class Kind {
    none,
    half_life,    ///< 0.5^(t / steps)
    cosine_to,    ///< (1 + cos(pi t / steps)) / 2; from `steps` on nothing learns.
    tenth_after,  ///< 1, and 0.1 from `steps` on.
  } kind = Kind::none;
  std::int64_t steps = 1000;
};

/// hierarchy: messages
struct MessagesConfig {
  std::int64_t keep = 0;  ///< Last messages of each level; 0: levels send none.
  std::vector<std::int64_t> every = {
      1};  ///< Ticks from one message to the next (MessageOptions::every).

  friend bool operator==(const MessagesConfig&, const MessagesConfig&) = default;
};

/// hierarchy:
struct HierarchyConfig {
  static constexpr const char* name = "hierarchy";
  /// Results file whose run's weights this one begins with, as written; relative to the YAML file.
  std::string from;
  bool learn = true;
  std::optional<std::int64_t> freeze_after;  ///< Steps after which nothing learns any more.
  RateSchedule schedule;
  std::int64_t epochs = 1;  ///< How often the series is read.
  Executor executor = Executor::chunkwise;
  MessagesConfig messages;
  std::vector<LevelConfig> levels;
  /// Steps in which one level after the other learns, each in its own; none: all in all of them.
  std::optional<std::int64_t> layerwise;

  /// Whether any layer learns at the first step.
  bool learns_at_first() const {
    const auto learns_in = [](const LevelConfig& level) {
      return level.options.learn &&
             std::any_of(level.layers.begin(), level.layers.end(), [](const LayerConfig& layer) {
               return layer.learn && layer.kind->is_plastic();
             });
    };
    return learn && freeze_after.value_or(1) > 0 &&
           std::any_of(levels.begin(), levels.end(), learns_in);
  }
};

/// What a readout predicts.
struct ReadoutTarget {
  /// Channels of the series, latents of a generator, columns that no level reads (data.targets), or
  /// classes (data.labels).
  enum class Of { channel, latent, column, label };
  Of of = Of::channel;
  std::vector<std::string> names = {};  ///< Or indices, as written; of a label none.
  /// Places of these names among all of their sort, once data are open.
  std::vector<std::int64_t> indices = {};
  std::int64_t horizon = 0;    ///< Steps ahead.
  std::int64_t mean_over = 1;  ///< Steps that the target is the mean of, the last `horizon` ahead.
  bool change = false;         ///< The change from now is learnt, and added to what there is now.
  bool per_trial = false;      ///< One prediction a trial, from the means of what is read in it.

  bool is_label() const { return of == Of::label; }
};

std::string to_string(ReadoutTarget::Of of);

/// Which parts of the ticks (of several trials, of the trials) are for what, as shares.
struct ReadoutSplit {
  /// Written as one number: what is trained on; the rest is for testing.
  std::optional<double> share;
  bool is_map = false;  ///< Written as a map of these:
  double train = 0.0;
  double validation = 0.0;
  double test = 0.0;
};

/// How many ticks of the training part a readout of classes is told the class of.
struct ReadoutLabels {
  enum class Count { all, per_class, in_all };
  Count of = Count::all;
  std::int64_t count = 0;  ///< Ticks of each class, or of all.
};

/// Ticks that were drawn for that (setup/chosen_ticks.h), in order, and the steps that they are at.
struct LabelledTicks {
  std::vector<std::int64_t> ticks;
  std::vector<std::int64_t> steps;
};

struct ReadoutConfig {
  std::string name;
  ReadoutTarget target;
  std::vector<std::int64_t> levels;
  ReadoutFeatures features = {};
  bool learn = true;  ///< false: it has the weights of its namesake in the run of hierarchy.from.
  /// Share of the series, from its start, that is left out; if absent 0, or a tenth of what learns
  /// online over data that are normalised by what they are like themselves.
  std::optional<double> skip;
  ReadoutSplit split;
  std::int64_t folds = 0;  ///< Folds of a cross-validation in place of a split; 0: none.
  /// Whether each group (data.groups) is a fold, of which data tell how many there are when they
  /// are open; before that `folds` is 2.
  bool is_fold_for_group = false;
  /// Names of these groups, in the order of the folds; known when data are open.
  std::vector<std::string> group_names = {};
  std::int64_t embargo = 0;  ///< Steps by which a part is kept further from the next.
  /// Ticks of a window of scores along the stream; if absent a twentieth of the test part.
  std::optional<std::int64_t> score_every;
  ReadoutLabels labels;
  bool scores_unseen = false;  ///< Whether rows that were shown before it was trained do not count.
  std::string normal;          ///< Class that is no anomaly; empty: class 0.
  /// Whether what it reads was computed from later rows (MissingPolicy::interpolate); told when
  /// data are open.
  bool looks_ahead = false;
  /// What it does where it reads what it has said itself.
  FreeRunConfig free_run = {};
  /// Ticks that it is told the class of, drawn when data are open; null: all of the training part.
  std::shared_ptr<const LabelledTicks> labelled = {};
  /// Whether it is told the classes that neurons of the run ask for, in place of a naming readout
  /// where there are no neurons.
  bool is_told_asked = false;
  /// Whether only ticks that it is told the class of are scored.
  bool is_scored_by_told = false;
  /// Ticks behind the training part that are not scored since their rows were shown before; null:
  /// none.
  std::shared_ptr<const std::vector<std::int64_t>> seen = {};
  /// Places of a consensus in the list of the readouts that it fuses, once data are open; its
  /// target, split and what else follows from that are theirs.
  std::vector<std::int64_t> fused = {};
  /// Whether a layer reads what it says (TemporalOptions::feedback); known when data are open.
  bool feeds_back = false;
  /// What a consensus reads of it: nothing, what it predicts where it is scored, and what it says
  /// of its training part.
  enum class Heard { not_at_all, scored, trained };
  Heard heard = Heard::not_at_all;
  /// Whether a readout that tells of changes hears what it misses its targets by.
  bool is_watched = false;
  Kind<ReadoutKind> kind;

  ReadoutTask task() const { return kind->task(); }
  /// Whether it predicts something that can be scored; else it tells of changes.
  bool predicts() const { return task() != ReadoutTask::change; }
  /// Whether its model learns something by which it goes on: not of what is matched or measured.
  bool teaches() const {
    return task() != ReadoutTask::matching && task() != ReadoutTask::statistic;
  }
  /// Whether it reads the training part once more when that is over, and is trained only then.
  bool reads_again() const { return learn && (kind->names_neurons() || is_told_asked); }
};

/// What is recorded: nothing, what matters at the end, or every N-th.
struct Recording {
  enum class What { none, all, every } what = What::none;
  std::int64_t every = 1;
};

struct OutputConfig {
  std::string path;  ///< Relative to the working directory.
  Recording representations{Recording::What::all, 1};
  Recording weights{Recording::What::all, 1};  ///< `all` is written "final".
  bool inputs = false;
  Recording steps{Recording::What::all, 1};  ///< Steps of an agent.
  Recording plans{Recording::What::all, 1};  ///< Plans of an agent.
  std::int64_t compression = 4;
};

/// When the state is stored beside the result, from which `gaia resume` goes on.
struct CheckpointConfig {
  std::int64_t every = 0;  ///< Steps, of a network optimiser steps; 0: not by their number.
  double minutes = 10.0;   ///< Minutes of wall time; 0: not by the clock.
};

/// What can be run beside a hierarchy for comparison: the names in the list of
/// readouts/control.cpp.
std::vector<std::string> known_controls();

/// What the control self_trained keeps, and when it is fitted anew.
struct SelfTraining {
  std::int64_t memory = 1000;  ///< Rows that it is fitted to, the newest.
  std::int64_t every = 500;    ///< Ticks from one fit to the next.
};

struct ExperimentConfig {
  std::string experiment;
  std::int64_t seed = 0;
  std::string device = "auto";
  DType dtype = DType::float32;
  MatmulPrecision precision = MatmulPrecision::full;
  DataConfig data;
  Kind<ExperimentKind> kind;  ///< What runs, with the values of its section.
  std::vector<ReadoutConfig> readouts;
  /// Controls, which the same readouts read.
  std::vector<std::string> controls = {"frozen", "same_past"};
  bool has_controls = false;  ///< Whether these are settled: by the file, or by what its data are.
  SelfTraining self_trained;
  OutputConfig output;
  CheckpointConfig checkpoint;
  bool has_runtime = false;
  RuntimeConfig runtime;  ///< Empty of a device, which is the key above.
  PublishedConfig published;

  /// One without levels where another kind runs.
  const HierarchyConfig& hierarchy() const {
    static const HierarchyConfig none;
    const auto* const own = kind.get_if<HierarchyConfig>();
    return own == nullptr ? none : *own;
  }
  // Null where another kind runs.
  const NetworkConfig* network() const { return kind.get_if<NetworkConfig>(); }
  const AgentConfig* agent() const { return kind.get_if<AgentConfig>(); }
};

/// "file" or the generator's kind.
std::string source_name(const DataConfig& data);

}  // namespace gaia
