// SPDX-License-Identifier: MIT
#include "sweep_state.h"

#include <filesystem>

#include "../core/error.h"
#include "../io/hdf5.h"
#include "../io/output_files.h"
#include "config_difference.h"
#include "config_reader.h"
#include "config_writer.h"

namespace gaia {
namespace {

/// The configuration that a results file holds, empty if it holds none, or nothing if the file
/// cannot be read.
std::optional<std::string> stored_config(const std::string& path) {
  try {
    return hdf5::File::open(path).text_attribute("config").value_or("");
  } catch (const DataError&) {
    return std::nullopt;
  }
}

}  // namespace

bool is_same_run(const std::string& stored, const ExperimentConfig& config) {
  Problems problems("stored", stored);
  const YamlNode root = parse_yaml(stored, problems);
  if (!problems.empty()) return false;
  // Written anew, so that keys that it did not know have their defaults.
  const std::string resolved = to_yaml(read_config(root, problems).config);
  return problems.empty() && config_differences(resolved, "", to_yaml(config), "").empty();
}

MemberState state_of_member(const ExperimentConfig& config) {
  const std::string& path = config.output.path;
  const bool has_result = std::filesystem::exists(path);
  // What is in the place of the result, if it is not the result.
  MemberState in_place = MemberState::missing;
  if (has_result) {
    const auto stored = stored_config(path);
    if (stored && is_same_run(*stored, config)) return MemberState::complete;
    in_place = stored ? MemberState::other : MemberState::damaged;
  }
  const std::string partial = partial_path(path);
  if (!std::filesystem::exists(partial)) return in_place;
  const auto stored = stored_config(partial);
  if (!stored) return has_result ? in_place : MemberState::torn;
  if (!is_same_run(*stored, config)) return MemberState::other;
  return has_result ? MemberState::replacing : MemberState::unfinished;
}

}  // namespace gaia
