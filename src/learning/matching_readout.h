// SPDX-License-Identifier: MIT
/// \file
/// Which neuron answers as which target does: a readout that learns nothing.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "readout_kind.h"

namespace gaia {

struct MatchingOptions {
  static constexpr const char* name = "matching";
  static constexpr ReadoutTask task = ReadoutTask::matching;
  void keys(ConfigVisitor& /*visitor*/) {}
  std::unique_ptr<ReadoutModel> make(const ReadoutSizes& sizes) const;
};

/// Says what it reads: who is matched with whom is a matter of the score, over all test ticks.
class MatchingReadout final : public ReadoutModel {
 public:
  void add(std::span<const double> /*features*/, std::span<const double> /*targets*/) override {}
  void solve() override {}
  bool is_solved() const override { return true; }
  std::vector<double> predict(std::span<const double> features) override {
    return {features.begin(), features.end()};
  }
  bool is_linear() const override { return false; }
  /// \throws ArgumentError: there is nothing that it could take over.
  void set_solution(const ReadoutSolution& solution) override;
  std::vector<double> state() const override { return {}; }
  void set_state(std::span<const double> state) override;
};

}  // namespace gaia
