// SPDX-License-Identifier: MIT
/// \file
/// Regression row by row as an experiment has it: a readout that predicts before it learns.
#pragma once

#include <memory>

#include "online_regression.h"
#include "readout_kind.h"

namespace gaia {

struct OnlineReadoutOptions {
  OnlineOptions options;
  bool goes_on = true;  ///< false: its weights stay as they are once its training part is over.

  static constexpr const char* name = "online";
  static constexpr ReadoutTask task = ReadoutTask::regression;
  static constexpr bool is_online = true;
  void keys(ConfigVisitor& v) {
    v.choice({"method", "recursive least squares, or normalised least mean squares"},
             choice_of(online_method_names(), options.method, online_method_from_name));
    v.where(options.method == OnlineMethod::rls, "method: rls", [&] {
      v.number({"forgetting", "weight that a row keeps, one row later"}, options.forgetting,
               {0.0, 1.0, true});
      v.number({"delta", "regularisation: delta |W|^2 beside the sum of squared errors"},
               options.delta, kPositive);
    });
    v.where(options.method == OnlineMethod::nlms, "method: nlms", [&] {
      v.number({"step", "share of the error that a row corrects"}, options.step,
               {0.0, 2.0, true, true});
      v.number({"epsilon", "added to |x|^2"}, options.epsilon, kPositive);
    });
    v.flag({"goes_on",
            "whether it learns from what it is scored by too, once it has predicted it; "
            "false: from its training part alone"},
           goes_on);
  }
  std::unique_ptr<ReadoutModel> make(const ReadoutSizes& sizes) const;
};

class OnlineReadout final : public ReadoutModel {
 public:
  OnlineReadout(const ReadoutSizes& sizes, const OnlineOptions& options);

  bool is_online() const override { return true; }
  void add(std::span<const double> features, std::span<const double> targets) override;
  void solve() override {}
  bool is_solved() const override { return true; }
  std::vector<double> predict(std::span<const double> features) override;

  bool is_linear() const override { return true; }
  /// With the means of the targets so far.
  ReadoutSolution solution() const override;
  std::vector<double> target_means() const override { return means_; }
  /// \throws ArgumentError: it goes on learning, and has no weights that stay.
  void set_solution(const ReadoutSolution& solution) override;

  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);

  ReadoutSizes sizes_;
  OnlineRegression regression_;
  std::vector<double> means_;
};

}  // namespace gaia
