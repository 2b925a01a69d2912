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

void compare_network(const Result& result, bool is_member, ComparedRun& run) {
  // Members are chosen by their validation part where there is one.
  const bool by_validation = is_member && result.number("validation", "loss").has_value();
  const std::string part = by_validation ? "validation" : "test";
  run.judged = judged_network(result, part);
  const auto add = [&](const std::string& name, const char* attribute) {
    const auto value = result.number(part, attribute);
    if (value && std::isfinite(*value)) run.scores.emplace_back(name, *value);
  };
  const std::string of_part = by_validation ? "validation " : "";
  add(part + " accuracy", "accuracy");
  add(of_part + "NRMSE", "nrmse");
  add(of_part + "R²", "r2");
  add(part + " loss", "loss");
  run.curve_name = part + " loss";
  run.curve = curve(result, "history/epoch", "history/" + part + "_loss");
}

}  // namespace gaia::report
