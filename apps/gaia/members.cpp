// SPDX-License-Identifier: MIT
#include "members.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>

#include "../../src/array/device.h"
#include "../../src/core/error.h"
#include "../../src/core/log.h"
#include "../../src/core/parallel.h"
#include "../../src/core/platform.h"
#include "../../src/core/text.h"
#include "../../src/experiment/sweep/member_places.h"
#include "../../src/experiment/sweep/member_state.h"
#include "../../src/experiment/sweep/members_together.h"
#include "console.h"
#include "exit_codes.h"
#include "experiment_options.h"
#include "signals.h"

namespace gaia::app {
namespace {

std::atomic<int> g_signals{0};
std::atomic<bool> g_members_checkpoint{false};

/// The first signal asks the members to stop, the second kills them.
extern "C" void on_stop_members(int /*signal*/) { ++g_signals; }

extern "C" void on_checkpoint_members(int /*signal*/) { g_members_checkpoint = true; }

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

int run_together(const Members& members, const MembersArguments& arguments,
                 const std::string& command_line) {
  const RunOptions options = options_of_run(arguments.execution, command_line);
  bool is_interrupted = false;
  for (const MemberRun& run : run_members_together(members, arguments.members, options)) {
    if (run.outcome.summary) {
      is_interrupted |= run.outcome.summary->status == RunStatus::interrupted;
      continue;
    }
    try {
      std::rethrow_exception(run.outcome.error);
    } catch (const std::exception& error) {
      tell(fmt::format("member {}: {}\n", run.member, error.what()));
    }
  }
  return is_interrupted ? kInterrupted : kDone;
}

}  // namespace

MembersOptions add_members_options(CLI::App& verb, MembersArguments& arguments,
                                   const std::string& shard_help) {
  add_overrides(verb, arguments.overrides);
  verb.get_option("--output")->description("Folder of the results");
  MembersOptions options{};
  options.jobs = verb.add_option("--jobs", arguments.jobs, "How many members run at a time")
                     ->check(CLI::Range(1, 1024));
  options.shard = verb.add_option("--shard", arguments.shard, shard_help)->type_name("i/n|auto");
  options.member =
      verb.add_option("--member", arguments.members,
                      "Only this member, in this process; several, as 3,4,5, run together")
          ->delimiter(',')
          ->check(at_least(0))
          ->excludes(options.shard)
          ->excludes(options.jobs);
  options.overwrite = verb.add_flag("--overwrite", arguments.overwrite,
                                    "Replace results of another configuration or of other data");
  return options;
}

std::vector<std::string> command_of(const char* verb, const MembersArguments& arguments) {
  std::vector<std::string> words = {platform::program_path(), verb, arguments.file};
  const auto add = [&](const char* option, const std::optional<std::string>& value) {
    if (value) words.insert(words.end(), {option, *value});
  };
  for (const std::string& setting : arguments.overrides.set) add("--set", setting);
  add("--device", arguments.overrides.device);
  add("--seed", arguments.overrides.seed);
  add("--output", arguments.overrides.output);
  if (arguments.overwrite) words.emplace_back("--overwrite");
  if (const std::string& file = arguments.execution.telemetry.file; !file.empty()) {
    words.insert(words.end(), {"--telemetry", file});
  }
  return words;
}

int run_members_here(const Members& members, const MembersArguments& arguments,
                     const std::string& command_line) {
  end_with_parent();
  if (arguments.members.size() > 1) return run_together(members, arguments, command_line);
  Experiment experiment = members.load(arguments.members.front());
  // The process that has started this one has reported them.
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

void refuse_others(const Members& members, const MemberSurvey& survey) {
  const auto first = [&](bool (*is_one)(MemberState)) {
    const auto found = std::find_if(survey.states.begin(), survey.states.end(), is_one);
    return members.result_path(survey.first + (found - survey.states.begin()));
  };
  const auto others = std::count_if(survey.states.begin(), survey.states.end(), is_other);
  if (others > 0) {
    throw OutputError(fmt::format(
        "{} holds {} result{} {}, {} the first; use --overwrite to replace them, or --output for "
        "another folder",
        members.folder(), others, others == 1 ? "" : "s",
        other_text(survey.count(MemberState::replacing) > 0), first(is_other)));
  }
  if (const std::int64_t changed = survey.count(MemberState::changed); changed > 0) {
    refuse_changed(fmt::format("{} holds {} result{}, {} the first,", members.folder(), changed,
                               changed == 1 ? "" : "s", first(is_changed)),
                   survey.first_change);
  }
  if (survey.count(MemberState::damaged) > 0) refuse_damaged(first(is_damaged));
}

Places places_for(const MembersArguments& arguments, const MemberSurvey& survey,
                  std::int64_t members) {
  std::vector<double> free;
  if (survey.may_use_gpu && cuda_device_count() > 0) {
    // Once: a search asks for places again for every generation.
    static const std::vector<double> at_first = free_on_gpus(platform::program_path());
    free = at_first;
  }
  const std::vector<std::int64_t> room = room_on_gpus(survey.memory_bytes, free);
  Places places;
  const std::int64_t wanted =
      std::clamp<std::int64_t>(arguments.jobs, 1, std::max<std::int64_t>(1, members));
  places.jobs = jobs_that_fit(wanted, survey.memory_bytes, room);
  if (room.empty()) places.most_jobs = wanted;
  if (places.jobs < wanted) {
    log_warning(
        fmt::format("only {} of {} jobs at a time: a member (the largest is {}) needs about "
                    "{}, and memory has no room for more",
                    places.jobs, wanted, survey.largest, bytes_text(survey.memory_bytes)));
  }
  places.together = std::max<std::int64_t>(
      1,
      jobs_that_fit(std::max<std::int64_t>(1, members), survey.memory_bytes, room) / places.jobs);
  const RuntimeConfig runtime = merged(runtime_of(arguments.execution), survey.runtime);
  const int threads = static_cast<int>(runtime.threads.value_or(num_threads()));
  places.threads = std::max(1, threads / static_cast<int>(places.jobs));
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!survey.names_gpu) {
    places.environments = gpu_environments(places.jobs, room, visible == nullptr ? "" : visible);
  }
  return places;
}

TelemetryConfig telemetry_of(const MembersArguments& arguments, const MemberSurvey& survey) {
  return merged(runtime_of(arguments.execution), survey.runtime)
      .telemetry.value_or(TelemetryConfig{});
}

MemberRunOptions member_run_options(const char* verb, const MembersArguments& arguments,
                                    const Places& places, const MemberSurvey& survey) {
  MemberRunOptions options{
      .jobs = places.jobs,
      .most_jobs = places.most_jobs,
      .needs = [&survey](std::int64_t member) { return survey.needs_of(member); },
      .memory_bytes = static_cast<double>(device_info(Device::cpu()).free_memory),
      .command = command_of(verb, arguments)};
  for (const std::string& word : {std::string("--threads"), std::to_string(places.threads),
                                  std::string("--quiet"), std::string("--member")}) {
    options.command.push_back(word);
  }
  options.environments = places.environments;
  options.signals = &g_signals;
  options.checkpoint = &g_members_checkpoint;
  handle_signals(on_stop_members, on_checkpoint_members);
  options.max_seconds = arguments.execution.max_seconds;
  options.retries = survey.runtime.retries.value_or(options.retries);
  return options;
}

}  // namespace gaia::app
