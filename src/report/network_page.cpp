// SPDX-License-Identifier: MIT
#include <cmath>

#include "judged.h"
#include "network_score.h"
#include "page.h"
#include "pages.h"
#include "sections.h"

namespace gaia::report {

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
  sections.add("tasks", "Tasks", tasks_section(result));
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

void compare_network(const Result& result, ComparedRun& run) {
  run.judged = judged_network(result);
  const auto add = [&](const char* name, const char* attribute) {
    const auto value = result.number("test", attribute);
    if (value && std::isfinite(*value)) run.scores.emplace_back(name, *value);
  };
  add("test accuracy", "accuracy");
  add("NRMSE", "nrmse");
  add("R²", "r2");
  add("test loss", "loss");
  run.curve_name = "test loss";
  run.curve = curve(result, "history/epoch", "history/test_loss");
}

}  // namespace gaia::report
