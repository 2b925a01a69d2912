// SPDX-License-Identifier: MIT
/// \file
/// Agents that learn a pendulum, a car between hills and a mass that is pushed, compared with the
/// same agents without one of their parts and with random actions.
///
///     continuous_agents --task pendulum --way agent --seed 1 --episodes 12
///
/// prints a line for each episode: task, way, seed, episode, steps, return, what the task is about
/// (pendulum: mean |angle| of the last 50 steps; mountain car: highest position; point mass: mean
/// |position| of the last 20), whether that was reached, loss, mean information gain of a plan in
/// nats, and seconds.  benchmarks/continuous_agents.py runs many of them and makes a table.
///
///     continuous_agents --prediction
///
/// tells how well an ensemble of 5 and one member predict a pendulum that they were not trained on,
/// for 10 seeds: mean squared error of the normalised change, and negative log-likelihood in nats.
///
/// Ways: agent; no_gain, without information gain; one_member, without an ensemble, and so without
/// gain; still, which does not learn; random, which draws actions, each held as in plans.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "../src/agents/continuous/agent.h"
#include "../src/agents/continuous/worlds.h"
#include "../src/array/create.h"

using namespace gaia;
using namespace gaia::agents;

namespace {

struct Task {
  ContinuousWorld world;
  ContinuousAgentOptions options;
  bool reads_reward = false;  ///< The agent observes the reward too, as its last observation.
};

Task pendulum_task(std::uint64_t seed) {
  return {.world = pendulum({.random = {seed, 1}}),
          .options = {.preference = {.target = {1, 0, 0}, .precision = {20, 8, 0.8}},
                      .horizon = 20,
                      .search = {.population = 100, .elites = 10, .iterations = 3},
                      .random_steps = 200,
                      .random = {seed, 2}}};
}

Task car_task(std::uint64_t seed) {
  return {.world = mountain_car({.max_steps = 300, .random = {seed, 1}}),
          .options = {.preference = {.target = {0, 0, 100}, .precision = {0, 0, 1e-3}},
                      .model = {.unread = {2}},
                      .horizon = 12,
                      .hold = 8,
                      .search = {.population = 100, .elites = 10, .iterations = 3},
                      .random_steps = 300,
                      .random = {seed, 2}},
          .reads_reward = true};
}

Task mass_task(std::uint64_t seed) {
  return {.world = point_mass({.random = {seed, 1}}),
          .options = {.preference = {.target = {0, 0}, .precision = {40, 4}},
                      .model = {.hidden = {32}},
                      .horizon = 10,
                      .search = {.population = 60, .elites = 8, .iterations = 3},
                      .random_steps = 100,
                      .random = {seed, 2}}};
}

Task task_of(const std::string& name, std::uint64_t seed) {
  if (name == "pendulum") return pendulum_task(seed);
  return name == "mountain_car" ? car_task(seed) : mass_task(seed);
}

/// What an episode was like.
struct Episode {
  std::int64_t steps = 0;
  double total = 0.0;
  double measure = 0.0;
  bool is_reached = false;
  double gain = 0.0;  ///< Mean information gain of a plan, in nats.
};

Episode run_episode(Task& task, const std::string& name, ContinuousAgent& agent) {
  Episode episode;
  double reward = 0.0;
  std::vector<double> measures, gains;
  const auto seen = [&](std::vector<double> observation) {
    if (task.reads_reward) observation.push_back(reward);
    return observation;
  };
  std::vector<double> observation = task.world.reset();
  while (!task.world.is_done()) {
    const std::vector<double> action = agent.step(seen(observation));
    if (!agent.last_plan().actions.empty()) gains.push_back(agent.last_plan().information_gain);
    const ContinuousStep step = task.world.step(action);
    observation = step.observation;
    reward = step.reward;
    episode.total += reward;
    ++episode.steps;
    measures.push_back(name == "pendulum"     ? std::abs(std::atan2(observation[1], observation[0]))
                       : name == "point_mass" ? std::abs(observation[0])
                                              : observation[0]);
  }
  agent.end_episode(seen(observation));
  const auto mean_of_last = [&](std::ptrdiff_t n) {
    return std::accumulate(measures.end() - n, measures.end(), 0.0) / static_cast<double>(n);
  };
  if (name == "pendulum") {
    episode.measure = mean_of_last(50);
    episode.is_reached = episode.measure < 0.3;
  } else if (name == "point_mass") {
    episode.measure = mean_of_last(20);
    episode.is_reached = episode.measure < 0.1;
  } else {
    episode.measure = *std::max_element(measures.begin(), measures.end());
    episode.is_reached = task.world.is_terminal();
  }
  if (!gains.empty()) {
    episode.gain =
        std::accumulate(gains.begin(), gains.end(), 0.0) / static_cast<double>(gains.size());
  }
  return episode;
}

/// Transitions of episodes with random actions.
struct Seen {
  std::vector<double> before, action, after;
};

std::vector<Seen> random_transitions(std::uint64_t seed, int episodes) {
  std::vector<Seen> seen;
  ContinuousWorld world = pendulum({.random = {seed, 1}});
  std::uint64_t draws = 0;
  for (int e = 0; e < episodes; ++e) {
    std::vector<double> before = world.reset();
    while (!world.is_done()) {
      double u = 0;
      RandomStream{seed, 2}.uniforms(draws++, {&u, 1});
      const std::vector<double> action = {4 * u - 2};
      const std::vector<double> after = world.step(action).observation;
      seen.push_back({before, action, after});
      before = after;
    }
  }
  return seen;
}

void compare_predictions() {
  fmt::print("seed,members,transitions,squared_error,nats\n");
  for (std::uint64_t seed = 11; seed <= 20; ++seed) {
    const std::vector<Seen> training = random_transitions(seed, 2);
    const std::vector<Seen> others = random_transitions(seed + 1000, 5);
    RunningMoments changes(3);
    std::vector<double> observations, actions;
    for (const Seen& one : others) {
      std::vector<double> change = one.after;
      for (std::size_t d = 0; d < 3; ++d) change[d] -= one.before[d];
      changes.add(change);
      observations.insert(observations.end(), one.before.begin(), one.before.end());
      actions.insert(actions.end(), one.action.begin(), one.action.end());
    }
    const std::int64_t count = std::ssize(others);
    for (const std::int64_t members : {5, 1}) {
      WorldModel model(3, 1, {.members = members, .noise = 0.0}, {seed, 3});
      Replay replay(3, 1, {.members = members, .random = {seed, 4}});
      for (const Seen& one : training) {
        replay.add(one.before, one.action, one.after);
        model.observe(one.before, one.action, one.after);
      }
      model.train(replay, 800);
      const WorldModel::Prediction found =
          model.predict(from_values(observations, {count, 3}), from_values(actions, {count, 1}));
      const std::vector<double> means = found.mean.to_vector<double>();
      const std::vector<double> logs = found.log_variance.to_vector<double>();
      double error = 0, nats = 0;
      for (std::int64_t n = 0; n < count; ++n) {
        for (std::size_t d = 0; d < 3; ++d) {
          // The normal distribution of the members' mixture.
          const auto at = [&](std::int64_t e) {
            return static_cast<std::size_t>((e * count + n) * 3) + d;
          };
          double mean = 0, variance = 0;
          for (std::int64_t e = 0; e < members; ++e) {
            mean += means[at(e)] / static_cast<double>(members);
          }
          for (std::int64_t e = 0; e < members; ++e) {
            const double apart = means[at(e)] - mean;
            variance += (std::exp(logs[at(e)]) + apart * apart) / static_cast<double>(members);
          }
          const double off = others[static_cast<std::size_t>(n)].after[d] - mean;
          error += off * off / std::pow(changes.deviation()[d], 2);
          nats += 0.5 * (off * off / variance + std::log(2 * std::numbers::pi * variance));
        }
      }
      fmt::print("{},{},{},{:.3e},{:.3f}\n", seed, members, training.size(),
                 error / static_cast<double>(3 * count), nats / static_cast<double>(count));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string name = "pendulum", way = "agent";
  std::uint64_t seed = 1;
  std::int64_t episodes = 12;
  CLI::App app("Agents that learn worlds of real numbers, episode by episode");
  app.add_option("--task", name)->check(CLI::IsMember({"pendulum", "mountain_car", "point_mass"}));
  app.add_option("--way", way)
      ->check(CLI::IsMember({"agent", "no_gain", "one_member", "still", "random"}));
  app.add_option("--seed", seed);
  app.add_option("--episodes", episodes);
  bool is_prediction = false;
  app.add_flag("--prediction", is_prediction);
  CLI11_PARSE(app, argc, argv);

  if (is_prediction) {
    compare_predictions();
    return 0;
  }
  Task task = task_of(name, seed);
  ContinuousAgentOptions& options = task.options;
  if (way == "no_gain" || way == "one_member") options.use_information_gain = false;
  if (way == "one_member") options.model.members = 1;
  if (way == "still" || way == "random") options.is_learning = false;
  if (way == "random") options.random_steps = std::numeric_limits<std::int64_t>::max();
  ContinuousAgent agent(task.world.observation_size() + (task.reads_reward ? 1 : 0),
                        task.world.action_low(), task.world.action_high(), options);
  for (std::int64_t e = 0; e < episodes; ++e) {
    const auto begin = std::chrono::steady_clock::now();
    const Episode episode = run_episode(task, name, agent);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    fmt::print("{},{},{},{},{},{:.3f},{:.4f},{:d},{:.4f},{:.3f},{:.2f}\n", name, way, seed, e + 1,
               episode.steps, episode.total, episode.measure, episode.is_reached,
               agent.last_training().loss, episode.gain, took.count());
    std::fflush(stdout);
  }
}
