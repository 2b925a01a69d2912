// SPDX-License-Identifier: MIT
#include "report.h"

#include <filesystem>

#include "../core/log.h"
#include "../core/message.h"
#include "../io/output_files.h"
#include "../io/same_file.h"
#include "comparison.h"
#include "report_files.h"
#include "result.h"
#include "seed_verdict_page.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;
using namespace report;

/// Part of the one folder that is shown; an index that cannot be read is reported as left out.
SearchPart search_part_of(ReportFiles& files) {
  if (files.indexes.size() != 1) return {};
  try {
    SearchPart part = convergence_section(files.indexes.front());
    part.content = front_section(files.indexes.front()) + part.content;
    return part;
  } catch (const DataError& error) {
    files.left_out.push_back(error.what());
    return {};
  }
}

}  // namespace

std::string report_page(const std::vector<std::string>& paths) {
  ReportFiles files = files_of(paths, "report_page");
  std::vector<ComparedRun> runs;
  if (files.files.size() > 1) runs = read_runs(files);
  const SearchPart search = runs.size() > 1 ? search_part_of(files) : SearchPart{};
  for (const std::string& one : files.left_out) log_warning(one);
  if (runs.size() > 1) return comparison_page(runs, files.left_out, search);
  const Result result(files.files.front().path);
  if (result.is_seed_verdict()) return seed_verdict_page(result);
  return result.kind().report_page(result, files.left_out);
}

std::string default_report_path(const std::vector<std::string>& paths) {
  const std::vector<ReportFile> results = files_of(paths, "default_report_path").files;
  fs::path path = results.front().path;
  if (results.size() > 1) return (path.parent_path() / "comparison.html").string();
  if (path.extension() == ".partial") path.replace_extension();
  return path.replace_extension(".html").string();
}

void write_report(const std::vector<std::string>& paths, const std::string& path, bool overwrite) {
  const std::string ending = fs::path(path).extension().string();
  if (ending != ".html" && ending != ".htm") {
    throw ArgumentError("--output: expected a name that ends in .html, got '" + path + "'");
  }
  for (const ReportFile& result : files_of(paths, "write_report").files) {
    if (is_same_file(result.path, path)) {
      throw OutputError(path + " is the result that is read; the report needs another name");
    }
  }
  if (!overwrite) clear_the_way(path, false);  // reported before the work
  const std::string page = report_page(paths);
  const auto lock = claim_output(path, overwrite);
  write_file(path, {page});
}

}  // namespace gaia
