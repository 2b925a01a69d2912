// SPDX-License-Identifier: MIT
/// \file
/// Where the program that runs lies, for those that start it again.
#pragma once

#include <filesystem>
#include <string>

namespace gaia::app {

inline std::string this_program() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "gaia" : path.string();
}

}  // namespace gaia::app
