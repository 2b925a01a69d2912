// SPDX-License-Identifier: MIT
/// Ranks and selections among neurons, compared with counting how many are ahead of each.
#include "../../cpu/equation_orders.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../support/catch.h"

using namespace gaia;
using namespace gaia::cpu;

namespace {

template <class T>
std::vector<T> ranks_of(const std::vector<T>& a) {
  std::vector<T> ranks(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a.size(); ++j) {
      const bool is_ahead = std::isnan(a[i]) != std::isnan(a[j]) ? std::isnan(a[i])
                            : std::isnan(a[i]) || a[i] == a[j]   ? j < i
                                                                 : a[j] > a[i];
      if (is_ahead) ranks[i] += T(1);
    }
  }
  return ranks;
}

template <class T>
T expected(EquationOp op, T a, T rank, T b) {
  switch (op) {
    case EquationOp::rank:
      return rank;
    case EquationOp::winner:
      return rank == 0;
    case EquationOp::kwta:
      return rank < b ? a : T(0);
    case EquationOp::less:
      return rank < b;
    case EquationOp::less_equal:
      return rank <= b;
    case EquationOp::greater:
      return rank > b;
    case EquationOp::greater_equal:
      return rank >= b;
    case EquationOp::equal:
      return rank == b;
    default:
      return rank != b;
  }
}

template <class T>
void check_row(const std::vector<T>& a) {
  using Op = EquationOp;
  const T n = static_cast<T>(a.size());
  const T none = std::numeric_limits<T>::quiet_NaN();
  const T infinity = std::numeric_limits<T>::infinity();
  const std::vector<T> ranks = ranks_of(a);
  for (const Op op : {Op::rank, Op::winner, Op::kwta, Op::less, Op::less_equal, Op::greater,
                      Op::greater_equal, Op::equal, Op::not_equal}) {
    for (const T b : {T(-1), T(0), T(0.5), T(1), T(2.5), T(7), n - 1, n, n + 3, infinity, none}) {
      std::vector<T> found(a.size(), T(77));
      order_neurons(op, found.data(), a.data(), &b, 0, std::ssize(a));
      INFO("op " << static_cast<int>(op) << ", b " << b << ", " << a.size() << " neurons");
      bool same = true;
      for (std::size_t i = 0; i < a.size(); ++i) {
        const T right = expected(op, a[i], ranks[i], b);
        same = same && (found[i] == right || (std::isnan(found[i]) && std::isnan(right)));
      }
      CHECK(same);
    }
  }
}

}  // namespace

FLOAT_TEST_CASE("Neurons are put in order as counting who is ahead does") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const T infinity = std::numeric_limits<T>::infinity();
  const T none = std::numeric_limits<T>::quiet_NaN();
  for (const std::size_t n : {1U, 2U, 9U, 64U, 131U}) {
    std::vector<T> row(n);
    for (T& x : row) x = static_cast<T>(normal(random));
    check_row(row);
    // The numbers have many sizes.
    for (T& x : row) x = static_cast<T>(normal(random) * std::pow(10.0, 9.0 * normal(random)));
    check_row(row);
    // Many that are equal, of both signs and zeros.
    for (T& x : row) x = std::round(static_cast<T>(normal(random)));
    check_row(row);
    for (T& x : row) x = std::max(x, T(0));
    check_row(row);
    for (std::size_t i = 0; i < n; i += 3) row[i] = i % 2 == 0 ? none : -none;
    for (std::size_t i = 1; i < n; i += 5) row[i] = i % 2 == 0 ? infinity : -infinity;
    check_row(row);
    check_row(std::vector<T>(n, none));
    check_row(std::vector<T>(n, infinity));
  }
}
