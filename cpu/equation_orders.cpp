// SPDX-License-Identifier: MIT
#include "equation_orders.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "../src/formulas/equations/functions.h"
#include "vector/first_of_row.h"
#include "vector/rows.h"

namespace gaia::cpu {
namespace {

/// Room of this thread, as much as its largest layer needed.
template <class N>
N* room_for(std::int64_t neurons) {
  thread_local std::vector<N> room;
  if (std::ssize(room) < neurons) room.resize(static_cast<std::size_t>(neurons));
  return room.data();
}

/// All ranks, for which there has to be an order.
template <class T>
void rank_all(T* to, const T* a, std::int64_t neurons) {
  std::int32_t* const order = room_for<std::int32_t>(neurons);
  std::iota(order, order + neurons, 0);
  std::sort(order, order + neurons,
            [a](std::int32_t i, std::int32_t j) { return is_ahead(a[i], i, a[j], j); });
  for (std::int64_t i = 0; i < neurons; ++i) to[order[i]] = static_cast<T>(i);
}

/// How many ranks 0, 1, 2 ... are below b, or also those on it: of 2.5 three.
template <class T>
std::int64_t ranks_below(T b, bool or_on_it, std::int64_t neurons) {
  if (!(b >= T(0))) return 0;
  if (b >= static_cast<T>(neurons)) return neurons;
  const auto whole = static_cast<std::int64_t>(b);
  return whole + (or_on_it || static_cast<T>(whole) < b ? 1 : 0);
}

/// x of the first `count`, or 1 where x is null, and 0 of the others.
template <class T>
void keep_first(T* to, const T* a, const T* x, std::int64_t count, std::int64_t neurons) {
  if (count == 0) {
    std::fill_n(to, neurons, T(0));
    return;
  }
  RankKey<T>* const keys = room_for<RankKey<T>>(neurons);
  const FirstOfRow<T> first = GAIA_VECTOR_KERNEL(first_of_row<T>)(a, neurons, count, keys);
  GAIA_VECTOR_KERNEL(keep_first_of_row<T>)(first, keys, x, to, neurons);
}

/// 1 for the neuron of that rank, if there is one.
template <class T>
void mark_rank(T* to, const T* a, T rank, std::int64_t neurons) {
  std::fill_n(to, neurons, T(0));
  if (!(rank >= T(0)) || rank >= static_cast<T>(neurons) || rank != std::floor(rank)) return;
  if (rank == T(0)) {  // a search takes less time than a selection
    const T largest = GAIA_VECTOR_KERNEL(largest_of_row<T>)(a, neurons);
    if (largest == largest) {  // there is no NaN
      to[std::find(a, a + neurons, largest) - a] = T(1);
      return;
    }
  }
  RankKey<T>* const keys = room_for<RankKey<T>>(neurons);
  const auto first =
      GAIA_VECTOR_KERNEL(first_of_row<T>)(a, neurons, static_cast<std::int64_t>(rank) + 1, keys);
  to[GAIA_VECTOR_KERNEL(last_of_first<T>)(first, keys, neurons)] = T(1);
}

/// 0 for 1 and 1 for 0.
template <class T>
void negate(T* to, std::int64_t neurons) {
  for (std::int64_t i = 0; i < neurons; ++i) to[i] = T(1) - to[i];
}

/// `rank op b` for `b op rank`, or nothing where op does not compare.
std::optional<EquationOp> turned_round(EquationOp op) {
  switch (op) {
    case EquationOp::less:
      return EquationOp::greater;
    case EquationOp::less_equal:
      return EquationOp::greater_equal;
    case EquationOp::greater:
      return EquationOp::less;
    case EquationOp::greater_equal:
      return EquationOp::less_equal;
    case EquationOp::equal:
    case EquationOp::not_equal:
      return op;
    default:
      return {};
  }
}

int operands_of(EquationOp op) {
  if (op == EquationOp::where) return 3;
  const bool is_of_two = (op >= EquationOp::add && op <= EquationOp::power) ||
                         (op >= EquationOp::less && op <= EquationOp::logical_or) ||
                         op == EquationOp::minimum || op == EquationOp::maximum ||
                         op == EquationOp::kwta;
  return is_of_two ? 2 : 1;
}

bool reads(const EquationCode& code, std::uint16_t place) {
  const int operands = operands_of(code.op);
  return code.a == place || (operands > 1 && code.b == place) || (operands > 2 && code.c == place);
}

}  // namespace

template <class T>
void order_neurons(EquationOp op, T* to, const T* a, const T* b, std::int64_t b_stride,
                   std::int64_t neurons) {
  if (neurons == 0) return;
  if (op == EquationOp::kwta && b_stride != 0) {
    rank_all(to, a, neurons);
    for (std::int64_t i = 0; i < neurons; ++i) to[i] = to[i] < b[i] ? a[i] : T(0);
    return;
  }
  const auto first_ranks = [&](bool or_on_it) {
    keep_first<T>(to, a, nullptr, ranks_below(b[0], or_on_it, neurons), neurons);
  };
  switch (op) {
    case EquationOp::winner:
      return mark_rank(to, a, T(0), neurons);
    case EquationOp::kwta:
      return keep_first(to, a, a, ranks_below(b[0], false, neurons), neurons);
    case EquationOp::equal:
      return mark_rank(to, a, b[0], neurons);
    case EquationOp::not_equal:
      mark_rank(to, a, b[0], neurons);
      return negate(to, neurons);
    case EquationOp::less:
      return first_ranks(false);
    case EquationOp::less_equal:
      return first_ranks(true);
    case EquationOp::greater:
    case EquationOp::greater_equal:
      // Nothing compares with NaN.
      if (b[0] != b[0]) return std::fill_n(to, neurons, T(0)), void();
      first_ranks(op == EquationOp::greater);
      return negate(to, neurons);
    default:
      rank_all(to, a, neurons);
  }
}

void select_by_rank(std::vector<EquationCode>& codes, const std::vector<std::uint16_t>& ends,
                    std::size_t first_neuron) {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (codes[i].op != EquationOp::rank || codes[i].by_rank) continue;
    const std::uint16_t ranks = codes[i].to;
    std::vector<std::size_t> readers;
    bool alone = true;
    bool written_again = false;
    for (std::size_t j = i + 1; j < codes.size() && !written_again; ++j) {
      const EquationCode& code = codes[j];
      if (reads(code, ranks)) {
        const std::uint16_t other = code.a == ranks ? code.b : code.a;
        alone = alone && turned_round(code.op) && other < first_neuron;
        readers.push_back(j);
      }
      written_again = code.to == ranks;
    }
    alone = alone && (written_again || std::find(ends.begin(), ends.end(), ranks) == ends.end());
    if (!alone) continue;
    // In place of the ranks stand the numbers themselves: theirs may be written over before.
    codes[i].op = EquationOp::copy;
    for (const std::size_t j : readers) {
      EquationCode& code = codes[j];
      if (code.a != ranks) {
        code.op = *turned_round(code.op);
        std::swap(code.a, code.b);
      }
      code.by_rank = true;
    }
  }
}

template void order_neurons(EquationOp, float*, const float*, const float*, std::int64_t,
                            std::int64_t);
template void order_neurons(EquationOp, double*, const double*, const double*, std::int64_t,
                            std::int64_t);

}  // namespace gaia::cpu
