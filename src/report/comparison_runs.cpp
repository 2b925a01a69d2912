// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
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
  result.kind().compare(result, file.is_found, run);
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

std::vector<std::vector<std::size_t>> groups_by_settings(const std::vector<ComparedRun>& runs,
                                                         const std::vector<Dimension>& keys) {
  std::map<std::vector<std::string>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<std::string> rest;
    for (const Dimension& key : keys) {
      if (key.name != "seed") rest.push_back(key.texts[i]);
    }
    groups[rest].push_back(i);
  }
  std::vector<std::vector<std::size_t>> found;
  for (auto& group : groups) found.push_back(std::move(group.second));
  std::sort(found.begin(), found.end());
  return found;
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
    dimension.higher_is_better = !name.ends_with("NRMSE") && !name.ends_with(" loss");
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
