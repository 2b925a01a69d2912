// SPDX-License-Identifier: MIT
/// \file
/// What neurons or their weights are like: a readout that is taught nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "covariance.h"
#include "readout_kind.h"

namespace gaia {

enum class Statistic { kurtosis, sparseness, selectivity, quantisation, components, weights };

std::string to_string(Statistic statistic);
/// \throws ArgumentError for an unknown name.
Statistic statistic_from_name(std::string_view name);

/// How a statistic is called, and which way it is good.
struct StatisticMeasure {
  const char* name;       ///< Name for people: "quantisation error".
  const char* attribute;  ///< Name in the results.
  bool is_error;          ///< Whether the smaller one is the better one.
};

/// All of them.
std::span<const StatisticMeasure> statistic_measures();
/// The one of this name; null for that of another kind of readout.
const StatisticMeasure* find_statistic(std::string_view name);
/// Whether of two scores by a measure, that of a statistic or of anything else, the smaller one is
/// the better one.
bool is_error_measure(std::string_view name);
/// A number that is small where the statistic is good, by which verdicts compare: an error itself,
/// 1 / (3 + k) of a kurtosis k, which is one over the standardised fourth moment, and 1 - s of what
/// is 1 at best.
double error_of(const StatisticMeasure& measure, double value);

struct StatisticOptions {
  Statistic measured = Statistic::kurtosis;
  std::string over = {};  ///< Latent whose values are classes; empty: those of data.labels.
  bool subspace = false;
  std::vector<double> expected = {};
  std::vector<double> deviation = {};
  std::vector<std::int64_t> places = {};

  static constexpr const char* name = "statistic";
  static constexpr ReadoutTask task = ReadoutTask::statistic;
  void keys(ConfigVisitor& v);
  std::unique_ptr<ReadoutModel> make(const ReadoutSizes& sizes) const;

  const StatisticMeasure& measure() const;
  /// Whether it is of weights as they are in the end, and not of what is read at ticks.
  bool is_of_weights() const {
    return measured == Statistic::components || measured == Statistic::weights;
  }
  /// Whether it needs weights.
  bool needs_weights() const { return is_of_weights() || measured == Statistic::quantisation; }
};

/// What a statistic is computed from, row by row: most say what they read.
///
/// - components: rows that are added are what a level reads; `predict` takes rows of weights
///   [neurons, features] and gives |cos| of row i with the i-th principal component of what was
///   added, [neurons], 0 for a row of zeros; or with `subspace` the largest angle between the span
///   of the rows and that of as many components, one number in radians (Bjorck & Golub, 1973, Math.
///   Comput. 27, 579-594), pi/2 where the rows span less;
/// - weights: `predict` takes all weights and gives one number, of the P that are expected
///   sqrt(sum (w - expected)^2 / P), or where deviations are given sum ((w - expected) /
///   deviation)^2 / P (Pfister & Gerstner, 2006, J. Neurosci. 26, 9673-9682).
class StatisticReadout final : public ReadoutModel {
 public:
  StatisticReadout(const ReadoutSizes& sizes, const StatisticOptions& options);

  void add(std::span<const double> features, std::span<const double> targets) override;
  void solve() override { is_solved_ = true; }
  bool is_solved() const override { return is_solved_; }
  /// \throws ShapeError for weights that do not fit what is expected, ArgumentError for more rows
  /// than there are components.
  std::vector<double> predict(std::span<const double> features) override;
  bool is_linear() const override { return false; }
  /// \throws ArgumentError: there is nothing that it could take over.
  void set_solution(const ReadoutSolution& solution) override;
  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);
  std::vector<double> agreement(std::span<const double> weights);
  double error(std::span<const double> weights) const;

  StatisticOptions options_;
  std::optional<Covariance> covariance_;  // that of what a level reads, for components
  std::vector<double> components_;        // once they are known
  bool is_solved_ = false;
};

}  // namespace gaia
