// SPDX-License-Identifier: MIT
/// \file
/// Connections between the neurons of a plastic layer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../array/array.h"
#include "../../array/lateral_ticks.h"
#include "../../array/undo.h"
#include "../../formulas/activation.h"
#include "../../learning/rule_list.h"

namespace gaia {

class ConfigVisitor;

enum class LateralForm : std::uint8_t {
  triangle,  ///< y_i = f(z_i + sum over k < i of U_ik y_k), one pass.
  settle,    ///< Neurons of 0 and 1 that inhibit each other until they have settled.
  solve,     ///< (I - U) y = z, U given.
};
std::string to_string(LateralForm form);

/// How the connections of a triangle learn, k < i.
enum class TriangleRule : std::uint8_t {
  /// U_ik <- U_ik - rate y_i y_k.  Rubner & Tavan (1989), Europhys. Lett. 10, 693-698.
  rubner_tavan,
  /// U_ik <- U_ik - rate (y_i y_k + y_i^2 U_ik).  Kung & Diamantaras (1990), ICASSP, 861-864.
  apex,
};
std::string to_string(TriangleRule rule);

/// Connections U [neurons, neurons] within a layer, from neuron k to neuron i at U_ik.  They begin
/// at 0 and have no diagonal.  At a tick y is computed from z and U; all that learns learns from
/// this tick's y, of a batch by the mean of its streams, each of which has answers of its own.
struct LateralOptions {
  LateralForm form = LateralForm::triangle;
  /// Rate of U per tick; nothing: twice the learning rate of W in a triangle, 0.1 under settle.
  std::optional<double> rate_lateral = {};

  TriangleRule rule = TriangleRule::rubner_tavan;

  // settle: y* = 0; `iterations` times y* <- y* + step (f(z - theta + U y*) - y*) with
  // f(u) = 1/(1 + exp(-gain u)); y = 1 where y* > 1/2, else 0.  Then
  // U <- min(0, U - rate_lateral (y y^T - target^2)), theta <- theta + rate_threshold (y - target).
  // Földiák (1990), Biol. Cybern. 64, 165-170.
  std::int64_t iterations = 40;
  double step = 0.2;
  double gain = 10.0;
  double target = 0.125;  ///< Share of ticks at which a neuron is to answer 1.
  double rate_threshold = 0.02;
  double threshold = 1.0;           ///< theta at the start.
  std::int64_t settle_first = 100;  ///< Ticks that move theta alone, at a rate of 0.1.

  std::vector<std::vector<double>> weights = {};  ///< U of solve, [neurons, neurons].

  void keys(ConfigVisitor& v);
};

/// A key below `lateral`, and what is wrong with its value.
struct LateralFault {
  const char* key;
  std::string why;
};

/// What is wrong with such connections of neurons whose activation is f, of which there are
/// `outputs`; nothing if they are valid.  Without `outputs` their number is that of the lists in
/// `weights`.
std::optional<LateralFault> fault_of(const LateralOptions& options, Activation f,
                                     std::optional<std::int64_t> outputs = {});

/// Why neurons under this rule cannot have such connections; empty where they can.
std::string why_not_under_lateral(const PlasticityRule& rule, const LateralOptions& options);

/// A rule as its text, whose answer f(z) can be another than that of a neuron alone: the
/// catalogue's text of a rule with a name, with the numbers that `rule` has. \throws ArgumentError
/// with why_not_under_lateral.
EquationRule text_under_lateral(const PlasticityRule& rule, const LateralOptions& options);

/// The connections of one layer: what they carry, and how they answer and learn.  Its arrays lie on
/// the device of the layer between ticks and on the CPU within them.
class LateralState final : public LateralTicks {
 public:
  /// \throws ArgumentError with fault_of.
  LateralState(const LateralOptions& options, Activation f, std::int64_t outputs, DType dtype);

  const LateralOptions& options() const { return options_; }
  /// U, and theta, which has elements under settle alone.
  const Array& weights() const { return weights_; }
  const Array& threshold() const { return threshold_; }
  /// Learning ticks so far that moved theta alone, [1]; without elements but under settle.
  const Array& first_ticks() const { return first_ticks_; }

  /// Ticks, of the next `ticks` that learn, that move theta alone.
  std::int64_t threshold_alone(std::int64_t ticks) const;
  /// theta after one such tick, at which the layer showed y [streams, 1, outputs].
  void move_threshold(const Array& y);

  /// Before ticks on the CPU: that so many streams come, and the learning rate of W and the
  /// schedule's factor while they do.  \throws ArgumentError where U of solve, which a stored run
  /// may have set, allows no answer.
  void begin(std::int64_t streams, double learning_rate, double rate_factor);

  void answer(const float* z, float* y) override;
  void answer(const double* z, double* y) override;
  void take(std::int64_t stream, const float* y) override;
  void take(std::int64_t stream, const double* y) override;

  void keep(ArrayUndo& undo);
  LateralState copy() const;
  void move_to_current_device();
  /// Multiplications and additions of one tick.
  std::int64_t operations_per_tick(bool learn) const;

 private:
  template <class T>
  void answer_as(const T* z, T* y);
  template <class T>
  void settle(const T* z, T* y);
  template <class T>
  void take_as(std::int64_t stream, const T* y);
  template <class T>
  void learn(const T* y);
  void invert();

  LateralOptions options_;
  Activation activation_;
  std::int64_t neurons_;
  Array weights_;
  Array threshold_;
  Array first_ticks_;             // int64, on the CPU
  std::vector<double> inverted_;  // U of solve when it was inverted last
  std::vector<double> inverse_;   // (I - U)^-1 of that
  std::int64_t streams_ = 1;
  double rate_ = 0.0;
  double rate_threshold_ = 0.0;
  Array room_;     // [2, neurons], of a tick
  Array answers_;  // [streams, neurons]
};

}  // namespace gaia
