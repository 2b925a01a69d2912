// SPDX-License-Identifier: MIT
/// \file
/// Weights and eligibility under a rule that is text, at a tick: as sums of known vectors for rules
/// of class matrix, by the program's steps on vectors for all others; then homeostasis,
/// normalisation and bounds.
#pragma once

#include <algorithm>

#include "equation_numbers.cuh"
#include "layer_phases.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Traces go on: trace <- keep trace + x.
template <class T>
__device__ void advance_traces(const EquationLayer<T>& layer, const EquationPart<T>& part,
                               std::int64_t tick) {
  for (std::int64_t b = part.first_stream; b < layer.x.streams; b += part.stream_step) {
    const T* const x = part.sample(layer, b, tick);
    for (int k = 0; k < layer.tables.traces; ++k) {
      const T keep = layer.tables.trace_keeps[k];
      T* const trace = part.traces + (b * layer.tables.traces + k) * layer.x.n;
      for (std::int64_t j = part.first_input; j < layer.x.n; j += part.input_step) {
        trace[j] = keep * trace[j] + x[j];
      }
    }
  }
}

/// Among what a thread keeps for its strip: what goes back, behind the steps' vectors.
template <class T>
__device__ int back_place(const EquationLayer<T>& layer, std::int64_t stream, int back) {
  return layer.tables.temporaries() + static_cast<int>(stream) * layer.tables.backs.count + back;
}

/// Some weights that a thread learns at a time, so that what a step says is read once for all of
/// them: of a neuron, from some of its inputs; or, `OfColumn`, of an input to neighbouring neurons.
template <class T, bool OfColumn>
class EquationStrip {
 public:
  static constexpr int kMost = kEquationStrip<T>;

  /// The weight of neuron `own` of the part from input j, and every `step`-th after it before
  /// `end`, as many as a strip has.
  __device__ EquationStrip(const EquationLayer<T>& layer, const EquationPart<T>& part,
                           std::int64_t own, std::int64_t j, int step, std::int64_t end)
      : layer_(layer), part_(part), tables_(layer.tables), own_(own), j_(j) {
    const std::int64_t first = OfColumn ? own : j;
#pragma unroll
    for (int k = 0; k < kMost; ++k) {
      apart_[k] = k < part.strip && first + k * step < end ? k * step : 0;
    }
    each([&](int k) { w_[k] = part.weights[own_of(k) * layer.x.n + j_of(k)]; });
  }

  /// f(k) for each of the strip; what is not there stands for its first.
  template <class F>
  __device__ static void each(const F& f) {
#pragma unroll
    for (int k = 0; k < kMost; ++k) f(k);
  }
  __device__ bool is_there(int k) const { return k == 0 || apart_[k] != 0; }
  __device__ T weight(int k) const { return w_[k]; }
  __device__ std::int64_t own_of(int k) const { return OfColumn ? own_ + apart_[k] : own_; }

  /// The weights change by the mean over streams.
  __device__ void learn(std::int64_t tick) {
    const T share = T(1) / static_cast<T>(layer_.x.streams);
    T sum[kMost] = {};
    for (std::int64_t b = 0; b < layer_.x.streams; ++b) {
      T dw[kMost];
      take_stream(b, tick);
      change(dw);
      each([&](int k) { sum[k] += share * dw[k]; });
    }
    each([&](int k) {
      if (is_there(k)) part_.weights[own_of(k) * layer_.x.n + j_of(k)] = w_[k] + sum[k];
    });
  }

 private:
  __device__ std::int64_t j_of(int k) const { return OfColumn ? j_ : j_ + apart_[k]; }

  __device__ void take_stream(std::int64_t stream, std::int64_t tick) {
    stream_ = stream;
    x_ = part_.sample(layer_, stream, tick);
  }

  /// dw; e <- e + de.
  __device__ void change(T (&dw)[kMost]) const {
    for (int s = 0; s < tables_.vector_steps.count; ++s) {
      const EquationCode code = tables_.vector_steps[s];
      T a[kMost], b[kMost];
      fetch(code.a, a);
      fetch(code.b, b);
      compute(code, a, b);
      each([&](int k) {
        if (k < part_.strip) part_.temporary(code.to - tables_.first_temporary, k) = a[k];
      });
    }
    sum(tables_.dw, dw);
    if (tables_.de.count == 0) return;
    T de[kMost];
    sum(tables_.de, de);
    each([&](int k) {
      if (is_there(k)) eligibility(k) += de[k];
    });
  }

  /// a <- op(a, b, c).
  __device__ void compute(const EquationCode& code, T (&a)[kMost], const T (&b)[kMost]) const {
    switch (code.op) {  // most steps are one of these, and need no call
      case EquationOp::add:
        return each([&](int k) { a[k] += b[k]; });
      case EquationOp::subtract:
        return each([&](int k) { a[k] -= b[k]; });
      case EquationOp::multiply:
        return each([&](int k) { a[k] *= b[k]; });
      default:
        break;
    }
    T c[kMost] = {};
    if (code.op == EquationOp::where) fetch(code.c, c);
    each([&](int k) { a[k] = equation_value(code.op, a[k], b[k], c[k]); });
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

  /// What lies at any place.
  __device__ void fetch(int place, T (&to)[kMost]) const {
    if (place < tables_.first_vector) return fetch_number(place, to);
    if (place >= tables_.first_temporary) {
      return each([&](int k) { to[k] = kept(place - tables_.first_temporary, k); });
    }
    const int vector = place - tables_.first_vector;
    if (vector == EquationProgram::kWeights) return each([&](int k) { to[k] = w_[k]; });
    if (vector == EquationProgram::kSample) return each([&](int k) { to[k] = x_[j_of(k)]; });
    if (vector == EquationProgram::kEligibility) {
      return each([&](int k) { to[k] = eligibility(k); });
    }
    const int trace = vector - EquationProgram::kFirstTrace;
    if (trace < tables_.traces) {
      const T* const row = part_.traces + (stream_ * tables_.traces + trace) * layer_.x.n;
      return each([&](int k) { to[k] = row[j_of(k)]; });
    }
    const int back = back_place(layer_, stream_, trace - tables_.traces);
    each([&](int k) { to[k] = kept(back, k); });
  }
  __device__ void fetch_number(int place, T (&to)[kMost]) const {
    if constexpr (OfColumn) {
      each([&](int k) { to[k] = EquationNumbers<T>(layer_, part_, stream_, own_of(k))[place]; });
    } else {
      const T number = EquationNumbers<T>(layer_, part_, stream_, own_)[place];
      each([&](int k) { to[k] = number; });
    }
  }
  __device__ T kept(int vector, int k) const {
    return part_.temporary(vector, k < part_.strip ? k : 0);
  }
  __device__ T& eligibility(int k) const {
    return part_.eligibility[(stream_ * part_.held + own_of(k)) * layer_.x.n + j_of(k)];
  }

  const EquationLayer<T>& layer_;
  const EquationPart<T>& part_;
  const EquationTables<T>& tables_;
  std::int64_t own_, j_;
  std::int64_t stream_ = 0;
  const T* x_ = nullptr;
  int apart_[kMost];  ///< From the first of the strip; 0 but for k = 0: there is none.
  T w_[kMost];
};

/// A few warps for each neuron; a thread has the inputs of which it has driven it.
template <class T>
__device__ void learn_rows(const EquationLayer<T>& layer, const EquationPart<T>& part,
                           std::int64_t tick) {
  const EquationTeam team(part.warps_of_neuron);
  for (std::int64_t own = team.number; own < part.count; own += team.count) {
    for (std::int64_t j = team.thread; j < layer.x.n;
         j += std::int64_t{part.strip} * team.threads) {
      EquationStrip<T, false>(layer, part, own, j, team.threads, layer.x.n).learn(tick);
    }
  }
}

/// Neighbouring inputs that a block learns at a time where something goes back to them.
constexpr int kColumnsOfBlock = 8;

/// Where something goes back to the inputs: given the numbers of all neurons, no column of W
/// depends on another.  A block takes a few columns at a time, with some neighbouring neurons for
/// each thread: they sum what these feed back, add up the sums in the neurons' order, and learn.
/// Contains barriers.
template <class T>
__device__ void learn_columns(const EquationLayer<T>& layer, const EquationPart<T>& part,
                              std::int64_t tick) {
  constexpr int groups = kThreads / kColumnsOfBlock;
  const EquationTables<T>& tables = layer.tables;
  const std::int64_t n = layer.x.n;
  const int group = static_cast<int>(threadIdx.x) / kColumnsOfBlock;
  const int column = static_cast<int>(threadIdx.x) % kColumnsOfBlock;
  const std::int64_t each_group = ceil_div(layer.neurons, groups);
  const std::int64_t from = group * each_group;
  const std::int64_t to = std::min(layer.neurons, from + each_group);
  const auto each_back = [&](const auto& f) {
    for (std::int64_t b = 0; b < layer.x.streams; ++b) {
      for (int k = 0; k < tables.backs.count; ++k) {
        f(tables.backs[k], b, back_place(layer, b, k));
      }
    }
  };
  for (std::int64_t first = std::int64_t{blockIdx.x} * kColumnsOfBlock; first < n;
       first += std::int64_t{gridDim.x} * kColumnsOfBlock) {
    const std::int64_t j = first + column;
    const bool lives = j < n;  // the others keep the block whole
    each_back([&](const EquationBackCode& back, std::int64_t b, int place) {
      T sum = 0;
#pragma unroll 8
      for (std::int64_t i = from; i < to; ++i) {
        if (lives)
          sum += EquationNumbers<T>(layer, part, b, i)[back.factors] * part.weights[i * n + j];
      }
      part.temporary(place, 0) = sum;
    });
    __syncthreads();  // sums of all groups are there
    each_back([&](const EquationBackCode& back, std::int64_t, int place) {
      const T* const sums = &part.temporary(place, 0) - group * kColumnsOfBlock;
      T sum = 0;
      for (int g = 0; g < (back.upto != 0 ? group : groups); ++g) sum += sums[g * kColumnsOfBlock];
      __syncthreads();  // all have read them
      for (int k = 0; k < part.strip; ++k) part.temporary(place, k) = sum;
    });
    for (std::int64_t i = from; lives && i < to; i += part.strip) {
      EquationStrip<T, true> strip(layer, part, i, j, 1, to);
      each_back([&](const EquationBackCode& back, std::int64_t b, int place) {
        if (back.upto == 0) return;
        T sum = part.temporary(place, part.strip - 1);
        strip.each([&](int k) {
          if (k >= part.strip) return;
          if (strip.is_there(k)) {
            sum +=
                EquationNumbers<T>(layer, part, b, strip.own_of(k))[back.factors] * strip.weight(k);
          }
          part.temporary(place, k) = sum;
        });
      });
      strip.learn(tick);
    }
  }
}

/// Homeostasis, normalisation and bounds of one neuron's weights, by one warp, each lane those that
/// it has written itself, or that were written before a barrier.
template <class T>
__device__ void hold_weights(const EquationLayer<T>& layer, const EquationPart<T>& part, int lane,
                             std::int64_t own) {
  T* const w = part.weights + own * layer.x.n;
  T mean_answer = 0;
  for (std::int64_t b = 0; layer.control.homeostatic && b < layer.x.streams; ++b) {
    mean_answer += EquationNumbers<T>(layer, part, b, own)[layer.tables.output];
  }
  control_weights(layer.control, lane, mean_answer / static_cast<T>(layer.x.streams), w, layer.x.n);
  for (std::int64_t j = lane; layer.is_bounded && j < layer.x.n; j += kWarp) {
    w[j] = w[j] < layer.low ? layer.low : (w[j] > layer.high ? layer.high : w[j]);  // NaN stays
  }
}

/// What ends a tick, a warp for each neuron.
template <class T>
__device__ void finish_neurons(const EquationLayer<T>& layer, const EquationPart<T>& part,
                               std::int64_t tick) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  for (std::int64_t own = static_cast<int>(threadIdx.x) / kWarp; own < part.count;
       own += kThreads / kWarp) {
    if (layer.learns) hold_weights(layer, part, lane, own);
    settle_memories(layer, part, own, tick);
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
