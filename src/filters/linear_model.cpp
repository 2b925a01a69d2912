// SPDX-License-Identifier: MIT
#include "linear_model.h"

#include <algorithm>
#include <cmath>

#include "../core/message.h"
#include "matrices.hpp"

namespace gaia {
namespace {

using Kind = LinearModelOptions::Kind;

std::string shape_of(const MatrixRows& rows) {
  if (rows.empty()) return "none";
  if (rows.size() == 1) return message("a row of {}", rows.front().size());
  return message("{} rows of {}", rows.size(), rows.front().size());
}

/// All rows, one behind the other.
std::vector<double> matrix_of(const std::string& key, const MatrixRows& rows, std::int64_t height,
                              std::int64_t width) {
  require(std::ssize(rows) == height, "[kalman] {}: expected {} rows of {} numbers, got {}", key,
          height, width, shape_of(rows));
  std::vector<double> matrix;
  for (const std::vector<double>& row : rows) {
    require(std::ssize(row) == width, "[kalman] {}: expected rows of {} numbers, got one of {}",
            key, width, row.size());
    for (const double number : row) {
      require(std::isfinite(number), "[kalman] {}: expected finite numbers, got {}", key, number);
      matrix.push_back(number);
    }
  }
  return matrix;
}

/// One step of the states of one input.
SquareMatrix block_of(const LinearModelOptions& options, std::int64_t states) {
  const Eigen::Index n = states;
  SquareMatrix a = SquareMatrix::Zero(n, n);
  switch (options.kind) {
    case Kind::level:
      a << 1.0;
      break;
    case Kind::velocity:
      a << 1.0, 1.0,  //
          0.0, 1.0;
      break;
    case Kind::acceleration:
      a << 1.0, 1.0, 0.5,  //
          0.0, 1.0, 1.0,   //
          0.0, 0.0, 1.0;
      break;
    case Kind::ar:
      for (Eigen::Index i = 0; i < n; ++i) a(0, i) = options.ar[static_cast<std::size_t>(i)];
      a.diagonal(-1).setOnes();
      break;
    case Kind::seasonal:
      a.row(0).setConstant(-1.0);
      a.diagonal(-1).setOnes();
      break;
    case Kind::matrices:
      break;
  }
  return a;
}

/// States for one input of a model with a name.
std::int64_t states_of_block(const LinearModelOptions& options) {
  switch (options.kind) {
    case Kind::level:
      return 1;
    case Kind::velocity:
      return 2;
    case Kind::acceleration:
      return 3;
    case Kind::ar:
      require(!options.ar.empty(), "[kalman] model.ar: expected 1 coefficient or more, got none");
      for (const double number : options.ar) {
        require(std::isfinite(number), "[kalman] model.ar: expected finite numbers, got {}",
                number);
      }
      return std::ssize(options.ar);
    case Kind::seasonal:
      require(options.period >= 2,
              "[kalman] model.seasonal: expected a season of 2 steps or more, got {}",
              options.period);
      return options.period - 1;
    case Kind::matrices:
      break;
  }
  return 0;
}

}  // namespace

std::int64_t states_of(const LinearModelOptions& options, std::int64_t observed) {
  const bool has_matrices = options.kind == Kind::matrices;
  const std::int64_t states =
      has_matrices ? std::ssize(options.A) : states_of_block(options) * observed;
  require(states >= 1 && states <= kMostFilterStates,
          "[kalman] model: expected 1 to {} states, got {} for {} observed inputs; observe fewer "
          "of them",
          kMostFilterStates, states, observed);
  return states;
}

LinearModel make_linear_model(const LinearModelOptions& options, std::int64_t observed) {
  LinearModel model;
  model.observed = observed;
  model.states = states_of(options, observed);
  if (options.kind == Kind::matrices) {
    model.A = matrix_of("model.A", options.A, model.states, model.states);
    model.H = matrix_of("model.H", options.H, observed, model.states);
  } else {
    const SquareMatrix block = block_of(options, model.states / observed);
    SquareMatrix a = SquareMatrix::Zero(model.states, model.states);
    RowMatrix h = RowMatrix::Zero(observed, model.states);
    for (Eigen::Index i = 0; i < observed; ++i) {
      a.block(i * block.rows(), i * block.rows(), block.rows(), block.rows()) = block;
      h(i, i * block.rows()) = 1.0;
    }
    model.A = numbers_of(a);
    model.H = numbers_of(h);
  }
  model.Q = covariance_of("kalman", "Q", options.Q, model.states);
  model.R = covariance_of("kalman", "R", options.R, observed);
  model.P0 = covariance_of("kalman", "P0", options.P0, model.states);
  return model;
}

std::vector<double> covariance_of(const std::string& function, const std::string& key,
                                  const MatrixRows& rows, std::int64_t size) {
  const std::size_t n = static_cast<std::size_t>(size);
  const bool is_number = rows.size() == 1 && rows.front().size() == 1;
  const bool is_diagonal = rows.size() == 1 && rows.front().size() == n;
  const bool is_matrix =
      rows.size() == n &&
      std::all_of(rows.begin(), rows.end(), [&](const auto& row) { return row.size() == n; });
  require(is_number || is_diagonal || is_matrix,
          "[{}] {}: expected a number, {} numbers of a diagonal, or {} rows of {}, got {}",
          function, key, size, size, size, shape_of(rows));
  SquareMatrix matrix = SquareMatrix::Zero(size, size);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (!is_matrix && i != j) continue;
      const double number = is_matrix ? rows[i][j] : rows.front()[is_diagonal ? i : 0];
      require(std::isfinite(number), "[{}] {}: expected finite numbers, got {}", function, key,
              number);
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = number;
    }
  }
  const double most = matrix.cwiseAbs().maxCoeff();
  Eigen::Index row = 0;
  Eigen::Index column = 0;
  const double apart = (matrix - matrix.transpose()).cwiseAbs().maxCoeff(&row, &column);
  require(
      apart <= 1e-12 * most,
      "[{}] {}: expected a covariance, which is symmetric, got {} at [{}, {}] and {} at [{}, {}]",
      function, key, matrix(row, column), row, column, matrix(column, row), column, row);
  const double least = is_matrix ? least_eigenvalue(matrix) : matrix.diagonal().minCoeff();
  require(least >= -1e-12 * most,
          "[{}] {}: expected a covariance, whose eigenvalues are not negative, got one of {}",
          function, key, least);
  return numbers_of(matrix);
}

}  // namespace gaia
