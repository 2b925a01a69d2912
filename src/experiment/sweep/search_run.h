// SPDX-License-Identifier: MIT
/// \file
/// A search over the keys of an experiment.  A candidate's objective is the mean of a readout's
/// validation score over several seeds, each a run of its own.
///
/// Candidates follow from the file, its seed and the scores of earlier ones alone, whoever ran
/// them.  What was run stays in the folder, so a search that was cut goes on by the same command.
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
  std::vector<double> values;  ///< Of the parameters; of the file's own none.
  std::vector<double> scores;  ///< Scores in the validation part, by seed; NaN: there is none.
  std::string reason = {};     ///< Why the first that has none has none.
  /// With halving, where a generation is a rung: the number under which its values were first
  /// judged, and the steps of all its runs here.
  std::size_t begun_as = 0;
  std::int64_t steps = 0;

  /// Mean over the seeds; NaN if one of them has none.
  double mean() const;
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
  std::int64_t candidates = 0;  ///< That have been judged.
  CandidateKind kind = CandidateKind::searched;
  std::int64_t generation = 0;  ///< The one that has just ended.
  bool is_rung = false;         ///< It is a rung of halving: `best` is among its candidates alone.
  double best = std::numeric_limits<double>::quiet_NaN();  ///< Mean score of the best of this kind.
};

/// Runs the members from `first` to the last that are not complete; gives those whose runs
/// diverged, in any order, or nothing if it was interrupted.
/// \throws Error where one has failed otherwise.
using RunSearchMembers = std::function<std::optional<std::vector<std::int64_t>>(
    const SearchMembers& members, std::int64_t first)>;

struct SearchSummary {
  bool interrupted = false;
  std::vector<SearchCandidate> candidates;
  std::optional<std::size_t> own;        ///< The file's own values.
  std::optional<std::size_t> best;       ///< Of those that were searched.
  std::optional<std::size_t> at_random;  ///< The best of those at random.
  std::vector<JudgedCandidate> judged;   ///< Those three, as far as they have scores.
  std::string why_stopped;
};

HalvingSteps halving_steps(const SearchSummary& summary);

SearchSummary run_search(SearchMembers& members, const RunSearchMembers& run,
                         const std::function<void(const SearchProgress&)>& on_progress = {});

}  // namespace gaia
