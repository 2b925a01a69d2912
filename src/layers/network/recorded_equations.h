// SPDX-License-Identifier: MIT
/// \file
/// plastic_sequence for any rule that is written as its equations.  They are computed operation by
/// operation, so that the gradient passes through all that the text says.
#pragma once

#include "../../learning/equation_rule.h"
#include "plastic_sequence.h"

namespace gaia {

/// What keeps a rule from being recorded: "reads signals"; empty if nothing does.
std::string why_not_recorded(const EquationRule& rule);

/// The same as the other plastic_sequence, with `w` of the text for H, `z` for
/// drive[t] + (alpha * H) x[t], and `y` for f(z), or what the text assigns.  `parameters` stand in
/// the order of EquationRule::program().parameters and broadcast to [outputs, inputs].  Every
/// stream is a trial of its own: t, traces, the eligibility and memories begin anew with the
/// window, and H alone goes on.
///
/// Comparisons, logic, `sign`, `floor`, `rank`, `winner` and the choice that `kwta` and `where`
/// make have slope 0; what they let through has its own.
///
/// For the way back it keeps what each operation of the text needs, some ticks x batch x outputs x
/// inputs numbers for each operation on weights: by their names the rules of DifferentiableRule
/// keep one, and are faster.  As everywhere, a branch of `where` that is not taken has slope 0, but
/// if its own slope is infinite (sqrt at 0) the product is NaN.
///
/// \throws as the other, and ArgumentError for a rule that cannot be recorded, or where a parameter
///         of shape [outputs, inputs] goes into the answer, a memory, or a number that is read
///         across the layer.
PlasticSequence plastic_sequence(const EquationRule& rule, Activation f, const Tensor& x,
                                 const Tensor& drive, const Tensor& plastic, const Tensor& alpha,
                                 const std::vector<Tensor>& parameters);

}  // namespace gaia
