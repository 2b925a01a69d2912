// SPDX-License-Identifier: MIT
/// \file
/// What the text of a rule comes to: steps of arithmetic that every executor runs.
///
/// At a tick of one stream a program sees numbers of three kinds.  *Constants* follow from the
/// parameters and are computed once.  Numbers *of the layer* are one a tick; numbers *of neurons*
/// are [outputs] a tick.  From these its steps make the output y, the memories, and the factors of
/// the update.  The update itself is of *vectors*, [inputs] of every neuron: as steps of its own,
/// and where the rule is of class matrix also as sums of known vectors with factors that are
/// numbers.  Steps are in the order in which they are to be computed; each place is written before
/// it is read, and places of what is over are used again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "operations.h"

namespace gaia {

/// The place of a number or a vector.
struct EquationPlace {
  enum class Of : std::uint8_t { constant, layer, neuron, vector };
  Of of = Of::constant;
  std::uint16_t index = 0;

  bool operator==(const EquationPlace&) const = default;
};

/// result = op(a, b, c), of which op reads the first one, two or three.  An operand may be of a
/// kind that is more common than the result's and then stands for itself everywhere; a is of
/// neurons where op crosses the layer.  No step writes where it reads.
struct EquationStep {
  EquationOp op = EquationOp::copy;
  EquationPlace result, a, b, c;
};

/// What is computed at a tick, from its numbers.
struct EquationTick {
  std::vector<EquationStep> steps;  ///< To places of the layer and of neurons.
  EquationPlace output;             ///< y, of neurons: f(z) itself, or written by a step.
  /// The new value of each memory, of neurons: its own old value where it stays as it is, else
  /// written by a step.  Where they are equal, memories and the output share a place.
  std::vector<EquationPlace> memory;
};

/// back(a)_j = sum over neurons i of a_i w_ij; `upto`: of neuron i only over those up to itself.
/// The factors are of neurons.
struct EquationBack {
  EquationPlace factors;
  bool upto = false;
};

/// A vector, which an update may have a share of.
struct EquationVector {
  enum class Kind : std::uint8_t { w, e, x, trace, ones, back };
  Kind kind = Kind::x;
  std::uint16_t index = 0;  ///< Number of the trace or back.

  bool operator==(const EquationVector&) const = default;
};

/// factor * vector.
struct EquationTerm {
  EquationVector vector;
  EquationPlace factor;
};

/// Filter of the input: trace <- exp(-1/tau) trace + x at every tick, from 0.
struct EquationTrace {
  std::string name;
  std::variant<double, std::string> tau;  ///< In ticks of the level, or the name of a parameter.
};

/// Numbers from outside.
struct EquationSignal {
  std::string name;
  bool of_neurons = false;  ///< One number a neuron, else one a tick.
};

struct EquationMemory {
  std::string name;
};

struct EquationProgram : EquationPlaces {
  enum class Class : std::uint8_t {
    matrix,   ///< Sums of known vectors: runs chunkwise through matrix products.
    weights,  ///< Weight by weight, tick by tick.
  };
  Class rule_class = Class::matrix;
  std::string why;  ///< The class in words: "dw has w*(1 - w), a product of vectors".

  std::vector<std::string> parameters;
  std::vector<EquationMemory> memories;
  std::vector<EquationTrace> traces;
  std::vector<EquationSignal> signals;
  std::vector<EquationDraw> draws;   ///< In the order of the text.
  bool assigns_output = false;       ///< The text assigns y: there is no activation beside it.
  bool reads_activation = false;     ///< f(z) is read, be it as the output.
  bool reads_square = false;         ///< xx is read.
  bool reads_weight_square = false;  ///< ww is read.
  bool crosses_layer = false;        ///< A step of a tick needs all neurons; back() does not count.
  bool has_eligibility = false;      ///< The text assigns de.
  bool reads_from_above = false;     ///< td is read (EquationText::hears_above), and plain maybe.

  // Constants: first those that EquationPlaces names, then parameters in their order, then
  // literals, then what constant_steps make.  Constants are computed in double.
  std::vector<double> constants;  ///< With 0 where a value is not known yet.
  std::vector<EquationStep> constant_steps;

  // Places of the layer: first the named ones, then signals of the layer in their order.
  std::uint16_t layer_places = 0;

  // Places of neurons: first the named ones, then the memories' old values, then signals of neurons
  // in their order, then draws.  No step writes to any of them.
  std::uint16_t neuron_places = 0;
  std::uint16_t first_neuron_signal() const {
    return static_cast<std::uint16_t>(kFirstMemory + memories.size());
  }
  std::uint16_t first_draw() const;

  EquationTick learning;  ///< Steps and results of a tick that learns.
  EquationTick still;     ///< Those of one that does not: y, and the memories on which it depends.

  std::vector<EquationBack> backs;  ///< Read places after the steps of `learning`.

  /// The update as sums, each vector at most once: w <- w + dw, e <- e + de, both from w and e
  /// before the tick.  Of class matrix.
  std::vector<EquationTerm> dw_terms, de_terms;

  // The update weight by weight, of either class.  Places of vectors: first the named ones, then
  // traces, then backs; none of them is written.
  std::uint16_t vector_places = 0;
  std::vector<EquationStep> vector_steps;
  std::optional<EquationPlace> dw, de;  ///< de: what e changes by.  A number stands everywhere.

  std::string text;          ///< The equations as they were written.
  std::uint64_t number = 0;  ///< Number of this compilation in the process; copies share it.

  /// Whether each signal is read at a tick that learns, or at one that does not.
  std::vector<bool> signals_read(bool learns) const;
  /// The same of each draw.
  std::vector<bool> draws_read(bool learns) const;

  /// Whether each memory goes on at a tick that does not learn, as those behind y do.
  std::vector<bool> memories_of_output() const;
  /// Whether y depends on what earlier ticks have left in a memory.
  bool output_remembers() const;
  /// Whether a tick that learns reads t.
  bool reads_tick() const;
  /// Whether anything depends on whether the tick learns, beside what changes only then.
  bool reads_learning() const;

  /// Numbers that stand in the text, or that arithmetic on such numbers alone gives.
  std::span<const double> literals() const;

  /// The values of all constants.
  std::vector<double> bound_constants(const std::vector<double>& parameters, std::int64_t inputs,
                                      std::int64_t outputs, bool learns) const;
};

}  // namespace gaia
