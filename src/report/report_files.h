// SPDX-License-Identifier: MIT
/// \file
/// Which files a page is of, and which it has to do without.
#pragma once

#include <string>
#include <vector>

namespace gaia::report {

struct ReportFile {
  std::string path;
  bool is_found = false;  ///< In the folder of a sweep; left out where it cannot be read.
};

struct ReportFiles {
  std::vector<ReportFile> files;
  std::vector<std::string>
      indexes;  ///< index.h5 of the folders that were named, where there is one.
  std::vector<std::string> left_out;  ///< Which are missing from the page, and why, in sentences.
};

/// The files that `results` stand for: of the folder or the index of a sweep those of its members
/// that are complete, else the file itself.
/// \throws ArgumentError, naming `function`, for no results, DataError for a folder without any.
ReportFiles files_of(const std::vector<std::string>& results, const char* function);

/// "member-00001.h5, member-00004.h5 and 20 more"
std::string names_text(const std::vector<std::string>& names);

}  // namespace gaia::report
