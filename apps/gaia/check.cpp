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
#include "../../src/experiment/run/needs.h"
#include "../../src/experiment/run/placement.h"
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
  const std::int64_t own = members.own_values() ? section.seeds : 0;
  const std::int64_t runs = section.searched_runs() + own;
  members.set_ends();
  const MemberSurvey survey = survey_members(members, true);
  for (const std::string& warning : survey.warnings) log_warning(warning);
  const double whole_runs = section.whole_runs() + static_cast<double>(own);
  const double seconds = survey.seconds * whole_runs / static_cast<double>(members.size());
  const Experiment first = members.load(0);
  std::vector<std::string> keys;
  for (const SearchScale& one : section.parameters) keys.push_back(one.scale.name);
  if (!arguments.json) {
    std::vector<std::string> goals;
    for (const SearchObjective& one : section.objectives) goals.push_back(one.meaning());
    std::string text = fmt::format("search   {} for {}\n", join(keys), join(goals));
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
    const ExperimentKind& kind = *experiment.config.kind;
    const CheckedExperiment checked = kind.check(experiment, true);
    for (const std::string& shortage : checked.shortages) log_warning(shortage);
    for (const std::string& line : checked.rates) log_info(line);
    for (const std::string& warning : checked.warnings) log_warning(warning);
    if (arguments.json) {
      nlohmann::ordered_json one = {{"file", file}, {"config", to_yaml(experiment.config)}};
      for (const auto& [name, value] : checked.fields) one[name] = as_json(value);
      results.push_back(std::move(one));
    } else {
      answer("# {}: can be run; with every default written out:\n{}\n{}", file,
             to_yaml(experiment.config), checked.text);
    }
    if (arguments.explain) answer("{}", kind.explain_device(experiment));
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
