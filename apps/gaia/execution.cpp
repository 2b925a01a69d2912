// SPDX-License-Identifier: MIT
#include "execution.h"

#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cmath>
#include <csignal>
#include <string_view>

#include "../../src/core/error.h"
#include "../../src/core/log.h"
#include "../../src/core/parallel.h"
#include "../../src/experiment/run/summary.h"
#include "console.h"
#include "exit_codes.h"
#include "signals.h"

namespace gaia::app {
namespace {

std::atomic<bool> g_stop{false};
std::atomic<bool> g_checkpoint{false};
bool g_is_patient = false;

/// The first signal asks the run to end after its block, the second ends the program at once.
extern "C" void on_stop(int signal) {
  if (g_stop.exchange(true) && !g_is_patient) _exit(128 + signal);
}

/// Before a run has begun.
extern "C" void on_stop_early(int /*signal*/) {
  constexpr std::string_view told = "interrupted; nothing was stored\n";
  static_cast<void>(!::write(STDERR_FILENO, told.data(), told.size()));
  _exit(kInterrupted);
}

extern "C" void on_checkpoint(int /*signal*/) { g_checkpoint = true; }

/// "90", "90s", "15m", "3h50m", "1d2h" in seconds.
double parse_duration(const std::string& text) {
  double total = 0.0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    double number = 0.0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc() || !(number >= 0.0) || !std::isfinite(number)) break;
    const char unit = stop == end ? 's' : *stop;
    const double scale = unit == 's'   ? 1.0
                         : unit == 'm' ? 60.0
                         : unit == 'h' ? 3600.0
                         : unit == 'd' ? 86400.0
                                       : 0.0;
    if (scale == 0.0) break;
    total += number * scale;
    at = stop == end ? end : stop + 1;
    if (at == end && total > 0.0) return total;
  }
  throw ArgumentError("--max-time: expected a time such as 90s, 15m or 3h50m, got '" + text + "'");
}

/// The options that a hierarchy and a network have in common.
template <class Options>
Options options_of(const ExecutionArguments& arguments, const Beginning& beginning) {
  Options options;
  options.overwrite = beginning.overwrite;
  options.command_line = beginning.command_line;
  options.cut = beginning.cut;
  options.stop = &g_stop;
  options.checkpoint = &g_checkpoint;
  options.max_seconds = arguments.max_seconds;
  return options;
}

template <class Summary>
int finish(const Summary& summary, const ExecutionArguments& arguments) {
  if (!arguments.quiet) tell(closing_text(summary));
  if (summary.status != RunStatus::interrupted) return kDone;
  // Of processes that train together only one has a file.
  if (!summary.file.empty()) tell("resume with: gaia resume " + as_typed(summary.file) + "\n");
  return kInterrupted;
}

}  // namespace

ProgressMode progress_mode(const ExecutionArguments& arguments) {
  if (arguments.progress == "bar") return ProgressMode::bar;
  if (arguments.progress == "lines") return ProgressMode::lines;
  if (arguments.progress == "none" || arguments.quiet) return ProgressMode::none;
  return isatty(STDERR_FILENO) != 0 ? ProgressMode::bar : ProgressMode::lines;
}

void add_execution_options(CLI::App& verb, ExecutionArguments& arguments) {
  verb.add_option("--threads", arguments.threads, "Number of threads; 0: all processors")
      ->check(CLI::Range(0, 1024));
  CLI::Option* quiet = verb.add_flag("-q,--quiet", arguments.quiet, "Say only what goes wrong");
  verb.add_flag("-v,--verbose", arguments.verbose, "Say more")->excludes(quiet);
  verb.add_option("--progress", arguments.progress, "auto, bar, lines or none")
      ->check(CLI::IsMember({"auto", "bar", "lines", "none"}));
  verb.add_option_function<std::string>(
      "--max-time",
      [&arguments](const std::string& text) { arguments.max_seconds = parse_duration(text); },
      "Interrupt the run after so long, e.g. 3h50m; its state is stored");
}

void prepare_execution(const ExecutionArguments& arguments) {
  handle_signals(on_stop_early, SIG_IGN);
  if (arguments.quiet) set_log_level(LogLevel::warning);
  if (arguments.verbose) set_log_level(LogLevel::debug);
  if (arguments.threads > 0) set_num_threads(arguments.threads);
}

RunOptions options_of_run(const ExecutionArguments& arguments, const std::string& command_line) {
  g_is_patient = true;
  handle_signals(on_stop, on_checkpoint);
  return options_of<RunOptions>(arguments, {.command_line = command_line});
}

int execute(Experiment& experiment, const ExecutionArguments& given, const Beginning& beginning) {
  ExecutionArguments arguments = given;
  if (beginning.communicator != nullptr) {
    // Whoever ends them may tell each of them more than once.
    arguments.is_patient = true;
    if (beginning.communicator->rank() > 0) {
      arguments.quiet = true;
      arguments.progress = "none";
    }
  }
  for (const std::string& warning : experiment.warnings) log_warning(warning);
  if (!arguments.quiet) tell(opening_text(experiment));
  g_is_patient = arguments.is_patient;
  handle_signals(on_stop, on_checkpoint);
  ProgressDisplay display(progress_mode(arguments), stderr);
  if (experiment.config.network) {
    auto options = options_of<TrainingOptions>(arguments, beginning);
    options.communicator = beginning.communicator;
    options.on_progress = [&](const TrainingProgress& progress) { display.show(progress); };
    const TrainingSummary summary = train_experiment(experiment, options);
    display.finish();
    return finish(summary, arguments);
  }
  if (experiment.config.agent) {
    auto options = options_of<AgentRunOptions>(arguments, beginning);
    options.on_progress = [&](const AgentProgress& progress) { display.show(progress); };
    const AgentSummary summary = run_agent(experiment, options);
    display.finish();
    return finish(summary, arguments);
  }
  auto options = options_of<RunOptions>(arguments, beginning);
  options.on_progress = [&](const Progress& progress) { display.show(progress); };
  const RunSummary summary = run_experiment(experiment, options);
  display.finish();
  return finish(summary, arguments);
}

}  // namespace gaia::app
