// SPDX-License-Identifier: MIT
#include "rewiring.h"

#include <algorithm>
#include <cmath>

#include "../core/message.h"
#include "../core/names.h"

namespace gaia {
namespace {

constexpr NameTable<RewireOptions::By, 2> kGrowths = {
    {{"random", RewireOptions::By::random}, {"products", RewireOptions::By::products}}};

}  // namespace

void RewireOptions::keys(ConfigVisitor& v) {
  v.number({"density", "share of the weights that are there", true}, density, {0.0, 1.0, true});
  v.integer({"every",
             "ticks, of a network optimiser steps, between two times at which weights go and come; "
             "0: the mask stays as it is",
             true},
            every, {0});
  v.choice({"by", "which weights come"},
           {{"random", "products"},
            [this] { return name_of(kGrowths, by); },
            [this](const std::string& word) { by = growth_from_name(word); }});
  v.number({"share", "of the weights that are there, how many go and come at a time"}, share,
           {0.0, 1.0});
  v.integer({"until", "ticks or steps after which weights stay; 0 is no end"}, until, {0});
}

RewireOptions::By growth_from_name(std::string_view name) {
  return from_name(kGrowths, name, "rewire.by");
}

void check(const RewireOptions& options) {
  const auto& [density, every, by, share, until] = options;
  require(density > 0 && density <= 1, "[rewire] density: expected 0 < x <= 1, got {}", density);
  require(every >= 0, "[rewire] every: expected at least 0, got {}", every);
  require(share >= 0 && share <= 1, "[rewire] share: expected 0 to 1, got {}", share);
  require(until >= 0, "[rewire] until: expected at least 0, got {}", until);
}

std::int64_t rounded_share(double share, std::int64_t of) {
  return std::max<std::int64_t>(1, std::llround(share * static_cast<double>(of)));
}

std::vector<std::int64_t> least(std::vector<std::int64_t> candidates, std::span<const double> keys,
                                std::int64_t count) {
  std::ranges::stable_sort(candidates, {},
                           [&](std::int64_t j) { return keys[static_cast<std::size_t>(j)]; });
  candidates.resize(static_cast<std::size_t>(count));
  return candidates;
}

void turn_over(std::span<double> mask, std::span<const double> weights,
               std::span<const double> growth, std::int64_t count) {
  std::vector<std::int64_t> there;
  std::vector<std::int64_t> missing;
  std::vector<double> sizes(mask.size());
  for (std::size_t j = 0; j < mask.size(); ++j) {
    (mask[j] != 0.0 ? there : missing).push_back(static_cast<std::int64_t>(j));
    sizes[j] = std::abs(weights[j]);
  }
  count = std::min({count, std::ssize(there), std::ssize(missing)});
  const std::vector<std::int64_t> gone = least(std::move(there), sizes, count);
  for (const std::int64_t j : least(std::move(missing), growth, count)) {
    mask[static_cast<std::size_t>(j)] = 1.0;
  }
  for (const std::int64_t j : gone) mask[static_cast<std::size_t>(j)] = 0.0;
}

}  // namespace gaia
