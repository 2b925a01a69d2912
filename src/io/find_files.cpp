// SPDX-License-Identifier: MIT
#include "find_files.h"

#include <glob.h>

#include <algorithm>
#include <filesystem>

#include "../core/error.h"

namespace gaia {
namespace {

constexpr const char* kSpecial = "*?[";

/// What the pattern is to take as it stands.
std::string escaped(const std::string& text) {
  std::string plain;
  for (const char c : text) {
    if (c == '\\' || std::string_view(kSpecial).find(c) != std::string_view::npos) plain += '\\';
    plain += c;
  }
  return plain;
}

}  // namespace

bool is_pattern(const std::string& path) { return path.find_first_of(kSpecial) != path.npos; }

std::vector<std::string> find_files(const std::string& pattern, const std::string& folder) {
  const bool is_absolute = std::filesystem::path(pattern).is_absolute();
  const std::string whole =
      is_absolute || folder.empty() ? pattern : escaped(folder) + "/" + pattern;
  glob_t found{};
  const int result = glob(whole.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> files;
  for (std::size_t i = 0; result == 0 && i < found.gl_pathc; ++i) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(found.gl_pathv[i], error)) continue;
    files.push_back(std::filesystem::path(found.gl_pathv[i]).lexically_normal().string());
  }
  globfree(&found);
  if (result != 0 && result != GLOB_NOMATCH) {
    throw DataError(pattern + ": the files that it fits cannot be listed");
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace gaia
