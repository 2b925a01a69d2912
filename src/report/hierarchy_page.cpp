// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>

#include "judged.h"
#include "page.h"
#include "pages.h"
#include "sections.h"
#include "wires.h"

namespace gaia::report {

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
  // What neurons look for stands next to the curves where wires were swapped.
  const bool is_rewired =
      !view.layers.empty() && !wires_at_end(result, view.layers.front().inputs).empty();
  const std::string fields = fields_section(result, view.layers);
  sections.add("windows", "Along the stream",
               (is_rewired ? fields : "") + windows_section(judged_hierarchy(result, false)));
  sections.add("answers", "Classes and anomalies", classes_section(view) + ranking_section(view));
  sections.add("levels", "Levels", talk_section(result));
  sections.add("filters", "How sure levels are", filters_section(view));
  sections.add("series", "Series and levels", series_section(view));
  sections.add("predictions", "Predictions", predictions_section(view) + free_run_section(view));
  sections.add("learning", "Learning", learning_section(view));
  sections.add("rules", "Rules", rules_section(view.layers));
  sections.add("weights", "Weights",
               weights_section(result, view.layers) + (is_rewired ? "" : fields));
  sections.add("spectra", "Spectra", spectra_section(view));
  sections.add("speed", "Speed", speed_section(view));
  sections.add("repeat", "What ran, and how to repeat it", repeat_section(result));
  return page_markup(result.text("", "experiment") + " – gaia",
                     heading(result, hierarchy_lead(view), hierarchy_tiles(view)), sections.all());
}

void compare_hierarchy(const Result& result, bool is_member, ComparedRun& run) {
  run.judged = judged_hierarchy(result, is_member);
  for (const ReadoutFacts& readout : read_readouts(result)) {
    const bool by_validation = is_member && readout.validation;
    const Score& score = by_validation ? *readout.validation : readout.score;
    if (!std::isfinite(score.value)) continue;
    run.scores.emplace_back(
        (by_validation ? "validation " : "") + measure_text(score) + " " + readout.name,
        score.value);
  }
  const std::vector<std::int64_t> shape = result.shape("metrics/weight_norm");
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1 || shape[1] > 64) return;
  const std::int64_t last_level = shape[1] - 1;
  run.curve_name = fmt::format("change of the weights of level {} per block", last_level);
  run.curve = curve(result, "metrics/step", "metrics/weight_change", last_level);
  if (!run.scores.empty()) return;
  // Without readouts there is nothing to be right about, but still something to tell apart.
  for (const auto& [name, dataset] :
       {std::pair("|w|", "metrics/weight_norm"), std::pair("|y|", "metrics/mean_activity")}) {
    std::vector<double> row(static_cast<std::size_t>(shape[1]));
    if (result.shape(dataset) != shape) continue;
    result.read_rows(dataset, shape[0] - 1, 1, row.data());
    for (std::size_t level = 0; level < row.size(); ++level) {
      run.scores.emplace_back(fmt::format("{} level {}", name, level), row[level]);
    }
  }
}

}  // namespace gaia::report
