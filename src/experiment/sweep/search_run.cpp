// SPDX-License-Identifier: MIT
#include "search_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "../../core/error.h"
#include "../../core/names.h"
#include "../../io/diverged.h"
#include "../../io/hdf5.h"
#include "../../io/output_files.h"
#include "counted_weights.h"

namespace gaia {
namespace {

/// A score of a run, or why there is none.
struct ScoreOrReason {
  double score = kNoScore;
  std::string reason = {};
};

/// An objective in a complete result, or the test score that goes with it.
ScoreOrReason score_in(const std::string& result, const SearchObjective& objective, bool of_test) {
  const hdf5::File file = hdf5::File::open(result);
  if (objective.measure == SearchObjective::Measure::weights) {
    return {static_cast<double>(count_weights(file))};
  }
  if (objective.measure == SearchObjective::Measure::time) {
    const auto seconds = file.number_attribute("wall_seconds");
    return {seconds.value_or(kNoScore), seconds ? "" : "its results do not say how long it took"};
  }
  const hdf5::Group readout = file.open_group("readouts").open_group(objective.readout);
  const auto value = readout.number_attribute((of_test ? "" : "validation_") + objective.score);
  if (!value) {
    throw ConfigError(fmt::format(
        "search.objective.score: readout {} has no validation score '{}'; `gaia inspect {}` shows "
        "those that it has",
        objective.readout, objective.score, result));
  }
  if (!std::isnan(*value)) return {*value};
  const std::string why = of_test ? readout.text_attribute("score_undefined").value_or("") : "";
  return {kNoScore, fmt::format("its {} {} is not defined{}", of_test ? "test" : "validation",
                                objective.score, why.empty() ? "" : ": " + why)};
}

class SearchRun {
 public:
  SearchRun(SearchMembers& members, const RunSearchMembers& run,
            const std::function<void(const SearchProgress&)>& on_progress)
      : members_(members), section_(members.section()), run_(run), on_progress_(on_progress) {}

  SearchSummary go() {
    summary_.interrupted = !try_own() || !try_searched() || !try_at_random() || !judge_chosen();
    return std::move(summary_);
  }

 private:
  bool try_own() {
    if (!members_.own_values()) return true;
    summary_.own = 0;
    return judge(CandidateKind::own, 0, {{}}).has_value();
  }

  bool try_searched() {
    if (section_.has_front()) {
      return search_front(CandidateKind::searched, members_.front_options(), summary_.best,
                          summary_.front);
    }
    if (section_.halving) return halve(section_.halving->options);
    return search(CandidateKind::searched, members_.options(), summary_.best);
  }

  /// False: interrupted.
  bool halve(const HalvingOptions& options) {
    const Search drawn(section_.space(), members_.options());
    const std::vector<std::vector<double>> all = drawn.ask();
    SuccessiveHalving halving(std::ssize(all), options);
    const std::size_t begin = summary_.candidates.size();
    while (!halving.is_done()) {
      const std::int64_t rung = halving.rung();
      const bool is_last = rung + 1 == options.rungs;
      const std::vector<std::int64_t> numbers = halving.candidates();
      std::vector<std::vector<double>> values;
      for (const std::int64_t k : numbers) values.push_back(all[static_cast<std::size_t>(k)]);
      const std::size_t first = summary_.candidates.size();
      const auto objectives = judge(CandidateKind::searched, rung, values,
                                    is_last ? std::nullopt : std::optional<std::int64_t>(rung));
      if (!objectives) return false;
      std::optional<std::size_t> best_of_rung;
      for (std::size_t i = first; i < summary_.candidates.size(); ++i) {
        summary_.candidates[i].begun_as = begin + static_cast<std::size_t>(numbers[i - first]);
        summary_.candidates[i].steps = steps_of_candidate(i);
        if (is_better(i, best_of_rung)) best_of_rung = i;
      }
      // Scores of short runs choose who stays, not who is best.
      if (is_last) summary_.best = best_of_rung;
      tell_progress(CandidateKind::searched, rung, best_of_rung);
      halving.tell(*objectives);
      if (!best_of_rung) {
        summary_.why_stopped = fmt::format("no candidate has a score at rung {}", rung);
        return true;
      }
    }
    summary_.why_stopped = "all rungs are done";
    return true;
  }

  /// Steps of its runs, those that diverged too.
  std::int64_t steps_of_candidate(std::size_t candidate) const {
    const std::int64_t first = members_.member_of(static_cast<std::int64_t>(candidate));
    std::int64_t steps = 0;
    for (std::int64_t k = 0; k < section_.seeds; ++k) {
      const std::string result = members_.result_path(first + k);
      std::error_code error;
      const bool is_whole = std::filesystem::exists(result, error);
      const hdf5::File file = hdf5::File::open(is_whole ? result : partial_path(result));
      steps += file.integer_attribute("steps").value_or(0);
    }
    return steps;
  }

  void tell_progress(CandidateKind kind, std::int64_t generation,
                     const std::optional<std::size_t>& best) const {
    if (!on_progress_) return;
    on_progress_({.candidates = static_cast<std::int64_t>(summary_.candidates.size()),
                  .kind = kind,
                  .generation = generation,
                  .is_rung = section_.halving.has_value(),
                  .best = best ? summary_.candidates[*best].mean() : kNoScore});
  }

  bool try_at_random() {
    if (!section_.has_random_control) return true;
    const auto searched = std::count_if(
        summary_.candidates.begin(), summary_.candidates.end(),
        [](const SearchCandidate& one) { return one.kind == CandidateKind::searched; });
    std::string ignored;
    std::swap(ignored, summary_.why_stopped);
    const bool is_done =
        section_.has_front()
            ? search_front(CandidateKind::at_random, members_.front_options_of_control(searched),
                           summary_.at_random, summary_.front_at_random)
            : search(CandidateKind::at_random, members_.options_of_control(searched),
                     summary_.at_random);
    std::swap(ignored, summary_.why_stopped);
    return is_done;
  }

  /// False: interrupted.
  bool search(CandidateKind kind, const SearchOptions& options, std::optional<std::size_t>& best) {
    Search turns(section_.space(), options);
    for (std::int64_t generation = 0; !turns.is_done(); ++generation) {
      const std::size_t first = summary_.candidates.size();
      const auto objectives = judge(kind, generation, turns.ask());
      if (!objectives) return false;
      turns.tell(*objectives);
      for (std::size_t i = first; i < summary_.candidates.size(); ++i) {
        if (is_better(i, best)) best = i;
      }
      tell_progress(kind, generation, best);
    }
    summary_.why_stopped = turns.result().why_stopped;
    return true;
  }

  /// The same for several objectives: `front` becomes those that no other dominates.
  bool search_front(CandidateKind kind, const FrontSearchOptions& options,
                    std::optional<std::size_t>& best, std::vector<std::size_t>& front) {
    FrontSearch turns(section_.space(), options);
    const std::size_t first = summary_.candidates.size();
    for (std::int64_t generation = 0; !turns.is_done(); ++generation) {
      const std::size_t before = summary_.candidates.size();
      if (!judge(kind, generation, turns.ask())) return false;
      std::vector<Objectives> values;
      for (std::size_t i = before; i < summary_.candidates.size(); ++i) {
        values.push_back(signed_means(section_, summary_.candidates[i]));
        if (is_better(i, best)) best = i;
      }
      turns.tell(values);
      front.clear();
      for (const std::size_t place : turns.result().front) front.push_back(first + place);
      const std::vector<double>& volumes = turns.result().hypervolumes;
      if (on_progress_) {
        on_progress_({.candidates = static_cast<std::int64_t>(summary_.candidates.size()),
                      .kind = kind,
                      .generation = generation,
                      .best = best ? summary_.candidates[*best].mean() : kNoScore,
                      .on_front = std::ssize(front),
                      .hypervolume = volumes.empty() ? kNoScore : volumes.back()});
      }
    }
    summary_.why_stopped = turns.result().why_stopped;
    return true;
  }

  bool is_better(std::size_t candidate, const std::optional<std::size_t>& than) const {
    const double own = objective_of(summary_.candidates[candidate]);
    if (std::isnan(own)) return false;
    return !than || own < objective_of(summary_.candidates[*than]);
  }

  /// What is minimised.
  double objective_of(const SearchCandidate& candidate) const {
    return section_.is_minimised() ? candidate.mean() : -candidate.mean();
  }

  /// The objectives of these candidates; nothing where it was interrupted.
  std::optional<std::vector<double>> judge(CandidateKind kind, std::int64_t generation,
                                           const std::vector<std::vector<double>>& candidates,
                                           std::optional<std::int64_t> rung = {}) {
    const std::int64_t first = members_.size();
    for (const std::vector<double>& values : candidates) {
      members_.set(members_.candidates(), values, 0, rung);
    }
    const auto diverged = run_(members_, first);
    if (!diverged) return std::nullopt;
    std::vector<double> objectives;
    std::int64_t member = first;
    for (const std::vector<double>& values : candidates) {
      SearchCandidate candidate{kind, generation, values, {}};
      for (std::int64_t seed = 0; seed < section_.seeds; ++seed, ++member) {
        add_score(candidate,
                  score_of_member(member, *diverged, section_.objectives.front(), false));
        candidate.further.resize(section_.objectives.size() - 1);
        for (std::size_t k = 0; k < candidate.further.size(); ++k) {
          ScoreOrReason one = score_of_member(member, *diverged, section_.objectives[k + 1], false);
          candidate.further[k].push_back(one.score);
          if (candidate.reason.empty()) candidate.reason = std::move(one.reason);
        }
      }
      objectives.push_back(objective_of(candidate));
      summary_.candidates.push_back(std::move(candidate));
    }
    return objectives;
  }

  template <class Scored>
  static void add_score(Scored& to, ScoreOrReason one) {
    to.scores.push_back(one.score);
    if (to.reason.empty()) to.reason = std::move(one.reason);
  }

  ScoreOrReason score_of_member(std::int64_t member, const std::vector<std::int64_t>& diverged,
                                const SearchObjective& objective, bool of_test) const {
    const std::string result = members_.result_path(member);
    if (std::find(diverged.begin(), diverged.end(), member) == diverged.end()) {
      return score_in(result, objective, of_test);
    }
    const std::string why = why_failed(partial_path(result));
    return {kNoScore, why.empty() ? "its run diverged" : "its run diverged: " + why};
  }

  /// Runs what was chosen with seeds that have chosen nothing, for its test scores.
  bool judge_chosen() {
    if (section_.held_out_seeds == 0 || !summary_.best) return true;
    std::vector<std::size_t> chosen;
    for (const auto& one : {summary_.own, summary_.at_random, summary_.best}) {
      if (one && !std::isnan(summary_.candidates[*one].mean())) chosen.push_back(*one);
    }
    if (chosen.size() < 2) return true;
    const std::int64_t first = members_.size();
    const std::int64_t times = (section_.held_out_seeds + section_.seeds - 1) / section_.seeds;
    for (const std::size_t candidate : chosen) {
      for (std::int64_t k = 1; k <= times; ++k) {
        members_.set(members_.candidates(), summary_.candidates[candidate].values,
                     k * section_.seeds);
      }
    }
    const auto diverged = run_(members_, first);
    if (!diverged) return false;
    std::int64_t member = first;
    for (const std::size_t candidate : chosen) {
      JudgedCandidate& judged = summary_.judged.emplace_back();
      judged.candidate = candidate;
      for (std::int64_t k = 0; k < times * section_.seeds; ++k, ++member) {
        add_score(judged, score_of_member(member, *diverged, section_.objectives.front(), true));
      }
    }
    return true;
  }

  SearchMembers& members_;
  const SearchSection& section_;
  const RunSearchMembers& run_;
  const std::function<void(const SearchProgress&)>& on_progress_;
  SearchSummary summary_;
};

}  // namespace

std::string to_string(CandidateKind kind) {
  switch (kind) {
    case CandidateKind::own:
      return "own";
    case CandidateKind::searched:
      return "searched";
    case CandidateKind::at_random:
      break;
  }
  return "random";
}

namespace {

double mean_of_seeds(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

double SearchCandidate::mean() const { return mean_of_seeds(scores); }

const std::vector<double>& SearchCandidate::values_of(std::size_t objective) const {
  return objective == 0 ? scores : further.at(objective - 1);
}

std::vector<double> SearchCandidate::means() const {
  std::vector<double> means = {mean()};
  for (const std::vector<double>& one : further) means.push_back(mean_of_seeds(one));
  return means;
}

Objectives signed_means(const SearchSection& section, const SearchCandidate& candidate) {
  Objectives values = candidate.means();
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = section.objectives[k].signed_value(values[k]);
  }
  return values;
}

HalvingSteps halving_steps(const SearchSummary& summary) {
  HalvingSteps steps;
  std::int64_t begun = 0, last_rung = 0, whole = 0;
  for (const SearchCandidate& one : summary.candidates) {
    if (one.kind != CandidateKind::searched) continue;
    steps.done += one.steps;
    begun += one.generation == 0;
    if (one.generation < last_rung) continue;
    last_rung = one.generation;
    whole = std::max(whole, one.steps);
  }
  if (summary.best) steps.without = begun * whole;
  return steps;
}

SearchSummary run_search(SearchMembers& members, const RunSearchMembers& run,
                         const std::function<void(const SearchProgress&)>& on_progress) {
  return SearchRun(members, run, on_progress).go();
}

}  // namespace gaia
