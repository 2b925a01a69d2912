// SPDX-License-Identifier: MIT
/// \file
/// Where each key of an experiment stands and which words it takes, for hints on what was meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config.h"

namespace gaia {

class KnownKeys {
 public:
  /// Those of an experiment with the levels, layers and readouts of `config`.
  explicit KnownKeys(ExperimentConfig config);

  /// What a key that the map at `path` does not have may have meant: " (did you mean 'steps'?)" of
  /// those that it has, `known_there`, " (did you mean 'hierarchy.epochs'?)" of others,
  /// " (it stands beside 'type: temporal')", or an empty string.
  std::string hint_for_key(const std::string& path, std::string_view key,
                           const std::vector<std::string>& known_there) const;

  /// What a word that `key` in the map at `path` does not take may have meant: one of those that it
  /// takes, `known_there`, " (did you mean 'rule: oja', beside 'type: hebbian'?)", or an empty
  /// string.
  std::string hint_for_word(const std::string& path, std::string_view key, std::string_view word,
                            const std::vector<std::string>& known_there) const;

  struct Known {
    std::string path;  ///< Path of the map that has the key.
    std::string key;
    std::vector<std::string> words;  ///< Words that the key takes; empty: it takes no words.
    std::string beside;              ///< "type: hebbian" for a key that stands beside that alone.
  };

 private:
  std::vector<Known> all_;
};

}  // namespace gaia
