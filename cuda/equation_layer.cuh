// SPDX-License-Identifier: MIT
/// \file
/// A layer under a rule that is text, as its kernels see it: where everything lies, and which part
/// of it a block of threads works on.
#pragma once

#include "../src/formulas/equations/draws.h"
#include "../src/formulas/equations/functions.h"
#include "../src/formulas/rules_control.h"
#include "../src/formulas/synapse_chain.h"
#include "equation_form.h"
#include "equation_tables.h"
#include "philox.cuh"
#include "rows.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// All but the program.  The last field fills its eight bytes, so that a program follows at once.
template <class T>
struct EquationArrays {
  Activation activation = Activation::linear;
  bool is_bounded = false;
  bool learns = true;
  bool crosses = false;   ///< Whether numbers of a neuron need those of others.
  bool finishes = false;  ///< Whether there is anything to do when weights have learnt.
  ControlFactors<T> control;
  T low = 0, high = 0;
  Ticks<T> x, y;
  std::int64_t neurons = 0;
  std::int64_t memories = 0;
  std::int64_t first_tick = 0;  ///< t of the first one.
  RandomStream random;          ///< Stream of draws, which
  std::int64_t first_draw = 0;  ///< at the first tick are those of this one.
  T* weights = nullptr;         ///< [neurons, x.n]
  T* eligibility = nullptr;     ///< [streams, neurons, x.n], or null
  T* chained = nullptr;         ///< [chain length - 1, neurons, x.n], or null
  ChainPulls<T> pulls;
  T* memory = nullptr;                ///< [streams, memories, neurons]
  T* traces = nullptr;                ///< [streams, traces, x.n]
  const T* traces_before = nullptr;   ///< A copy of them, where blocks have their own.
  const T* layer_signals = nullptr;   ///< [streams, ticks, signals]
  const T* neuron_signals = nullptr;  ///< [streams, ticks, signals, neurons]
  T* numbers = nullptr;               ///< [streams, number rows, neurons]: those of a tick
  T* temporaries = nullptr;           ///< [temporaries, blocks, strip, threads]
};

/// With a program that is interpreted, EquationTables, or a compiled one.
template <class T, class Program>
struct EquationLayer : EquationArrays<T> {
  Program program;
};

template <class T>
using InterpretedLayer = EquationLayer<T, EquationTables<T>>;

/// What the block of this thread works on.
template <class T>
struct EquationPart {
  std::int64_t first;  ///< Number of the first of its neurons.
  std::int64_t count;
  std::int64_t first_stream;  ///< First stream whose numbers it computes, every `stream_step`-th.
  std::int64_t stream_step;
  std::int64_t first_input;  ///< First input of this thread, every `input_step`-th.
  std::int64_t input_step;
  std::int64_t number_rows;  ///< Numbers of a neuron and stream, with the parts of its sums.
  int warps_of_neuron;
  int strip;
  T* traces;   ///< [streams, traces, x.n]
  T* samples;  ///< [2, streams, x.n]: of this tick and the next; null: they are read where they lie
  T* numbers;  ///< Numbers from the first neuron on: [streams, number rows, number_step]
  std::int64_t number_step;
  std::int64_t numbers_of_stream;  ///< Between those of streams; 0: it holds those of one.
  T* temporaries;                  ///< Vectors of the block, each [strip, threads], and behind
  std::int64_t temporaries_apart;  ///< these what goes back, [streams, backs, strip, threads].
  T* weights;                      ///< Weights from the first neuron on.
  T* eligibility;
  std::int64_t held;  ///< Neurons between an eligibility's streams.

  __device__ const T* sample(const EquationArrays<T>& layer, std::int64_t stream,
                             std::int64_t tick) const {
    if (samples == nullptr) return layer.x.row(stream, tick);
    return samples + (tick % 2 * layer.x.streams + stream) * layer.x.n;
  }
  /// A number of all neurons of a stream; `place` is of the layer or of neurons.
  template <class Program>
  __device__ T* number_row(const Program& program, std::int64_t stream, int place) const {
    return numbers + stream * numbers_of_stream + (place - program.first_number) * number_step;
  }
};

/// Numbers of a neuron and a stream; `own` is the neuron's number in the part.
template <class T, class Program>
class EquationNumbers {
 public:
  __device__ EquationNumbers(const EquationLayer<T, Program>& layer, const EquationPart<T>& part,
                             std::int64_t stream, std::int64_t own)
      : layer_(layer),
        own_(part.number_row(layer.program, stream, layer.program.first_number) + own),
        step_(part.number_step) {}

  __device__ T operator[](int place) const {
    const int own = place - layer_.program.first_number;
    return own < 0 ? layer_.program.constants[place] : own_[own * step_];
  }
  __device__ void set(int place, T value) const {
    own_[(place - layer_.program.first_number) * step_] = value;
  }
  /// Part `index` of the sums over the inputs: they stand behind the numbers.
  __device__ T& part_of_sums(int index) const {
    return own_[(layer_.program.numbers() + index) * step_];
  }

 private:
  const EquationLayer<T, Program>& layer_;
  T* own_;
  std::int64_t step_;
};

/// A neuron's random number at a tick, of a stream of the batch.
template <class T>
GAIA_NOINLINE __device__ T equation_draw(const EquationArrays<T>& layer,
                                         const EquationDrawCode& code, std::int64_t stream,
                                         std::int64_t neuron, std::int64_t tick) {
  std::uint32_t words[4];
  random_block(layer.random, draw_block(code.call, static_cast<std::uint64_t>(stream)), words);
  random_block(draw_stream(words, layer.first_draw + tick), static_cast<std::uint64_t>(neuron) / 2,
               words);
  return drawn_number<T>(code.draw, words, neuron % 2 != 0);
}

/// op(a, b, c), of an operation that does not cross the layer.  One copy for all steps: it is long.
template <class T>
GAIA_NOINLINE __device__ T equation_value(EquationOp op, T a, T b, T c) {
  if (op == EquationOp::where) return a != T(0) ? b : c;
  T result = a;
  if (with_function_of_one(op, [&](const auto& function) { result = function(a); })) return result;
  with_function_of_two(op, [&](const auto& function) { result = function(a, b); });
  return result;
}

/// op(a, b) of an operation that is known where the text is compiled.
template <EquationOp Op, class T>
__device__ T compute(T a, T b = T(0)) {
  T result = a;
  if (!with_function_of_one(Op, [&](const auto& function) { result = function(a); })) {
    with_function_of_two(Op, [&](const auto& function) { result = function(a, b); });
  }
  return result;
}

/// a[k] <- op(a[k], b[k], c[k]), the same operation for all k.
template <class T, int N>
__device__ void compute_values(EquationOp op, T (&a)[N], const T (&b)[N], const T (&c)[N]) {
  const auto each = [&](const auto& f) {
#pragma unroll
    for (int k = 0; k < N; ++k) a[k] = f(a[k], b[k], c[k]);
  };
  switch (op) {  // most steps are one of these, and need no call
    case EquationOp::add:
      return each([](T x, T y, T) { return x + y; });
    case EquationOp::subtract:
      return each([](T x, T y, T) { return x - y; });
    case EquationOp::multiply:
      return each([](T x, T y, T) { return x * y; });
    default:
      return each([op](T x, T y, T z) { return equation_value(op, x, y, z); });
  }
}

/// Copies `count` numbers by all threads of a block.
template <class T>
GAIA_NOINLINE __device__ void copy_numbers(const T* __restrict__ from, T* __restrict__ to,
                                           std::int64_t count) {
#pragma unroll 8
  for (std::int64_t i = threadIdx.x; i < count; i += kThreads) to[i] = from[i];
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
