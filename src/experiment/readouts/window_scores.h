// SPDX-License-Identifier: MIT
/// \file
/// Scores along the stream: those of a readout in each window of its test part.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "readout_score.h"

namespace gaia {

class WindowScores {
 public:
  using MakeScorer = std::function<std::unique_ptr<Scorer>()>;

  /// Windows of `every` ticks; `make`: a scorer of one.
  WindowScores(std::int64_t every, MakeScorer make);

  std::int64_t every() const { return every_; }

  /// Takes the next tick of the test part, which is at `step`; `row` is null where its target is
  /// not known.
  void add(std::int64_t step, const Scorer::Row* row);

  /// One row for each window, the last of which may not be over.
  struct Table {
    std::vector<std::int64_t> steps;  ///< Steps of their last ticks.
    /// Scores by the names that they have in the results; NaN where one is not defined.
    std::vector<std::pair<std::string, std::vector<double>>> scores;
  };
  Table table() const;

  /// Everything that it has taken, as numbers in one list, from which another goes on.
  std::vector<double> state() const;
  /// \throws ShapeError for a list that is no such state.
  void set_state(std::span<const double> state);

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);
  void end_window(Table& table) const;

  std::int64_t every_;
  MakeScorer make_;
  Table ended_;
  std::unique_ptr<Scorer> scorer_;  // scorer of the window that is open
  std::int64_t ticks_ = 0;          // in it
  std::int64_t last_step_ = 0;
};

}  // namespace gaia
