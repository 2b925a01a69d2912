// SPDX-License-Identifier: MIT
/// \file
/// Running an experiment from the command line, begun or gone on with: options, signals, progress,
/// last words.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "../../src/experiment/run/progress.h"
#include "../../src/experiment/run/resume.h"
#include "../../src/experiment/run/run.h"

namespace gaia::app {

/// How a run behaves, whatever runs.
struct ExecutionArguments {
  int threads = 0;
  bool quiet = false;
  bool verbose = false;
  std::string progress = "auto";
  std::optional<double> max_seconds;
  TelemetryConfig telemetry = {};
  bool is_patient = false;  ///< A second signal does not end the program at once.
};

void add_execution_options(CLI::App& verb, ExecutionArguments& arguments);

/// What the options say, which goes before `runtime` of the experiment.
RuntimeConfig runtime_of(const ExecutionArguments& arguments);

/// --telemetry and --metrics, for verbs that run what is new.
void add_telemetry_options(CLI::App& verb, ExecutionArguments& arguments);

/// Sets log level and threads.  From here on a signal that ends a program ends it with the code of
/// an interruption; there is nothing to store before execute() handles signals.
void prepare_execution(const ExecutionArguments& arguments);

/// Bar, lines or nothing, as asked for and as stderr is.
ProgressMode progress_mode(const ExecutionArguments& arguments);

/// How a run begins: anew, or from where it was cut.
struct RunStart {
  bool overwrite = false;
  std::string command_line = {};
  CutRun* cut = nullptr;
  /// Communicator of the processes that train together, of which only the first reports; null: one
  /// process trains.
  Communicator* communicator = nullptr;
};

/// From here on signals stop a run under these options, or ask it for its state.
RunOptions options_of_run(const ExecutionArguments& arguments, const std::string& command_line);

/// Tells of an experiment that is about to run; from then on signals stop it.
using BeginRun = std::function<void(const Experiment&)>;
/// Work that runs under these options, after it was reported.
using Run = std::function<std::unique_ptr<RunSummary>(const RunOptions&, const BeginRun&)>;

/// Runs it until it ends or a signal or the time limit stops it; its exit code.
int execute(const ExecutionArguments& given, const RunStart& start, const Run& run);

/// The same of an experiment.
int execute(Experiment& experiment, const ExecutionArguments& given, const RunStart& start);

}  // namespace gaia::app
