// SPDX-License-Identifier: MIT
#include "seed_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../core/error.h"
#include "../../core/sort_stably.h"
#include "../../io/hdf5.h"
#include "../../learning/sign_test.h"
#include "../players/agent_player.h"
#include "../readouts/readout_verdict.h"

namespace gaia {
namespace {

constexpr double kLevel = 0.05;

/// The attribute of results by which a readout is judged.
const char* attribute_of(const std::string& measure) {
  return measure == "R2"               ? "r2"
         : measure == "AUC"            ? "auc_roc"
         : measure == kMeanCorrelation ? "mean_correlation"
                                       : "accuracy";
}

/// A baseline of a readout's group, under its name there.
struct StoredBaseline {
  std::string name;
  std::string title;
  double score;
};

std::vector<StoredBaseline> baselines_of(const hdf5::Group& group, const std::string& measure) {
  const auto number = [&](const char* name) {
    return group.number_attribute(name).value_or(kNoScore);
  };
  if (measure == "accuracy") {
    return {{"majority", kMajorityBaseline, number("majority_accuracy")}};
  }
  if (measure == kMeanCorrelation) return {};
  if (measure == "AUC") {
    return {{"running_mean", kRunningMeanBaseline, number("baseline_auc_roc")}};
  }
  const std::string name = group.text_attribute("baseline").value_or("");
  std::vector<StoredBaseline> found = {{kMeanBaseline, kMeanBaseline, number("mean_r2")}};
  if (name != kMeanBaseline && !name.empty()) {
    found.insert(found.begin(), {name, name, number("baseline_r2")});
  }
  return found;
}

/// Puts a score of the seed that was added last to those of `name`.
void put(ReadoutOverSeeds& readout, const std::string& name, const std::string& title,
         bool is_control, double score) {
  auto found =
      std::find_if(readout.others.begin(), readout.others.end(), [&](const ComparedScores& other) {
        return other.name == name && other.is_control == is_control;
      });
  if (found == readout.others.end()) {
    found = readout.others.insert(found, {.name = name, .title = title, .is_control = is_control});
    // Seeds before this one have not had it.
    found->scores.resize(readout.scores.size(), kNoScore);
  }
  found->scores.back() = score;
}

/// Adds a seed without scores.
void add_no_scores(ReadoutOverSeeds& readout) {
  readout.scores.push_back(kNoScore);
  for (ComparedScores& other : readout.others) other.scores.push_back(kNoScore);
}

void compare_with(ComparedScores& other, const std::vector<double>& own) {
  other.spread = spread_of(other.scores);
  other.ahead = 0;
  other.behind = 0;
  std::vector<double> differences;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const double difference = own[i] - other.scores[i];
    if (!std::isfinite(difference)) continue;
    differences.push_back(difference);
    if (difference > 0.0) ++other.ahead;
    if (difference < 0.0) ++other.behind;
  }
  other.difference = spread_of(differences);
  other.sign_test_p = sign_test(other.ahead, other.behind);
}

std::string count_text(const ComparedScores& other) {
  return fmt::format("in {} of {} seeds", other.ahead, other.difference.count);
}

/// Whether there are differences, but fewer than any sign test could tell something from.
bool are_too_few(const ComparedScores& other) {
  const std::int64_t differences = other.ahead + other.behind;
  return differences > 0 && differences <= kTooFewSeeds;
}

/// So many digits, and never a power of ten where whole numbers will do: returns may be large.
std::string plain(double value, int digits) {
  return std::abs(value) < std::pow(10.0, digits) - 0.5 || std::abs(value) >= 1e9
             ? fmt::format("{:.{}g}", value, digits)
             : fmt::format("{:.0f}", value);
}

/// "learning gains 0.04 over frozen weights (R2 0.36 against 0.32, ahead in 9 of 10 seeds)".
std::string learning_text(const ReadoutOverSeeds& readout, const ComparedScores& frozen) {
  const double gain = frozen.difference.mean;
  const std::string beside =
      fmt::format("({} {} against {}, ahead {}, sign test p {:.2g})", readout.measure,
                  plain(readout.spread.mean, 3), plain(frozen.spread.mean, 3), count_text(frozen),
                  frozen.sign_test_p);
  if (are_too_few(frozen)) {
    return fmt::format("whether learning pays cannot be told from {} seeds {}",
                       frozen.ahead + frozen.behind, beside);
  }
  const bool is_told = frozen.sign_test_p < kLevel;
  if (is_told && frozen.ahead > frozen.behind && gain > 0.0) {
    return fmt::format("learning gains {} over {} {}", plain(gain, 2), frozen.title, beside);
  }
  if (is_told && frozen.behind > frozen.ahead && gain < 0.0) {
    return fmt::format("learning loses {} to {} {}", plain(-gain, 2), frozen.title, beside);
  }
  return "learning does not pay: no difference from " + frozen.title + " is shown " + beside;
}

/// "the readout is better than X, the best of the others (R2 0.3, ahead in 9 of 10 seeds)".
std::string best_text(const ReadoutOverSeeds& readout, const ComparedScores& best,
                      const std::string& subject) {
  const std::string beside =
      fmt::format("{}, the best of the others ({} {}, ahead {})", best.title, readout.measure,
                  plain(best.spread.mean, 3), count_text(best));
  if (are_too_few(best)) {
    return fmt::format("whether {} is better than {} cannot be told from {} seeds", subject, beside,
                       best.ahead + best.behind);
  }
  const bool is_told = best.sign_test_p < kLevel;
  const char* const standing = is_told && best.behind > best.ahead   ? "is beaten by"
                               : is_told && best.ahead > best.behind ? "is better than"
                                                                     : "is no better than";
  return fmt::format("{} {} {}", subject, standing, beside);
}

}  // namespace

Spread spread_of(const std::vector<double>& values) {
  Spread spread;
  double sum = 0.0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++spread.count;
  }
  if (spread.count == 0) return spread;
  spread.mean = sum / static_cast<double>(spread.count);
  if (spread.count < 2) return spread;
  double squares = 0.0;
  for (const double value : values) {
    if (std::isfinite(value)) squares += (value - spread.mean) * (value - spread.mean);
  }
  spread.deviation = std::sqrt(squares / static_cast<double>(spread.count - 1));
  return spread;
}

ReadoutOverSeeds no_seeds_yet(const ReadoutConfig& readout, const std::string& target) {
  const char* const measure = readout.task() == ReadoutTask::regression ? "R2"
                              : readout.task() == ReadoutTask::classes  ? "accuracy"
                              : readout.task() == ReadoutTask::matching ? kMeanCorrelation
                                                                        : "AUC";
  return {.name = readout.name, .target = target, .measure = measure};
}

void ReadoutOverSeeds::add(const ReadoutOverSeeds& one) {
  add_no_scores(*this);
  if (one.scores.empty()) return;
  scores.back() = one.scores.front();
  if (undefined.empty()) undefined = one.undefined;
  for (const ComparedScores& other : one.others) {
    put(*this, other.name, other.title, other.is_control, other.scores.front());
  }
}

void add_scores(ReadoutOverSeeds& readout, const std::string& result) {
  const hdf5::File file = hdf5::File::open(result);
  const hdf5::Group group = file.open_group("readouts").open_group(readout.name);
  const char* const attribute = attribute_of(readout.measure);
  const auto score = group.number_attribute(attribute);
  if (!score) {
    throw DataError(result + ": its readout " + readout.name + " has no attribute " + attribute);
  }
  add_no_scores(readout);
  readout.scores.back() = *score;
  readout.undefined = group.text_attribute("score_undefined").value_or("");
  if (group.has_group("controls")) {
    const hdf5::Group controls = group.open_group("controls");
    const std::string type = group.text_attribute("type").value_or("");
    for (const std::string& name : controls.groups()) {
      put(readout, name, control_score_name(name, type), true,
          controls.open_group(name).number_attribute(attribute).value_or(kNoScore));
    }
  }
  for (const StoredBaseline& baseline : baselines_of(group, readout.measure)) {
    put(readout, baseline.name, baseline.title, false, baseline.score);
  }
}

ReadoutOverSeeds no_returns_yet(const AgentConfig& agent) {
  return {.name = "agent", .target = agent.environment.kind->name(), .measure = "return"};
}

void add_returns(ReadoutOverSeeds& agent, const std::string& result) {
  const hdf5::File file = hdf5::File::open(result);
  const hdf5::Group group = file.open_group("agent");
  const auto score = group.number_attribute("mean_return");
  if (!score) throw DataError(result + ": /agent has no attribute mean_return");
  add_no_scores(agent);
  agent.scores.back() = *score;
  if (!group.has_group("controls")) return;
  const hdf5::Group controls = group.open_group("controls");
  for (const std::string& name : controls.groups()) {
    put(agent, name, agent_control_title(name), true,
        controls.open_group(name).number_attribute("mean_return").value_or(kNoScore));
  }
}

void ReadoutOverSeeds::compare() {
  spread = spread_of(scores);
  for (ComparedScores& other : others) compare_with(other, scores);
  // Controls in the order of their list, baselines after them.
  const bool is_agent = measure == "return";
  const std::vector<std::string> order = is_agent ? known_agent_controls() : known_controls();
  const auto place = [&](const ComparedScores& other) {
    return other.is_control ? std::find(order.begin(), order.end(), other.name) - order.begin()
                            : std::ssize(order) + 1;
  };
  sort_stably(others, [&](const auto& a, const auto& b) { return place(a) < place(b); });
  if (spread.count == 0) {
    verdict = "has no score with any seed" + (undefined.empty() ? "" : ": " + undefined);
    return;
  }
  const ComparedScores* frozen = nullptr;
  const ComparedScores* best = nullptr;
  for (const ComparedScores& other : others) {
    if (other.spread.count == 0) continue;
    if (other.title == kFrozenWeights || (is_agent && other.name == "frozen")) {
      frozen = &other;
    } else if (best == nullptr || other.spread.mean > best->spread.mean) {
      best = &other;
    }
  }
  verdict = frozen == nullptr ? "" : learning_text(*this, *frozen);
  if (best != nullptr) {
    verdict += verdict.empty()
                   ? best_text(*this, *best, "it")
                   : "; " + best_text(*this, *best, is_agent ? "the agent" : "the readout");
  }
  for (const std::string& remark : remarks) verdict += (verdict.empty() ? "" : "; ") + remark;
}

}  // namespace gaia
