// SPDX-License-Identifier: MIT
/// \file
/// gaia reproduce: a row of the gallery again, compared with what its paper and the table say.
#include <fmt/format.h>

#include <memory>

#include "../../src/core/platform.h"
#include "../../src/experiment/sweep/reproduction.h"
#include "commands.h"
#include "console.h"
#include "execution.h"
#include "exit_codes.h"
#include "seed_runs.h"

namespace gaia::app {
namespace {

struct ReproduceArguments {
  std::string row;
  bool about = false;
  ReproduceOptions options;
  std::int64_t jobs = 1;
  bool overwrite = false;
  int threads = 0;
  bool quiet = false;
};

int reproduce_row(const ReproduceArguments& arguments, const std::string& command_line) {
  prepare_execution({.threads = arguments.threads, .quiet = arguments.quiet, .max_seconds = {}});
  const std::string file = find_row(arguments.row, platform::program_path());
  if (arguments.about) {
    answer("{}", head_of_row(file));
    return kDone;
  }
  ReproduceOptions options = arguments.options;
  options.how = options_of_seeds(arguments.quiet, command_line);
  options.how.jobs = arguments.jobs;
  options.how.overwrite = arguments.overwrite;
  const Reproduction again = reproduce(file, options);
  if (again.verdict.interrupted) {
    tell("interrupted: a row is of all its seeds, and nothing was written\n");
    return kInterrupted;
  }
  answer("{}", again.text());
  if (!arguments.quiet) {
    tell(fmt::format("file       {}\nnext       gaia report {}\n", printable(again.verdict.file),
                     as_typed(again.verdict.file)));
  }
  return again.agrees() ? kDone : kFailed;
}

}  // namespace

void add_reproduce(CLI::App& app, Action& action, const std::string& command_line) {
  CLI::App* verb = app.add_subcommand(
      "reproduce",
      "Run a row of the gallery over its seeds, beside what its paper and the gallery's table say");
  const auto arguments = std::make_shared<ReproduceArguments>();
  ReproduceOptions& options = arguments->options;
  verb->add_option("ROW", arguments->row,
                   "NAME of experiments/gallery/NAME.yaml, or a YAML file with `published`")
      ->required();
  verb->add_flag("--about", arguments->about,
                 "Say what the row does, what to expect and where its data come from; run nothing");
  verb->add_option("--data", options.data, "Folder of the data that the row reads")
      ->type_name("FOLDER");
  verb->add_flag("--short", options.is_short,
                 "Its short form: seconds, two seeds, and figures that say nothing");
  verb->add_option("--seeds", options.seeds, "How many of its seeds; default all")
      ->check(CLI::Range(2, 100000));
  verb->add_option("--device", options.device, "cpu, cuda, cuda:N or auto");
  verb->add_option("--output", options.output,
                   "File of the verdict; default results/ROW.verdict.h5")
      ->type_name("PATH");
  verb->add_option("--jobs", arguments->jobs, "How many run at a time, in processes of their own")
      ->check(CLI::Range(1, 1024));
  verb->add_flag("--overwrite", arguments->overwrite, "Replace an existing verdict");
  verb->add_option("--threads", arguments->threads, "Number of threads; 0: all processors")
      ->check(CLI::Range(0, 1024));
  verb->add_flag("-q,--quiet", arguments->quiet, "Say only what came out and what goes wrong");
  verb->callback([&action, arguments, command_line] {
    action = [arguments, command_line] { return reproduce_row(*arguments, command_line); };
  });
}

}  // namespace gaia::app
