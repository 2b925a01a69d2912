// SPDX-License-Identifier: MIT
#include "member_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "../../core/error.h"
#include "../../io/hdf5.h"
#include "../../io/output_files.h"
#include "../../io/pictures/pictures.h"
#include "../config/config_difference.h"
#include "../config/config_reader.h"
#include "../config/config_writer.h"

namespace gaia {

std::optional<MemberFacts> facts_in(const std::string& path) {
  try {
    const hdf5::File file = hdf5::File::open(path);
    auto hashes = file.texts_attribute("input_sha256").value_or(std::vector<std::string>());
    // Those of YAML files that it includes stand behind the others, and are in `config`.
    const auto included =
        file.texts_attribute("included_files").value_or(std::vector<std::string>());
    hashes.resize(hashes.size() - std::min(hashes.size(), included.size()));
    return MemberFacts{file.text_attribute("config").value_or(""), std::move(hashes)};
  } catch (const DataError&) {
    return std::nullopt;
  }
}

bool is_same_run(const std::string& stored, const ExperimentConfig& config) {
  Problems problems("stored", stored);
  const YamlNode root = parse_yaml(stored, problems);
  if (!problems.empty()) return false;
  // Written anew, so that keys that it did not know have their defaults.
  const std::string resolved = to_yaml(read_config(root, problems).config);
  return problems.empty() && config_differences(resolved, "", to_yaml(config), "").empty();
}

std::string MemberStates::hash_of(const Experiment& experiment, const std::string& input) const {
  const bool is_in_memory = rows_ != nullptr && input == rows_->name && experiment.series;
  return is_in_memory ? experiment.series->hashes().front() : io::sha256_of_input(input);
}

bool MemberStates::has_same_inputs(const Experiment& experiment,
                                   const std::vector<std::string>& stored) {
  std::string change;
  if (stored.size() != experiment.inputs.size()) {
    change = fmt::format("{} files were read, now it would be {}", stored.size(),
                         experiment.inputs.size());
  }
  for (std::size_t i = 0; change.empty() && i < stored.size(); ++i) {
    const std::string& path = experiment.inputs[i];
    auto known = hashes_.find(path);
    if (known == hashes_.end()) known = hashes_.emplace(path, hash_of(experiment, path)).first;
    if (known->second == stored[i]) continue;
    change = fmt::format("{} has SHA-256 {}, had {}", path, known->second, stored[i]);
  }
  if (first_change_.empty()) first_change_ = change;
  return change.empty();
}

MemberState MemberStates::of(const Experiment& experiment) {
  const auto compare = [&](const MemberFacts& stored) {
    if (!is_same_run(stored.config, experiment.config)) return MemberState::other;
    return has_same_inputs(experiment, stored.input_hashes) ? MemberState::complete
                                                            : MemberState::changed;
  };
  const std::string& path = experiment.config.output.path;
  const bool has_result = std::filesystem::exists(path);
  // What is in the place of the result.
  MemberState in_place = MemberState::missing;
  if (has_result) {
    const auto stored = facts_in(path);
    in_place = stored ? compare(*stored) : MemberState::damaged;
    if (in_place == MemberState::complete) return in_place;
  }
  const std::string partial = partial_path(path);
  if (!std::filesystem::exists(partial)) return in_place;
  const auto stored = facts_in(partial);
  if (!stored) return has_result ? in_place : MemberState::torn;
  const MemberState begun = compare(*stored);
  if (begun != MemberState::complete) return begun;
  return has_result ? MemberState::replacing : MemberState::unfinished;
}

}  // namespace gaia
