// SPDX-License-Identifier: MIT
#include "report.h"

#include <filesystem>

#include "../core/log.h"
#include "../core/message.h"
#include "../core/text.h"
#include "../io/output_files.h"
#include "../io/same_file.h"
#include "comparison.h"
#include "network_score.h"
#include "page.h"
#include "report_files.h"
#include "sections.h"
#include "seed_verdict_page.h"

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

std::string hierarchy_page(const Result& result, const std::vector<std::string>& left_out) {
  RunView view(result);
  view.rate = result.number("data", "sample_rate").value_or(0.0);
  view.window = static_cast<double>(result.integer("data", "window").value_or(1));
  if (std::vector<DatedStep> dates = dated_steps(result); !dates.empty()) {
    view.dates = std::make_shared<const std::vector<DatedStep>>(std::move(dates));
  }
  view.inputs = survey_inputs(result, view.close_up);
  for (std::int64_t i = 0; i < count_levels(result); ++i) {
    view.levels.push_back(survey_level(result, i, view.close_up));
  }
  view.layers = survey_layers(result);
  view.findings = find_all(result, view.levels, view.layers, view.readouts);
  Sections sections;
  sections.add("left-out", "Left out", left_out_section(left_out));
  sections.add("findings", "What to know first", findings_section(result, view.findings));
  sections.add("verdict", "Verdict", verdict_section(view));
  sections.add("answers", "Classes and anomalies", classes_section(view) + ranking_section(view));
  sections.add("series", "Series and levels", series_section(view));
  sections.add("predictions", "Predictions", predictions_section(view));
  sections.add("learning", "Learning", learning_section(view));
  sections.add("rules", "Rules", rules_section(view.layers));
  sections.add("weights", "Weights",
               weights_section(result, view.layers) + fields_section(result, view.layers));
  sections.add("spectra", "Spectra", spectra_section(view));
  sections.add("speed", "Speed", speed_section(view));
  sections.add("repeat", "What ran, and how to repeat it", repeat_section(result));
  return page_markup(result.text("", "experiment") + " – gaia",
                     heading(result, hierarchy_lead(view), hierarchy_tiles(view)), sections.all());
}

std::string network_page(const Result& result, const std::vector<std::string>& left_out) {
  const std::vector<LayerSurvey> layers = survey_layers(result);
  std::string without_ridge;
  const ReadoutFacts score = read_network_score(result, without_ridge);
  const std::vector<Finding> findings = find_all(result, {}, layers, {score});
  Sections sections;
  sections.add("left-out", "Left out", left_out_section(left_out));
  sections.add("findings", "What to know first", findings_section(result, findings));
  sections.add("verdict", "Verdict", network_verdict_section(result, score, without_ridge));
  sections.add("learning", "Learning", network_learning_section(result));
  sections.add("plastic-linear", "Plastic layers", plastic_linear_section(result));
  sections.add("answers", "Answers", network_answers_section(result));
  sections.add("rules", "Rules", rules_section(layers));
  sections.add("weights", "Weights",
               fields_section(result, layers) + weights_section(result, layers));
  sections.add("repeat", "What ran, and how to repeat it", repeat_section(result));
  return page_markup(result.text("", "experiment") + " – gaia",
                     heading(result, network_lead(result), network_tiles(result, score, findings)),
                     sections.all());
}

std::string agent_page(const Result& result, const std::vector<std::string>& left_out) {
  std::vector<Finding> findings = find_all(result, {}, {}, {});
  const std::int64_t impossible = result.integer("agent", "impossible_observations").value_or(0);
  if (impossible > 0) {
    findings.push_back(
        {Finding::Weight::warning,
         message(
             "{}{} impossible by the agent's model, in which a probability of 0 counts as 1e-16: "
             "beliefs then follow from that number. Give what can happen a probability above 0.",
             grouped(impossible), impossible == 1 ? " observation was" : " observations were")});
  }
  if (result.text("agent", "is_bettered") == "true") {
    findings.push_back({Finding::Weight::warning, agent_verdict_text(result)});
  }
  Sections sections;
  sections.add("left-out", "Left out", left_out_section(left_out));
  sections.add("findings", "What to know first", findings_section(result, findings));
  sections.add("verdict", "Verdict", agent_verdict_section(result));
  sections.add("returns", "Returns", agent_returns_section(result));
  sections.add("beliefs", "Beliefs", agent_beliefs_section(result));
  sections.add("signals", "Observations and actions", agent_signals_section(result));
  sections.add("plans", "Plans", agent_plans_section(result));
  sections.add("repeat", "What ran, and how to repeat it", repeat_section(result));
  return page_markup(result.text("", "experiment") + " – gaia",
                     heading(result, agent_lead(result), agent_tiles(result, findings)),
                     sections.all());
}

/// Of the one folder that is shown; an index that cannot be read is told of as left out.
std::string convergence_of(ReportFiles& files) {
  if (files.indexes.size() != 1) return {};
  try {
    return convergence_section(files.indexes.front());
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
  const std::string convergence = runs.size() > 1 ? convergence_of(files) : std::string();
  for (const std::string& one : files.left_out) log_warning(one);
  if (runs.size() > 1) return comparison_page(runs, files.left_out, convergence);
  const Result result(files.files.front().path);
  if (result.is_seed_verdict()) return seed_verdict_page(result);
  if (result.is_agent()) return agent_page(result, files.left_out);
  return result.is_network() ? network_page(result, files.left_out)
                             : hierarchy_page(result, files.left_out);
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
  if (!overwrite) clear_the_way(path, false);  // told before the work
  const std::string page = report_page(paths);
  const auto lock = claim_output(path, overwrite);
  write_file(path, {page});
}

}  // namespace gaia
