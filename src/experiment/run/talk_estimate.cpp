// SPDX-License-Identifier: MIT
#include "talk_estimate.h"

#include <fmt/format.h>

#include "../../layers/hierarchy/hebbian.h"

namespace gaia {
namespace {

/// How the layer goes, with speeds that were measured (docs/hierarchy.md).
std::string pace_of(const HebbianLayer& layer, std::int64_t resolution, bool in_blocks) {
  if (in_blocks) {
    return "in blocks, about 40 000 ticks/s of 61 000 without it (784 -> 400, 64 heard, one "
           "thread)";
  }
  const bool reads_td = layer.reads_from_above();
  return fmt::format(
      "tick by tick, since {}: about {} ticks/s of 61 000 without it (784 -> 400, 64 "
      "heard, one thread)",
      reads_td ? "its own text reads td"
               : "td needs the drive of every tick, which is not its answer",
      !reads_td         ? "5 600"
      : resolution == 1 ? "3 300"
                        : "3 800");
}

}  // namespace

std::string TalkEstimate::text() const {
  return fmt::format("hears level {} as {}, {}; {}", from, as,
                     rule == "random" ? "by a random map" : "its map by " + rule, pace);
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
    if (layer != nullptr) {
      talk.in_blocks = !layer->reads_from_above() && !layer->hands_out_drive();
      const int sender = static_cast<int>(options.from);
      talk.pace = pace_of(*layer, hierarchy.level(sender).temporal_resolution(), talk.in_blocks);
    }
    talks.push_back(std::move(talk));
  }
  return talks;
}

}  // namespace gaia
