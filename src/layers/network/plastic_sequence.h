// SPDX-License-Identifier: MIT
/// \file
/// A layer whose weights change at every tick by a rule, over a whole window of ticks, as a
/// differentiable operation: the gradient passes through every update of the weights, and so
/// reaches the numbers of the rule.
///
/// Stream b of a batch has plastic weights H [outputs, inputs] of its own.  At tick t
///
///     z = drive[t] + (alpha * H) x[t],    y = f(z),    H <- H + dH(x[t], y, H)
///
/// where alpha * H is a product element by element, y is computed with H before its update, and
/// `drive` is whatever else reaches the neurons: W x[t] with weights that the rule leaves alone,
/// a bias, an input that teaches.  Miconi, Clune & Stanley (2018), "Differentiable plasticity:
/// training plastic neural networks with backpropagation", arXiv:1804.02464, equations 1 and 2.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../autograd/tensor.h"
#include "../../formulas/activation.h"

namespace gaia {

/// How H changes at a tick, with a rate eta and, for `abcd`, four coefficients.
enum class DifferentiableRule : std::uint8_t {
  hebbian,  ///< H <- (1 - eta) H + eta y x^T.  Miconi, Clune & Stanley (2018), equation 2.
  oja,      ///< H <- H + eta y (x - y H).  Oja (1982), J. Math. Biol. 15, 267; also in the paper
            ///< above.
  abcd,     ///< H <- H + eta (a y x + b x + c y + d).  Najarro & Risi (2020), NeurIPS.
};

std::string to_string(DifferentiableRule rule);
/// \throws ArgumentError for a name that is none, listing the known ones.
DifferentiableRule differentiable_rule_from_name(std::string_view name);
/// The names of the rule's parameters, in the order in which plastic_sequence takes them: "rate",
/// and of abcd "a", "b", "c" and "d" too.
std::vector<std::string> parameter_names(DifferentiableRule rule);

struct PlasticSequence {
  Tensor answers;  ///< y after each tick, [ticks, batch, outputs].
  Tensor plastic;  ///< H after the last tick, [batch, outputs, inputs].
};

/// Runs over x [ticks, batch, inputs] and drive [ticks, batch, outputs] from the plastic weights
/// [batch, outputs, inputs].  alpha and each of the rule's parameters broadcast to
/// [outputs, inputs]: [] is one number for the layer, [outputs, 1] one for each neuron.
///
/// For the way back it keeps H before every tick, ticks x batch x outputs x inputs numbers; under
/// NoGrad, and where nothing requires a gradient, it keeps none.
/// \throws ShapeError if shapes do not fit, DTypeError unless all are of one dtype, float32 or
///         float64, ArgumentError for another number of parameters.
PlasticSequence plastic_sequence(DifferentiableRule rule, Activation f, const Tensor& x,
                                 const Tensor& drive, const Tensor& plastic, const Tensor& alpha,
                                 const std::vector<Tensor>& parameters);

/// \throws what plastic_sequence throws of shapes and dtypes; `parameters` by their names.
void check_plastic_operands(const char* function, const Tensor& x, const Tensor& drive,
                            const Tensor& plastic, const Tensor& alpha,
                            const std::vector<std::string>& names,
                            const std::vector<Tensor>& parameters);

}  // namespace gaia
