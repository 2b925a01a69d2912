// SPDX-License-Identifier: MIT
#include "successive_halving.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../core/message.h"

namespace gaia {

SuccessiveHalving::SuccessiveHalving(std::int64_t candidates, const HalvingOptions& options)
    : options_(options) {
  require(candidates >= 1, "[halving] candidates must be >= 1, got {}", candidates);
  require(options.factor >= 2, "[halving] factor must be >= 2, got {}", options.factor);
  require(options.rungs >= 1, "[halving] rungs must be >= 1, got {}", options.rungs);
  candidates_.resize(static_cast<std::size_t>(candidates));
  std::iota(candidates_.begin(), candidates_.end(), 0);
}

std::int64_t SuccessiveHalving::part_of(std::int64_t all, std::int64_t rung) const {
  double part = static_cast<double>(all);
  for (std::int64_t k = rung + 1; k < options_.rungs; ++k) {
    part /= static_cast<double>(options_.factor);
  }
  return std::max<std::int64_t>(1, std::llround(part));
}

void SuccessiveHalving::tell(std::span<const double> objectives) {
  if (objectives.size() != candidates_.size()) {
    fail<ArgumentError>("[halving] expected the objectives of {} candidates, got {}",
                        candidates_.size(), objectives.size());
  }
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < objectives.size(); ++k) {
    if (std::isfinite(objectives[k])) order.push_back(k);
  }
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return objectives[a] < objectives[b]; });
  const auto stay = std::max<std::int64_t>(1, std::ssize(candidates_) / options_.factor);
  order.resize(std::min(order.size(), static_cast<std::size_t>(stay)));
  std::vector<std::int64_t> next;
  ++rung_;
  if (rung_ < options_.rungs) {
    for (const std::size_t k : order) next.push_back(candidates_[k]);
    std::sort(next.begin(), next.end());
  }
  candidates_ = std::move(next);
}

}  // namespace gaia
