// SPDX-License-Identifier: MIT
/// \file
/// Logistic regression that is fitted anew to its own answers: gradual self-training (Kumar, Ma and
/// Liang, 2020, Proceedings of Machine Learning Research 119, 5468-5479).
#pragma once

#include <memory>

#include "logistic_readout.h"

namespace gaia {

struct SelfTrainedOptions {
  double l2 = 1e-4;            ///< Regularisation, as LogisticOptions have it.
  std::int64_t memory = 1000;  ///< Rows that it is fitted to, the newest.
  std::int64_t every = 500;    ///< Predictions from one fit to the next.
  ClassWeight class_weight =
      ClassWeight::none;  ///< Weight of classes in each fit, as of LogisticOptions.

  static constexpr const char* name = "self_trained";
  static constexpr ReadoutTask task = ReadoutTask::classes;
  void keys(ConfigVisitor& /*visitor*/) {}
  std::unique_ptr<ReadoutModel> make(const ReadoutSizes& sizes) const;
};

/// Begins as logistic regression of the rows with labels, the newest of which are its memory.  Then
/// every row comes into the memory with the class that was predicted for it, and after every so
/// many of them it is fitted to the memory, unless that has one class alone.  What it predicts
/// depends on the order of the rows, and not on how many come at a time.
class SelfTrainedReadout final : public ReadoutModel {
 public:
  SelfTrainedReadout(const ReadoutSizes& sizes, const SelfTrainedOptions& options);

  void add(std::span<const double> features, std::span<const double> targets) override;
  /// \throws DataError if there was no row.
  void solve() override;
  bool is_solved() const override { return fitted_->is_solved(); }
  std::vector<double> predict(std::span<const double> features) override;
  /// Shares of the classes among the rows with labels.
  std::vector<double> target_means() const override { return shares_; }

  bool is_linear() const override { return false; }
  void set_solution(const ReadoutSolution& solution) override;

  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);
  std::unique_ptr<LogisticReadout> make_fit() const;
  void fit_anew();
  void forget_oldest();

  ReadoutSizes sizes_;
  SelfTrainedOptions options_;
  std::unique_ptr<LogisticReadout> fitted_;
  std::vector<double> shares_;    // [classes]
  std::vector<double> features_;  // [rows, features] in memory, the oldest first
  std::vector<double> codes_;     // [rows]
  std::int64_t since_fit_ = 0;    // predictions
};

}  // namespace gaia
