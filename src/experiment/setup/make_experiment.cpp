// SPDX-License-Identifier: MIT
// What lies between the keys of a configuration, and the data that it names: they are opened here.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "../../array/device.h"
#include "../../core/error.h"
#include "../../core/log.h"
#include "../../core/names.h"
#include "../../formulas/representable.h"
#include "../../io/columns.h"
#include "../../io/file_series.h"
#include "../../io/find_files.h"
#include "../../io/formats/file_format.h"
#include "../../io/same_file.h"
#include "../../io/selected_series.h"
#include "../../io/sha256.h"
#include "../config/config_reader.h"
#include "../config/config_writer.h"
#include "../config/yaml_path.h"
#include "../data/drift.h"
#include "../data/faulty_series.h"
#include "../data/filter_rows.h"
#include "../data/open_images.h"
#include "../data/open_series.h"
#include "../data/row_filter.h"
#include "../data/row_order.h"
#include "../data/spiking_series.h"
#include "../data/whiten_rows.h"
#include "../data/whitened_series.h"
#include "filled_values.h"
#include "hierarchy_checks.h"
#include "load.h"
#include "loader.h"
#include "readout_checks.h"
#include "training_part.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

class ExperimentLoader final : public Loader {
 public:
  ExperimentLoader(Experiment& loaded, const YamlNode& root, Problems& all, Experiment* before,
                   std::shared_ptr<const MemoryRows> rows)
      : Loader(loaded, all,
               [&root, &all](const std::string& key, const std::string& message) {
                 all.add(nearest_in_yaml(root, key).origin, key, message);
               }),
        experiment_(loaded),
        config_(loaded.config),
        root_(root),
        problems_(all),
        before_(before),
        rows_(std::move(rows)),
        data_is_right_(!all.any_below("data")),
        is_right_(!all.any_below(config_.kind->name())) {}

  void run() {
    check_device();
    check_output();
    config_.kind->load(*this);
  }

  void open_data() override {
    check_numbers();
    check_readouts(config_, add);
    open_series();
    open_from();
    check_output_is_not_data();
    if (experiment_.series) check_steps();
  }

  void settle_data() override {
    if (!experiment_.series || !problems_.empty()) return;
    if (experiment_.steps > 0) {
      fill_by_training(experiment_);
      warn_of_filled(experiment_);
      const bool is_ahead = filled_values(experiment_).looks_ahead();
      for (ReadoutConfig& readout : config_.readouts) readout.looks_ahead = is_ahead;
    }
    settle_moments();
  }

  bool is_right() const override { return is_right_; }
  bool data_is_right() const override { return data_is_right_; }

 private:
  void check_device() {
    const std::string& name = config_.device;
    if (name == "auto") return;
    try {
      Device::from_name(name);
    } catch (const ArgumentError& error) {
      add("device", error.what());
      return;
    }
    const std::string rule = rule_of_cpu(config_);
    if (!rule.empty() && !Device::from_name(name).is_cpu()) {
      add("device", "rule " + rule +
                        " runs on the CPU alone; take device cpu or auto, or write it as equations "
                        "(docs/rules.md)");
    }
  }

  /// What layers and optimisers compute with has to be a number of the dtype.
  void check_numbers() {
    const std::string section = std::string(config_.kind->name()) + ".";
    for (const auto& [key, value] : numbers_of(config_)) {
      if (!key.starts_with(section)) continue;
      const std::string why_not = why_not_representable(value, config_.dtype);
      if (why_not.empty()) continue;
      add(key, why_not);
      is_right_ = false;
    }
  }

  void check_output() {
    std::string& path = config_.output.path;
    if (path.empty() && config_.experiment.empty()) return;
    if (path.empty()) path = "results/" + config_.experiment + ".h5";
    if (fs::path(path).extension() != ".h5" && fs::path(path).extension() != ".hdf5") {
      add("output.path", "expected a name that ends in .h5, got '" + path + "'");
    }
  }

  /// Not even --overwrite may replace what is read.
  void check_output_is_not_data() {
    const auto check = [&](const std::string& input, const char* what) {
      const std::string& path = config_.output.path;
      for (const std::string& written : {path, path + ".partial", path + ".finishing"}) {
        if (input.empty() || !is_same_file(written, input)) continue;
        add("output.path", fmt::format("'{}' is {}; the results need another name", written, what));
      }
    };
    check(experiment_.data_path, "the data that is read (data.path)");
    if (experiment_.series) {
      for (const std::string& path : experiment_.series->paths()) {
        if (path != experiment_.data_path) check(path, "one of the files that are read (data)");
      }
    }
    if (experiment_.from) {
      check(experiment_.from->path, "the run that this one begins with (hierarchy.from)");
    }
  }

  void open_from() {
    const std::string& given = config_.hierarchy().from;
    if (given.empty()) return;
    const fs::path path = path_of(given);
    std::error_code error;
    if (!fs::exists(path, error)) return add("hierarchy.from", not_found(given, path));
    const std::string found = path.lexically_normal().string();
    if (before_ != nullptr && before_->from && before_->from->path == found) {
      experiment_.from = before_->from;
    } else {
      try {
        experiment_.from = open_stored_run(found);
      } catch (const DataError&) {
        problems_.throw_if_any();
        throw;
      }
    }
    experiment_.inputs.push_back(found);
  }

  // The series

  /// Takes the rate of a hierarchy's data that state it themselves.
  void take_sample_rate() {
    if (!experiment_.series || config_.kind.get_if<HierarchyConfig>() == nullptr) return;
    const std::optional<double> told = experiment_.series->sample_rate();
    std::optional<double>& asked = config_.data.sample_rate;
    if (told && asked && *told != *asked) {
      log_warning(
          fmt::format("{}: its rate is {} Hz by the file, and is taken for {} Hz, as "
                      "data.sample_rate says",
                      experiment_.data_path, *told, *asked));
    }
    if (!asked) asked = told;
  }

  void open_series() {
    const YamlNode* data = root_.find("data");
    if (data == nullptr || data->find("source") == nullptr) return;
    settle_arrangement();
    try {
      if (take_over()) return take_sample_rate();
      if (rows_) {
        open_rows();
      } else if (const auto* file = std::get_if<FileConfig>(&config_.data.source)) {
        if (!file->path.empty() || !file->files.empty()) {
          open_file(*file);
        } else if (data_is_right_) {
          add("data.path", "expected a file, got nothing");
        }
      } else if (const auto* images = std::get_if<ImagesConfig>(&config_.data.source)) {
        if (data_is_right_) {
          config_.kind->holds_images() ? open_images(experiment_, *images, add)
                                       : open_image_series(experiment_, *images, add);
        }
      } else if (const auto* events = std::get_if<EventsConfig>(&config_.data.source)) {
        if (data_is_right_) open_events(*events);
      } else if (data->find("kind") != nullptr && data_is_right_) {
        open_generator(std::get<GeneratorConfig>(config_.data.source));
      }
      arrange();
      take_sample_rate();
    } catch (const DataKeyError& error) {
      add("data." + error.key, error.what());
    } catch (const ArgumentError& error) {
      add(key_of(error.what()), error.what());
    } catch (const DataError&) {
      // What is wrong with the configuration is reported first.
      problems_.throw_if_any();
      throw;
    }
  }

  /// What other kinds than hierarchies do without.
  void settle_arrangement() {
    DataConfig& data = config_.data;
    data.seed = config_.seed;
    if (config_.kind.get_if<HierarchyConfig>() != nullptr) return;
    data.order = {};
    data.spikes = {};
    data.whiten = Whiten::none;
    data.drift.clear();
  }

  /// Puts faults into the rows, puts these in order, filters and whitens them or shows them as
  /// spikes; their drift is looked at.
  void arrange() {
    if (!experiment_.series || !problems_.empty()) return;
    const DataConfig& data = config_.data;
    if (!data.faults.empty()) {
      experiment_.series = std::make_unique<FaultySeries>(
          std::move(experiment_.series), data.faults, static_cast<std::uint64_t>(data.seed));
    }
    order_rows(experiment_, add);
    if (!problems_.empty()) return;
    filter_rows(experiment_, add);
    make_spikes(experiment_, add);
    whiten_by_rows(experiment_, add);
    check_drift();
  }

  void check_drift() {
    const DataConfig& data = config_.data;
    make_drifts(data.drift, experiment_.series->channel_names(),
                static_cast<std::uint64_t>(data.seed));
  }

  /// Whether files were open already.
  bool take_over() {
    if (before_ == nullptr || !data_is_right_) return false;
    const auto& source = config_.data.source;
    const auto& open = before_->config.data.source;
    const auto* file = std::get_if<FileConfig>(&source);
    const auto* images = std::get_if<ImagesConfig>(&source);
    const bool same_file = file != nullptr && std::holds_alternative<FileConfig>(open) &&
                           *file == std::get<FileConfig>(open) && before_->series;
    const bool same_images =
        images != nullptr && std::holds_alternative<ImagesConfig>(open) &&
        *images == std::get<ImagesConfig>(open) &&
        (config_.kind->holds_images() ? before_->images && config_.dtype == before_->config.dtype
                                      : is_same_image_series(*images));
    const auto* events = std::get_if<EventsConfig>(&source);
    const bool same_events = events != nullptr && std::holds_alternative<EventsConfig>(open) &&
                             *events == std::get<EventsConfig>(open) && before_->series;
    if ((!same_file && !same_images && !same_events) || !is_same_arrangement()) return false;
    experiment_.series = std::move(before_->series);
    experiment_.images = std::move(before_->images);
    experiment_.data_path = before_->data_path;
    experiment_.inputs = before_->inputs;
    if (!config_.data.sample_rate) config_.data.sample_rate = before_->config.data.sample_rate;
    if (before_->from) experiment_.inputs.pop_back();
    if (experiment_.series) check_drift();
    return true;
  }

  /// Whether the series of images that is open would come out the same.
  bool is_same_image_series(const ImagesConfig& images) const {
    return before_->series && (images.patch.empty() || config_.seed == before_->config.seed);
  }

  /// Whether its rows would be in the same order, with the same faults, filtered and whitened
  /// alike.
  bool is_same_arrangement() const {
    const DataConfig& data = config_.data;
    const DataConfig& open = before_->config.data;
    const bool same_order = data.order == open.order && (data.order.by == OrderConfig::By::none ||
                                                         config_.seed == before_->config.seed);
    // Whitening is by the rows that are read; as in another run it is done once.
    const bool same_whitening =
        data.whiten == open.whiten &&
        (data.whiten == Whiten::none ||
         (data.whiten == Whiten::zca && data.steps == open.steps && data.window == open.window &&
          data.whiten_epsilon == open.whiten_epsilon) ||
         (data.whiten == Whiten::stored && !before_->from));
    const bool same_faults =
        data.faults == open.faults && (data.faults.empty() || config_.seed == before_->config.seed);
    const bool same_filter =
        data.filter == open.filter && data.resample == open.resample &&
        (!RowFilter::is_needed(data) || !data.sample_rate || data.sample_rate == open.sample_rate);
    const bool same_spikes =
        data.spikes == open.spikes && (!data.spikes.is_on || config_.seed == before_->config.seed);
    return same_order && same_whitening && same_faults && same_filter && same_spikes;
  }

  /// The key that a source complains of: "[kind] key: ...", or a column or dataset of a file.
  std::string key_of(const std::string& message) const {
    const std::size_t begin = message.find("] ");
    const std::size_t end = message.find_first_of(":[", begin + 2);
    if (message.front() == '[' && end != std::string::npos) {
      return "data." + message.substr(begin + 2, end - begin - 2);
    }
    return message.find("dataset") != std::string::npos ? "data.dataset" : "data.columns";
  }

  /// A path of the YAML file, which is relative to that.
  fs::path path_of(const std::string& given) const {
    const fs::path path(given);
    return path.is_absolute() ? path : fs::path(experiment_.file).parent_path() / path;
  }

  /// The files of data.path or data.files; empty where something is wrong with them.
  std::vector<std::string> find_paths(const FileConfig& file) {
    std::error_code error;
    const bool is_pattern_of_files =
        file.files.empty() && is_pattern(file.path) && !fs::exists(path_of(file.path), error);
    if (is_pattern_of_files) {
      const fs::path folder = fs::path(experiment_.file).parent_path();
      std::vector<std::string> found = find_files(file.path, folder.string());
      if (found.empty()) {
        add("data.path",
            fmt::format(
                "no file fits '{}'; looked from {} on", file.path,
                fs::absolute(folder.empty() ? "." : folder, error).lexically_normal().string()));
      }
      return found;
    }
    const bool is_list = !file.files.empty();
    std::vector<std::string> found;
    for (std::size_t i = 0; i < (is_list ? file.files.size() : 1); ++i) {
      const std::string& given = is_list ? file.files[i] : file.path;
      const std::string key = is_list ? fmt::format("data.files[{}]", i) : "data.path";
      const fs::path path = path_of(given);
      if (!fs::exists(path, error)) {
        add(key, not_found(given, path));
      } else if (!fs::is_regular_file(path, error)) {
        add(key, "'" + given + "' is not a regular file");
      } else {
        found.push_back(path.lexically_normal().string());
      }
    }
    return found.size() == (is_list ? file.files.size() : 1) ? found : std::vector<std::string>();
  }

  void open_file(const FileConfig& file) {
    const std::vector<std::string> paths = find_paths(file);
    if (paths.empty()) return;
    experiment_.data_path = paths.front();
    experiment_.inputs = paths;
    for (const std::string& path : paths) {
      const FileFormat* const format = format_of_file(path);
      if (format == nullptr) return add("data.path", "'" + path + "' " + of_no_known_kind());
      if (!file.dataset.empty() && !format->has_datasets()) {
        return add("data.dataset",
                   "only HDF5 and MATLAB files have datasets; '" + path + "' is none");
      }
    }
    const std::string folder = fs::path(experiment_.file).parent_path().string();
    experiment_.series = open_series_files(paths, file, folder, measured_rows());
    experiment_.inputs = experiment_.series->paths();
  }

  void open_events(const EventsConfig& events) {
    const fs::path path = path_of(events.path);
    std::error_code error;
    if (!fs::exists(path, error)) return add("data.path", not_found(events.path, path));
    if (!fs::is_regular_file(path, error)) {
      return add("data.path", "'" + events.path + "' is not a regular file");
    }
    experiment_.data_path = path.lexically_normal().string();
    experiment_.inputs = {experiment_.data_path};
    experiment_.series = open_event_series(experiment_.data_path, events, experiment_.warnings);
  }

  /// What stands in memory in place of the files.
  void open_rows() {
    auto* file = std::get_if<FileConfig>(&config_.data.source);
    if (file == nullptr) {
      return add("data.source", "expected file, or no source, since rows in memory are given");
    }
    if (!data_is_right_) return;
    if (!file->dataset.empty()) {
      return add("data.dataset",
                 "only HDF5 and MATLAB files have datasets; rows in memory are given");
    }
    experiment_.series = open_series_rows(rows_, *file, measured_rows());
    experiment_.data_path = rows_->name;
    experiment_.inputs = experiment_.series->paths();
  }

  /// Those that the data are normalised by, from the first, as far as that is known before they are
  /// opened: how long a training part is that is a share of all rows, the rows tell.  Where it
  /// turns out to be others, they are measured by a pass of their own.
  std::int64_t measured_rows() {
    const DataConfig& data = config_.data;
    const bool is_arranged = data.order.by != OrderConfig::By::none ||
                             data.whiten != Whiten::none || RowFilter::is_needed(data);
    if (!data.is_measured() || is_arranged || !problems_.empty()) return 0;
    const bool is_known = data.steps && *data.steps <= kAllRows - data.window;
    if (!is_known) return is_trained() ? 0 : kAllRows;
    if (!is_trained()) return *data.steps + data.window - 1;
    experiment_.trials = Trials::one(*data.steps, data.window);
    const std::vector<RowRange> rows = training_rows();
    experiment_.trials = {};
    return rows.size() == 1 ? rows.front().end : 0;
  }

  /// Whether moments are those of a part of the rows, by which something is trained.
  bool is_trained() const {
    if (config_.data.normalize_from == NormalizeFrom::all) return false;
    return config_.kind->has_parts() ||
           std::any_of(config_.readouts.begin(), config_.readouts.end(),
                       [](const ReadoutConfig& one) { return one.learn && one.folds == 0; });
  }

  /// Those of the training part; none where that is all there is.
  std::vector<RowRange> training_rows() const {
    const TrainingPart part = training_part(experiment_);
    std::vector<RowRange> rows;
    if (part.is_whole()) return rows;
    for (const auto& [begin, end] : part.rows()) rows.push_back({begin, end});
    return rows;
  }

  /// Whether moments, or whitening, are of the training part alone, where there is one.
  bool measures_training() const {
    const bool measures =
        config_.data.is_measured() && config_.data.normalize_from == NormalizeFrom::train;
    return measures || config_.data.whiten == Whiten::zca;
  }

  /// Finds the rows that moments and whitening are measured over.
  void settle_moments() {
    if (!measures_training()) return;
    const TrainingPart part = training_part(experiment_);
    const RowRange all{0, experiment_.series->rows()};
    if (part.is_whole()) return limit_whitening(*experiment_.series, {all});
    if (part.rows().empty()) {
      return add(config_.data.is_measured() ? "data.normalize" : "data.whiten",
                 "finds no rows to measure by: nothing comes before what is scored; a readout that "
                 "learns online leaves some out with `skip`");
    }
    limit_whitening(*experiment_.series, training_rows());
    const DataConfig& data = config_.data;
    if (data.is_measured() && data.normalize_from == NormalizeFrom::train) {
      config_.data.measured = training_rows();
    }
  }

  static std::string not_found(const std::string& given, const fs::path& path) {
    std::vector<std::string> neighbours;
    std::error_code error;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (neighbours.size() < 1000) neighbours.push_back(entry.path().filename().string());
    }
    std::sort(neighbours.begin(), neighbours.end());
    return "file '" + given + "' not found" + did_you_mean(path.filename().string(), neighbours) +
           "; looked in " + fs::absolute(folder, error).lexically_normal().string();
  }

  /// Rows that give as many samples as are asked for; 0, with a problem, where a trial has none.
  std::int64_t rows_of(const GeneratorConfig& generator) {
    const std::int64_t steps = *config_.data.steps;
    const std::int64_t window = config_.data.window;
    const std::int64_t trial = generator.kind->trial_rows();
    const KeptRows kept = kept_rows(config_.data);
    const auto rows_for = [&](std::int64_t rows) {
      if (rows > kAllRows / 2 / (1 + static_cast<std::int64_t>(kept.spacing()))) return kAllRows;
      return kept.row_of(rows - 1) + 1;
    };
    if (trial == 0) return rows_for(steps + window - 1);
    const std::int64_t samples = kept.count(trial) - window + 1;
    if (samples < 1) {
      add("data.window", fmt::format("a window of {} rows does not fit into the {} rows of a trial "
                                     "of {}",
                                     window, kept.count(trial), generator.kind->name()));
      return 0;
    }
    const std::int64_t rest = steps % samples;
    if (steps / samples > kAllRows / trial - 1) return kAllRows;  // more than a generator makes
    return steps / samples * trial + (rest == 0 ? 0 : rows_for(rest + window - 1));
  }

  void open_generator(const GeneratorConfig& generator) {
    if (!config_.data.steps) {
      return add("data.steps", "missing; a generator does not end by itself");
    }
    const std::int64_t rows = rows_of(generator);
    if (rows == 0) return;
    const auto seed = static_cast<std::uint64_t>(config_.seed);
    experiment_.series = generator.kind->make(rows, seed);
    if (generator.columns.empty() && generator.targets.empty()) return;
    experiment_.series = select_channels(std::move(experiment_.series), generator.kind->name(),
                                         generator.columns, generator.targets);
  }

  // What depends on the series

  void check_steps() {
    const std::int64_t rows = experiment_.series->rows();
    const std::int64_t window = config_.data.window;
    const std::vector<std::int64_t>& starts = experiment_.series->trial_starts();
    const Trials all(starts, rows, window);
    const std::int64_t samples = all.steps();
    const std::string which =
        starts.size() == 1 ? fmt::format("{} rows of data", rows)
                           : fmt::format("{} rows of data in {} trials", rows, starts.size());
    if (samples < 1) {
      return add("data.window",
                 fmt::format("a window of {} rows does not fit into {}", window, which));
    }
    if (config_.data.steps && *config_.data.steps > samples) {
      return add("data.steps",
                 fmt::format("expected at most {} ({} give so many samples of window {}), got {}",
                             samples, which, window, *config_.data.steps));
    }
    if (all.left_out() > 0) {
      experiment_.warnings.push_back(
          fmt::format("data.window: {} of {} trials are shorter than a window of {} rows and are "
                      "left out",
                      all.left_out(), starts.size(), window));
    }
    experiment_.trials = Trials(starts, rows, window, config_.data.steps);
    experiment_.steps = experiment_.trials.steps();
    if (const RowRuns& groups = experiment_.series->groups(); !groups.empty()) {
      experiment_.trials.set_groups(groups.starts(), groups.ids(), window);
    }
    warn_of_returning_trial();
    constexpr std::int64_t most = std::int64_t{1} << 53;
    const std::int64_t epochs = config_.hierarchy().epochs;
    if (epochs > most / experiment_.steps) {
      add("hierarchy.epochs", fmt::format("expected at most {} of {} steps each, got {}",
                                          most / experiment_.steps, experiment_.steps, epochs));
    }
  }

  /// Rows of one trial, as its name has it, on both sides of a border.
  void warn_of_returning_trial() {
    const auto found = experiment_.series->returning_trial();
    const bool has_parts = config_.kind->has_parts() || !config_.readouts.empty();
    if (!found || !has_parts || !experiment_.series->groups().empty()) return;
    const auto& file = std::get<FileConfig>(config_.data.source);
    experiment_.warnings.push_back(fmt::format(
        "data.trials: {} of column {} comes back in row {} after others, so that rows of it may be "
        "both trained on and tested with; `groups: {}` in data keeps them on one side",
        in_quotes(found->name), in_quotes(file.trials.column), found->row, file.trials.column));
  }

  Experiment& experiment_;
  ExperimentConfig& config_;
  const YamlNode& root_;
  Problems& problems_;
  Experiment* before_;
  std::shared_ptr<const MemoryRows> rows_;
  bool data_is_right_;
  bool is_right_;
};

}  // namespace

Experiment make_experiment(const std::string& file, const YamlNode& root, Problems& problems,
                           Experiment* before, std::shared_ptr<const MemoryRows> rows) {
  ReadConfig read = read_config(root, problems);
  Experiment experiment;
  experiment.file = file;
  experiment.config = std::move(read.config);
  experiment.warnings = std::move(read.warnings);
  for (const Problems::Included& one : problems.included()) {
    experiment.included.emplace_back(one.path, sha256_of(one.text));
  }
  ExperimentLoader(experiment, root, problems, before, std::move(rows)).run();
  return experiment;
}

}  // namespace gaia
