// SPDX-License-Identifier: MIT
/// \file
/// Where the command writes: results to stdout, everything for a human to stderr.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "../../src/core/command_line.h"
#include "../../src/core/fields.h"
#include "../../src/core/text.h"

namespace gaia::app {

/// To stderr, without what could steer a terminal.  Never fails: a run does not end because nobody
/// can read its progress.
void tell(std::string_view text) noexcept;

/// To stdout.  Who reads it through a pipe may have had enough, as `head` has: the rest is dropped.
/// \throws OutputError where it cannot be written.
void answer(const std::string& text);

/// For a human: to stdout, without what could steer a terminal.
template <class... Args>
void answer(fmt::format_string<Args...> format, Args&&... args) {
  answer(printable(fmt::format(format, std::forward<Args>(args)...)));
}

using gaia::as_typed;

/// For a program: what is not ASCII is escaped, what is not UTF-8 replaced.
std::string json_text(const nlohmann::ordered_json& json);

nlohmann::ordered_json as_json(const FieldValue& value);

/// Makes writing to a closed pipe or beyond a file limit an error instead of the program's end, and
/// keeps the numbers of the standard streams from being given to files where they are closed.
void prepare_streams();

}  // namespace gaia::app
