// SPDX-License-Identifier: MIT
#include "seed_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../core/error.h"
#include "../../io/hdf5.h"
#include "../../learning/sign_test.h"
#include "../../learning/statistic_readout.h"
#include "../players/agent_player.h"
#include "../readouts/readout_verdict.h"

namespace gaia {
namespace {

constexpr double kLevel = 0.05;

/// A baseline of a readout's group, under its name there.
struct StoredBaseline {
  std::string name;
  std::string title;
  double score;
  std::string prefix;  ///< Beginning of the names of its scores along the stream: "majority_".
};

std::vector<StoredBaseline> baselines_of(const ScoreSource& result, const std::string& group,
                                         const std::string& measure, const std::string& prefix) {
  const auto number = [&](const char* name) {
    return result.number(group, (prefix + name).c_str()).value_or(kNoScore);
  };
  if (measure == "accuracy") {
    return {{"majority", kMajorityBaseline, number("majority_accuracy"), "majority_"}};
  }
  if (measure == kMeanCorrelation || find_statistic(measure) != nullptr) return {};
  if (measure == "AUC") {
    return {{"running_mean", kRunningMeanBaseline, number("baseline_auc_roc"), "baseline_"}};
  }
  const std::string name = result.text(group, "baseline");
  std::vector<StoredBaseline> found = {{kMeanBaseline, kMeanBaseline, number("mean_r2"), "mean_"}};
  if (name != kMeanBaseline && !name.empty()) {
    found.insert(found.begin(), {name, name, number("baseline_r2"), "baseline_"});
  }
  return found;
}

/// A result of our own.
class OwnResult final : public ScoreSource {
 public:
  explicit OwnResult(const std::string& path) : path_(path), file_(hdf5::File::open(path)) {}

  std::optional<double> number(const std::string& object, const char* name) const override {
    const auto dataset = dataset_at(object);
    if (dataset) return dataset->number_attribute(name);
    const auto group = group_at(object);
    return group ? group->number_attribute(name) : std::nullopt;
  }
  std::string text(const std::string& object, const char* name) const override {
    if (const auto dataset = dataset_at(object)) return dataset->text_attribute(name).value_or("");
    const auto group = group_at(object);
    return group ? group->text_attribute(name).value_or("") : "";
  }
  std::vector<std::string> groups(const std::string& path) const override {
    const auto group = group_at(path);
    return group ? group->groups() : std::vector<std::string>();
  }
  std::vector<std::string> datasets(const std::string& path) const override {
    const auto group = group_at(path);
    return group ? group->datasets() : std::vector<std::string>();
  }
  std::vector<double> read(const std::string& path) const override {
    const auto dataset = dataset_at(path);
    return dataset ? dataset->read<double>() : std::vector<double>();
  }
  std::string path() const override { return path_; }

 private:
  std::optional<hdf5::Group> group_at(const std::string& path) const {
    std::optional<hdf5::Group> at;
    for (std::size_t begin = 0; begin < path.size();) {
      const std::size_t end = std::min(path.find('/', begin), path.size());
      const std::string name = path.substr(begin, end - begin);
      const hdf5::Group& above = at ? *at : static_cast<const hdf5::Group&>(file_);
      if (!above.has_group(name)) return std::nullopt;
      hdf5::Group next = above.open_group(name);
      at.emplace(std::move(next));
      begin = end + 1;
    }
    return at;
  }
  std::optional<hdf5::Dataset> dataset_at(const std::string& path) const {
    if (!file_.has_dataset(path)) return std::nullopt;
    return file_.open_dataset(path);
  }

  std::string path_;
  hdf5::File file_;
};

/// What stands under `name` beside the readout, with a place for the seed that was added last.
ComparedScores& other_of(ReadoutOverSeeds& readout, const std::string& name,
                         const std::string& title, bool is_control) {
  auto found =
      std::find_if(readout.others.begin(), readout.others.end(), [&](const ComparedScores& other) {
        return other.name == name && other.is_control == is_control;
      });
  if (found == readout.others.end()) {
    found = readout.others.insert(found, {.name = name, .title = title, .is_control = is_control});
    // Seeds before this one have not had it.
    found->scores.resize(readout.scores.size(), kNoScore);
  }
  return *found;
}

/// Adds a seed without scores.
void add_no_scores(ReadoutOverSeeds& readout) {
  readout.scores.push_back(kNoScore);
  readout.windows.add_none();
  if (readout.published) readout.published->scores.push_back(kNoScore);
  for (ComparedScores& other : readout.others) {
    other.scores.push_back(kNoScore);
    other.windows.add_none();
  }
}

/// `is_error`: of two scores the smaller one is the better one.
void compare_with(ComparedScores& other, const std::vector<double>& own, bool is_error) {
  other.spread = spread_of(other.scores);
  other.ahead = 0;
  other.behind = 0;
  std::vector<double> differences;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const double difference = own[i] - other.scores[i];
    if (!std::isfinite(difference)) continue;
    differences.push_back(difference);
    const double gain = is_error ? -difference : difference;
    if (gain > 0.0) ++other.ahead;
    if (gain < 0.0) ++other.behind;
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
  const double gain =
      is_error_measure(readout.measure) ? -frozen.difference.mean : frozen.difference.mean;
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
  const auto* const statistic = readout.kind.get_if<StatisticOptions>();
  const char* const measure = statistic != nullptr ? statistic->measure().name
                              : readout.task() == ReadoutTask::regression ? "R2"
                              : readout.task() == ReadoutTask::classes    ? "accuracy"
                              : readout.task() == ReadoutTask::matching   ? kMeanCorrelation
                                                                          : "AUC";
  return {.name = readout.name, .target = target, .measure = measure};
}

void WindowsOverSeeds::add_none() {
  for (Curve& curve : curves) curve.seeds.emplace_back(steps.size(), kNoScore);
}

void WindowsOverSeeds::put_last(const WindowsOverSeeds& one, std::size_t seeds) {
  if (steps.empty()) steps = one.steps;
  if (steps != one.steps) return;
  for (const Curve& curve : one.curves) {
    auto own = std::find_if(curves.begin(), curves.end(),
                            [&](const Curve& other) { return other.score == curve.score; });
    if (own == curves.end()) {
      own = curves.insert(own, {curve.score, {}});
      own->seeds.resize(seeds, std::vector<double>(steps.size(), kNoScore));
    }
    own->seeds.back() = curve.seeds.front();
  }
}

Spread WindowsOverSeeds::spread_at(const Curve& curve, std::size_t window) {
  std::vector<double> values;
  for (const std::vector<double>& seed : curve.seeds) values.push_back(seed[window]);
  return spread_of(values);
}

void ReadoutOverSeeds::add(const ReadoutOverSeeds& one) {
  add_no_scores(*this);
  if (one.scores.empty()) return;
  units = one.units;
  scores.back() = one.scores.front();
  windows.put_last(one.windows, scores.size());
  if (undefined.empty()) undefined = one.undefined;
  if (published && one.published) published->scores.back() = one.published->scores.front();
  for (const ComparedScores& other : one.others) {
    ComparedScores& own = other_of(*this, other.name, other.title, other.is_control);
    own.scores.back() = other.scores.front();
    own.windows.put_last(other.windows, scores.size());
  }
}

const char* attribute_of_measure(const std::string& measure) {
  if (const StatisticMeasure* const found = find_statistic(measure)) return found->attribute;
  return measure == "R2"               ? "r2"
         : measure == "AUC"            ? "auc_roc"
         : measure == kMeanCorrelation ? "mean_correlation"
                                       : "accuracy";
}

std::vector<std::int64_t> steps_of_windows(const std::vector<double>& numbers) {
  std::vector<std::int64_t> steps;
  for (const double number : numbers) {
    if (!(number >= 0.0 && number < 1e18)) return {};
    steps.push_back(static_cast<std::int64_t>(number));
  }
  return steps;
}

WindowsOverSeeds read_windows(const ScoreSource& result, const std::string& group,
                              const std::string& prefix) {
  WindowsOverSeeds windows;
  const std::string folder = group + "/windows";
  windows.steps = steps_of_windows(result.read(folder + "/step"));
  if (windows.steps.empty()) return windows;
  const std::vector<std::string> names = result.datasets(folder);
  for (const std::string& name : names) {
    // Such as "mean_r2" beside "r2", but not "mean_correlation".
    const bool begins =
        name.starts_with("baseline_") || name.starts_with("mean_") || name.starts_with("majority_");
    const bool is_of_baseline = begins && std::find(names.begin(), names.end(),
                                                    name.substr(name.find('_') + 1)) != names.end();
    if (name == "step" || !name.starts_with(prefix) || (prefix.empty() && is_of_baseline)) continue;
    std::vector<double> values = result.read(folder + "/" + name);
    if (values.size() != windows.steps.size()) continue;
    windows.curves.push_back({name.substr(prefix.size()), {std::move(values)}});
  }
  return windows;
}

void add_scores(ReadoutOverSeeds& readout, const ScoreSource& result, const std::string& prefix) {
  const std::string path = "readouts/" + readout.name;
  const std::string attribute = prefix + attribute_of_measure(readout.measure);
  const auto score = result.number(path, attribute.c_str());
  if (!score) {
    throw DataError(result.path() + ": its readout " + readout.name + " has no attribute " +
                    attribute);
  }
  ReadoutOverSeeds one{.name = readout.name, .target = {}, .measure = {}, .scores = {*score}};
  one.windows = read_windows(result, path);
  one.undefined = result.text(path, "score_undefined");
  if (readout.published) {
    const std::string& asked = readout.published->score;
    const double reached =
        asked.empty() ? *score : result.number(path, asked.c_str()).value_or(kNoScore);
    one.published = PublishedScores{.scores = {reached}};
  }
  const std::string type = result.text(path, "type");
  for (const std::string& name : result.groups(path + "/controls")) {
    const std::string own = path + "/controls/" + name;
    one.others.push_back({.name = name,
                          .title = control_score_name(name, type, result.text(own, "title")),
                          .is_control = true,
                          .scores = {result.number(own, attribute.c_str()).value_or(kNoScore)},
                          .windows = read_windows(result, own)});
  }
  for (const StoredBaseline& baseline : baselines_of(result, path, readout.measure, prefix)) {
    one.others.push_back({.name = baseline.name,
                          .title = baseline.title,
                          .scores = {baseline.score},
                          .windows = read_windows(result, path, baseline.prefix)});
  }
  readout.add(one);
}

void add_scores(ReadoutOverSeeds& readout, const std::string& result) {
  add_scores(readout, OwnResult(result));
}

ReadoutOverSeeds no_returns_yet(const AgentConfig& agent) {
  return {.name = "agent", .target = agent.environment.kind->name(), .measure = "return"};
}

void add_returns(ReadoutOverSeeds& agent, const ScoreSource& result) {
  const auto score = result.number("agent", "mean_return");
  if (!score) throw DataError(result.path() + ": /agent has no attribute mean_return");
  ReadoutOverSeeds one{.name = agent.name, .target = {}, .measure = {}, .scores = {*score}};
  one.units = result.text("agent/episodes/return", "units");
  if (agent.published) one.published = PublishedScores{.scores = {*score}};
  for (const std::string& name : result.groups("agent/controls")) {
    one.others.push_back(
        {.name = name,
         .title = agent_control_title(name),
         .is_control = true,
         .scores = {result.number("agent/controls/" + name, "mean_return").value_or(kNoScore)}});
  }
  agent.add(one);
}

void add_returns(ReadoutOverSeeds& agent, const std::string& result) {
  add_returns(agent, OwnResult(result));
}

void ReadoutOverSeeds::compare() {
  spread = spread_of(scores);
  if (published) published->reached = spread_of(published->scores);
  const bool is_error = is_error_measure(measure);
  for (ComparedScores& other : others) compare_with(other, scores, is_error);
  // Controls in the order of their list, baselines after them.
  const bool is_agent = measure == "return";
  const std::vector<std::string> order = is_agent ? known_agent_controls() : known_controls();
  const auto place = [&](const ComparedScores& other) {
    return other.is_control ? std::find(order.begin(), order.end(), other.name) - order.begin()
                            : std::ssize(order) + 1;
  };
  std::ranges::stable_sort(others,
                           [&](const auto& a, const auto& b) { return place(a) < place(b); });
  if (spread.count == 0) {
    verdict = "has no score with any seed" + (undefined.empty() ? "" : ": " + undefined);
    return;
  }
  const ComparedScores* frozen = nullptr;
  const ComparedScores* best = nullptr;
  for (const ComparedScores& other : others) {
    if (other.spread.count == 0) continue;
    const bool is_frozen = is_without_learning(other.title) || (is_agent && other.name == "frozen");
    const ComparedScores*& of_its_sort = is_frozen ? frozen : best;
    const double than = of_its_sort == nullptr ? 0.0 : of_its_sort->spread.mean;
    const bool is_better = is_error ? other.spread.mean < than : other.spread.mean > than;
    if (of_its_sort == nullptr || is_better) of_its_sort = &other;
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
