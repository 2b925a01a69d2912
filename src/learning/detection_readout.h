// SPDX-License-Identifier: MIT
/// \file
/// Changes as an experiment has them: a readout that watches series and tells when they change.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "change_detectors.h"
#include "readout_kind.h"

namespace gaia {

/// What is watched.
enum class WatchedSeries {
  error,   ///< What another readout misses its target by.
  levels,  ///< What neurons of levels answer.
  input,   ///< The channels, as level 0 reads them.
};

enum class ChangeMethod { page_hinkley, adwin };

std::string to_string(WatchedSeries series);
std::string to_string(ChangeMethod method);
/// \throws ArgumentError for an unknown name.
WatchedSeries watched_series_from_name(std::string_view name);
ChangeMethod change_method_from_name(std::string_view name);

/// What a prediction misses its target by, one number: of numbers the mean of |prediction -
/// target|, of probabilities of classes 0 where the most probable is the target and else 1, of an
/// anomaly its score.  NaN where the target is not known.
double error_of_prediction(ReadoutTask task, std::span<const double> prediction,
                           std::span<const double> target);

struct DetectionOptions {
  WatchedSeries watched = WatchedSeries::error;
  std::string readout = {};  ///< Name of the readout whose errors are watched.
  bool as_mean = false;      ///< Whether the mean of all numbers is watched, else each of them.
  ChangeMethod method = ChangeMethod::adwin;
  PageHinkleyOptions page_hinkley = {};
  AdwinOptions adwin = {};

  static constexpr const char* name = "change";
  static constexpr ReadoutTask task = ReadoutTask::change;
  static constexpr bool is_online = true;
  /// Names of the readouts that it hears.
  std::vector<std::string> heard() const {
    return watched == WatchedSeries::error ? std::vector{readout} : std::vector<std::string>{};
  }
  void keys(ConfigVisitor& v);
  /// How many series are watched where a row has so many numbers.
  std::int64_t series(std::int64_t features) const { return as_mean ? 1 : features; }
  std::unique_ptr<ReadoutModel> make(const ReadoutSizes& sizes) const;
};

/// Rows of numbers, of each of which, or of whose mean, a detector of its own watches the series:
/// it is reported in `predict`, where for each row there are, of n series, n numbers that are 1 at
/// a change, else 0, n statistics and n estimates.  A number that is NaN is left out, and the mean
/// is of those that are not.  Series go on from trial to trial.
class DetectionReadout final : public ReadoutModel {
 public:
  DetectionReadout(const ReadoutSizes& sizes, const DetectionOptions& options);

  bool is_online() const override { return true; }
  void add(std::span<const double>, std::span<const double>) override {}
  void solve() override {}
  bool is_solved() const override { return true; }
  /// \throws ShapeError if the last row is not whole.
  std::vector<double> predict(std::span<const double> features) override;
  bool is_linear() const override { return false; }
  std::vector<double> target_means() const override { return {}; }
  /// \throws ArgumentError: it has no weights.
  void set_solution(const ReadoutSolution& solution) override;

  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);

  using Detector = std::variant<PageHinkley, Adwin>;
  std::size_t features_;
  bool as_mean_;
  std::vector<Detector> detectors_;
};

}  // namespace gaia
