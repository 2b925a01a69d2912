// SPDX-License-Identifier: MIT
#include "varied_keys.h"

#include <fmt/format.h>

namespace gaia {
namespace {

/// Whether one key is the other, or lies below it.
bool holds(const std::string& outer, const std::string& inner) {
  if (inner.rfind(outer, 0) != 0) return false;
  return inner.size() == outer.size() || inner[outer.size()] == '.' || inner[outer.size()] == '[';
}

}  // namespace

bool VariedKeys::accept(const YamlNode::Entry& entry) {
  const std::string place = section_ + "." + entry.key;
  const bool is_fixed = holds("experiment", entry.key) || holds("output.path", entry.key) ||
                        holds("sweep", entry.key) || holds("search", entry.key) ||
                        entry.key == "output";
  if (is_fixed) {
    problems_.add(
        entry.origin, place,
        fmt::format("cannot be varied: the runs of a {} have one name, and numbered files",
                    section_));
    return false;
  }
  for (const Taken& other : taken_) {
    if (!holds(other.name, entry.key) && !holds(entry.key, other.name)) continue;
    problems_.add(
        entry.origin, place,
        fmt::format("{} is varied too (line {}), and one holds the other", other.name, other.line));
    return false;
  }
  taken_.push_back({entry.key, entry.origin.line});
  return true;
}

}  // namespace gaia
