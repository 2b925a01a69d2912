// SPDX-License-Identifier: MIT
#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "../core/error.h"
#include "../io/output_files.h"
#include "../io/same_file.h"
#include "comparison.h"
#include "page.h"
#include "sections.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;
using namespace report;

/// Leaves out sections that have nothing to say.
class Sections {
 public:
  void add(const char* id, const char* title, std::string content) {
    if (!content.empty()) all_.push_back({id, title, std::move(content)});
  }
  const std::vector<Section>& all() const { return all_; }

 private:
  std::vector<Section> all_;
};

std::string hierarchy_page(const Result& result) {
  RunView view(result);
  view.rate = result.number("data", "sample_rate").value_or(0.0);
  view.window = static_cast<double>(result.integer("data", "window").value_or(1));
  view.inputs = survey_inputs(result, view.close_up, view.readouts);
  for (std::int64_t i = 0; i < count_levels(result); ++i) {
    view.levels.push_back(survey_level(result, i, view.close_up));
  }
  view.layers = survey_layers(result);
  view.findings = find_all(result, view.levels, view.layers, view.readouts);
  Sections sections;
  sections.add("findings", "What to know first", findings_section(result, view.findings));
  sections.add("verdict", "Verdict", verdict_section(view));
  sections.add("series", "Series and levels", series_section(view));
  sections.add("predictions", "Predictions", predictions_section(view));
  sections.add("learning", "Learning", learning_section(view));
  sections.add("weights", "Weights",
               weights_section(result, view.layers) + fields_section(result, view.layers));
  sections.add("spectra", "Spectra", spectra_section(view));
  sections.add("speed", "Speed", speed_section(view));
  sections.add("repeat", "What ran, and how to repeat it", repeat_section(result));
  return page_markup(result.text("", "experiment") + " – gaia",
                     heading(result, hierarchy_lead(view), hierarchy_tiles(view)), sections.all());
}

std::string network_page(const Result& result) {
  const std::vector<LayerSurvey> layers = survey_layers(result);
  std::string without_ridge;
  const ReadoutFacts score = read_network_score(result, without_ridge);
  const std::vector<Finding> findings = find_all(result, {}, layers, {score});
  Sections sections;
  sections.add("findings", "What to know first", findings_section(result, findings));
  sections.add("verdict", "Verdict", network_verdict_section(result, score, without_ridge));
  sections.add("learning", "Learning", network_learning_section(result));
  sections.add("answers", "Answers", network_answers_section(result));
  sections.add("weights", "Weights",
               fields_section(result, layers) + weights_section(result, layers));
  sections.add("repeat", "What ran, and how to repeat it", repeat_section(result));
  return page_markup(result.text("", "experiment") + " – gaia",
                     heading(result, network_lead(result), network_tiles(result, score, findings)),
                     sections.all());
}

/// The files that `path` stands for: those of its members, if it is the folder or the index of a
/// sweep, else itself.
std::vector<std::string> files_of(const fs::path& path) {
  std::error_code error;
  const bool is_folder = fs::is_directory(path, error);
  if (!is_folder && path.filename() != "index.h5") return {path.string()};
  const fs::path folder = is_folder ? path : path.parent_path();
  std::vector<std::string> members;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
       !error && entry != end; entry.increment(error)) {
    const fs::path file = entry->path();
    if (file.extension() == ".h5" && file.filename().string().starts_with("member-")) {
      members.push_back((folder / file.filename()).string());
    }
  }
  if (members.empty() && !is_folder) return {path.string()};
  if (members.empty()) {
    throw DataError(path.string() +
                    ": expected the folder of a sweep, with member-*.h5; got one without");
  }
  std::sort(members.begin(), members.end());
  return members;
}

std::vector<std::string> files_of(const std::vector<std::string>& results, const char* function) {
  if (results.empty()) {
    throw ArgumentError(std::string("[") + function + "] expected at least one result");
  }
  std::vector<std::string> files;
  for (const std::string& result : results) {
    for (std::string& file : files_of(fs::path(result))) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

std::string report_page(const std::vector<std::string>& paths) {
  const std::vector<std::string> results = files_of(paths, "report_page");
  if (results.size() > 1) return comparison_page(results);
  const Result result(results.front());
  return result.is_network() ? network_page(result) : hierarchy_page(result);
}

std::string default_report_path(const std::vector<std::string>& paths) {
  const std::vector<std::string> results = files_of(paths, "default_report_path");
  fs::path path = results.front();
  if (results.size() > 1) return (path.parent_path() / "comparison.html").string();
  if (path.extension() == ".partial") path.replace_extension();
  return path.replace_extension(".html").string();
}

void write_report(const std::vector<std::string>& paths, const std::string& path, bool overwrite) {
  const std::vector<std::string> results = files_of(paths, "write_report");
  const std::string ending = fs::path(path).extension().string();
  if (ending != ".html" && ending != ".htm") {
    throw ArgumentError("--output: expected a name that ends in .html, got '" + path + "'");
  }
  for (const std::string& result : results) {
    if (is_same_file(result, path)) {
      throw OutputError(path + " is the result that is read; the report needs another name");
    }
  }
  if (!overwrite) clear_the_way(path, false);  // told before the work
  const std::string page = report_page(results);
  const auto lock = claim_output(path, overwrite);
  write_file(path, {page});
}

}  // namespace gaia
