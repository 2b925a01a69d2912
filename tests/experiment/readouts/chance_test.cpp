// SPDX-License-Identifier: MIT
#include "../../../src/experiment/readouts/chance.h"

#include <cmath>
#include <vector>

#include "../../../src/core/random.h"
#include "../../../src/experiment/readouts/readout_score.h"
#include "../../support/catch.h"

using namespace gaia;

namespace {

/// Numbers of a normal distribution.
std::vector<double> normals(std::uint64_t stream, std::size_t count) {
  std::vector<double> numbers(count);
  RandomStream{11, stream}.normals(0, numbers);
  return numbers;
}

/// The score of predictions of `target` that miss it by these numbers.
ReadoutScore score_of_errors(const std::vector<double>& target, const std::vector<double>& errors,
                             const ChanceBlocks& blocks) {
  const auto scorer = make_scorer(ReadoutTask::regression, 1, "mean", blocks);
  for (std::size_t i = 0; i < target.size(); ++i) {
    const double prediction = target[i] + errors[i];
    const double mean = 0.0;
    scorer->add({.prediction = {&prediction, 1},
                 .target = {&target[i], 1},
                 .baseline = {&mean, 1},
                 .mean = {&mean, 1}});
  }
  return scorer->score();
}

}  // namespace

TEST_CASE("blocks cover the test part, and are as long as targets overlap") {
  for (const std::int64_t ticks : {1, 2, 7, 19, 20, 21, 100, 1003}) {
    for (const std::int64_t overlap : {1, 4, 60}) {
      const ChanceBlocks blocks(ticks, overlap);
      CHECK(blocks.count() >= 1);
      CHECK(blocks.count() <= 20);
      std::vector<std::int64_t> sizes(static_cast<std::size_t>(blocks.count()));
      for (std::int64_t tick = 0; tick < ticks; ++tick) ++sizes.at(blocks.of(tick));
      for (const std::int64_t size : sizes) CHECK(size >= std::min(ticks, overlap));
    }
  }
}

TEST_CASE("the jackknife over blocks of means is the t statistic of block means") {
  constexpr std::size_t blocks = 10;
  constexpr std::size_t size = 30;
  const std::vector<double> d = normals(1, blocks * size);
  double mean = 0.0;
  std::vector<double> means(blocks, 0.0);
  for (std::size_t i = 0; i < d.size(); ++i) {
    mean += d[i] / static_cast<double>(d.size());
    means[i / size] += d[i] / static_cast<double>(size);
  }
  double squares = 0.0;
  std::vector<double> without;
  for (const double m : means) {
    squares += (m - mean) * (m - mean);
    without.push_back((mean * blocks - m) / (blocks - 1.0));
  }
  const double error = std::sqrt(squares / (blocks - 1.0) / blocks);
  // Numbers that lie just inside and outside of 2.2622 standard errors (9 degrees of freedom).
  for (const auto& [factor, is_beyond] : {std::pair(2.25, false), {2.28, true}}) {
    const double shift = factor * error - mean;
    std::vector<double> shifted = without;
    for (double& one : shifted) one += shift;
    CHECK(differ_beyond_chance({mean + shift, shifted}, {0.0, {}}) == is_beyond);
  }
}

TEST_CASE("of equally good predictions one in forty is called better, whatever they are made of") {
  int better = 0;
  int worse = 0;
  constexpr int runs = 800;
  for (int run = 0; run < runs; ++run) {
    const auto stream = static_cast<std::uint64_t>(3 * run + 10);
    const std::vector<double> target = normals(stream, 90);
    const ChanceBlocks blocks(90);
    const ReadoutScore one = score_of_errors(target, normals(stream + 1, 90), blocks);
    const ReadoutScore other = score_of_errors(target, normals(stream + 2, 90), blocks);
    if (!is_beyond_chance(one.own(), other.own())) continue;
    ++(one.r2 > other.r2 ? better : worse);
  }
  // 99 % bounds of a binomial with share .025: 20 +- 2.58 * 4.4.
  CHECK(better >= 9);
  CHECK(better <= 31);
  CHECK(worse >= 9);
  CHECK(worse <= 31);
}

TEST_CASE("a clear difference is beyond chance, one of fewer than two blocks is not") {
  const std::vector<double> target = normals(5, 200);
  std::vector<double> small = normals(6, 200);
  const std::vector<double> large = normals(7, 200);
  for (double& error : small) error *= 0.5;
  const ChanceBlocks blocks(200);
  const Score good = score_of_errors(target, small, blocks).own();
  const Score bad = score_of_errors(target, large, blocks).own();
  CHECK(is_clearly_better(good, bad));
  CHECK_FALSE(is_clearly_better(bad, good));
  const ChanceBlocks one(200, 150);
  CHECK(one.count() == 1);
  CHECK_FALSE(is_beyond_chance(score_of_errors(target, small, one).own(),
                               score_of_errors(target, large, one).own()));
}

TEST_CASE("a scorer goes on from its state with the same blocks") {
  for (const ReadoutTask task :
       {ReadoutTask::regression, ReadoutTask::classes, ReadoutTask::anomaly}) {
    const ChanceBlocks blocks(50);
    const auto make = [&] { return make_scorer(task, 2, "mean", blocks); };
    const std::vector<double> numbers = normals(8, 100);
    const auto feed = [&](Scorer& scorer, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::vector<double> prediction = {std::abs(numbers[2 * i]), 0.3};
        const std::vector<double> target = {numbers[i] > 0.0 ? 1.0 : 0.0, numbers[2 * i + 1]};
        const std::vector<double> mean = {0.1, 0.2};
        scorer.add({prediction, target, mean, mean});
      }
    };
    const auto whole = make();
    feed(*whole, 0, 50);
    const auto first = make();
    feed(*first, 0, 23);
    const auto second = make();
    second->set_state(first->state());
    feed(*second, 23, 50);
    CHECK(whole->score().without.size() == 20);
    CHECK(second->score().without == whole->score().without);
    CHECK(second->score().baseline_without == whole->score().baseline_without);
  }
}
