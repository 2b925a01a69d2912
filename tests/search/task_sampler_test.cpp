// SPDX-License-Identifier: MIT
#include "../../src/search/task_sampler.h"

#include <cmath>
#include <limits>

#include "../../src/core/error.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

using Values = std::vector<double>;

/// How often each task is drawn, as shares.
Values shares(const TaskSampler& sampler, std::int64_t tasks, std::int64_t episode) {
  constexpr std::int64_t kDraws = 20'000;
  Values drawn(static_cast<std::size_t>(tasks));
  for (const std::int64_t task : sampler.sample(episode, kDraws)) {
    drawn[static_cast<std::size_t>(task)] += 1;
  }
  for (double& share : drawn) share /= kDraws;
  return drawn;
}

void check_drawn(const TaskSampler& sampler, std::int64_t episode) {
  const Values p = sampler.probabilities(episode);
  const Values drawn = shares(sampler, static_cast<std::int64_t>(p.size()), episode);
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    CAPTURE(i, episode);
    // Five standard deviations; a task of probability 0 is never drawn.
    CHECK(std::abs(drawn[i] - p[i]) <= 5 * std::sqrt(p[i] * (1 - p[i]) / 20'000));
    sum += p[i];
  }
  CHECK(sum == Approx(1.0).epsilon(1e-12));
}

}  // namespace

TEST_CASE("uniform sampling draws all tasks alike, whatever their scores") {
  TaskSampler sampler(4, {.random = {1, 1}});
  sampler.tell(2, -100);
  CHECK(sampler.probabilities(3) == Values{0.25, 0.25, 0.25, 0.25});
  check_drawn(sampler, 0);
  check_drawn(sampler, 7);
}

TEST_CASE("a curriculum begins with the first task and ends with all") {
  const TaskSampler sampler(
      5, {.sampling = TaskSampling::curriculum, .full_from = 8, .random = {1, 1}});
  CHECK(sampler.probabilities(0) == Values{1, 0, 0, 0, 0});
  CHECK(sampler.probabilities(1) == Values{1, 0, 0, 0, 0});
  CHECK(sampler.probabilities(2) == Values{0.5, 0.5, 0, 0, 0});
  CHECK(sampler.probabilities(7) == Values{0.25, 0.25, 0.25, 0.25, 0});
  CHECK(sampler.probabilities(8) == Values(5, 0.2));
  CHECK(sampler.probabilities(1000) == Values(5, 0.2));
  for (const std::int64_t episode : {0, 2, 5, 8}) check_drawn(sampler, episode);
}

TEST_CASE("performance-weighted sampling draws low scores more often, unseen tasks first") {
  TaskSampler sampler(
      3, {.sampling = TaskSampling::performance_weighted, .uniform_share = 0.1, .random = {1, 1}});
  for (const double p : sampler.probabilities(0)) CHECK(p == Approx(1.0 / 3).epsilon(1e-12));
  sampler.tell(0, 0.9);
  // Two unseen ones have rank 1, the other 3: 1 : 1 : 1/3.
  CHECK(sampler.probabilities(0)[0] == Approx(0.1 / 3 + 0.9 / 7).epsilon(1e-12));
  sampler.tell(1, -5);
  sampler.tell(2, 0.2);
  // Ranks 3, 1, 2: 1/3 : 1 : 1/2.
  CHECK(sampler.probabilities(0)[1] == Approx(0.1 / 3 + 0.9 * 6 / 11).epsilon(1e-12));
  CHECK(sampler.probabilities(0)[2] == Approx(0.1 / 3 + 0.9 * 3 / 11).epsilon(1e-12));
  check_drawn(sampler, 4);
  sampler.tell(0, std::numeric_limits<double>::quiet_NaN());  // it failed: lowest
  CHECK(sampler.probabilities(0)[0] == Approx(0.1 / 3 + 0.9 * 6 / 11).epsilon(1e-12));
}

TEST_CASE("draws follow from stream and episode alone") {
  const TaskSampler one(7, {.random = {5, 1}}), two(7, {.random = {5, 1}});
  CHECK(one.sample(3, 20) == two.sample(3, 20));
  const std::vector<std::int64_t> some = one.sample(3, 5), more = one.sample(3, 20);
  CHECK(std::equal(some.begin(), some.end(), more.begin()));
  CHECK(one.sample(4, 20) != one.sample(3, 20));
  CHECK(TaskSampler(7, {.random = {6, 1}}).sample(3, 20) != one.sample(3, 20));
  CHECK(TaskSampler(1, {.random = {6, 1}}).sample(3, 2) == std::vector<std::int64_t>{0, 0});
}

TEST_CASE("samplers have names, and what is out of range is refused") {
  for (const TaskSampling one :
       {TaskSampling::uniform, TaskSampling::curriculum, TaskSampling::performance_weighted}) {
    CHECK(task_sampling_from_name(to_string(one)) == one);
  }
  CHECK_THROWS_WITH_TEXT(task_sampling_from_name("curiculum"), ArgumentError,
                         "did you mean 'curriculum'?");
  CHECK_THROWS_WITH_TEXT(TaskSampler(0), ArgumentError, "[TaskSampler] expected a task or more");
  CHECK_THROWS_WITH_TEXT(TaskSampler(2, {.full_from = 0}), ArgumentError, "full_from of 1 or more");
  CHECK_THROWS_WITH_TEXT(TaskSampler(2, {.uniform_share = 1.5}), ArgumentError,
                         "uniform_share from 0 to 1, got 1.5");
  TaskSampler sampler(2);
  CHECK_THROWS_WITH_TEXT(sampler.sample(-1, 2), ArgumentError, "an episode of 0 or more, got -1");
  CHECK_THROWS_WITH_TEXT(sampler.sample(0, -2), ArgumentError, "got -2");
  CHECK_THROWS_WITH_TEXT(sampler.tell(2, 0.0), ArgumentError, "a task from 0 to 1, got 2");
}
