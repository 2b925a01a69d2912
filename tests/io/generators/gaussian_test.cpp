// SPDX-License-Identifier: MIT
#include <Eigen/Eigenvalues>
#include <cmath>

#include "../../../src/core/error.h"
#include "../../../src/io/generators/gaussian.h"
#include "../../support/catch.h"
#include "../../support/statistics.h"
#include "../read_series.h"

namespace gaia {
namespace {

using namespace test;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const Matrix> as_matrix(const std::vector<double>& block, Eigen::Index width) {
  return {block.data(), static_cast<Eigen::Index>(block.size()) / width, width};
}

TEST_CASE("gaussian samples have the covariance spectrum asked for, in a rotated basis") {
  const std::vector<double> spectrum = {3.0, 1.5, 1.0, 0.8, 0.0};
  const auto series = make_gaussian({.spectrum = spectrum}, 100000, 4);
  const std::vector<double> block = read_all(*series);
  const auto x = as_matrix(block, 5);
  const Eigen::MatrixXd covariance = x.transpose() * x / 100000.0;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
  for (Eigen::Index k = 0; k < 5; ++k) {
    // Eigenvalues come in ascending order; a variance is known to sqrt(2 / rows) = 0.45 %.
    CHECK(solver.eigenvalues()(4 - k) ==
          Approx(spectrum[static_cast<std::size_t>(k)]).epsilon(0.025).margin(1e-12));
  }
  // The basis is not that of the channels.
  CHECK(solver.eigenvectors().cwiseAbs().maxCoeff() < 0.999);
  CHECK(x.colwise().mean().norm() < 0.03);
}

TEST_CASE("gaussian latents are the coordinates in the eigenbasis") {
  const std::vector<double> spectrum = {3.0, 1.0, 0.5};
  const auto series = make_gaussian({.spectrum = spectrum}, 20000, 4);
  const std::vector<double> latents = read_all_latents(*series);
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> s = column(latents, 3, k);
    for (double& value : s) value /= std::sqrt(spectrum[k]);
    CHECK(test::kolmogorov_smirnov(s, test::normal_cdf) < 1.95);
  }
  // x = Q s with an orthogonal Q, found by least squares.
  const std::vector<double> block = read_all(*series);
  const Matrix x = as_matrix(block, 3);
  const Matrix s = as_matrix(latents, 3);
  const Eigen::MatrixXd q = (s.transpose() * s).ldlt().solve(s.transpose() * x);
  CHECK((s * q - x).cwiseAbs().maxCoeff() < 1e-12);
  CHECK((q * q.transpose() - Eigen::MatrixXd::Identity(3, 3)).cwiseAbs().maxCoeff() < 1e-12);
}

TEST_CASE("gaussian without rotation has independent channels, the latents themselves") {
  const auto series = make_gaussian({.spectrum = {4.0, 0.25}, .rotate = false}, 20000, 4);
  const std::vector<double> x = read_all(*series);
  CHECK(read_all_latents(*series) == x);
  CHECK(test::Moments(column(x, 2, 0)).variance == Approx(4.0).epsilon(0.05));
  CHECK(test::Moments(column(x, 2, 1)).variance == Approx(0.25).epsilon(0.05));
}

TEST_CASE("gaussian samples are independent of each other") {
  const std::vector<double> x =
      read_all(*make_gaussian({.spectrum = {1.0}, .rotate = false}, 50000, 8));
  double sum = 0.0;
  for (std::size_t t = 1; t < x.size(); ++t) sum += x[t] * x[t - 1];
  CHECK(std::abs(sum / 50000.0) < 0.02);
}

TEST_CASE("gaussian bases are spread evenly over all directions") {
  // In 3 dimensions every coordinate of a uniform direction is uniform in [-1, 1].
  std::vector<double> first;
  std::vector<double> last;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const auto series = make_gaussian({.spectrum = {1.0, 0.0, 0.0}}, 1, seed);
    const std::vector<double> x = read_all(*series);
    const double s = read_all_latents(*series)[0];
    first.push_back(x[0] / s);
    last.push_back(x[2] / s);
  }
  const auto uniform = [](double v) { return 0.5 * (v + 1.0); };
  CHECK(test::kolmogorov_smirnov(first, uniform) < 1.95);
  CHECK(test::kolmogorov_smirnov(last, uniform) < 1.95);
}

TEST_CASE("gaussian refuses options that make no series") {
  CHECK_THROWS_WITH(make_gaussian({}, 3, 0),
                    "[gaussian] spectrum: expected at least one number, got none");
  CHECK_THROWS_WITH(make_gaussian({.spectrum = {1.0, -0.5}}, 3, 0),
                    "[gaussian] spectrum[1]: expected a number of at least 0, got -0.5");
  CHECK_THROWS_WITH(
      make_gaussian({.spectrum = std::vector<double>(5000, 1.0)}, 3, 0),
      "[gaussian] spectrum: expected at most 3355 channels for 5000 vectors, got 5000");
  CHECK_NOTHROW(make_gaussian({.spectrum = std::vector<double>(5000, 1.0), .rotate = false}, 3, 0));
}

}  // namespace
}  // namespace gaia
