// SPDX-License-Identifier: MIT
/// \file
/// Which samples of a block are mostly zeros, as spikes are, and what they hold beside zeros.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "chunked_samples.h"
#include "vector/equation_panel.h"

namespace gaia::cpu {

template <class T>
class EventLists {
 public:
  explicit EventLists(const ChunkedSamples<T>& samples, std::int64_t count, std::int64_t inputs) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(count));
    const double numbers = static_cast<double>(count) * static_cast<double>(inputs);
    share_where_it_pays(samples.chunks(), numbers, [&](std::int64_t c) {
      const std::int64_t last = std::min(count, (c + 1) * samples.per_chunk());
      for (std::int64_t s = c * samples.per_chunk(); s < last; ++s) {
        counts[static_cast<std::size_t>(s)] =
            count_events(samples.data() + s * samples.stride(), inputs);
      }
    });
    starts_.assign(static_cast<std::size_t>(count + 1), 0);
    by_events_ = std::make_unique<bool[]>(static_cast<std::size_t>(samples.chunks()));
    for (std::int64_t c = 0; c < samples.chunks(); ++c) {
      const std::int64_t first = c * samples.per_chunk();
      const std::int64_t last = std::min(count, first + samples.per_chunk());
      std::int64_t held = 0;
      for (std::int64_t s = first; s < last; ++s) held += counts[static_cast<std::size_t>(s)];
      const bool few = held * kFew <= (last - first) * inputs;
      by_events_[static_cast<std::size_t>(c)] = few;
      has_any_ = has_any_ || few;
      for (std::int64_t s = first; s < last; ++s) {
        const auto place = static_cast<std::size_t>(s);
        starts_[place + 1] = starts_[place] + (few ? counts[place] : 0);
      }
    }
    inputs_.resize(static_cast<std::size_t>(starts_.back()));
    values_.resize(inputs_.size());
    share_where_it_pays(samples.chunks(), has_any_ ? numbers : 0.0, [&](std::int64_t c) {
      if (!by_events_[static_cast<std::size_t>(c)]) return;
      const std::int64_t last = std::min(count, (c + 1) * samples.per_chunk());
      for (std::int64_t s = c * samples.per_chunk(); s < last; ++s) {
        list(samples.data() + s * samples.stride(), inputs, starts_[static_cast<std::size_t>(s)]);
      }
    });
  }

  SampleEvents<T> view() const {
    return {has_any_ ? by_events_.get() : nullptr, starts_.data(), inputs_.data(), values_.data()};
  }

 private:
  /// A chunk goes by its events where so many numbers hold one of them at most.  Each event costs
  /// a reading and, in the update, a writing of weights, which all inputs share among samples.
  static constexpr std::int64_t kFew = 12;

  static std::int64_t count_events(const T* x, std::int64_t n) {
    std::int32_t events = 0;
    for (std::int64_t j = 0; j < n; ++j) events += x[j] != T(0) ? 1 : 0;
    return events;
  }
  void list(const T* x, std::int64_t n, std::int64_t place) {
    for (std::int64_t j = 0; j < n; ++j) {
      if (x[j] == T(0)) continue;
      inputs_[static_cast<std::size_t>(place)] = static_cast<std::int32_t>(j);
      values_[static_cast<std::size_t>(place++)] = x[j];
    }
  }

  std::unique_ptr<bool[]> by_events_;  // [chunks]
  bool has_any_ = false;
  std::vector<std::int64_t> starts_;
  std::vector<std::int32_t> inputs_;
  std::vector<T> values_;
};

}  // namespace gaia::cpu
