// SPDX-License-Identifier: MIT
/// \file
/// What can be chosen about a connection from a level above to a plastic layer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../core/keys.h"
#include "../../formulas/activation.h"
#include "../../learning/rule_list.h"

namespace gaia {

/// A connection from above: at a tick of the layer, with s what level `from` shows before the step,
/// followed by a 1 (`bias`), and V [outputs, s], which begins at 0,
///
///     td = V s                            random: td = R s / (2 |s|), R normal and fixed
///     y = p (1 + td)                      as gain; p = f(z) is the answer without td
///     y = f(z + td)                       as bias
///     y = softmax(z + td)                 as prior
///
/// y is what the level shows, and p what the level above it reads.  Then V learns, by `rule`, in
/// which x is s and z is td (docs/hierarchy.md).  A rule of the layer that is a text and reads `td`
/// makes y itself.
///
/// Anyone who compares runs with and without it sets HierarchyManager::set_top_down.
struct TopDownOptions {
  enum class As : std::uint8_t { gain, bias, prior };

  std::int64_t from = 1;  ///< Id of a level above.
  As as = As::gain;
  /// Rule of V; not set: `delta`, and of a prior `softmax_regression`.  Where its text has a signal
  /// `target`, that is what the layer wants of td: as gain target z / max(m, M/1000) - 1, with m
  /// the running mean of z^2 over 1000 ticks and M its largest value so far, as bias p, as prior y.
  /// The signals of a text can be columns, or `wanted` (that of a gain), `answer` (y), `plain` (p)
  /// or `drive` (z).
  std::optional<PlasticityRule> rule = std::nullopt;
  double learning_rate = 0.001;  ///< Rate of a rule with a name; a text has its own numbers.
  /// Columns that a gain learns from, of TickSignals: one for all neurons, or one for each.
  std::vector<std::string> target = {};
  std::int64_t delay = 1;  ///< Ticks of level `from` until the layer hears of them.
  bool bias = true;        ///< Whether s is followed by a 1.
  bool random = false;     ///< V is not learnt: td is that of a random map.

  /// The rule of V with its rate.
  PlasticityRule rule_of_map() const;
  /// Whether the rule of V reads what a gain wants, for which it needs `target`.
  bool reads_wanted() const;
  /// What a signal of the rule of V is computed from: "wanted", "answer", "plain", "drive"; empty
  /// for columns.
  std::string quantity_of(const EquationSignalSource& signal) const;
  /// The columns that the rule of V reads, each once; "labels" for classes.
  std::vector<std::string> signal_columns() const;

  /// \throws ArgumentError for numbers out of their range, and for a target that is missing or too
  ///         much.
  void check(Activation activation, std::int64_t outputs) const;
  /// What keeps layers from running side by side: "top_down differs in ..."; empty if nothing does.
  std::string why_not_together(const TopDownOptions& other) const;
  /// The keys that an experiment has for them, below `top_down`.
  void keys(ConfigVisitor& v, Activation activation);

 private:
  /// What is wrong with `target` or `as`, with its key; empty where nothing is.
  std::pair<const char*, std::string> problem(Activation activation) const;
};

std::string to_string(TopDownOptions::As as);
/// \throws ArgumentError for a name that is none.
TopDownOptions::As top_down_as_from_name(std::string_view name);

/// What runs in place of the map from above, beside TopDownOptions::random: for controls.
enum class TopDownMode : std::uint8_t {
  learnt,      ///< The map that the options say.
  silent,      ///< td = 0; V stays as it is, and everything else learns.
  random_map,  ///< A random map, as if `random` were set.
};

/// The key `top_down` of a layer: none, or a map.
void describe_top_down(ConfigVisitor& v, std::optional<TopDownOptions>& top_down,
                       Activation activation);

}  // namespace gaia
