// SPDX-License-Identifier: MIT
#include "config_difference.h"

#include <map>
#include <set>

#include "yaml.h"

namespace gaia {
namespace {

/// Every scalar below a node, under its path.
void flatten(const YamlNode& node, const std::string& path,
             std::map<std::string, std::string>& values) {
  for (const YamlNode::Entry& entry : node.entries) {
    flatten(entry.value, path.empty() ? entry.key : path + "." + entry.key, values);
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    flatten(node.items[i], path + "[" + std::to_string(i) + "]", values);
  }
  if (node.entries.empty() && node.items.empty()) values[path] = node.text;
}

std::map<std::string, std::string> values_of(const std::string& yaml, const std::string& name) {
  Problems problems(name, yaml);
  std::map<std::string, std::string> values;
  flatten(parse_yaml(yaml, problems), {}, values);
  problems.throw_if_any();
  values.erase("output.path");
  std::erase_if(values, [](const auto& one) {
    return one.first.starts_with("runtime.") || one.first.starts_with("published.");
  });
  return values;
}

}  // namespace

std::vector<std::string> config_differences(const std::string& yaml_a, const std::string& name_a,
                                            const std::string& yaml_b, const std::string& name_b) {
  const std::map<std::string, std::string> a = values_of(yaml_a, name_a);
  const std::map<std::string, std::string> b = values_of(yaml_b, name_b);
  std::set<std::string> keys;
  for (const auto* side : {&a, &b}) {
    for (const auto& [key, value] : *side) keys.insert(key);
  }
  const auto shown = [](const std::map<std::string, std::string>& side, const std::string& key) {
    const auto found = side.find(key);
    return found == side.end() ? std::string("not there") : found->second;
  };
  std::vector<std::string> lines;
  for (const std::string& key : keys) {
    if (a.contains(key) && b.contains(key) && a.at(key) == b.at(key)) continue;
    lines.push_back(key + ": " + shown(a, key) + " in " + name_a + ", " + shown(b, key) + " in " +
                    name_b);
  }
  return lines;
}

}  // namespace gaia
