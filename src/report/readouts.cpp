// SPDX-License-Identifier: MIT
#include "readouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "../experiment/readouts/readout_verdict.h"
#include "../learning/statistic_readout.h"
#include "changes.h"
#include "markup.h"
#include "predictions_so_far.h"
#include "published.h"
#include "survey.h"

namespace gaia::report {
namespace {

constexpr std::int64_t kMostOutputs = 4096;

/// The statistic that a group has; null in that of another readout.
const StatisticMeasure* measure_in(const Result& result, const std::string& path) {
  for (const StatisticMeasure& one : statistic_measures()) {
    if (result.number(path, one.attribute)) return &one;
  }
  return nullptr;
}

/// By what the readout's own group has.
ReadoutTask task_of(const Result& result, const std::string& path) {
  if (result.has(path + "/score") || result.number(path, "auc_roc")) return ReadoutTask::anomaly;
  if (result.number(path, "mean_correlation")) return ReadoutTask::matching;
  if (measure_in(result, path) != nullptr) return ReadoutTask::statistic;
  const bool has_classes = result.has(path + "/probability") || result.number(path, "accuracy");
  return has_classes ? ReadoutTask::classes : ReadoutTask::regression;
}

/// Predictions whose step is safe in the file; 0 where the datasets do not fit together.
std::int64_t safe_rows(const Result& result, const ReadoutFacts& readout) {
  const char* const told = readout.task == ReadoutTask::anomaly    ? "/score"
                           : readout.task == ReadoutTask::matching ? "/target"
                                                                   : "/prediction";
  const std::vector<std::int64_t> steps = result.shape(readout.path + "/step");
  const std::vector<std::int64_t> predictions = result.shape(readout.path + told);
  const std::vector<std::int64_t> targets = result.shape(readout.path + "/target");
  const bool is_of_numbers =
      readout.task == ReadoutTask::regression || readout.task == ReadoutTask::matching;
  const std::size_t most_axes = is_of_numbers ? 2 : 1;
  if (steps.size() != 1 || predictions.empty() || predictions.size() != targets.size() ||
      predictions.size() > most_axes) {
    return 0;
  }
  if (targets.size() == 2 &&
      (targets[1] != predictions[1] || targets[1] < 1 || targets[1] > kMostOutputs)) {
    return 0;
  }
  const std::int64_t rows = std::min({steps[0], predictions[0], targets[0]});
  return row_of_step(result, readout.path + "/step", rows, result.series_done());
}

/// What the configuration calls the target: "flow" or "3"; "[flow, pressure]" of several.
std::string named_target(const Result& result, const std::string& path, const char* kind) {
  const std::string key = std::string("target_") + kind;
  const std::string text = result.text(path, key);
  if (!text.empty()) return text;
  const auto index = result.integer(path, key);
  return index ? std::to_string(*index) : "";
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// "channel 0 (temperature)", "channels flow, pressure", "column quality".
std::string target_text_of(const Result& result, const std::string& path) {
  for (const char* kind : {"channel", "latent", "column"}) {
    const std::string named = named_target(result, path, kind);
    if (named.empty()) continue;
    if (named.size() > 2 && named.front() == '[' && named.back() == ']') {
      return fmt::format("{}s {}", kind, std::string_view(named).substr(1, named.size() - 2));
    }
    const std::string other = result.text(path, "target_name");
    return other.empty() || other == named ? fmt::format("{} {}", kind, named)
                                           : fmt::format("{} {} ({})", kind, named, other);
  }
  return "target";
}

void read_target(const Result& result, ReadoutFacts& facts) {
  if (facts.task == ReadoutTask::anomaly) {
    facts.title = fmt::format("Readout {} of anomalies", facts.name);
    facts.target = "anomalies";
    const std::string by = result.text(facts.path, "score");
    if (!by.empty()) facts.target += ", by " + by;
    return;
  }
  if (facts.task == ReadoutTask::statistic) {
    facts.target = measure_in(result, facts.path)->name;
    facts.title = fmt::format("Readout {}, {}", facts.name, facts.target);
    return;
  }
  facts.horizon = result.integer(facts.path, "target_horizon").value_or(0);
  facts.target =
      facts.task == ReadoutTask::classes ? "the classes" : target_text_of(result, facts.path);
  facts.title = fmt::format("Readout {} of {}", facts.name, facts.target);
  const std::int64_t mean_over = result.integer(facts.path, "target_mean_over").value_or(1);
  if (mean_over > 1) {
    facts.target = fmt::format("mean of {} over {} steps", facts.target, mean_over);
  }
  if (result.text(facts.path, "target_change") == "true") facts.target += ", by its change";
  if (result.has(facts.path + "/name")) facts.target += ", by names of neurons";
  if (result.text(facts.path, "target_per") == "trial") facts.target += ", once a trial";
  facts.target += facts.horizon == 0
                      ? ", now"
                      : fmt::format(", {} step{} ahead", facts.horizon, plural(facts.horizon));
}

void read_doubts(const Result& result, ReadoutFacts& facts) {
  if (result.text(facts.path, "in_sample") == "true") facts.doubts.emplace_back(kInSample);
  if (facts.task == ReadoutTask::regression && facts.horizon == 0 &&
      !named_target(result, facts.path, "channel").empty() &&
      result.integer(facts.path, "target_mean_over").value_or(1) == 1) {
    facts.doubts.emplace_back(kTargetIsInput);
  }
  if (read_filled(result).looks_ahead()) facts.doubts.emplace_back(kLooksAhead);
}

/// The scores of a group: those of a readout, or those that it reaches on a control.
class GroupScores {
 public:
  GroupScores(const Result& result, std::string path, ReadoutTask task, std::int64_t tested)
      : result_(result), path_(std::move(path)), task_(task), tested_(tested) {}

  double number(const std::string& name) const {
    return result_.number(path_, name).value_or(std::numeric_limits<double>::quiet_NaN());
  }
  /// Score of the numbers whose names begin so.
  Score score(std::string name, const std::string& prefix = "") const {
    if (task_ == ReadoutTask::regression) {
      return {.name = std::move(name),
              .error = number(prefix + "nrmse"),
              .value = number(prefix + "r2"),
              .without = result_.read(path_ + "/" + prefix + "r2_without_block")};
    }
    if (task_ == ReadoutTask::matching) {
      const double reached = number(prefix + "mean_correlation");
      return {.name = std::move(name),
              .error = 1.0 - reached,
              .value = reached,
              .measure = kMeanCorrelation,
              .without = result_.read(path_ + "/" + prefix + "mean_correlation_without_block")};
    }
    if (task_ == ReadoutTask::statistic) {
      const StatisticMeasure* const measure = measure_in(result_, path_);
      if (measure == nullptr) return {.name = std::move(name)};
      const double reached = number(prefix + measure->attribute);
      return {
          .name = std::move(name),
          .error = error_of(*measure, reached),
          .value = reached,
          .measure = measure->name,
          .without = result_.read(path_ + "/" + prefix + measure->attribute + "_without_block")};
    }
    return share(std::move(name),
                 prefix + (task_ == ReadoutTask::classes ? "accuracy" : "auc_roc"));
  }
  Score share(std::string name, const std::string& key) const {
    const char* const measure = task_ == ReadoutTask::classes ? "accuracy" : "AUC";
    Score score = share_score(std::move(name), number(key), measure, tested_);
    score.without = result_.read(path_ + "/" + key + "_without_block");
    return score;
  }

 private:
  const Result& result_;
  std::string path_;
  ReadoutTask task_;
  std::int64_t tested_;
};

void read_baselines(const Result& result, const GroupScores& own, ReadoutFacts& facts) {
  switch (facts.task) {
    case ReadoutTask::regression:
      add_baseline(facts, own.score(result.text(facts.path, "baseline"), "baseline_"));
      add_baseline(facts, own.score(kMeanBaseline, "mean_"));
      return;
    case ReadoutTask::classes:
      add_baseline(facts, own.share(kMajorityBaseline, "majority_accuracy"));
      return;
    case ReadoutTask::matching:
    case ReadoutTask::change:
    case ReadoutTask::statistic:
      return;
    case ReadoutTask::anomaly:
      add_baseline(facts, own.share(kRunningMeanBaseline, "baseline_auc_roc"));
      return;
  }
}

void read_more(const GroupScores& own, ReadoutFacts& facts) {
  const auto add = [&](const char* name, const char* key) {
    if (std::isfinite(own.number(key))) facts.more.emplace_back(name, own.number(key));
  };
  add("balanced accuracy", "balanced_accuracy");
  add("macro F1", "macro_f1");
  add("log loss", "log_loss");
  add("AUC", "auc");
  add("worst |r|", "worst_correlation");
  add("AUC-PR", "auc_pr");
  add("AUC-PR of |x - running mean|", "baseline_auc_pr");
  add("free run: NRMSE", "nrmse_at");
  add("free run: valid steps", "valid_steps");
}

/// The score that the run has written, or that of the predictions so far.
void read_score(const Result& result, const GroupScores& own, ReadoutFacts& facts) {
  facts.score = own.score("this run");
  if (facts.score.is_defined()) return;
  facts.is_unfinished = !result.is_complete();
  if (!facts.is_unfinished) facts.undefined = result.text(facts.path, "score_undefined");
  if (!facts.undefined.empty()) return;
  ScoreSoFar so_far =
      score_so_far(result, facts.path, facts.task, facts.rows, count_targets(result, facts));
  so_far.score.name = "so far";
  facts.score = std::move(so_far.score);
  facts.undefined = std::move(so_far.undefined);
}

}  // namespace

std::string ReadoutFacts::output_name(std::int64_t index) const {
  const auto at = static_cast<std::size_t>(index);
  const std::string told = at < outputs.size() ? outputs[at] : "";
  if (!told.empty() && !is_number(told)) return told;
  return "output " + (told.empty() ? std::to_string(index) : told);
}

std::string ReadoutFacts::class_name(std::int64_t index) const {
  const auto at = static_cast<std::size_t>(index);
  return at < classes.size() && !classes[at].empty() ? classes[at] : std::to_string(index);
}

FilledValues read_filled(const Result& result) {
  const std::string policy = result.text("data", "missing");
  const std::vector<std::int64_t> shape = result.shape("data/filled_share");
  const bool is_told = (policy == "hold" || policy == "interpolate" || policy == "keep") &&
                       shape.size() == 1 && shape == result.shape("data/longest_gap");
  if (!is_told) return {};
  FilledValues filled{.policy = missing_policy_from_name(policy),
                      .channels = result.texts("data", "channel_names"),
                      .shares = result.read("data/filled_share"),
                      .longest = {},
                      .fill = {}};
  for (const double rows : result.read("data/longest_gap")) {
    filled.longest.push_back(static_cast<std::int64_t>(rows));
  }
  // A list of one text is read as a text.
  const std::string one = result.text("data", "channel_names");
  if (!one.empty()) filled.channels = {one};
  for (std::size_t c = filled.channels.size(); c < filled.shares.size(); ++c) {
    filled.channels.push_back(std::to_string(c));
  }
  filled.longest.resize(filled.shares.size());
  return filled;
}

void add_baseline(ReadoutFacts& readout, Score score) {
  const auto is_same = [&](const Score& other) { return other.name == score.name; };
  if (!score.is_defined() ||
      std::any_of(readout.baselines.begin(), readout.baselines.end(), is_same))
    return;
  readout.baselines.push_back(std::move(score));
}

std::int64_t count_targets(const Result& result, const ReadoutFacts& readout) {
  const std::vector<std::int64_t> shape = result.shape(readout.path + "/target");
  return shape.size() == 2 ? shape[1] : 1;
}

std::string measure_text(const Score& score) {
  return score.measure == std::string_view("R2") ? "R²" : score.measure;
}

std::string value_text(double value) {
  if (!(std::abs(value) < 10.0)) return number_for_people(value, 3);
  const double rounded = std::round(value * 1e3) / 1e3;
  // What is not quite 1 does not look as if it were.
  if (rounded == 1.0 && value < 1.0) return number_for_people(value, 5);
  return number_for_people(rounded, std::abs(rounded) < 1.0 ? 3 : 4);
}

std::vector<ReadoutFacts> read_readouts(const Result& result) {
  std::vector<ReadoutFacts> readouts;
  const std::optional<PublishedFacts> published = read_published(result);
  for (const std::string& name : result.groups("readouts")) {
    ReadoutFacts facts;
    facts.name = name;
    if (published && published->readout == name && published->scores.score.empty()) {
      facts.published = published->scores.value;
    }
    facts.path = "readouts/" + name;
    if (tells_changes(result, facts.path)) continue;  // it predicts nothing
    facts.task = task_of(result, facts.path);
    read_target(result, facts);
    read_doubts(result, facts);
    facts.levels = result.text(facts.path, "levels");
    facts.outputs = result.texts(facts.path, "outputs");
    facts.classes = result.texts(facts.path, "classes");
    facts.remarks = result.texts(facts.path, "remarks");
    facts.purge = purge_text(result.integer(facts.path, "purged").value_or(0),
                             result.integer(facts.path, "purge").value_or(0),
                             result.integer(facts.path, "folds").value_or(0) > 0);
    facts.controls_left_out = result.texts(facts.path, "controls_left_out");
    facts.rows = safe_rows(result, facts);
    const bool has_labels =
        facts.task == ReadoutTask::classes || facts.task == ReadoutTask::anomaly;
    const std::int64_t tested = has_labels ? count_known(result, facts.path, facts.rows) : 0;
    const GroupScores own(result, facts.path, facts.task, tested);
    read_score(result, own, facts);
    if (const Score validation = own.score("validation", "validation_"); validation.is_defined()) {
      facts.validation = validation;
    }
    read_more(own, facts);
    read_baselines(result, own, facts);
    const std::string type = result.text(facts.path, "type");
    for (const std::string& control : result.groups(facts.path + "/controls")) {
      const std::string place = facts.path + "/controls/" + control;
      const GroupScores there(result, place, facts.task, tested);
      add_baseline(facts,
                   there.score(control_score_name(control, type, result.text(place, "title"))));
    }
    readouts.push_back(std::move(facts));
  }
  return readouts;
}

}  // namespace gaia::report
