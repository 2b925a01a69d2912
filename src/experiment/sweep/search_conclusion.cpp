// SPDX-License-Identifier: MIT
#include "search_conclusion.h"

#include <fmt/format.h>

#include <cmath>

#include "../../learning/sign_test.h"
#include "seed_scores.h"

namespace gaia {
namespace {

constexpr double kLevelOfSignTest = 0.05;

/// The found candidate compared with another, seed by seed.
struct Pairs {
  Spread found = {};
  Spread other = {};
  std::int64_t ahead = 0;
  std::int64_t behind = 0;
  std::int64_t count = 0;  ///< Number of seeds in which both have a score.
  double gain = 0.0;       ///< Mean over them, above 0 where the found one is better.
};

Pairs pairs_of(const SearchSection& section, const std::vector<double>& found,
               const std::vector<double>& other) {
  Pairs pairs{.found = spread_of(found), .other = spread_of(other)};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double gain = section.is_minimised() ? other[i] - found[i] : found[i] - other[i];
    if (!std::isfinite(gain)) continue;
    ++pairs.count;
    pairs.gain += gain;
    if (gain > 0.0) ++pairs.ahead;
    if (gain < 0.0) ++pairs.behind;
  }
  if (pairs.count > 0) pairs.gain /= static_cast<double>(pairs.count);
  return pairs;
}

std::string told(const SearchSection& section, const Pairs& pairs, const std::string& what) {
  const double p = sign_test(pairs.ahead, pairs.behind);
  const std::string beside = fmt::format(
      "(test {} {:.4f} against {:.4f} with {} seed{} that chose neither, ahead at {}, sign test p "
      "{:.2g})",
      section.score, pairs.found.mean, pairs.other.mean, pairs.count, pairs.count == 1 ? "" : "s",
      pairs.ahead, p);
  const std::int64_t differences = pairs.ahead + pairs.behind;
  if (differences > 0 && differences <= kTooFewSeeds) {
    return fmt::format("Whether what was found is better than {} cannot be told from {} seeds {}.",
                       what, differences, beside);
  }
  const bool is_told = p < kLevelOfSignTest;
  const char* const standing = is_told && pairs.ahead > pairs.behind && pairs.gain > 0.0
                                   ? "is better than"
                               : is_told && pairs.behind > pairs.ahead && pairs.gain < 0.0
                                   ? "is worse than"
                                   : "is not shown to be better than";
  return fmt::format("What was found {} {} {}.", standing, what, beside);
}

}  // namespace

const JudgedCandidate* judgement_of(const SearchSummary& summary, std::size_t candidate) {
  for (const JudgedCandidate& one : summary.judged) {
    if (one.candidate == candidate) return &one;
  }
  return nullptr;
}

std::vector<std::string> conclusions_of(const SearchSection& section,
                                        const SearchSummary& summary) {
  std::vector<std::string> sentences;
  if (!summary.best) return sentences;
  const JudgedCandidate* const found = judgement_of(summary, *summary.best);
  const auto compare = [&](const std::optional<std::size_t>& with, const std::string& what) {
    if (!with) return;
    const SearchCandidate& other = summary.candidates[*with];
    if (std::isnan(other.mean())) {
      sentences.push_back(fmt::format("What was found has a score; {} ha{} none ({}).", what,
                                      what.ends_with("values") ? "ve" : "s", other.reason));
      return;
    }
    const JudgedCandidate* const rival = judgement_of(summary, *with);
    if (found == nullptr || rival == nullptr) {
      sentences.push_back(
          fmt::format("Whether what was found is better than {} is not told: only the runs that "
                      "chose them have scores (search.held_out_seeds).",
                      what));
      return;
    }
    const Pairs pairs = pairs_of(section, found->scores, rival->scores);
    if (pairs.count == 0) {
      sentences.push_back(
          fmt::format("Whether what was found is better than {} cannot be told: with no other seed "
                      "do both have a test score.",
                      what));
      return;
    }
    sentences.push_back(told(section, pairs, what));
  };
  compare(summary.own, "the file's own values");
  compare(summary.at_random, "the best of as many at random");
  if (found == nullptr) return sentences;
  const auto scored = spread_of(found->scores).count;
  if (scored < std::ssize(found->scores)) {
    sentences.push_back(fmt::format("What was found has no score with {} of {} other seeds: {}.",
                                    std::ssize(found->scores) - scored, found->scores.size(),
                                    found->reason));
  }
  return sentences;
}

}  // namespace gaia
