// SPDX-License-Identifier: MIT
/// \file
/// gaia init: writes an experiment to begin with, for files of data.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "../../src/core/error.h"
#include "../../src/core/text.h"
#include "../../src/experiment/init/initial_experiment.h"
#include "../../src/io/formats/file_format.h"
#include "../../src/io/output_files.h"
#include "commands.h"
#include "console.h"
#include "exit_codes.h"

namespace gaia::app {
namespace {

struct InitArguments {
  std::vector<std::string> data;
  std::string output;
  bool overwrite = false;
};

int init(const InitArguments& arguments) {
  const std::string path = arguments.output.empty()
                               ? experiment_name(arguments.data.front()) + ".yaml"
                               : arguments.output;
  std::error_code error;
  const auto check = [&] {
    if (arguments.overwrite || !std::filesystem::exists(path, error)) return;
    throw OutputError(path + ": exists; use --overwrite, or --output for another name");
  };
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".yaml" && ending != ".yml") {
    throw ConfigError(path + ": expected a name that ends in .yaml");
  }
  check();
  const std::string text = initial_experiment(arguments.data, path);
  check();  // reading may have taken a while
  make_folder_of(path);
  write_file(path, {text});
  tell(fmt::format("wrote    {0}\nnext     gaia run {1}\n", printable(path), as_typed(path)));
  return kDone;
}

}  // namespace

void add_init(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("init", "Write an experiment to begin with, for files of data");
  const auto arguments = std::make_shared<InitArguments>();
  verb->add_option(
          "DATA", arguments->data,
          "Data: " + a_file_of_data() +
              "; several of one kind; a pattern of several, as \"runs/*.csv\" in quotation "
              "marks; or pictures, an IDX, PNG or JPEG file or a folder of the latter two")
      ->required();
  verb->add_option("-o,--output", arguments->output,
                   "The experiment; default NAME.yaml here, for NAME.csv")
      ->type_name("FILE.yaml");
  verb->add_flag("--overwrite", arguments->overwrite, "Replace an existing file");
  verb->callback([&action, arguments] { action = [arguments] { return init(*arguments); }; });
}

}  // namespace gaia::app
