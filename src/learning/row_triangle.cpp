// SPDX-License-Identifier: MIT
#include "row_triangle.h"

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>

#include "../core/message.h"

namespace gaia {
namespace {

/// Rows that are reflected together, of so many columns: enough for products of matrices.
std::int64_t rows_at_once(std::int64_t columns) { return std::max<std::int64_t>(columns, 64); }

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The factor of `triangle` with `rows` below it.
std::vector<double> reflected(std::span<const double> triangle, std::span<const double> rows,
                              std::int64_t columns) {
  const auto added = static_cast<Eigen::Index>(rows.size()) / columns;
  Eigen::MatrixXd both(columns + added, columns);
  both.topRows(columns) = Eigen::Map<const RowMajor>(triangle.data(), columns, columns);
  both.bottomRows(added) = Eigen::Map<const RowMajor>(rows.data(), added, columns);
  const Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>> decomposed(both);
  std::vector<double> made(triangle.size());
  Eigen::Map<RowMajor> r(made.data(), columns, columns);
  r = both.topRows(columns).triangularView<Eigen::Upper>();
  return made;
}

}  // namespace

RowTriangle::RowTriangle(std::int64_t columns)
    : columns_(columns), triangle_(static_cast<std::size_t>(columns * columns)) {}

void RowTriangle::add(std::span<const double> rows) {
  require<ShapeError>(static_cast<std::int64_t>(rows.size()) % columns_ == 0,
                      "[RowTriangle] expected rows of {} numbers, got {} numbers", columns_,
                      rows.size());
  const auto full = static_cast<std::size_t>(rows_at_once(columns_) * columns_);
  while (!rows.empty()) {
    const std::size_t taken = std::min(rows.size(), full - waiting_.size());
    waiting_.insert(waiting_.end(), rows.begin(),
                    rows.begin() + static_cast<std::ptrdiff_t>(taken));
    rows = rows.subspan(taken);
    if (waiting_.size() < full) return;
    triangle_ = reflected(triangle_, waiting_, columns_);
    waiting_.clear();
  }
}

std::vector<double> RowTriangle::triangle() const {
  return waiting_.empty() ? triangle_ : reflected(triangle_, waiting_, columns_);
}

std::vector<double> RowTriangle::state() const {
  std::vector<double> state = triangle_;
  state.insert(state.end(), waiting_.begin(), waiting_.end());
  return state;
}

void RowTriangle::set_state(std::span<const double> state) {
  const auto full = static_cast<std::size_t>(rows_at_once(columns_) * columns_);
  const std::size_t fixed = triangle_.size();
  if (state.size() < fixed || state.size() - fixed >= full ||
      (state.size() - fixed) % static_cast<std::size_t>(columns_) != 0) {
    fail<ShapeError>("[RowTriangle] expected a state of {} numbers and rows of {}, got {}", fixed,
                     columns_, state.size());
  }
  triangle_.assign(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(fixed));
  waiting_.assign(state.begin() + static_cast<std::ptrdiff_t>(fixed), state.end());
}

}  // namespace gaia
