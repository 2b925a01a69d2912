// SPDX-License-Identifier: MIT
/// \file
/// gaia report: results as a page for people.
#include "../../src/report/report.h"

#include <filesystem>
#include <memory>

#include "../../src/core/text.h"
#include "commands.h"
#include "console.h"
#include "exit_codes.h"

namespace gaia::app {
namespace {

struct ReportArguments {
  std::vector<std::string> results;
  std::string output;
  bool overwrite = false;
};

int write(const ReportArguments& arguments) {
  const std::string path =
      arguments.output.empty() ? default_report_path(arguments.results) : arguments.output;
  write_report(arguments.results, path, arguments.overwrite);
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  tell(fmt::format("report   {} ({})\n", printable(path),
                   bytes_text(error ? 0.0 : static_cast<double>(bytes))));
  return kDone;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand(
      "report", "Make a page for people of a result, or a comparison of several");
  const auto arguments = std::make_shared<ReportArguments>();
  verb->add_option("RESULT", arguments->results,
                   ".h5 or .h5.partial files, the folder of a sweep, "
                   "or the file of a verdict")
      ->required();
  verb->add_option("--output", arguments->output,
                   "The page; default RESULT.html, of several comparison.html, beside the (first) "
                   "result")
      ->type_name("FILE.html");
  verb->add_flag("--overwrite", arguments->overwrite, "Replace an existing page");
  verb->callback([&action, arguments] { action = [arguments] { return write(*arguments); }; });
}

}  // namespace gaia::app
