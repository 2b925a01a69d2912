// SPDX-License-Identifier: MIT
/// \file
/// gaia run: runs an experiment.
#include "../../src/experiment/run.h"

#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cmath>
#include <csignal>
#include <memory>

#include "../../src/core/error.h"
#include "../../src/core/log.h"
#include "../../src/core/parallel.h"
#include "../../src/experiment/progress.h"
#include "../../src/experiment/summary.h"
#include "commands.h"
#include "console.h"
#include "exit_codes.h"
#include "experiment_options.h"

namespace gaia::app {
namespace {

std::atomic<bool> g_stop{false};

/// The first signal asks the run to end after its block, the second ends the program at once.
extern "C" void on_signal(int signal) {
  if (g_stop.exchange(true)) _exit(128 + signal);
}

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

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

struct RunArguments {
  std::string file;
  Overrides overrides;
  bool overwrite = false;
  int threads = 0;
  bool quiet = false;
  bool verbose = false;
  std::string progress = "auto";
  std::string max_time;
};

ProgressMode progress_mode(const RunArguments& arguments) {
  if (arguments.progress == "bar") return ProgressMode::bar;
  if (arguments.progress == "lines") return ProgressMode::lines;
  if (arguments.progress == "none" || arguments.quiet) return ProgressMode::none;
  return isatty(STDERR_FILENO) != 0 ? ProgressMode::bar : ProgressMode::lines;
}

/// What a hierarchy and a network have in common.
template <class Options>
Options options_of(const RunArguments& arguments, const std::string& command_line) {
  Options options;
  options.overwrite = arguments.overwrite;
  options.command_line = command_line;
  options.stop = &g_stop;
  if (!arguments.max_time.empty()) options.max_seconds = parse_duration(arguments.max_time);
  return options;
}

template <class Summary>
int finish(const Summary& summary, const RunArguments& arguments) {
  if (!arguments.quiet) tell(closing_text(summary));
  return summary.status == RunStatus::interrupted ? kInterrupted : kDone;
}

int train(Experiment& experiment, const RunArguments& arguments, const std::string& command_line) {
  auto options = options_of<TrainingOptions>(arguments, command_line);
  ProgressDisplay display(progress_mode(arguments), stderr);
  options.on_progress = [&](const TrainingProgress& progress) { display.show(progress); };
  const TrainingSummary summary = train_experiment(experiment, options);
  display.finish();
  return finish(summary, arguments);
}

int run_hierarchy(Experiment& experiment, const RunArguments& arguments,
                  const std::string& command_line) {
  auto options = options_of<RunOptions>(arguments, command_line);
  ProgressDisplay display(progress_mode(arguments), stderr);
  options.on_progress = [&](const Progress& progress) { display.show(progress); };
  const RunSummary summary = run_experiment(experiment, options);
  display.finish();
  return finish(summary, arguments);
}

int run(const RunArguments& arguments, const std::string& command_line) {
  if (arguments.quiet) set_log_level(LogLevel::warning);
  if (arguments.verbose) set_log_level(LogLevel::debug);
  if (arguments.threads > 0) set_num_threads(arguments.threads);
  Experiment experiment = load_experiment(arguments.file, arguments.overrides);
  for (const std::string& warning : experiment.warnings) log_warning(warning);
  if (!arguments.quiet) tell(opening_text(experiment));

  catch_signals();
  return experiment.config.network ? train(experiment, arguments, command_line)
                                   : run_hierarchy(experiment, arguments, command_line);
}

}  // namespace

void add_run(CLI::App& app, Action& action, const std::string& command_line) {
  CLI::App* verb = app.add_subcommand("run", "Run an experiment");
  const auto arguments = std::make_shared<RunArguments>();
  verb->add_option("FILE", arguments->file, "YAML file")->required();
  add_overrides(*verb, arguments->overrides);
  verb->add_flag("--overwrite", arguments->overwrite, "Replace an existing result");
  verb->add_option("--threads", arguments->threads, "Number of threads; 0: all processors")
      ->check(CLI::Range(0, 1024));
  CLI::Option* quiet = verb->add_flag("-q,--quiet", arguments->quiet, "Say only what goes wrong");
  verb->add_flag("-v,--verbose", arguments->verbose, "Say more")->excludes(quiet);
  verb->add_option("--progress", arguments->progress, "auto, bar, lines or none")
      ->check(CLI::IsMember({"auto", "bar", "lines", "none"}));
  verb->add_option("--max-time", arguments->max_time,
                   "Interrupt the run after so long, e.g. 3h50m; its state is stored");
  verb->callback([&action, arguments, command_line] {
    action = [arguments, command_line] { return run(*arguments, command_line); };
  });
}

}  // namespace gaia::app
