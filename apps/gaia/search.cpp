// SPDX-License-Identifier: MIT
/// \file
/// gaia search: looks for values of keys with which the runs of one file score best.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "../../src/core/error.h"
#include "../../src/core/log.h"
#include "../../src/core/text.h"
#include "../../src/experiment/sweep/members_together.h"
#include "../../src/experiment/sweep/search_results.h"
#include "../../src/io/output_files.h"
#include "commands.h"
#include "console.h"
#include "exit_codes.h"
#include "member_display.h"
#include "members.h"
#include "slurm.h"

namespace gaia::app {
namespace {

struct SearchArguments : MembersArguments {
  /// Values of the members, one after another; empty where they are run with the file's own.
  std::vector<double> values;
  /// With halving the rung that they are all run for; none: their runs are whole.
  std::optional<std::int64_t> rung;
  std::vector<std::int64_t> seeds;  ///< Seeds of these members; none: as their numbers say.
  bool slurm = false;
};

/// Runs the members of each generation, those of its own shard first.
class Generations {
 public:
  explicit Generations(const SearchArguments& arguments)
      : arguments_(arguments),
        shard_(arguments.shard ? shard_from_text(*arguments.shard) : Shard{}) {}

  /// Runs members as RunSearchMembers asks.
  std::optional<std::vector<std::int64_t>> operator()(const SearchMembers& members,
                                                      std::int64_t first) {
    const auto chosen = std::filesystem::file_time_type::clock::now();
    const MemberSurvey survey = survey_members(members, false, first);
    for (const std::string& warning : survey.warnings) {
      if (told_.insert(warning).second) log_warning(warning);
    }
    if (!arguments_.overwrite) refuse_others(members, survey);

    std::vector<std::int64_t> left;
    for (const bool is_own : {true, false}) {
      for (std::int64_t i = first; i < members.size(); ++i) {
        if (shard_.has(i) != is_own || survey.state_of(i) == MemberState::complete) continue;
        left.push_back(i);
      }
    }
    if (left.empty()) return std::vector<std::int64_t>();
    return run(members, left, survey, chosen);
  }

  /// The search is over.
  void end(bool interrupted) {
    if (telemetry_) telemetry_->end(interrupted);
  }

 private:
  std::optional<std::vector<std::int64_t>> run(const SearchMembers& members,
                                               const std::vector<std::int64_t>& left,
                                               const MemberSurvey& survey,
                                               std::filesystem::file_time_type chosen) {
    MembersArguments arguments = arguments_;
    if (auto& most = arguments.execution.max_seconds) {
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
      *most -= taken.count();
      if (*most <= 0.0) return std::nullopt;
    }
    const Places places = places_for(arguments, survey, std::ssize(left));
    MemberRunOptions options = member_run_options("search", arguments, places, survey);
    options.chosen = chosen;
    options.arguments = [&](const std::vector<std::int64_t>& some) {
      return words_of(members, some);
    };
    if (members.may_be_replicas()) {
      // Each process takes an equal share of those that are left.
      const std::int64_t each = (std::ssize(left) + places.jobs - 1) / places.jobs;
      options.together = std::min({each, places.together, kMostTogether});
    }
    const ProgressMode mode = progress_mode(arguments.execution);
    MemberDisplay display(members, mode == ProgressMode::bar ? mode : ProgressMode::none, stderr);
    if (telemetry_) {
      telemetry_->begin_more();
    } else {
      telemetry_.emplace(telemetry_of(arguments, survey), members);
    }
    options.on_progress = [&](const MemberProgress& progress) {
      display.show(progress);
      telemetry_->tell(progress);
    };
    make_folder_of(members.folder() + "/index.h5");
    const std::vector<MemberResult> results = run_members(members, left, options);
    display.finish();
    if (end_of(results).interrupted) return std::nullopt;

    std::vector<std::int64_t> diverged;
    for (const MemberResult& result : results) {
      if (result.outcome != MemberOutcome::failed) continue;
      if (result.code != kDiverged) {
        tell(failures_text(members, results));
        throw Error(fmt::format(
            "member {} failed, so the search stops; the same command goes on with it when the "
            "cause is mended",
            result.member));
      }
      diverged.push_back(result.member);
    }
    return diverged;
  }

  /// The values of their candidates, for the command that runs these members.
  static std::vector<std::string> words_of(const SearchMembers& members,
                                           const std::vector<std::int64_t>& some) {
    const auto are_own = [&](std::int64_t member) { return members.values_of(member).empty(); };
    std::string values;
    for (const std::int64_t member : some) {
      // The file's own are NaN beside others, so that each member has as many.
      std::vector<double> own(members.section().parameters.size(), std::nan(""));
      for (const double value : are_own(member) ? own : members.values_of(member)) {
        values += (values.empty() ? "--values=" : ",") +
                  (std::isnan(value) ? std::string("nan") : number_text(value));
      }
    }
    std::vector<std::string> words;
    if (!std::all_of(some.begin(), some.end(), are_own)) words.push_back(values);
    // Those that are run at a time are of one rung.
    if (const auto rung = members.rung_of(some.front())) {
      words.push_back(fmt::format("--rung={}", *rung));
    }
    std::string seeds;
    for (const std::int64_t member : some) {
      seeds += (seeds.empty() ? "--seeds=" : ",") + std::to_string(members.seed_of(member));
    }
    const bool are_usual = std::all_of(some.begin(), some.end(), [&](std::int64_t member) {
      return members.seed_of(member) == members.first_seed() + member % members.section().seeds;
    });
    if (!are_usual) words.push_back(seeds);
    return words;
  }

  const SearchArguments& arguments_;
  Shard shard_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::set<std::string> told_;
  std::optional<MemberTelemetry> telemetry_;
};

std::string opening_of_search(const SearchMembers& members) {
  const SearchSection& section = members.section();
  std::string keys;
  for (const SearchScale& one : section.parameters) {
    keys += (keys.empty() ? "" : ", ") + one.scale.name;
  }
  std::string goals;
  for (const SearchObjective& one : section.objectives) {
    goals += fmt::format("{}{} {}", goals.empty() ? "" : ", ", one.is_minimised ? "small" : "large",
                         one.meaning());
  }
  const char* const method = section.halving                          ? "halving random search"
                             : section.method == SearchMethod::random ? "random search"
                             : section.has_front()                    ? "MO-CMA-ES"
                                                                      : "CMA-ES";
  std::string text = fmt::format(
      "search   {}  {} candidates by {} over {}\n"
      "for      {}, mean of {} seed{} each\n",
      members.path(), section.evaluations, method, keys, goals, section.seeds,
      section.seeds == 1 ? "" : "s");
  text += members.own_values() ? "beside   the file's own values"
                               : "beside   nothing of the file's own: it leaves a key out";
  if (section.has_random_control) text += ", and as many candidates at random";
  if (section.held_out_seeds > 0) {
    text +=
        fmt::format("\njudged   at the end with {} other seeds",
                    (section.held_out_seeds + section.seeds - 1) / section.seeds * section.seeds);
  }
  return text + "\n";
}

std::string generation_text(const SearchProgress& progress) {
  std::string front;
  if (progress.on_front > 0) {
    front = fmt::format("  {} on the front", progress.on_front);
    if (!std::isnan(progress.hypervolume)) {
      front += fmt::format(", hypervolume {:.6g}", progress.hypervolume);
    }
  }
  const std::string head =
      progress.kind == CandidateKind::at_random
          ? std::string("at random")
          : fmt::format("{} {:>3}", progress.is_rung ? "rung" : "generation", progress.generation);
  return fmt::format("{}  {} candidates in all  best {:.4f}{}\n", head, progress.candidates,
                     progress.best, front);
}

int run_search_here(SearchMembers& members, const SearchArguments& arguments) {
  {
    SearchMembers ends = members;
    ends.set_ends();
    ends.check([](std::int64_t, Experiment&) {});
  }
  const bool tells = !arguments.execution.quiet;
  if (tells) tell(opening_of_search(members));
  const bool tells_generations = progress_mode(arguments.execution) != ProgressMode::none;
  Generations generations(arguments);
  const SearchSummary summary =
      run_search(members, std::ref(generations), [&](const SearchProgress& progress) {
        if (tells_generations) tell(generation_text(progress));
      });
  generations.end(summary.interrupted);
  if (summary.interrupted) {
    if (tells) {
      tell(fmt::format("stopped  after {} candidates; the same command goes on\n",
                       summary.candidates.size()));
    }
    return kInterrupted;
  }
  try {
    const CollectedSearch collected = collect_search(members, summary);
    std::string others;
    for (const std::string& path : collected.best_by) others += "         " + path + "\n";
    answer("{}ended    {}\nfiles    {}\n{}         {}\n         {}\n         {}\n",
           search_text(members, summary), summary.why_stopped, collected.best, others,
           collected.history, collected.members.index, collected.members.csv);
  } catch (const LockedError&) {
    log_info("another process is collecting the results");
  }
  return summary.best ? kDone : kDiverged;
}

/// Gives the candidates that the named members are of their values.
void set_values(SearchMembers& members, const SearchArguments& arguments) {
  if (!arguments.seeds.empty() && arguments.seeds.size() != arguments.members.size()) {
    throw ArgumentError(fmt::format("--seeds: expected one for each of {} members, got {}",
                                    arguments.members.size(), arguments.seeds.size()));
  }
  const auto& halving = members.section().halving;
  if (arguments.rung &&
      (!halving || *arguments.rung < 0 || *arguments.rung >= halving->options.rungs)) {
    throw ArgumentError(fmt::format("--rung: expected a rung of search.halving, got {}{}",
                                    *arguments.rung, halving ? "" : ", and there is no halving"));
  }
  const std::size_t each = arguments.values.size() / arguments.members.size();
  if (each * arguments.members.size() != arguments.values.size()) {
    throw ArgumentError(fmt::format("--values: expected as many for each of {} members, got {}",
                                    arguments.members.size(), arguments.values.size()));
  }
  for (std::size_t i = 0; i < arguments.members.size(); ++i) {
    const auto first = arguments.values.begin() + static_cast<std::ptrdiff_t>(i * each);
    std::vector<double> values(first, first + static_cast<std::ptrdiff_t>(each));
    if (each > 0 &&
        std::all_of(values.begin(), values.end(), [](double value) { return std::isnan(value); })) {
      values.clear();
    }
    const std::int64_t seeds = members.section().seeds;
    const std::int64_t number = arguments.members[i];
    const std::int64_t usual = members.first_seed() + number % seeds;
    members.set(number / seeds, std::move(values),
                arguments.seeds.empty() ? 0 : arguments.seeds[i] - usual, arguments.rung);
  }
}

int search(const SearchArguments& arguments, const std::string& command_line) {
  prepare_execution(arguments.execution);
  SearchMembers members(arguments.file, arguments.overrides);
  if (!arguments.members.empty()) {
    set_values(members, arguments);
    return run_members_here(members, arguments, command_line);
  }
  if (!arguments.slurm) return run_search_here(members, arguments);
  const SearchSection& section = members.section();
  const auto candidates = section.has_front()
                              ? FrontSearch(section.space(), members.front_options()).ask().size()
                              : Search(section.space(), members.options()).ask().size();
  const std::int64_t generation = static_cast<std::int64_t>(candidates) * section.seeds;
  std::vector<std::string> command = command_of("search", arguments);
  command.insert(command.end(), {"--jobs", std::to_string(arguments.jobs)});
  answer(slurm_script(members.name(), std::min<std::int64_t>(generation, kMostTasks),
                      arguments.jobs, command));
  return kDone;
}

}  // namespace

void add_search(CLI::App& app, Action& action, const std::string& command_line) {
  CLI::App* verb = app.add_subcommand(
      "search", "Search for values of an experiment's keys with which a readout scores best");
  const auto arguments = std::make_shared<SearchArguments>();
  verb->add_option("FILE", arguments->file, "YAML file with `search`")->required();
  const MembersOptions shared = add_members_options(
      *verb, *arguments,
      "Of n processes this is number i, from 0: begin with members i, i + n ... of each "
      "generation; auto: as mpirun, srun or a Slurm array says");
  verb->add_option(
          "--values", arguments->values,
          "With --member: the values of its candidate, in the order of the parameters, "
          "for several members one after another; without, or where they are nan, the file's own")
      ->delimiter(',')
      ->needs(shared.member);
  verb->add_option(
          "--seeds", arguments->seeds,
          "With --member: the seed of each of them; without, those by which candidates are "
          "chosen")
      ->delimiter(',')
      ->needs(shared.member);
  verb->add_option("--rung", arguments->rung,
                   "With --member: the rung that they are run for, from 0; without, their runs are "
                   "whole")
      ->needs(shared.member);
  CLI::Option* slurm =
      verb->add_flag("--slurm", arguments->slurm, "Run nothing; print a script for sbatch");
  add_execution_options(*verb, arguments->execution);
  add_telemetry_options(*verb, arguments->execution);
  for (CLI::Option* option : {shared.shard, shared.member, verb->get_option("--max-time"),
                              verb->get_option("--threads")}) {
    slurm->excludes(option);
  }
  verb->callback([&action, arguments, command_line] {
    action = [arguments, command_line] { return search(*arguments, command_line); };
  });
}

}  // namespace gaia::app
