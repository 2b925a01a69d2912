// SPDX-License-Identifier: MIT
/// \file
/// Recurrent layers over whole sequences as single differentiable operations: the steps follow each
/// other once forwards and once backwards, and the gradients of the recurrent weights are one
/// product of matrices over all steps.
///
/// `drive` [steps, batch, gates n] is what comes from the inputs at each step (and from biases,
/// where an equation says nothing of them), `hidden` [batch, n] the state before the first step,
/// `weights` [gates n, n] what comes from the state.  The outputs are the states after each step,
/// [steps, batch, n].
#pragma once

#include "../../autograd/tensor.h"
#include "../../formulas/activation.h"

namespace gaia {

/// h <- f(drive + W h), f tanh or relu.  Elman (1990), Cogn. Sci. 14, 179.
Tensor rnn_sequence(Activation f, const Tensor& drive, const Tensor& hidden, const Tensor& weights);

/// Gates r, z, n, with a = W h + bias [3 n]:
///     r = sigmoid(drive_r + a_r), z = sigmoid(drive_z + a_z), m = tanh(drive_n + r a_n),
///     h <- (1 - z) m + z h.
/// Cho et al. (2014), arXiv:1406.1078, with the reset gate after the product as in cuDNN.
Tensor gru_sequence(const Tensor& drive, const Tensor& hidden, const Tensor& weights,
                    const Tensor& bias);

/// The same with the reset gate before the product: m = tanh(drive_n + W_n (r h) + bias_n).
Tensor gru_sequence_reset_before(const Tensor& drive, const Tensor& hidden, const Tensor& weights,
                                 const Tensor& bias);

struct LstmSequence {
  Tensor hidden;  ///< After each step, [steps, batch, n].
  Tensor cell;    ///< After the last step, [batch, n].
};

/// Gates i, f, g, o of a = drive + W h:
///     c <- sigmoid(a_f) c + sigmoid(a_i) tanh(a_g),   h <- sigmoid(a_o) tanh(c).
/// Hochreiter & Schmidhuber (1997), Neural Comput. 9, 1735; Gers, Schmidhuber & Cummins (2000).
LstmSequence lstm_sequence(const Tensor& drive, const Tensor& hidden, const Tensor& cell,
                           const Tensor& weights);

}  // namespace gaia
