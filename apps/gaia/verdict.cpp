// SPDX-License-Identifier: MIT
/// \file
/// gaia verdict: whether learning pays, over several seeds; and tables and figures of verdicts,
/// results, sweeps and searches.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "../../src/core/log.h"
#include "../../src/experiment/sweep/seed_verdict.h"
#include "../../src/io/hdf5.h"
#include "../../src/io/output_files.h"
#include "../../src/io/same_file.h"
#include "../../src/report/judged.h"
#include "../../src/report/paper.h"
#include "commands.h"
#include "console.h"
#include "execution.h"
#include "exit_codes.h"
#include "experiment_options.h"
#include "seed_runs.h"

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
  std::string table;
  std::string figure;
};

/// A wrong ending of the figure is reported, and an existing file refused, before the work.
void check_figure(const VerdictArguments& arguments) {
  if (arguments.figure.empty()) return;
  const std::string ending = std::filesystem::path(arguments.figure).extension().string();
  if (ending != ".svg" && ending != ".pdf") {
    throw ConfigError("--figure: expected a name that ends in .svg or .pdf, got '" +
                      arguments.figure + "'");
  }
  if (is_same_file(arguments.file, arguments.figure)) {
    throw ConfigError("--figure: " + arguments.figure + " is the file that is read");
  }
  if (!arguments.overwrite) clear_the_way(arguments.figure, false, {.rename = "another name"});
}

/// Prints the table and writes the figure that were asked for.
void show(const report::JudgedRuns& runs, const VerdictArguments& arguments) {
  if (!arguments.table.empty()) {
    answer("{}", report::judged_table(runs, arguments.table));
  }
  if (arguments.figure.empty()) return;
  const std::string drawing = report::judged_figure(runs);
  if (drawing.empty()) throw DataError(arguments.file + ": has no score that could be drawn");
  const bool is_pdf = std::filesystem::path(arguments.figure).extension() == ".pdf";
  const auto lock = claim_output(arguments.figure, arguments.overwrite);
  write_file(arguments.figure, {is_pdf ? report::paper_pdf(drawing) : report::paper_svg(drawing)});
  if (!arguments.quiet) tell(fmt::format("figure   {}\n", printable(arguments.figure)));
}

/// Table of what has run: the file of a verdict, a result, the folder of a sweep or a search.
int verdict_of_results(const VerdictArguments& arguments) {
  const report::JudgedRuns runs = report::judged_runs(arguments.file);
  for (const std::string& one : runs.left_out) log_warning(one);
  if (arguments.table.empty()) {
    for (const report::Judged& one : runs.all) {
      if (!one.settings.empty()) answer("{}\n", one.settings_text());
      answer("{}", readout_tables(one.readouts, one.seeds));
    }
    if (!runs.remark.empty()) answer("{}\n", runs.remark);
  }
  show(runs, arguments);
  return kDone;
}

bool is_of_results(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::is_directory(file, ignored) || hdf5::File::is_hdf5(file);
}

/// What runs an experiment says nothing to results.
void refuse_settings(const CLI::App& verb) {
  for (const char* option : {"--set", "--device", "--seed", "--output", "--seeds", "--jobs"}) {
    if (verb.count(option) == 0) continue;
    throw ConfigError(std::string(option) +
                      ": is of an experiment that is run; results have been run");
  }
}

int verdict(const VerdictArguments& arguments, const std::string& command_line) {
  check_figure(arguments);
  prepare_execution({.threads = arguments.threads, .quiet = arguments.quiet, .max_seconds = {}});
  for (const std::string& warning : load_experiment(arguments.file, arguments.overrides).warnings) {
    log_warning(warning);
  }
  SeedVerdictOptions options = options_of_seeds(arguments.quiet, command_line);
  options.seeds = arguments.seeds;
  options.overwrite = arguments.overwrite;
  options.jobs = arguments.jobs;
  const SeedVerdict found = verdict_over_seeds(arguments.file, arguments.overrides, options);
  if (found.interrupted) {
    tell("interrupted: a verdict is of all seeds, and nothing was written\n");
    return kInterrupted;
  }
  if (arguments.table.empty()) answer("{}", verdict_table(found));
  if (!arguments.table.empty() || !arguments.figure.empty()) {
    show(report::judged_runs(found.file), arguments);
  }
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
  verb->add_option("FILE", arguments->file,
                   "YAML file; or, told again, the file of a verdict, a result, or the folder of a "
                   "sweep or a search")
      ->required();
  add_overrides(*verb, arguments->overrides);
  verb->get_option("--seed")->description("The first seed");
  verb->get_option("--output")->description("File of the verdict; default NAME.verdict.h5");
  verb->add_option("--seeds", arguments->seeds, "How many seeds, from that of the experiment on")
      ->check(CLI::Range(2, 100000));
  verb->add_option("--jobs", arguments->jobs, "How many run at a time, in processes of their own")
      ->check(CLI::Range(1, 1024));
  verb->add_option("--table", arguments->table,
                   "Print a table for a paper: latex (which needs "
                   "booktabs), csv or markdown")
      ->type_name("FORMAT")
      ->check(CLI::IsMember(report::table_formats()));
  verb->add_option("--figure", arguments->figure,
                   "Draw the scores of all seeds with their means and standard deviations")
      ->type_name("FILE.svg|pdf");
  verb->add_flag("--overwrite", arguments->overwrite, "Replace an existing verdict or figure");
  verb->add_option("--threads", arguments->threads, "Number of threads; 0: all processors")
      ->check(CLI::Range(0, 1024));
  verb->add_flag("-q,--quiet", arguments->quiet, "Say only the verdict and what goes wrong");
  verb->callback([&action, arguments, command_line, verb] {
    if (!is_of_results(arguments->file)) {
      action = [arguments, command_line] { return verdict(*arguments, command_line); };
      return;
    }
    refuse_settings(*verb);
    action = [arguments] {
      check_figure(*arguments);
      return verdict_of_results(*arguments);
    };
  });
}

}  // namespace gaia::app
