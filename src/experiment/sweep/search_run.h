// SPDX-License-Identifier: MIT
/// \file
/// A search over the keys of an experiment.  A candidate's objective is the mean of a readout's
/// validation score over several seeds, each a run of its own; or there are several objectives, and
/// what is looked for is their front.
///
/// Candidates follow from the file, its seed and the scores of earlier ones alone, no matter who
/// ran them.  What was run stays in the folder, so a search that was cut goes on by the same
/// command.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "search_members.h"
#include "seed_scores.h"

namespace gaia {

enum class CandidateKind {
  own,        ///< The file's own values.
  searched,   ///< By the method that the file names.
  at_random,  ///< For comparison with what CMA-ES finds.
};

/// "own", "searched", "random": as results have it.
std::string to_string(CandidateKind kind);

struct SearchCandidate {
  CandidateKind kind = CandidateKind::searched;
  std::int64_t generation = 0;
  std::vector<double> values;  ///< Values of the parameters; empty for the file's own candidate.
  std::vector<double> scores;  ///< Scores in the validation part, by seed; NaN: there is none.
  std::string reason = {};     ///< Why the first that has none has none.
  /// The values of each further objective, by seed.
  std::vector<std::vector<double>> further = {};
  /// With halving, where a generation is a rung: the number under which its values were first
  /// judged, and the steps of all its runs here.
  std::size_t begun_as = 0;
  std::int64_t steps = 0;

  /// Mean over the seeds; NaN if one of them has none.
  double mean() const;
  /// The values of an objective, by seed: `scores` of the first.
  const std::vector<double>& values_of(std::size_t objective) const;
  /// Their means, one for each objective.
  std::vector<double> means() const;
};

/// Steps of the candidates of a search with halving, and what they would have been without.
struct HalvingSteps {
  std::int64_t done = 0;
  std::int64_t without = 0;  ///< All candidates of the first rung, by whole runs; 0: unknown.
};

/// A candidate that was chosen, with seeds by which nothing was chosen.
struct JudgedCandidate {
  std::size_t candidate = 0;
  std::vector<double> scores;  ///< Scores in the test part, by seed; NaN: there is none.
  std::string reason = {};     ///< Why the first that has none has none.
};

/// How far a search is, after each generation.
struct SearchProgress {
  std::int64_t candidates = 0;  ///< Candidates that have been judged.
  CandidateKind kind = CandidateKind::searched;
  std::int64_t generation = 0;  ///< Generation that has just ended.
  bool is_rung = false;         ///< It is a rung of halving: `best` is among its candidates alone.
  double best = std::numeric_limits<double>::quiet_NaN();  ///< Mean score of the best of this kind.
  std::int64_t on_front = 0;  ///< How many of this kind none dominates; 0 with one objective.
  /// Hypervolume of these; NaN without a reference.
  double hypervolume = std::numeric_limits<double>::quiet_NaN();
};

/// Runs the members from `first` to the last that are not complete; gives those whose runs
/// diverged, in any order, or nothing if it was interrupted.
/// \throws Error where one has failed otherwise.
using RunSearchMembers = std::function<std::optional<std::vector<std::int64_t>>(
    const SearchMembers& members, std::int64_t first)>;

struct SearchSummary {
  bool interrupted = false;
  std::vector<SearchCandidate> candidates;
  std::optional<std::size_t> own;        ///< Index of the candidate with the file's own values.
  std::optional<std::size_t> best;       ///< Index of the best candidate that was searched.
  std::optional<std::size_t> at_random;  ///< Index of the best candidate at random.
  std::vector<JudgedCandidate> judged;   ///< Those three candidates, as far as they have scores.
  /// With several objectives: those that were searched, and those at random, that no other of
  /// their kind dominates.
  std::vector<std::size_t> front;
  std::vector<std::size_t> front_at_random;
  std::string why_stopped;
};

/// The mean of every objective of a candidate, such that all are to be small.
Objectives signed_means(const SearchSection& section, const SearchCandidate& candidate);
HalvingSteps halving_steps(const SearchSummary& summary);

SearchSummary run_search(SearchMembers& members, const RunSearchMembers& run,
                         const std::function<void(const SearchProgress&)>& on_progress = {});

}  // namespace gaia
