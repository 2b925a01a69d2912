// SPDX-License-Identifier: MIT
#include "load.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "../array/device.h"
#include "../core/error.h"
#include "../core/names.h"
#include "../io/csv.h"
#include "../io/hdf5_series.h"
#include "../io/npy.h"
#include "config_reader.h"
#include "hierarchy_checks.h"
#include "network_checks.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

std::string read_text(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw ConfigError(path + ": no such file");
  if (!fs::is_regular_file(path, error)) throw ConfigError(path + ": is not a regular file");
  std::ifstream file(path, std::ios::binary);
  // One byte beyond the limit is enough to see that it is too long.
  std::string text(YamlLimits{}.bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (!file.eof() && file.fail())) throw ConfigError(path + ": cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

void apply(const Overrides& overrides, YamlNode& root, Problems& problems) {
  for (const std::string& setting : overrides.set) {
    const std::string argument = "--set " + setting;
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      problems.add({0, 0, argument}, {}, "expected KEY=VALUE");
      continue;
    }
    set_in_yaml(root, setting.substr(0, equals), setting.substr(equals + 1), argument, problems);
  }
  const auto put = [&](const char* option, const char* key,
                       const std::optional<std::string>& text) {
    if (text) set_in_yaml(root, key, *text, fmt::format("{} {}", option, *text), problems);
  };
  put("--device", "device", overrides.device);
  put("--seed", "seed", overrides.seed);
  if (overrides.output) {
    // A path is text whatever it looks like.
    set_in_yaml(root, "output.path", text_node(*overrides.output), "--output " + *overrides.output,
                problems);
  }
}

/// Checks what lies between keys, and opens the series.
class Loader {
 public:
  Loader(Experiment& experiment, const YamlNode& root, Problems& problems, Experiment* before)
      : experiment_(experiment),
        config_(experiment.config),
        root_(root),
        problems_(problems),
        before_(before),
        data_is_right_(!problems.any_below("data")),
        hierarchy_is_right_(!problems.any_below("hierarchy")),
        network_is_right_(!problems.any_below("network")) {}

  void run() {
    const AddProblem add_problem = [&](const std::string& key, const std::string& message) {
      add(key, message);
    };
    check_device();
    check_output();
    check_readouts(config_, add_problem);
    open_series();
    check_output_is_not_data();
    if (experiment_.series) {
      check_steps();
      if (!config_.network) {
        check_targets(experiment_, add_problem);
        if (hierarchy_is_right_) check_sizes(experiment_, add_problem);
      }
    }
    if (config_.network && network_is_right_) {
      check_network(experiment_, add_problem);
    } else if (!config_.network && experiment_.images) {
      add("data.source", "images are for a network; a hierarchy reads a series");
    }
  }

 private:
  void add(const std::string& key, const std::string& message) {
    problems_.add(nearest_in_yaml(root_, key).origin, key, message);
  }

  void check_device() {
    const std::string& name = config_.device;
    if (name == "auto") return;
    try {
      Device::from_name(name);
    } catch (const ArgumentError& error) {
      add("device", error.what());
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
    if (experiment_.data_path.empty()) return;
    const std::string& path = config_.output.path;
    for (const std::string& written : {path, path + ".partial", path + ".finishing"}) {
      std::error_code error;
      if (fs::equivalent(written, experiment_.data_path, error)) {
        add("output.path", "'" + written +
                               "' is the data that is read (data.path); the results "
                               "need another name");
      }
    }
  }

  // The series

  void open_series() {
    const YamlNode* data = root_.find("data");
    if (data == nullptr || data->find("source") == nullptr) return;
    if (take_over()) return;
    try {
      if (const auto* file = std::get_if<FileConfig>(&config_.data.source)) {
        if (!file->path.empty()) open_file(*file);
      } else if (const auto* images = std::get_if<ImagesConfig>(&config_.data.source)) {
        if (data_is_right_) {
          open_images(
              experiment_, *images,
              [&](const std::string& key, const std::string& message) { add(key, message); });
        }
      } else if (data->find("kind") != nullptr && data_is_right_) {
        open_generator(std::get<GeneratorConfig>(config_.data.source));
      }
    } catch (const ArgumentError& error) {
      add(key_of(error.what()), error.what());
    } catch (const DataError&) {
      // What is wrong with the configuration is told first.
      problems_.throw_if_any();
      throw;
    }
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
    const bool same_images = images != nullptr && std::holds_alternative<ImagesConfig>(open) &&
                             *images == std::get<ImagesConfig>(open) && before_->images;
    if (!same_file && !same_images) return false;
    experiment_.series = std::move(before_->series);
    experiment_.images = std::move(before_->images);
    experiment_.data_path = before_->data_path;
    return true;
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

  void open_file(const FileConfig& file) {
    const fs::path given(file.path);
    const fs::path folder = fs::path(experiment_.file).parent_path();
    const fs::path path = given.is_absolute() ? given : folder / given;
    std::error_code error;
    if (!fs::exists(path, error)) return add("data.path", not_found(file.path, path));
    if (!fs::is_regular_file(path, error)) {
      return add("data.path", "'" + file.path + "' is not a regular file");
    }
    experiment_.data_path = path.lexically_normal().string();
    experiment_.inputs = {experiment_.data_path};
    const std::string extension = path.extension().string();
    const bool is_hdf5 = extension == ".h5" || extension == ".hdf5";
    if (!file.dataset.empty() && !is_hdf5) {
      return add("data.dataset", "only an HDF5 file has datasets; '" + file.path + "' is none");
    }
    if (is_hdf5) {
      experiment_.series =
          open_hdf5(experiment_.data_path,
                    {file.dataset, file.columns, file.missing, {.trusted = file.trusted}});
    } else if (extension == ".csv") {
      experiment_.series = open_csv(experiment_.data_path, {file.columns, file.missing});
    } else if (extension == ".npy") {
      experiment_.series = open_npy(experiment_.data_path, {file.columns, file.missing});
    } else {
      add("data.path", "'" + file.path + "' is of no known kind; known: .h5, .hdf5, .csv, .npy");
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

  void open_generator(GeneratorConfig& generator) {
    if (!config_.data.steps) {
      return add("data.steps", "missing; a generator does not end by itself");
    }
    // Written out, so that the resolved configuration says what runs.
    if (auto* patterns = std::get_if<PatternsOptions>(&generator)) {
      if (patterns->channels == 0) patterns->channels = patterns->count;
    }
    const std::int64_t rows = *config_.data.steps + config_.data.window - 1;
    const auto seed = static_cast<std::uint64_t>(config_.seed);
    struct Make {
      std::int64_t rows;
      std::uint64_t seed;
      using Made = std::unique_ptr<Series>;
      Made operator()(const SinesOptions& o) const { return make_sines(o, rows, seed); }
      Made operator()(const OrnsteinUhlenbeckOptions& o) const {
        return make_ornstein_uhlenbeck(o, rows, seed);
      }
      Made operator()(const MackeyGlassOptions& o) const {
        return make_mackey_glass(o, rows, seed);
      }
      Made operator()(const LorenzOptions& o) const { return make_lorenz(o, rows, seed); }
      Made operator()(const Narma10Options& o) const { return make_narma10(o, rows, seed); }
      Made operator()(const GaussianOptions& o) const { return make_gaussian(o, rows, seed); }
      Made operator()(const PatternsOptions& o) const { return make_patterns(o, rows, seed); }
    };
    experiment_.series = std::visit(Make{rows, seed}, generator);
  }

  // What depends on the series

  void check_steps() {
    const std::int64_t rows = experiment_.series->rows();
    const std::int64_t window = config_.data.window;
    const std::int64_t samples = rows - window + 1;
    if (samples < 1) {
      return add("data.window", fmt::format("a window of {} rows does not fit into {} rows of data",
                                            window, rows));
    }
    if (config_.data.steps && *config_.data.steps > samples) {
      return add("data.steps",
                 fmt::format("expected at most {} ({} rows of data give so many samples of window "
                             "{}), got {}",
                             samples, rows, window, *config_.data.steps));
    }
    experiment_.steps = config_.data.steps.value_or(samples);
  }

  Experiment& experiment_;
  ExperimentConfig& config_;
  const YamlNode& root_;
  Problems& problems_;
  Experiment* before_;
  bool data_is_right_;
  bool hierarchy_is_right_;
  bool network_is_right_;
};

}  // namespace

ExperimentFile read_experiment_file(const std::string& path, const Overrides& overrides) {
  return read_experiment_text(read_text(path), path, overrides);
}

ExperimentFile read_experiment_text(const std::string& text, const std::string& path,
                                    const Overrides& overrides) {
  ExperimentFile file{path, {}, {}, Problems(path, text)};
  file.root = parse_yaml(text, file.problems);
  if (file.root.kind == YamlNode::Kind::null) {
    if (file.problems.empty()) file.problems.add({}, {}, "is empty; see docs/experiments.md");
    file.problems.throw_if_any();
  }
  apply(overrides, file.root, file.problems);
  file.settings = overrides.set;
  if (overrides.device) file.settings.push_back("device=" + *overrides.device);
  if (overrides.seed) file.settings.push_back("seed=" + *overrides.seed);
  return file;
}

Experiment check_experiment(const std::string& file, const YamlNode& root, Problems& problems,
                            Experiment* before) {
  ReadConfig read = read_config(root, problems);
  Experiment experiment;
  experiment.file = file;
  experiment.config = std::move(read.config);
  experiment.warnings = std::move(read.warnings);
  Loader(experiment, root, problems, before).run();
  return experiment;
}

Experiment load_experiment(const std::string& file, const Overrides& overrides) {
  return load_experiment_text(read_text(file), file, overrides);
}

Experiment load_experiment_text(const std::string& text, const std::string& path,
                                const Overrides& overrides) {
  ExperimentFile file = read_experiment_text(text, path, overrides);
  if (describes_sweep(file.root)) {
    file.problems.add(file.root.find("sweep")->origin, "sweep",
                      "this file describes many runs; `gaia sweep " + path + "` runs them");
    file.problems.throw_if_any();
  }
  Experiment experiment = check_experiment(path, file.root, file.problems);
  file.problems.throw_if_any();
  experiment.settings = std::move(file.settings);
  return experiment;
}

bool describes_sweep(const YamlNode& root) {
  const YamlNode* sweep = root.find("sweep");
  return sweep != nullptr && sweep->kind != YamlNode::Kind::null;
}

}  // namespace gaia
