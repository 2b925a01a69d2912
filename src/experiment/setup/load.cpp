// SPDX-License-Identifier: MIT
#include "load.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "../../core/error.h"
#include "../../io/pictures/pictures.h"
#include "../config/includes.h"
#include "../config/yaml_path.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

/// \throws ConfigError for a file of data or a result in place of an experiment.
void refuse_data(const std::string& path, const std::string& begin) {
  const std::string ending = fs::path(path).extension().string();
  const bool is_hdf5 = begin.starts_with("\x89HDF\r\n\x1a\n");
  const char* what = is_hdf5                                ? "an HDF5 file"
                     : begin.starts_with("\x93NUMPY")       ? "a NumPy array"
                     : ending == ".csv" || ending == ".tsv" ? "a table of data"
                                                            : nullptr;
  if (what == nullptr) return;
  throw ConfigError(fmt::format(
      "{0}: is {1}, expected an experiment, which is a YAML file; one that reads these data says "
      "data: {{source: file, path: {0}}} (docs/experiments.md){2}",
      path, what,
      is_hdf5 ? "; if it is a result, `gaia inspect` shows what is in it, `gaia report` makes a "
                "page of it, and `gaia resume` goes on with a run that was cut"
              : ""));
}

std::string read_text(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw ConfigError(path + ": no such file");
  if (fs::is_directory(path, error)) {
    throw ConfigError(path + ": is not a regular file but a folder; an experiment is a YAML file");
  }
  if (!fs::is_regular_file(path, error)) throw ConfigError(path + ": is not a regular file");
  std::ifstream file(path, std::ios::binary);
  // One byte beyond the limit is enough to see that it is too long.
  std::string text(YamlLimits{}.bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (!file.eof() && file.fail())) throw ConfigError(path + ": cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  refuse_data(path, text);
  return text;
}

/// Whether a setting says which files are included, and so comes before their keys.
bool sets_include(const std::string& setting) {
  return setting.starts_with("include=") || setting.starts_with("include[");
}

void set_includes(const Overrides& overrides, YamlNode& root, Problems& problems) {
  for (const std::string& setting : overrides.set) {
    const std::size_t equals = setting.find('=');
    if (!sets_include(setting) || equals == std::string::npos) continue;
    set_in_yaml(root, setting.substr(0, equals), setting.substr(equals + 1), "--set " + setting,
                problems);
  }
}

void apply(const Overrides& overrides, YamlNode& root, Problems& problems) {
  for (const std::string& setting : overrides.set) {
    if (sets_include(setting)) continue;
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

/// Rows that are given say themselves where the data come from, where the experiment does not.
void set_source(YamlNode& root, const std::string& rows) {
  if (root.kind != YamlNode::Kind::map) return;
  auto data = std::find_if(root.entries.begin(), root.entries.end(),
                           [](const YamlNode::Entry& entry) { return entry.key == "data"; });
  if (data == root.entries.end()) {
    root.entries.push_back({"data", {}, {}});
    data = root.entries.end() - 1;
  }
  YamlNode& value = data->value;
  if (value.kind == YamlNode::Kind::null) value.kind = YamlNode::Kind::map;
  if (value.kind != YamlNode::Kind::map) return;
  const YamlNode* const source = value.find("source");
  if (source != nullptr && source->text != FileConfig::name) return;
  if (source == nullptr) {
    value.entries.push_back({"source", data->origin, plain_node(FileConfig::name)});
  }
  if (value.find("path") == nullptr && value.find("files") == nullptr) {
    value.entries.push_back({"path", data->origin, text_node(rows)});
  }
}

}  // namespace

ExperimentFile read_experiment_file(const std::string& path, const Overrides& overrides) {
  return read_experiment_text(overrides.text ? *overrides.text : read_text(path), path, overrides);
}

ExperimentFile read_experiment_text(const std::string& text, const std::string& path,
                                    const Overrides& overrides) {
  ExperimentFile file{path, {}, {}, Problems(path, text)};
  file.rows = overrides.rows;
  file.stands_in_file = !overrides.text;
  file.root = parse_yaml(text, file.problems);
  if (file.root.kind == YamlNode::Kind::null) {
    if (file.problems.empty()) file.problems.add({}, {}, "is empty; see docs/experiments.md");
    file.problems.throw_if_any();
  }
  set_includes(overrides, file.root, file.problems);
  const std::size_t known = file.problems.all().size();
  resolve_includes(file.root, path, file.problems, read_text);
  // Keys of a file that cannot be read are not missing.
  if (file.problems.all().size() > known) file.problems.throw_if_any();
  apply(overrides, file.root, file.problems);
  if (file.rows) set_source(file.root, file.rows->name);
  file.settings = overrides.set;
  if (overrides.device) file.settings.push_back("device=" + *overrides.device);
  if (overrides.seed) file.settings.push_back("seed=" + *overrides.seed);
  return file;
}

Experiment load_experiment(const std::string& file, const Overrides& overrides) {
  return load_experiment_text(overrides.text ? *overrides.text : read_text(file), file, overrides);
}

Experiment load_experiment_text(const std::string& text, const std::string& path,
                                const Overrides& overrides) {
  ExperimentFile file = read_experiment_text(text, path, overrides);
  if (const std::string many = section_of_many(file.root); !many.empty()) {
    file.problems.add(file.root.find(many)->origin, many,
                      "this file describes many runs; `gaia " + many + " " + path + "` runs them");
    file.problems.throw_if_any();
  }
  Experiment experiment = make_experiment(path, file.root, file.problems, nullptr, file.rows);
  file.problems.throw_if_any();
  experiment.stands_in_file = file.stands_in_file;
  experiment.settings = std::move(file.settings);
  return experiment;
}

std::vector<std::string> hashes_of_inputs(const Experiment& experiment) {
  // Those of the series come first.
  std::vector<std::string> hashes;
  if (experiment.series) hashes = experiment.series->hashes();
  for (std::size_t i = hashes.size(); i < experiment.inputs.size(); ++i) {
    hashes.push_back(io::sha256_of_input(experiment.inputs[i]));
  }
  return hashes;
}

std::string section_of_many(const YamlNode& root) {
  for (const char* section : {"sweep", "search"}) {
    const YamlNode* found = root.find(section);
    if (found != nullptr && found->kind != YamlNode::Kind::null) return section;
  }
  return "";
}

}  // namespace gaia
