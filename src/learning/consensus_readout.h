// SPDX-License-Identifier: MIT
/// \file
/// Consensus as an experiment has it: a readout of what other readouts predict.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "consensus.h"
#include "readout_kind.h"

namespace gaia {

struct ConsensusOptions {
  std::vector<std::string> of = {};  ///< Names of the readouts that are fused.
  ConsensusCovariance covariance = ConsensusCovariance::joint;
  NestedNumbers error_covariance = {};  ///< S [L d, L d]; without it S is measured.
  /// Whether a measured S that is singular is an error; else all predictions are NaN.
  bool must_be_regular = true;

  static constexpr const char* name = "consensus";
  static constexpr ReadoutTask task = ReadoutTask::regression;
  static constexpr bool fuses = true;
  void keys(ConfigVisitor& v) {
    v.words({"of", "readouts of one target whose predictions are fused, by name", true}, of);
    v.choice(
        {"covariance",
         "joint: what their errors have in common is not counted twice; intersection: whatever "
         "that is, by the covariance of each alone"},
        choice_of(consensus_covariance_names(), covariance, consensus_covariance_from_name));
    v.nested({"error_covariance",
              "covariance of their errors, readout by readout and number by number; default "
              "measured on the validation part, else on the training part"},
             error_covariance, kAnyNumber, 2, 2);
  }
  bool measures_errors() const { return error_covariance.values.empty(); }
  std::unique_ptr<ReadoutModel> make(const ReadoutSizes& sizes) const;
};

/// Its features are what L readouts predict, [rows, L d]; it learns S, the second moment of their
/// errors about 0.  At each row it predicts d numbers, followed by L numbers that are 1 where a
/// readout was left out, else 0, and by the variances of the d errors that it expects.
class ConsensusReadout final : public ReadoutModel {
 public:
  ConsensusReadout(const ReadoutSizes& sizes, const ConsensusOptions& options);

  void add(std::span<const double> features, std::span<const double> targets) override;
  /// \throws DataError if S is singular or not finite.
  void solve() override;
  bool is_solved() const override { return is_solved_; }
  std::vector<double> predict(std::span<const double> features) override;

  bool is_linear() const override { return false; }
  bool has_solution() const override { return true; }
  /// S, and the covariance of the fusion of all.
  ReadoutSolution solution() const override;
  /// Takes over S.
  void set_solution(const ReadoutSolution& solution) override;
  std::vector<double> target_means() const override { return {}; }

  std::vector<std::string> notices() const override;

  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;

  /// Number of rows of errors from which S was measured.
  std::int64_t count() const { return count_; }

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);
  std::vector<double> measured() const;
  void take(std::span<const double> errors);

  ReadoutSizes sizes_;
  ConsensusOptions options_;
  std::int64_t estimates_;
  std::int64_t count_ = 0;
  std::vector<double> sums_;  // [L d, L d]: of products of errors, on and below the diagonal
  bool is_given_ = false;     // S is, so that none is measured
  bool is_solved_ = false;
  std::optional<Consensus> consensus_;  // none where S was singular
  std::vector<double> of_all_;          // [d, d]
};

}  // namespace gaia
