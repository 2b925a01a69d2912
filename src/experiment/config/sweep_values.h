// SPDX-License-Identifier: MIT
/// \file
/// The values that one key of a sweep takes: written out, at equal distances or ratios, or drawn;
/// and the scale on which a search moves a key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../core/random.h"
#include "../../search/space.h"
#include "yaml.h"

namespace gaia {

/// [a, b, c], {range: [a, b], steps: n}, {range: [a, b], step: s} or {log_range: [a, b], steps: n}.
/// Numbers that are computed are rounded, to 12 digits, or to 6 where they are at equal ratios, so
/// that they are the same on every machine.
/// What is wrong is added to `problems` under `key`, and nothing returned then.
std::vector<YamlNode> values_of_sweep(const YamlNode& node, const std::string& key,
                                      Problems& problems);

/// Whether no point of an axis comes twice, 0.01 being 1e-2; else `problems` says under `key` which
/// does.  A point has a value for each of the keys that advance together.
bool are_distinct(const std::vector<std::vector<YamlNode>>& points, const std::string& key,
                  Problems& problems);

/// {random: uniform | log_uniform | integer, range: [a, b]}
struct SweepDraw {
  enum class Kind { uniform, log_uniform, integer } kind = Kind::uniform;
  double least = 0.0;
  double most = 1.0;
  Origin origin;

  /// Number `index` of the draws from a stream, a function of both alone.
  YamlNode value(const RandomStream& stream, std::uint64_t index) const;
};

/// Whether a node asks for draws.
bool is_sweep_draw(const YamlNode& node);

std::optional<SweepDraw> draw_of_sweep(const YamlNode& node, const std::string& key,
                                       Problems& problems);

/// A key of a search: {range: [a, b]}, {log_range: [a, b]}, either with `integer: true`, or the
/// list of its choices.
struct SearchScale {
  SearchParameter scale;               ///< Named by the key; of choices the place in their list.
  std::vector<YamlNode> choices = {};  ///< Empty but for a list.
  Origin origin = {};

  /// What stands in the experiment for a value on the scale; a number has 12 digits.
  YamlNode node(double value) const;
};

std::optional<SearchScale> scale_of_search(const YamlNode& node, const std::string& name,
                                           const std::string& key, Problems& problems);

}  // namespace gaia
