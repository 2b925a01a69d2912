// SPDX-License-Identifier: MIT
/// \file
/// Weights and eligibility under a rule that is text, at a tick: as sums of known vectors for rules
/// of class matrix, by the program's steps on vectors for all others; then homeostasis,
/// normalisation and bounds.
#pragma once

#include "equation_numbers.cuh"
#include "weight_control.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Traces go on: trace <- keep trace + x.
template <class T, class Program>
__device__ void advance_traces(const EquationLayer<T, Program>& layer, const EquationPart<T>& part,
                               std::int64_t tick) {
  for (std::int64_t b = part.first_stream; b < layer.x.streams; b += part.stream_step) {
    const T* const x = part.sample(layer, b, tick);
    for (int k = 0; k < layer.program.traces; ++k) {
      const T keep = layer.program.trace_keep(k);
      T* const trace = part.traces + (b * layer.program.traces + k) * layer.x.n;
      for (std::int64_t j = part.first_input; j < layer.x.n; j += part.input_step) {
        trace[j] = keep * trace[j] + x[j];
      }
    }
  }
}

/// Among what a thread keeps for its strip: what goes back, behind the steps' vectors.
template <class T, class Program>
__device__ int back_place(const EquationLayer<T, Program>& layer, std::int64_t stream, int back) {
  return layer.program.temporaries() + static_cast<int>(stream) * layer.program.backs() + back;
}

/// Some weights that a thread learns at a time, so that what a step says is read once for all of
/// them: of a neuron, from some of its inputs; or, `OfColumn`, of an input to neighbouring neurons.
template <class T, class Program, bool OfColumn>
class EquationStrip {
 public:
  static constexpr int kMost = kEquationStrip<T>;

  /// The weight of neuron `own` of the part from input j, and every `step`-th after it before
  /// `end`, as many as a strip has.
  __device__ EquationStrip(const EquationLayer<T, Program>& layer, const EquationPart<T>& part,
                           std::int64_t own, std::int64_t j, int step, std::int64_t end)
      : layer_(layer), part_(part), program_(layer.program), own_(own), j_(j), step_(step) {
    const int left = near_count(end - (OfColumn ? own : j));
#pragma unroll
    for (int k = 1; k < kMost; ++k) count_ += k < part.strip && k * step < left ? 1 : 0;
    if constexpr (!OfColumn) each([&](int k) { apart_[k] = k < count_ ? k * step : 0; });
  }

  /// The weights change by the mean over streams.
  __device__ void learn(std::int64_t tick) {
    const T share = T(1) / static_cast<T>(layer_.x.streams);
    T sum[kMost] = {};
    for (stream_ = 0; stream_ < layer_.x.streams; ++stream_) {
      x_ = part_.sample(layer_, stream_, tick);
      T dw[kMost];
      change(dw);
      each([&](int k) { sum[k] += share * dw[k]; });
    }
    if (layer_.chained != nullptr) move_chain(sum);
    add(weights(), sum);
  }

 private:
  /// Number k of a strip lies at first[k step]; of a neuron's strip every step but 0 is step_.
  struct Row {
    T* first;
    int step;
  };

  template <class F>
  __device__ static void each(const F& f) {
#pragma unroll
    for (int k = 0; k < kMost; ++k) f(k);
  }

  /// dw; e <- e + de.
  __device__ void change(T (&dw)[kMost]) const {
    if constexpr (Program::kIsCompiled) {
      T de[kMost];
      each([&](int k) { program_.change([&](int place) { return at(place, k); }, dw[k], de[k]); });
      if constexpr (Program::kHasEligibility) add(eligibility(), de);
    } else {
      interpret(dw);
    }
  }
  __device__ void interpret(T (&dw)[kMost]) const {
    program_.vector_steps.each([&](const EquationCode& code) {
      T a[kMost], b[kMost], c[kMost] = {};
      fetch(code.a, a);
      fetch(code.b, b);
      if (code.op == EquationOp::where) fetch(code.c, c);
      compute_values(code.op, a, b, c);
      const Row to = kept(code.to - program_.first_temporary);
      each([&](int k) {
        if (k < count_) to.first[apart(to, k)] = a[k];
      });
    });
    sum(program_.dw, dw);
    if (program_.de.count == 0) return;
    T de[kMost];
    sum(program_.de, de);
    add(eligibility(), de);
  }

  __device__ void sum(const EquationList<EquationTermCode>& terms, T (&total)[kMost]) const {
    each([&](int k) { total[k] = 0; });
    for (int i = 0; i < terms.count; ++i) {
      const EquationTermCode term = terms[i];
      T factor[kMost];
      fetch(term.factor, factor);
      if (term.vector == EquationTermCode::kOnes) {
        each([&](int k) { total[k] += factor[k]; });
        continue;
      }
      T vector[kMost];
      fetch(term.vector, vector);
      each([&](int k) { total[k] += factor[k] * vector[k]; });
    }
  }

  /// Number at a place, for the strip's weight k.
  __device__ T at(int place, int k) const {
    const Row row = locate(place);
    return row.first[row.step == 0 ? 0 : apart(row, k)];
  }
  /// What lies at any place; what is not there stands for the strip's first.
  __device__ void fetch(int place, T (&to)[kMost]) const {
    const Row row = locate(place);
    if (row.step == 0) {
      const T number = *row.first;
      return each([&](int k) { to[k] = number; });
    }
    each([&](int k) { to[k] = row.first[apart(row, k)]; });
  }
  __device__ int apart(const Row& row, int k) const {
    if constexpr (OfColumn) {
      return k < count_ ? k * row.step : 0;
    } else {
      return apart_[k];
    }
  }
  /// The chains behind the weights move, from what all were before the tick; what they change the
  /// weights by joins `change`.
  __device__ void move_chain(T (&change)[kMost]) const {
    const ChainPulls<T>& pulls = layer_.pulls;
    const auto load = [&](const Row& row, T(&to)[kMost]) {
      each([&](int k) { to[k] = row.first[apart(row, k)]; });
    };
    T before[kMost], now[kMost], next[kMost];
    load(weights(), before);
    load(chained(1), now);
    each([&](int k) { change[k] += pulls.behind[0] * (now[k] - before[k]); });
    for (int m = 1; m < pulls.length; ++m) {
      each([&](int k) { next[k] = T(0); });
      if (m + 1 < pulls.length) load(chained(m + 1), next);
      T moved[kMost];
      each([&](int k) {
        moved[k] = pulls.before[m] * (before[k] - now[k]) + pulls.behind[m] * (next[k] - now[k]);
      });
      add(chained(m), moved);
      each([&](int k) {
        before[k] = now[k];
        now[k] = next[k];
      });
    }
  }
  /// Number m of the chains, from 1.
  __device__ Row chained(int m) const {
    return of_weights(layer_.chained + ((m - 1) * layer_.neurons + part_.first) * layer_.x.n);
  }
  __device__ void add(const Row& row, const T (&change)[kMost]) const {
    each([&](int k) {
      if (k < count_) row.first[apart(row, k)] += change[k];
    });
  }

  __device__ Row locate(int place) const {
    if (place < program_.first_number) return {const_cast<T*>(&program_.constants[place]), 0};
    if (place < program_.first_vector) {
      return {part_.number_row(program_, stream_, place) + own_, OfColumn ? 1 : 0};
    }
    if (place >= program_.first_temporary) return kept(place - program_.first_temporary);
    const int vector = place - program_.first_vector;
    if (vector == EquationPlaces::kWeights) return weights();
    if (vector == EquationPlaces::kEligibility) return eligibility();
    if (vector == EquationPlaces::kSample) return of_inputs(const_cast<T*>(x_));
    const int trace = vector - EquationPlaces::kFirstTrace;
    if (trace < program_.traces) {
      return of_inputs(part_.traces + (stream_ * program_.traces + trace) * layer_.x.n);
    }
    return kept(back_place(layer_, stream_, trace - program_.traces));
  }
  __device__ Row of_inputs(T* row) const { return {row + j_, OfColumn ? 0 : step_}; }
  __device__ Row of_weights(T* rows) const {
    return {rows + own_ * layer_.x.n + j_, OfColumn ? static_cast<int>(layer_.x.n) : step_};
  }
  __device__ Row weights() const { return of_weights(part_.weights); }
  __device__ Row eligibility() const {
    return of_weights(part_.eligibility + stream_ * part_.held * layer_.x.n);
  }
  __device__ Row kept(int vector) const {
    T* const of_block = part_.temporaries + vector * part_.temporaries_apart;
    const int thread = static_cast<int>(threadIdx.x);
    if constexpr (OfColumn) {
      return {of_block + thread, kThreads};
    } else {  // a team's numbers lie beside each other
      const int in_team = thread & (step_ - 1);
      return {of_block + (thread - in_team) * part_.strip + in_team, step_};
    }
  }

  const EquationLayer<T, Program>& layer_;
  const EquationPart<T>& part_;
  const Program& program_;
  std::int64_t own_, j_;
  int step_;
  int count_ = 1;
  int apart_[OfColumn ? 1 : kMost];  ///< Steps from a strip's first weight; 0 behind its end.
  std::int64_t stream_ = 0;
  const T* x_ = nullptr;
};

/// A few warps for each neuron; a thread has the inputs of which it has driven it.
template <class T, class Program>
__device__ void learn_rows(const EquationLayer<T, Program>& layer, const EquationPart<T>& part,
                           std::int64_t tick) {
  const EquationTeam team(part.warps_of_neuron);
  for (std::int64_t own = team.number; own < part.count; own += team.count) {
    for (std::int64_t j = team.thread; j < layer.x.n;
         j += std::int64_t{part.strip} * team.threads) {
      EquationStrip<T, Program, false>(layer, part, own, j, team.threads, layer.x.n).learn(tick);
    }
  }
}

/// Neighbouring inputs that a block learns at a time where something goes back to them.
constexpr int kColumnsOfBlock = 8;

/// Where something goes back to the inputs: given the numbers of all neurons, no column of W
/// depends on another.  A block takes a few columns at a time, with some neighbouring neurons for
/// each thread: they sum what these feed back, add up the sums in the neurons' order, and learn.
/// Contains barriers.
template <class T, class Program>
__device__ void learn_columns(const EquationLayer<T, Program>& layer, const EquationPart<T>& part,
                              std::int64_t tick) {
  constexpr int groups = kThreads / kColumnsOfBlock;
  const Program& program = layer.program;
  const std::int64_t n = layer.x.n;
  const int group = static_cast<int>(threadIdx.x) / kColumnsOfBlock;
  const int column = static_cast<int>(threadIdx.x) % kColumnsOfBlock;
  const std::int64_t each_group = ceil_div(layer.neurons, groups);
  const std::int64_t from = group * each_group;
  const std::int64_t to = std::min(layer.neurons, from + each_group);
  const auto each_back = [&](const auto& f) {
    for (std::int64_t b = 0; b < layer.x.streams; ++b) {
      for (int k = 0; k < program.backs(); ++k) {
        f(program.back(k), b, back_place(layer, b, k));
      }
    }
  };
  const auto kept = [&](int place, int k) -> T& {  // as a strip of a column has it
    return part.temporaries[place * part.temporaries_apart + k * kThreads + threadIdx.x];
  };
  const auto fed_back = [&](const EquationBackCode& back, std::int64_t b, std::int64_t i,
                            std::int64_t j) {
    return EquationNumbers<T, Program>(layer, part, b, i)[back.factors] * part.weights[i * n + j];
  };
  for (std::int64_t first = std::int64_t{blockIdx.x} * kColumnsOfBlock; first < n;
       first += std::int64_t{gridDim.x} * kColumnsOfBlock) {
    const std::int64_t j = first + column;
    const bool lives = j < n;  // the others keep the block whole
    each_back([&](const EquationBackCode& back, std::int64_t b, int place) {
      T sum = 0;
#pragma unroll 8
      for (std::int64_t i = from; i < to; ++i) sum += lives ? fed_back(back, b, i, j) : T(0);
      kept(place, 0) = sum;
    });
    __syncthreads();  // sums of all groups are there
    each_back([&](const EquationBackCode& back, std::int64_t, int place) {
      const T* const sums = &kept(place, 0) - group * kColumnsOfBlock;
      T sum = 0;
      for (int g = 0; g < (back.upto != 0 ? group : groups); ++g) sum += sums[g * kColumnsOfBlock];
      __syncthreads();  // all have read them
      for (int k = 0; k < part.strip; ++k) kept(place, k) = sum;
    });
    for (std::int64_t i = from; lives && i < to; i += part.strip) {
      each_back([&](const EquationBackCode& back, std::int64_t b, int place) {
        if (back.upto == 0) return;
        T sum = kept(place, part.strip - 1);
        for (int k = 0; k < part.strip && i + k < to; ++k) {
          kept(place, k) = sum += fed_back(back, b, i + k, j);
        }
      });
      EquationStrip<T, Program, true>(layer, part, i, j, 1, to).learn(tick);
    }
  }
}

/// Homeostasis, normalisation and bounds of one neuron's weights, by one warp, each lane those that
/// it has written itself, or that were written before a barrier.
template <class T, class Program>
__device__ void hold_weights(const EquationLayer<T, Program>& layer, const EquationPart<T>& part,
                             int lane, std::int64_t own) {
  T* const w = part.weights + own * layer.x.n;
  T mean_answer = 0;
  for (std::int64_t b = 0; layer.control.homeostatic && b < layer.x.streams; ++b) {
    mean_answer += EquationNumbers<T, Program>(layer, part, b, own)[layer.program.output];
  }
  control_weights(layer.control, lane, mean_answer / static_cast<T>(layer.x.streams), w, layer.x.n);
  for (std::int64_t j = lane; layer.is_bounded && j < layer.x.n; j += kWarp) {
    w[j] = w[j] < layer.low ? layer.low : (w[j] > layer.high ? layer.high : w[j]);  // NaN stays
  }
}

/// What ends a tick, a warp for each neuron.
template <class T, class Program>
__device__ void finish_neurons(const EquationLayer<T, Program>& layer, const EquationPart<T>& part,
                               std::int64_t tick) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  for (std::int64_t own = static_cast<int>(threadIdx.x) / kWarp; own < part.count;
       own += kThreads / kWarp) {
    if (layer.learns) hold_weights(layer, part, lane, own);
    settle_memories(layer, part, own, tick);
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
