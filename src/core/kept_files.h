// SPDX-License-Identifier: MIT
/// \file
/// Files that a program may make again, kept for the next process: a folder with a limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gaia {

/// Contents by keys.  Processes and threads may share a folder.  A content is written under another
/// name and renamed; what is damaged, or somebody else may have written, is as if it were not
/// there. That nothing can be kept is no error: the log says it once.
class KeptFiles {
 public:
  /// \param folder      Made when it is needed; empty: nothing is kept.
  /// \param most_bytes  Together; those that were not read for longest go first.
  KeptFiles(std::filesystem::path folder, std::int64_t most_bytes);

  /// \param key  Letters and digits, such as a SHA-256.
  std::optional<std::string> find(const std::string& key) const;
  void keep(const std::string& key, std::string_view content) const;

 private:
  void trim() const;

  std::filesystem::path folder_;
  std::int64_t most_bytes_;
};

/// Folder of this user for files of gaia that can be built again: $XDG_CACHE_HOME/gaia, else
/// ~/.cache/gaia; empty where neither is an absolute path.
std::filesystem::path user_cache_folder();

}  // namespace gaia
