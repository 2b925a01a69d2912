// SPDX-License-Identifier: MIT
/// \file
/// gaia verdict: whether learning pays, over several seeds.
#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <memory>

#include "../../src/core/log.h"
#include "../../src/experiment/sweep/seed_verdict.h"
#include "commands.h"
#include "console.h"
#include "execution.h"
#include "exit_codes.h"
#include "experiment_options.h"
#include "signals.h"
#include "this_program.h"

namespace gaia::app {
namespace {

struct VerdictArguments {
  std::string file;
  Overrides overrides;
  std::int64_t seeds = 10;
  std::int64_t jobs = 1;
  bool overwrite = false;
  int threads = 0;
  bool quiet = false;
};

std::atomic<bool> g_stop_verdict{false};

extern "C" void on_stop_verdict(int /*signal*/) { g_stop_verdict = true; }

int verdict(const VerdictArguments& arguments, const std::string& command_line) {
  prepare_execution({.threads = arguments.threads, .quiet = arguments.quiet, .max_seconds = {}});
  for (const std::string& warning : load_experiment(arguments.file, arguments.overrides).warnings) {
    log_warning(warning);
  }
  handle_signals(on_stop_verdict, SIG_IGN);
  SeedVerdictOptions options{.seeds = arguments.seeds,
                             .overwrite = arguments.overwrite,
                             .command_line = command_line,
                             .jobs = arguments.jobs,
                             .command = {this_program()},
                             .stop = &g_stop_verdict};
  if (!arguments.quiet) {
    options.on_progress = [](const SeedProgress& progress) {
      tell(fmt::format("seed {}{}  {} of {}, {}\n", progress.seed,
                       progress.diverged ? " diverged" : "", progress.ended, progress.seeds,
                       duration_text(progress.seconds)));
    };
  }
  const SeedVerdict found = verdict_over_seeds(arguments.file, arguments.overrides, options);
  if (found.interrupted) {
    tell("interrupted: a verdict is of all seeds, and nothing was written\n");
    return kInterrupted;
  }
  answer("{}", verdict_table(found));
  if (!arguments.quiet) {
    tell(fmt::format("file     {}\nnext     gaia report {}\n", printable(found.file),
                     as_typed(found.file)));
  }
  return kDone;
}

}  // namespace

void add_verdict(CLI::App& app, Action& action, const std::string& command_line) {
  CLI::App* verb = app.add_subcommand(
      "verdict", "Tell whether learning pays: an experiment and its controls over several seeds");
  const auto arguments = std::make_shared<VerdictArguments>();
  verb->add_option("FILE", arguments->file, "YAML file")->required();
  add_overrides(*verb, arguments->overrides);
  verb->get_option("--seed")->description("The first seed");
  verb->get_option("--output")->description("File of the verdict; default NAME.verdict.h5");
  verb->add_option("--seeds", arguments->seeds, "How many seeds, from that of the experiment on")
      ->check(CLI::Range(2, 100000));
  verb->add_option("--jobs", arguments->jobs, "How many run at a time, in processes of their own")
      ->check(CLI::Range(1, 1024));
  verb->add_flag("--overwrite", arguments->overwrite, "Replace an existing verdict");
  verb->add_option("--threads", arguments->threads, "Number of threads; 0: all processors")
      ->check(CLI::Range(0, 1024));
  verb->add_flag("-q,--quiet", arguments->quiet, "Say only the verdict and what goes wrong");
  verb->callback([&action, arguments, command_line] {
    action = [arguments, command_line] { return verdict(*arguments, command_line); };
  });
}

}  // namespace gaia::app
