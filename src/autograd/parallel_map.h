// SPDX-License-Identifier: MIT
/// \file
/// A function over many items at once, on the device that is current.
///
///     GPUContext scope("auto");
///     const std::vector<Array> spectra = parallel_map(matrices, [](const Array& m) {
///       return matmul(m.transpose(), m);
///     });
///
/// It stands above arrays because the mode of gradients goes along too.
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace gaia {

struct ParallelMapOptions {
  /// Items worked on at a time at most; 0: on the CPU as many as `num_threads`, on a GPU 4.
  int workers = 0;
};

/// Calls item(i) for i in [0, count) as `parallel_map` does.  \throws as `parallel_map`.
void parallel_items(std::int64_t count, const std::function<void(std::int64_t)>& item,
                    const ParallelMapOptions& options = {});

/// f(items[0]), f(items[1]), ... in this order, as a vector of whatever f returns (nothing if that
/// is void); items may be any range with positions, and are passed by reference.
///
/// On the CPU the threads of the pool work on whole items, and operations within f run on one
/// thread each.  On a GPU a few threads of the host do, each with a stream of its own, so that
/// items overlap on the device.  One item, one worker, a call from inside f or from a function
/// within `checkpoint`: in place.
///
/// Every call of f begins with the caller's settings (current device, transfer policy, strict
/// kernels, whether gradients are recorded, whether traces are written); what f changes of them
/// ends with the call.  Copies that f causes count in the caller's `transfer_stats`.  Random
/// numbers: give every item a stream of its own, for `next_stream` gives streams to anyone who
/// comes first.
///
/// If f throws, items not yet begun may be left out; when all that were begun have ended, the
/// exception of the lowest item that throws is thrown again, which is the same one for any number
/// of workers.
/// \throws ArgumentError unless workers is 0 to 1024.
template <std::ranges::random_access_range Items, class F>
auto parallel_map(Items&& items, const F& f, const ParallelMapOptions& options = {}) {
  const auto begin = std::ranges::begin(items);
  const auto count = static_cast<std::int64_t>(std::ranges::distance(items));
  const auto call = [&](std::int64_t i) -> decltype(auto) {
    return f(begin[static_cast<std::iter_difference_t<decltype(begin)>>(i)]);
  };
  using Answer = std::remove_cvref_t<decltype(call(0))>;
  if constexpr (std::is_void_v<Answer>) {
    parallel_items(count, call, options);
  } else {
    std::vector<std::optional<Answer>> answers(static_cast<std::size_t>(count));
    parallel_items(
        count, [&](std::int64_t i) { answers[static_cast<std::size_t>(i)].emplace(call(i)); },
        options);
    std::vector<Answer> result;
    result.reserve(answers.size());
    for (std::optional<Answer>& answer : answers) result.push_back(std::move(*answer));
    return result;
  }
}

}  // namespace gaia
