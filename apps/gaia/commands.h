// SPDX-License-Identifier: MIT
/// \file
/// The verbs of the command line.  Each adds its options to the application and says what to do
/// when it is chosen; results go to stdout, everything for a human to stderr.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace gaia::app {

/// What the chosen verb does; its result is the exit code.
using Action = std::function<int()>;

void add_run(CLI::App& app, Action& action, const std::string& command_line);
void add_resume(CLI::App& app, Action& action);
void add_apply(CLI::App& app, Action& action, const std::string& command_line);
void add_stream(CLI::App& app, Action& action);
void add_recover(CLI::App& app, Action& action);
void add_replay(CLI::App& app, Action& action, const std::string& command_line);
void add_sweep(CLI::App& app, Action& action, const std::string& command_line);
void add_search(CLI::App& app, Action& action, const std::string& command_line);
void add_verdict(CLI::App& app, Action& action, const std::string& command_line);
void add_reproduce(CLI::App& app, Action& action, const std::string& command_line);
void add_check(CLI::App& app, Action& action);
void add_init(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_rules(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_schema(CLI::App& app, Action& action);
void add_version(CLI::App& app, Action& action);

}  // namespace gaia::app
