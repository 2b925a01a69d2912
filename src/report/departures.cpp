// SPDX-License-Identifier: MIT
#include "departures.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "../core/text.h"
#include "../experiment/config/config_reader.h"
#include "../experiment/config/config_writer.h"

namespace gaia::report {
namespace {

constexpr std::size_t kMostValues = 600;  // each is tried by itself

/// A value somewhere in a tree: the entries or items that lead to it.
using Steps = std::vector<std::size_t>;

struct Leaf {
  std::string key;
  Steps steps;
  const YamlNode* node;
};

/// Numbers in one way of writing, so that 1e-06 and 1.0e-06 do not differ.
std::string text_of(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::list) {
    const bool is_fraction = !node.quoted && !parse_integer(node.text);
    const auto number = is_fraction ? parse_number(node.text) : std::nullopt;
    return number ? number_text(*number) : node.text;
  }
  std::string text = "[";
  for (const YamlNode& item : node.items) text += (text.size() == 1 ? "" : ", ") + text_of(item);
  return text + "]";
}

bool is_list_of_maps(const YamlNode& node) {
  return node.kind == YamlNode::Kind::list &&
         std::any_of(node.items.begin(), node.items.end(),
                     [](const YamlNode& item) { return item.kind == YamlNode::Kind::map; });
}

void collect(const YamlNode& node, const std::string& key, const Steps& steps,
             std::vector<Leaf>& leaves) {
  const auto below = [&](std::size_t index) {
    Steps longer = steps;
    longer.push_back(index);
    return longer;
  };
  if (node.kind == YamlNode::Kind::map) {
    for (std::size_t i = 0; i < node.entries.size(); ++i) {
      const YamlNode::Entry& entry = node.entries[i];
      collect(entry.value, key.empty() ? entry.key : key + "." + entry.key, below(i), leaves);
    }
  } else if (is_list_of_maps(node)) {
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      collect(node.items[i], fmt::format("{}[{}]", key, i), below(i), leaves);
    }
  } else {
    leaves.push_back({key, steps, &node});
  }
}

/// The tree without one of its values.
YamlNode without(const YamlNode& root, const Steps& steps) {
  YamlNode copy = root;
  YamlNode* node = &copy;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    node =
        node->kind == YamlNode::Kind::map ? &node->entries[steps[i]].value : &node->items[steps[i]];
  }
  if (node->kind == YamlNode::Kind::map) {
    node->entries.erase(node->entries.begin() + static_cast<std::ptrdiff_t>(steps.back()));
  }
  return copy;
}

std::optional<YamlNode> parse(const std::string& config) {
  Problems problems("config", config);
  YamlNode root = parse_yaml(config, problems);
  if (!problems.empty() || root.kind != YamlNode::Kind::map) return std::nullopt;
  return root;
}

/// The resolved text of a tree; nothing if it is no experiment.
std::optional<std::string> resolved(const YamlNode& root, const std::string& text) {
  Problems problems("config", text);
  ReadConfig read = read_config(root, problems);
  if (!problems.empty()) return std::nullopt;
  // What loading writes out as well.
  if (read.config.output.path.empty()) {
    read.config.output.path = "results/" + read.config.experiment + ".h5";
  }
  return to_yaml(std::move(read.config));
}

}  // namespace

FlatConfig flatten(const std::string& config) {
  FlatConfig flat;
  const std::optional<YamlNode> root = parse(config);
  if (!root) return flat;
  std::vector<Leaf> leaves;
  collect(*root, "", {}, leaves);
  for (const Leaf& leaf : leaves) {
    flat.keys.push_back(leaf.key);
    flat.values[leaf.key] = text_of(*leaf.node);
    flat.lines[leaf.key] = leaf.node->origin.line;
  }
  return flat;
}

std::set<int> departing_lines(const std::string& config) {
  std::set<int> lines;
  const std::optional<YamlNode> root = parse(config);
  if (!root) return lines;
  const std::optional<std::string> whole = resolved(*root, config);
  std::vector<Leaf> leaves;
  collect(*root, "", {}, leaves);
  std::erase_if(leaves, [](const Leaf& leaf) { return leaf.key.starts_with("published."); });
  if (!whole || leaves.size() > kMostValues) return lines;
  for (const Leaf& leaf : leaves) {
    if (resolved(without(*root, leaf.steps), config) != whole) lines.insert(leaf.node->origin.line);
  }
  return lines;
}

}  // namespace gaia::report
