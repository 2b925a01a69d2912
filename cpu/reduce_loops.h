// SPDX-License-Identifier: MIT
/// \file
/// Joining elements along axes, in an order that no number of threads changes.
///
/// What is joined are terms, computed from the elements by a function that may differ from output
/// to output; how, says a type R with `Value`, `start()` and `join(a, b)`.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "../src/formulas/reducers.h"
#include "../src/formulas/view.h"
#include "half_vectors.h"
#include "strided_loop.h"
#include "vector/reduce.h"
#include "vector/rows.h"

namespace gaia::cpu {

/// Terms that are the elements themselves.
struct Elements {
  struct Term {
    template <class T>
    auto operator()(T x) const {
      return read(x);
    }
  };
  Term at(std::int64_t) const { return {}; }
};

/// Whether vector/reduce.h joins elements of T as R says.
template <class R, class T>
constexpr bool kJoinsByVectors =
    !std::is_same_v<T, bfloat16> &&
    (std::is_same_v<R, Sum<Carried<T>>> || std::is_same_v<R, Product<Carried<T>>> ||
     std::is_same_v<R, Largest<Read<T>>> || std::is_same_v<R, Smallest<Read<T>>>);

/// Whether any byte of a mask, or all of them, hold.
template <class R>
typename R::Value join_mask(const bool* mask, std::int64_t n) {
  constexpr bool any = std::is_same_v<R, Largest<std::uint8_t>>;
  const void* const found = std::memchr(mask, any ? 1 : 0, static_cast<std::size_t>(n));
  return (found != nullptr) == any ? 1 : 0;
}

/// The kernels of vector/reduce.h for elements of T.
template <class R, class T>
auto join_row_kernel() {
  if constexpr (std::is_same_v<T, float> && std::is_same_v<typename R::Value, double>) {
    return GAIA_HALF_VECTOR_KERNEL(join_row<R, T>);
  } else {
    return GAIA_VECTOR_KERNEL(join_row<R, T>);
  }
}
template <class R, class T>
auto join_rows_kernel() {
  if constexpr (std::is_same_v<T, float> && std::is_same_v<typename R::Value, double>) {
    return GAIA_HALF_VECTOR_KERNEL(join_rows<R, T>);
  } else {
    return GAIA_VECTOR_KERNEL(join_rows<R, T>);
  }
}

/// A run of n >= 1 neighbours, joined by vectors; sums of float64 pairwise from blocks of 1024.
template <class R, class T, class Term>
struct RunKernel {
  static constexpr bool exists = false;
};
template <class R, class T>
  requires kJoinsByVectors<R, T>
struct RunKernel<R, T, Elements::Term> {
  static constexpr bool exists = true;
  static typename R::Value join(const T* x, std::int64_t n, const Elements::Term&) {
    using Value = typename R::Value;
    constexpr bool largest = std::is_same_v<R, Largest<Value>>;
    constexpr bool extreme = largest || std::is_same_v<R, Smallest<Value>>;
    if constexpr (std::is_same_v<T, bool> && extreme) {
      return join_mask<R>(x, n);
    } else if constexpr (std::is_floating_point_v<T> && extreme) {
      return (largest ? GAIA_VECTOR_KERNEL(largest_of_row<T>)
                      : GAIA_VECTOR_KERNEL(smallest_of_row<T>))(x, n);
    } else if constexpr (std::is_same_v<T, float> && std::is_same_v<R, Sum<double>>) {
      return GAIA_HALF_VECTOR_KERNEL(sum_row<T>)(x, n);
    } else if constexpr (std::is_same_v<R, Sum<double>>) {
      return GAIA_VECTOR_KERNEL(sum_row<T>)(x, n);
    } else {
      return join_row_kernel<R, T>()(x, n);
    }
  }
};
template <class R, class T>
  requires std::is_floating_point_v<T>
struct RunKernel<R, T, SquaredDistance> {
  static_assert(std::is_same_v<R, Sum<double>>);
  static constexpr bool exists = true;
  static double join(const T* x, std::int64_t n, const SquaredDistance& term) {
    if constexpr (std::is_same_v<T, float>) {
      return GAIA_HALF_VECTOR_KERNEL(square_distances<T>)(x, n, term.center);
    } else {
      return GAIA_VECTOR_KERNEL(square_distances<T>)(x, n, term.center);
    }
  }
};

/// Pairwise from blocks of 1024, each carried in eight lanes: the error grows with the logarithm of
/// n.
template <class R, class T, class Term>
typename R::Value join_run(const T* x, std::int64_t stride, std::int64_t n, const Term& term) {
  using Value = typename R::Value;
  constexpr std::int64_t block = 1024;
  constexpr std::int64_t lanes = 8;
  if constexpr (RunKernel<R, T, Term>::exists) {
    if (stride == 1 && n > 0) return RunKernel<R, T, Term>::join(x, n, term);
  }
  if (n > block) {
    const std::int64_t half = (n / 2 + block - 1) / block * block;
    const Value before = join_run<R>(x, stride, half, term);  // first, as memory is read
    return R::join(before, join_run<R>(x + half * stride, stride, n - half, term));
  }
  Value lane[lanes];
  std::fill_n(lane, lanes, R::start());
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (std::int64_t j = 0; j < lanes; ++j) {
      lane[j] = R::join(lane[j], static_cast<Value>(term(x[(i + j) * stride])));
    }
  }
  for (; i < n; ++i) lane[0] = R::join(lane[0], static_cast<Value>(term(x[i * stride])));
  for (std::int64_t width = lanes / 2; width > 0; width /= 2) {
    for (std::int64_t j = 0; j < width; ++j) lane[j] = R::join(lane[j], lane[j + width]);
  }
  return lane[0];
}

/// Values of several outputs, side by side.
template <class R>
struct Rows {
  using Value = std::vector<typename R::Value>;
  static Value start() { return {}; }
  static Value join(const Value& a, Value b) {
    if (b.empty()) return a;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = R::join(a[i], b[i]);
    return b;
  }
};

/// Adds partial results pairwise: slot k holds the join of 2^k of them.
template <class R>
class Cascade {
 public:
  void add(typename R::Value value) {
    std::size_t slot = 0;
    for (std::uint64_t bits = count_++; (bits & 1u) != 0; bits >>= 1) {
      value = R::join(slots_[slot++], std::move(value));
    }
    if (slot == slots_.size()) slots_.emplace_back();
    slots_[slot] = std::move(value);
  }
  typename R::Value total() const {
    typename R::Value value = R::start();
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if ((count_ >> slot & 1u) != 0) value = R::join(slots_[slot], std::move(value));
    }
    return value;
  }

 private:
  std::vector<typename R::Value> slots_;
  std::uint64_t count_ = 0;
};

/// Axes of a view, split into those that stay and those that are reduced; of these, axes that are
/// walked as one are merged, so that a contiguous array is one long run.
struct Split {
  Shape kept;
  Strides kept_x;
  Strides kept_y;
  Shape reduced;
  Strides reduced_x;

  Split(const View& x, const View& y) {
    for (int axis = 0; axis < x.rank(); ++axis) {
      if (y.shape[axis] == 1 && x.shape[axis] != 1) {
        const bool joins = !reduced.empty() && reduced_x.back() == x.strides[axis] * x.shape[axis];
        if (joins) {
          reduced.back() *= x.shape[axis];
          reduced_x.back() = x.strides[axis];
        } else {
          reduced.push_back(x.shape[axis]);
          reduced_x.push_back(x.strides[axis]);
        }
      } else {
        kept.push_back(x.shape[axis]);
        kept_x.push_back(x.strides[axis]);
        kept_y.push_back(y.strides[axis]);
      }
    }
  }
};

inline std::int64_t offset_of(std::int64_t index, const Shape& shape, const Strides& strides) {
  std::int64_t offset = 0;
  for (int axis = shape.rank() - 1; axis > 0; --axis) {
    offset += index % shape[axis] * strides[axis];
    index /= shape[axis];
  }
  return shape.rank() > 0 ? offset + index * strides[0] : offset;
}

/// One long run is cut into tasks; the cuts depend on its length alone.
constexpr std::int64_t kPiece = 1 << 16;

/// Every reduced element of one output, one run along the last reduced axis at a time.
template <class R, class T, class Term>
typename R::Value join_all(const T* x, const Split& split, const Term& term) {
  if (split.reduced.empty()) return static_cast<typename R::Value>(term(*x));
  if (count_elements(split.reduced) == 0) return R::start();
  const std::int64_t length = split.reduced.back();
  const std::int64_t runs = count_elements(split.reduced) / length;
  const std::int64_t stride = split.reduced_x.back();
  Shape outer = split.reduced;
  Strides outer_strides = split.reduced_x;
  outer.erase(outer.rank() - 1);
  outer_strides.erase(outer_strides.rank() - 1);
  constexpr std::int64_t piece = kPiece;
  if (runs == 1 && length > piece) {
    std::vector<typename R::Value> parts(static_cast<std::size_t>((length + piece - 1) / piece));
    parallel_for(static_cast<std::int64_t>(parts.size()), [&](std::int64_t i) {
      parts[static_cast<std::size_t>(i)] =
          join_run<R>(x + i * piece * stride, stride, std::min(piece, length - i * piece), term);
    });
    Cascade<R> all;
    for (const auto& part : parts) all.add(part);
    return all.total();
  }
  Cascade<R> all;
  for (std::int64_t r = 0; r < runs; ++r) {
    all.add(join_run<R>(x + offset_of(r, outer, outer_strides), stride, length, term));
  }
  return all.total();
}

/// Outputs that lie next to each other in x are reduced side by side, so that memory is read in
/// order: blocks of rows are joined plainly and the blocks in a cascade.
template <class R, class T, class Terms, class Store>
void reduce_columns(const View& x, const Split& split, const Terms& terms, const Store& store) {
  using Term = decltype(terms.at(0));
  constexpr std::int64_t height = 256;
  const int last = split.kept.rank() - 1;
  const std::int64_t columns = split.kept[last];
  // The more columns, the longer the runs that memory is read in, as far as values fit the first
  // cache; but a block for every thread.  How wide they are changes no result.
  const std::int64_t width = std::clamp<std::int64_t>(columns / num_threads(), 256, 1024);
  const std::int64_t blocks = (columns + width - 1) / width;
  Shape outer = split.kept;
  Strides outer_x = split.kept_x;
  Strides outer_y = split.kept_y;
  outer.erase(last);
  outer_x.erase(last);
  outer_y.erase(last);
  const std::int64_t rows = count_elements(split.reduced);
  parallel_for(count_elements(outer) * blocks, [&](std::int64_t task) {
    const std::int64_t from = task % blocks * width;
    const std::int64_t n = std::min(width, columns - from);
    const T* base = x.as<T>() + offset_of(task / blocks, outer, outer_x) + from;
    Cascade<Rows<R>> totals;
    const std::int64_t target = offset_of(task / blocks, outer, outer_y);
    std::vector<Term> term;
    term.reserve(static_cast<std::size_t>(n));
    for (std::int64_t j = 0; j < n; ++j) {
      term.push_back(terms.at(target + (from + j) * split.kept_y[last]));
    }
    for (std::int64_t start = 0; start < rows; start += height) {
      std::vector<typename R::Value> sums(static_cast<std::size_t>(n), R::start());
      if constexpr (std::is_same_v<Terms, Elements> && kJoinsByVectors<R, T>) {
        if (split.reduced.rank() == 1) {
          const std::int64_t stride = split.reduced_x[0];
          join_rows_kernel<R, T>()(base + start * stride, stride, std::min(height, rows - start),
                                   sums.data(), n);
          totals.add(std::move(sums));
          continue;
        }
      }
      if constexpr (std::is_same_v<Term, SquaredDistance> && std::is_floating_point_v<T>) {
        if (split.reduced.rank() == 1) {
          const std::int64_t stride = split.reduced_x[0];
          static_assert(sizeof(Term) == sizeof(double));  // so centers lie side by side
          GAIA_HALF_VECTOR_KERNEL(join_square_distances<T>)
          (base + start * stride, stride, std::min(height, rows - start), &term.front().center,
           sums.data(), n);
          totals.add(std::move(sums));
          continue;
        }
      }
      for (std::int64_t r = start; r < std::min(rows, start + height); ++r) {
        const T* row = base + offset_of(r, split.reduced, split.reduced_x);
        for (std::int64_t j = 0; j < n; ++j) {
          const auto column = static_cast<std::size_t>(j);
          sums[column] =
              R::join(sums[column], static_cast<typename R::Value>(term[column](row[j])));
        }
      }
      totals.add(std::move(sums));
    }
    std::vector<typename R::Value> joined = totals.total();
    joined.resize(static_cast<std::size_t>(n), R::start());  // where there are no rows
    for (std::int64_t j = 0; j < n; ++j) {
      store(target + (from + j) * split.kept_y[last], joined[static_cast<std::size_t>(j)]);
    }
  });
}

/// store(offset in y, R's join of terms.at(that offset)(element of x)) for every output.
template <class R, class T, class Terms, class Store>
void reduce_with(const View& x, const View& y, const Terms& terms, const Store& store) {
  const Split split(x, y);
  const bool side_by_side = !split.kept.empty() && !split.reduced.empty() &&
                            split.kept_x.back() == 1 && split.kept.back() >= 4;
  if (side_by_side) return reduce_columns<R, T>(x, split, terms, store);
  const std::int64_t outputs = count_elements(split.kept);
  const std::int64_t per_output = std::max<std::int64_t>(1, count_elements(split.reduced));
  const std::int64_t per_task = std::max<std::int64_t>(1, kElementsPerTask / per_output);
  // Short enough to be no tasks of their own: there is nothing to be set up for each.
  const bool is_run = split.reduced.rank() == 1 && split.reduced[0] > 0 && per_output <= kPiece;
  parallel_for((outputs + per_task - 1) / per_task, [&](std::int64_t task) {
    for (std::int64_t i = task * per_task; i < std::min(outputs, (task + 1) * per_task); ++i) {
      const T* from = x.as<T>() + offset_of(i, split.kept, split.kept_x);
      const std::int64_t target = offset_of(i, split.kept, split.kept_y);
      if (is_run) {
        store(target, join_run<R>(from, split.reduced_x[0], per_output, terms.at(target)));
      } else {
        store(target, join_all<R>(from, split, terms.at(target)));
      }
    }
  });
}

}  // namespace gaia::cpu
