// SPDX-License-Identifier: MIT
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include "../array/create.h"
#include "../array/ops.h"
#include "../core/message.h"
#include "init.h"

namespace gaia {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Up to this size Gelfand's formula takes less than a second.
constexpr std::int64_t kLargestForPowers = 512;

/// Gelfand's formula |A^k|^(1/k) with k = 2^40: 40 products of matrices, right for any matrix.
double radius_by_powers(Array power) {
  double logarithm = 0.0;
  for (double weight = 1.0; weight > 0x1p-40; weight /= 2.0) {
    const double size = norm(power).item();
    if (size == 0.0) return 0.0;
    logarithm += weight * std::log(size);
    power = divide(power, size);
    power = matmul(power, power);
  }
  return std::exp(logarithm);
}

/// A space of vectors V, orthonormal, with A V = V H + v b^T for the next vector v: built by
/// Arnoldi's steps, and again and again reduced to what belongs to the largest eigenvalues of H, in
/// place of which new steps come (Stewart 2002, SIAM J. Matrix Anal. Appl. 23, 601).
class KrylovSpace {
 public:
  explicit KrylovSpace(const Array& matrix)
      : matrix_(matrix),
        basis_(MatrixXd::Zero(matrix.shape(0), kSize + 1)),
        projected_(MatrixXd::Zero(kSize, kSize)) {
    // A start in no particular direction holds something of every eigenvector.
    const auto start = random_normal({matrix.shape(0)}, 0.0, 1.0, DType::float64,
                                     RandomStream::named(0, "spectral_radius"))
                           .to_vector<double>();
    basis_.col(0) = Eigen::Map<const VectorXd>(start.data(), basis_.rows()).normalized();
  }

  /// The largest absolute eigenvalue, or none if the space does not get to know it.
  std::optional<double> radius() {
    for (int round = 0; round < kRounds; ++round) {
      const bool more = extend();
      const Eigen::EigenSolver<MatrixXd> solver(projected_.topLeftCorner(size_, size_));
      if (solver.info() != Eigen::Success) return {};
      const std::vector<Index> order = by_size(solver.eigenvalues());
      const double largest = std::abs(solver.eigenvalues()[order[0]]);
      if (uncertainty(solver, order[0]) <= kAccuracy * largest) return largest;
      if (!more) return {};
      reduce(solver, order);
    }
    return {};
  }

 private:
  static constexpr Index kSize = 100;
  static constexpr Index kKept = 30;
  static constexpr int kRounds = 40;
  static constexpr double kAccuracy = 1e-11;
  static constexpr double kInvariant = 1e-14;  // |A| is 1

  /// Steps until the space is full, or, and then it returns false, A leads out of it no more.
  bool extend() {
    while (size_ < kSize) {
      const Index n = size_++;
      const VectorXd column = basis_.col(n);
      const Array vector = from_values(
          std::span<const double>(column.data(), static_cast<std::size_t>(column.size())),
          {column.size()});
      const std::vector<double> product = matmul(matrix_, vector).to_vector<double>();
      VectorXd next = Eigen::Map<const VectorXd>(product.data(), column.size());
      const auto known = basis_.leftCols(size_);
      for (int pass = 0; pass < 2; ++pass) {  // one leaves what rounding makes of it
        const VectorXd shares = known.transpose() * next;
        next -= known * shares;
        projected_.col(n).head(size_) += shares;
      }
      const double left = next.norm();
      outwards_ = VectorXd::Zero(size_);
      outwards_[n] = left;
      if (left <= kInvariant) return false;
      basis_.col(size_) = next / left;
      if (size_ < kSize) projected_(size_, n) = left;
    }
    return true;
  }

  /// One of each conjugate pair, the largest first.
  static std::vector<Index> by_size(const Eigen::VectorXcd& values) {
    std::vector<Index> order;
    for (Index i = 0; i < values.size(); ++i) {
      if (values[i].imag() >= 0.0) order.push_back(i);
    }
    std::ranges::stable_sort(
        order, [&](Index a, Index b) { return std::abs(values[a]) > std::abs(values[b]); });
    return order;
  }

  /// How far eigenvalue i of H may be from one of A: by what its vector loses, times how much the
  /// eigenvalue moves with the matrix.
  double uncertainty(const Eigen::EigenSolver<MatrixXd>& solver, Index i) const {
    const Eigen::MatrixXcd vectors = solver.eigenvectors();
    const double lost = std::abs(outwards_.cast<std::complex<double>>().dot(vectors.col(i)));
    if (lost > kAccuracy) return lost;
    return lost * vectors.inverse().row(i).norm();
  }

  void reduce(const Eigen::EigenSolver<MatrixXd>& solver, const std::vector<Index>& order) {
    const Eigen::MatrixXcd vectors = solver.eigenvectors();
    MatrixXd kept(kSize, kKept + 1);
    Index count = 0;
    for (std::size_t k = 0; k < order.size() && count < kKept; ++k) {
      kept.col(count++) = vectors.col(order[k]).real();
      if (solver.eigenvalues()[order[k]].imag() > 0.0) {
        kept.col(count++) = vectors.col(order[k]).imag();
      }
    }
    const Eigen::HouseholderQR<MatrixXd> qr(kept.leftCols(count));
    const MatrixXd turn = qr.householderQ() * MatrixXd::Identity(kSize, count);
    const MatrixXd reduced = turn.transpose() * projected_ * turn;
    const VectorXd outwards = turn.transpose() * outwards_;
    const MatrixXd basis = basis_.leftCols(kSize) * turn;
    basis_.leftCols(count) = basis;
    basis_.col(count) = basis_.col(kSize).eval();
    projected_.setZero();
    projected_.topLeftCorner(count, count) = reduced;
    projected_.row(count).head(count) = outwards.transpose();
    size_ = count;
  }

  Array matrix_;        // [n, n]
  MatrixXd basis_;      // [n, kSize + 1], its first size_ + 1 columns
  MatrixXd projected_;  // H, its upper left size_ x size_
  VectorXd outwards_;   // b
  Index size_ = 0;
};

}  // namespace

double spectral_radius(const Array& matrix) {
  if (matrix.rank() != 2 || matrix.shape(0) != matrix.shape(1)) {
    fail<ShapeError>("[spectral_radius] expected a square matrix, got shape {}", matrix.shape());
  }
  const Array wide = matrix.astype(DType::float64);
  if (matrix.shape(0) > kLargestForPowers) {
    const double size = norm(wide).item();
    if (size > 0.0 && std::isfinite(size)) {
      // Where rounding makes eigenvalues of nothing, as of a triangular matrix, it makes others of
      // the transpose.
      constexpr double agreement = 1e-9;
      const Array scaled = divide(wide, size);
      const std::optional<double> radius = KrylovSpace(scaled).radius();
      const std::optional<double> again =
          radius ? KrylovSpace(scaled.transpose().copy()).radius() : std::nullopt;
      if (again && std::abs(*radius - *again) <= agreement * *radius) return *radius * size;
    }
  }
  return radius_by_powers(wide);
}

}  // namespace gaia
