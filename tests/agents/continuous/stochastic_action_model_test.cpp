// SPDX-License-Identifier: MIT
#include "../../../src/agents/continuous/stochastic_action_model.h"

#include <cmath>
#include <vector>

#include "../../../src/array/create.h"
#include "../../../src/autograd/grad_mode.h"
#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/devices.h"

using namespace gaia;
using namespace gaia::agents;

namespace {

constexpr double kLowest = -1.0, kHighest = 3.0, kCentre = 1.0, kHalf = 2.0;

/// Policy of three observations, the last of which is not read, and two actions.
StochasticActionModel small_policy(DType dtype = DType::float64, std::uint64_t seed = 1) {
  return {3,
          {kLowest, -0.5},
          {kHighest, 0.5},
          {.hidden = {5, 4}, .batch = 8, .capacity = 40, .unread = {2}, .dtype = dtype},
          {seed, 2}};
}

std::vector<double> observation_of(int i) {
  return {std::sin(1.3 * i), 2 + std::cos(0.7 * i), 100.0 * i};
}

std::vector<double> choice_of_step(int i) {
  return {kCentre + kHalf * std::sin(0.4 * i), 0.45 * std::cos(1.1 * i)};
}

void teach_some(StochasticActionModel& policy, int count, int from = 0) {
  for (int i = from; i < from + count; ++i) policy.teach(observation_of(i), choice_of_step(i));
}

double softplus_by_hand(double x) { return std::log1p(std::exp(x)); }

struct NormalAction {
  std::vector<double> mean, log_variance;
};

/// What the network gives, by loops over the arrays of the policy's state.
NormalAction normal_by_loops(const ArrayMap& state, const std::vector<double>& observation) {
  const std::vector<std::int64_t> counts = state.at("counts").to_vector<std::int64_t>();
  std::vector<double> layer;
  for (std::int64_t d = 0; d < 2; ++d) {
    const double mean = state.at("used").item({0, d}), squares = state.at("used").item({1, d});
    const double scale = counts[3] > 0 ? std::sqrt(squares / static_cast<double>(counts[3])) : 1.0;
    layer.push_back((observation[static_cast<std::size_t>(d)] - mean) / scale);
  }
  for (const std::string i : {"0", "1", "2"}) {
    const Array w = state.at("network.weights." + i)[0], b = state.at("network.bias." + i)[0][0];
    std::vector<double> next;
    for (std::int64_t o = 0; o < w.shape(0); ++o) {
      double sum = b.item({o});
      for (std::int64_t k = 0; k < w.shape(1); ++k) {
        sum += w.item({o, k}) * layer[static_cast<std::size_t>(k)];
      }
      next.push_back(i != "2" ? sum / (1 + std::exp(-sum)) : sum);
    }
    layer = next;
  }
  NormalAction normal;
  for (std::int64_t a = 0; a < 2; ++a) {
    const double least = state.at("network.least").item({0, 0, a});
    const double most = state.at("network.most").item({0, 0, a});
    normal.mean.push_back(layer[static_cast<std::size_t>(a)]);
    const double below = most - softplus_by_hand(most - layer[static_cast<std::size_t>(2 + a)]);
    normal.log_variance.push_back(least + softplus_by_hand(below - least));
  }
  return normal;
}

/// ln pi(a | s) as the header has it.
double log_prob_by_loops(const ArrayMap& state, const std::vector<double>& observation,
                         const std::vector<double>& action) {
  const NormalAction normal = normal_by_loops(state, observation);
  const double middle[] = {kCentre, 0.0}, half[] = {kHalf, 0.5};
  double sum = 0.0;
  for (std::size_t a = 0; a < 2; ++a) {
    const double squashed = std::fmin(0.99, std::fmax(-0.99, (action[a] - middle[a]) / half[a]));
    const double u = 0.5 * std::log((1 + squashed) / (1 - squashed));
    const double sigma = std::exp(0.5 * normal.log_variance[a]);
    sum += -0.5 * std::pow((u - normal.mean[a]) / sigma, 2) - std::log(sigma) -
           0.5 * std::log(2 * 3.14159265358979323846) - std::log(half[a]) -
           std::log(1 - squashed * squashed);
  }
  return sum;
}

std::string differing(const ArrayMap& one, const ArrayMap& other) {
  std::string names;
  for (const auto& [name, value] : one) {
    if (value.to_vector<double>() != other.at(name).to_vector<double>()) names += name + " ";
  }
  return names;
}

}  // namespace

TEST_CASE("a policy's actions and likelihoods are those of a plain loop") {
  StochasticActionModel policy = small_policy();
  teach_some(policy, 30);
  policy.train(50);
  const ArrayMap state = policy.state();
  for (int i = 40; i < 50; ++i) {
    const std::vector<double> seen = observation_of(i);
    const NormalAction normal = normal_by_loops(state, seen);
    const std::vector<double> action = policy.get_action(seen);
    CHECK(action[0] == Approx(kCentre + kHalf * std::tanh(normal.mean[0])).epsilon(1e-10));
    CHECK(action[1] == Approx(0.5 * std::tanh(normal.mean[1])).epsilon(1e-10));
    for (const std::vector<double>& chosen :
         {choice_of_step(i), std::vector<double>{kHighest, -0.5}, std::vector<double>{0.0, 0.1}}) {
      const Array found = policy.log_prob(from_values(seen, {1, 3}), from_values(chosen, {1, 2}));
      CHECK(found.item({0}) == Approx(log_prob_by_loops(state, seen, chosen)).epsilon(1e-10));
    }
  }
}

TEST_CASE("the density of a policy over its actions is 1 in sum") {
  StochasticActionModel policy(1, {kLowest}, {kHighest}, {.hidden = {4}, .dtype = DType::float64},
                               {7, 1});
  constexpr int kParts = 20000;
  const double edge = 0.989 * kHalf;  // beyond, actions are taken to be at 0.99
  double inside = 0.0;
  for (int i = 0; i < kParts; ++i) {
    const double a = kCentre - edge + 2 * edge * (i + 0.5) / kParts;
    const Array found =
        policy.log_prob(from_values(std::vector{0.3}, {1, 1}), from_values(std::vector{a}, {1, 1}));
    inside += std::exp(found.item({0})) * 2 * edge / kParts;
  }
  // The part of u beyond artanh(0.989), by the normal distribution.
  const StochasticActionModel::Prediction normal =
      policy.predict(from_values(std::vector{0.3}, {1, 1}));
  const double m = normal.mean.item({0, 0}), sigma = normal.deviation.item({0, 0});
  const double most = std::atanh(0.989);
  const auto below = [&](double u) { return 0.5 * std::erfc(-(u - m) / sigma / std::sqrt(2.0)); };
  CHECK(inside == Approx(below(most) - below(-most)).epsilon(1e-5));
}

TEST_CASE("gradients of the likelihood are its differences") {
  StochasticActionModel policy = small_policy();
  teach_some(policy, 20);
  policy.train(5);
  // For one choice the loss of the network is -ln pi up to what does not depend on it, and 0.01 of
  // the distance of the bounds.
  const std::vector<double> seen = observation_of(60), chosen = choice_of_step(60);
  ArrayMap state = policy.state();
  std::vector<double> read;
  const auto counts = state.at("counts").to_vector<std::int64_t>();
  for (std::int64_t d = 0; d < 2; ++d) {
    const double scale = std::sqrt(state.at("used").item({1, d}) / static_cast<double>(counts[3]));
    read.push_back((seen[static_cast<std::size_t>(d)] - state.at("used").item({0, d})) / scale);
  }
  GaussianEnsemble network(2, 2, {.members = 1, .hidden = {5, 4}, .dtype = DType::float64});
  network.set_state(policy.network().state());
  std::vector<double> bounds;
  const EnableGrad recording;
  network
      .loss(from_values(read, {1, 1, 2}), from_values(policy.unsquashed(chosen), {1, 1, 2}),
            from_values(std::vector{1.0}, {1, 1}))
      .backward();
  constexpr double kStep = 1e-6;
  for (const auto& [name, parameter] : network.named_parameters()) {
    const std::vector<double> gradient = parameter.grad().to_vector<double>();
    const std::vector<double> values = parameter.value().to_vector<double>();
    const bool is_bound = name == "least" || name == "most";
    for (std::size_t i = 0; i < values.size(); i += 3) {
      double difference = 0.0;
      for (const double sign : {1.0, -1.0}) {
        std::vector<double> moved = values;
        moved[i] += sign * kStep;
        ArrayMap other = state;
        other["network." + name] = from_values(moved, parameter.value().shape());
        difference -= sign * log_prob_by_loops(other, seen, chosen) / (2 * kStep);
      }
      if (is_bound) difference += name == "most" ? 0.01 : -0.01;
      INFO(name << " " << i);
      CHECK(gradient[i] == Approx(difference).epsilon(1e-5).margin(1e-7));
    }
  }
}

TEST_CASE("a policy learns a function, and how widely choices lie about it") {
  StochasticActionModel policy(2, {-2}, {2}, {.hidden = {32}, .unread = {}}, {3, 1});
  const auto wanted = [](double x, double y) { return 1.2 * std::sin(2 * x) * std::cos(y); };
  const RandomStream random{9, 1};
  std::vector<double> drawn(3 * 1500);
  random.normals(0, drawn);
  for (std::size_t i = 0; i < 1500; ++i) {
    const double x = drawn[3 * i], y = drawn[3 * i + 1];
    // Noise of u, not of the action, so that it is the same everywhere.
    const double u = std::atanh(wanted(x, y) / 2) + 0.2 * drawn[3 * i + 2];
    policy.teach(std::vector{x, y}, std::vector{2 * std::tanh(u)});
  }
  const double before = std::abs(policy.get_action(std::vector{0.7, 0.2})[0] - wanted(0.7, 0.2));
  const StochasticActionModel::Training done = policy.train(1500);
  CHECK(done.losses.back() < done.losses.front() - 0.5);
  double squares = 0.0;
  for (int i = 0; i < 20; ++i) {
    const double x = -1 + 0.1 * i, y = 0.8 - 0.08 * i;
    squares += std::pow(policy.get_action(std::vector{x, y})[0] - wanted(x, y), 2) / 20;
  }
  CHECK(std::sqrt(squares) < 0.15);
  CHECK(before > 0.3);
  const double sigma =
      policy.predict(from_values(std::vector{0.3, 0.2}, {1, 2})).deviation.item({0, 0});
  CHECK(sigma == Approx(0.2).epsilon(0.25));
}

TEST_CASE("actions that are drawn have the distribution that they are told to have") {
  StochasticActionModel policy(1, {kLowest}, {kHighest}, {.hidden = {4}, .dtype = DType::float64},
                               {5, 1});
  const std::vector<double> seen = {0.4};
  const StochasticActionModel::Prediction normal = policy.predict(from_values(seen, {1, 1}));
  double sum = 0.0, squares = 0.0;
  constexpr int kCount = 4000;
  for (int i = 0; i < kCount; ++i) {
    const double a = policy.sample(seen)[0];
    CHECK((a >= kLowest && a <= kHighest));
    const double u = std::atanh((a - kCentre) / kHalf);
    sum += u / kCount;
    squares += u * u / kCount;
  }
  const double sigma = normal.deviation.item({0, 0});
  CHECK(std::abs(sum - normal.mean.item({0, 0})) < 4 * sigma / std::sqrt(kCount));
  CHECK(std::sqrt(squares - sum * sum) == Approx(sigma).epsilon(0.05));
}

TEST_CASE("a policy that is resumed goes on bit for bit, in both dtypes") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    StochasticActionModel policy = small_policy(dtype), other = small_policy(dtype, 99);
    teach_some(policy, 50);  // more than are kept
    policy.train(7);
    policy.sample(observation_of(1));
    CHECK(policy.kept() == 40);
    // The streams of another seed differ, so resume in one of the same seed.
    StochasticActionModel same = small_policy(dtype);
    same.set_state(policy.state());
    CHECK(differing(policy.state(), same.state()).empty());
    CHECK_FALSE(differing(policy.state(), other.state()).empty());
    for (StochasticActionModel* const one : {&policy, &same}) {
      teach_some(*one, 5, 50);
      one->train(3);
    }
    CHECK(differing(policy.state(), same.state()).empty());
    CHECK(policy.sample(observation_of(2)) == same.sample(observation_of(2)));
    CHECK(policy.get_action(observation_of(3)) == same.get_action(observation_of(3)));
  }
}

TEST_CASE("the same seed gives the same policy on any number of threads") {
  const auto learnt = [] {
    StochasticActionModel policy = small_policy(DType::float32);
    teach_some(policy, 30);
    policy.train(20);
    return policy.state();
  };
  const ArrayMap first = learnt();
  const test::Threads one(1);
  CHECK(differing(first, learnt()).empty());
}

TEST_CASE("an observation that is not read changes nothing") {
  StochasticActionModel policy = small_policy();
  teach_some(policy, 10);
  policy.train(2);
  CHECK(policy.get_action(std::vector<double>{0.1, 0.2, 5}) ==
        policy.get_action(std::vector<double>{0.1, 0.2, -700}));
  CHECK(policy.get_action(std::vector<double>{0.1, 0.2, 5}) !=
        policy.get_action(std::vector<double>{0.1, 0.3, 5}));
}

DEVICE_TEST_CASE("a policy works on each device") {
  StochasticActionModel policy = small_policy(DType::float32);
  teach_some(policy, 10);
  CHECK(std::isfinite(policy.train(2).losses.back()));
  CHECK(policy.get_action(observation_of(1))[0] <= kHighest);
}

TEST_CASE("what a policy cannot do is refused") {
  const auto make = [](StochasticActionOptions options) {
    return StochasticActionModel(2, {-1}, {1}, options, {1, 1});
  };
  CHECK_THROWS_WITH_TEXT(make({.batch = 0}), ArgumentError, "batch");
  CHECK_THROWS_WITH_TEXT(make({.capacity = 0}), ArgumentError, "replay_capacity");
  CHECK_THROWS_WITH_TEXT(make({.optimiser = {.learning_rate = 0}}), ArgumentError, "learning_rate");
  CHECK_THROWS_WITH_TEXT(make({.max_gradient_norm = 0}), ArgumentError, "max_gradient_norm");
  CHECK_THROWS_WITH_TEXT(make({.unread = {2}}), ArgumentError, "unread");
  CHECK_THROWS_WITH_TEXT(make({.unread = {0, 1}}), ArgumentError, "unread");
  CHECK_THROWS_WITH_TEXT(StochasticActionModel(2, {1}, {-1}, {}, {1, 1}), ArgumentError, "bounds");
  StochasticActionModel policy = small_policy();
  CHECK_THROWS_WITH_TEXT(policy.train(1), ArgumentError, "teach()");
  CHECK_THROWS_WITH_TEXT(policy.get_action(std::vector{1.0}), ArgumentError, "3 finite");
  CHECK_THROWS_WITH_TEXT(policy.teach(observation_of(1), std::vector{1.0}), ArgumentError,
                         "2 finite");
  CHECK_THROWS_WITH_TEXT(policy.teach(observation_of(1), std::vector<double>{1, NAN}),
                         ArgumentError, "not all finite");
  CHECK_THROWS_AS(policy.predict(zeros({2, 2})), ShapeError);
  CHECK_THROWS_AS(policy.log_prob(zeros({2, 3}), zeros({1, 2})), ShapeError);
  ArrayMap broken = policy.state();
  broken.erase("moments");
  CHECK_THROWS_WITH_TEXT(policy.set_state(broken), ArgumentError, "moments");
  broken["moments"] = zeros({7});
  CHECK_THROWS_WITH_TEXT(policy.set_state(broken), ShapeError, "moments");
}
