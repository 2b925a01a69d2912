// SPDX-License-Identifier: MIT
// How worlds stand in an experiment: their keys, and what their parts are called.
#include "worlds.h"

namespace gaia::agents {

void TMazeOptions::keys(ConfigVisitor& v) {
  v.number({"win_probability", "of a win in the right arm, and of a loss in the other"},
           win_probability, {0.0, 1.0});
  v.number({"cue_probability", "that the cue tells the truth"}, cue_probability, {0.0, 1.0});
  v.number({"win", "how much a win is preferred to nothing, in nats"}, win, kAnyNumber);
  v.number({"loss", "how much a loss is preferred to nothing, in nats"}, loss, kAnyNumber);
  v.flag({"arms_are_final", "whoever is in an arm stays there"}, arms_are_final);
}

WorldNames TMazeOptions::names() const {
  return {.factors = {"place", "side"},
          .modalities = {"place", "reward", "cue"},
          .states = {{"centre", "left arm", "right arm", "cue"}, {"left", "right"}},
          .actions = {{"to centre", "to left arm", "to right arm", "to cue"}, {"none"}},
          .outcomes = {{"centre", "left arm", "right arm", "cue"},
                       {"nothing", "win", "loss"},
                       {"none", "left", "right"}}};
}

DiscreteWorld TMazeOptions::make() const { return t_maze(*this); }

void BanditOptions::keys(ConfigVisitor& v) {
  v.number({"better", "probability of a win at the better arm"}, better, {0.0, 1.0});
  v.number({"worse", "probability of a win at the other"}, worse, {0.0, 1.0});
  v.number({"change", "probability that the arms change places, at every step"}, change,
           {0.0, 1.0});
  v.number({"win", "how much a win is preferred to nothing, in nats"}, win, kAnyNumber);
  v.number({"loss", "how much a loss is preferred to nothing, in nats"}, loss, kAnyNumber);
}

WorldNames BanditOptions::names() const {
  return {.factors = {"choice", "better"},
          .modalities = {"pay", "choice"},
          .states = {{"nothing", "left arm", "right arm"}, {"left", "right"}},
          .actions = {{"nothing", "left arm", "right arm"}, {"none"}},
          .outcomes = {{"nothing", "win", "loss"}, {"nothing", "left arm", "right arm"}}};
}

DiscreteWorld BanditOptions::make() const { return two_armed_bandit(*this); }

void BernoulliBanditOptions::keys(ConfigVisitor& v) {
  v.numbers({"probabilities", "of a win, for each arm"}, probabilities, {0.0, 1.0});
  v.number({"win", "how much a win is preferred to nothing, in nats"}, win, kAnyNumber);
  v.number({"loss", "how much a loss is preferred to nothing, in nats"}, loss, kAnyNumber);
}

WorldNames BernoulliBanditOptions::names() const {
  std::vector<std::string> states = {"none yet"}, actions;
  for (std::size_t arm = 0; arm < probabilities.size(); ++arm) {
    actions.push_back("arm " + std::to_string(arm));
    states.push_back(actions.back());
  }
  return {.factors = {"arm"},
          .modalities = {"pay"},
          .states = {states},
          .actions = {actions},
          .outcomes = {{"nothing", "win", "loss"}}};
}

DiscreteWorld BernoulliBanditOptions::make() const { return bernoulli_bandit(*this); }

void GridOptions::keys(ConfigVisitor& v) {
  v.integer({"rows", "rows of the grid"}, rows, {1, 1024});
  v.integer({"columns", "columns of the grid; 1024 cells at most"}, columns, {1, 1024});
  v.integers({"walls", "cells that cannot be entered, as row * columns + column"}, walls,
             {0, 1023});
  v.integer({"start", "cell where a trial begins"}, start, {0, 1023});
  v.integer({"goal", "cell that is preferred; -1: the last"}, goal, {-1, 1023});
  v.number({"preference", "how much the goal is preferred to the cell furthest off, in nats"},
           preference, kAnyNumber);
  v.flag(
      {"is_graded", "preferences fall with the steps to the goal; else all other cells are equal"},
      is_graded);
  v.number({"slip", "probability that a move does not happen"}, slip, {0.0, 1.0});
  v.number({"accuracy", "probability that the cell is seen, and not one of its neighbours"},
           accuracy, {0.0, 1.0});
}

WorldNames GridOptions::names() const {
  return {.factors = {"cell"},
          .modalities = {"cell"},
          .states = {{}},
          .actions = {{"up", "right", "down", "left", "stay"}},
          .outcomes = {{}}};
}

DiscreteWorld GridOptions::make() const { return grid_world(*this); }

}  // namespace gaia::agents
