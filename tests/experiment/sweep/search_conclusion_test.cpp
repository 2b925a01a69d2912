// SPDX-License-Identifier: MIT
/// \file
/// What a search concludes, by scores that chose nothing; numbers of sign tests from tables of the
/// binomial distribution.
#include "../../../src/experiment/sweep/search_conclusion.h"

#include <cmath>

#include "../../support/catch.h"

using namespace gaia;

namespace {

SearchSection section_of(const std::string& score) {
  SearchSection section;
  section.readout = "digits";
  section.score = score;
  section.objectives = {{.readout = "digits", .score = score, .is_minimised = score == "nrmse"}};
  section.seeds = 3;
  return section;
}

/// The file's own values, one that was found and one at random, which the validation part chose;
/// the test scores of other seeds of the last two are given.
SearchSummary summary_of(std::vector<double> found, std::vector<double> at_random) {
  SearchSummary summary;
  summary.candidates = {{CandidateKind::searched, 0, {0.1}, {0.9545, 0.9545, 0.9545}},
                        {CandidateKind::at_random, 0, {0.2}, {0.9461, 0.9461, 0.9461}}};
  summary.best = 0;
  summary.at_random = 1;
  if (!found.empty()) summary.judged.push_back({0, std::move(found)});
  if (!at_random.empty()) summary.judged.push_back({1, std::move(at_random)});
  return summary;
}

std::string concluded(const std::string& score, const SearchSummary& summary) {
  std::string all;
  for (const std::string& one : conclusions_of(section_of(score), summary)) all += one + "\n";
  return all;
}

std::vector<double> shifted(double from, double by, int count) {
  std::vector<double> scores;
  for (int i = 0; i < count; ++i) scores.push_back(from + by * i);
  return scores;
}

}  // namespace

TEST_CASE(
    "what leads in the runs that chose it is not called better by others that do not say so") {
  // Ahead in validation, .9545 against .9461; with other seeds behind at 6 of 10.
  std::vector<double> found = shifted(0.89, 0.0, 10);
  std::vector<double> random = found;
  for (int i = 0; i < 10; ++i) random[static_cast<std::size_t>(i)] += i < 6 ? 0.01 : -0.01;
  CHECK(
      concluded("accuracy", summary_of(found, random)) ==
      "What was found is not shown to be better than the best of as many at random (test accuracy "
      "0.8900 against 0.8920 with 10 seeds that chose neither, ahead at 4, sign test p 0.75).\n");
}

TEST_CASE("a search is called better, or worse, where other seeds say so") {
  const std::vector<double> low = shifted(0.5, 0.01, 10);
  const std::vector<double> high = shifted(0.6, 0.01, 10);
  // p of ten on one side: 2 / 1024.
  CHECK(
      concluded("r2", summary_of(high, low)) ==
      "What was found is better than the best of as many at random (test r2 0.6450 against 0.5450 "
      "with 10 seeds that chose neither, ahead at 10, sign test p 0.002).\n");
  CHECK(concluded("r2", summary_of(low, high)) ==
        "What was found is worse than the best of as many at random (test r2 0.5450 against 0.6450 "
        "with 10 seeds that chose neither, ahead at 0, sign test p 0.002).\n");
  // For an error, the smaller one is better.
  CHECK(concluded("nrmse", summary_of(low, high))
            .find("What was found is better than the best of as many at random") == 0);
  // Five seeds can show nothing.
  CHECK(concluded("r2", summary_of(shifted(0.6, 0.01, 5), shifted(0.5, 0.01, 5)))
            .find("Whether what was found is better than the best of as many at random cannot be "
                  "told from 5 seeds") == 0);
}

TEST_CASE("a search without other seeds, or whose runs fail with them, says so") {
  CHECK(concluded("r2", summary_of({}, {})) ==
        "Whether what was found is better than the best of as many at random is not told: only the "
        "runs that chose them have scores (search.held_out_seeds).\n");
  const double none = std::nan("");
  SearchSummary lost = summary_of({none, none}, {0.5, 0.5});
  lost.judged[0].reason = "its run diverged: NaN at step 3";
  CHECK(concluded("r2", lost) ==
        "Whether what was found is better than the best of as many at random cannot be told: with "
        "no other seed do both have a test score.\n"
        "What was found has no score with 2 of 2 other seeds: its run diverged: NaN at step 3.\n");
  SearchSummary without = summary_of(shifted(0.6, 0.01, 8), {});
  without.candidates[1].scores = {none, 0.5, 0.5};
  without.candidates[1].reason = "its run diverged: NaN at step 3";
  CHECK(concluded("r2", without) ==
        "What was found has a score; the best of as many at random has none (its run diverged: NaN "
        "at step 3).\n");
}
