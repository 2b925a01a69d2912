// SPDX-License-Identifier: MIT
#include "search_members.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "../../core/error.h"
#include "../../core/names.h"
#include "../../core/text.h"
#include "../config/config_writer.h"
#include "../config/yaml_path.h"
#include "../readouts/readout_score.h"

namespace gaia {
namespace {

/// What a search may choose by, of the scores that a readout has.
std::vector<std::string> scores_of(const ReadoutConfig& readout) {
  std::vector<std::string> scores;
  const auto* const statistic = readout.kind.get_if<StatisticOptions>();
  ReadoutScore score{.task = readout.task()};
  if (statistic != nullptr) score.measure = &statistic->measure();
  for (const auto& [name, value] : score.numbers()) {
    const std::vector<std::string>& all = search_scores();
    if (std::find(all.begin(), all.end(), name) != all.end()) scores.push_back(name);
  }
  return scores;
}

}  // namespace

SearchMembers::SearchMembers(const std::string& path, const Overrides& overrides)
    : Members(path, overrides, "search") {
  YamlNode said;
  take_section([&](const YamlNode& root, Problems& problems) {
    section_ = read_search_section(root, problems);
    said = root;
  });
  const Experiment own = load_own();
  check_objectives(own.config, said);
  first_seed_ = own.config.seed;
  const std::int64_t seeds = 2 * section_.seeds + section_.held_out_seeds;
  if (first_seed_ > std::numeric_limits<std::int64_t>::max() - seeds) {
    throw ConfigError(
        fmt::format("{}: seed: {} and {} more are too many", path, first_seed_, seeds - 1));
  }
  Problems problems("configuration", "");
  const YamlNode resolved = parse_yaml(to_yaml(own.config), problems);
  take_lengths(resolved);
  std::vector<YamlNode> values;
  for (const SearchScale& one : section_.parameters) {
    const YamlNode* value = find_in_yaml(resolved, one.scale.name);
    if (value == nullptr) return;
    values.push_back(*value);
  }
  own_values_ = std::move(values);
}

void SearchMembers::take_lengths(const YamlNode& resolved) {
  if (!section_.halving) return;
  const HalvingSection& halving = *section_.halving;
  Problems problems = file().problems;
  double least = 1.0;  // so that every rung has a length of its own
  for (std::int64_t rung = 1; rung < halving.options.rungs; ++rung) {
    least *= static_cast<double>(halving.options.factor);
  }
  for (const std::string& key : halving.shortens) {
    const YamlNode* value = find_in_yaml(resolved, key);
    const bool is_plain =
        value != nullptr && value->kind == YamlNode::Kind::scalar && !value->quoted;
    const auto length = is_plain ? parse_integer(value->text) : std::nullopt;
    if (length && static_cast<double>(*length) >= least) {
      lengths_.push_back(*length);
      continue;
    }
    problems.add(halving.origin, "search.halving.shortens",
                 fmt::format("expected {} to be a whole number of at least {} in the file, for {} "
                             "rungs of factor {}, got {}; write it into the file",
                             key, least, halving.options.rungs, halving.options.factor,
                             value == nullptr ? std::string("nothing") : value->describe()));
  }
  problems.throw_if_any();
}

void SearchMembers::check_objectives(const ExperimentConfig& config, const YamlNode& root) const {
  Problems problems = file().problems;
  const bool has_list = find_in_yaml(root, "search.objectives") != nullptr;
  for (std::size_t i = 0; i < section_.objectives.size(); ++i) {
    const std::string key =
        has_list ? fmt::format("search.objectives[{}]", i) : std::string("search.objective");
    const YamlNode* const at = find_in_yaml(root, key);
    const Origin origin = at == nullptr ? Origin{} : at->origin;
    const SearchObjective& objective = section_.objectives[i];
    if (objective.measure == SearchObjective::Measure::score) {
      check_score(config, objective, key, origin, problems);
    } else if (objective.measure == SearchObjective::Measure::weights &&
               config.output.weights.what == Recording::What::none) {
      problems.add(origin, key, "weights are counted in the results; output.weights: final");
    }
  }
  problems.throw_if_any();
}

void SearchMembers::check_score(const ExperimentConfig& config, const SearchObjective& objective,
                                const std::string& key, const Origin& at,
                                Problems& problems) const {
  std::vector<std::string> names;
  for (const ReadoutConfig& readout : config.readouts) names.push_back(readout.name);
  const auto readout = std::find(names.begin(), names.end(), objective.readout);
  if (names.empty()) return problems.add(at, key, config.kind->why_no_judge());
  if (readout == names.end()) {
    return problems.add(at, key + ".readout",
                        "there is no readout '" + objective.readout + "'" +
                            did_you_mean(objective.readout, names) + "; there is " + join(names));
  }
  const ReadoutConfig& judge = config.readouts[static_cast<std::size_t>(readout - names.begin())];
  if (const std::vector<std::string> scores = scores_of(judge);
      std::find(scores.begin(), scores.end(), objective.score) == scores.end()) {
    problems.add(at, key + ".score",
                 "readout " + objective.readout + " has no score '" + objective.score +
                     "'; it has " + join(scores));
  }
  if (!(judge.split.validation > 0.0)) {
    problems.add(at, key + ".readout",
                 "readout " + objective.readout +
                     " has no validation part by which candidates could be chosen; give it one, "
                     "such as split: {train: 0.6, validation: 0.2, test: 0.2}");
  }
}

SearchOptions SearchMembers::options() const {
  const auto least = std::max<std::int64_t>(4, section_.evaluations);
  SearchOptions options{
      .method = section_.method,
      .evaluations = section_.evaluations,
      .population = section_.population,
      .separable = section_.is_separable,
      .random = RandomStream::named(static_cast<std::uint64_t>(first_seed_), "search")};
  // What is drawn at random needs no turns.
  const bool at_once = section_.method == SearchMethod::random && section_.population == 0;
  if (at_once) options.population = least;
  return options;
}

SearchOptions SearchMembers::options_of_control(std::int64_t count) const {
  return {.method = SearchMethod::random,
          .evaluations = count,
          .population = std::max<std::int64_t>(4, count),
          .random = RandomStream::named(static_cast<std::uint64_t>(first_seed_), "search/random")};
}

Objectives SearchMembers::reference() const {
  Objectives reference;
  for (std::size_t i = 0; i < section_.reference.size(); ++i) {
    reference.push_back(section_.objectives[i].signed_value(section_.reference[i]));
  }
  return reference;
}

FrontSearchOptions SearchMembers::front_options() const {
  FrontSearchOptions options{
      .objectives = std::ssize(section_.objectives),
      .method = section_.method,
      .evaluations = section_.evaluations,
      .population = section_.population,
      .reference = reference(),
      .random = RandomStream::named(static_cast<std::uint64_t>(first_seed_), "search")};
  const bool at_once = section_.method == SearchMethod::random && section_.population == 0;
  if (at_once) options.population = std::max<std::int64_t>(4, section_.evaluations);
  return options;
}

FrontSearchOptions SearchMembers::front_options_of_control(std::int64_t count) const {
  FrontSearchOptions options = front_options();
  options.method = SearchMethod::random;
  options.evaluations = count;
  options.population = std::max<std::int64_t>(4, count);
  options.random = RandomStream::named(static_cast<std::uint64_t>(first_seed_), "search/random");
  return options;
}

void SearchMembers::set_ends() {
  candidates_.clear();
  std::vector<double> low;
  std::vector<double> high;
  for (const SearchScale& one : section_.parameters) {
    low.push_back(one.scale.low);
    high.push_back(one.scale.high);
  }
  set(0, low);
  set(1, high);
  for (std::size_t k = 0; k < section_.parameters.size(); ++k) {
    for (std::size_t choice = 1; choice + 1 < section_.parameters[k].choices.size(); ++choice) {
      std::vector<double> values = low;
      values[k] = static_cast<double>(choice);
      set(candidates(), values);
    }
  }
  // The first rung has the shortest runs, in which not everything may fit.
  if (section_.halving) set(candidates(), low, 0, 0);
}

void SearchMembers::set(std::int64_t number, std::vector<double> values, std::int64_t later,
                        std::optional<std::int64_t> rung) {
  const auto place = static_cast<std::size_t>(number);
  if (candidates_.size() <= place) candidates_.resize(place + 1);
  candidates_[place] = Candidate{std::move(values), later, rung};
}

std::vector<std::string> SearchMembers::keys() const {
  std::vector<std::string> keys;
  for (const SearchScale& one : section_.parameters) keys.push_back(one.scale.name);
  if (section_.halving) {
    for (const std::string& key : section_.halving->shortens) keys.push_back(key);
  }
  keys.emplace_back("seed");
  return keys;
}

bool SearchMembers::may_be_replicas() const {
  if (section_.is_timed()) return false;  // Runs that are computed together take one time.
  return std::all_of(section_.parameters.begin(), section_.parameters.end(),
                     [](const SearchScale& one) {
                       return one.scale.name.starts_with("hierarchy.") && !one.scale.is_integer &&
                              one.choices.empty();
                     });
}

const SearchMembers::Candidate& SearchMembers::at(std::int64_t member) const {
  const auto number = static_cast<std::size_t>(member / section_.seeds);
  if (member < 0 || number >= candidates_.size() || !candidates_[number]) {
    throw ArgumentError(
        fmt::format("there is no member {}; this search has {} so far", member, size()));
  }
  return *candidates_[number];
}

std::vector<MemberSetting> SearchMembers::settings(std::int64_t member) const {
  const std::vector<double>& values = values_of(member);
  std::vector<MemberSetting> settings;
  for (std::size_t k = 0; k < section_.parameters.size(); ++k) {
    const SearchScale& one = section_.parameters[k];
    settings.push_back(
        {one.scale.name, values.empty() ? (*own_values_)[k] : one.node(values[k]), one.origin});
  }
  for (std::size_t k = 0; k < lengths_.size(); ++k) {
    const HalvingSection& halving = *section_.halving;
    const SuccessiveHalving rungs(1, halving.options);
    const std::int64_t rung = rung_of(member).value_or(halving.options.rungs - 1);
    settings.push_back({halving.shortens[k],
                        plain_node(fmt::format("{}", rungs.part_of(lengths_[k], rung))),
                        halving.origin});
  }
  settings.push_back({"seed", plain_node(fmt::format("{}", seed_of(member))), Origin{}});
  return settings;
}

}  // namespace gaia
