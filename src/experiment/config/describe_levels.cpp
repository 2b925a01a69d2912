// SPDX-License-Identifier: MIT
// The levels of a hierarchy, as a list of them or by a few numbers.
#include <fmt/format.h>

#include <cmath>

#include "../../layers/hierarchy/hebbian.h"
#include "describe.h"

namespace gaia {
namespace {

constexpr std::int64_t kMostShort = 1000;
constexpr std::int64_t kSlowest = 1000000000;
constexpr std::int64_t kWidest = 1000000;

/// levels: {count, compression, sizes}
struct LevelsInShort {
  std::optional<std::int64_t> count;
  std::vector<std::int64_t> compression = {2};
  std::vector<std::int64_t> sizes;
  double ratio = 1.0;
  LevelConfig level;  // level that all are like

  LevelsInShort() {
    level.layers.resize(1);
    level.layers.front().kind = *LayerKind::list().find(HebbianOptions::name);
  }

  LayerConfig& layer() { return level.layers.front(); }
};

void describe_short(ConfigVisitor& v, LevelsInShort& in_short) {
  v.optional({"count", "number of levels; default as many as `sizes` or `compression` lists"},
             in_short.count, {1, kMostShort});
  v.integer_or_list(
      {"compression",
       "ticks of a level from one tick of the level above to the next; or a list with "
       "the temporal_resolution of each level"},
      in_short.compression, {1, kSlowest});
  v.integer_or_list({"sizes",
                     "neurons of each level, a list; or those of the first one, and of others by "
                     "`ratio`"},
                    in_short.sizes, {1, kWidest});
  v.number({"ratio", "neurons of a level for each of the level below, where `sizes` is one number"},
           in_short.ratio, {0.0, 1000.0, true});
  v.integer({"temporal_resolution", "steps from one tick of the first level to the next"},
            in_short.level.temporal_resolution, {1, kSlowest});
  in_short.level.options.keys(v);
  v.forbid({"layers", ""},
           "levels that are told by their number have one layer each, whose keys stand here; write "
           "`levels` as a list for others");
  describe_layer_of_all(v, in_short.layer());
}

/// Refuses lists of other lengths; how many levels there are, if that is known.
std::optional<std::int64_t> count_levels(ConfigVisitor& v, const LevelsInShort& in_short) {
  const auto length_of = [](const std::vector<std::int64_t>& list) {
    return list.size() > 1 ? std::optional(std::ssize(list)) : std::nullopt;
  };
  std::optional<std::int64_t> count = in_short.count;
  const auto check = [&](const char* key, const std::vector<std::int64_t>& list) {
    const auto length = length_of(list);
    if (!length) return true;
    if (!count) count = length;
    if (*count == *length) return true;
    v.refuse({key, ""}, fmt::format("expected one number, or one for each of the {} levels, got {}",
                                    *count, *length));
    return false;
  };
  if (!check("sizes", in_short.sizes) || !check("compression", in_short.compression)) return {};
  if (!count) {
    v.refuse({"count", ""},
             "missing: neither `sizes` nor `compression` is a list that tells how "
             "many levels there are");
  }
  return count;
}

/// Resolutions of the levels; empty where there cannot be such, which is refused.
std::vector<std::int64_t> resolutions_of(ConfigVisitor& v, const LevelsInShort& in_short,
                                         std::int64_t count) {
  const std::int64_t first = in_short.level.temporal_resolution;
  if (in_short.compression.size() > 1) {
    if (first == 1) return in_short.compression;
    v.refuse({"temporal_resolution", ""},
             "a list in `compression` tells those of all levels; leave one of the two out");
    return {};
  }
  std::vector<std::int64_t> resolutions = {first};
  const std::int64_t by = in_short.compression.front();
  while (std::ssize(resolutions) < count) {
    if (resolutions.back() > kSlowest / by) {
      v.refuse({"compression", ""},
               fmt::format("level {} would tick every {} steps times {}, and {} is the most that "
                           "there is; take fewer levels, or a list",
                           resolutions.size(), resolutions.back(), by, kSlowest));
      return {};
    }
    resolutions.push_back(resolutions.back() * by);
  }
  return resolutions;
}

std::vector<std::int64_t> sizes_of(ConfigVisitor& v, const LevelsInShort& in_short,
                                   std::int64_t count) {
  if (const auto own = in_short.level.layers.front().kind->own_size()) {
    return std::vector<std::int64_t>(static_cast<std::size_t>(count), *own);
  }
  if (in_short.sizes.size() > 1) {
    if (in_short.ratio == 1.0) return in_short.sizes;
    v.refuse({"ratio", ""}, "`sizes` has those of all levels; leave one of the two out");
    return {};
  }
  if (in_short.sizes.empty()) {
    v.refuse({"sizes", ""}, "missing (neurons of each level)");
    return {};
  }
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < count; ++i) {
    const double size = std::round(static_cast<double>(in_short.sizes.front()) *
                                   std::pow(in_short.ratio, static_cast<double>(i)));
    if (!(size >= 1.0 && size <= static_cast<double>(kWidest))) {
      v.refuse({"ratio", ""},
               fmt::format("level {} would have {} neurons, expected 1 to {}", i, size, kWidest));
      return {};
    }
    sizes.push_back(static_cast<std::int64_t>(size));
  }
  return sizes;
}

}  // namespace

void describe_levels(ConfigVisitor& v, std::vector<LevelConfig>& levels) {
  LevelsInShort in_short;
  v.list_or_map(
      {"levels",
       "the levels, each reading the one before it: a list; or a map of their count, compression "
       "and sizes, and of keys that all of them and their layers have",
       true},
      levels.size(), [&](std::size_t n) { levels.resize(n); },
      [&](std::size_t i) { describe(v, levels[i]); }, [&] { describe_short(v, in_short); },
      [&] {
        const auto count = count_levels(v, in_short);
        if (!count) return;
        const auto resolutions = resolutions_of(v, in_short, *count);
        const auto sizes = sizes_of(v, in_short, *count);
        if (resolutions.empty() || sizes.empty()) return;
        levels.assign(static_cast<std::size_t>(*count), in_short.level);
        for (std::size_t i = 0; i < levels.size(); ++i) {
          levels[i].temporal_resolution = resolutions[i];
          levels[i].layers.front().size = sizes[i];
        }
      });
}

}  // namespace gaia
