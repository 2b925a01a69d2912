// SPDX-License-Identifier: MIT
#include "consensus.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <utility>

#include "../core/message.h"
#include "../core/names.h"
#include "../formulas/chi_squared.h"

namespace gaia {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Factors = Eigen::LLT<Matrix>;

constexpr std::int64_t kMostEstimates = 1024;
/// Eigenvalue of the correlations, of the largest, below which they are singular.
constexpr double kSingular = 1e-12;
/// Difference of two numbers of S that should be one, of the largest.
constexpr double kAsymmetry = 1e-8;
/// Sets that are kept; where more are met, all are forgotten.
constexpr std::size_t kMostSets = 4096;

constexpr NameTable<ConsensusCovariance, 2> kCovariances = {
    {{"joint", ConsensusCovariance::joint}, {"intersection", ConsensusCovariance::intersection}}};

/// S as a matrix, made symmetric.
Matrix symmetric(std::span<const double> errors, std::int64_t width) {
  const Eigen::Map<const Matrix> given(errors.data(), width, width);
  if (!given.allFinite()) {
    throw ArgumentError("[Consensus] the covariance of errors holds NaN or infinity");
  }
  const double largest = given.cwiseAbs().maxCoeff();
  if ((given - given.transpose()).cwiseAbs().maxCoeff() > kAsymmetry * largest) {
    throw ArgumentError(
        "[Consensus] the covariance of errors is not symmetric; a covariance is: S = S^T");
  }
  return 0.5 * (given + given.transpose());
}

/// An estimate and one of its numbers, for people.
std::string place_text(std::int64_t index, std::int64_t numbers) {
  return numbers == 1 ? message("estimate {}", index)
                      : message("number {} of estimate {}", index % numbers, index / numbers);
}

void check_regular(const Matrix& errors, std::int64_t numbers) {
  for (Eigen::Index i = 0; i < errors.rows(); ++i) {
    if (errors(i, i) > 0.0) continue;
    fail<ArgumentError>(
        "[Consensus] the covariance of errors is singular: the variance of {} is {}, and must be "
        "positive",
        place_text(i, numbers), errors(i, i));
  }
  const Eigen::VectorXd scale = errors.diagonal().cwiseSqrt().cwiseInverse();
  const Matrix correlations = scale.asDiagonal() * errors * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(correlations, Eigen::EigenvaluesOnly);
  const double least = solver.eigenvalues()(0);
  const double largest = solver.eigenvalues()(errors.rows() - 1);
  if (least > kSingular * largest) return;
  fail<ArgumentError>(
      "[Consensus] the covariance of errors is singular: its correlations have the eigenvalue {} "
      "beside {}; leave out estimates that say the same as others do, or measure it by more "
      "errors than it has rows ({})",
      least, largest, errors.rows());
}

/// The places of those in the set, in order.
std::vector<std::int64_t> members_of(const std::vector<bool>& set) {
  std::vector<std::int64_t> members;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set[i]) members.push_back(static_cast<std::int64_t>(i));
  }
  return members;
}

/// Median of numbers, of an even count the mean of the two in the middle.
double median_of(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

/// The first of those that are the least but for rounding: two that are alone in a set are as far
/// from each other.
std::size_t place_of_least(const std::vector<double>& distances) {
  const double least = *std::min_element(distances.begin(), distances.end());
  return static_cast<std::size_t>(
      std::find_if(distances.begin(), distances.end(),
                   [&](double one) { return one <= least * (1.0 + Consensus::kEqual); }) -
      distances.begin());
}

}  // namespace

std::string to_string(ConsensusCovariance covariance) { return name_of(kCovariances, covariance); }

std::vector<std::string> consensus_covariance_names() { return names_of(kCovariances); }

ConsensusCovariance consensus_covariance_from_name(const std::string& name) {
  return from_name(kCovariances, name, "covariance");
}

/// What a set comes to, whatever the estimates are.
struct Consensus::Fusion {
  std::vector<std::int64_t> members;
  Matrix weights;     // [d, size d]: m = weights M of the set
  Matrix covariance;  // P [d, d]
  /// Covariance, decomposed, of the difference of each estimate and the fusion of the others in the
  /// set; computed where it is asked for.
  std::vector<std::unique_ptr<Factors>> differences;
};

struct Consensus::Tables {
  Matrix errors;                     // S
  std::vector<Factors> from_median;  // covariance of each estimate's difference to the median
  std::map<Set, Fusion> fusions;
};

Consensus::Consensus(std::span<const double> errors, std::int64_t estimates, std::int64_t numbers,
                     ConsensusCovariance covariance)
    : estimates_(estimates),
      numbers_(numbers),
      kind_(covariance),
      tables_(std::make_unique<Tables>()) {
  if (estimates < 2 || estimates > kMostEstimates || numbers < 1) {
    fail<ArgumentError>(
        "[Consensus] expected 2 to {} estimates of at least 1 number, got {} estimates of {}",
        kMostEstimates, estimates, numbers);
  }
  const std::int64_t width = estimates * numbers;
  if (std::ssize(errors) != width * width) {
    fail<ShapeError>(
        "[Consensus] {} estimates of {} numbers have a covariance of errors [{}, {}], got {} "
        "numbers",
        estimates, numbers, width, width, errors.size());
  }
  Matrix& s = tables_->errors = symmetric(errors, width);
  check_regular(s, numbers);
  errors_.assign(s.data(), s.data() + s.size());
  limit_ = chi_squared_quantile(kProbability, static_cast<double>(numbers));
  const auto count = static_cast<double>(estimates);
  const auto block = [&](std::int64_t i) {
    return s.block(i * numbers, i * numbers, numbers, numbers);
  };
  Matrix mean = Matrix::Zero(numbers, numbers);
  for (std::int64_t i = 0; i < estimates; ++i) mean += block(i) / count;
  for (std::int64_t i = 0; i < estimates; ++i) {
    tables_->from_median.emplace_back(std::max(1.0 - 2.0 / count, 0.1) * block(i) +
                                      std::numbers::pi / (2.0 * count) * mean);
  }
}

Consensus::~Consensus() = default;
Consensus::Consensus(Consensus&&) noexcept = default;
Consensus& Consensus::operator=(Consensus&&) noexcept = default;

Consensus::Fusion& Consensus::fusion_of(const Set& set) {
  std::map<Set, Fusion>& fusions = tables_->fusions;
  if (const auto found = fusions.find(set); found != fusions.end()) return found->second;
  Fusion fusion{.members = members_of(set), .weights = {}, .covariance = {}, .differences = {}};
  const std::int64_t d = numbers_;
  const Matrix& s = tables_->errors;
  const auto size = std::ssize(fusion.members);
  const Matrix identity = Matrix::Identity(d, d);
  Matrix information(d, size * d);  // m = P information M
  Matrix total = Matrix::Zero(d, d);
  if (kind_ == ConsensusCovariance::joint) {
    Matrix own(size * d, size * d);
    for (std::int64_t a = 0; a < size; ++a) {
      for (std::int64_t b = 0; b < size; ++b) {
        own.block(a * d, b * d, d, d) =
            s.block(fusion.members[static_cast<std::size_t>(a)] * d,
                    fusion.members[static_cast<std::size_t>(b)] * d, d, d);
      }
    }
    information = Factors(own).solve(identity.replicate(size, 1)).transpose();
    for (std::int64_t a = 0; a < size; ++a) total += information.middleCols(a * d, d);
  } else {
    for (std::int64_t a = 0; a < size; ++a) {
      const std::int64_t i = fusion.members[static_cast<std::size_t>(a)];
      information.middleCols(a * d, d) =
          Factors(Matrix(s.block(i * d, i * d, d, d))).solve(identity) / static_cast<double>(size);
      total += information.middleCols(a * d, d);
    }
  }
  total = 0.5 * (total + total.transpose()).eval();
  const Factors factors(total);
  fusion.covariance = factors.solve(identity);
  fusion.covariance = 0.5 * (fusion.covariance + fusion.covariance.transpose()).eval();
  fusion.weights = factors.solve(information);
  fusion.differences.resize(static_cast<std::size_t>(estimates_));
  return fusions.emplace(set, std::move(fusion)).first->second;
}

Consensus::Set Consensus::first_set(std::span<const double> estimates) const {
  const std::int64_t d = numbers_;
  Eigen::VectorXd median(d);
  for (std::int64_t k = 0; k < d; ++k) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < estimates_; ++i) {
      values.push_back(estimates[static_cast<std::size_t>(i * d + k)]);
    }
    median(k) = median_of(std::move(values));
  }
  std::vector<double> distances;
  for (std::int64_t i = 0; i < estimates_; ++i) {
    const Eigen::VectorXd e =
        Eigen::Map<const Eigen::VectorXd>(estimates.data() + i * d, d) - median;
    distances.push_back(e.dot(tables_->from_median[static_cast<std::size_t>(i)].solve(e)));
  }
  Set set(distances.size(), false);
  for (std::size_t k = 0; k < distances.size() / 2 + 1; ++k) {
    const std::size_t nearest = place_of_least(distances);
    set[nearest] = true;
    distances[nearest] = std::numeric_limits<double>::infinity();
  }
  return set;
}

Consensus::Set Consensus::next_set(const Set& set, std::span<const double> estimates) {
  const std::int64_t d = numbers_;
  const Matrix& s = tables_->errors;
  std::vector<double> distances(set.size());
  for (std::size_t i = 0; i < set.size(); ++i) {
    Set others = set;
    others[i] = false;
    if (std::none_of(others.begin(), others.end(), [](bool one) { return one; })) continue;
    // References to what a std::map holds stay as it grows.
    Fusion& fusion = fusion_of(others);
    const auto own = static_cast<std::int64_t>(i) * d;
    Eigen::VectorXd e = Eigen::Map<const Eigen::VectorXd>(estimates.data() + own, d);
    const auto size = std::ssize(fusion.members);
    for (std::int64_t a = 0; a < size; ++a) {
      const std::int64_t at = fusion.members[static_cast<std::size_t>(a)] * d;
      e -= fusion.weights.middleCols(a * d, d) *
           Eigen::Map<const Eigen::VectorXd>(estimates.data() + at, d);
    }
    std::unique_ptr<Factors>& difference = fusion.differences[i];
    if (!difference) {
      Matrix all = Matrix::Zero(d, s.rows());  // e = all M
      all.middleCols(own, d) = Matrix::Identity(d, d);
      for (std::int64_t a = 0; a < size; ++a) {
        all.middleCols(fusion.members[static_cast<std::size_t>(a)] * d, d) -=
            fusion.weights.middleCols(a * d, d);
      }
      difference = std::make_unique<Factors>(Matrix(all * s * all.transpose()));
    }
    distances[i] = e.dot(difference->solve(e));
  }
  Set next;
  for (const double distance : distances) next.push_back(distance <= limit_);
  if (std::none_of(next.begin(), next.end(), [](bool one) { return one; })) {
    next[place_of_least(distances)] = true;
  }
  return next;
}

Consensus::Set Consensus::chosen_set(std::span<const double> estimates) {
  if (estimates_ == 2) return Set(2, true);
  Set set = first_set(estimates);
  for (std::set<Set> met; met.insert(set).second;) set = next_set(set, estimates);
  return set;
}

Consensus::Fused Consensus::fuse(std::span<const double> estimates) {
  const std::int64_t d = numbers_;
  if (std::ssize(estimates) != estimates_ * d) {
    fail<ShapeError>("[Consensus] expected {} estimates of {} numbers, got {} numbers", estimates_,
                     d, estimates.size());
  }
  Fused fused;
  if (!std::all_of(estimates.begin(), estimates.end(), [](double x) { return std::isfinite(x); })) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    fused.mean.assign(static_cast<std::size_t>(d), unknown);
    fused.covariance.assign(static_cast<std::size_t>(d * d), unknown);
    fused.outlier.assign(static_cast<std::size_t>(estimates_), 0);
    return fused;
  }
  if (tables_->fusions.size() > kMostSets) tables_->fusions.clear();
  const Set set = chosen_set(estimates);
  const Fusion& fusion = fusion_of(set);
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(d);
  for (std::size_t a = 0; a < fusion.members.size(); ++a) {
    mean += fusion.weights.middleCols(static_cast<std::int64_t>(a) * d, d) *
            Eigen::Map<const Eigen::VectorXd>(estimates.data() + fusion.members[a] * d, d);
  }
  fused.mean.assign(mean.data(), mean.data() + d);
  fused.covariance.assign(fusion.covariance.data(), fusion.covariance.data() + d * d);
  for (const bool is_in : set) fused.outlier.push_back(is_in ? 0 : 1);
  return fused;
}

Consensus::FusedRows Consensus::fuse_rows(std::span<const double> estimates) {
  const auto width = static_cast<std::size_t>(estimates_ * numbers_);
  if (estimates.size() % width != 0) {
    fail<ShapeError>("[Consensus] expected rows of {} estimates of {} numbers, got {} numbers",
                     estimates_, numbers_, estimates.size());
  }
  FusedRows rows;
  for (std::size_t from = 0; from < estimates.size(); from += width) {
    const Fused one = fuse(estimates.subspan(from, width));
    rows.means.insert(rows.means.end(), one.mean.begin(), one.mean.end());
    rows.covariances.insert(rows.covariances.end(), one.covariance.begin(), one.covariance.end());
    rows.outlier.insert(rows.outlier.end(), one.outlier.begin(), one.outlier.end());
  }
  return rows;
}

std::vector<double> Consensus::covariance_of_all() {
  const Matrix& covariance = fusion_of(Set(static_cast<std::size_t>(estimates_), true)).covariance;
  return {covariance.data(), covariance.data() + covariance.size()};
}

std::vector<double> second_moment(std::span<const double> errors, std::int64_t width) {
  if (width < 1 || errors.empty() || std::ssize(errors) % width != 0) {
    fail<ShapeError>("[second_moment] expected rows of {} errors, at least one, got {} numbers",
                     width, errors.size());
  }
  const Eigen::Index rows = std::ssize(errors) / width;
  const Eigen::Map<const Matrix> e(errors.data(), rows, width);
  Matrix moment = e.transpose() * e / static_cast<double>(rows);
  moment = 0.5 * (moment + moment.transpose()).eval();
  return {moment.data(), moment.data() + moment.size()};
}

}  // namespace gaia
