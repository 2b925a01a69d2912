// SPDX-License-Identifier: MIT
#include "execution.h"

#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <string_view>

#include "../../src/core/error.h"
#include "../../src/core/log.h"
#include "../../src/core/number_from_chars.h"
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
    const auto [stop, error] = number_from_chars(at, end, number);
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

RunOptions options_of(const ExecutionArguments& arguments, const RunStart& start) {
  return {.overwrite = start.overwrite,
          .command_line = start.command_line,
          .max_seconds = arguments.max_seconds,
          .stop = &g_stop,
          .checkpoint = &g_checkpoint,
          .cut = start.cut,
          .communicator = start.communicator,
          .runtime = runtime_of(arguments)};
}

/// From here on signals stop a run, or ask it for its state.
void handle_signals_of_run(bool is_patient) {
  g_is_patient = is_patient;
  handle_signals(on_stop, on_checkpoint);
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
  CLI::Option* quiet =
      verb.add_flag("-q,--quiet", arguments.quiet, "Say only results and what goes wrong");
  verb.add_flag("-v,--verbose", arguments.verbose, "Say more")->excludes(quiet);
  verb.add_option("--progress", arguments.progress, "auto, bar, lines or none")
      ->check(CLI::IsMember({"auto", "bar", "lines", "none"}));
  verb.add_option_function<std::string>(
      "--max-time",
      [&arguments](const std::string& text) { arguments.max_seconds = parse_duration(text); },
      "Interrupt the run after so long, e.g. 3h50m; its state is stored");
}

void add_telemetry_options(CLI::App& verb, ExecutionArguments& arguments) {
  verb.add_option("--telemetry", arguments.telemetry.file,
                  "Add lines of JSON to this file while it runs: steps, speed, memory, errors")
      ->type_name("FILE");
  verb.add_option("--metrics", arguments.telemetry.metrics,
                  "Keep the same in this text file for Prometheus")
      ->type_name("FILE");
}

RuntimeConfig runtime_of(const ExecutionArguments& arguments) {
  RuntimeConfig runtime;
  if (arguments.threads > 0) runtime.threads = arguments.threads;
  if (arguments.telemetry.is_on()) runtime.telemetry = arguments.telemetry;
  return runtime;
}

void prepare_execution(const ExecutionArguments& arguments) {
  handle_signals(on_stop_early, SIG_IGN);
  if (arguments.quiet) set_log_level(LogLevel::warning);
  if (arguments.verbose) set_log_level(LogLevel::debug);
  if (arguments.threads > 0) set_num_threads(arguments.threads);
}

RunOptions options_of_run(const ExecutionArguments& arguments, const std::string& command_line) {
  handle_signals_of_run(true);
  return options_of(arguments, {.command_line = command_line});
}

int execute(const ExecutionArguments& given, const RunStart& start, const Run& run) {
  ExecutionArguments arguments = given;
  if (start.communicator != nullptr) {
    // Whoever ends them may tell each of them more than once.
    arguments.is_patient = true;
    if (start.communicator->rank() > 0) {
      arguments.quiet = true;
      arguments.progress = "none";
    }
  }
  const auto begin = [&](const Experiment& experiment) {
    for (const std::string& warning : experiment.warnings) log_warning(warning);
    if (!arguments.quiet) tell(opening_text(experiment));
    handle_signals_of_run(arguments.is_patient);
  };
  ProgressDisplay display(progress_mode(arguments), stderr);
  RunOptions options = options_of(arguments, start);
  options.on_progress = [&](const Progress& progress) { display.show(progress); };
  const std::unique_ptr<RunSummary> summary = run(options, begin);
  display.finish();
  if (!arguments.quiet) tell(summary->text());
  if (summary->status != RunStatus::interrupted) return kDone;
  // One of the processes that train together has a file, the others have none.
  if (!summary->file.empty()) tell("resume with: gaia resume " + as_typed(summary->file) + "\n");
  return kInterrupted;
}

int execute(Experiment& experiment, const ExecutionArguments& given, const RunStart& start) {
  return execute(given, start, [&](const RunOptions& options, const BeginRun& begin) {
    begin(experiment);
    return run_experiment(experiment, options);
  });
}

}  // namespace gaia::app
