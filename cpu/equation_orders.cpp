// SPDX-License-Identifier: MIT
#include "equation_orders.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "../src/formulas/equations/functions.h"

namespace gaia::cpu {
namespace {

/// Indices of neurons, as many as the largest layer of this thread had.
std::int32_t* indices(std::int64_t neurons) {
  thread_local std::vector<std::int32_t> room;
  if (std::ssize(room) < neurons) room.resize(static_cast<std::size_t>(neurons));
  std::iota(room.begin(), room.begin() + neurons, 0);
  return room.data();
}

/// Whether neuron i is ahead of neuron j.
template <class T>
auto ahead_by(const T* a) {
  return [a](std::int32_t i, std::int32_t j) { return is_ahead(a[i], i, a[j], j); };
}

template <class T>
std::int64_t winner_of(const T* a, std::int64_t neurons) {
  std::int64_t best = 0;
  for (std::int64_t i = 1; i < neurons; ++i) {
    if (a[i] > a[best] || (a[best] != a[best] && a[i] == a[i])) best = i;
  }
  return best;
}

/// a of the k neurons ahead, 0 of the others.
template <class T>
void keep_first(T* to, const T* a, T k, std::int64_t neurons) {
  // rank < k: of k = 2.5 the ranks 0, 1 and 2.
  std::int64_t count = 0;
  if (k > T(0)) {
    count = k >= static_cast<T>(neurons) ? neurons : static_cast<std::int64_t>(k);
    if (static_cast<T>(count) < k && count < neurons) ++count;
  }
  std::int32_t* const order = indices(neurons);
  if (count < neurons) std::nth_element(order, order + count, order + neurons, ahead_by(a));
  std::fill_n(to, neurons, T(0));
  for (std::int64_t i = 0; i < count; ++i) to[order[i]] = a[order[i]];
}

template <class T>
void rank_neurons(T* to, const T* a, std::int64_t neurons) {
  std::int32_t* const order = indices(neurons);
  std::sort(order, order + neurons, ahead_by(a));
  for (std::int64_t i = 0; i < neurons; ++i) to[order[i]] = static_cast<T>(i);
}

}  // namespace

template <class T>
void order_neurons(EquationOp op, T* to, const T* a, const T* b, std::int64_t b_stride,
                   std::int64_t neurons) {
  if (neurons == 0) return;
  if (op == EquationOp::winner) {
    const std::int64_t best = winner_of(a, neurons);
    std::fill_n(to, neurons, T(0));
    to[best] = T(1);
  } else if (op == EquationOp::kwta && b_stride == 0) {
    keep_first(to, a, b[0], neurons);
  } else {
    rank_neurons(to, a, neurons);
    if (op == EquationOp::rank) return;
    for (std::int64_t i = 0; i < neurons; ++i) to[i] = to[i] < b[i] ? a[i] : T(0);
  }
}

template void order_neurons(EquationOp, float*, const float*, const float*, std::int64_t,
                            std::int64_t);
template void order_neurons(EquationOp, double*, const double*, const double*, std::int64_t,
                            std::int64_t);

}  // namespace gaia::cpu
