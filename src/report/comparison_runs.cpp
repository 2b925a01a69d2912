// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "../core/error.h"
#include "../core/text.h"
#include "comparison.h"
#include "markup.h"
#include "sections.h"

namespace gaia::report {
namespace {

constexpr const char* kNone = "–";
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

void read_network(const Result& result, ComparedRun& run) {
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

/// Members of a sweep or a search are compared by their validation parts, where they have some: the
/// test part is told of the chosen one alone.
void read_hierarchy(const Result& result, bool is_member, ComparedRun& run) {
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

void read_agent(const Result& result, ComparedRun& run) {
  const auto mean = result.number("agent", "mean_return");
  if (mean && std::isfinite(*mean)) run.scores.emplace_back("mean return", *mean);
  run.curve_name = "return of an episode";
  run.curve = curve(result, "agent/episodes/episode", "agent/episodes/return");
}

ComparedRun read_run(const ReportFile& file) {
  const std::string& path = file.path;
  const Result result(path);
  if (result.is_seed_verdict()) {
    throw DataError(path +
                    ": is a verdict over several seeds, no run to compare with others; "
                    "`gaia report` makes a page of it alone");
  }
  ComparedRun run;
  run.label = result.name();
  run.path = path;
  run.status = result.status();
  run.config = flatten(result.text("", "config"));
  run.seconds = result.number("", "wall_seconds").value_or(kNoValue);
  if (result.is_agent()) {
    read_agent(result, run);
  } else if (result.is_network()) {
    read_network(result, run);
  } else {
    read_hierarchy(result, file.is_found, run);
  }
  return run;
}

}  // namespace

std::vector<ComparedRun> read_runs(ReportFiles& files) {
  std::vector<ComparedRun> runs;
  std::map<std::string, int> names;
  std::vector<std::string> reasons;
  std::erase_if(files.files, [&](const ReportFile& file) {
    try {
      ++names[runs.emplace_back(read_run(file)).label];
      return false;
    } catch (const DataError& error) {
      if (!file.is_found) throw;
      reasons.emplace_back(error.what());
      return true;
    }
  });
  if (!reasons.empty()) {
    const auto count = std::ssize(reasons);
    files.left_out.push_back(fmt::format("{} member{} cannot be read, and left out: {}", count,
                                         count == 1 ? "" : "s", names_text(reasons)));
  }
  if (runs.empty()) throw DataError("expected a member that can be read; " + files.left_out.back());
  for (ComparedRun& run : runs) {
    if (names[run.label] > 1) run.label = run.path;
  }
  return runs;
}

std::vector<Dimension> differing_keys(const std::vector<ComparedRun>& runs) {
  std::vector<std::string> keys;
  for (const ComparedRun& run : runs) {
    for (const std::string& key : run.config.keys) {
      if (key != "output.path" && std::find(keys.begin(), keys.end(), key) == keys.end()) {
        keys.push_back(key);
      }
    }
  }
  std::vector<Dimension> differing;
  for (const std::string& key : keys) {
    Dimension dimension{.name = key, .texts = {}, .numbers = {}, .words = {}};
    bool all_numbers = true;
    for (const ComparedRun& run : runs) {
      const auto found = run.config.values.find(key);
      dimension.texts.push_back(found == run.config.values.end() ? kNone : found->second);
      all_numbers = all_numbers && parse_number(dimension.texts.back()).has_value();
    }
    const bool differs =
        std::any_of(dimension.texts.begin(), dimension.texts.end(),
                    [&](const std::string& text) { return text != dimension.texts.front(); });
    if (!differs) continue;
    for (const std::string& text : dimension.texts) {
      if (all_numbers) {
        dimension.numbers.push_back(*parse_number(text));
        continue;
      }
      auto word = std::find(dimension.words.begin(), dimension.words.end(), text);
      if (word == dimension.words.end()) word = dimension.words.insert(word, text);
      dimension.numbers.push_back(static_cast<double>(word - dimension.words.begin()));
    }
    differing.push_back(std::move(dimension));
  }
  return differing;
}

std::vector<Dimension> all_scores(const std::vector<ComparedRun>& runs) {
  std::vector<std::string> names;
  for (const ComparedRun& run : runs) {
    for (const auto& score : run.scores) {
      if (std::find(names.begin(), names.end(), score.first) == names.end()) {
        names.push_back(score.first);
      }
    }
  }
  std::vector<Dimension> scores;
  for (const std::string& name : names) {
    Dimension dimension{.name = name, .is_score = true, .texts = {}, .numbers = {}, .words = {}};
    dimension.higher_is_better = name != "NRMSE" && name != "test loss";
    for (const ComparedRun& run : runs) {
      const auto found = std::find_if(run.scores.begin(), run.scores.end(),
                                      [&](const auto& score) { return score.first == name; });
      dimension.numbers.push_back(found == run.scores.end() ? kNoValue : found->second);
      dimension.texts.push_back(found == run.scores.end() ? kNone
                                                          : number_for_people(found->second));
    }
    scores.push_back(std::move(dimension));
  }
  return scores;
}

}  // namespace gaia::report
