// SPDX-License-Identifier: MIT
#include "whitening.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "../core/message.h"
#include "pca.h"

namespace gaia {
namespace {

/// All components, each times (v + epsilon m)^-1/4.
PrincipalComponents scaled_components(const Covariance& covariance, double epsilon) {
  if (!(epsilon >= 0.0) || !std::isfinite(epsilon)) {
    fail<ArgumentError>("[whitening] expected an epsilon of 0 or more, got {}", epsilon);
  }
  PrincipalComponents pca = principal_components(covariance, covariance.features());
  const auto features = static_cast<double>(covariance.features());
  const double mean_variance = pca.total_variance / features;
  const double least = std::numeric_limits<double>::epsilon() * features;
  const double added = std::max(epsilon, least) * (mean_variance > 0.0 ? mean_variance : 1.0);
  const std::size_t length = pca.mean.size();
  for (std::size_t i = 0; i < pca.variances.size(); ++i) {
    const double gain = std::pow(pca.variances[i] + added, -0.25);
    for (std::size_t j = 0; j < length; ++j) pca.components[i * length + j] *= gain;
  }
  return pca;
}

}  // namespace

std::vector<double> Whitening::transform(std::span<const double> rows) const {
  return project("Whitening", rows, mean, matrix);
}

Whitening zca_whitening(const Covariance& covariance, double epsilon) {
  // U D U^T is the square of U sqrt(D), and as a square it is symmetric to the last bit.
  const std::int64_t features = covariance.features();
  PrincipalComponents pca = scaled_components(covariance, epsilon);
  Whitening result;
  result.mean = std::move(pca.mean);
  result.matrix.resize(pca.components.size());
  const Eigen::Map<const Eigen::MatrixXd> roots(pca.components.data(), features, features);
  Eigen::Map<Eigen::MatrixXd> matrix(result.matrix.data(), features, features);
  matrix.setZero();
  matrix.selfadjointView<Eigen::Lower>().rankUpdate(roots);
  matrix.triangularView<Eigen::StrictlyUpper>() = matrix.transpose();
  return result;
}

}  // namespace gaia
