// SPDX-License-Identifier: MIT
/// \file
/// The names that a rule brings along: what each is and where it lies.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "equations.h"
#include "language.h"
#include "problem_list.h"
#include "syntax.h"

namespace gaia::equation_language {

struct KnownName {
  enum class Role : std::uint8_t { parameter, trace, signal, memory };
  Role role = Role::memory;
  std::size_t index = 0;  ///< Among those of its role.
  Kind kind = Kind::of_neurons;
  EquationPlace place = {};  ///< Place of its value, of a memory that of the old value.
  bool read = false;
};

/// "a parameter", "a trace", "a signal", "a memory".
const char* role_text(KnownName::Role role);

class KnownNames {
 public:
  /// Notes what is wrong with the names, values and taus of the rule.
  KnownNames(const EquationText& rule, const SyntaxTree& tree, ProblemList& problems);

  /// Nothing where the rule has no such name.
  KnownName* find(std::string_view name);

  /// Memories in the order of their first assignments.
  const std::vector<std::string>& memories() const { return memories_; }

  std::size_t trace_count() const { return trace_count_; }

  /// Behind the places of memories and signals, among those of neurons.
  std::size_t first_draw() const { return first_draw_; }

  /// " (did you mean 'a'?); known: a, b, c" of what a text can read.  Of very many unknown names
  /// the first are told so, since to look for the nearest of many long names takes time.
  std::string readable(std::string_view name);

  /// Notes parameters, traces and signals that nothing reads.
  void check_read(ProblemList& problems) const;

 private:
  using Role = KnownName::Role;

  void add(Role role, const std::string& name, Kind kind, ProblemList& problems);
  /// A signal that is a name of the language where a layer hears a level above.
  void add_heard(const std::string& name, ProblemList& problems);
  void insert(Role role, const std::string& name, Kind kind);
  void find_memories(const SyntaxTree& tree);
  void place_all(const EquationText& rule);
  void check_memory(const EquationText& rule, const SyntaxTree& tree, ProblemList& problems) const;
  void check_taus(const EquationText& rule, ProblemList& problems);

  std::unordered_map<std::string, KnownName> names_;
  std::vector<std::string> order_;  ///< Names in the order in which they were added.
  std::vector<std::string> memories_;
  std::size_t trace_count_ = 0;
  std::size_t first_draw_ = 0;
  std::size_t looked_for_ = 0;
};

/// " (did you mean 'a'?); known: a, b, c", of many names the first.
std::string nearest_and_known(std::string_view name, const std::vector<std::string>& known,
                              const char* label = "known");

}  // namespace gaia::equation_language
