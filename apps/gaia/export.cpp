// SPDX-License-Identifier: MIT
/// \file
/// gaia export: datasets of a results file as CSV, NPY or NPZ.
#include <filesystem>
#include <memory>
#include <string>

#include "../../src/core/log.h"
#include "../../src/core/text.h"
#include "../../src/experiment/results/export_result.h"
#include "commands.h"
#include "console.h"
#include "exit_codes.h"

namespace gaia::app {
namespace {

struct ExportArguments {
  std::string result;
  std::string format;
  ExportOptions options;
};

int export_datasets(const ExportArguments& arguments) {
  ExportOptions options = arguments.options;
  options.format = export_format(arguments.format);
  const Exported exported = export_result(arguments.result, options);
  for (const std::string& refusal : exported.refusals) {
    log_warning(arguments.result + ": " + refusal + "; left out");
  }
  if (exported.files.size() > 10) {
    const std::string folder = std::filesystem::path(exported.files.front()).parent_path().string();
    tell(fmt::format("wrote    {} files in {}\n", exported.files.size(), printable(folder)));
    return kDone;
  }
  for (const std::string& file : exported.files) tell("wrote    " + printable(file) + "\n");
  return kDone;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("export", "Write datasets of a results file as CSV, NPY or NPZ");
  const auto arguments = std::make_shared<ExportArguments>();
  ExportOptions& options = arguments->options;
  verb->add_option("RESULT", arguments->result, "A .h5 or .h5.partial file")->required();
  verb->add_option("--to", arguments->format, "csv, npy or npz")
      ->required()
      ->type_name("csv|npy|npz");
  verb->add_option("--dataset", options.datasets,
                   "Path of a dataset, as `gaia inspect` lists it; may be given several times; "
                   "default all")
      ->type_name("PATH")
      ->allow_extra_args(false);
  verb->add_option("--output", options.output,
                   "The file, or the folder of several CSV or NPY files; default beside the result")
      ->type_name("PATH");
  verb->add_flag("--overwrite", options.overwrite, "Replace existing files");
  verb->callback(
      [&action, arguments] { action = [arguments] { return export_datasets(*arguments); }; });
}

}  // namespace gaia::app
