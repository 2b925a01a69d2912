// SPDX-License-Identifier: MIT
/// \file
/// gaia run: runs an experiment.
#include <memory>

#include "commands.h"
#include "execution.h"
#include "experiment_options.h"
#include "processes.h"

namespace gaia::app {
namespace {

struct RunArguments {
  std::string file;
  Overrides overrides;
  bool overwrite = false;
  ExecutionArguments execution;
};

int run(const RunArguments& arguments, const std::string& command_line) {
  prepare_execution(arguments.execution);
  Experiment experiment = load_experiment(arguments.file, arguments.overrides);
  const std::unique_ptr<Communicator> processes = processes_for(experiment);
  const auto work = [&] {
    return execute(experiment, arguments.execution,
                   {.overwrite = arguments.overwrite,
                    .command_line = command_line,
                    .communicator = processes.get()});
  };
  return processes ? do_together(*processes, work) : work();
}

}  // namespace

void add_run(CLI::App& app, Action& action, const std::string& command_line) {
  CLI::App* verb = app.add_subcommand("run", "Run an experiment");
  const auto arguments = std::make_shared<RunArguments>();
  verb->add_option("FILE", arguments->file, "YAML file")->required();
  add_overrides(*verb, arguments->overrides);
  verb->add_flag("--overwrite", arguments->overwrite, "Replace an existing result");
  add_execution_options(*verb, arguments->execution);
  add_telemetry_options(*verb, arguments->execution);
  verb->callback([&action, arguments, command_line] {
    action = [arguments, command_line] { return run(*arguments, command_line); };
  });
}

}  // namespace gaia::app
