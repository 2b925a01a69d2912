// SPDX-License-Identifier: MIT
#include "kernel_source.h"

#include <algorithm>

#include "message.h"

namespace gaia {
namespace {

/// What a text includes in quotes.
std::vector<std::string> quoted_includes(std::string_view text) {
  constexpr std::string_view start = "\n#include \"";
  std::vector<std::string> found;
  for (std::size_t at = text.find(start); at != std::string_view::npos; at = text.find(start, at)) {
    at += start.size();
    found.emplace_back(text.substr(at, text.find('"', at) - at));
  }
  return found;
}

}  // namespace

std::vector<SourceText> carried_headers(const std::vector<std::string>& paths) {
  std::vector<SourceText> found;
  std::vector<std::string> wanted = paths;
  while (!wanted.empty()) {
    const std::string path = std::move(wanted.back());
    wanted.pop_back();
    if (std::ranges::find(found, path, &SourceText::name) != found.end()) continue;
    const auto all = all_carried_headers();
    const auto carried = std::ranges::find(all, path, &CarriedText::path);
    if (carried == all.end()) {
      fail<InternalError>(
          "[carried_headers] the library does not carry {}; name it in "
          "src/CMakeLists.txt",
          path);
    }
    found.push_back({path, std::string(carried->text)});
    for (std::string& name : quoted_includes(carried->text)) wanted.push_back(std::move(name));
  }
  return found;
}

}  // namespace gaia
