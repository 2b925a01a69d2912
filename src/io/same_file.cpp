// SPDX-License-Identifier: MIT
#include "same_file.h"

#include <filesystem>
#include <system_error>

namespace gaia {
namespace {

namespace fs = std::filesystem;

/// The place to which a path leads once its folders exist: ".." goes back out of one that is yet to
/// be created.
fs::path destination(const std::string& path) {
  std::error_code error;
  fs::path found;
  for (const fs::path& part : fs::absolute(path, error)) {
    if (part == "..") {
      found = found.parent_path();
      continue;
    }
    if (part.empty() || part == ".") continue;
    found /= part;
    const fs::path real = fs::canonical(found, error);
    if (!error) found = real;
  }
  return found;
}

}  // namespace

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  const fs::path first = destination(a);
  const fs::path second = destination(b);
  return first == second || fs::equivalent(first, second, error);
}

}  // namespace gaia
