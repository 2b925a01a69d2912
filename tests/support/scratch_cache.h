// SPDX-License-Identifier: MIT
/// \file
/// A user's cache folder of its own for a scope.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

namespace gaia::test {

class ScratchCache {
 public:
  ScratchCache() {
    const char* const before = std::getenv("XDG_CACHE_HOME");
    had_ = before != nullptr;
    if (had_) before_ = before;
    std::string name = (std::filesystem::temp_directory_path() / "gaia-cache-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) folder_ = name;
    setenv("XDG_CACHE_HOME", name.c_str(), 1);
  }
  ~ScratchCache() {
    if (had_) {
      setenv("XDG_CACHE_HOME", before_.c_str(), 1);
    } else {
      unsetenv("XDG_CACHE_HOME");
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  ScratchCache(const ScratchCache&) = delete;
  ScratchCache& operator=(const ScratchCache&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

  /// All files in it.
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      if (entry.is_regular_file()) found.push_back(entry.path());
    }
    return found;
  }

 private:
  std::filesystem::path folder_;
  std::string before_;
  bool had_ = false;
};

}  // namespace gaia::test
