// SPDX-License-Identifier: MIT
/// \file
/// A plasticity rule that is written as its equations (docs/rules.md).
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "../formulas/equations/equations.h"

namespace gaia {

/// The source of the numbers of a signal: columns of the series, each step the newest row's.
struct EquationSignalSource {
  std::string name;                       ///< In the text.
  std::vector<std::string> columns = {};  ///< One, or of a list one for each neuron.
  bool is_list = false;
  bool is_labels = false;  ///< Whether neuron c reads 1 for label c, else 0; no columns.
  /// The program itself passes it, as one array [streams, ticks, neurons] under the only name
  /// of `columns`.
  bool is_handed_over = false;
};

/// Names under which what td and plain are is passed to a text that reads them.
inline constexpr const char* kFromAboveSignal = "(td)";
inline constexpr const char* kPlainAnswerSignal = "(plain)";

struct NamedSignal;
/// The source of a signal of the catalogue while nothing else is said.
EquationSignalSource source_of(const NamedSignal& signal);

/// Which memories go on where a trial begins; the others have their initial values there.
struct MemoriesKept {
  bool any = false;
  std::vector<std::string> names = {};  ///< These alone; empty: all of them, if any.

  MemoriesKept(bool all = false) : any(all) {}
  explicit MemoriesKept(std::vector<std::string> some)
      : any(!some.empty()), names(std::move(some)) {}

  bool has(std::string_view memory) const {
    return any && (names.empty() || std::find(names.begin(), names.end(), memory) != names.end());
  }
  friend bool operator==(const MemoriesKept&, const MemoriesKept&) = default;
};

/// Those of a neuron of the catalogue; none for the name of none.
MemoriesKept memories_kept_of(const std::string& neuron);

struct EquationRuleOptions {
  std::vector<std::pair<std::string, double>> parameters = {};  ///< Names with values.
  std::vector<std::pair<std::string, double>> memory = {};  ///< Initial values; 0 where not named.
  /// Filters of the input, tau in ticks or the name of a parameter: at every tick
  /// trace <- exp(-1/tau) trace + x, from 0.
  std::vector<std::pair<std::string, std::variant<double, std::string>>> traces = {};
  std::vector<EquationSignalSource> signals = {};
  /// A rule always says which: where nothing is said, those of its neuron.
  std::optional<MemoriesKept> memory_across_trials = {};
  std::string name = "equations";  ///< In results: one of the catalogue, or this.
  /// A neuron of the catalogue, whose lines come first; empty for none.  Its parameters and signals
  /// are the rule's too, and have the neuron's values where the rule names no others.
  std::string neuron = {};
  /// The layer hears a level above: the text can read td and plain.
  bool hears_above = false;
};

/// A rule by its text, on every device:
///
///     EquationRule rule("dw = rate*y*(x - y*w)", {.parameters = {{"rate", 0.01}}});
///
/// A copy shares the program; its parameters are its own.
class EquationRule {
 public:
  /// \throws EquationError with all errors of the text.
  /// \throws ArgumentError for a neuron that is none, listing the known ones.
  explicit EquationRule(std::string equations, EquationRuleOptions options = {});

  /// The whole text, and what of it is not the neuron's.
  const std::string& equations() const { return equations_; }
  std::string own_equations() const { return equations_.substr(neuron_length_); }
  const EquationRuleOptions& options() const { return options_; }
  const MemoriesKept& memories_kept() const { return *options_.memory_across_trials; }
  const std::string& name() const { return options_.name; }
  const EquationProgram& program() const { return *program_; }

  /// The value of a parameter, to be read or changed; null if there is none of that name.
  double* parameter(const std::string& name);
  const double* parameter(const std::string& name) const;
  /// In the order of the program.
  std::vector<double> parameters() const;
  /// The initial value of a memory, to be read or changed; 0 where nothing was said.
  double& initial(const std::string& memory);
  double initial(const std::string& memory) const;
  /// exp(-1/tau) of each trace.  \throws ArgumentError for a parameter that is no time constant.
  std::vector<double> trace_keeps() const;
  /// What differs so much that layers cannot learn side by side; empty if only numbers do.
  std::string why_not_together(const EquationRule& other) const;

 private:
  std::string equations_;
  std::size_t neuron_length_ = 0;  // the part of the text that is the neuron's
  EquationRuleOptions options_;
  std::shared_ptr<const EquationProgram> program_;
};

}  // namespace gaia
