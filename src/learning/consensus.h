// SPDX-License-Identifier: MIT
/// \file
/// One estimate of several that are of the same numbers, without those that do not fit the others.
///
///     Consensus consensus(errors, 5, 4);   // S [20, 20]: covariance of the errors of 5 estimates
///     const Consensus::Fused fused = consensus.fuse(estimates);           // [5, 4]
///     fused.mean; fused.covariance; fused.outlier;                        // [4], [4, 4], [5]
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gaia {

/// What is known of how the errors of estimates go together.
enum class ConsensusCovariance {
  joint,         ///< All of S: what errors have in common is not counted twice.
  intersection,  ///< The blocks S_ii alone, whatever the errors have in common.
};

std::string to_string(ConsensusCovariance covariance);
std::vector<std::string> consensus_covariance_names();
/// \throws ArgumentError for an unknown name.
ConsensusCovariance consensus_covariance_from_name(const std::string& name);

/// Fuses L estimates M_i of the same d numbers, whose errors have the joint covariance
/// S [L d, L d], estimate by estimate.
///
/// For a set of estimates, with their part of M and S and J = [I, I, ...]^T:
///
///     joint         P = (J^T S^-1 J)^-1,  m = P J^T S^-1 M      (generalised least squares)
///     intersection  P = (sum_i w_i S_ii^-1)^-1,  m = P sum_i w_i S_ii^-1 M_i,  w_i = 1 / size
///
/// The first is the best linear estimate without bias, and P its covariance.  The second is
/// covariance intersection (Julier & Uhlmann 1997, Proc. ACC, 2369-2373): P is never smaller than
/// the covariance of m, whatever the errors have in common.  Its weights are equal: those of the
/// least trace take, of single numbers, the estimate of the least variance alone.
///
/// Which estimates are fused: the first set are the floor(L/2) + 1 of least
///
///     D_i = (M_i - med)^T (max(1 - 2/L, 0.1) S_ii + pi/(2 L) mean_j S_jj)^-1 (M_i - med)
///
/// med being the median of each number; of equals the lower index is first.  Then each estimate, in
/// the set or not, is tested against the fusion m of the others in the set: D_i = e^T C^-1 e with
/// e = M_i - m and C the covariance that e has by S.  Those with D_i <= chi2(0.999, d) are the next
/// set; if there are none, the one of least D_i is, the lower index of equals.  One that is alone
/// in the set has D_i = 0.  The first set that was there before is taken, and what is not in it is
/// an outlier.  D_i that differ by less than 1e-9 of them are equal.  Of two estimates nobody can
/// say which is wrong, so both are fused.
///
/// All in float64.  One object serves one thread at a time: it keeps what sets that it has met come
/// to.
class Consensus {
 public:
  /// Share of estimates without a fault that pass the test.
  static constexpr double kProbability = 0.999;
  /// Difference of two D_i, as a share of the smaller, below which they are equal: two that are
  /// alone in a set are as far from each other, and rounding must not choose one.
  static constexpr double kEqual = 1e-9;

  struct Fused {
    std::vector<double> mean;           ///< [d]; NaN if an estimate is not finite.
    std::vector<double> covariance;     ///< [d, d], P; NaN if an estimate is not finite.
    std::vector<std::int64_t> outlier;  ///< [L]: 1 where it was left out, else 0.
  };
  /// Fusions of several rows of estimates.
  struct FusedRows {
    std::vector<double> means;          ///< [rows, d]
    std::vector<double> covariances;    ///< [rows, d, d]
    std::vector<std::int64_t> outlier;  ///< [rows, L]
  };

  /// \throws ShapeError unless S is [L d, L d]; ArgumentError unless L is 2 to 1024 and d at least
  /// 1, or if S is not finite, not symmetric (to 1e-8 of its largest number), or singular: if its
  /// correlations have an eigenvalue below 1e-12 of the largest, or a variance is not positive.
  Consensus(std::span<const double> errors, std::int64_t estimates, std::int64_t numbers,
            ConsensusCovariance covariance = ConsensusCovariance::joint);
  ~Consensus();
  Consensus(Consensus&&) noexcept;
  Consensus& operator=(Consensus&&) noexcept;

  std::int64_t estimates() const { return estimates_; }
  std::int64_t numbers() const { return numbers_; }
  ConsensusCovariance kind() const { return kind_; }
  /// S [L d, L d], made symmetric.
  const std::vector<double>& errors() const { return errors_; }
  /// D above which an estimate is left out: the quantile 0.999 of chi squared of d degrees.
  double limit() const { return limit_; }

  /// \throws ShapeError unless there are L d numbers.
  Fused fuse(std::span<const double> estimates);
  /// Row by row, of [rows, L, d].  \throws ShapeError unless there are whole rows.
  FusedRows fuse_rows(std::span<const double> estimates);

  /// P [d, d] of the set of all.
  std::vector<double> covariance_of_all();

 private:
  using Set = std::vector<bool>;  // [L]
  struct Fusion;
  struct Tables;

  Fusion& fusion_of(const Set& set);
  Set first_set(std::span<const double> estimates) const;
  Set next_set(const Set& set, std::span<const double> estimates);
  Set chosen_set(std::span<const double> estimates);

  std::int64_t estimates_;
  std::int64_t numbers_;
  ConsensusCovariance kind_;
  std::vector<double> errors_;
  double limit_;
  std::unique_ptr<Tables> tables_;
};

/// Second moment about 0 of errors [rows, width], sum of e e^T over the rows, divided by their
/// number, [width, width], in float64.  \throws ShapeError unless there are whole rows and at least
/// one.
std::vector<double> second_moment(std::span<const double> errors, std::int64_t width);

/// Errors, at least, from which an S of so many estimates and numbers is measured well enough:
/// 5 L d.
constexpr std::int64_t enough_errors(std::int64_t estimates, std::int64_t numbers) {
  return 5 * estimates * numbers;
}

}  // namespace gaia
