// SPDX-License-Identifier: MIT
/// \file
/// gaia sweep: runs the many experiments that one file describes.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>

#include "../../src/core/error.h"
#include "../../src/core/log.h"
#include "../../src/core/parallel.h"
#include "../../src/core/text.h"
#include "../../src/experiment/sweep/sweep_index.h"
#include "../../src/experiment/sweep/sweep_survey.h"
#include "../../src/io/output_files.h"
#include "commands.h"
#include "console.h"
#include "execution.h"
#include "exit_codes.h"
#include "experiment_options.h"
#include "signals.h"
#include "slurm.h"
#include "sweep_display.h"
#include "this_program.h"

namespace gaia::app {
namespace {

/// More tasks than many a cluster allows in an array are not asked for.
constexpr std::int64_t kMostTasks = 1000;

struct SweepArguments {
  std::string file;
  Overrides overrides;
  std::int64_t jobs = 1;
  std::optional<std::string> shard;
  std::optional<std::int64_t> member;
  bool overwrite = false;
  bool collect = false;
  bool slurm = false;
  bool dry_run = false;
  ExecutionArguments execution;
};

std::atomic<int> g_signals{0};
std::atomic<bool> g_members_checkpoint{false};

/// The first signal asks the members to stop, the second kills them.
extern "C" void on_stop_sweep(int /*signal*/) { ++g_signals; }

extern "C" void on_checkpoint_sweep(int /*signal*/) { g_members_checkpoint = true; }

/// The command as it was given, but for how members are dealt and told of.
std::vector<std::string> command_of(const SweepArguments& arguments) {
  std::vector<std::string> words = {this_program(), "sweep", arguments.file};
  const auto add = [&](const char* option, const std::optional<std::string>& value) {
    if (value) words.insert(words.end(), {option, *value});
  };
  for (const std::string& setting : arguments.overrides.set) add("--set", setting);
  add("--device", arguments.overrides.device);
  add("--seed", arguments.overrides.seed);
  add("--output", arguments.overrides.output);
  if (arguments.overwrite) words.emplace_back("--overwrite");
  return words;
}

/// Whether a result of another configuration would be lost.
bool is_other(MemberState state) {
  return state == MemberState::other || state == MemberState::replacing;
}

/// What is replaced may be of the same configuration, but of other data.
std::string other_text(bool some_are_replaced) {
  return some_are_replaced ? "of another configuration or of other data"
                           : "of another configuration";
}

bool is_damaged(MemberState state) { return state == MemberState::damaged; }

bool is_changed(MemberState state) { return state == MemberState::changed; }

bool needs_overwrite(MemberState state) {
  return is_other(state) || is_changed(state) || is_damaged(state);
}

[[noreturn]] void refuse_damaged(const std::string& path) {
  throw OutputError(path +
                    " cannot be read: it is damaged, or no results file; `gaia inspect` tells why. "
                    "Use --overwrite to run the member anew, or move the file away");
}

/// `what` is of data that are no longer what they were.
[[noreturn]] void refuse_changed(const std::string& what, const std::string& change) {
  throw OutputError(what + " of data that have changed since: " + change +
                    "; put them back, use --overwrite to run anew, or --output for another folder");
}

/// Goes on with a member that was cut; nothing where it has no checkpoint, and so begins anew.
std::optional<int> go_on(const Experiment& experiment, MemberState state,
                         const ExecutionArguments& execution) {
  if (state != MemberState::unfinished && state != MemberState::replacing) return std::nullopt;
  std::optional<Resumption> cut;
  try {
    cut = open_cut_run(experiment.config.output.path);
  } catch (const OutputError& error) {
    log_debug(error.what());
    return std::nullopt;
  }
  if (!cut) {
    // Completed meanwhile, or about to be begun anew by another process, which holds its lock.
    if (MemberStates().of(experiment) == MemberState::complete) return kDone;
    return std::nullopt;
  }
  cut->experiment.warnings.clear();
  return execute(cut->experiment, execution, {.cut = &cut->run});
}

/// One member, in this process.
int run_member(const SweepArguments& arguments, const std::string& command_line) {
  end_with_parent();
  const Sweep sweep(arguments.file, arguments.overrides);
  Experiment experiment = sweep.load(*arguments.member);
  // A sweep that runs it has told them.
  if (arguments.execution.quiet) experiment.warnings.clear();
  MemberStates states;
  const MemberState state = states.of(experiment);
  if (state == MemberState::complete) return kDone;
  if (needs_overwrite(state) && !arguments.overwrite) {
    const std::string& path = experiment.config.output.path;
    if (is_damaged(state)) refuse_damaged(path);
    if (is_changed(state)) refuse_changed(path + " is", states.first_change());
    throw OutputError(path + " is " + other_text(state == MemberState::replacing) +
                      "; use --overwrite to replace it, or --output for another folder");
  }
  ExecutionArguments execution = arguments.execution;
  execution.is_patient = true;
  try {
    if (const auto code = go_on(experiment, state, execution)) return *code;
    return execute(experiment, execution,
                   {.overwrite = state != MemberState::missing, .command_line = command_line});
  } catch (const OutputError&) {
    // Another process may have completed it while this one began.
    if (MemberStates().of(experiment) == MemberState::complete) return kDone;
    throw;
  }
}

void refuse_others(const Sweep& sweep, const SweepSurvey& survey) {
  const auto first = [&](bool (*is_one)(MemberState)) {
    const auto found = std::find_if(survey.states.begin(), survey.states.end(), is_one);
    return sweep.result_path(found - survey.states.begin());
  };
  const auto others = std::count_if(survey.states.begin(), survey.states.end(), is_other);
  if (others > 0) {
    throw OutputError(fmt::format(
        "{} holds {} result{} {}, {} the first; use --overwrite to replace them, or --output for "
        "another folder",
        sweep.folder(), others, others == 1 ? "" : "s",
        other_text(survey.count(MemberState::replacing) > 0), first(is_other)));
  }
  if (const std::int64_t changed = survey.count(MemberState::changed); changed > 0) {
    refuse_changed(fmt::format("{} holds {} result{}, {} the first,", sweep.folder(), changed,
                               changed == 1 ? "" : "s", first(is_changed)),
                   survey.first_change);
  }
  if (survey.count(MemberState::damaged) > 0) refuse_damaged(first(is_damaged));
}

int collect(const Sweep& sweep) {
  const CollectedSweep collected = collect_sweep(sweep);
  answer("{}files    {}\n         {}\n", best_text(collected.table, sweep), collected.index,
         collected.csv);
  return kDone;
}

/// How many run at a time, and with what.
struct Places {
  std::int64_t jobs = 1;
  int threads = 1;
  std::vector<ChildProcesses::Environment> environments;
};

Places places_for(const SweepArguments& arguments, const SweepSurvey& survey,
                  std::int64_t members) {
  std::vector<double> free;
  if (survey.may_use_gpu && why_no_cuda().empty()) {
    for (const Device device : available_devices()) {
      if (!device.is_cpu()) free.push_back(static_cast<double>(device_info(device).free_memory));
    }
  }
  const std::vector<std::int64_t> room = room_on_gpus(survey.memory_bytes, free);
  Places places;
  const std::int64_t wanted =
      std::clamp<std::int64_t>(arguments.jobs, 1, std::max<std::int64_t>(1, members));
  places.jobs = jobs_that_fit(wanted, survey.memory_bytes, room);
  if (places.jobs < wanted) {
    log_warning(
        fmt::format("only {} of {} jobs at a time: a member (the largest is {}) needs about "
                    "{}, and memory has no room for more",
                    places.jobs, wanted, survey.largest, bytes_text(survey.memory_bytes)));
  }
  places.threads = std::max(1, num_threads() / static_cast<int>(places.jobs));
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!survey.names_gpu) {
    places.environments = gpu_environments(places.jobs, room, visible == nullptr ? "" : visible);
  }
  return places;
}

int run_sweep(const Sweep& sweep, const SweepArguments& arguments) {
  const Shard shard = arguments.shard ? shard_from_text(*arguments.shard) : Shard{};
  const auto chosen = std::filesystem::file_time_type::clock::now();
  const SweepSurvey survey = survey_sweep(sweep, false);
  for (const std::string& warning : survey.warnings) log_warning(warning);
  if (!arguments.overwrite) refuse_others(sweep, survey);

  std::vector<std::int64_t> members;
  std::int64_t complete = 0;
  for (std::int64_t i = 0; i < sweep.size(); ++i) {
    if (!shard.has(i)) continue;
    const bool is_complete = survey.states[static_cast<std::size_t>(i)] == MemberState::complete;
    complete += is_complete ? 1 : 0;
    if (!is_complete) members.push_back(i);
  }
  const Places places = places_for(arguments, survey, static_cast<std::int64_t>(members.size()));
  SweepDisplay display(sweep, progress_mode(arguments.execution), stderr);
  if (!arguments.execution.quiet) {
    tell(opening_text(sweep, shard, complete, static_cast<std::int64_t>(members.size()),
                      places.jobs, places.threads));
  }
  make_folder_of(sweep.folder() + "/index.h5");

  SweepRunOptions options{.jobs = places.jobs, .chosen = chosen, .command = command_of(arguments)};
  for (const std::string& word : {std::string("--threads"), std::to_string(places.threads),
                                  std::string("--quiet"), std::string("--member")}) {
    options.command.push_back(word);
  }
  options.environments = places.environments;
  options.signals = &g_signals;
  options.checkpoint = &g_members_checkpoint;
  handle_signals(on_stop_sweep, on_checkpoint_sweep);
  options.max_seconds = arguments.execution.max_seconds;
  options.on_progress = [&](const SweepProgress& progress) { display.show(progress); };
  const std::vector<MemberResult> results = run_members(sweep, members, options);
  display.finish();

  const SweepEnd end = end_of(results);
  tell(failures_text(sweep, results));
  if (!arguments.execution.quiet) tell(closing_text(sweep, end, complete));
  if (!arguments.shard && !end.interrupted) {
    try {
      const CollectedSweep collected = collect_sweep(sweep);
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
  if (arguments.member) return run_member(arguments, command_line);
  const Sweep sweep(arguments.file, arguments.overrides);
  if (arguments.collect) return collect(sweep);
  if (arguments.dry_run) {
    answer(csv_of(read_sweep_table(sweep), sweep));
    return kDone;
  }
  if (!arguments.slurm) return run_sweep(sweep, arguments);
  sweep.check([](std::int64_t, Experiment&) {});
  std::vector<std::string> command = command_of(arguments);
  command.insert(command.end(), {"--jobs", std::to_string(arguments.jobs)});
  answer(slurm_script(sweep.name(), std::min(sweep.size(), kMostTasks), arguments.jobs, command));
  return kDone;
}

}  // namespace

void add_sweep(CLI::App& app, Action& action, const std::string& command_line) {
  CLI::App* verb = app.add_subcommand("sweep", "Run the many experiments that one file describes");
  const auto arguments = std::make_shared<SweepArguments>();
  verb->add_option("FILE", arguments->file, "YAML file with `sweep`")->required();
  add_overrides(*verb, arguments->overrides);
  verb->get_option("--output")->description("Folder of the results");
  CLI::Option* jobs = verb->add_option("--jobs", arguments->jobs, "How many members run at a time")
                          ->check(CLI::Range(1, 1024));
  CLI::Option* shard =
      verb->add_option("--shard", arguments->shard,
                       "Of n processes this is number i, from 0: take members i, i + n ...; auto: "
                       "as mpirun, srun or a Slurm array says")
          ->type_name("i/n|auto");
  CLI::Option* member =
      verb->add_option("--member", arguments->member, "Only this member, in this process")
          ->check(at_least(0))
          ->excludes(shard);
  CLI::Option* overwrite =
      verb->add_flag("--overwrite", arguments->overwrite,
                     "Replace results of another configuration or of other data");
  CLI::Option* collect = verb->add_flag(
      "--collect", arguments->collect,
      "Run nothing; put what there is into index.h5 and members.csv, and tell the best");
  CLI::Option* slurm =
      verb->add_flag("--slurm", arguments->slurm, "Run nothing; print a script for sbatch");
  CLI::Option* dry_run =
      verb->add_flag("--dry-run", arguments->dry_run, "Run nothing; list the members");
  add_execution_options(*verb, arguments->execution);
  // None is taken that would have no say.
  member->excludes(jobs);
  for (CLI::Option* instead : {collect, slurm, dry_run}) {
    for (CLI::Option* option : {shard, member, verb->get_option("--max-time")}) {
      instead->excludes(option);
    }
  }
  slurm->excludes(collect)->excludes(dry_run)->excludes(verb->get_option("--threads"));
  collect->excludes(dry_run)->excludes(jobs)->excludes(overwrite);
  dry_run->excludes(jobs)->excludes(overwrite);
  verb->callback([&action, arguments, command_line] {
    action = [arguments, command_line] { return sweep(*arguments, command_line); };
  });
}

}  // namespace gaia::app
