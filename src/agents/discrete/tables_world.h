// SPDX-License-Identifier: MIT
/// \file
/// A world of one's own: its tables are written down, factor by factor and modality by modality.
#pragma once

#include <string>
#include <vector>

#include "worlds.h"

namespace gaia::agents {

/// A world whose tables are given.
struct TablesOptions {
  struct Factor {
    std::string name = {};
    NestedNumbers transitions = {};         ///< B [states, states, actions]
    std::vector<double> initial = {};       ///< D [states]; empty: all equal.
    std::vector<std::string> states = {};   ///< Names; empty: none.
    std::vector<std::string> actions = {};  ///< Names; empty: none.
  };
  struct Modality {
    std::string name = {};
    NestedNumbers likelihood = {};         ///< A [outcomes, states of the first factor, ...]
    std::vector<double> preferences = {};  ///< C [outcomes], in nats; empty: none is preferred.
    std::vector<std::int64_t> depends_on = {};  ///< Factors; empty: all.
    std::vector<std::string> outcomes = {};     ///< Names; empty: none.
  };
  std::vector<Factor> factors = {};
  std::vector<Modality> modalities = {};
  std::vector<double> habits = {};  ///< E [policies of an agent]; empty: all equal.
  RandomStream random = next_stream();

  static constexpr const char* name = "tables";
  void keys(ConfigVisitor& v);
  WorldNames names() const;
  /// \throws ArgumentError for tables that make no model.
  DiscreteWorld make() const;
};

/// The world of these tables.
inline DiscreteWorld tables_world(const TablesOptions& options) { return options.make(); }

}  // namespace gaia::agents
