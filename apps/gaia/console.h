// SPDX-License-Identifier: MIT
/// \file
/// Where the command writes: results to stdout, everything for a human to stderr.
#pragma once

#include <fmt/format.h>

#include <string>

namespace gaia::app {

/// To stderr.  Never fails: a run does not end because nobody can read its progress.
void tell(const std::string& text) noexcept;

/// To stdout.  \throws OutputError where it cannot be written.
void answer(const std::string& text);

template <class... Args>
void answer(fmt::format_string<Args...> format, Args&&... args) {
  answer(fmt::format(format, std::forward<Args>(args)...));
}

/// An argument of a command line as one would type it.
std::string as_typed(const std::string& argument);

/// Makes writing to a closed pipe or beyond a file limit an error instead of the program's end, and
/// keeps the numbers of the standard streams from being given to files where they are closed.
void prepare_streams();

}  // namespace gaia::app
