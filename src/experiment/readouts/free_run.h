// SPDX-License-Identifier: MIT
/// \file
/// Free runs of a readout: the row that is read at s + 1 is what the readout has said at s.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "../config/free_run_config.h"

namespace gaia {

/// Two numbers by which free runs are judged.
struct FreeRunScore {
  /// Root of the mean square error at step `at` over the variance of the series; infinite where a
  /// forecast has left the finite numbers by then.
  double nrmse_at = std::numeric_limits<double>::quiet_NaN();
  /// Steps until the error is longer than `threshold` deviations, the mean over starts.
  double valid_steps = std::numeric_limits<double>::quiet_NaN();
};

/// Forecasts of one readout from several starts, compared with what came.
///
/// With e = prediction - target, a vector of the readout's numbers, and V the sum of their
/// variances over the whole series (population variances, of the rows that are known):
///
///     error[j] = sqrt(mean over starts of |e_j|^2 / V)      nrmse_at = error[at - 1]
///     valid_steps of a start: the steps before the first at which |e_j| / sqrt(V) > threshold
///
/// Steps whose targets are not known count for neither.
class FreeRun {
 public:
  /// Free runs of a readout with so many outputs.
  FreeRun(const FreeRunConfig& config, std::int64_t outputs);

  /// Whether it goes on by itself from this step of the series on.
  bool starts_at(std::int64_t step) const;

  /// The numbers that the readout forecasts as they came at steps `first`, first + 1, ..., [steps,
  /// outputs], NaN where they are not known.  Every step of the series is seen once, in order.
  void see(std::int64_t first, std::span<const double> came);

  /// Says the first row, [outputs], where it is not given the last; what it is given it has said
  /// itself and reads first.
  using Say = std::function<std::vector<double>(std::span<const double> last)>;
  /// Goes on by itself from step `start` on.  It ends where a number is not finite, or too large
  /// for `largest`; what it would have said from there on is NaN.
  void go_on(std::int64_t start, double largest, const Say& say);

  /// Score of the starts whose targets were all seen.
  FreeRunScore score() const;

  /// What the results have of it, of the same starts.
  struct Table {
    std::vector<std::int64_t> starts = {};
    std::int64_t steps = 0;
    std::int64_t outputs = 0;
    std::vector<double> prediction = {};         ///< [starts, steps, outputs]
    std::vector<double> target = {};             ///< [starts, steps, outputs]
    std::vector<std::int64_t> valid_steps = {};  ///< [starts]
    std::vector<double> error = {};              ///< [steps]
  };
  Table table() const;

  /// State as one list of numbers, for a checkpoint.
  std::vector<double> state() const;
  /// \throws ShapeError for a list of another length.
  void set_state(std::span<const double> state);

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);
  /// Sums over the rows that were seen, counted from the first.
  struct Sums {
    double count = 0.0;
    double first = 0.0;
    double sum = 0.0;
    double square = 0.0;
  };

  std::size_t place(std::size_t start, std::int64_t step) const {
    return (start * static_cast<std::size_t>(config_.steps) + static_cast<std::size_t>(step)) *
           sums_.size();
  }
  /// Starts whose targets were all seen: they are the first.
  std::size_t ended() const;
  double variance() const;
  /// |e|^2 at a step from a start: infinite where nothing finite was said, NaN where nothing is
  /// known.
  double square_error(std::size_t start, std::int64_t step) const;
  std::int64_t valid_steps(std::size_t start, double variance) const;
  double error(std::int64_t step, double variance) const;

  FreeRunConfig config_;
  std::vector<Sums> sums_;  // sums of each output
  std::int64_t seen_ = 0;   // step that is seen next
  std::vector<double> prediction_;
  std::vector<double> target_;
};

}  // namespace gaia
