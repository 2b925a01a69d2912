// SPDX-License-Identifier: MIT
#include "load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "../array/device.h"
#include "../core/checked.h"
#include "../core/error.h"
#include "../core/names.h"
#include "../io/csv.h"
#include "../io/hdf5_series.h"
#include "../io/npy.h"
#include "build.h"
#include "config_reader.h"
#include "network_checks.h"
#include "readout.h"
#include "yaml.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostInputs = 100000000;

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
  Loader(Experiment& experiment, const YamlNode& root, Problems& problems)
      : experiment_(experiment),
        config_(experiment.config),
        root_(root),
        problems_(problems),
        data_is_right_(!problems.any_below("data")),
        hierarchy_is_right_(!problems.any_below("hierarchy")),
        network_is_right_(!problems.any_below("network")) {}

  void run() {
    check_device();
    check_output();
    check_readouts();
    open_series();
    check_output_is_not_data();
    if (experiment_.series) {
      check_steps();
      if (!config_.network) check_hierarchy();
    }
    const AddProblem add_problem = [&](const std::string& key, const std::string& message) {
      add(key, message);
    };
    if (config_.network && network_is_right_) {
      check_network(experiment_, add_problem);
    } else if (!config_.network && experiment_.images) {
      add("data.source", "images are for a network; a hierarchy reads a series");
    }
  }

 private:
  void check_hierarchy() {
    check_targets();
    if (hierarchy_is_right_) check_sizes();
  }

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

  void check_readouts() {
    std::set<std::string> names;
    const auto levels = static_cast<std::int64_t>(config_.hierarchy.levels.size());
    for (std::size_t i = 0; i < config_.readouts.size(); ++i) {
      const ReadoutConfig& readout = config_.readouts[i];
      const std::string key = fmt::format("readouts[{}]", i);
      if (!readout.name.empty() && !names.insert(readout.name).second) {
        add(key + ".name", "there is another readout '" + readout.name + "'");
      }
      std::set<std::int64_t> read;
      for (const std::int64_t level : readout.levels) {
        if (levels > 0 && level >= levels) {
          add(key + ".levels",
              fmt::format("there is no level {}; known: 0 to {}", level, levels - 1));
        }
        if (!read.insert(level).second) add(key + ".levels", fmt::format("level {} twice", level));
      }
    }
  }

  // The series

  void open_series() {
    const YamlNode* data = root_.find("data");
    if (data == nullptr || data->find("source") == nullptr) return;
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
          open_hdf5(experiment_.data_path, {file.dataset, file.columns, file.missing});
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

  void check_targets() {
    for (std::size_t i = 0; i < config_.readouts.size(); ++i) {
      const ReadoutConfig& readout = config_.readouts[i];
      const Series& series = *experiment_.series;
      const std::int64_t known = readout.of_latent ? series.latents() : series.channels();
      const char* what = readout.of_latent ? "latent" : "channel";
      const std::string key = fmt::format("readouts[{}]", i);
      if (readout.target >= known) {
        add(fmt::format("{}.target.{}", key, what),
            known == 0 ? "this series has no latents"
                       : fmt::format("there is no {} {}; known: 0 to {}", what, readout.target,
                                     known - 1));
      }
      if (experiment_.steps > 0) check_ticks(readout, key);
    }
  }

  /// A readout needs something to train on and something to predict.
  void check_ticks(const ReadoutConfig& readout, const std::string& key) {
    std::int64_t spacing = 0;
    for (const std::int64_t index : readout.levels) {
      if (index >= static_cast<std::int64_t>(config_.hierarchy.levels.size())) return;
      const std::int64_t resolution =
          config_.hierarchy.levels[static_cast<std::size_t>(index)].temporal_resolution;
      spacing = spacing == 0 ? resolution : std::min(spacing, resolution);
    }
    if (spacing == 0) return;
    const Recording& recording = config_.output.representations;
    if (recording.what == Recording::What::every) spacing *= recording.every;
    const ReadoutTicks ticks = readout_ticks(readout, experiment_.steps, spacing);
    if (ticks.trained() < 2 || ticks.predicted() < 2) {
      add(key, fmt::format("{} steps, {} ahead, give {} ticks to train on and {} to predict; at "
                           "least 2 of each are needed",
                           experiment_.steps, readout.horizon, ticks.trained(), ticks.predicted()));
    }
  }

  /// Sizes chain by themselves; they must not grow beyond what memory can hold.
  void check_sizes() {
    std::int64_t below = experiment_.features();
    for (std::size_t n = 0; n < config_.hierarchy.levels.size(); ++n) {
      const LevelConfig& level = config_.hierarchy.levels[n];
      const std::string key = fmt::format("hierarchy.levels[{}]", n);
      const bool concat = level.pooling == Pooling::concat;
      const auto inputs =
          concat ? checked_multiply(level.temporal_resolution, below) : std::optional(below);
      if (!inputs || *inputs > kMostInputs) {
        return add(key,
                   fmt::format("it would read {} numbers; at most {} are supported",
                               inputs ? std::to_string(*inputs) : "more than 2^63", kMostInputs));
      }
      std::int64_t size = *inputs;
      for (std::size_t m = 0; m < level.layers.size(); ++m) {
        warn_of_layer(level.layers[m], fmt::format("{}.layers[{}]", key, m), size);
        size = level.layers[m].size;
      }
      below = size;
    }
  }

  void warn_of_layer(const LayerConfig& layer, const std::string& key, std::int64_t inputs) {
    const auto* hebbian = std::get_if<HebbianConfig>(&layer.kind);
    if (hebbian == nullptr) return;
    if (hebbian->control.homeostasis && hebbian->control.normalization == Normalization::l2) {
      experiment_.warnings.push_back(
          key + ": homeostasis has no effect under normalization l2, which cancels it");
    }
    if (std::holds_alternative<CoupledRule>(hebbian->rule) && layer.size > inputs) {
      experiment_.warnings.push_back(
          fmt::format("{}: {} neurons under rule {} read {} numbers; the weights of those beyond "
                      "tend to 0",
                      key, layer.size, rule_name(hebbian->rule), inputs));
    }
  }

  Experiment& experiment_;
  ExperimentConfig& config_;
  const YamlNode& root_;
  Problems& problems_;
  bool data_is_right_;
  bool hierarchy_is_right_;
  bool network_is_right_;
};

}  // namespace

Experiment load_experiment(const std::string& file, const Overrides& overrides) {
  return load_experiment_text(read_text(file), file, overrides);
}

Experiment load_experiment_text(const std::string& text, const std::string& file,
                                const Overrides& overrides) {
  Problems problems(file, text);
  YamlNode root = parse_yaml(text, problems);
  if (root.kind == YamlNode::Kind::null) {
    if (problems.empty()) problems.add({}, {}, "is empty; see docs/experiments.md");
    problems.throw_if_any();
  }
  apply(overrides, root, problems);
  ReadConfig read = read_config(root, problems);
  Experiment experiment;
  experiment.file = file;
  experiment.settings = overrides.set;
  if (overrides.device) experiment.settings.push_back("device=" + *overrides.device);
  if (overrides.seed) experiment.settings.push_back("seed=" + *overrides.seed);
  experiment.config = std::move(read.config);
  experiment.warnings = std::move(read.warnings);
  Loader(experiment, root, problems).run();
  problems.throw_if_any();
  return experiment;
}

}  // namespace gaia
