// SPDX-License-Identifier: MIT
/// \file
/// The minimal experiment through the `gaia` command.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "../experiment/minimal.h"
#include "command.h"

namespace gaia::test {

inline bool exists(const std::string& path) { return std::filesystem::exists(path); }

/// Runs the minimal experiment with further arguments.
inline Finished run(const TempDir& folder, std::vector<std::string> arguments = {}) {
  folder.write("e.yaml", kMinimal);
  arguments.insert(arguments.begin(), {"run", "e.yaml"});
  return gaia_command(folder, arguments);
}

/// Runs the sweep of e.yaml with further arguments.
inline Finished sweep(const TempDir& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"sweep", "e.yaml"});
  return gaia_command(folder, arguments);
}

/// The result of a member of a sweep of the minimal experiment.
inline std::string member(int number) {
  return "results/minimal/member-0000" + std::to_string(number) + ".h5";
}

/// Exit code of the command within a shell, whose redirections and limits it meets.
inline int shell(const TempDir& folder, const std::string& arguments,
                 const std::string& before = "true") {
  const std::string line =
      "cd '" + folder.path("") + "' && " + before + " && exec " GAIA_COMMAND " " + arguments;
  const int status = std::system(("bash -c \"" + line + "\"").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace gaia::test
