// SPDX-License-Identifier: MIT
#include "judged.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "../core/error.h"
#include "../core/text.h"
#include "../io/foreign_hdf5/hdf5_reader.h"
#include "../learning/statistic_readout.h"
#include "confusion.h"
#include "published.h"
#include "readouts.h"

namespace gaia::report {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostSeedScores = 100000;
/// Settings by which runs are told apart; others by their names.
constexpr std::ptrdiff_t kMostSettings = 6;

/// A file that may come from somebody else.
class ResultScores final : public ScoreSource {
 public:
  explicit ResultScores(const Result& result) : result_(result) {}
  std::optional<double> number(const std::string& object, const char* name) const override {
    return result_.number(object, name);
  }
  std::string text(const std::string& object, const char* name) const override {
    return result_.text(object, name);
  }
  std::vector<std::string> groups(const std::string& group) const override {
    return result_.groups(group);
  }
  std::vector<std::string> datasets(const std::string& group) const override {
    return result_.datasets(group);
  }
  std::vector<double> read(const std::string& dataset) const override {
    return result_.read(dataset);
  }
  std::string path() const override { return result_.path(); }

 private:
  const Result& result_;
};

const char* measure_of_facts(const ReadoutFacts& facts) {
  const ReadoutTask task = facts.task;
  return task == ReadoutTask::statistic    ? find_statistic(facts.target)->name
         : task == ReadoutTask::regression ? "R2"
         : task == ReadoutTask::classes    ? "accuracy"
         : task == ReadoutTask::matching   ? kMeanCorrelation
                                           : "AUC";
}

/// Windows of every seed, as a verdict has them.
WindowsOverSeeds windows_of_seeds(const Result& result, const std::string& group,
                                  std::size_t seeds) {
  WindowsOverSeeds windows;
  windows.steps = steps_of_windows(result.read(group + "/windows/step"));
  const std::size_t each = windows.steps.size();
  for (const std::string& name : result.datasets(group + "/windows")) {
    const std::vector<double> values = result.read(group + "/windows/" + name);
    if (name == "step" || each == 0 || values.size() != seeds * each) continue;
    WindowsOverSeeds::Curve& curve = windows.curves.emplace_back(WindowsOverSeeds::Curve{name, {}});
    for (std::size_t k = 0; k < seeds; ++k) {
      const auto from = values.begin() + static_cast<std::ptrdiff_t>(k * each);
      curve.seeds.emplace_back(from, from + static_cast<std::ptrdiff_t>(each));
    }
  }
  return windows;
}

/// "seeds 1 to 3", or how many there are where they do not follow on each other.
std::string seeds_of(const std::vector<const ComparedRun*>& runs) {
  std::vector<std::int64_t> seeds;
  for (const ComparedRun* run : runs) {
    const auto found = run->config.values.find("seed");
    const auto seed =
        found == run->config.values.end() ? std::nullopt : parse_integer(found->second);
    if (seed) seeds.push_back(*seed);
  }
  std::sort(seeds.begin(), seeds.end());
  if (seeds.size() == 1) return fmt::format("seed {}", seeds.front());
  const bool follow = !seeds.empty() &&
                      std::adjacent_find(seeds.begin(), seeds.end(),
                                         [](auto a, auto b) { return b != a + 1; }) == seeds.end();
  return follow ? fmt::format("seeds {} to {}", seeds.front(), seeds.back())
                : fmt::format("{} runs", runs.size());
}

/// Members of a search that are reported: kind of candidate by number of the member.
struct SearchChoice {
  std::map<std::int64_t, std::string> members;  ///< By their numbers.
  std::vector<std::int64_t> judging_seeds;      ///< By which nothing was chosen; empty: none ran.
};

/// Nothing for the index of a sweep.
std::optional<SearchChoice> choice_of(const std::string& index) {
  const std::unique_ptr<hdf5::Reader> reader = hdf5::open_reader(index);
  const hdf5::Description* const group = reader->contents().group("/search");
  if (group == nullptr) return std::nullopt;
  SearchChoice choice;
  const std::int64_t seeds =
      std::clamp<std::int64_t>(group->integer("seeds").value_or(1), 1, 100000);
  for (const auto& [name, title] : {std::pair("own_candidate", "the file's own values"),
                                    std::pair("best_random_candidate", "the best at random"),
                                    std::pair("best_candidate", "the best that was searched")}) {
    const auto candidate = group->integer(name);
    if (!candidate || *candidate < 0 || *candidate > kMostSeedScores) continue;
    for (std::int64_t k = 0; k < seeds; ++k) choice.members[*candidate * seeds + k] = title;
  }
  const hdf5::DatasetDescription* const held_out =
      reader->contents().dataset("/search/held_out/seed");
  if (held_out != nullptr && held_out->shape.size() == 1 && held_out->shape[0] <= kMostSeedScores) {
    choice.judging_seeds = reader->read<std::int64_t>(*held_out);
  }
  return choice;
}

/// Number in a name such as "member-00012.h5".
std::optional<std::int64_t> member_number(const std::string& path) {
  const std::string name = fs::path(path).stem().string();
  if (!name.starts_with("member-")) return std::nullopt;
  const std::size_t first = std::min(name.find_first_not_of('0', 7), name.size() - 1);
  return parse_integer(name.substr(first));
}

/// The runs of a search that are reported, with what is said of their values.
JudgedRuns judged_search(ReportFiles& files, const SearchChoice& choice) {
  JudgedRuns judged;
  std::vector<ReportFile> chosen;
  std::map<std::string, std::string> titles;  // titles of configurations, without seed and output
  const auto settings_key = [](const FlatConfig& config) {
    std::string key;
    for (const std::string& name : config.keys) {
      if (name != "seed" && name != "output.path")
        key += name + "=" + config.values.at(name) + "\n";
    }
    return key;
  };
  for (const ReportFile& file : files.files) {
    const auto number = member_number(file.path);
    const auto found = number ? choice.members.find(*number) : choice.members.end();
    if (found == choice.members.end()) continue;
    titles[settings_key(flatten(Result(file.path).text("", "config")))] = found->second;
    if (choice.judging_seeds.empty()) chosen.push_back(file);
  }
  for (const ReportFile& file : files.files) {
    if (choice.judging_seeds.empty()) break;
    const Result result(file.path);
    const bool is_judging = std::count(choice.judging_seeds.begin(), choice.judging_seeds.end(),
                                       result.integer("", "seed").value_or(-1)) > 0;
    // By its test part, since its seed has chosen nothing.
    if (is_judging && titles.count(settings_key(flatten(result.text("", "config")))) > 0) {
      chosen.push_back({file.path, false});
    }
  }
  if (chosen.empty()) throw DataError("expected runs of the candidates that the search names");
  files.files = std::move(chosen);
  const std::vector<ComparedRun> runs = read_runs(files);
  std::map<std::string, std::vector<ComparedRun>> groups;
  for (const ComparedRun& run : runs) groups[titles[settings_key(run.config)]].push_back(run);
  for (auto& [title, members] : groups) {
    std::vector<Judged> one = judged_by_settings(members);
    if (one.empty()) continue;
    one.front().settings = {{"values", title}};
    judged.all.push_back(std::move(one.front()));
  }
  const auto experiment = runs.front().config.values.find("experiment");
  if (experiment != runs.front().config.values.end()) judged.experiment = experiment->second;
  return judged;
}

JudgedRuns judged_folder(ReportFiles& files) {
  JudgedRuns judged;
  const auto choice = files.indexes.empty() ? std::nullopt : choice_of(files.indexes.front());
  if (choice) {
    judged = judged_search(files, *choice);
  } else {
    const std::vector<ComparedRun> runs = read_runs(files);
    judged.all = judged_by_settings(runs);
    const auto experiment = runs.front().config.values.find("experiment");
    if (experiment != runs.front().config.values.end()) judged.experiment = experiment->second;
  }
  judged.left_out = files.left_out;
  return judged;
}

JudgedRuns judged_file(const std::string& path) {
  const Result result(path);
  JudgedRuns judged{.experiment = result.text("", "experiment"), .all = {}};
  Judged& one = judged.all.emplace_back();
  if (result.is_seed_verdict()) {
    const std::int64_t first = result.integer("", "first_seed").value_or(0);
    const std::int64_t seeds = std::max<std::int64_t>(1, result.integer("", "seeds").value_or(1));
    one.seeds = fmt::format("seeds {} to {}", first, first + seeds - 1);
    one.readouts = judged_verdict(result);
    const std::int64_t diverged = result.integer("", "diverged").value_or(0);
    if (diverged > 0) {
      judged.remark = fmt::format("{} of {} runs diverged and count nowhere", diverged, seeds);
    }
    return judged;
  }
  if (!result.is_complete()) {
    throw DataError(path + ": expected a complete result; this one is " + result.status());
  }
  ComparedRun run;
  result.kind().compare(result, false, run);
  one.seeds = fmt::format("seed {}", result.integer("", "seed").value_or(0));
  one.readouts = std::move(run.judged);
  for (ReadoutOverSeeds& readout : one.readouts) {
    readout.compare();
    const bool is_agent = readout.measure == "return";
    // What the run has found itself, by blocks of its test part.
    readout.verdict = result.text(is_agent ? "agent" : "readouts/" + readout.name, "verdict");
  }
  return judged;
}

}  // namespace

std::string Judged::settings_text() const {
  std::string text;
  for (const auto& [key, value] : settings) {
    text += (text.empty() ? "" : ", ") + (key == "values" ? value : key + " " + value);
  }
  return text;
}

std::vector<ReadoutOverSeeds> judged_hierarchy(const Result& result, bool is_member) {
  std::vector<ReadoutOverSeeds> all;
  const std::optional<PublishedFacts> published = read_published(result);
  for (const ReadoutFacts& facts : read_readouts(result)) {
    ReadoutOverSeeds one{
        .name = facts.name, .target = facts.target, .measure = measure_of_facts(facts)};
    one.part = is_member && facts.validation ? "validation" : "";
    const std::string prefix = one.part.empty() ? "" : "validation_";
    const std::string attribute = prefix + attribute_of_measure(one.measure);
    if (!result.number(facts.path, attribute)) continue;
    if (published && published->readout == one.name && prefix.empty()) {
      one.published = published->scores;
    }
    add_scores(one, ResultScores(result), prefix);
    one.purge = facts.purge;
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<ReadoutOverSeeds> judged_agent(const Result& result) {
  if (!result.number("agent", "mean_return")) return {};
  ReadoutOverSeeds agent{
      .name = "agent", .target = result.text("agent", "environment"), .measure = "return"};
  add_returns(agent, ResultScores(result));
  return {agent};
}

namespace {

/// How often each class is shown in a part of the samples.
std::vector<double> shown_classes(const Result& result, const std::string& part) {
  std::vector<double> shown;
  if (part == "test") {
    for (const ClassFigures& figures : count_classes(read_confusion(result, "test/confusion"))) {
      shown.push_back(figures.shown);
    }
    return shown;
  }
  std::map<double, double> counts;
  for (const double target : result.read(part + "/target")) counts[target] += 1.0;
  for (const auto& [target, count] : counts) shown.push_back(count);
  return shown;
}

}  // namespace

std::vector<ReadoutOverSeeds> judged_network(const Result& result, const std::string& part) {
  const auto number = [&](const char* name) { return result.number(part, name); };
  ReadoutOverSeeds one{.name = "network", .target = "the " + part + " part", .measure = "R2"};
  if (part != "test") one.part = part;
  const auto add = [&](const char* title, double score) {
    one.others.push_back({.name = title, .title = title, .scores = {score}});
  };
  if (const auto accuracy = number("accuracy")) {
    one.measure = "accuracy";
    one.scores = {*accuracy};
    double all = 0.0;
    double most = 0.0;
    for (const double shown : shown_classes(result, part)) {
      all += shown;
      most = std::max(most, shown);
    }
    if (all > 0.0) add(kMajorityBaseline, most / all);
  } else if (const auto r2 = number("r2")) {
    one.scores = {*r2};
    const std::string baseline = result.text(part, "baseline");
    if (!baseline.empty() && baseline != kMeanBaseline) {
      add(baseline.c_str(), number("baseline_r2").value_or(kNoScore));
    }
    add(kMeanBaseline, 0.0);
  } else {
    return {};
  }
  return {one};
}

std::vector<ReadoutOverSeeds> judged_verdict(const Result& result) {
  std::vector<ReadoutOverSeeds> readouts;
  const std::optional<PublishedFacts> published = read_published(result);
  for (const std::string& name : result.groups("readouts")) {
    const std::string path = "readouts/" + name;
    ReadoutOverSeeds one{.name = name,
                         .target = result.text(path, "target"),
                         .measure = result.text(path, "measure")};
    if (const std::string units = result.text(path, "units"); !units.empty()) one.units = units;
    one.scores = result.read(path + "/score", kMostSeedScores);
    one.windows = windows_of_seeds(result, path, one.scores.size());
    for (const std::string kind : {"controls", "baselines"}) {
      for (const std::string& other : result.groups(path + "/" + kind)) {
        const std::string own = fmt::format("{}/{}/{}", path, kind, other);
        const std::string title = result.text(own, "title");
        ComparedScores scores{.name = other,
                              .title = title.empty() ? other : title,
                              .is_control = kind == "controls",
                              .scores = result.read(own + "/score", kMostSeedScores),
                              .windows = windows_of_seeds(result, own, one.scores.size())};
        scores.scores.resize(one.scores.size(), kNoScore);
        one.others.push_back(std::move(scores));
      }
    }
    // The return of an agent has no name in the experiment.
    const bool is_of_agent = one.measure == "return";
    if (published && (is_of_agent || published->readout == name)) {
      one.published = published->scores;
      one.published->scores = one.published->score.empty()
                                  ? one.scores
                                  : result.read(path + "/published_score", kMostSeedScores);
    }
    one.compare();
    one.verdict = result.text(path, "verdict");
    readouts.push_back(std::move(one));
  }
  return readouts;
}

std::vector<Judged> judged_by_settings(const std::vector<ComparedRun>& runs) {
  const std::vector<Dimension> keys = differing_keys(runs);
  std::vector<Judged> all;
  for (const std::vector<std::size_t>& group : groups_by_settings(runs, keys)) {
    Judged one;
    const bool is_told_by_settings = std::ssize(keys) <= kMostSettings;
    if (!is_told_by_settings) one.settings = {{"run", runs[group.front()].label}};
    for (const Dimension& key : keys) {
      if (key.name == "seed" || !is_told_by_settings) continue;
      const std::string name = split_key(key.name).second;
      const bool is_alone = std::count_if(keys.begin(), keys.end(), [&](const Dimension& other) {
                              return split_key(other.name).second == name;
                            }) == 1;
      one.settings.emplace_back(is_alone ? name : key.name, key.texts[group.front()]);
    }
    std::vector<const ComparedRun*> members;
    for (const std::size_t i : group) members.push_back(&runs[i]);
    one.seeds = seeds_of(members);
    for (const ComparedRun* run : members) {
      for (const ReadoutOverSeeds& readout : run->judged) {
        auto own = std::find_if(one.readouts.begin(), one.readouts.end(),
                                [&](const auto& other) { return other.name == readout.name; });
        if (own == one.readouts.end()) {
          ReadoutOverSeeds begun = readout;
          begun.scores.clear();
          begun.others.clear();
          begun.windows = {};
          own = one.readouts.insert(own, std::move(begun));
        }
        own->add(readout);
      }
    }
    for (ReadoutOverSeeds& readout : one.readouts) {
      readout.compare();
      // A sign test says nothing of one run.
      if (readout.scores.size() < 2) readout.verdict.clear();
    }
    if (!one.readouts.empty()) all.push_back(std::move(one));
  }
  return all;
}

std::string measure_of(const ReadoutOverSeeds& readout) {
  const std::string measure = readout.measure == "R2" ? "R²" : readout.measure;
  return readout.part.empty() ? measure : readout.part + " " + measure;
}

JudgedRuns judged_runs(const std::string& path) {
  ReportFiles files = files_of({path}, "judged_runs");
  const bool is_folder = files.files.front().is_found;
  JudgedRuns judged = is_folder ? judged_folder(files) : judged_file(files.files.front().path);
  std::erase_if(judged.all, [](const Judged& one) { return one.readouts.empty(); });
  if (judged.all.empty()) {
    throw DataError(path + ": has no readouts and no agent, so there is nothing to judge it by");
  }
  return judged;
}

}  // namespace gaia::report
