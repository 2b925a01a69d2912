// SPDX-License-Identifier: MIT
#include "message.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <functional>

namespace gaia {

std::string fill_places(std::string_view text, std::initializer_list<std::string> values) {
  fmt::dynamic_format_arg_store<fmt::format_context> places;
  for (const std::string& value : values) places.push_back(std::cref(value));
  return fmt::vformat(text, places);
}

}  // namespace gaia
