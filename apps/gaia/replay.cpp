// SPDX-License-Identifier: MIT
/// \file
/// gaia replay: runs a result again and says whether the same comes of it.
#include "../../src/experiment/run/replay.h"

#include <memory>

#include "../../src/core/log.h"
#include "../../src/experiment/run/summary.h"
#include "commands.h"
#include "console.h"
#include "execution.h"
#include "exit_codes.h"

namespace gaia::app {
namespace {

struct ReplayArguments {
  std::string result;
  ReplayOptions options;
  bool overwrite = false;
  ExecutionArguments execution;
};

int replay(const ReplayArguments& arguments, const std::string& command_line) {
  const ExecutionArguments& execution = arguments.execution;
  prepare_execution(execution);
  RunOptions how = options_of_run(execution, command_line);
  how.overwrite = arguments.overwrite;
  ProgressDisplay display(progress_mode(execution), stderr);
  how.on_progress = [&](const Progress& progress) { display.show(progress); };
  const Replayed replayed =
      replay_result(arguments.result, arguments.options, how, [&](const Experiment& experiment) {
        for (const std::string& warning : experiment.warnings) log_warning(warning);
        if (!execution.quiet) tell(opening_text(experiment));
      });
  display.finish();
  if (!execution.quiet || !replayed.is_equal()) tell(replayed.text());
  if (replayed.status == RunStatus::interrupted) return kInterrupted;
  return replayed.is_equal() ? kDone : kFailed;
}

}  // namespace

void add_replay(CLI::App& app, Action& action, const std::string& command_line) {
  CLI::App* verb = app.add_subcommand(
      "replay", "Run a result again and say whether every dataset comes out the same");
  const auto arguments = std::make_shared<ReplayArguments>();
  ReplayOptions& options = arguments->options;
  verb->add_option("RESULT", arguments->result, "The .h5 file of a complete run")->required();
  CLI::Option* against =
      verb->add_option("--against", options.against, "Compare with this result, and run nothing");
  against->type_name("FILE");
  verb->add_option("--tolerance", options.tolerance,
                   "Compare floating numbers alone, which may differ by so much of the largest "
                   "number of their dataset; default 0: the same bits")
      ->check(CLI::Range(0.0, 1.0));
  verb->add_option("--folder", options.folder,
                   "Folder that the experiment's paths begin in, where its YAML file was moved")
      ->type_name("DIR")
      ->excludes(against);
  verb->add_option("--device", options.device, "Another device: cpu, cuda, cuda:N or auto")
      ->excludes(against);
  verb->add_option("--output", options.output,
                   "Keep the new results in this file; default RESULT.replay.h5, which is removed")
      ->type_name("PATH")
      ->excludes(against);
  verb->add_flag("--overwrite", arguments->overwrite, "Replace an existing file");
  add_execution_options(*verb, arguments->execution);
  verb->callback([&action, arguments, command_line] {
    action = [arguments, command_line] { return replay(*arguments, command_line); };
  });
}

}  // namespace gaia::app
