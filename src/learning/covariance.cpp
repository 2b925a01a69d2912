// SPDX-License-Identifier: MIT
#include "covariance.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <string>

#include "../core/message.h"
#include "../core/state_fields.h"
#include "finite_rows.h"
#include "scatter.h"

namespace gaia {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::int64_t kMostFeatures = 32768;  // 8 GiB of covariance

/// How many rows are centred at a time: some megabytes of them, and enough for a fast product.
std::int64_t rows_of_block(std::int64_t features) {
  return std::max<std::int64_t>(256, (std::int64_t{1} << 19) / features);
}

}  // namespace

Covariance::Covariance(std::int64_t features) : features_(features) {
  if (features < 1 || features > kMostFeatures) {
    fail<ArgumentError>(
        "[Covariance] expected 1 to {} features, got {}; reduce them first, by pooling or by "
        "random projection",
        kMostFeatures, features);
  }
  const auto size = static_cast<std::size_t>(features);
  origin_.resize(size);
  shift_.resize(size);
  scatter_.resize(size * size);
}

void Covariance::add(std::span<const double> rows) {
  const auto numbers = static_cast<std::int64_t>(rows.size());
  if (numbers % features_ != 0) {
    fail<ShapeError>("[Covariance] expected rows of {} features, got {} numbers", features_,
                     numbers);
  }
  expect_finite_rows("Covariance", "feature", rows, features_);
  const std::int64_t count = numbers / features_;
  const std::int64_t most = rows_of_block(features_);
  for (std::int64_t first = 0; first < count; first += most) {
    add_block(rows.data() + first * features_, std::min(most, count - first));
  }
}

void Covariance::add_block(const double* rows, std::int64_t count) {
  if (count_ == 0) std::copy_n(rows, features_, origin_.begin());
  const Eigen::Map<const Rows> x(rows, count, features_);
  const Eigen::Map<const Eigen::RowVectorXd> origin(origin_.data(), features_);
  Eigen::Map<Eigen::RowVectorXd> shift(shift_.data(), features_);
  Eigen::Map<Rows> scatter(scatter_.data(), features_, features_);

  Rows centred = x.rowwise() - origin;
  const Eigen::RowVectorXd block_mean = centred.colwise().mean();
  centred.rowwise() -= block_mean;
  const auto before = static_cast<double>(count_);
  const auto added = static_cast<double>(count);
  const Eigen::RowVectorXd step = block_mean - shift;
  const double weight = before * added / (before + added);

  const auto size = static_cast<std::size_t>(count * features_);
  add_scatter(std::span(centred.data(), size), features_, scatter_);
  scatter.selfadjointView<Eigen::Lower>().rankUpdate(step.transpose(), weight);
  shift += step * (added / (before + added));
  count_ += count;
}

std::vector<double> Covariance::mean() const {
  std::vector<double> mean(origin_);
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += shift_[i];
  return mean;
}

std::vector<double> Covariance::matrix() const {
  std::vector<double> matrix(scatter_.size());
  const auto size = static_cast<std::size_t>(features_);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double value = scatter_[i * size + j] / divisor();
      if (!std::isfinite(value)) {
        fail<ArgumentError>(
            "[Covariance] of features {} and {} is not finite: a row held NaN, infinity or numbers "
            "whose squares are too large; leave such rows out, or scale the features",
            j, i);
      }
      matrix[i * size + j] = value;
      matrix[j * size + i] = value;
    }
  }
  return matrix;
}

std::vector<double> Covariance::variances() const {
  std::vector<double> variances(shift_.size());
  for (std::size_t i = 0; i < variances.size(); ++i) {
    variances[i] = scatter_[i * variances.size() + i] / divisor();
  }
  return variances;
}

double Covariance::mean_variance() const {
  double sum = 0.0;
  for (const double variance : variances()) sum += variance;
  return sum / static_cast<double>(features_);
}

std::size_t Covariance::state_size() const {
  const auto size = static_cast<std::size_t>(features_);
  return 1 + 2 * size + size * (size + 1) / 2;
}

void Covariance::fields(auto& self, auto& state) {
  state(self.count_, self.origin_, self.shift_);
  const auto size = static_cast<std::size_t>(self.features_);
  for (std::size_t row = 0; row < size; ++row) {
    state(std::span(self.scatter_).subspan(row * size, row + 1));
  }
}

std::vector<double> Covariance::state() const { return StateFields::of(*this); }

void Covariance::set_state(std::span<const double> state) {
  StateFields::set_sized(*this, "Covariance", state, state_size());
}

}  // namespace gaia
