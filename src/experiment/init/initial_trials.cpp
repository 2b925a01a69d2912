// SPDX-License-Identifier: MIT
#include "initial_trials.h"

#include <fmt/format.h>

#include "../../core/text.h"
#include "../../io/columns.h"
#include "../config/yaml.h"
#include "forecast_choice.h"

namespace gaia {

std::string trials_text(const DataSurvey& survey) {
  std::string text;
  if (survey.source.trials.by == TrialsConfig::By::column) {
    text = fmt::format(
        "  # A trial is a stretch of rows with one value of {}; nothing is carried over to the "
        "next.\n"
        "  trials: {{column: {}}}\n",
        in_quotes(survey.source.trials.column), quoted(survey.source.trials.column));
  }
  if (!survey.groups.empty()) {
    const bool is_trial = survey.groups == survey.source.trials.column;
    text += fmt::format("  groups: {}  # {}, never both taught and tested with\n",
                        quoted(survey.groups),
                        is_trial ? "a name that comes back means the same trial"
                                 : "what trials of one have in common");
  }
  return text;
}

std::string class_text(const DataSurvey& survey) {
  const std::string& labels = survey.source.labels;
  if (labels.empty()) return "";
  if (!survey.can_classify) {
    return fmt::format(
        "  # No readout of {}: not every class is both in the {} that it would be trained on and\n"
        "  # in those that it would be judged on.\n",
        in_quotes(labels), survey.series->trial_starts().size() > 1 ? "trials" : "rows");
  }
  const std::string skip =
      fmt::format("    skip: {}                   # the part that the levels learn from\n",
                  number_text(kLearningShare));
  if (survey.folds == 0) {
    return fmt::format(
        "  # The class of each row by logistic regression, beside the most frequent class.\n"
        "  - name: class\n"
        "    type: logistic\n"
        "    target: {{label: true}}\n"
        "    levels: [0, 1]\n"
        "{}"
        "    split: {}\n",
        skip, number_text(kTrainingShare));
  }
  const std::string parts = fmt::format(
      "{}"
      "    folds: {:<20} # parts of whole {}, each told by what the others teach\n",
      skip, survey.folds, survey.groups.empty() ? "trials" : "groups");
  if (!survey.is_label_of_trial) {
    return fmt::format(
        "  # The class of each row by logistic regression, beside the most frequent class.\n"
        "  - name: class\n"
        "    type: logistic\n"
        "    target: {{label: true}}\n"
        "    levels: [0, 1]\n"
        "{}",
        parts);
  }
  return fmt::format(
      "  # The class of each trial by logistic regression, from the means over it of what the "
      "levels\n"
      "  # show, beside the most frequent class.\n"
      "  - name: class\n"
      "    type: logistic\n"
      "    target: {{label: true, per: trial}}\n"
      "    levels: [1, 2]\n"
      "{}"
      "    l2: 0.01                    # of few trials much is noise\n",
      parts);
}

}  // namespace gaia
