// SPDX-License-Identifier: MIT
/// \file
/// The `gaia` command.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "../../src/core/names.h"
#include "../../src/core/platform.h"
#include "../../src/core/text.h"
#include "commands.h"
#include "console.h"
#include "exit_codes.h"

namespace {

/// The arguments as one would type them again.
std::string command_line_of(int argc, char** argv) {
  std::string text;
  for (int i = 0; i < argc; ++i) text += (i == 0 ? "" : " ") + gaia::app::as_typed(argv[i]);
  return text;
}

/// Verbs come first, so what stands there and is no option is meant to be one.
void refuse_unknown_verb(const CLI::App& cli, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::string word = argv[1];
  std::vector<std::string> verbs;
  for (const CLI::App* verb : cli.get_subcommands({})) verbs.push_back(verb->get_name());
  if (std::find(verbs.begin(), verbs.end(), word) != verbs.end()) return;
  throw gaia::ConfigError("gaia: no command '" + word + "'" + gaia::did_you_mean(word, verbs) +
                          "; known: " + gaia::join(verbs));
}

int run_command(int argc, char** argv) {
  namespace app = gaia::app;
  app::prepare_streams();
  CLI::App cli("Networks that learn locally and in time", "gaia");
  cli.require_subcommand(1);
  app::Action action;
  app::add_run(cli, action, command_line_of(argc, argv));
  app::add_resume(cli, action);
  app::add_apply(cli, action, command_line_of(argc, argv));
  app::add_stream(cli, action);
  app::add_recover(cli, action);
  app::add_replay(cli, action, command_line_of(argc, argv));
  app::add_sweep(cli, action, command_line_of(argc, argv));
  app::add_search(cli, action, command_line_of(argc, argv));
  app::add_verdict(cli, action, command_line_of(argc, argv));
  app::add_reproduce(cli, action, command_line_of(argc, argv));
  app::add_check(cli, action);
  app::add_init(cli, action);
  app::add_inspect(cli, action);
  app::add_report(cli, action);
  app::add_export(cli, action);
  app::add_rules(cli, action);
  app::add_info(cli, action);
  app::add_schema(cli, action);
  app::add_version(cli, action);
  refuse_unknown_verb(cli, argc, argv);
  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Arguments that are not understood stand in the message.
    std::ostringstream out;
    std::ostringstream err;
    const int code = cli.exit(error, out, err);
    std::fputs(out.str().c_str(), stdout);
    std::fputs(gaia::printable(err.str()).c_str(), stderr);
    return code == 0 ? app::kDone : app::kUsage;
  }
  return action();
}

/// libhdf5 calls exit(-1) where it has no memory to note an object, and says nothing.
void tell_of_end_by_library(int code) {
  if ((code & 0xff) != 0xff) return;
  std::fputs("gaia: error: a library has ended the program, for want of memory most likely\n",
             stderr);
  std::fflush(stdout);
  _exit(gaia::app::kOutOfMemory);
}

}  // namespace

int main(int argc, char** argv) {
  gaia::platform::use_one_arena();  // 10^8 steps took 55 MB with several, and take 34
  gaia::platform::keep_freed_memory();
  gaia::platform::at_exit(tell_of_end_by_library);
  // Before a run has begun there is no state that it asks for.
  std::signal(SIGUSR1, SIG_IGN);
  try {
    return run_command(argc, argv);
  } catch (...) {
    return gaia::app::report_exception();
  }
}
