// SPDX-License-Identifier: MIT
/// \file
/// YAML, read strictly: a small tree in which every key and value knows where it was written.
///
/// Refused with a place: anchors, aliases, merge keys, tags, duplicate keys, several documents,
/// text that is not UTF-8, and files beyond the limits below.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problems.h"

namespace gaia {

struct YamlNode {
  enum class Kind { null, scalar, list, map };
  struct Entry;

  Kind kind = Kind::null;
  Origin origin;
  std::string text;             ///< Text of a scalar.
  bool quoted = false;          ///< A scalar written with quotes or as a block is always text.
  std::vector<YamlNode> items;  ///< Items of a list.
  std::vector<Entry> entries;   ///< Entries of a map.

  const YamlNode* find(std::string_view key) const;
  /// "text 'abc'", "a list", "nothing": what a message says came.
  std::string describe() const;
};

struct YamlNode::Entry {
  std::string key;
  Origin origin;  ///< Place of the key.
  YamlNode value;
};

struct YamlLimits {
  std::size_t bytes = 1 << 20;
  int depth = 32;
  int nodes = 20000;
  std::size_t scalar = 64 << 10;
};

/// The document in `text`; what is wrong with it is added to `problems`, and null returned then.
YamlNode parse_yaml(const std::string& text, Problems& problems, const YamlLimits& limits = {});

/// A value in one line of YAML: 0.01, "a text", [1, 2], {target: 0.5}.
std::string flow_text(const YamlNode& node);
/// The same for a person: without the quotes of a text.
std::string value_text(const YamlNode& node);

/// A text in double quotes, as YAML reads it back.
std::string quoted(const std::string& text);

/// A text as a node, and what was written without quotes, such as a number.
YamlNode text_node(const std::string& text);
YamlNode plain_node(const std::string& text);

}  // namespace gaia
