// SPDX-License-Identifier: MIT
/// \file
/// Logistic regression as an experiment has it: a readout of classes.
#pragma once

#include <memory>

#include "logistic.h"
#include "readout_kind.h"

namespace gaia {

struct LogisticOptions {
  double l2 = 1e-4;
  ClassWeight class_weight = ClassWeight::none;

  static constexpr const char* name = "logistic";
  static constexpr ReadoutTask task = ReadoutTask::classes;
  void keys(ConfigVisitor& v) {
    v.number({"l2", "regularisation, relative to the features' mean variance"}, l2, kNotNegative);
    v.choice({"class_weight",
              "how much a tick counts in training: none, once; balanced, so that all classes count "
              "alike"},
             choice_of({"none", "balanced"}, class_weight, class_weight_from_name));
  }
  std::unique_ptr<ReadoutModel> make(const ReadoutSizes& sizes) const;
};

/// Keeps the rows that it is trained on until `solve`.  It knows of no class that is not among
/// them: that has the probability 0, weights of 0 and, as its share of the training, a target mean
/// of 0.
class LogisticReadout final : public ReadoutModel {
 public:
  LogisticReadout(const ReadoutSizes& sizes, const LogisticOptions& options);

  void add(std::span<const double> features, std::span<const double> targets) override;
  /// \throws DataError if there was no row.
  void solve() override;
  bool is_solved() const override { return regression_.is_fitted(); }
  std::vector<double> predict(std::span<const double> features) override;
  std::vector<double> target_means() const override { return shares_; }

  bool is_linear() const override { return true; }
  ReadoutSolution solution() const override;
  void set_solution(const ReadoutSolution& solution) override;

  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state, auto& found);

  ReadoutSizes sizes_;
  LogisticRegression regression_;
  std::vector<double> features_;     // [rows, features]
  std::vector<std::int64_t> codes_;  // [rows]
  std::vector<double> shares_;       // [classes], of the training
};

}  // namespace gaia
