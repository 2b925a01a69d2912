// SPDX-License-Identifier: MIT
#include "talk_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "../../layers/hierarchy/hebbian.h"

namespace gaia {
namespace {

/// Thousands of ticks per second of a layer 784 -> 400 under Oja's rule on one thread, computed in
/// blocks of so many ticks, where whole blocks make 79.
struct MeasuredBlock {
  std::int64_t ticks;
  int speed;
};
constexpr MeasuredBlock kMeasured[] = {{1, 9},   {2, 16},  {4, 23},   {8, 42},   {16, 56},
                                       {32, 64}, {64, 69}, {256, 77}, {1024, 79}};

}  // namespace

std::string TalkEstimate::text() const {
  std::string said = fmt::format("hears level {} as {}, ", from, as);
  said += rule == "random" ? "by a random map" : "its map by " + rule;
  if (block_ticks == 0) {
    return said + "; in whole blocks, since its weights learn from answers without td";
  }
  const auto behind = std::upper_bound(
      std::begin(kMeasured), std::end(kMeasured), block_ticks,
      [](std::int64_t ticks, const MeasuredBlock& one) { return ticks < one.ticks; });
  const MeasuredBlock& known = *std::prev(behind);
  return said +
         fmt::format(
             "; {}, since its text reads td: a layer 784 -> 400 does about {} of 79 "
             "thousand ticks/s in blocks of {}",
             block_ticks == 1 ? "tick by tick" : fmt::format("in blocks of {} ticks", block_ticks),
             known.speed, known.ticks);
}

std::vector<TalkEstimate> talks_of(const HierarchyManager& hierarchy) {
  std::vector<TalkEstimate> talks;
  const std::vector<HierarchicalLevel>& levels = hierarchy.levels();
  for (std::size_t n = 0; n < levels.size(); ++n) {
    const HierarchicalLevel& level = levels[n];
    if (!level.hears()) continue;
    const std::size_t last = level.layer_count() - 1;
    const auto* const layer = dynamic_cast<const HebbianLayer*>(&level.layer(last));
    const TopDownOptions& options = *level.layer(last).top_down();
    TalkEstimate talk{.layer = fmt::format("hierarchy.levels[{}].layers[{}]", n, last),
                      .from = options.from,
                      .as = to_string(options.as),
                      .rule = options.random ? "random" : rule_name(options.rule_of_map())};
    if (layer != nullptr && layer->reads_from_above()) {
      const std::int64_t steps =
          hierarchy.level(static_cast<int>(options.from)).temporal_resolution();
      talk.block_ticks = std::max<std::int64_t>(1, steps / level.temporal_resolution());
    }
    talks.push_back(std::move(talk));
  }
  return talks;
}

}  // namespace gaia
