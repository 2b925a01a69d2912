// SPDX-License-Identifier: MIT
/// \file
/// What the text of an experiment is read as, without its data, and the tree of a text.
#pragma once

#include <string>

#include "../../src/experiment/config/config_reader.h"

namespace gaia::test {

/// \throws ConfigError with all that is wrong with it.
inline YamlNode parse(const std::string& text) {
  Problems problems("f.yaml", text);
  YamlNode root = parse_yaml(text, problems);
  problems.throw_if_any();
  return root;
}

/// \throws ConfigError with all that is wrong with it.
inline ReadConfig read_text(const std::string& text) {
  Problems problems("f.yaml", text);
  const YamlNode root = parse_yaml(text, problems);
  ReadConfig made;
  if (root.kind != YamlNode::Kind::null) made = read_config(root, problems);
  problems.throw_if_any();
  return made;
}

}  // namespace gaia::test
