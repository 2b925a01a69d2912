// SPDX-License-Identifier: MIT
#include "worlds.h"

#include <algorithm>
#include <string>

#include "../../core/message.h"

namespace gaia::agents {
namespace {

/// B of a grid has 5 times its square.
constexpr std::int64_t kMostCells = 1024;

void need_probability(double value, const std::string& what) {
  if (value >= 0 && value <= 1) return;
  fail<ArgumentError>("[{}] expected a probability from 0 to 1, got {}", what, value);
}

/// A table of zeros whose entries are named by their places along the axes.
class TableMaker {
 public:
  explicit TableMaker(std::vector<std::int64_t> shape) {
    std::size_t size = 1;
    for (const std::int64_t n : shape) size *= static_cast<std::size_t>(n);
    table_.shape = std::move(shape);
    table_.values.assign(size, 0.0);
  }
  double& at(std::initializer_list<std::int64_t> places) {
    std::int64_t place = 0;
    auto size = table_.shape.begin();
    for (const std::int64_t one : places) place = place * *size++ + one;
    return table_.values[static_cast<std::size_t>(place)];
  }
  ProbabilityTable done() { return std::move(table_); }

 private:
  ProbabilityTable table_;
};

}  // namespace

DiscreteWorld::DiscreteWorld(GenerativeModel model, RandomStream random)
    : model_(std::move(model)), random_(random) {}

std::int64_t DiscreteWorld::draw(const ProbabilityTable& table, std::int64_t column) {
  double u = 0;
  random_.uniforms(draws_++, {&u, 1});
  const auto rows = static_cast<std::size_t>(table.shape[0]);
  const std::size_t columns = table.values.size() / rows;
  std::size_t last = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const double p = table.values[row * columns + static_cast<std::size_t>(column)];
    if (!(p > 0)) continue;
    last = row;
    if (u < p) break;
    u -= p;
  }
  return static_cast<std::int64_t>(last);
}

Observation DiscreteWorld::observe() {
  Observation outcomes;
  for (std::size_t m = 0; m < model_.outcomes().size(); ++m) {
    std::int64_t column = 0;
    for (const std::int64_t factor : model_.tables().depends_on[m]) {
      const auto f = static_cast<std::size_t>(factor);
      column = column * model_.states()[f] + state_[f];
    }
    outcomes.push_back(draw(model_.tables().likelihoods[m], column));
  }
  return outcomes;
}

Observation DiscreteWorld::reset() {
  state_.clear();
  for (const std::vector<double>& d : model_.tables().initial) {
    state_.push_back(draw({{static_cast<std::int64_t>(d.size())}, d}, 0));
  }
  return observe();
}

Observation DiscreteWorld::step(const Action& action) {
  model_.check_action(action);
  if (state_.empty()) throw ArgumentError("[world] step: expected reset() before, got none");
  for (std::size_t f = 0; f < state_.size(); ++f) {
    state_[f] = draw(model_.tables().transitions[f], state_[f] * model_.actions()[f] + action[f]);
  }
  return observe();
}

SavedState DiscreteWorld::save() const {
  SavedState saved;
  saved["draws"] = {static_cast<double>(draws_)};
  saved["state"] = std::vector<double>(state_.begin(), state_.end());
  return saved;
}

void DiscreteWorld::restore(const SavedState& saved) {
  const std::vector<double>& draws = saved_numbers(saved, "draws", 1);
  const std::vector<double>& state = saved_numbers(saved, "state");
  if (!state.empty() && state.size() != model_.states().size()) {
    fail<ArgumentError>("[world] restore: expected a state for each of {} factors, got {}",
                        model_.states().size(), state.size());
  }
  for (std::size_t f = 0; f < state.size(); ++f) {
    if (state[f] >= 0 && state[f] < static_cast<double>(model_.states()[f])) continue;
    fail<ArgumentError>("[world] restore: expected a state below {}, got {}", model_.states()[f],
                        state[f]);
  }
  draws_ = static_cast<std::uint64_t>(draws[0]);
  state_.assign(state.begin(), state.end());
}

DiscreteWorld t_maze(const TMazeOptions& options) {
  need_probability(options.win_probability, "t_maze: win_probability");
  need_probability(options.cue_probability, "t_maze: cue_probability");
  TableMaker place({4, 4, 2}), reward({3, 4, 2}), cue({3, 4, 2}), moves({4, 4, 4}), side({2, 2, 1});
  for (std::int64_t here = 0; here < 4; ++here) {
    const bool is_arm = here == 1 || here == 2;
    for (std::int64_t right = 0; right < 2; ++right) {
      place.at({here, here, right}) = 1;
      if (is_arm) {
        const bool is_good = here == right + 1;
        const double win = is_good ? options.win_probability : 1 - options.win_probability;
        reward.at({1, here, right}) = win;
        reward.at({2, here, right}) = 1 - win;
      } else {
        reward.at({0, here, right}) = 1;
      }
      if (here == 3) {
        cue.at({1 + right, here, right}) = options.cue_probability;
        cue.at({2 - right, here, right}) = 1 - options.cue_probability;
      } else {
        cue.at({0, here, right}) = 1;
      }
    }
    for (std::int64_t to = 0; to < 4; ++to) {
      moves.at({is_arm && options.arms_are_final ? here : to, here, to}) = 1;
    }
  }
  for (std::int64_t right = 0; right < 2; ++right) side.at({right, right, 0}) = 1;
  return {GenerativeModel({.likelihoods = {place.done(), reward.done(), cue.done()},
                           .transitions = {moves.done(), side.done()},
                           .preferences = {{0, 0, 0, 0}, {0, options.win, options.loss}, {0, 0, 0}},
                           .initial = {{1, 0, 0, 0}, {0.5, 0.5}}}),
          options.random};
}

DiscreteWorld two_armed_bandit(const BanditOptions& options) {
  need_probability(options.better, "two_armed_bandit: better");
  need_probability(options.worse, "two_armed_bandit: worse");
  need_probability(options.change, "two_armed_bandit: change");
  TableMaker pay({3, 3, 2}), done({3, 3, 2}), choice({3, 3, 3}), arm({2, 2, 1});
  for (std::int64_t what = 0; what < 3; ++what) {
    for (std::int64_t right = 0; right < 2; ++right) {
      done.at({what, what, right}) = 1;
      const double win = what == right + 1 ? options.better : options.worse;
      pay.at({0, what, right}) = what == 0 ? 1 : 0;
      pay.at({1, what, right}) = what == 0 ? 0 : win;
      pay.at({2, what, right}) = what == 0 ? 0 : 1 - win;
    }
    for (std::int64_t from = 0; from < 3; ++from) choice.at({what, from, what}) = 1;
  }
  for (std::int64_t right = 0; right < 2; ++right) {
    arm.at({right, right, 0}) = 1 - options.change;
    arm.at({1 - right, right, 0}) = options.change;
  }
  return {GenerativeModel({.likelihoods = {pay.done(), done.done()},
                           .transitions = {choice.done(), arm.done()},
                           .preferences = {{0, options.win, options.loss}, {0, 0, 0}},
                           .initial = {{1, 0, 0}, {0.5, 0.5}}}),
          options.random};
}

DiscreteWorld bernoulli_bandit(const BernoulliBanditOptions& options) {
  const auto arms = static_cast<std::int64_t>(options.probabilities.size());
  require(arms >= 1 && arms < kMostCells,
          "[bernoulli_bandit] probabilities: expected 1 to {} of them, got {}", kMostCells - 1,
          arms);
  for (const double win : options.probabilities) {
    need_probability(win, "bernoulli_bandit: probabilities");
  }
  TableMaker pay({3, arms + 1}), moves({arms + 1, arms + 1, arms});
  pay.at({0, 0}) = 1;
  for (std::int64_t arm = 0; arm < arms; ++arm) {
    const double win = options.probabilities[static_cast<std::size_t>(arm)];
    pay.at({1, arm + 1}) = win;
    pay.at({2, arm + 1}) = 1 - win;
    for (std::int64_t from = 0; from <= arms; ++from) moves.at({arm + 1, from, arm}) = 1;
  }
  std::vector<double> initial(static_cast<std::size_t>(arms) + 1, 0.0);
  initial.front() = 1.0;
  return {GenerativeModel({.likelihoods = {pay.done()},
                           .transitions = {moves.done()},
                           .preferences = {{0, options.win, options.loss}},
                           .initial = {initial}}),
          options.random};
}

DiscreteWorld grid_world(const GridOptions& options) {
  const auto refuse = [](const std::string& what, const std::string& expected, std::int64_t got) {
    fail<ArgumentError>("[grid_world] {}: expected {}, got {}", what, expected, got);
  };
  need_probability(options.slip, "grid_world: slip");
  need_probability(options.accuracy, "grid_world: accuracy");
  const std::int64_t rows = options.rows, columns = options.columns;
  if (rows < 1 || rows > kMostCells) refuse("rows", "1 to 1024", rows);
  if (columns < 1 || rows * columns > kMostCells) {
    refuse("columns", "at least 1, and at most 1024 cells in all", columns);
  }
  const std::int64_t cells = rows * columns;
  std::vector<bool> is_wall(static_cast<std::size_t>(cells), false);
  for (const std::int64_t wall : options.walls) {
    if (wall < 0 || wall >= cells) refuse("walls", message("cells below {}", cells), wall);
    is_wall[static_cast<std::size_t>(wall)] = true;
  }
  const std::int64_t goal = options.goal == -1 ? cells - 1 : options.goal;
  for (const auto& [name, cell] : {std::pair("start", options.start), std::pair("goal", goal)}) {
    if (cell < 0 || cell >= cells || is_wall[static_cast<std::size_t>(cell)]) {
      refuse(name, message("a cell below {} that is no wall", cells), cell);
    }
  }
  const auto moved = [&](std::int64_t cell, std::int64_t action) {
    constexpr std::int64_t kDown[] = {-1, 0, 1, 0, 0}, kRight[] = {0, 1, 0, -1, 0};
    const std::int64_t row = cell / columns + kDown[action];
    const std::int64_t column = cell % columns + kRight[action];
    if (row < 0 || row >= rows || column < 0 || column >= columns) return cell;
    const std::int64_t to = row * columns + column;
    return is_wall[static_cast<std::size_t>(to)] ? cell : to;
  };
  TableMaker seen({cells, cells}), moves({cells, cells, 5});
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    std::vector<std::int64_t> neighbours;
    for (std::int64_t action = 0; action < 5; ++action) {
      const std::int64_t to = moved(cell, action);
      moves.at({to, cell, action}) += 1 - options.slip;
      moves.at({cell, cell, action}) += options.slip;
      if (to != cell) neighbours.push_back(to);
    }
    const auto count = static_cast<double>(neighbours.size());
    seen.at({cell, cell}) = neighbours.empty() ? 1 : options.accuracy;
    for (const std::int64_t one : neighbours) seen.at({one, cell}) = (1 - options.accuracy) / count;
  }
  // Steps to the goal, breadth first; cells from which it cannot be reached are furthest.
  std::vector<std::int64_t> distance(static_cast<std::size_t>(cells), -1), queue = {goal};
  distance[static_cast<std::size_t>(goal)] = 0;
  for (std::size_t k = 0; k < queue.size(); ++k) {
    for (std::int64_t action = 0; action < 4; ++action) {
      const std::int64_t to = moved(queue[k], action);
      std::int64_t& steps = distance[static_cast<std::size_t>(to)];
      if (steps >= 0) continue;
      steps = distance[static_cast<std::size_t>(queue[k])] + 1;
      queue.push_back(to);
    }
  }
  const std::int64_t furthest = std::max<std::int64_t>(1, *std::ranges::max_element(distance));
  std::vector<double> preferences;
  for (const std::int64_t steps : distance) {
    const double share = options.is_graded
                             ? 1 - static_cast<double>(steps) / static_cast<double>(furthest)
                             : (steps == 0 ? 1.0 : 0.0);
    preferences.push_back(options.preference * (steps < 0 ? 0.0 : share));
  }
  std::vector<double> initial(static_cast<std::size_t>(cells), 0.0);
  initial[static_cast<std::size_t>(options.start)] = 1;
  return {GenerativeModel({.likelihoods = {seen.done()},
                           .transitions = {moves.done()},
                           .preferences = {std::move(preferences)},
                           .initial = {std::move(initial)}}),
          options.random};
}

}  // namespace gaia::agents
