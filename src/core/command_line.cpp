// SPDX-License-Identifier: MIT
#include "command_line.h"

namespace gaia {

std::string as_typed(const std::string& argument) {
  const bool plain = !argument.empty() &&
                     argument.find_first_of(" \t\n'\"\\$&;|<>()*?[]{}#~`!") == std::string::npos;
  if (plain) return argument;
  std::string quoted = "'";
  for (const char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace gaia
