// SPDX-License-Identifier: MIT
#include "yaml_path.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/text.h"

namespace gaia {
namespace {

/// One step of a path: a key, or an index into a list.
struct PathStep {
  std::string key;
  std::size_t index = 0;
  bool is_index = false;
};

/// Empty if `path` is not well-formed.
std::vector<PathStep> parse_path(const std::string& path) {
  std::vector<PathStep> steps;
  for (std::size_t i = 0; i < path.size();) {
    if (path[i] == '[') {
      const std::size_t end = path.find(']', i);
      if (end == std::string::npos) return {};
      const auto index = parse_integer(std::string_view(path).substr(i + 1, end - i - 1));
      if (!index || *index < 0) return {};
      steps.push_back({{}, static_cast<std::size_t>(*index), true});
      i = end + 1;
      continue;
    }
    if (!steps.empty()) {
      if (path[i] != '.') return {};
      ++i;
    }
    const std::size_t end = std::min(path.find_first_of(".[", i), path.size());
    if (end == i) return {};
    steps.push_back({path.substr(i, end - i), 0, false});
    i = end;
  }
  return steps;
}

YamlNode* find_mutable(YamlNode& node, std::string_view key) {
  for (YamlNode::Entry& entry : node.entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

/// What a step leads to; null where it leads nowhere.
const YamlNode* follow(const YamlNode& node, const PathStep& step) {
  if (!step.is_index) return node.find(step.key);
  return step.index < node.items.size() ? &node.items[step.index] : nullptr;
}

void set_origin(YamlNode& node, const Origin& origin) {
  node.origin = origin;
  for (YamlNode& item : node.items) set_origin(item, origin);
  for (YamlNode::Entry& entry : node.entries) {
    entry.origin = origin;
    set_origin(entry.value, origin);
  }
}

}  // namespace

void set_in_yaml(YamlNode& root, const std::string& path, const std::string& value,
                 const std::string& argument, Problems& problems) {
  Problems own("value", value);
  YamlNode parsed = parse_yaml(value, own);
  if (!own.empty()) {
    problems.add({0, 0, argument}, path, "'" + value + "' is not valid YAML");
    return;
  }
  set_in_yaml(root, path, std::move(parsed), argument, problems);
}

void set_in_yaml(YamlNode& root, const std::string& path, YamlNode value,
                 const std::string& argument, Problems& problems) {
  const Origin origin{0, 0, argument};
  set_origin(value, origin);
  set_in_yaml(root, path, std::move(value), origin, problems);
}

void set_in_yaml(YamlNode& root, const std::string& path, YamlNode value, const Origin& origin,
                 Problems& problems) {
  const std::vector<PathStep> steps = parse_path(path);
  if (steps.empty()) {
    problems.add(origin, {}, "'" + path + "' is not a key such as data.steps or levels[0].pooling");
    return;
  }
  YamlNode* node = &root;
  std::string so_far;
  for (const PathStep& step : steps) {
    if (step.is_index) {
      if (node->kind != YamlNode::Kind::list || step.index >= node->items.size()) {
        problems.add(origin, so_far,
                     "has no element " + std::to_string(step.index) +
                         (node->kind == YamlNode::Kind::list
                              ? " (it has " + std::to_string(node->items.size()) + ")"
                              : ""));
        return;
      }
      node = &node->items[step.index];
      so_far += "[" + std::to_string(step.index) + "]";
      continue;
    }
    const bool open = node->kind == YamlNode::Kind::map || node->kind == YamlNode::Kind::null;
    if (!open) {
      // A word such as `none` gives way to a map; a list does not.
      if (node->kind == YamlNode::Kind::list) {
        problems.add(origin, so_far, "is a list; name an element, such as " + so_far + "[0]");
        return;
      }
      *node = {};
    }
    node->kind = YamlNode::Kind::map;
    YamlNode* child = find_mutable(*node, step.key);
    if (child == nullptr) {
      node->entries.push_back({step.key, origin, {}});
      child = &node->entries.back().value;
      child->origin = origin;
    }
    node = child;
    so_far += (so_far.empty() ? "" : ".") + step.key;
  }
  *node = std::move(value);
}

const YamlNode& nearest_in_yaml(const YamlNode& root, const std::string& path) {
  const YamlNode* node = &root;
  for (const PathStep& step : parse_path(path)) {
    const YamlNode* child = follow(*node, step);
    if (child == nullptr) break;
    node = child;
  }
  return *node;
}

const YamlNode* find_in_yaml(const YamlNode& root, const std::string& path) {
  const std::vector<PathStep> steps = parse_path(path);
  const YamlNode* node = steps.empty() ? nullptr : &root;
  for (const PathStep& step : steps) {
    node = follow(*node, step);
    if (node == nullptr) break;
  }
  return node;
}

}  // namespace gaia
