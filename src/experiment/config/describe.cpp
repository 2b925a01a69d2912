// SPDX-License-Identifier: MIT
#include "describe.h"

#include <limits>

#include "../../core/error.h"
#include "../../core/names.h"

namespace gaia {
namespace {

// Data

/// Without which keys about pictures that are rows have no effect.
constexpr const char* kHierarchy = "hierarchy (a network reads whole images as they are)";

/// none | {column: NAME} | {length: ROWS} | {axes: [trial, time, channel]}
void describe(ConfigVisitor& v, TrialsConfig& trials) {
  using By = TrialsConfig::By;
  const auto word_of = [&trials]() -> std::string {
    return trials.by == By::length ? "length" : trials.by == By::axes ? "axes" : "column";
  };
  v.word_or_map(
      {"trials", "what trials are within a file; nothing is carried over from one to the next"},
      {{"none"},
       [&trials] { return trials.by == By::none ? "none" : "map"; },
       [&trials](const std::string& word) {
         trials.by = word == "none" ? By::none : trials.by == By::none ? By::column : trials.by;
       }},
      "map", [&] {
        v.one_of(
            {{"column", "a trial is a stretch of rows with the same value in it"},
             {"length", "rows of a trial"},
             {"axes", "what the three axes of an array are: trial, time, channel"}},
            {{"column", "length", "axes"},
             word_of,
             [&trials](const std::string& word) {
               trials.by = word == "length" ? By::length : word == "axes" ? By::axes : By::column;
             }},
            [&](const Key& key) {
              const std::string_view word = key.name;
              if (word == "column") v.text(key, trials.column);
              if (word == "length") {
                v.integer(key, trials.length, {1, std::int64_t{1} << 48});
              }
              if (word == "axes") v.words(key, trials.axes);
            });
      });
}

void describe(ConfigVisitor& v, FileConfig& file) {
  v.one_of({{"path",
             "a .h5/.hdf5, .csv or .npy file, or a pattern (*, ?, [..]) of several, "
             "relative to the YAML file"},
            {"files", "several files in their order, relative to the YAML file: each is a trial"}},
           {{"path", "files"},
            [&file] { return file.files.empty() ? "path" : "files"; },
            [](const std::string&) {}},
           [&](const Key& key) {
             if (std::string_view(key.name) == "files") {
               v.words(key, file.files);
             } else {
               v.text(key, file.path);
             }
           });
  v.text({"dataset", "dataset to read, HDF5 only; default the only one of a file"}, file.dataset);
  v.text({"time", "column (of HDF5 also a coordinate) that tells when each row was taken"},
         file.time);
  v.choice({"gaps",
            "what to do with steps in time of more than 1.5 times the median: refuse them, "
            "tell of them, or end a trial there"},
           choice_of({"error", "warn", "split"}, file.gaps, gap_policy_from_name));
  v.words({"columns",
           "columns to read, by name or index; default all numeric ones that no other "
           "key names"},
          file.columns);
  v.words({"targets", "columns that no level reads, for readouts to predict"}, file.targets);
  v.text(
      {"labels", "column of classes, text or integers, which no level reads; of NPY also a file"},
      file.labels);
  describe(v, file.trials);
  v.flag({"transpose", "NPY and HDF5 only: whether rows are channels"}, file.transpose);
  v.choice({"missing", "what to do with missing values: refuse the file, or interpolate linearly"},
           choice_of({"error", "interpolate"}, file.missing, missing_policy_from_name));
  v.choice({"decimal", "CSV only: the decimal mark, a comma where semicolons or tabs separate"},
           {{".", ","},
            [&file] { return std::string(1, file.decimal); },
            [&file](const std::string& mark) { file.decimal = mark.front(); }});
  v.flag({"trusted",
          "HDF5 only: whether the file is read within gaia itself, without the limits on "
          "files of others"},
         file.trusted);
}

void describe(ConfigVisitor& v, ImagesConfig& images, bool of_hierarchy) {
  v.where(of_hierarchy, kHierarchy, [&] {
    v.text({"path",
            "one IDX file of pictures in place of a folder, relative to the YAML file; all of them "
            "are training pictures"},
           images.path);
    v.where(!images.path.empty(), "data.path (a folder has labels of its own)", [&] {
      v.text({"labels", "IDX file with the class of each picture in path"}, images.labels);
    });
  });
  v.where(images.path.empty(), "data.folder (data.path is in its place)", [&] {
    v.text({"folder", "where the IDX files are, absolute or relative to the YAML file"},
           images.folder);
  });
  v.optional({"train_samples", "the first so many; default all"}, images.train_samples,
             {1, std::int64_t{1} << 40});
  v.where(images.patch.empty() && images.path.empty(),
          "test pictures (data.patch and data.path have training pictures alone)", [&] {
            v.optional({"test_samples", "the first so many; default all"}, images.test_samples,
                       {1, std::int64_t{1} << 40});
          });
  v.where(of_hierarchy, kHierarchy, [&] {
    v.integer_or_list({"patch",
                       "samples are random patches of the training pictures: their height and "
                       "width, or one number for both; default whole pictures"},
                      images.patch, {1, 100000});
    v.where(!images.patch.empty(), "data.patch", [&] {
      v.optional({"count", "number of random patches; required with patch"}, images.count,
                 {1, std::int64_t{1} << 48});
    });
    v.choice({"whiten",
              "whether pixels are decorrelated: by the training pictures or patches, or as in "
              "hierarchy.from"},
             choice_of({"none", "zca", "stored"}, images.whiten, whiten_from_name));
    v.where(images.whiten == Whiten::zca, "data.whiten: zca", [&] {
      v.number({"whiten_epsilon",
                "added to every variance before it is divided by, in mean variances of the pixels"},
               images.whiten_epsilon, {0.0, 1e6});
    });
  });
}

bool is_series(const DataConfig& data) {
  return !std::holds_alternative<ImagesConfig>(data.source);
}

void describe(ConfigVisitor& v, DataConfig& data, bool of_hierarchy) {
  v.variant({"source", "where the series comes from", true}, choice_of(data.source), [&] {
    if (auto* file = std::get_if<FileConfig>(&data.source)) return describe(v, *file);
    if (auto* images = std::get_if<ImagesConfig>(&data.source)) {
      return describe(v, *images, of_hierarchy);
    }
    auto& generator = std::get<GeneratorConfig>(data.source).kind;
    v.variant({"kind", "which generator", true}, choice_of(generator), [&] { generator->keys(v); });
    auto& chosen = std::get<GeneratorConfig>(data.source);
    v.words({"columns",
             "channels that the levels read, by name or index; default all that are no "
             "targets"},
            chosen.columns);
    v.words({"targets", "channels that no level reads, for readouts to predict"}, chosen.targets);
  });
  v.where(is_series(data) || of_hierarchy, kSeries, [&] {
    v.optional({"steps", "number of samples to run over; default all of a file"}, data.steps,
               {1, std::int64_t{1} << 48});
    v.integer({"window", "rows of the series in one sample, oldest first"}, data.window,
              {1, 1000000});
    v.choice(
        {"normalize",
         "how each channel is scaled: over the rows that are used, or as in hierarchy.from"},
        choice_of({"none", "zscore", "minmax", "stored"}, data.normalize, normalize_from_name));
  });
  v.where(of_hierarchy, "hierarchy (the results of a network count epochs)", [&] {
    v.optional({"sample_rate", "rows per second; gives the results a time in seconds"},
               data.sample_rate, kPositive);
  });
  v.where(of_hierarchy, kHierarchy, [&] {
    v.integers({"shape",
                "height, width and, if there are several, colours of the picture that a row is; "
                "images say it themselves"},
               data.shape, {1, 100000});
  });
}

// Output

/// none | `all_word` | {every: N}
void describe_recording(ConfigVisitor& v, const Key& key, const char* all_word,
                        const char* every_meaning, Recording& recording) {
  v.word_or_map(
      key,
      {{all_word, "none"},
       [&recording, all_word]() -> std::string {
         if (recording.what == Recording::What::every) return "map";
         return recording.what == Recording::What::all ? all_word : "none";
       },
       [&recording, all_word](const std::string& word) {
         recording.what = word == "map"      ? Recording::What::every
                          : word == all_word ? Recording::What::all
                                             : Recording::What::none;
       }},
      "map", [&] {
        v.integer({"every", every_meaning, true}, recording.every, {1, std::int64_t{1} << 48});
      });
}

void describe(ConfigVisitor& v, OutputConfig& output, bool of_hierarchy) {
  v.text({"path",
          "the results file, .h5, relative to the working directory; default "
          "results/<experiment>.h5"},
         output.path);
  v.where(of_hierarchy, "hierarchy (what is stored of a network is always the same)", [&] {
    describe_recording(v, {"representations", "which ticks of every level are recorded"}, "all",
                       "every N-th tick of each level", output.representations);
    describe_recording(v, {"weights", "whether weights are stored, and their history"}, "final",
                       "also the weights after every N steps", output.weights);
    v.choice({"inputs", "whether the samples themselves are stored"},
             {{"none", "all"},
              [&] { return output.inputs ? "all" : "none"; },
              [&](const std::string& word) { output.inputs = word == "all"; }});
    v.integer({"compression", "deflate level of the recorded series; 0 switches it off"},
              output.compression, {0, 9});
  });
}

}  // namespace

namespace {

/// "hebbian", or several with commas between them.
std::string plastic_kinds() {
  std::vector<std::string> names;
  for (const std::string& name : LayerKind::list().names()) {
    if ((*LayerKind::list().find(name))->is_plastic()) names.push_back(name);
  }
  return join(names);
}

}  // namespace

void describe(ConfigVisitor& v, LayerConfig& layer) {
  v.variant({"type", "what the layer is", true}, choice_of(layer.kind), [&] {
    v.integer({"size", "number of neurons", true}, layer.size, {1, 1000000});
    const std::string condition = "type: " + plastic_kinds() + " (other layers never learn)";
    v.where(layer.kind->is_plastic(), condition.c_str(), [&] {
      v.flag({"learn", "whether the layer learns where its level does"}, layer.learn);
    });
    layer.kind->keys(v);
  });
}

namespace {

constexpr NameTable<ReadoutTarget::Of, 4> kTargets = {{{"channel", ReadoutTarget::Of::channel},
                                                       {"latent", ReadoutTarget::Of::latent},
                                                       {"column", ReadoutTarget::Of::column},
                                                       {"label", ReadoutTarget::Of::label}}};

void describe(ConfigVisitor& v, ReadoutTarget& target, bool of_classes) {
  v.one_of({{"channel", "channels of the series, by name or index"},
            {"latent", "latents of the generator, by name or index"},
            {"column", "columns of data.targets, by name or index"},
            {"label", "true: the classes of data.labels"}},
           {{"channel", "latent", "column", "label"},
            [&] { return name_of(kTargets, target.of); },
            [&](const std::string& word) { target.of = from_name(kTargets, word, "target"); }},
           [&](const Key& key) {
             if (std::string_view(key.name) == "label") {
               v.choice(key, {{"true"}, [] { return "true"; }, [](const std::string&) {}});
             } else {
               v.word_or_words(key, target.names);
             }
           });
  v.integer({"horizon", "how many steps ahead"}, target.horizon, {0, 100000000});
  v.where(!of_classes, "a target of numbers", [&] {
    v.integer({"mean_over", "the target's mean over so many steps up to there is predicted"},
              target.mean_over, {1, 1000000});
  });
  v.choice({"per",
            "tick: a prediction at every tick; trial: one at the end of each trial, from the "
            "means over it"},
           {{"tick", "trial"},
            [&] { return target.per_trial ? "trial" : "tick"; },
            [&](const std::string& word) { target.per_trial = word == "trial"; }});
}

void describe_training(ConfigVisitor& v, ReadoutConfig& readout) {
  v.number({"skip", "share of the ticks (of several trials, of these), from the start, left out"},
           readout.skip, {0.0, 1.0, false, true});
  ReadoutSplit& split = readout.split;
  v.number_or_map(
      {"split",
       "share of the ticks (of several trials, of these), from the start, that is trained on and "
       "not scored; default 0.7, of what learns online 0"},
      split.share, {0.0, 1.0, !readout.kind->is_online(), true}, split.is_map, [&] {
        v.number({"train", "share that is trained on", true}, split.train, {0.0, 1.0, true, true});
        v.number({"validation", "share, behind it, by which sweeps and searches choose"},
                 split.validation, {0.0, 1.0, false, true});
        v.number({"test", "share, behind these, that the scores are of", true}, split.test,
                 {0.0, 1.0, true, true});
      });
}

}  // namespace

void describe(ConfigVisitor& v, ReadoutConfig& readout) {
  v.name({"name", "name of the readout in the results", true}, readout.name);
  v.variant({"type", "what learns"}, choice_of(readout.kind), [&] {
    const ReadoutTask task = readout.task();
    if (task != ReadoutTask::anomaly) {
      v.map({"target", "what is predicted", true},
            [&] { describe(v, readout.target, task == ReadoutTask::classes); });
    }
    v.integers({"levels", "levels whose representations are read, by index", true}, readout.levels,
               {0, 1000});
    const bool is_stored = task != ReadoutTask::anomaly && !readout.kind->is_online();
    if (is_stored) {
      v.flag({"learn", "whether it is trained; false: it is the one of its name in hierarchy.from"},
             readout.learn);
    }
    v.where(readout.learn, "learn: true", [&] {
      if (task == ReadoutTask::anomaly) {
        v.optional({"train",
                    "share of the ticks (of several trials, of these), from the start, by "
                    "which it learns what is usual; default 0.3"},
                   readout.split.share, {0.0, 1.0, true, true});
        v.text({"normal", "the class of data.labels that is no anomaly; default the first"},
               readout.normal);
      } else {
        describe_training(v, readout);
      }
      if (is_stored) {
        v.integer({"folds", "folds of a cross-validation in place of a split; 0: none"},
                  readout.folds, {0, 1000});
      }
      readout.kind->keys(v);
    });
  });
}

namespace {

/// none | {half_life: N} | {cosine_to: N}
void describe(ConfigVisitor& v, RateSchedule& schedule) {
  using Kind = RateSchedule::Kind;
  v.word_or_map({"schedule", "how learning rates fall from step to step"},
                {{"none"},
                 [&] { return schedule.kind == Kind::none ? "none" : "map"; },
                 [&](const std::string& word) {
                   if (word == "none") schedule.kind = Kind::none;
                   if (word == "map" && schedule.kind == Kind::none) {
                     schedule.kind = Kind::half_life;
                   }
                 }},
                "map", [&] {
                  v.one_of(
                      {{"half_life", "steps in which rates fall to a half"},
                       {"cosine_to", "the step at which they have fallen to 0, by a cosine"}},
                      {{"half_life", "cosine_to"},
                       [&] { return schedule.kind == Kind::cosine_to ? "cosine_to" : "half_life"; },
                       [&](const std::string& word) {
                         schedule.kind = word == "cosine_to" ? Kind::cosine_to : Kind::half_life;
                       }},
                      [&](const Key& key) {
                        v.integer(key, schedule.steps, {1, std::int64_t{1} << 53});
                      });
                });
}

void describe(ConfigVisitor& v, HierarchyConfig& hierarchy) {
  v.text({"from",
          "a results file, relative to the YAML file: the hierarchy begins with what that run has "
          "learnt"},
         hierarchy.from);
  v.flag({"learn", "whether plastic layers learn"}, hierarchy.learn);
  v.optional({"freeze_after", "steps after which nothing learns any more"}, hierarchy.freeze_after,
             {0});
  describe(v, hierarchy.schedule);
  v.integer({"epochs", "how often the series is read"}, hierarchy.epochs, {1, 1000000000});
  v.choice({"executor", "how plastic layers are computed; the results agree within rounding"},
           choice_of({"chunkwise", "stepwise"}, hierarchy.executor, executor_from_name));
  v.list(
      {"levels", "the levels, each reading the one before it", true}, hierarchy.levels.size(),
      [&](std::size_t n) { hierarchy.levels.resize(n); },
      [&](std::size_t i) {
        LevelConfig& level = hierarchy.levels[i];
        v.integer({"temporal_resolution", "steps from one tick of the level to the next"},
                  level.temporal_resolution, {1, 1000000000});
        v.choice({"pooling", "what the level reads from the steps between its ticks"},
                 choice_of(pooling_names(), level.pooling, pooling_from_name));
        v.flag({"learn", "whether the level learns where the hierarchy does"}, level.learn);
        v.list(
            {"layers", "the layers, each reading the one before it", true}, level.layers.size(),
            [&](std::size_t n) { level.layers.resize(n); },
            [&](std::size_t j) { describe(v, level.layers[j]); });
      });
}

}  // namespace

void describe(ConfigVisitor& v, ExperimentConfig& config) {
  v.name({"experiment", "name of the experiment", true}, config.experiment);
  v.integer({"seed", "of all random numbers"}, config.seed,
            {0, std::numeric_limits<std::int64_t>::max()});
  v.text({"device", "cpu, cuda, cuda:N or auto"}, config.device);
  v.choice({"dtype", "precision of weights and representations"},
           {{"float32", "float64"},
            [&] { return to_string(config.dtype); },
            [&](const std::string& name) { config.dtype = dtype_from_name(name); }});
  v.choice(
      {"precision", "to what products of float32 may be rounded, where a device has units for it"},
      {{"full", "tf32", "bfloat16"},
       [&] { return to_string(config.precision); },
       [&](const std::string& name) { config.precision = matmul_precision_from_name(name); }});
  v.map({"data", "the series", true}, [&] { describe(v, config.data, !config.network); });
  v.one_of({{"hierarchy", "the levels, from fast to slow"},
            {"network", "layers that are trained by gradient"}},
           {{"hierarchy", "network"},
            [&] { return config.network ? "network" : "hierarchy"; },
            [&](const std::string& word) {
              if (word == "network") config.network.emplace();
            }},
           [&](const Key& key) {
             v.map(key, [&] {
               if (std::string_view(key.name) == "hierarchy") {
                 describe(v, config.hierarchy);
               } else {
                 NetworkConfig unused;
                 describe(v, config.network ? *config.network : unused, is_series(config.data));
               }
             });
           });
  v.list(
      {"readouts", "what is predicted from the representations of levels"}, config.readouts.size(),
      [&](std::size_t n) { config.readouts.resize(n); },
      [&](std::size_t i) { describe(v, config.readouts[i]); });
  v.where(!config.network, "hierarchy (a network has no controls)", [&] {
    v.some_of({"controls",
               "what the same readouts read for comparison: frozen, the same hierarchy that never "
               "learns; same_past, the samples through the same poolings; pca, their principal "
               "components; reservoir; window, the last rows; none: nothing"},
              known_controls(), config.controls);
  });
  v.map({"output", "what is stored, and where"},
        [&] { describe(v, config.output, !config.network); });
  v.map({"checkpoint", "when the state of the run is stored"}, [&] {
    v.integer({"every",
               "steps (of a network: optimiser steps) from one checkpoint to the next; 0: none by "
               "their number"},
              config.checkpoint.every, {0, std::int64_t{1} << 48});
    v.number({"minutes", "minutes from one checkpoint to the next; 0: none by the clock"},
             config.checkpoint.minutes, {0.0, 1e6});
  });
  v.aside({"sweep", "what is varied, run by run, by `gaia sweep`"});
}

namespace {

constexpr NameTable<Normalize, 4> kNormalizations = {{{"none", Normalize::none},
                                                      {"zscore", Normalize::zscore},
                                                      {"minmax", Normalize::minmax},
                                                      {"stored", Normalize::stored}}};

constexpr NameTable<Whiten, 3> kWhitenings = {
    {{"none", Whiten::none}, {"zca", Whiten::zca}, {"stored", Whiten::stored}}};

}  // namespace

std::string to_string(Whiten whiten) { return name_of(kWhitenings, whiten); }

Whiten whiten_from_name(std::string_view name) { return from_name(kWhitenings, name, "whiten"); }

std::string to_string(Normalize normalize) { return name_of(kNormalizations, normalize); }

Normalize normalize_from_name(std::string_view name) {
  return from_name(kNormalizations, name, "normalize");
}

std::string to_string(ReadoutTarget::Of of) { return name_of(kTargets, of); }

std::string source_name(const DataConfig& data) {
  if (const auto* generator = std::get_if<GeneratorConfig>(&data.source)) {
    return generator->kind->name();
  }
  return std::holds_alternative<ImagesConfig>(data.source) ? ImagesConfig::name : FileConfig::name;
}

}  // namespace gaia
