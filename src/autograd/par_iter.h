// SPDX-License-Identifier: MIT
/// \file
/// Chains of functions over many items at once, each item through the whole chain on one thread.
///
///     const std::vector<double> norms = par_iter(matrices)
///         .map([](const Array& m) { return sum(m * m).item(); })
///         .filter([](double squared) { return squared > 1.0; })
///         .collect();
///
/// Nothing is computed before `collect`, `for_each`, `fold` or `reduce` asks for it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "../core/error.h"
#include "parallel_map.h"

namespace gaia {

namespace detail::par_iter {

/// What is kept of an element: its value, of pairs the values of both.
template <class T>
struct Kept {
  using Type = T;
};
template <class A, class B>
struct Kept<std::pair<A, B>> {
  using Type = std::pair<typename Kept<std::remove_cvref_t<A>>::Type,
                         typename Kept<std::remove_cvref_t<B>>::Type>;
};
template <>
struct Kept<std::vector<bool>::reference> {
  using Type = bool;
};
template <class T>
using KeptType = typename Kept<std::remove_cvref_t<T>>::Type;

/// A stage shows the elements of each of its positions, 0 to size() - 1, to a function.  Where it
/// is indexed there is exactly one at each.
///
/// The first: a range, which it refers to, or owns where it was given one that would go.
template <class Range>
class Source {
 public:
  static constexpr bool kIsIndexed = true;
  using Values = std::remove_reference_t<Range>;
  using Held = std::conditional_t<std::is_lvalue_reference_v<Range>, Values*, Values>;
  using Element = std::ranges::range_reference_t<
      std::conditional_t<std::is_lvalue_reference_v<Range>, Values, const Values>>;

  explicit Source(Range&& range) : held_(hold(range)) {}

  std::int64_t size() const { return static_cast<std::int64_t>(std::ranges::distance(values())); }
  template <class Sink>
  void show(std::int64_t position, const Sink& sink) const {
    const auto begin = std::ranges::begin(values());
    sink(begin[static_cast<std::iter_difference_t<decltype(begin)>>(position)]);
  }

 private:
  static Held hold(Values& range) {
    if constexpr (std::is_lvalue_reference_v<Range>) {
      return std::addressof(range);
    } else {
      return std::move(range);
    }
  }
  auto& values() const {
    if constexpr (std::is_lvalue_reference_v<Range>) {
      return *held_;
    } else {
      return held_;
    }
  }

  Held held_;
};

template <class Before, class F>
struct Map {
  static constexpr bool kIsIndexed = Before::kIsIndexed;
  using Element = std::invoke_result_t<const F&, typename Before::Element>;

  std::int64_t size() const { return before.size(); }
  template <class Sink>
  void show(std::int64_t position, const Sink& sink) const {
    before.show(position, [&](typename Before::Element&& x) {
      sink(std::invoke(function, std::forward<typename Before::Element>(x)));
    });
  }

  Before before;
  F function;
};

template <class Before, class F>
struct Filter {
  static constexpr bool kIsIndexed = false;
  using Element = typename Before::Element;

  std::int64_t size() const { return before.size(); }
  template <class Sink>
  void show(std::int64_t position, const Sink& sink) const {
    before.show(position, [&](Element&& x) {
      if (std::invoke(is_kept, std::as_const(x))) sink(std::forward<Element>(x));
    });
  }

  Before before;
  F is_kept;
};

template <class Before, class F>
struct FlatMap {
  static constexpr bool kIsIndexed = false;
  using Made = std::invoke_result_t<const F&, typename Before::Element>;
  using Element = std::ranges::range_value_t<Made>;

  std::int64_t size() const { return before.size(); }
  template <class Sink>
  void show(std::int64_t position, const Sink& sink) const {
    before.show(position, [&](typename Before::Element&& x) {
      Made&& made = std::invoke(function, std::forward<typename Before::Element>(x));
      for (auto&& one : made) {
        // The elements of what nobody else has may be taken out of it.
        if constexpr (std::is_reference_v<Made> || std::ranges::view<Made>) {
          sink(Element(one));
        } else {
          sink(Element(std::move(one)));
        }
      }
    });
  }

  Before before;
  F function;
};

template <class First, class Second>
struct Zip {
  static constexpr bool kIsIndexed = true;
  using Element = std::pair<typename First::Element, typename Second::Element>;

  std::int64_t size() const { return std::min(first.size(), second.size()); }
  template <class Sink>
  void show(std::int64_t position, const Sink& sink) const {
    first.show(position, [&](typename First::Element&& a) {
      second.show(position, [&](typename Second::Element&& b) {
        sink(Element(std::forward<typename First::Element>(a),
                     std::forward<typename Second::Element>(b)));
      });
    });
  }

  First first;
  Second second;
};

template <class Before>
struct Enumerate {
  static constexpr bool kIsIndexed = true;
  using Element = std::pair<std::int64_t, typename Before::Element>;

  std::int64_t size() const { return before.size(); }
  template <class Sink>
  void show(std::int64_t position, const Sink& sink) const {
    before.show(position, [&](typename Before::Element&& x) {
      sink(Element(position, std::forward<typename Before::Element>(x)));
    });
  }

  Before before;
};

template <class Before>
struct Take {
  static constexpr bool kIsIndexed = true;
  using Element = typename Before::Element;

  std::int64_t size() const { return std::min(most, before.size()); }
  template <class Sink>
  void show(std::int64_t position, const Sink& sink) const {
    before.show(position, sink);
  }

  Before before;
  std::int64_t most;
};

template <class Before>
struct Chunk {
  static constexpr bool kIsIndexed = true;
  using Element = std::vector<KeptType<typename Before::Element>>;

  std::int64_t size() const { return (before.size() + length - 1) / length; }
  template <class Sink>
  void show(std::int64_t position, const Sink& sink) const {
    Element chunk;
    const std::int64_t end = std::min(before.size(), (position + 1) * length);
    for (std::int64_t i = position * length; i < end; ++i) {
      before.show(i, [&](typename Before::Element&& x) {
        chunk.emplace_back(std::forward<typename Before::Element>(x));
      });
    }
    sink(std::move(chunk));
  }

  Before before;
  std::int64_t length;
};

/// Positions are worked on in so many blocks at most.  Their borders follow from the size alone.
inline constexpr std::int64_t kMostBlocks = 1024;

}  // namespace detail::par_iter

/// Items, and what is to be done with each; `par_iter` makes one.
///
/// Items are worked on as by `parallel_map`: with the caller's device and settings, on the CPU by
/// the threads of the pool, on a GPU by a few of the host; from inside a function of another
/// `par_iter` or `parallel_map` in place.  Functions are called through const references and from
/// several threads at once, and leave settings as they find them.  Whatever the number of workers,
/// answers come in the order of the items, a `reduce` has the same bits, and of functions that
/// throw the exception of the lowest item is thrown again, when all that were begun have ended;
/// items not yet begun may be left out.
///
/// Behind `filter` and `flat_map` it is not known how many elements there are, so `zip`,
/// `enumerate`, `take` and `chunk` there compute all that is before them at once.
template <class Stage>
class ParIter {
 public:
  using Element = typename Stage::Element;
  using Kept = detail::par_iter::KeptType<Element>;

  ParIter(Stage stage, const ParallelMapOptions& options)
      : stage_(std::move(stage)), options_(options) {}

  /// f of each element.
  template <class F>
  auto map(F f) && {
    return next(detail::par_iter::Map<Stage, F>{std::move(stage_), std::move(f)});
  }

  /// The elements for which is_kept(x) is true.
  template <class F>
  auto filter(F is_kept) && {
    return next(detail::par_iter::Filter<Stage, F>{std::move(stage_), std::move(is_kept)});
  }

  /// The elements of the range f(x), for each x.
  template <class F>
  auto flat_map(F f) && {
    return next(detail::par_iter::FlatMap<Stage, F>{std::move(stage_), std::move(f)});
  }

  /// Pairs of the elements of this and of others, a range or a ParIter; as many as the shorter has.
  template <class Others>
  auto zip(Others&& others) && {
    if constexpr (requires { typename std::remove_cvref_t<Others>::Element; }) {
      auto mine = std::move(*this).indexed();
      auto theirs = std::forward<Others>(others).indexed();
      return next(detail::par_iter::Zip<decltype(mine), decltype(theirs)>{std::move(mine),
                                                                          std::move(theirs)});
    } else {
      using Theirs = detail::par_iter::Source<Others>;
      return std::move(*this).zip(ParIter<Theirs>(Theirs(std::forward<Others>(others)), options_));
    }
  }

  /// Pairs of the position, from 0, and the element.
  auto enumerate() && {
    auto mine = std::move(*this).indexed();
    return next(detail::par_iter::Enumerate<decltype(mine)>{std::move(mine)});
  }

  /// The first `most` elements.  \throws ArgumentError if it is negative.
  auto take(std::int64_t most) && {
    if (most < 0) throw ArgumentError("[par_iter] take: expected a number of at least 0");
    auto mine = std::move(*this).indexed();
    return next(detail::par_iter::Take<decltype(mine)>{std::move(mine), most});
  }

  /// Vectors of `length` elements that follow each other, the last of what is left.
  /// \throws ArgumentError if it is below 1.
  auto chunk(std::int64_t length) && {
    if (length < 1) throw ArgumentError("[par_iter] chunk: expected a length of at least 1");
    auto mine = std::move(*this).indexed();
    return next(detail::par_iter::Chunk<decltype(mine)>{std::move(mine), length});
  }

  /// Calls f(x) for each element.
  template <class F>
  void for_each(const F& f) const {
    run([&](std::int64_t, std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        stage_.show(i, [&](Element&& x) { std::invoke(f, std::forward<Element>(x)); });
      }
    });
  }

  /// A vector of the elements.
  std::vector<Kept> collect() const {
    std::vector<std::vector<Kept>> parts(static_cast<std::size_t>(blocks()));
    run([&](std::int64_t block, std::int64_t first, std::int64_t last) {
      std::vector<Kept> part;
      part.reserve(static_cast<std::size_t>(last - first));
      for (std::int64_t i = first; i < last; ++i) {
        stage_.show(i, [&](Element&& x) { part.emplace_back(std::forward<Element>(x)); });
      }
      parts[static_cast<std::size_t>(block)] = std::move(part);
    });
    if (parts.size() == 1) return std::move(parts.front());
    std::size_t size = 0;
    for (const std::vector<Kept>& part : parts) size += part.size();
    std::vector<Kept> all;
    all.reserve(size);
    for (std::vector<Kept>& part : parts) {
      std::move(part.begin(), part.end(), std::back_inserter(all));
    }
    return all;
  }

  /// f(... f(f(initial, x0), x1) ..., xn): the elements are computed by all workers, and f is
  /// called with one after the other, as std::accumulate does.
  template <class T, class F>
  T fold(T initial, const F& f) const {
    for (Kept& x : collect()) initial = std::invoke(f, std::move(initial), std::move(x));
    return initial;
  }

  /// Each block of neighbours is folded from `identity` on by f, by all workers, and what became of
  /// the blocks is put together by combine(left, right) from the left.  Which elements make a block
  /// follows from the number of items alone.
  template <class T, class F, class Combine>
  T fold(const T& identity, const F& f, const Combine& combine) const {
    return fold_blocks([&] { return identity; }, f, combine);
  }

  /// The elements put together by f(left, right), which is to be associative; in blocks as `fold`
  /// does.  Nothing where there is none.
  template <class F>
  std::optional<Kept> reduce(const F& f) const {
    using Part = std::optional<Kept>;
    return fold_blocks([] { return Part(); },
                       [&f](Part left, Element&& x) {
                         if (!left) return Part(std::in_place, std::forward<Element>(x));
                         return Part(std::invoke(f, *std::move(left), std::forward<Element>(x)));
                       },
                       [&f](Part left, Part right) {
                         if (!left || !right) return left ? std::move(left) : std::move(right);
                         return Part(std::invoke(f, *std::move(left), *std::move(right)));
                       });
  }

  /// The stage itself, or behind `filter` and `flat_map` one of all that they leave.
  auto indexed() && {
    if constexpr (Stage::kIsIndexed) {
      return std::move(stage_);
    } else {
      return detail::par_iter::Source<std::vector<Kept>>(collect());
    }
  }

 private:
  template <class Next>
  ParIter<Next> next(Next stage) const {
    return ParIter<Next>(std::move(stage), options_);
  }

  template <class Identity, class F, class Combine>
  auto fold_blocks(const Identity& identity, const F& f, const Combine& combine) const {
    using T = std::invoke_result_t<Identity>;
    std::vector<std::optional<T>> parts(static_cast<std::size_t>(blocks()));
    run([&](std::int64_t block, std::int64_t first, std::int64_t last) {
      T made = identity();
      for (std::int64_t i = first; i < last; ++i) {
        stage_.show(i, [&](Element&& x) {
          made = std::invoke(f, std::move(made), std::forward<Element>(x));
        });
      }
      parts[static_cast<std::size_t>(block)].emplace(std::move(made));
    });
    if (parts.empty()) return identity();
    for (std::size_t i = 1; i < parts.size(); ++i) {
      parts.front().emplace(
          T(std::invoke(combine, *std::move(parts.front()), *std::move(parts[i]))));
    }
    return *std::move(parts.front());
  }

  std::int64_t blocks() const { return std::min(stage_.size(), detail::par_iter::kMostBlocks); }

  /// work(block, first, last) for each block of positions.
  template <class Work>
  void run(const Work& work) const {
    const std::int64_t size = stage_.size();
    const std::int64_t count = blocks();
    parallel_items(
        count,
        [&](std::int64_t block) {
          // The first size % count blocks have one position more.
          const auto begin = [&](std::int64_t b) {
            return b * (size / count) + std::min(b, size % count);
          };
          work(block, begin(block), begin(block + 1));
        },
        options_);
  }

  Stage stage_;
  ParallelMapOptions options_;
};

/// The items of a range with positions.  One that is a variable is referred to, and is to stay
/// until all is computed; another is kept.
template <std::ranges::random_access_range Items>
auto par_iter(Items&& items, const ParallelMapOptions& options = {}) {
  using Source = detail::par_iter::Source<Items>;
  return ParIter<Source>(Source(std::forward<Items>(items)), options);
}

}  // namespace gaia
