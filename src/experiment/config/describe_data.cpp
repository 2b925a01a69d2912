// SPDX-License-Identifier: MIT
#include "../../core/error.h"
#include "../../core/names.h"
#include "../../io/formats/file_format.h"
#include "describe.h"

namespace gaia {
namespace {

/// Without which keys about pictures that are rows have no effect.
constexpr const char* kHierarchy = "hierarchy (a network reads whole images as they are)";

constexpr NameTable<NormalizeFrom, 2> kMeasuredFrom = {
    {{"train", NormalizeFrom::train}, {"all", NormalizeFrom::all}}};

/// none | {permute: N}
void describe_tasks(ConfigVisitor& v, std::int64_t& permuted) {
  bool is_sequence = permuted > 0;
  std::int64_t tasks = is_sequence ? permuted : 2;
  v.word_or_map({"tasks", "tasks that a network is trained on one after another"},
                {{"none"},
                 [&] { return is_sequence ? "map" : "none"; },
                 [&](const std::string& word) { is_sequence = word == "map"; }},
                "map", [&] {
                  v.integer({"permute",
                             "number of tasks: the pictures as they are, then with their pixels in "
                             "other orders, one for each task",
                             true},
                            tasks, {1, 10000});
                });
  permuted = is_sequence ? tasks : 0;
}

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
  const std::string path =
      a_file_of_data() + ", or a pattern (*, ?, [..]) of several, relative to the YAML file";
  v.one_of({{"path", path.c_str()},
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
  v.text({"dataset", "dataset to read, HDF5 and MATLAB only; default the only one of a file"},
         file.dataset);
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
  v.text({"groups",
          "column of what rows belong together: those of a group are on one side of a split, or in "
          "one fold; no level reads it; of NPY also a file"},
         file.groups);
  describe(v, file.trials);
  v.flag({"transpose", "NPY, HDF5 and MATLAB only: whether rows are channels"}, file.transpose);
  v.choice(
      {"missing",
       "what to do with missing values: refuse the file, hold the last value seen, or "
       "interpolate linearly, which looks ahead, or keep them missing for levels that filter"},
      choice_of({"error", "hold", "interpolate", "keep"}, file.missing, missing_policy_from_name));
  v.choice({"decimal", "CSV only: the decimal mark, a comma where semicolons or tabs separate"},
           {{".", ","},
            [&file] { return std::string(1, file.decimal); },
            [&file](const std::string& mark) { file.decimal = mark.front(); }});
  v.flag(
      {"trusted",
       "HDF5 and MATLAB only: whether the file is read within gaia itself, without the limits on "
       "files of others"},
      file.trusted);
}

void describe(ConfigVisitor& v, ImagesConfig& images, bool of_hierarchy) {
  v.where(of_hierarchy, kHierarchy, [&] {
    v.text(
        {"path",
         "one file of pictures, IDX, NPY, PNG or JPEG, in place of a folder, relative to the YAML "
         "file; all of them are training pictures"},
        images.path);
    v.where(!images.path.empty(), "data.path (a folder has labels of its own)", [&] {
      v.text({"labels", "IDX or NPY file with the class of each picture in path"}, images.labels);
    });
  });
  v.where(images.path.empty(), "data.folder (data.path is in its place)", [&] {
    v.text({"folder",
            "where the IDX files are, or PNG and JPEG files, those of a class in a subfolder; "
            "absolute or relative to the YAML file"},
           images.folder);
  });
  v.choice({"colours", "how pictures are read: in colour where one has colours, or all alike"},
           choice_of({"auto", "grey", "rgb"}, images.colours, io::colours_from_name));
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
  });
}

void describe(ConfigVisitor& v, SpikesConfig& spikes) {
  v.optional_map({"spikes", "every row is shown as a trial of Poisson trains, one of each channel"},
                 spikes.is_on, [&] {
                   v.integer({"ticks", "rows of a trial"}, spikes.ticks, {1, 1000000});
                   v.number(
                       {"rate",
                        "probability of a spike at a tick where the value is 1; at other values "
                        "in proportion"},
                       spikes.rate, kPositive);
                 });
}

void describe(ConfigVisitor& v, EventsConfig& events) {
  EventOptions& options = events.options;
  const std::string path =
      a_file_of_data() + " with a row for each event, relative to the YAML file";
  v.text({"path", path.c_str(), true}, events.path);
  v.text({"dataset", "dataset to read, HDF5 only; default the only one of a file"},
         options.dataset);
  v.number({"dt", "width of a bin, in the unit of the times", true}, options.dt, kPositive);
  v.text({"time", "column of the times of the events, which may come in any order"}, options.time);
  v.text({"channel", "column of their channels: texts, or whole numbers from 0"}, options.channel);
  v.text({"trial", "column of trials: stretches of rows, in each of which times begin anew"},
         options.trial);
  v.where(!options.trial.empty(), "data.trial (a label is that of a trial)", [&] {
    v.text({"labels", "column of classes, the same for all events of a trial"}, options.labels);
  });
  v.number({"begin", "time at which the first bin of a trial begins"}, options.begin, kAnyNumber);
  v.optional({"end", "time at which bins end; default behind the last event of a trial"},
             options.end, kAnyNumber);
  v.where(options.columns.empty(), "data.channels (data.columns is in its place)", [&] {
    v.optional({"channels",
                "number of channels that are numbers; default one more than the "
                "greatest that has an event"},
               options.channels, {1, 1000000});
  });
  v.words({"columns", "channels that the levels read, by name; default all that are no targets"},
          options.columns);
  v.words({"targets",
           "channels that no level reads, by name: signals of rules, or what readouts "
           "predict"},
          events.targets);
  v.choice({"decimal", "CSV only: the decimal mark, a comma where semicolons or tabs separate"},
           {{".", ","},
            [&options] { return std::string(1, options.decimal); },
            [&options](const std::string& mark) { options.decimal = mark.front(); }});
  v.flag({"trusted",
          "HDF5 only: whether the file is read within gaia itself, without the limits on files of "
          "others"},
         options.trusted);
}

}  // namespace

bool is_series(const DataConfig& data) {
  return !std::holds_alternative<ImagesConfig>(data.source);
}

void describe(ConfigVisitor& v, DataConfig& data, bool of_hierarchy) {
  v.variant({"source", "where the series comes from", true}, choice_of(data.source), [&] {
    if (auto* file = std::get_if<FileConfig>(&data.source)) return describe(v, *file);
    if (auto* images = std::get_if<ImagesConfig>(&data.source)) {
      return describe(v, *images, of_hierarchy);
    }
    if (auto* events = std::get_if<EventsConfig>(&data.source)) return describe(v, *events);
    auto& generator = std::get<GeneratorConfig>(data.source).kind;
    v.variant({"kind", "which generator", true}, choice_of(generator), [&] { generator->keys(v); });
    auto& chosen = std::get<GeneratorConfig>(data.source);
    v.words({"columns",
             "channels that the levels read, by name or index; default all that are no "
             "targets"},
            chosen.columns);
    v.words({"targets", "channels that no level reads, for readouts to predict"}, chosen.targets);
  });
  v.where(is_series(data), kSeries, [&] { describe_faults(v, data.faults); });
  v.where(of_hierarchy, kHierarchy, [&] { describe_order(v, data.order); });
  v.where(is_series(data), kSeries, [&] {
    describe_filter(v, data.filter);
    describe_resample(v, data.resample);
  });
  v.where(of_hierarchy, kHierarchy, [&] { describe(v, data.spikes); });
  const bool has_tasks = !of_hierarchy && !is_series(data);
  v.where(has_tasks, "network, and data.source: images",
          [&] { describe_tasks(v, data.permuted_tasks); });
  if (!has_tasks && data.permuted_tasks > 0) {
    v.refuse({"tasks", ""},
             of_hierarchy
                 ? "a hierarchy reads one stream, with no tasks; data.order: {runs: N} and "
                   "data.drift change it as it goes"
                 : "tasks are other orders of the pixels of pictures; a series has none");
  }
  v.where(is_series(data) || of_hierarchy, kSeries, [&] {
    v.optional({"steps", "number of samples to run over; default all of a file"}, data.steps,
               {1, std::int64_t{1} << 48});
    v.integer({"window", "rows of the series in one sample, oldest first"}, data.window,
              {1, 1000000});
    v.choice(
        {"normalize",
         "how each channel is scaled: by its moments (normalize_from), or as in hierarchy.from"},
        choice_of({"none", "zscore", "minmax", "stored"}, data.normalize, normalize_from_name));
    v.where(data.is_measured(), "data.normalize: zscore or minmax", [&] {
      v.choice({"normalize_from",
                "which rows it is measured over: those of the training part, where anything is "
                "trained to be scored, or all"},
               {{"train", "all"},
                [&data] { return name_of(kMeasuredFrom, data.normalize_from); },
                [&data](const std::string& name) {
                  data.normalize_from = from_name(kMeasuredFrom, name, "normalize_from");
                }});
    });
  });
  v.where(of_hierarchy, kHierarchy, [&] {
    v.choice({"whiten",
              "whether channels are decorrelated, before they are scaled: by the rows of the "
              "training part, or as in hierarchy.from"},
             choice_of({"none", "zca", "stored"}, data.whiten, whiten_from_name));
    v.where(data.whiten == Whiten::zca, "data.whiten: zca", [&] {
      v.number({"whiten_epsilon",
                "added to every variance before it is divided by, in mean variances of the "
                "channels"},
               data.whiten_epsilon, {0.0, 1e6});
    });
    describe_drift(v, data.drift);
  });
  const bool needs_rate = data.filter.is_on || data.resample.by != ResampleConfig::By::none;
  v.where(of_hierarchy || needs_rate, "hierarchy (the results of a network count epochs)", [&] {
    v.optional({"sample_rate",
                "rows of the source per second, by which frequencies count; gives the results a "
                "time in seconds"},
               data.sample_rate, kPositive);
  });
  v.where(of_hierarchy, kHierarchy, [&] {
    v.integers({"shape",
                "height, width and, if there are several, colours of the picture that a row is; "
                "images say it themselves"},
               data.shape, {1, 100000});
  });
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

std::string source_name(const DataConfig& data) {
  if (const auto* generator = std::get_if<GeneratorConfig>(&data.source)) {
    return generator->kind->name();
  }
  return std::visit([]<class T>(const T& /*source*/) { return std::string(T::name); }, data.source);
}

}  // namespace gaia
