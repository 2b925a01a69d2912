// SPDX-License-Identifier: MIT
/// \file
/// gaia apply: what a run has learnt, applied to new data.
#include "../../src/experiment/run/apply.h"

#include <memory>

#include "../../src/io/formats/file_format.h"
#include "commands.h"
#include "execution.h"
#include "experiment_options.h"

namespace gaia::app {
namespace {

struct ApplyArguments {
  std::string result;
  ApplyOptions options;
  std::string missing;
  std::string decimal;
  bool overwrite = false;
  ExecutionArguments execution;
};

int apply_result(const ApplyArguments& arguments, const std::string& command_line) {
  prepare_execution(arguments.execution);
  ApplyOptions options = arguments.options;
  if (!arguments.missing.empty()) options.missing = missing_policy_from_name(arguments.missing);
  if (!arguments.decimal.empty()) options.decimal = arguments.decimal.front();
  const ExperimentKind& kind = kind_of_result(arguments.result);
  return execute(arguments.execution,
                 {.overwrite = arguments.overwrite, .command_line = command_line},
                 [&](const RunOptions& how, const BeginRun& begin) {
                   return kind.apply(arguments.result, options, how, begin);
                 });
}

}  // namespace

void add_apply(CLI::App& app, Action& action, const std::string& command_line) {
  CLI::App* verb = app.add_subcommand(
      "apply", "Apply what a run has learnt to new data: representations and predictions");
  const auto arguments = std::make_shared<ApplyArguments>();
  ApplyOptions& options = arguments->options;
  verb->add_option("RESULT", arguments->result, "The .h5 file of a complete run")->required();
  verb->add_option("DATA", options.data,
                   "New data: " + a_file_of_data() +
                       "; for images also an IDX, PNG or JPEG file, or a folder of the latter two")
      ->required();
  verb->add_option("--dataset", options.dataset, "Dataset to read, HDF5 and MATLAB only");
  verb->add_option("--columns", options.columns,
                   "Channels to read, by name or number, in the order of the training")
      ->delimiter(',')
      ->type_name("NAME,...");
  verb->add_option("--missing", arguments->missing,
                   "What to do with missing values; default as in training")
      ->check(CLI::IsMember({"error", "hold", "interpolate", "keep"}));
  verb->add_option("--decimal", arguments->decimal,
                   "Decimal mark of a CSV file, . or ,; default as in training")
      ->check(CLI::IsMember({".", ","}));
  verb->add_flag("--trusted", options.trusted, "Read DATA without limits on files of others");
  verb->add_option("--steps", options.steps, "The first so many samples; default all")
      ->check(at_least(1));
  verb->add_option("--labels", options.labels, "Images only: an IDX or NPY file with their classes")
      ->type_name("FILE");
  verb->add_option("--output", options.output, "Results file; default RESULT.DATA.h5")
      ->type_name("PATH");
  verb->add_option("--device", options.device, "cpu, cuda, cuda:N or auto; default as in training");
  verb->add_flag("--overwrite", arguments->overwrite, "Replace an existing file");
  add_execution_options(*verb, arguments->execution);
  verb->callback([&action, arguments, command_line] {
    action = [arguments, command_line] { return apply_result(*arguments, command_line); };
  });
}

}  // namespace gaia::app
