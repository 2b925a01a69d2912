// SPDX-License-Identifier: MIT
/// \file
/// Results as a page for people: one self-contained HTML file.  docs/report.md explains its parts.
#pragma once

#include <string>
#include <vector>

namespace gaia {

/// The page of one result, or the comparison of several.  The folder of a sweep, or its index.h5,
/// stands for its members.  Only what is drawn is read.  Members that are left out are on the
/// page and in a warning.
/// \throws ConfigError for a file that is not there, DataError for one that is no results file or
///         cannot be read; of a folder, if none of its members can.
std::string report_page(const std::vector<std::string>& results);

/// Path of the page if nothing else is said: RESULT.html next to RESULT.h5 or RESULT.h5.partial;
/// comparison.html next to the first of several results.
std::string default_report_path(const std::vector<std::string>& results);

/// Writes the page of `results` to a file, whole or not at all.
/// \throws OutputError if the file is there and `overwrite` is not set, if it is one of the
/// results,
///         or if it cannot be written; and as report_page().
void write_report(const std::vector<std::string>& results, const std::string& path, bool overwrite);

}  // namespace gaia
