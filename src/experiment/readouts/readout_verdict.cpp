// SPDX-License-Identifier: MIT
#include "readout_verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../learning/logistic_readout.h"
#include "../../learning/naming_readout.h"

namespace gaia {

std::string control_score_name(const std::string& control, const std::string& readout_type,
                               const std::string& title) {
  const std::string text = title.empty() ? control_title(control) : title;
  // The title of a control with the same weights needs no mention of the readout.
  if (title_stands_alone(control) || readout_type.empty()) return text;
  // Where there are no neurons that could have names, it is logistic regression.
  const bool names = readout_type == NamingOptions::name;
  return (names ? LogisticOptions::name : readout_type) + " on " + text;
}

std::vector<Score> others_of(const ReadoutConfig& readout, const ReadoutScore& score,
                             const std::vector<ControlScore>& controls) {
  std::vector<Score> others = score.baselines();
  for (const ControlScore& one : controls) {
    others.push_back(one.score.own());
    others.back().name = control_score_name(one.control, readout.kind->name(), one.title);
  }
  return others;
}

std::vector<std::string> doubts_about(const ReadoutConfig& readout, bool in_sample) {
  std::vector<std::string> doubts;
  if (in_sample && !readout.learn) doubts.emplace_back(kInSample);
  const ReadoutTarget& target = readout.target;
  if (readout.task() == ReadoutTask::regression && target.of == ReadoutTarget::Of::channel &&
      target.horizon == 0 && target.mean_over == 1) {
    doubts.emplace_back(kTargetIsInput);
  }
  if (readout.looks_ahead) doubts.emplace_back(kLooksAhead);
  return doubts;
}

std::vector<std::string> remarks_about(const ExperimentConfig& config, const ReadoutConfig& readout,
                                       bool in_sample) {
  const bool levels_learn = config.hierarchy().learns_at_first();
  std::vector<std::string> remarks;
  if (in_sample && readout.learn) {
    remarks.emplace_back(
        "the levels began with weights that were trained on these data (hierarchy.from), on rows "
        "that are scored here too");
  }
  if (!readout.learn && levels_learn && config.hierarchy().epochs > 1) {
    remarks.emplace_back(
        "the levels have learnt from all rows in the epochs before the one that is scored");
  }
  const bool has_folds = readout.folds > 0 && readout.learn;
  const bool scaling = readout.learn && config.data.is_measured() && config.data.measured.empty();
  if (scaling || (has_folds && levels_learn)) {
    remarks.push_back(
        fmt::format("{} read all rows, {}",
                    !scaling                    ? "the levels' own learning has"
                    : has_folds && levels_learn ? "moments and the levels' own learning have"
                                                : "moments have",
                    has_folds ? "those of each fold too" : "those that are scored too"));
  }
  return remarks;
}

Verdict verdict_of_readout(const ReadoutConfig& readout, const ReadoutScore& score,
                           const std::vector<ControlScore>& controls, bool in_sample,
                           const std::vector<std::string>& remarks) {
  return verdict_of(score.own(), others_of(readout, score, controls),
                    doubts_about(readout, in_sample), remarks);
}

std::string likely_cause(const std::vector<Verdict>& verdicts, const HierarchyManager& hierarchy) {
  const bool loses = std::any_of(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) {
    return verdict.learning == Verdict::Learning::loses;
  });
  if (!loses) return {};
  std::string rates;
  for (std::size_t n = 0; n < hierarchy.levels().size(); ++n) {
    const HierarchicalLevel& level = hierarchy.levels()[n];
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      const AutoRate* const rate = level.layer(m).automatic_rate();
      if (rate == nullptr || rate->ticks() == 0) continue;
      rates += fmt::format("{}levels[{}].layers[{}] came to {:.2g}", rates.empty() ? "" : ", ", n,
                           m, rate->rate());
    }
  }
  if (rates.empty()) return {};
  return fmt::format(
      "the likely cause that learning loses is learning_rate: auto ({}); write a number there, or "
      "let `gaia search` find one",
      rates);
}

std::string with_cause(const std::string& verdict, const std::string& cause) {
  return verdict + (cause.empty() ? "" : "; ") + cause;
}

}  // namespace gaia
