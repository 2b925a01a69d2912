// SPDX-License-Identifier: MIT
/// \file
/// gaia check: tells whether experiments can run, and what they will need.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "../../src/core/log.h"
#include "../../src/core/names.h"
#include "../../src/core/text.h"
#include "../../src/experiment/config/config_writer.h"
#include "../../src/experiment/run/estimate.h"
#include "../../src/experiment/run/placement.h"
#include "../../src/experiment/run/rates.h"
#include "../../src/experiment/run/summary.h"
#include "../../src/experiment/sweep/member_survey.h"
#include "../../src/experiment/sweep/search_members.h"
#include "commands.h"
#include "console.h"
#include "exit_codes.h"
#include "experiment_options.h"

namespace gaia::app {
namespace {

struct CheckArguments {
  std::vector<std::string> files;
  Overrides overrides;
  bool json = false;
  bool explain = false;
};

nlohmann::ordered_json as_json(const Experiment& experiment, const Estimate& estimate) {
  nlohmann::ordered_json levels = nlohmann::ordered_json::array();
  for (const LevelEstimate& level : estimate.levels) {
    levels.push_back({{"temporal_resolution", level.temporal_resolution},
                      {"input_size", level.input_size},
                      {"output_size", level.output_size},
                      {"ticks", level.ticks},
                      {"weights", level.weights}});
  }
  nlohmann::ordered_json rules = nlohmann::ordered_json::array();
  for (const RuleEstimate& rule : estimate.rules) {
    nlohmann::ordered_json one = {{"layer", rule.layer}, {"rule", rule.rule}};
    for (const auto& [name, value] : rule.execution.attributes()) one[name] = value;
    rules.push_back(std::move(one));
  }
  return {{"file", experiment.file},
          {"config", to_yaml(experiment.config)},
          {"steps", experiment.steps},
          {"features", experiment.features()},
          {"device", estimate.device},
          {"levels", levels},
          {"rules", rules},
          {"memory_bytes", estimate.memory_bytes},
          {"disk_bytes", estimate.disk_bytes},
          {"seconds", estimate.seconds},
          {"warnings", experiment.warnings}};
}

void check_sweep(const std::string& file, const CheckArguments& arguments,
                 nlohmann::ordered_json& results) {
  const Sweep sweep(file, arguments.overrides);
  const MemberSurvey survey = survey_members(sweep, true);
  for (const std::string& warning : survey.warnings) log_warning(warning);
  const std::int64_t complete = survey.count(MemberState::complete);
  if (!arguments.json) {
    const Experiment first = sweep.load(0);
    answer("# {}: can be run; {} members, of which the first is:\n{}\n{}", file, sweep.size(),
           to_yaml(first.config), survey_text(sweep, survey));
    if (arguments.explain) answer("{}", explain_device(first));
    return;
  }
  results.push_back({{"file", file},
                     {"config", to_yaml(sweep.load(0).config)},
                     {"members", sweep.size()},
                     {"complete", complete},
                     {"varied", sweep.keys()},
                     {"memory_bytes", survey.memory_bytes},
                     {"disk_bytes", survey.disk_bytes},
                     {"seconds", survey.seconds},
                     {"warnings", survey.warnings}});
}

/// What it will try is checked at the ends of its ranges.
void check_search(const std::string& file, const CheckArguments& arguments,
                  nlohmann::ordered_json& results) {
  SearchMembers members(file, arguments.overrides);
  const SearchSection& section = members.section();
  const std::int64_t searched = section.evaluations * (section.has_random_control ? 2 : 1);
  const std::int64_t runs = (searched + (members.own_values() ? 1 : 0)) * section.seeds;
  members.set_ends();
  const MemberSurvey survey = survey_members(members, true);
  for (const std::string& warning : survey.warnings) log_warning(warning);
  const double seconds =
      survey.seconds * static_cast<double>(runs) / static_cast<double>(members.size());
  const Experiment first = members.load(0);
  std::vector<std::string> keys;
  for (const SearchScale& one : section.parameters) keys.push_back(one.scale.name);
  if (!arguments.json) {
    std::string text = fmt::format("search   {} for validation {} of readout {}\n", join(keys),
                                   section.score, section.readout);
    text +=
        fmt::format("runs     about {}, {} seed{} for each candidate; results in {}\n",
                    grouped(runs), section.seeds, section.seeds == 1 ? "" : "s", members.folder());
    text += fmt::format("memory   about {} for the largest of those that were looked at\n",
                        bytes_text(survey.memory_bytes));
    if (seconds > 0.0) {
      text += fmt::format("time     about {}, one after the other\n", duration_text(seconds));
    }
    answer("# {}: can be run; with all that is searched at its least value:\n{}\n{}", file,
           to_yaml(first.config), text);
    if (arguments.explain) answer("{}", explain_device(first));
    return;
  }
  results.push_back({{"file", file},
                     {"config", to_yaml(first.config)},
                     {"runs", runs},
                     {"searched", keys},
                     {"memory_bytes", survey.memory_bytes},
                     {"seconds", seconds},
                     {"warnings", survey.warnings}});
}

void check_agent(const Experiment& experiment, const CheckArguments& arguments,
                 nlohmann::ordered_json& results) {
  const AgentEstimate estimate = estimate_agent(experiment, true);
  for (const std::string& shortage : shortages(experiment, estimate)) log_warning(shortage);
  if (arguments.json) {
    results.push_back({{"file", experiment.file},
                       {"config", to_yaml(experiment.config)},
                       {"steps", estimate.steps},
                       {"policies", estimate.policies},
                       {"memory_bytes", estimate.memory_bytes},
                       {"disk_bytes", estimate.disk_bytes},
                       {"seconds", estimate.seconds},
                       {"warnings", experiment.warnings}});
    return;
  }
  answer("# {}: can be run; with every default written out:\n{}\n{}", experiment.file,
         to_yaml(experiment.config), estimate_text(experiment, estimate));
  if (arguments.explain) answer("device: cpu, where discrete agents compute\n");
}

/// One file; the worst that can be said of it is its exit code.
int check_file(const std::string& file, const CheckArguments& arguments,
               nlohmann::ordered_json& results) {
  try {
    const std::string many = section_of_many(file, arguments.overrides);
    if (many == "sweep") check_sweep(file, arguments, results);
    if (many == "search") check_search(file, arguments, results);
    if (!many.empty()) return kDone;
    Experiment experiment = load_experiment(file, arguments.overrides);
    for (const std::string& warning : experiment.warnings) log_warning(warning);
    if (experiment.config.network) {
      if (arguments.json) {
        results.push_back({{"file", file}, {"config", to_yaml(experiment.config)}});
      } else {
        answer("# {}: can be run; with every default written out:\n{}\n{}", file,
               to_yaml(experiment.config), network_text(experiment));
      }
      if (arguments.explain) answer("{}", explain_device(experiment));
      return kDone;
    }
    if (experiment.config.agent) {
      check_agent(experiment, arguments, results);
      return kDone;
    }
    const Estimate estimate = estimate_run(experiment, true);
    for (const std::string& shortage : shortages(experiment, estimate)) log_warning(shortage);
    const std::vector<LayerRate> rates = measure_rates(experiment);
    for (const std::string& line : automatic_rates_text(rates)) log_info(line);
    for (const std::string& warning : rate_warnings(rates, experiment)) {
      experiment.warnings.push_back(warning);
      log_warning(warning);
    }
    if (arguments.json) {
      results.push_back(as_json(experiment, estimate));
    } else {
      answer("# {}: can be run; with every default written out:\n{}\n{}", file,
             to_yaml(experiment.config), estimate_text(experiment, estimate));
    }
    if (arguments.explain) answer("{}", explain_device(experiment));
    return kDone;
  } catch (...) {
    return report_exception();
  }
}

int check(const CheckArguments& arguments) {
  int code = kDone;
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const std::string& file : arguments.files) {
    code = std::max(code, check_file(file, arguments, results));
  }
  if (arguments.json) answer(json_text(results));
  return code;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand(
      "check", "Check experiments without running them; tell sizes, memory, disk and time");
  const auto arguments = std::make_shared<CheckArguments>();
  verb->add_option("FILE", arguments->files, "YAML files")->required();
  add_overrides(*verb, arguments->overrides);
  CLI::Option* json = verb->add_flag("--json", arguments->json, "Print JSON");
  verb->add_flag("--explain", arguments->explain,
                 "Try the experiment on each device; show what was timed there, how long it would "
                 "take, and what 'device: auto' makes of it")
      ->excludes(json);
  verb->callback([&action, arguments] { action = [arguments] { return check(*arguments); }; });
}

}  // namespace gaia::app
