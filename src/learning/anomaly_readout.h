// SPDX-License-Identifier: MIT
/// \file
/// How unusual samples are, as an experiment has it: a readout that learns what is usual.
#pragma once

#include <memory>

#include "anomaly.h"
#include "readout_kind.h"
#include "ridge.h"

namespace gaia {

enum class AnomalyMeasure { reconstruction, forecast, mahalanobis };

std::string to_string(AnomalyMeasure measure);
/// \throws ArgumentError for an unknown name.
AnomalyMeasure anomaly_measure_from_name(std::string_view name);

struct AnomalyOptions {
  AnomalyMeasure measure = AnomalyMeasure::reconstruction;

  static constexpr const char* name = "anomaly";
  static constexpr ReadoutTask task = ReadoutTask::anomaly;
  bool reads_reconstructions() const { return measure == AnomalyMeasure::reconstruction; }
  void keys(ConfigVisitor& v) {
    v.choice({"score",
              "what is unusual: what the levels' own weights rebuild badly, what does not "
              "follow from the tick before, or what lies far from the mean"},
             choice_of({"reconstruction", "forecast", "mahalanobis"}, measure,
                       anomaly_measure_from_name));
  }
  std::unique_ptr<ReadoutModel> make(const ReadoutSizes& sizes) const;
};

/// Reads rows of numbers and, behind them, `targets` channels of the newest row, and gives for each
/// its score and that of the running mean:
///
/// - reconstruction: the numbers are the errors with which each level rebuilds what it reads; the
///   score is their mean, each in standard deviations from its mean in the training part;
/// - forecast: |x - x'|^2 / channels, where ridge regression forecasts the channels x' from the
///   numbers of the tick before; 0 at the first tick of a trial;
/// - mahalanobis: the distance of the numbers from those of the training part.
///
/// The last two too are in standard deviations from their mean in the training part, whose rows are
/// kept until `solve`.
class AnomalyReadout final : public ReadoutModel {
 public:
  AnomalyReadout(const ReadoutSizes& sizes, const AnomalyOptions& options);

  void add(std::span<const double> features, std::span<const double> targets) override;
  /// \throws DataError if there was no row.
  void solve() override;
  bool is_solved() const override { return is_solved_; }
  std::vector<double> predict(std::span<const double> features) override;
  void begin_trial() override;
  bool is_linear() const override { return false; }
  void set_solution(const ReadoutSolution& solution) override;

  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);
  /// The numbers, or the channels, of rows.
  std::vector<double> columns(std::span<const double> rows, std::int64_t begin,
                              std::int64_t end) const;
  std::int64_t read() const { return width_ - channels_; }
  /// What is scaled, [rows, scales_]; `previous` are the numbers of the tick before, if there was
  /// one in the trial, and become those of the last row.
  std::vector<double> errors(std::span<const double> rows, std::vector<double>& previous);

  AnomalyMeasure measure_;
  std::int64_t width_;     // numbers of a row
  std::int64_t channels_;  // at its end
  bool is_solved_ = false;
  std::vector<double> rows_;          // rows of the training part
  std::vector<std::int64_t> begins_;  // rows at which a trial begins there
  RidgeRegression forecast_;
  MahalanobisDistance distance_;
  RunningMeanScore running_;
  std::vector<ErrorScale> scales_;
  std::vector<double> previous_;  // numbers of the last row, if it was one of this trial
};

}  // namespace gaia
