// SPDX-License-Identifier: MIT
#include "live_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <variant>

#include "../../core/error.h"
#include "../../core/names.h"
#include "../../core/text.h"
#include "../../layers/hierarchy/temporal.h"
#include "../config/config_reader.h"
#include "../readouts/readout_ticks.h"
#include "../run/rate_schedule.h"
#include "../setup/filter_checks.h"
#include "../setup/hierarchy_checks.h"
#include "../setup/learnt.h"
#include "../setup/load.h"
#include "live_readout.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> listed_texts(const hdf5::Contents& contents, const std::string& group,
                                      const std::string& name) {
  const hdf5::Description* const of = contents.group(group);
  if (of == nullptr) return {};
  if (auto texts = of->texts(name)) return *texts;
  // A list of one text is read as a text.
  if (auto one = of->text(name)) return {*one};
  return {};
}

ExperimentConfig stored_experiment(const StoredRun& run, const std::string& result) {
  const std::string text = run.contents.root().text("config").value_or("");
  if (text.empty()) {
    throw DataError(result +
                    ": expected the experiment in the attribute config, got none; a stream is made "
                    "of the file that `gaia run` wrote");
  }
  ExperimentFile file = read_experiment_text(text, result, {});
  ExperimentConfig config;
  if (file.problems.empty()) config = read_config(file.root, file.problems).config;
  try {
    file.problems.throw_if_any();
  } catch (const ConfigError& error) {
    throw DataError(result + ": the experiment in it cannot be read:\n" + error.what());
  }
  return config;
}

/// What came with the rows of the training beside the channels.
void take_columns(LivePlan& plan) {
  const DataConfig& data = plan.config.data;
  if (const auto* const file = std::get_if<FileConfig>(&data.source)) {
    plan.targets = file->targets;
    plan.label = file->labels.ends_with(".npy") ? "label" : file->labels;
    if (file->trials.by == TrialsConfig::By::column) plan.trials = file->trials.column;
    if (file->trials.by == TrialsConfig::By::length) plan.trial_rows = file->trials.length;
  } else if (const auto* const generator = std::get_if<GeneratorConfig>(&data.source)) {
    plan.targets = generator->targets;
  }
  const std::vector<LevelConfig>& levels = plan.config.hierarchy().levels;
  for (std::size_t n = 0; n < levels.size(); ++n) {
    for (std::size_t m = 0; m < levels[n].layers.size(); ++m) {
      if (!plan.label_classes.empty() || !reads_labels(levels[n].layers[m])) continue;
      plan.label_classes =
          listed_texts(plan.run->contents, fmt::format("/levels/{}/layers/{}", n, m), "classes");
    }
  }
  plan.classes = plan.label_classes;
  for (const ReadoutConfig& readout : plan.config.readouts) {
    for (std::string& name :
         listed_texts(plan.run->contents, "/readouts/" + readout.name, "classes")) {
      const auto found = std::find(plan.classes.begin(), plan.classes.end(), name);
      if (found == plan.classes.end()) plan.classes.push_back(std::move(name));
    }
  }
  if (plan.label.empty() && !plan.classes.empty()) plan.label = "label";
}

/// Place of a target among the names that there are, by name or else by number.
std::optional<std::int64_t> place_of(const std::string& name,
                                     const std::vector<std::string>& known) {
  const auto found = std::find(known.begin(), known.end(), name);
  if (found != known.end()) return found - known.begin();
  const auto number = parse_integer(name);
  if (!number || *number < 0 || *number >= std::ssize(known)) return {};
  return number;
}

/// Layers that read what a readout says would read zeros, since levels come first in a stream.
void refuse_feedback(const HierarchyConfig& hierarchy, const AddProblem& add) {
  for (std::size_t n = 0; n < hierarchy.levels.size(); ++n) {
    const std::vector<LayerConfig>& layers = hierarchy.levels[n].layers;
    for (std::size_t m = 0; m < layers.size(); ++m) {
      const auto* const temporal = layers[m].kind.get_if<TemporalOptions>();
      if (temporal == nullptr || temporal->feedback.empty()) continue;
      add(fmt::format("hierarchy.levels[{}].layers[{}].feedback", n, m),
          "a stream feeds no readout back into a layer; use gaia apply on files of rows");
    }
  }
}

/// Finds what readouts are of, as check_targets does where data are open.
void find_targets(LivePlan& plan, const AddProblem& add) {
  std::vector<ReadoutConfig>& readouts = plan.config.readouts;
  for (std::size_t i = 0; i < readouts.size(); ++i) {
    ReadoutConfig& readout = readouts[i];
    ReadoutTarget& target = readout.target;
    readout.learn = !readout.kind->is_stored();
    target.indices.clear();
    readout.features.input_size = plan.features();
    if (readout.kind->fuses() || readout.task() == ReadoutTask::anomaly || target.is_label() ||
        target.of == ReadoutTarget::Of::latent) {
      continue;
    }
    const bool is_column = target.of == ReadoutTarget::Of::column;
    for (const std::string& name : target.names) {
      const auto place = place_of(name, is_column ? plan.targets : plan.channels);
      if (place) {
        target.indices.push_back(*place);
      } else {
        add(fmt::format("readouts[{}].target", i),
            fmt::format("the result has no {} '{}'", to_string(target.of), printable(name)));
      }
    }
  }
  for (ReadoutConfig& readout : readouts) {
    if (!readout.kind->fuses()) continue;
    for (const std::string& name : readout.kind->of()) {
      const auto found = std::find_if(readouts.begin(), readouts.end(),
                                      [&](const ReadoutConfig& one) { return one.name == name; });
      if (found == readouts.end()) {
        add("readouts", fmt::format("there is no readout '{}' to fuse", printable(name)));
        continue;
      }
      readout.fused.push_back(found - readouts.begin());
      readout.target = found->target;
      readout.levels.insert(readout.levels.end(), found->levels.begin(), found->levels.end());
    }
    std::sort(readout.levels.begin(), readout.levels.end());
    const auto end = std::unique(readout.levels.begin(), readout.levels.end());
    readout.levels.erase(end, readout.levels.end());
  }
}

std::string level_name(std::size_t level) { return fmt::format("level {}", level); }

/// Chooses what is shown.
void choose_outputs(LivePlan& plan, const StreamOptions& options) {
  const std::vector<ReadoutConfig>& readouts = plan.config.readouts;
  const std::size_t levels = plan.config.hierarchy().levels.size();
  std::vector<std::string> known;
  for (const ReadoutConfig& readout : readouts) {
    const bool hears_errors = !readout.predicts() && readout.kind->fuses();
    if (readout.teaches() && !hears_errors) known.push_back(readout.name);
  }
  plan.outputs = options.outputs.empty() ? known : options.outputs;
  if (plan.outputs.empty()) plan.outputs = {level_name(levels - 1)};
  for (std::size_t n = 0; n < levels; ++n) known.push_back(level_name(n));
  std::vector<bool> is_computed(readouts.size(), false);
  for (std::size_t k = 0; k < plan.outputs.size(); ++k) {
    const std::string& name = plan.outputs[k];
    if (std::find(plan.outputs.begin(), plan.outputs.begin() + static_cast<std::ptrdiff_t>(k),
                  name) != plan.outputs.begin() + static_cast<std::ptrdiff_t>(k)) {
      throw ConfigError(fmt::format("outputs: '{}' stands there twice", printable(name)));
    }
    const auto found = std::find_if(readouts.begin(), readouts.end(),
                                    [&](const ReadoutConfig& one) { return one.name == name; });
    if (found != readouts.end() && !found->teaches()) {
      throw ConfigError(
          fmt::format("outputs: readout '{}' of {} is of type {}, which has something to say of a "
                      "whole run and nothing of a row; known: {}",
                      name, printable(plan.result), found->kind->name(), join(known)));
    }
    if (found != readouts.end() && !found->predicts() && found->kind->fuses()) {
      throw ConfigError(
          fmt::format("outputs: readout '{}' of {} watches the errors of another, which a stream "
                      "does not keep; "
                      "gaia::PageHinkley and gaia::Adwin watch them in a program; known: {}",
                      name, printable(plan.result), join(known)));
    }
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw ConfigError(fmt::format("outputs: {} has no '{}'{}; known: {}", printable(plan.result),
                                    printable(name), did_you_mean(name, known), join(known)));
    }
    if (found == readouts.end()) continue;
    const auto place = static_cast<std::size_t>(found - readouts.begin());
    plan.readouts.push_back(place);
    is_computed[place] = true;
    for (const std::int64_t one : found->fused) is_computed[static_cast<std::size_t>(one)] = true;
  }
  for (const bool fuses : {false, true}) {
    for (std::size_t i = 0; i < readouts.size(); ++i) {
      if (is_computed[i] && readouts[i].kind->fuses() == fuses) plan.computed.push_back(i);
    }
  }
}

/// Settles what is no longer as it was while the run went on.
void settle_run(LivePlan& plan, const StreamOptions& options) {
  ExperimentConfig& config = plan.config;
  HierarchyConfig& hierarchy = *config.kind.get_if<HierarchyConfig>();
  // Row by row is how the definition goes.
  hierarchy.executor = Executor::stepwise;
  hierarchy.from = plan.result;
  config.output.representations = {Recording::What::all, 1};
  config.data.order = {};
  config.data.drift.clear();
  if (options.device) config.device = *options.device;
  if (!options.learn) {
    hierarchy.learn = false;
    return;
  }
  const bool learnt = hierarchy.learn;
  const bool learns = learnt && learning_end(hierarchy, plan.steps + 1) > plan.steps;
  if (learns) return;
  hierarchy.learn = false;
  plan.warnings.push_back(fmt::format(
      "the levels of {} did not learn at the end of its run ({}), and do not here; readouts that "
      "learn online do",
      printable(plan.result),
      !learnt ? "hierarchy.learn"
              : "hierarchy.freeze_after, hierarchy.layerwise or the end of hierarchy.schedule"));
}

/// Rows for which a target is waited for at most: what is waited for is held in memory.
constexpr std::int64_t kMostLate = 100000000;

void check_options(const LivePlan& plan, const StreamOptions& options) {
  if (options.late < 0 || options.late > kMostLate) {
    throw ConfigError(fmt::format("late: expected 0 to {} rows, got {}", kMostLate, options.late));
  }
  if (options.keep_every < 0) {
    throw ConfigError(
        fmt::format("keep_every: expected at least 0 rows, got {}", options.keep_every));
  }
  if (options.moments == StreamMoments::stored) return;
  if (!options.learn) {
    throw ConfigError(
        "moments: running moves the moments with every row, and nothing changes without learn; "
        "let the stream learn, or take stored");
  }
  if (!plan.config.data.is_measured()) {
    throw ConfigError(fmt::format(
        "moments: running goes on from the moments of {}, whose data.normalize is {}; take stored",
        printable(plan.result), to_string(plan.config.data.normalize)));
  }
}

}  // namespace

LivePlan plan_stream(const std::string& result, const StreamOptions& options) {
  std::error_code ignored;
  if (!fs::exists(result, ignored)) throw ConfigError(result + ": no such file");
  LivePlan plan;
  plan.result = result;
  plan.run = open_stored_run(result);
  const hdf5::Contents& contents = plan.run->contents;
  plan.config = stored_experiment(*plan.run, result);
  if (plan.config.kind.get_if<HierarchyConfig>() == nullptr) {
    throw ConfigError(fmt::format(
        "{}: is the result of {}; a stream is made of that of a hierarchy, which reads row by row",
        printable(result), plan.config.kind->title()));
  }
  plan.steps = contents.root().integer("steps_done").value_or(0);
  plan.channels = listed_texts(contents, "/data", "channel_names");
  if (plan.channels.empty()) {
    throw ConfigError(printable(result) +
                      ": was written by a gaia that did not store what is needed; run it again");
  }
  take_columns(plan);
  Problems problems(result, "");
  const AddProblem add = [&](const std::string& key, const std::string& message) {
    problems.add({}, key, message);
  };
  size_layers(plan.config.kind.get_if<HierarchyConfig>()->levels, plan.features());
  refuse_feedback(plan.config.hierarchy(), add);
  if (plan.config.data.spikes.is_on) {
    add("data.spikes",
        "a stream has one answer to a row, which becomes a trial of many; use gaia "
        "apply on files of rows");
  }
  find_targets(plan, add);
  problems.throw_if_any();
  check_weights(*plan.run, plan.config, plan.features(), add);
  problems.throw_if_any();
  choose_outputs(plan, options);
  for (const std::size_t i : plan.computed) {
    if (!plan.config.readouts[i].learn) check_readout(*plan.run, plan.config, i, add);
    const std::string why = why_not_live(plan, plan.config.readouts[i], options.learn);
    if (!why.empty()) add(fmt::format("readouts[{}]", i), why);
  }
  problems.throw_if_any();
  settle_run(plan, options);
  check_options(plan, options);
  return plan;
}

}  // namespace gaia
