// SPDX-License-Identifier: MIT
/// \file
/// gaia sweep: runs the many experiments that one file describes.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "../../src/core/error.h"
#include "../../src/core/log.h"
#include "../../src/experiment/sweep/member_index.h"
#include "../../src/io/output_files.h"
#include "commands.h"
#include "console.h"
#include "exit_codes.h"
#include "member_display.h"
#include "members.h"
#include "slurm.h"

namespace gaia::app {
namespace {

struct SweepArguments : MembersArguments {
  bool collect = false;
  bool slurm = false;
  bool dry_run = false;
};

int collect(const Sweep& sweep) {
  const CollectedMembers collected = collect_members(sweep);
  answer("{}files    {}\n         {}\n", best_text(collected.table, sweep), collected.index,
         collected.csv);
  return kDone;
}

int run_sweep(const Sweep& sweep, const SweepArguments& arguments) {
  const Shard shard = arguments.shard ? shard_from_text(*arguments.shard) : Shard{};
  const auto chosen = std::filesystem::file_time_type::clock::now();
  const MemberSurvey survey = survey_members(sweep, false);
  for (const std::string& warning : survey.warnings) log_warning(warning);
  if (!arguments.overwrite) refuse_others(sweep, survey);

  std::vector<std::int64_t> members;
  std::int64_t complete = 0;
  for (std::int64_t i = 0; i < sweep.size(); ++i) {
    if (!shard.has(i)) continue;
    const bool is_complete = survey.state_of(i) == MemberState::complete;
    complete += is_complete ? 1 : 0;
    if (!is_complete) members.push_back(i);
  }
  const Places places = places_for(arguments, survey, static_cast<std::int64_t>(members.size()));
  MemberDisplay display(sweep, progress_mode(arguments.execution), stderr);
  if (!arguments.execution.quiet) {
    tell(opening_text(sweep, shard, complete, static_cast<std::int64_t>(members.size()),
                      places.jobs, places.threads));
  }
  make_folder_of(sweep.folder() + "/index.h5");

  MemberRunOptions options = member_run_options("sweep", arguments, places, survey);
  options.chosen = chosen;
  MemberTelemetry telemetry(telemetry_of(arguments, survey), sweep);
  options.on_progress = [&](const MemberProgress& progress) {
    display.show(progress);
    telemetry.tell(progress);
  };
  const std::vector<MemberResult> results = run_members(sweep, members, options);
  display.finish();

  const MembersEnd end = end_of(results);
  telemetry.end(end.interrupted);
  tell(failures_text(sweep, results));
  if (!arguments.execution.quiet) tell(closing_text(sweep, end, complete));
  if (!arguments.shard && !end.interrupted) {
    try {
      const CollectedMembers collected = collect_members(sweep);
      if (!arguments.execution.quiet) {
        answer("{}files    {}\n         {}\n", best_text(collected.table, sweep), collected.index,
               collected.csv);
      }
    } catch (const LockedError&) {
      log_info("another process is collecting the results");
    }
  }
  return end.interrupted ? kInterrupted : end.failed > 0 ? kFailed : kDone;
}

int sweep(const SweepArguments& arguments, const std::string& command_line) {
  prepare_execution(arguments.execution);
  const Sweep sweep(arguments.file, arguments.overrides);
  if (!arguments.members.empty()) return run_members_here(sweep, arguments, command_line);
  if (arguments.collect) return collect(sweep);
  if (arguments.dry_run) {
    answer(csv_of(read_member_table(sweep), sweep));
    return kDone;
  }
  if (!arguments.slurm) return run_sweep(sweep, arguments);
  sweep.check([](std::int64_t, Experiment&) {});
  std::vector<std::string> command = command_of("sweep", arguments);
  command.insert(command.end(), {"--jobs", std::to_string(arguments.jobs)});
  answer(slurm_script(sweep.name(), std::min(sweep.size(), kMostTasks), arguments.jobs, command));
  return kDone;
}

}  // namespace

void add_sweep(CLI::App& app, Action& action, const std::string& command_line) {
  CLI::App* verb = app.add_subcommand("sweep", "Run the many experiments that one file describes");
  const auto arguments = std::make_shared<SweepArguments>();
  verb->add_option("FILE", arguments->file, "YAML file with `sweep`")->required();
  const MembersOptions shared = add_members_options(
      *verb, *arguments,
      "Of n processes this is number i, from 0: take members i, i + n ...; auto: as mpirun, srun "
      "or a Slurm array says");
  CLI::Option* collect = verb->add_flag(
      "--collect", arguments->collect,
      "Run nothing; put what there is into index.h5 and members.csv, and tell the best");
  CLI::Option* slurm =
      verb->add_flag("--slurm", arguments->slurm, "Run nothing; print a script for sbatch");
  CLI::Option* dry_run =
      verb->add_flag("--dry-run", arguments->dry_run, "Run nothing; list the members");
  add_execution_options(*verb, arguments->execution);
  add_telemetry_options(*verb, arguments->execution);
  // None is taken that would have no say.
  for (CLI::Option* instead : {collect, slurm, dry_run}) {
    for (CLI::Option* option : {shared.shard, shared.member, verb->get_option("--max-time")}) {
      instead->excludes(option);
    }
  }
  slurm->excludes(collect)->excludes(dry_run)->excludes(verb->get_option("--threads"));
  collect->excludes(dry_run)->excludes(shared.jobs)->excludes(shared.overwrite);
  dry_run->excludes(shared.jobs)->excludes(shared.overwrite);
  verb->callback([&action, arguments, command_line] {
    action = [arguments, command_line] { return sweep(*arguments, command_line); };
  });
}

}  // namespace gaia::app
