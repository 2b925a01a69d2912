// SPDX-License-Identifier: MIT
#include "representation_metrics.h"

#include <Eigen/Core>
#include <limits>

#include "../core/message.h"
#include "metric_input.h"
#include "pca.h"

namespace gaia::metrics {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// a b^T, the only product of matrices here, which is compiled once.
Rows times_transposed(const Rows& a, const Rows& b) { return a * b.transpose(); }

Eigen::Map<Rows> view(HostMatrix& m) { return {m.values.data(), m.rows, m.columns}; }

void take_means(HostMatrix& m) {
  for (std::int64_t j = 0; j < m.columns; ++j) {
    auto column = view(m).col(j);
    // From the first row on: of a column that does not vary exactly 0 is left.
    const double origin = m(0, j);
    column.array() -= origin;
    column.array() -= column.mean();
  }
}

/// The distance of 1 from the next number.
double digits_of(DType dtype) {
  return dtype == DType::float64 ? kEpsilon : dtype == DType::bfloat16 ? 0x1p-7 : 0x1p-23;
}

/// An orthonormal basis of the span of the rows, [rank, columns], by Gram and Schmidt's steps, each
/// taken twice.  What is left of a row counts as a direction where it is more than rounding in the
/// dtype that the rows came in.
Rows basis_of(HostMatrix rows, DType dtype) {
  const double left_at_least =
      digits_of(dtype) * static_cast<double>(std::max(rows.rows, rows.columns));
  Rows basis(std::min(rows.rows, rows.columns), rows.columns);
  Eigen::Index rank = 0;
  for (Eigen::Index i = 0; i < rows.rows && rank < basis.rows(); ++i) {
    Eigen::RowVectorXd row = view(rows).row(i);
    const double size = row.cwiseAbs().maxCoeff();
    if (!(size > 0.0)) continue;
    row /= size;
    row /= row.norm();
    for (int pass = 0; pass < 2; ++pass) {
      for (Eigen::Index k = 0; k < rank; ++k) row -= row.dot(basis.row(k)) * basis.row(k);
    }
    const double left = row.norm();
    if (!(left > left_at_least)) continue;
    basis.row(rank++) = row / left;
  }
  return basis.topRows(rank);
}

/// W W^T of weights whose rows are made to have length 1; nothing where one cannot.
std::vector<double> cosines(const char* function, const Array& weights) {
  HostMatrix w = matrix_of(function, "weights [neurons, inputs]", weights);
  if (w.rows < 2 || !all_finite(w.values)) return {};
  for (std::int64_t i = 0; i < w.rows; ++i) {
    auto row = view(w).row(i);
    const double size = row.cwiseAbs().maxCoeff();
    if (!(size > 0.0)) return {};
    row /= size;
    row /= row.norm();
  }
  const Rows rows = view(w);
  const Rows products = times_transposed(rows, rows);
  return {products.data(), products.data() + products.size()};
}

/// f(cos) over the pairs i < j.
template <class F>
void over_pairs(const std::vector<double>& cosines, std::int64_t neurons, F f) {
  for (std::int64_t i = 0; i < neurons; ++i) {
    for (std::int64_t j = i + 1; j < neurons; ++j) {
      f(cosines[static_cast<std::size_t>(i * neurons + j)]);
    }
  }
}

/// The sparseness of `count` numbers y(k), each 0 or more.
template <class Y>
double sparseness(std::int64_t count, Y y) {
  double largest = 0.0;
  for (std::int64_t k = 0; k < count; ++k) {
    if (!std::isfinite(y(k))) return kUndefined;
    largest = std::max(largest, y(k));
  }
  if (count < 2 || largest == 0.0) return kUndefined;
  const auto n = static_cast<double>(count);
  double sum = 0.0, squares = 0.0;
  for (std::int64_t k = 0; k < count; ++k) {
    const double share = y(k) / largest;
    sum += share;
    squares += share * share;
  }
  return std::max(0.0, 1.0 - sum * sum / (n * squares)) / (1.0 - 1.0 / n);
}

HostMatrix rates_of(const char* function, const Array& responses) {
  HostMatrix y = matrix_of(function, "responses [samples, neurons]", responses);
  for (std::int64_t s = 0; s < y.rows; ++s) {
    for (std::int64_t j = 0; j < y.columns; ++j) {
      if (y(s, j) < 0.0) {
        fail<ArgumentError>(
            "[{}] expected responses of 0 or more, got {} at [{}, {}]; abs(y), square(y) or "
            "maximum(y, 0) has none below",
            function, y(s, j), s, j);
      }
    }
  }
  return y;
}

void expect_inputs(const char* function, const char* what, const HostMatrix& a,
                   const HostMatrix& weights) {
  if (a.columns == weights.columns) return;
  fail<ShapeError>("[{}] expected {} and weights of as many inputs, got {} and {}", function, what,
                   a.columns, weights.columns);
}

}  // namespace

RepresentationRank representation_rank(const Array& responses, bool centred) {
  HostMatrix y = matrix_of("representation_rank", "responses [samples, neurons]", responses);
  if (!all_finite(y.values)) return {kUndefined, kUndefined, 0};
  const double before = largest_size(y.values);
  if (before > 0.0) divide_all(y.values, before);
  if (centred) take_means(y);
  const double largest = largest_size(y.values);
  // What subtracting a mean leaves of a column is rounding where it is of this size.
  if (!(largest > 4.0 * kEpsilon)) return {};
  divide_all(y.values, largest);
  const std::int64_t n = std::min(y.rows, y.columns);
  const Rows sides = y.rows <= y.columns ? Rows(view(y)) : Rows(view(y).transpose());
  const Rows gram = times_transposed(sides, sides);
  const std::vector<double> squares =  // s_i^2, rising
      symmetric_eigenvalues({gram.data(), static_cast<std::size_t>(gram.size())}, n);
  const double first = squares.back();
  const auto side = static_cast<double>(std::max(y.rows, y.columns));
  const double digits = digits_of(responses.dtype());
  const double least = first * std::max(side * kEpsilon, side * side * digits * digits);
  RepresentationRank rank;
  double sum = 0.0, variance = 0.0, fourth = 0.0;
  for (const double square : squares) {
    if (!(square > least)) continue;
    ++rank.numerical;
    sum += std::sqrt(square);
    variance += square;
    fourth += square * square;
  }
  double entropy = 0.0;
  for (const double square : squares) {
    if (!(square > least)) continue;
    const double p = std::sqrt(square) / sum;
    entropy -= p * std::log(p);
  }
  rank.effective = std::exp(entropy);
  rank.participation = variance * variance / fourth;
  return rank;
}

std::vector<double> selectivity(const Array& responses) {
  const HostMatrix y = matrix_of("selectivity", "responses [samples, neurons]", responses);
  std::vector<double> of_neurons;
  for (std::int64_t j = 0; j < y.columns; ++j) {
    double largest = 0.0;
    bool finite = true;
    for (std::int64_t s = 0; s < y.rows; ++s) {
      largest = std::max(largest, y(s, j));
      finite = finite && std::isfinite(y(s, j));
    }
    double mean_share = 0.0;
    for (std::int64_t s = 0; s < y.rows; ++s) {
      mean_share += y(s, j) / largest / static_cast<double>(y.rows);
    }
    of_neurons.push_back(finite && largest > 0.0 ? 1.0 - mean_share : kUndefined);
  }
  return of_neurons;
}

std::vector<double> lifetime_sparseness(const Array& responses) {
  const HostMatrix y = rates_of("lifetime_sparseness", responses);
  std::vector<double> of_neurons;
  for (std::int64_t j = 0; j < y.columns; ++j) {
    of_neurons.push_back(sparseness(y.rows, [&](std::int64_t s) { return y(s, j); }));
  }
  return of_neurons;
}

std::vector<double> population_sparseness(const Array& responses) {
  const HostMatrix y = rates_of("population_sparseness", responses);
  std::vector<double> of_samples;
  for (std::int64_t s = 0; s < y.rows; ++s) {
    of_samples.push_back(sparseness(y.columns, [&](std::int64_t j) { return y(s, j); }));
  }
  return of_samples;
}

double orthogonality(const Array& weights) {
  const std::vector<double> all = cosines("orthogonality", weights);
  if (all.empty()) return kUndefined;
  const std::int64_t neurons = weights.shape(0);
  double squares = 0.0;
  over_pairs(all, neurons, [&](double cosine) { squares += cosine * cosine; });
  return 1.0 - squares / (static_cast<double>(neurons) * static_cast<double>(neurons - 1) / 2.0);
}

double mutual_coherence(const Array& weights) {
  const std::vector<double> all = cosines("mutual_coherence", weights);
  if (all.empty()) return kUndefined;
  double largest = 0.0;
  over_pairs(all, weights.shape(0),
             [&](double cosine) { largest = std::max(largest, std::abs(cosine)); });
  return std::min(1.0, largest);
}

double reconstruction_error(const Array& samples, const Array& weights, bool centred) {
  constexpr const char* kName = "reconstruction_error";
  HostMatrix x = matrix_of(kName, "samples [samples, inputs]", samples);
  const HostMatrix w = matrix_of(kName, "weights [neurons, inputs]", weights);
  expect_inputs(kName, "samples", x, w);
  if (!all_finite(x.values) || !all_finite(w.values)) return kUndefined;
  const double before = largest_size(x.values);
  if (before > 0.0) divide_all(x.values, before);
  if (centred) take_means(x);
  const double largest = largest_size(x.values);
  if (!(largest > (centred ? 4.0 * kEpsilon : 0.0))) return kUndefined;
  divide_all(x.values, largest);
  const Rows basis = basis_of(w, weights.dtype());
  const Rows rows = view(x);
  const Rows kept = times_transposed(times_transposed(rows, basis), basis.transpose());
  return std::min(1.0, (rows - kept).squaredNorm() / rows.squaredNorm());
}

double subspace_score(const Array& weights, const Array& directions) {
  constexpr const char* kName = "subspace_score";
  const HostMatrix w = matrix_of(kName, "weights [neurons, inputs]", weights);
  const HostMatrix u = matrix_of(kName, "directions [k, inputs]", directions);
  expect_inputs(kName, "directions", u, w);
  if (!all_finite(w.values) || !all_finite(u.values)) return kUndefined;
  const Rows wanted = basis_of(u, directions.dtype());
  if (wanted.rows() != u.rows) {
    fail<ArgumentError>(
        "[subspace_score] expected {} directions that are linearly independent, got {}; leave out "
        "the others",
        u.rows, wanted.rows());
  }
  const Rows found = basis_of(w, weights.dtype());
  const Rows cosines = times_transposed(wanted, found);
  return std::min(1.0, cosines.squaredNorm() / static_cast<double>(u.rows));
}

}  // namespace gaia::metrics
