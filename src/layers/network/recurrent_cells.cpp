// SPDX-License-Identifier: MIT
#include "recurrent_cells.h"

#include "../../array/create.h"
#include "../../array/joining.h"
#include "../../array/ops.h"
#include "../../autograd/function.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops.h"
#include "../../core/message.h"

namespace gaia {
namespace {

/// Gate number `index` of numbers [batch, gates n].
Array gate(const Array& gates, std::int64_t index, std::int64_t n) {
  return gates.slice(-1, index * n, (index + 1) * n);
}

Array slope_of_sigmoid(const Array& y) { return y * (1.0 - y); }
Array slope_of_tanh(const Array& y) { return 1.0 - square(y); }

/// The states that each step began with, [steps, batch, n].
Array states_before(const Array& first, const Array& states) {
  const std::int64_t steps = states.shape(0);
  if (steps == 0) return states;
  return concatenate({first.expand_dims(0), states.slice(0, 0, steps - 1)}, 0);
}

/// Sum over steps and batch of da h^T: [gates n, n].
Array recurrent_gradient(const Array& da, const Array& before) {
  const std::int64_t rows = da.shape(0) * da.shape(1);
  return matmul(da.reshape({rows, da.shape(2)}).transpose(),
                before.reshape({rows, before.shape(2)}));
}

struct Sizes {
  std::int64_t steps;
  std::int64_t batch;
  std::int64_t n;
};

Sizes check_shapes(const char* function, std::int64_t gates, const Tensor& drive,
                   const Tensor& hidden, const Tensor& weights) {
  const std::int64_t n = weights.rank() == 2 ? weights.shape(1) : -1;
  if (n < 0 || drive.rank() != 3 || drive.shape(2) != gates * n || weights.shape(0) != gates * n ||
      !(hidden.shape() == Shape{drive.shape(1), n})) {
    fail<ShapeError>(
        "[{}] expected drive [steps, batch, {} n], hidden [batch, n] and weights [{} n, n], got "
        "{}, {} and {}",
        function, gates, gates, drive.shape(), hidden.shape(), weights.shape());
  }
  return {drive.shape(0), drive.shape(1), n};
}

Tensor gate(const Tensor& gates, std::int64_t index, std::int64_t n) {
  return slice(gates, -1, index * n, (index + 1) * n);
}

/// The sizes of a GRU.
Sizes check_gru(const Tensor& drive, const Tensor& hidden, const Tensor& weights,
                const Tensor& bias) {
  const Sizes size = check_shapes("gru", 3, drive, hidden, weights);
  if (!(bias.shape() == Shape{3 * size.n})) {
    fail<ShapeError>("[gru] expected bias [{}], got {}", 3 * size.n, bias.shape());
  }
  return size;
}

/// What both forms of a GRU hand back at one step.
struct GruStep {
  Array r;
  Array z;
  Array dm;  ///< Gradient by what m squashes.
  Array dz;  ///< Gradient by what z squashes.
};

/// For the gates r, z, m [batch, 3 n] of the step, d loss / d its state, and the state before.
GruStep gru_step_back(const Array& gates, std::int64_t n, const Array& d_state,
                      const Array& before) {
  const Array z = gate(gates, 1, n);
  const Array m = gate(gates, 2, n);
  return {.r = gate(gates, 0, n),
          .z = z,
          .dm = d_state * (1.0 - z) * slope_of_tanh(m),
          .dz = d_state * (before - m) * slope_of_sigmoid(z)};
}

/// One step after the other from `hidden`: h = step(drive_t, h).
template <class Step>
Tensor recorded_states(const Tensor& drive, const Tensor& hidden, const Step& step) {
  std::vector<Tensor> states;
  Tensor h = hidden;
  for (std::int64_t t = 0; t < drive.shape(0); ++t) states.push_back(h = step(drive[t], h));
  if (states.empty()) return Tensor(zeros({0, hidden.shape(0), hidden.shape(1)}, drive.dtype()));
  return stack(states, 0);
}

}  // namespace

Tensor rnn_sequence(Activation f, const Tensor& drive, const Tensor& hidden,
                    const Tensor& weights) {
  if (f != Activation::tanh && f != Activation::relu) {
    fail<ArgumentError>("[rnn] expected activation tanh or relu, got {}", f);
  }
  const Sizes size = check_shapes("rnn", 1, drive, hidden, weights);
  if (records_for_second_order()) {
    return recorded_states(drive, hidden, [&](const Tensor& now, const Tensor& h) {
      return activate(f, now + matmul(h, weights.transpose()));
    });
  }
  const Array transposed = weights.value().transpose();
  const Array states = Array::uninitialized({size.steps, size.batch, size.n}, drive.dtype());
  Array h = hidden.value();
  for (std::int64_t t = 0; t < size.steps; ++t) {
    h = activate(f, drive.value()[t] + matmul(h, transposed));
    states[t].assign(h);
  }
  return record("rnn", {drive, hidden, weights}, states,
                [f, size, saved_states = SavedArray(states), first = SavedArray(hidden.value()),
                 saved_weights = SavedArray(weights.value())](GradientFlow& flow) {
                  const Array& dy = flow.gradient();
                  const Array& w = flow.saved(saved_weights);
                  const Array& answered = flow.saved(saved_states);
                  const Array da = Array::uninitialized(answered.shape(), answered.dtype());
                  Array dh = zeros({size.batch, size.n}, answered.dtype());
                  for (std::int64_t t = size.steps - 1; t >= 0; --t) {
                    const Array slope = f == Activation::tanh
                                            ? slope_of_tanh(answered[t])
                                            : greater(answered[t], 0.0).astype(answered.dtype());
                    const Array da_now = (dy[t] + dh) * slope;
                    da[t].assign(da_now);
                    dh = matmul(da_now, w);
                  }
                  flow.give(0, da);
                  flow.give(1, dh);
                  if (flow.needs(2)) {
                    flow.give(2,
                              recurrent_gradient(da, states_before(flow.saved(first), answered)));
                  }
                });
}

Tensor gru_sequence(const Tensor& drive, const Tensor& hidden, const Tensor& weights,
                    const Tensor& bias) {
  const Sizes size = check_gru(drive, hidden, weights, bias);
  const std::int64_t n = size.n;
  if (records_for_second_order()) {
    return recorded_states(drive, hidden, [&](const Tensor& now, const Tensor& h) {
      const Tensor a = matmul(h, weights.transpose()) + bias;
      const Tensor r = sigmoid(gate(now, 0, n) + gate(a, 0, n));
      const Tensor z = sigmoid(gate(now, 1, n) + gate(a, 1, n));
      const Tensor m = tanh(gate(now, 2, n) + r * gate(a, 2, n));
      return m + z * (h - m);
    });
  }
  const DType dtype = drive.dtype();
  const Array transposed = weights.value().transpose();
  const Array states = Array::uninitialized({size.steps, size.batch, n}, dtype);
  // r, z, m of every step, and a_n, for the way back.
  const Array gates = Array::uninitialized({size.steps, size.batch, 3 * n}, dtype);
  const Array inner = Array::uninitialized({size.steps, size.batch, n}, dtype);
  Array h = hidden.value();
  for (std::int64_t t = 0; t < size.steps; ++t) {
    const Array now = drive.value()[t];
    const Array a = matmul(h, transposed) + bias.value();
    const Array rz = sigmoid(now.slice(-1, 0, 2 * n) + a.slice(-1, 0, 2 * n));
    const Array a_n = gate(a, 2, n);
    const Array m = tanh(gate(now, 2, n) + gate(rz, 0, n) * a_n);
    h = m + gate(rz, 1, n) * (h - m);
    gates[t].slice(-1, 0, 2 * n).assign(rz);
    gate(gates[t], 2, n).assign(m);
    inner[t].assign(a_n);
    states[t].assign(h);
  }
  return record("gru", {drive, hidden, weights, bias}, states,
                [size, n, dtype, saved_states = SavedArray(states), gates, inner,
                 first = SavedArray(hidden.value()),
                 saved_weights = SavedArray(weights.value())](GradientFlow& flow) {
                  const Array& dy = flow.gradient();
                  const Array& w = flow.saved(saved_weights);
                  const Array& answered = flow.saved(saved_states);
                  const Array before = states_before(flow.saved(first), answered);
                  const Array d_drive = Array::uninitialized(gates.shape(), dtype);
                  const Array da = Array::uninitialized(gates.shape(), dtype);
                  Array dh = zeros({size.batch, n}, dtype);
                  for (std::int64_t t = size.steps - 1; t >= 0; --t) {
                    const Array d_state = dy[t] + dh;
                    const auto [r, z, dm, dz] = gru_step_back(gates[t], n, d_state, before[t]);
                    const Array dr = dm * inner[t] * slope_of_sigmoid(r);
                    gate(d_drive[t], 0, n).assign(dr);
                    gate(d_drive[t], 1, n).assign(dz);
                    gate(d_drive[t], 2, n).assign(dm);
                    gate(da[t], 0, n).assign(dr);
                    gate(da[t], 1, n).assign(dz);
                    gate(da[t], 2, n).assign(dm * r);
                    dh = d_state * z + matmul(da[t], w);
                  }
                  flow.give(0, d_drive);
                  flow.give(1, dh);
                  if (flow.needs(2)) flow.give(2, recurrent_gradient(da, before));
                  if (flow.needs(3)) flow.give(3, sum(da, {0, 1}));
                });
}

Tensor gru_sequence_reset_before(const Tensor& drive, const Tensor& hidden, const Tensor& weights,
                                 const Tensor& bias) {
  const Sizes size = check_gru(drive, hidden, weights, bias);
  const std::int64_t n = size.n;
  if (records_for_second_order()) {
    const Tensor of_rz = slice(weights, 0, 0, 2 * n).transpose();
    const Tensor of_m = slice(weights, 0, 2 * n, 3 * n).transpose();
    return recorded_states(drive, hidden, [&](const Tensor& now, const Tensor& h) {
      const Tensor a = now + bias;
      const Tensor rz = sigmoid(slice(a, -1, 0, 2 * n) + matmul(h, of_rz));
      const Tensor m = tanh(gate(a, 2, n) + matmul(gate(rz, 0, n) * h, of_m));
      return m + gate(rz, 1, n) * (h - m);
    });
  }
  const DType dtype = drive.dtype();
  const Array of_gates = weights.value().slice(0, 0, 2 * n).transpose();
  const Array of_reset = weights.value().slice(0, 2 * n, 3 * n).transpose();
  const Array states = Array::uninitialized({size.steps, size.batch, n}, dtype);
  const Array gates = Array::uninitialized({size.steps, size.batch, 3 * n}, dtype);  // r, z, m
  Array h = hidden.value();
  for (std::int64_t t = 0; t < size.steps; ++t) {
    const Array now = drive.value()[t] + bias.value();
    const Array rz = sigmoid(now.slice(-1, 0, 2 * n) + matmul(h, of_gates));
    const Array m = tanh(gate(now, 2, n) + matmul(gate(rz, 0, n) * h, of_reset));
    h = m + gate(rz, 1, n) * (h - m);
    gates[t].slice(-1, 0, 2 * n).assign(rz);
    gate(gates[t], 2, n).assign(m);
    states[t].assign(h);
  }
  return record(
      "gru", {drive, hidden, weights, bias}, states,
      [size, n, dtype, saved_states = SavedArray(states), gates, first = SavedArray(hidden.value()),
       saved_weights = SavedArray(weights.value())](GradientFlow& flow) {
        const Array& dy = flow.gradient();
        const Array& w = flow.saved(saved_weights);
        const Array of_gates_back = w.slice(0, 0, 2 * n);
        const Array of_reset_back = w.slice(0, 2 * n, 3 * n);
        const Array before = states_before(flow.saved(first), flow.saved(saved_states));
        // The gradient of drive, of bias and of W h or W (r h) alike.
        const Array da = Array::uninitialized(gates.shape(), dtype);
        Array dh = zeros({size.batch, n}, dtype);
        for (std::int64_t t = size.steps - 1; t >= 0; --t) {
          const Array d_state = dy[t] + dh;
          const auto [r, z, dm, dz] = gru_step_back(gates[t], n, d_state, before[t]);
          const Array d_reset = matmul(dm, of_reset_back);  // gradient of r h
          gate(da[t], 0, n).assign(d_reset * before[t] * slope_of_sigmoid(r));
          gate(da[t], 1, n).assign(dz);
          gate(da[t], 2, n).assign(dm);
          dh = d_state * z + d_reset * r + matmul(da[t].slice(-1, 0, 2 * n), of_gates_back);
        }
        flow.give(0, da);
        flow.give(1, dh);
        if (flow.needs(2)) {
          const Array of_n =
              recurrent_gradient(da.slice(-1, 2 * n, 3 * n), gates.slice(-1, 0, n) * before);
          flow.give(2, concatenate({recurrent_gradient(da.slice(-1, 0, 2 * n), before), of_n}, 0));
        }
        if (flow.needs(3)) flow.give(3, sum(da, {0, 1}));
      });
}

LstmSequence lstm_sequence(const Tensor& drive, const Tensor& hidden, const Tensor& cell,
                           const Tensor& weights) {
  const Sizes size = check_shapes("lstm", 4, drive, hidden, weights);
  const std::int64_t n = size.n;
  if (!(cell.shape() == hidden.shape())) {
    fail<ShapeError>("[lstm] expected cell {}, got {}", hidden.shape(), cell.shape());
  }
  if (records_for_second_order()) {
    Tensor c = cell;
    const Tensor states = recorded_states(drive, hidden, [&](const Tensor& now, const Tensor& h) {
      const Tensor a = now + matmul(h, weights.transpose());
      c = sigmoid(gate(a, 1, n)) * c + sigmoid(gate(a, 0, n)) * tanh(gate(a, 2, n));
      return sigmoid(gate(a, 3, n)) * tanh(c);
    });
    return {states, c};
  }
  const DType dtype = drive.dtype();
  const Array transposed = weights.value().transpose();
  const Array states = Array::uninitialized({size.steps, size.batch, n}, dtype);
  const Array cells = Array::uninitialized({size.steps, size.batch, n}, dtype);
  const Array gates = Array::uninitialized({size.steps, size.batch, 4 * n}, dtype);
  Array h = hidden.value();
  Array c = cell.value();
  for (std::int64_t t = 0; t < size.steps; ++t) {
    const Array a = drive.value()[t] + matmul(h, transposed);
    const Array in_forget = sigmoid(a.slice(-1, 0, 2 * n));
    const Array g = tanh(gate(a, 2, n));
    const Array o = sigmoid(gate(a, 3, n));
    c = gate(in_forget, 1, n) * c + gate(in_forget, 0, n) * g;
    h = o * tanh(c);
    gates[t].slice(-1, 0, 2 * n).assign(in_forget);
    gate(gates[t], 2, n).assign(g);
    gate(gates[t], 3, n).assign(o);
    cells[t].assign(c);
    states[t].assign(h);
  }
  const std::vector<Tensor> results = record(
      "lstm", {drive, hidden, cell, weights}, std::vector<Array>{states, c.astype(dtype).copy()},
      [size, n, dtype, saved_states = SavedArray(states), cells, gates,
       first = SavedArray(hidden.value()), first_cell = SavedArray(cell.value()),
       saved_weights = SavedArray(weights.value())](GradientFlow& flow) {
        const Array& dy = flow.gradient(0);
        const Array& w = flow.saved(saved_weights);
        const Array& answered = flow.saved(saved_states);
        const Array cells_before = states_before(flow.saved(first_cell), cells);
        const Array da = Array::uninitialized(gates.shape(), dtype);
        Array dh = zeros({size.batch, n}, dtype);
        Array dc = flow.gradient(1);
        for (std::int64_t t = size.steps - 1; t >= 0; --t) {
          const Array i = gate(gates[t], 0, n);
          const Array f = gate(gates[t], 1, n);
          const Array g = gate(gates[t], 2, n);
          const Array o = gate(gates[t], 3, n);
          const Array squashed = tanh(cells[t]);
          const Array d_state = dy[t] + dh;
          const Array d_cell = dc + d_state * o * slope_of_tanh(squashed);
          gate(da[t], 0, n).assign(d_cell * g * slope_of_sigmoid(i));
          gate(da[t], 1, n).assign(d_cell * cells_before[t] * slope_of_sigmoid(f));
          gate(da[t], 2, n).assign(d_cell * i * slope_of_tanh(g));
          gate(da[t], 3, n).assign(d_state * squashed * slope_of_sigmoid(o));
          dc = d_cell * f;
          dh = matmul(da[t], w);
        }
        flow.give(0, da);
        flow.give(1, dh);
        flow.give(2, dc);
        if (flow.needs(3)) {
          flow.give(3, recurrent_gradient(da, states_before(flow.saved(first), answered)));
        }
      });
  return {results[0], results[1]};
}

}  // namespace gaia
