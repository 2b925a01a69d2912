// SPDX-License-Identifier: MIT
/// \file
/// A readout that learns by how much its targets change.
#pragma once

#include <memory>
#include <vector>

#include "readout_kind.h"

namespace gaia {

/// Another model learns the change y - v of the targets y from what they are now, v, and v is added
/// to what it predicts.  What it reads of a row are the features of the other, then v [targets].
/// With a strong regularisation it becomes persistence, rather than the mean.
class ChangeReadout final : public ReadoutModel {
 public:
  /// `sizes` are those of the other model.
  ChangeReadout(std::unique_ptr<ReadoutModel> model, const ReadoutSizes& sizes);

  void add(std::span<const double> features, std::span<const double> targets) override;
  void solve() override { model_->solve(); }
  bool is_solved() const override { return model_->is_solved(); }
  std::vector<double> predict(std::span<const double> features) override;
  bool is_online() const override { return model_->is_online(); }
  void begin_trial() override { model_->begin_trial(); }
  /// Means of the targets themselves, not of their changes.
  std::vector<double> target_means() const override { return means_; }
  bool is_linear() const override { return model_->is_linear(); }
  /// Weights and intercepts of the change; means of the targets themselves.
  ReadoutSolution solution() const override;
  void set_solution(const ReadoutSolution& solution) override;
  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;

 private:
  struct Parts {
    std::vector<double> features;
    std::vector<double> now;
  };
  Parts parts_of(std::span<const double> features) const;

  std::unique_ptr<ReadoutModel> model_;
  std::size_t features_;
  std::size_t targets_;
  double count_ = 0.0;
  std::vector<double> means_;  // [targets], of the targets so far
};

}  // namespace gaia
