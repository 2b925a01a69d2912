// SPDX-License-Identifier: MIT
/// \file
/// gaia recover: brings what a killed run has committed into a clean file.
#include "../../src/experiment/results/recover.h"

#include <memory>

#include "../../src/core/text.h"
#include "commands.h"
#include "console.h"
#include "exit_codes.h"

namespace gaia::app {

void add_recover(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand(
      "recover", "Bring every step that a cut run has committed into a clean results file");
  const auto file = std::make_shared<std::string>();
  const auto options = std::make_shared<RecoverOptions>();
  verb->add_option("FILE", *file, "A .h5.partial file, which is only read")->required();
  verb->add_option("--output", options->output,
                   "The clean file; default NAME.recovered.h5 of NAME.h5.partial")
      ->type_name("PATH");
  verb->add_flag("--overwrite", options->overwrite, "Replace an existing file");
  verb->callback([&action, file, options] {
    action = [file, options] {
      const Recovered saved = recover_results(*file, *options);
      tell(fmt::format("saved    {} of {} {} of {}\nfile     {}\n", grouped(saved.steps),
                       grouped(saved.steps_asked), saved.unit, *file, saved.file));
      return static_cast<int>(kDone);
    };
  });
}

}  // namespace gaia::app
