// SPDX-License-Identifier: MIT
/// \file
/// A layer with ternary weights, trained by gradients, and two Hebbian traces, which are not.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../core/random.h"
#include "../../formulas/activation.h"
#include "module.h"
#include "module_kind.h"
#include "ternary.h"

namespace gaia {

/// The defaults are those of GAIA v3.1.
struct PlasticLinearOptions {
  bool bias = false;
  bool plasticity = true;    ///< Whether traces are written, at first.
  double fast_gain = 0.1;    ///< a: what the fast trace adds to the weights.
  double slow_gain = 0.05;   ///< b: the same of the slow trace.
  double fast_decay = 0.95;  ///< Share of the fast trace that is left after a step.
  double fast_rate = 0.05;   ///< Share of the step's activity in the fast trace.
  double slow_decay = 0.99;  ///< Share of the slow trace that is left after a step.
  double slow_rate = 0.01;   ///< Share of the fast trace in the slow one.
  double trace_bound = 5.0;  ///< Largest norm of the fast trace; v3.1's homeostatic target.
  double deviation = 0.02;   ///< Standard deviation of the weights at first.
  DType dtype = DType::float32;
  RandomStream random = next_stream();
};

/// What a PlasticLinear looks like after its last step.  Norms are those of Frobenius.
struct PlasticLinearDiagnostics {
  double fast_norm = 0.0;      ///< Norm of F.
  double slow_norm = 0.0;      ///< Norm of S.
  double update_norm = 0.0;    ///< Norm of what the last step that wrote added to F.
  double weight_norm = 0.0;    ///< Norm of W, the weights behind the codes.
  double sparsity = 0.0;       ///< Share of codes that are 0.
  double gradient_norm = 0.0;  ///< Norm of W's gradient as it stands; NaN where there is none.

  /// Each with its name, in this order.
  std::vector<std::pair<std::string, double>> named() const;
};

class PackedPlasticLinear;

/// y = (Q(W) + a F + b S) x + bias, over the last axis of x [..., inputs].
///
/// Q(W) is the ternary form of "weights" [outputs, inputs] with a scale for each row; gradients
/// pass it as if it were not there (straight through), so dW is that of the whole matrix in the
/// brackets.  F "fast" and S "slow" [outputs, inputs] are buffers, constant for gradients.  A
/// forward pass writes them after y is computed, of all n rows of x:
///
///     U = fast_rate relu(y)^T x / n         its norm is the buffer "update"
///     F <- fast_decay F + U                 and shortened to the norm trace_bound where longer
///     S <- slow_decay S + slow_rate F
///
/// So |F| <= trace_bound and |S| <= trace_bound slow_rate / (1 - slow_decay), up to rounding.  A
/// pass whose U is not finite leaves the traces as they are.  All of it stays on the device.
///
/// Traces are written while the module trains (as other plastic layers do), plasticity is enabled,
/// and no TraceGuard of the thread lives, with and without gradients.  In evaluation mode and
/// otherwise they are used as they are.  A network that is to adapt while it is used, with dropout
/// and the like at rest, has `train()` called on its plastic layers alone.
///
/// The layer is that of GAIA v3.1, whose gradient reached W through the scale only.  Ternary
/// weights: Ma et al. (2024), arXiv:2402.17764; fast weights beside slow ones: Hinton & Plaut
/// (1987), "Using fast weights to deblur old memories".
class PlasticLinear final : public Module {
 public:
  /// \throws ArgumentError for a size below 1, a decay outside [0, 1), a gain that is not finite, a
  ///         rate or deviation below 0, or a bound that is not above 0; DTypeError unless float32
  ///         or float64.
  PlasticLinear(std::int64_t inputs, std::int64_t outputs,
                const PlasticLinearOptions& options = {});

  std::string type() const override { return "plastic_linear"; }
  /// \throws ShapeError unless x is [..., inputs].
  Tensor forward(const Tensor& x) override;

  bool plasticity_enabled() const { return plasticity_enabled_; }
  void enable_plasticity(bool enabled = true) { plasticity_enabled_ = enabled; }
  /// Sets both traces to 0.
  void reset_traces();

  const Tensor& weights() const { return weights_; }
  const Tensor& bias() const { return bias_; }  ///< Without elements if there is none.
  const Array& fast() const { return fast_; }
  const Array& slow() const { return slow_; }
  const PlasticLinearOptions& options() const { return options_; }

  /// Waits for the device.
  PlasticLinearDiagnostics diagnostics() const;

  /// Computes the same with two bits per weight, and one array for both traces if they hold
  /// anything.
  std::shared_ptr<PackedPlasticLinear> pack() const;

 private:
  void write_traces(const Array& x, const Array& y);
  /// a F + b S.
  Array traces() const;

  PlasticLinearOptions options_;
  bool plasticity_enabled_;
  Tensor weights_;
  Tensor bias_;
  Array fast_;
  Array slow_;
  Array update_;
};

/// A PlasticLinear whose traces no longer change.  Buffers: "packed" [outputs, ceil(inputs / 16)],
/// "scale" [outputs], "traces" [outputs, inputs], a F + b S, left out where it is 0, and "bias".
class PackedPlasticLinear final : public Module {
 public:
  /// Without `traces` or `bias`: arrays without elements.
  PackedPlasticLinear(const Ternary& weights, const Array& traces, const Array& bias);

  std::string type() const override { return "packed_plastic_linear"; }
  Tensor forward(const Tensor& x) override;

 private:
  std::int64_t inputs_;
  DType dtype_;
  Array packed_;
  Array scale_;
  Array traces_;
  Array bias_;
};

/// Whether every PlasticLinear of a network, the network itself included, writes its traces.
void enable_plasticity(Module& net, bool enabled = true);

/// The PlasticLinear layers of a network with their names ("0", "2.1"; "" for the network itself).
std::vector<std::pair<std::string, const PlasticLinear*>> plastic_linear_layers(const Module& net);

/// Keys in an experiment: type: plastic_linear.
struct PlasticLinearKind {
  std::int64_t size = 0;
  Activation activation = Activation::linear;
  PlasticLinearOptions options = {.random = {}};

  static constexpr const char* name = "plastic_linear";
  void keys(ConfigVisitor& v);
  void add_to(const ModulePlace& place) const;
};

}  // namespace gaia
