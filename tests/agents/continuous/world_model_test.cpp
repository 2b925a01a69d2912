// SPDX-License-Identifier: MIT
#include "../../../src/agents/continuous/world_model.h"

#include <cmath>
#include <vector>

#include "../../../src/agents/continuous/expected_free_energy.h"
#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/devices.h"

using namespace gaia;
using namespace gaia::agents;

namespace {

/// o' = o + [0.5 u + 0.1 o_1, -0.2 o_0], and a third observation, o_0^2 + u, that follows from the
/// others.
std::vector<double> next(const std::vector<double>& o, double u) {
  return {o[0] + 0.5 * u + 0.1 * o[1], o[1] - 0.2 * o[0], o[0] * o[0] + u};
}

void fill(WorldModel& model, Replay& replay, std::int64_t count, std::uint64_t seed,
          double width = 1.0) {
  std::vector<double> z(static_cast<std::size_t>(3 * count));
  RandomStream{seed, 1}.uniforms(0, z);
  for (double& one : z) one = width * (2 * one - 1);
  for (std::size_t n = 0; n < static_cast<std::size_t>(count); ++n) {
    const std::vector<double> o = {z[3 * n], z[3 * n + 1], 77.0};
    const std::vector<double> u = {z[3 * n + 2]};
    const std::vector<double> after = next(o, u[0]);
    replay.add(o, u, after);
    model.observe(o, u, after);
  }
}

Replay replay_for(std::int64_t members = 3) {
  return {3, 1, {.members = members, .random = {9, 2}}};
}

const WorldModelOptions kOptions = {
    .members = 3, .hidden = {32}, .batch = 64, .optimiser = {.learning_rate = 5e-3}, .unread = {2}};

}  // namespace

TEST_CASE("A world is learnt, with an observation that is not read") {
  WorldModel model(3, 1, kOptions, {1, 1});
  Replay replay = replay_for();
  fill(model, replay, 600, 1);
  model.train(replay, 700);
  const std::vector<double> u = {0.5, -0.4, 0.1};
  // What is not read has other values than in training here, and does not matter.
  const std::vector<double> o = {0.2, -0.5, 0, -0.6, 0.3, -9, 0.9, 0.9, 1e6};
  const WorldModel::Prediction found =
      model.predict(from_values(o, {3, 3}), from_values(u, {3, 1}));
  for (std::int64_t n = 0; n < 3; ++n) {
    const auto k = static_cast<std::size_t>(n);
    const std::vector<double> expected = next({o[3 * k], o[3 * k + 1], 0}, u[k]);
    for (std::int64_t e = 0; e < 3; ++e) {
      for (std::int64_t d = 0; d < 3; ++d) {
        CHECK(found.mean.item({e, n, d}) ==
              Approx(expected[static_cast<std::size_t>(d)]).margin(0.06));
      }
    }
  }
}

DEVICE_TEST_CASE("A model that has not learnt expects the change to be what its networks say") {
  // Moments of no data: mean 0 and deviation 1, so that raw outputs are changes.
  WorldModelOptions options = kOptions;
  options.noise = 0.5;
  options.dtype = DType::float64;
  WorldModel model(3, 1, options, {1, 1});
  const Array o = random_normal({4, 3}, 0, 1, DType::float64, {2, 1});
  const Array u = random_normal({4, 1}, 0, 1, DType::float64, {2, 2});
  const WorldModel::Prediction found = model.predict(o, u);
  std::vector<double> x;
  for (std::int64_t n = 0; n < 4; ++n) {
    for (const double one : {o.item({n, 0}), o.item({n, 1}), u.item({n, 0})}) x.push_back(one);
  }
  GaussianEnsemble same(3, 3,
                        {.members = 3, .hidden = {32}, .dtype = DType::float64, .random = {1, 1}});
  const GaussianEnsemble::Prediction raw = same.predict(Tensor(from_values(x, {4, 3})));
  for (std::int64_t e = 0; e < 3; ++e) {
    for (std::int64_t n = 0; n < 4; ++n) {
      for (std::int64_t d = 0; d < 3; ++d) {
        const double kept = d == 2 ? 0 : o.item({n, d});
        CHECK(found.mean.item({e, n, d}) ==
              Approx(kept + raw.mean.value().item({e, n, d})).epsilon(1e-10).margin(1e-12));
        CHECK(std::exp(found.log_variance.item({e, n, d})) ==
              Approx(std::exp(raw.log_variance.value().item({e, n, d})) + 0.25).epsilon(1e-10));
      }
    }
  }
}

DEVICE_TEST_CASE("A rollout is one prediction after the other, from the mean of the members") {
  WorldModelOptions options = kOptions;
  options.dtype = DType::float64;
  WorldModel model(3, 1, options, {1, 1});
  Replay replay = replay_for();
  fill(model, replay, 50, 1);
  model.train(replay, 5);
  const std::vector<double> start = {0.3, -0.2, 5};
  const Array u = random_normal({4, 6, 1}, 0, 1, DType::float64, {2, 2});
  const WorldModel::Rollout found = model.roll_out(start, u);
  REQUIRE(found.means.shape() == Shape{3, 4, 6, 3});
  Array o = from_values(start, {1, 3}).broadcast_to({6, 3});
  for (std::int64_t t = 0; t < 4; ++t) {
    const WorldModel::Prediction step = model.predict(o, u[t]);
    CHECK(max(abs(found.means.select(1, t) - step.mean)).item() < 1e-10);
    CHECK(max(abs(found.log_variances.select(1, t) - step.log_variance)).item() < 1e-10);
    o = mean(step.mean, {0});
  }
}

TEST_CASE("Variances are in the units of the observations") {
  // o' = o + 10 u + noise of deviation 3, and a second one a thousand times smaller.
  WorldModelOptions options{.members = 2, .hidden = {16}, .noise = 0.0};
  options.optimiser.learning_rate = 5e-3;
  WorldModel model(2, 1, options, {1, 1});
  Replay replay(2, 1, {.members = 2, .random = {9, 2}});
  std::vector<double> z(4 * 800);
  RandomStream{6, 1}.normals(0, z);
  for (std::size_t n = 0; n < 800; ++n) {
    const std::vector<double> o = {50 * z[4 * n], 0.05 * z[4 * n]}, u = {z[4 * n + 1]};
    const std::vector<double> after = {o[0] + 10 * u[0] + 3 * z[4 * n + 2],
                                       o[1] + 0.01 * u[0] + 0.003 * z[4 * n + 3]};
    replay.add(o, u, after);
    model.observe(o, u, after);
  }
  model.train(replay, 400);
  const Array u = from_values(std::vector{-0.5, 0.0, 0.8}, {3, 1});
  const WorldModel::Prediction found = model.predict(zeros({3, 2}), u);
  for (std::int64_t e = 0; e < 2; ++e) {
    for (std::int64_t n = 0; n < 3; ++n) {
      CHECK(found.mean.item({e, n, 0}) == Approx(10 * u.item({n, 0})).margin(1.5));
      CHECK(found.mean.item({e, n, 1}) == Approx(0.01 * u.item({n, 0})).margin(0.0015));
      CHECK(std::exp(0.5 * found.log_variance.item({e, n, 0})) == Approx(3).epsilon(0.25));
      CHECK(std::exp(0.5 * found.log_variance.item({e, n, 1})) == Approx(0.003).epsilon(0.25));
    }
  }
}

TEST_CASE("What there is to learn is less with more data, and more where there are none") {
  // One model may be sure of itself by chance, so five are asked.
  const auto gain_of = [](std::uint64_t seed, std::int64_t data, double at) {
    WorldModel model(3, 1, kOptions, {seed, 1});
    Replay replay = replay_for();
    fill(model, replay, data, 1);
    model.train(replay, 500);
    const WorldModel::Prediction found =
        model.predict(from_values(std::vector{at, at, 0.0}, {1, 3}), zeros({1, 1}));
    return gaussian_free_energy(found.mean, found.log_variance, {{0, 0, 0}, {1, 1, 0}})
        .information_gain.item();
  };
  const auto gain = [&](std::int64_t data, double at) {
    double sum = 0.0;
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) sum += gain_of(seed, data, at);
    return sum;
  };
  const double few = gain(20, 0.4), many = gain(1000, 0.4), outside = gain(1000, 4.0);
  CHECK(many < 0.5 * few);
  CHECK(outside > 4 * many);
}

TEST_CASE("Training goes on from a state as if nothing had been between") {
  WorldModel one(3, 1, kOptions, {1, 1}), other(3, 1, kOptions, {1, 1});
  Replay replay = replay_for();
  fill(one, replay, 100, 1);
  one.train(replay, 20);
  other.set_state(one.state());
  one.train(replay, 20);
  other.train(replay, 20);
  const ArrayMap first = one.state(), second = other.state();
  REQUIRE(first.size() == second.size());
  for (const auto& [name, value] : first) {
    INFO(name);
    CHECK(value.to_vector<double>() == second.at(name).to_vector<double>());
  }
}

TEST_CASE("Masks decide from which transitions a member learns") {
  // Two members that begin the same and draw the same would stay the same but for the masks; here
  // each transition is for all, and then members differ by what they draw alone.
  Replay all(3, 1, {.members = 400, .mask_probability = 1.0, .random = {9, 2}});
  Replay some(3, 1, {.members = 400, .mask_probability = 0.3, .random = {9, 2}});
  const std::vector<double> o = {0, 0, 0}, u = {0};
  for (int n = 0; n < 50; ++n) {
    all.add(o, u, o);
    some.add(o, u, o);
  }
  int of_all = 0, of_some = 0, pairs = 0;
  for (std::int64_t n = 0; n < 50; ++n) {
    for (std::int64_t e = 0; e < 400; ++e) {
      of_all += all.is_for(n, e);
      of_some += some.is_for(n, e);
      if (e > 0) pairs += some.is_for(n, e) && some.is_for(n, e - 1);
    }
  }
  CHECK(of_all == 20000);
  CHECK(of_some == Approx(6000).margin(4 * std::sqrt(20000 * 0.3 * 0.7)));
  CHECK(pairs == Approx(50 * 399 * 0.09).margin(200));  // independent of each other
  double u0[3];
  RandomStream{9, 2}.uniforms(7 * 400 + 5, u0);
  for (std::int64_t k = 0; k < 3; ++k) CHECK(some.is_for(7, 5 + k) == (u0[k] < 0.3));
}

TEST_CASE("A replay keeps the last transitions, and goes on from its state") {
  const ReplayOptions options{.capacity = 4, .members = 2, .random = {3, 1}};
  Replay replay(1, 1, options);
  const auto add = [](Replay& to, int n) {
    const std::vector<double> before = {double(n)}, action = {n + 0.25}, after = {n + 0.5};
    to.add(before, action, after);
  };
  for (int n = 0; n < 6; ++n) add(replay, n);
  CHECK(replay.size() == 4);
  CHECK(replay.added() == 6);
  const int at[4] = {4, 5, 2, 3};
  for (std::int64_t k = 0; k < 4; ++k) {
    CHECK(replay.before(k)[0] == at[k]);
    CHECK(replay.action(k)[0] == at[k] + 0.25);
    CHECK(replay.after(k)[0] == at[k] + 0.5);
  }
  Replay other(1, 1, options);
  other.set_state(replay.state());
  add(replay, 6);
  add(other, 6);
  for (std::int64_t k = 0; k < 4; ++k) {
    CHECK(other.before(k)[0] == replay.before(k)[0]);
    for (std::int64_t e = 0; e < 2; ++e) CHECK(other.is_for(k, e) == replay.is_for(k, e));
  }
  CHECK(other.before(2)[0] == 6);
  ArrayMap broken = replay.state();
  broken.erase("masks");
  CHECK_THROWS_WITH_TEXT(other.set_state(broken), ArgumentError, "\"masks\"");
  broken["masks"] = zeros({4, 3});
  CHECK_THROWS_AS(other.set_state(broken), ShapeError);
  CHECK_THROWS_WITH_TEXT(Replay(1, 1, {.capacity = 0, .random = {}}), ArgumentError, "capacity");
  CHECK_THROWS_WITH_TEXT(Replay(1, 1, {.mask_probability = 0, .random = {}}), ArgumentError,
                         "mask_probability");
}

TEST_CASE("Moments are those of two passes") {
  std::vector<double> z(60);
  RandomStream{5, 1}.normals(0, z);
  RunningMoments moments(2);
  for (std::size_t n = 0; n < 30; ++n) {
    z[2 * n] = 1e6 + z[2 * n];
    z[2 * n + 1] = 4;
    moments.add(std::span(z).subspan(2 * n, 2));
  }
  double mean = 0, squares = 0;
  for (std::size_t n = 0; n < 30; ++n) mean += z[2 * n] / 30;
  for (std::size_t n = 0; n < 30; ++n) squares += (z[2 * n] - mean) * (z[2 * n] - mean) / 30;
  CHECK(moments.mean()[0] == Approx(mean).epsilon(1e-14));
  CHECK(moments.deviation()[0] == Approx(std::sqrt(squares)).epsilon(1e-8));
  CHECK(moments.deviation()[1] == 1.0);  // has not varied
  CHECK(RunningMoments(2).deviation() == std::vector{1.0, 1.0});
}

TEST_CASE("A model that cannot be is refused") {
  const auto make = [](WorldModelOptions options) { WorldModel(3, 1, options, {1, 1}); };
  CHECK_THROWS_WITH_TEXT(make({.batch = 0}), ArgumentError, "batch");
  CHECK_THROWS_WITH_TEXT(make({.max_gradient_norm = 0}), ArgumentError, "max_gradient_norm");
  CHECK_THROWS_WITH_TEXT(make({.unread = {3}}), ArgumentError, "unread");
  CHECK_THROWS_WITH_TEXT(make({.noise = -1}), ArgumentError, "noise");
  WorldModel model(3, 1, kOptions, {1, 1});
  CHECK_THROWS_AS(model.predict(zeros({2, 2}), zeros({2, 1})), ShapeError);
  CHECK_THROWS_AS(model.roll_out(std::vector{1.0}, zeros({2, 2, 1})), ShapeError);
  CHECK_THROWS_WITH_TEXT(model.train(replay_for(), 1), ArgumentError, "one transition or more");
}
