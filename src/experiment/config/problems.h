// SPDX-License-Identifier: MIT
/// \file
/// Everything that is wrong with a configuration, collected so that it can be reported in one go.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gaia {

/// Place where a value was written: in the YAML file, or in an argument of the command line.
struct Origin {
  int line = 0;          ///< From 1; 0 for an argument.
  int column = 0;        ///< From 1.
  std::string argument;  ///< "--set data.steps=1000"; empty for the file.
  /// Path of the file that is included where it was written; empty for the experiment's own.
  std::string file = {};

  friend bool operator==(const Origin&, const Origin&) = default;
};

/// One thing that is wrong.
struct Problem {
  Origin origin;
  std::string key;
  std::string message;

  friend bool operator==(const Problem&, const Problem&) = default;
};

/// Notes a problem with a key, where that stands.
using AddProblem = std::function<void(const std::string& key, const std::string& message)>;

class Problems {
 public:
  /// `file` is named in every message; `text` is its content, for quoting the line.
  Problems(std::string file, const std::string& text);

  /// Notes "file:line:column: key: message" with the line below it; `key` may be empty.
  void add(const Origin& origin, const std::string& key, const std::string& message);

  /// Blanks at the beginning of a line of the file, or of one that it includes.
  int margin_of(int line, const std::string& file = {}) const;

  /// A file that the file includes, from where keys may come.
  struct Included {
    std::string path;
    std::string text;
  };
  /// Notes it; once, however often it is included.
  void add_included(const std::string& path, const std::string& text);
  /// Files that are included, each once, in the order in which they were read.
  const std::vector<Included>& included() const { return included_; }

  bool empty() const { return problems_.empty(); }
  const std::vector<Problem>& all() const { return problems_; }
  /// Whether there is one with `key` itself or a key below it, or one of no key.
  bool any_below(const std::string& key) const;
  std::size_t count() const { return problems_.size(); }
  const std::string& file() const { return file_; }

  /// \throws ConfigError with all of them, in the order of the file and of those that it includes,
  /// if there are any.
  void throw_if_any() const;

 private:
  std::string text_of(const Problem& problem) const;
  /// Place of a file among all, 0 being the experiment's own.
  std::size_t place_of(const std::string& file) const;

  std::string file_;
  std::vector<std::vector<std::string>> lines_;  // lines of each file
  std::vector<Included> included_;
  std::vector<Problem> problems_;
};

}  // namespace gaia
