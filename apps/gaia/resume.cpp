// SPDX-License-Identifier: MIT
/// \file
/// gaia resume: goes on with a run that was cut.
#include "../../src/experiment/run/resume.h"

#include <memory>

#include "../../src/core/error.h"
#include "../../src/core/text.h"
#include "../../src/training/communicator.h"
#include "commands.h"
#include "console.h"
#include "execution.h"
#include "exit_codes.h"

namespace gaia::app {
namespace {

struct ResumeArguments {
  std::string file;
  ResumeOptions options;
  ExecutionArguments execution;
};

int resume(const ResumeArguments& arguments) {
  prepare_execution(arguments.execution);
  if (launched_processes() > 1) {
    throw ConfigError(
        "gaia resume: goes on in one process, to the same bytes as several would; start it without "
        "mpirun or srun");
  }
  std::optional<Resumption> cut = open_cut_run(arguments.file, arguments.options);
  if (!cut) {
    if (!arguments.execution.quiet) tell(arguments.file + " is complete\n");
    return kDone;
  }
  if (!arguments.execution.quiet) {
    const std::int64_t step = cut->run.found.checkpoint.step;
    tell(fmt::format("resume   {} from {} {}\n", cut->experiment.config.output.path,
                     cut->experiment.config.kind->checkpoint_unit(), grouped(step)));
  }
  return execute(cut->experiment, arguments.execution, {.cut = &cut->run});
}

}  // namespace

void add_resume(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand(
      "resume", "Go on with a run that was interrupted or killed, from its checkpoint");
  const auto arguments = std::make_shared<ResumeArguments>();
  verb->add_option("RESULT", arguments->file, "Its .h5 or .h5.partial file")->required();
  verb->add_option("--config", arguments->options.config,
                   "Its YAML file, where that has been moved; it must say the same")
      ->type_name("FILE");
  verb->add_option("--device", arguments->options.device,
                   "Another device: cpu, cuda, cuda:N or auto");
  add_execution_options(*verb, arguments->execution);
  add_telemetry_options(*verb, arguments->execution);
  verb->callback([&action, arguments] { action = [arguments] { return resume(*arguments); }; });
}

}  // namespace gaia::app
