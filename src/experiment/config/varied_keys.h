// SPDX-License-Identifier: MIT
/// \file
/// Which keys of an experiment a section that describes many runs may vary.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "yaml.h"

namespace gaia {

class VariedKeys {
 public:
  /// Keys of the section "sweep" or "search".
  VariedKeys(std::string section, Problems& problems)
      : section_(std::move(section)), problems_(problems) {}

  /// Takes a key.  False, with a problem, for one that is fixed, and one that holds another that
  /// was taken or lies in it.
  bool accept(const YamlNode::Entry& entry);

 private:
  struct Taken {
    std::string name;
    int line;
  };

  std::string section_;
  Problems& problems_;
  std::vector<Taken> taken_;
};

}  // namespace gaia
