// SPDX-License-Identifier: MIT
#include "apply.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "../../core/error.h"
#include "../../core/log.h"
#include "../../core/text.h"
#include "../../io/file_series.h"
#include "../../io/formats/file_format.h"
#include "../../io/images_series.h"
#include "../config/config_reader.h"
#include "../config/config_writer.h"
#include "../data/filter_rows.h"
#include "../data/open_series.h"
#include "../data/spiking_series.h"
#include "../results/results_parts.h"
#include "../setup/load.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

std::string absolute(const std::string& path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).lexically_normal().string();
}

/// "0", "1", ...: what channels without names are called.
bool are_numbers(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != std::to_string(i)) return false;
  }
  return true;
}

/// Whether some are indices, and some are not.
bool is_mixed(const std::vector<std::string>& columns) {
  const auto is_index = [](const std::string& column) { return parse_integer(column).has_value(); };
  return std::any_of(columns.begin(), columns.end(), is_index) &&
         !std::all_of(columns.begin(), columns.end(), is_index);
}

std::string list_text(const std::vector<std::string>& names) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return printable(text);
}

/// What is wrong with the experiment that is built here, by the option that says so: its lines were
/// written by nobody.
Problems by_option(const Problems& made, const std::string& result) {
  constexpr std::array<std::pair<const char*, const char*>, 3> options = {
      {{"data.steps", "--steps"}, {"device", "--device"}, {"output.path", "--output"}}};
  Problems problems(result, "");
  for (const Problem& problem : made.all()) {
    const auto option = std::find_if(options.begin(), options.end(),
                                     [&](const auto& one) { return one.first == problem.key; });
    if (option == options.end()) {
      problems.add({}, problem.key, problem.message);
    } else {
      problems.add({.argument = option->second}, "", problem.message);
    }
  }
  return problems;
}

bool has_datasets(const std::string& path) {
  const FileFormat* const format = format_of_file(path);
  return format != nullptr && format->has_datasets();
}

/// How the file of the new data is read.
FileConfig file_config(const ExperimentConfig& trained, const ApplyOptions& options) {
  FileConfig file{.path = absolute(options.data),
                  .dataset = options.dataset,
                  .columns = {},
                  .missing = MissingPolicy::error,
                  .trusted = options.trusted};
  const auto* before = std::get_if<FileConfig>(&trained.data.source);
  if (before != nullptr) {
    if (file.dataset.empty() && has_datasets(options.data)) {
      file.dataset = before->dataset;
    }
    file.columns = before->columns;
    file.time = before->time;
    file.gaps = before->gaps;
    file.targets = before->targets;
    // A file of labels is one of the training's data.
    if (!before->labels.ends_with(".npy")) file.labels = before->labels;
    if (!before->groups.ends_with(".npy")) file.groups = before->groups;
    file.trials = before->trials;
    file.transpose = before->transpose;
    file.missing = before->missing;
    file.decimal = before->decimal;
  }
  if (options.missing) file.missing = *options.missing;
  if (options.decimal) file.decimal = *options.decimal;
  return file;
}

/// Opens a file, which need not have all that stood beside the channels in the training: what it
/// lacks is taken out of `file`.
std::unique_ptr<Series> open_with_what_is_there(const std::string& path, FileConfig& file) {
  for (;;) {
    try {
      return open_series_file(path, file);
    } catch (const DataKeyError& error) {
      if (error.key == "time" && !file.time.empty()) {
        file.time.clear();
      } else if (error.key == "labels" && !file.labels.empty()) {
        file.labels.clear();
      } else if (error.key == "groups" && !file.groups.empty()) {
        file.groups.clear();
      } else if (error.key == "trials" && file.trials.by == TrialsConfig::By::column) {
        file.trials = {};
      } else if (error.key != "targets" || std::erase(file.targets, error.column) == 0) {
        throw;
      }
      log_info(fmt::format("{}; goes on without it (data.{})", error.what(), error.key));
    }
  }
}

/// The columns that the training named by index, where names do not find them: in a file that knows
/// no names, or one that has a name twice.  Null if they are not there.
std::unique_ptr<Series> open_by_place(const std::string& path,
                                      const std::vector<std::string>& trained,
                                      const std::vector<std::string>& given, FileConfig& file) {
  if (given.empty() || given == trained) return nullptr;
  file.columns = given;
  try {
    std::unique_ptr<Series> series = open_with_what_is_there(path, file);
    const bool is_right =
        series && (series->channel_names() == given || series->channel_names() == trained);
    return is_right ? std::move(series) : nullptr;
  } catch (const ArgumentError&) {
    return nullptr;
  }
}

/// New data in place of those of the training: scaled and whitened as they were, in their own order
/// and without what changed there.
void take_rows(Applied& applied, decltype(DataConfig::source) source, const ApplyOptions& options) {
  DataConfig& config = applied.config.data;
  config.source = source;
  config.steps = options.steps;
  if (config.normalize != Normalize::none) config.normalize = Normalize::stored;
  if (config.whiten != Whiten::none) config.whiten = Whiten::stored;
  config.order = {};
  config.faults.clear();
  config.drift.clear();
  DataConfig& open = applied.data.config.data;
  open.source = source;
  open.whiten = config.whiten;
  open.filter = config.filter;
  open.resample = config.resample;
  open.sample_rate = config.sample_rate;
  open.spikes = config.spikes;
  open.seed = applied.config.seed;
  const AddProblem refuse = [](const std::string& key, const std::string& what) {
    throw ConfigError(key + ": " + what);
  };
  try {
    filter_rows(applied.data, refuse);
    make_spikes(applied.data, refuse);
  } catch (const DataKeyError& error) {
    throw ConfigError("data." + error.key + ": " + error.what());
  }
  for (const std::string& warning : applied.data.warnings) log_warning(warning);
  applied.data.warnings.clear();
}

/// Exchanges the pictures that a hierarchy was trained on for others, of a file or a folder.
void take_pictures(Applied& applied, const hdf5::File& file, const std::string& result,
                   const ApplyOptions& options) {
  const io::Colours colours = std::get<ImagesConfig>(applied.config.data.source).colours;
  check_picture_files(options);
  ImagesConfig pictures{.labels = options.labels.empty() ? "" : absolute(options.labels),
                        .colours = colours};
  Experiment& data = applied.data;
  data.data_path = absolute(options.data);
  (fs::is_directory(data.data_path) ? pictures.folder : pictures.path) = data.data_path;
  data.inputs = {data.data_path};
  if (!pictures.labels.empty()) data.inputs.push_back(pictures.labels);
  const std::string wanted = file.open_group("data").text_attribute("shape").value_or("");
  // Grey ones are shown as the colours that the run has read.
  const bool in_colour = colours == io::Colours::automatic && wanted.ends_with(", 3]") &&
                         std::ranges::count(wanted, ',') == 2;
  data.series = open_images({.images = data.data_path, .labels = pictures.labels}, {},
                            {.colours = in_colour ? io::Colours::rgb : colours});
  const std::string shape = fmt::format("[{}]", fmt::join(data.series->picture_shape(), ", "));
  if (shape != wanted) {
    throw ConfigError(fmt::format("{}: expected pictures of {}, as {} was trained on, got {}",
                                  options.data, wanted, result, shape));
  }
  take_rows(applied, pictures, options);
}

/// Exchanges the list of events that a run was trained on for another: the same channels, counted
/// in the same bins.
void take_events(Applied& applied, EventsConfig events, const ApplyOptions& options) {
  if (!options.dataset.empty()) events.options.dataset = options.dataset;
  if (options.decimal) events.options.decimal = *options.decimal;
  if (!options.columns.empty() || options.missing) {
    throw ConfigError(options.data +
                      ": is read as events, which have no --columns or --missing: the channels are "
                      "those of the result");
  }
  events.options.trusted = options.trusted;
  events.options.channels.reset();
  events.options.columns = applied.channels;
  events.path = absolute(options.data);
  try {
    applied.data.series = open_event_series(events.path, events, applied.data.warnings);
  } catch (const DataKeyError& error) {
    if (error.key != "labels" || events.options.labels.empty()) throw ConfigError(error.what());
    log_info(fmt::format("{}; goes on without it (data.labels)", error.what()));
    events.options.labels.clear();
    applied.data.series = open_event_series(events.path, events, applied.data.warnings);
  }
  applied.data.data_path = events.path;
  applied.data.inputs = {events.path};
  take_rows(applied, events, options);
}

}  // namespace

ExperimentConfig stored_config(const hdf5::File& file, const std::string& path) {
  const std::string text = file.text_attribute("config").value_or("");
  if (text.empty()) {
    throw DataError(path +
                    ": expected the experiment in the attribute config, got none; apply the file "
                    "that `gaia run` wrote");
  }
  Problems problems(path, text);
  const YamlNode root = parse_yaml(text, problems);
  ExperimentConfig config;
  if (problems.empty() && root.kind != YamlNode::Kind::null) {
    config = read_config(root, problems).config;
  }
  try {
    problems.throw_if_any();
  } catch (const ConfigError& error) {
    throw DataError(path + ": the experiment in it cannot be read:\n" + error.what());
  }
  return config;
}

const ExperimentKind& kind_of_result(const std::string& result) {
  const hdf5::File file = open_results(result);
  return kind_of_results([&](const std::string& group) { return file.has_group(group); });
}

std::string default_application_path(const std::string& result, const std::string& data) {
  fs::path path(result);
  return path.replace_extension("." + fs::path(data).stem().string() + ".h5").string();
}

std::unique_ptr<Series> open_channels(const std::string& path, const std::string& result,
                                      const std::vector<std::string>& trained,
                                      const std::vector<std::string>& wanted, FileConfig& file) {
  std::error_code error;
  if (!fs::exists(path, error)) throw ConfigError(path + ": no such file");
  if (!fs::is_regular_file(path, error)) throw ConfigError(path + ": is not a regular file");
  const auto fail = [&](const std::string& found) {
    throw ConfigError(fmt::format(
        "{}: expected the {} channel{} that {} was trained on ({}), got {}; "
        "--columns tells which they are here",
        path, trained.size(), trained.size() == 1 ? "" : "s", result, list_text(trained), found));
  };
  const std::vector<std::string> given = file.columns;  // in the training
  if (!wanted.empty()) {
    file.columns = wanted;
  } else if (!given.empty() || !are_numbers(trained)) {
    file.columns = trained;
  }
  std::unique_ptr<Series> series;
  try {
    try {
      series = open_with_what_is_there(path, file);
    } catch (const ArgumentError&) {
      if (!wanted.empty() || file.columns.empty()) throw;
      series = open_by_place(path, trained, given, file);
      if (!series) {
        file.columns.clear();
        series = open_with_what_is_there(path, file);
        // Neither names nor indices find all of a mixed list, and the order of one says nothing.
        if (!are_numbers(series->channel_names()) || is_mixed(given)) {
          fail(list_text(series->channel_names()));
        }
      }
    }
  } catch (const ArgumentError& wrong) {
    throw ConfigError(wrong.what());
  }
  if (!series) {
    throw ConfigError(path + ": " + of_no_known_kind());
  }
  if (series->channels() != static_cast<std::int64_t>(trained.size())) {
    fail(fmt::format("{} ({})", series->channels(), list_text(series->channel_names())));
  }
  return series;
}

void check_picture_files(const ApplyOptions& options) {
  for (const std::string& path : {options.data, options.labels}) {
    std::error_code error;
    if (path.empty()) continue;
    if (!fs::exists(path, error)) throw ConfigError(path + ": no such file");
    if (fs::is_regular_file(path, error)) continue;
    if (path == options.labels) throw ConfigError(path + ": is not a regular file");
    if (!io::has_pictures(path)) {
      throw ConfigError(path +
                        ": is neither a file nor a folder of pictures; of one that has the folders "
                        "train and test, name either");
    }
  }
}

Applied open_application(const std::string& result, const ApplyOptions& options) {
  const hdf5::File file = open_results(result);
  Applied applied{.config = stored_config(file, result), .channels = {}, .data = {}};
  ExperimentConfig& config = applied.config;
  if (options.device) config.device = *options.device;
  config.output.path = options.output.value_or(default_application_path(result, options.data));
  if (std::holds_alternative<ImagesConfig>(config.data.source)) {
    if (options.dataset.empty() && options.columns.empty() && !options.missing &&
        !options.decimal) {
      if (!config.kind->holds_images()) take_pictures(applied, file, result, options);
      return applied;
    }
    throw ConfigError(
        result +
        ": was trained on images, which have no --dataset, --columns, --missing or --decimal");
  }
  if (!options.labels.empty()) {
    throw ConfigError(result + ": was trained on a series, which has no labels (--labels)");
  }
  if (!options.dataset.empty() && !has_datasets(options.data)) {
    throw ConfigError("--dataset: only HDF5 and MATLAB files have datasets; '" + options.data +
                      "' is none");
  }
  applied.channels =
      file.open_group("data").texts_attribute("channel_names").value_or(std::vector<std::string>());
  if (applied.channels.empty()) {
    throw ConfigError(result +
                      ": was written by a gaia that did not store what is needed; run it again");
  }
  if (const auto* const events = std::get_if<EventsConfig>(&config.data.source)) {
    std::error_code error;
    if (!fs::is_regular_file(options.data, error))
      throw ConfigError(options.data + ": no such file");
    take_events(applied, *events, options);
    return applied;
  }
  FileConfig source = file_config(config, options);
  applied.data.series =
      open_channels(options.data, result, applied.channels, options.columns, source);
  applied.data.data_path = source.path;
  applied.data.inputs = {source.path};
  take_rows(applied, source, options);
  return applied;
}

Experiment application_of(const std::string& result, const ApplyOptions& options) {
  Applied applied = open_application(result, options);
  ExperimentConfig& config = applied.config;
  auto* const hierarchy = config.kind.get_if<HierarchyConfig>();
  if (hierarchy == nullptr)
    throw ConfigError(result + ": is the result of " + config.kind->title());
  hierarchy->from = absolute(result);
  hierarchy->learn = false;
  hierarchy->freeze_after.reset();
  hierarchy->epochs = 1;
  // What has learnt nothing cannot be applied.
  std::erase_if(config.readouts, [](const ReadoutConfig& readout) { return !readout.teaches(); });
  for (ReadoutConfig& readout : config.readouts) readout.learn = !readout.kind->is_stored();
  // The levels' outputs are what this is for, whatever the training recorded of its own.
  config.output.representations = {Recording::What::all, 1};
  // They do not change.
  config.output.weights = {Recording::What::all, 1};

  ExperimentFile made = read_experiment_text(to_yaml(config), result, {});
  Experiment experiment = make_experiment(result, made.root, made.problems, &applied.data);
  by_option(made.problems, result).throw_if_any();
  experiment.stands_in_file = false;
  return experiment;
}

}  // namespace gaia
