// SPDX-License-Identifier: MIT
#include "resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "../../core/error.h"
#include "../../core/log.h"
#include "../config/config_difference.h"
#include "../config/config_reader.h"
#include "../config/config_writer.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartial = ".partial";

bool is_there(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// NAME.h5 of NAME.h5 or NAME.h5.partial.
std::string result_of(const std::string& path) {
  const bool is_partial =
      path.size() > kPartial.size() && path.substr(path.size() - kPartial.size()) == kPartial;
  return is_partial ? path.substr(0, path.size() - kPartial.size()) : path;
}

/// What /sweep says, in a member of one.
std::optional<SweepMember> member_of(const hdf5::File& file) {
  if (!file.has_group("sweep")) return std::nullopt;
  const hdf5::Group group = file.open_group("sweep");
  SweepMember member;
  for (const std::string& name : group.attribute_names()) {
    if (const auto integer = group.integer_attribute(name)) {
      member.settings.emplace_back(name, *integer);
    } else if (const auto number = group.number_attribute(name)) {
      member.settings.emplace_back(name, *number);
    } else if (const auto text = group.text_attribute(name)) {
      member.settings.emplace_back(name, *text);
    }
  }
  std::erase_if(member.settings, [&](const auto& setting) {
    if (setting.first != "member") return false;
    member.number = std::get<std::int64_t>(setting.second);
    return true;
  });
  return member;
}

}  // namespace

RunFacts stored_facts(const hdf5::File& file) {
  const auto text = [&](const char* name) { return file.text_attribute(name).value_or(""); };
  RunFacts facts = {
      .config_text = text("config"),
      .config_file = text("config_file"),
      .config_path = text("config_path"),
      .settings = file.texts_attribute("settings").value_or(std::vector<std::string>()),
      .inputs = file.texts_attribute("input_files").value_or(std::vector<std::string>()),
      .input_hashes = file.texts_attribute("input_sha256").value_or(std::vector<std::string>()),
      .command_line = text("command_line"),
      .device = text("device"),
      .steps = file.integer_attribute("steps").value_or(0),
      .threads = 0,
      .run_id = text("run_id"),
      .created_utc = text("created_utc"),
      .resumed_at = file.texts_attribute("resumed_at").value_or(std::vector<std::string>()),
      .member = member_of(file),
      .applied = {}};
  // Those that are included stand behind the others.
  const auto included = file.texts_attribute("included_files").value_or(std::vector<std::string>());
  const std::size_t count = std::min(facts.inputs.size(), facts.input_hashes.size());
  const std::size_t first = count - std::min(count, included.size());
  for (std::size_t i = first; i < count; ++i) {
    facts.included.emplace_back(facts.inputs[i], facts.input_hashes[i]);
  }
  facts.inputs.resize(first);
  facts.input_hashes.resize(first);
  return facts;
}

void check_inputs(const Experiment& experiment, const RunFacts& facts) {
  if (facts.input_hashes.size() != experiment.inputs.size()) {
    throw DataError("the run has read " + std::to_string(facts.input_hashes.size()) +
                    " files, its experiment names " + std::to_string(experiment.inputs.size()));
  }
  const std::vector<std::string> hashes = hashes_of_inputs(experiment);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const std::string& now = hashes[i];
    if (now == facts.input_hashes[i]) continue;
    throw DataError(fmt::format(
        "{}: is not the file that the run has read (SHA-256 {}, was {}); put it back, or run anew",
        experiment.inputs[i], now, facts.input_hashes[i]));
  }
}

namespace {

/// The stored experiment as this gaia writes it: keys that are new have their defaults.
std::string resolved(const std::string& config_text, const std::string& partial) {
  Problems problems(partial, config_text);
  const YamlNode root = parse_yaml(config_text, problems);
  std::string yaml;
  if (problems.empty()) yaml = to_yaml(read_config(root, problems).config);
  try {
    problems.throw_if_any();
  } catch (const ConfigError& error) {
    throw DataError(partial + ": the experiment in it cannot be read:\n" + error.what());
  }
  return yaml;
}

/// The experiment from the YAML file that it was started from, where that is still there, and else
/// from what is stored.
Experiment experiment_of(const RunFacts& facts, const std::string& result,
                         const std::string& partial, const ResumeOptions& options) {
  const std::string stored = resolved(facts.config_text, partial);
  const std::string file = options.config.value_or(facts.config_path);
  if (!options.config && (file.empty() || !is_there(file))) {
    return load_experiment_text(facts.config_text, file, {.output = result, .rows = options.rows});
  }
  constexpr const char* way_out =
      "undo what was changed, or run the changed experiment anew under another --output";
  try {
    Experiment experiment =
        load_experiment(file, {.set = facts.settings, .output = result, .rows = options.rows});
    const std::vector<std::string> differences =
        config_differences(stored, "the result", to_yaml(experiment.config), file);
    if (differences.empty()) return experiment;
    constexpr std::size_t most = 20;
    std::string text = file + " is not what " + partial + " was started from:\n";
    for (std::size_t i = 0; i < std::min(most, differences.size()); ++i) {
      text += "  " + differences[i] + "\n";
    }
    if (differences.size() > most)
      text += fmt::format("  and {} more\n", differences.size() - most);
    throw ConfigError(text + way_out);
  } catch (const ConfigError& error) {
    if (options.config || std::string_view(error.what()).find(way_out) != std::string_view::npos) {
      throw;
    }
    throw ConfigError(
        fmt::format("{}\n{} was started from {}; {}", error.what(), partial, file, way_out));
  }
}

void choose_device(Experiment& experiment, const RunFacts& facts, const ResumeOptions& options) {
  experiment.config.device = facts.device;
  if (!options.device || *options.device == facts.device) return;
  if (*options.device != "auto") (void)Device::from_name(*options.device);
  experiment.config.device = *options.device;
  log_warning("the run was on " + facts.device + " and goes on on " + *options.device +
              ": its results agree with those of one device within rounding only");
}

/// Whether the file has room for the scores of controls; those of earlier versions had none.
bool has_controls(const hdf5::File& partial) {
  if (!partial.has_group("readouts")) return false;
  const hdf5::Group readouts = partial.open_group("readouts");
  const std::vector<std::string> names = readouts.groups();
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return readouts.open_group(name).has_group("controls");
  });
}

/// How many steps what is committed reaches at most, in the unit of checkpoints.
std::int64_t steps_recorded(const Experiment& experiment, const hdf5::File& partial) {
  std::int64_t committed = 0;
  const hdf5::Dataset safe = partial.open_dataset("/status/committed_steps");
  if (safe.shape().empty()) safe.read_rows<std::int64_t>(0, 1, &committed);
  return experiment.config.kind->reached(experiment, committed);
}

/// \throws OutputError for what `gaia recover` has made of a run that was cut.
void check_is_complete(const hdf5::File& file) {
  const std::string status = file.text_attribute("status").value_or("complete");
  if (status == "complete") return;
  throw OutputError(fmt::format(
      "{}: is {} after {} of {} steps, and has no state to go on from{}", file.place().file, status,
      file.integer_attribute("steps_done").value_or(0), file.integer_attribute("steps").value_or(0),
      file.has_attribute("recovered_from")
          ? "; it was recovered from " + file.text_attribute("recovered_from").value_or("") +
                ", which `gaia resume` goes on with if it is still there"
          : "; `gaia run --overwrite` starts anew"));
}

}  // namespace

std::optional<Resumption> open_cut_run(const std::string& path, const ResumeOptions& options) {
  const std::string result = result_of(path);
  const std::string partial = partial_path(result);
  if (!is_there(partial)) {
    if (!is_there(result)) throw ConfigError(path + ": no such file");
    check_is_complete(open_results(result));
    return std::nullopt;
  }
  auto lock = std::make_unique<OutputLock>(result);
  // It may have ended before the lock was ours.
  if (!is_there(partial)) return std::nullopt;
  std::remove(resuming_path(result).c_str());

  hdf5::File file = open_results(partial);
  RunFacts facts = stored_facts(file);
  if (facts.run_id.empty()) {
    throw OutputError(
        partial +
        ": was written by a gaia without checkpoints that could be gone on from; `gaia "
        "run --overwrite` starts anew, `gaia recover` saves what was recorded");
  }
  Experiment experiment = experiment_of(facts, result, partial, options);
  // A run that began without controls goes on without them.
  if (!has_controls(file)) experiment.config.controls.clear();
  check_inputs(experiment, facts);
  choose_device(experiment, facts, options);
  FoundCheckpoint found = newest_checkpoint(result, facts.run_id, steps_recorded(experiment, file));
  return Resumption{std::move(experiment),
                    {std::move(lock), std::move(file), std::move(facts), std::move(found)}};
}

}  // namespace gaia
