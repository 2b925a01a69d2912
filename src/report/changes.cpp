// SPDX-License-Identifier: MIT
#include "changes.h"

#include <algorithm>

#include "../learning/detection_readout.h"

namespace gaia::report {

bool tells_changes(const Result& result, const std::string& path) {
  return result.text(path, "type") == DetectionOptions::name && result.has(path + "/detected");
}

std::vector<ChangeFacts> read_changes(const Result& result) {
  std::vector<ChangeFacts> found;
  for (const std::string& name : result.groups("readouts")) {
    const std::string path = "readouts/" + name;
    if (!tells_changes(result, path)) continue;
    ChangeFacts& facts = found.emplace_back();
    facts.name = name;
    const std::string of = result.text(path, "of");
    facts.watched = of == "error"    ? "errors of " + result.text(path, "readout")
                    : of == "levels" ? "levels"
                                     : "channels";
    facts.method = result.text(path, "method");
    const std::vector<std::int64_t> shape = result.shape(path + "/changes/step");
    if (shape.size() == 1) facts.steps = result.read(path + "/changes/step");
    facts.count = std::max(result.integer(path, "changes").value_or(0), std::ssize(facts.steps));
  }
  return found;
}

}  // namespace gaia::report
