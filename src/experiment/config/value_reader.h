// SPDX-License-Identifier: MIT
/// \file
/// What stands behind one key of an experiment, read and checked.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../../core/keys.h"
#include "problems.h"
#include "yaml.h"

namespace gaia {

/// "an integer >= 1", "a number in [0, 1]".
std::string describe_range(IntegerRange range);
std::string describe_range(NumberRange range);

/// Reads values, and notes what is wrong with them under the path of their key.
class ValueReader {
 public:
  ValueReader(Problems& problems, std::string path) : problems_(problems), path_(std::move(path)) {}

  /// "expected an integer, got text 'a'".
  void wrong(const YamlNode& node, const std::string& expected) const;
  /// False where it is wrong, which has been noted then.
  /// `word`: what may stand in place of one, for the text of an error.
  bool integer(const YamlNode& node, IntegerRange range, std::int64_t& value,
               const char* word = nullptr) const;
  bool number(const YamlNode& node, NumberRange range, double& value,
              const std::string& expected) const;
  /// A map of names, without those that are wrong.
  std::vector<NamedEntry> entries(const YamlNode& node, EntryForm form) const;

 private:
  /// `integer` is how what came is written as one, if it is one.
  void wrong_number(const YamlNode& node, const std::string& expected,
                    const std::string& integer) const;
  /// False where it is wrong.
  bool entry(const YamlNode& node, EntryForm form, NamedEntry& read) const;

  Problems& problems_;
  std::string path_;
};

}  // namespace gaia
