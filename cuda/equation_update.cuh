// SPDX-License-Identifier: MIT
/// \file
/// Weights and eligibility under a rule that is text, at a tick: as sums of known vectors for rules
/// of class matrix, by the program's steps on vectors for all others; then homeostasis,
/// normalisation and bounds.
#pragma once

#include "equation_numbers.cuh"
#include "layer_phases.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Traces go on: trace <- keep trace + x.
template <class T>
__device__ void advance_traces(const EquationLayer<T>& layer, const EquationPart<T>& part,
                               std::int64_t tick) {
  for (std::int64_t b = 0; b < layer.x.streams; ++b) {
    const T* const x = layer.x.row(b, tick);
    for (int k = 0; k < layer.tables.traces; ++k) {
      const T keep = layer.tables.trace_keeps[k];
      T* const trace = part.traces + (b * layer.tables.traces + k) * layer.x.n;
      for (std::int64_t j = part.first_input; j < layer.x.n; j += part.input_step) {
        trace[j] = keep * trace[j] + x[j];
      }
    }
  }
}

/// The weight of a neuron from input j, in one stream.
template <class T>
class EquationSynapse {
 public:
  __device__ EquationSynapse(const EquationLayer<T>& layer, const EquationPart<T>& part,
                             std::int64_t stream, std::int64_t own, std::int64_t j,
                             std::int64_t tick)
      : layer_(layer),
        part_(part),
        tables_(layer.tables),
        numbers_(layer, stream, part.first + own),
        stream_(stream),
        j_(j),
        w_(part.weights[own * layer.x.n + j]),
        x_(layer.x.row(stream, tick)[j]),
        e_(layer.eligibility == nullptr
               ? nullptr
               : part.eligibility + (stream * part.held + own) * layer.x.n + j) {}

  /// dw; e <- e + de.
  __device__ T change() const {
    for (int s = 0; s < tables_.vector_steps.count; ++s) {
      const EquationCode code = tables_.vector_steps[s];
      temporary(code.to) = equation_value(code.op, value(code.a), value(code.b), value(code.c));
    }
    const T dw = sum(tables_.dw);
    if (tables_.de.count > 0) *e_ += sum(tables_.de);
    return dw;
  }

 private:
  __device__ T sum(const EquationList<EquationTermCode>& terms) const {
    T total = 0;
    for (int k = 0; k < terms.count; ++k) {
      const EquationTermCode term = terms[k];
      const T factor = value(term.factor);
      total += term.vector == EquationTermCode::kOnes ? factor : factor * value(term.vector);
    }
    return total;
  }
  /// Of any place.
  __device__ T value(int place) const {
    if (place < tables_.first_vector) return numbers_[place];
    if (place >= tables_.first_temporary) return temporary(place);
    const int vector = place - tables_.first_vector;
    switch (vector) {
      case EquationProgram::kWeights:
        return w_;
      case EquationProgram::kSample:
        return x_;
      case EquationProgram::kEligibility:
        return *e_;
      default:
        break;
    }
    const int trace = vector - EquationProgram::kFirstTrace;
    if (trace < tables_.traces) {
      return part_.traces[(stream_ * tables_.traces + trace) * layer_.x.n + j_];
    }
    const int back = trace - tables_.traces;
    return layer_.backs[(stream_ * tables_.backs.count + back) * layer_.x.n + j_];
  }
  __device__ T& temporary(int place) const {
    return part_.temporaries[(place - tables_.first_temporary) * part_.temporary_step +
                             part_.first_temporary];
  }

  const EquationLayer<T>& layer_;
  const EquationPart<T>& part_;
  const EquationTables<T>& tables_;
  EquationNumbers<T> numbers_;
  std::int64_t stream_, j_;
  T w_, x_;
  T* e_;
};

/// A weight changes by the mean over streams.
template <class T>
__device__ void learn_weight(const EquationLayer<T>& layer, const EquationPart<T>& part,
                             std::int64_t own, std::int64_t j, std::int64_t tick) {
  const T share = T(1) / static_cast<T>(layer.x.streams);
  T sum = 0;
  for (std::int64_t b = 0; b < layer.x.streams; ++b) {
    sum += share * EquationSynapse<T>(layer, part, b, own, j, tick).change();
  }
  part.weights[own * layer.x.n + j] += sum;
}

/// A warp for each neuron.
template <class T>
__device__ void learn_rows(const EquationLayer<T>& layer, const EquationPart<T>& part,
                           std::int64_t tick) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  for (std::int64_t own = static_cast<int>(threadIdx.x) / kWarp; own < part.count;
       own += kThreads / kWarp) {
    for (std::int64_t j = lane; j < layer.x.n; j += kWarp) {
      learn_weight(layer, part, own, j, tick);
    }
  }
}

/// Where something goes back to the inputs: given the numbers of all neurons, no column of W
/// depends on another; a thread for each, with all neurons.
template <class T>
__device__ void learn_columns(const EquationLayer<T>& layer, const EquationPart<T>& part,
                              std::int64_t tick) {
  const EquationTables<T>& tables = layer.tables;
  const std::int64_t n = layer.x.n;
  for (std::int64_t j = part.first_input; j < n; j += part.input_step) {
    const auto each_back = [&](const auto& f) {
      for (std::int64_t b = 0; b < layer.x.streams; ++b) {
        for (int k = 0; k < tables.backs.count; ++k) {
          f(tables.backs[k], b, layer.backs[(b * tables.backs.count + k) * n + j]);
        }
      }
    };
    const auto fed_back = [&](const EquationBackCode& back, std::int64_t b, std::int64_t i) {
      return EquationNumbers<T>(layer, b, i)[back.factors] * part.weights[i * n + j];
    };
    each_back([&](const EquationBackCode& back, std::int64_t b, T& to) {
      T sum = 0;
      for (std::int64_t i = 0; i < layer.neurons && back.upto == 0; ++i)
        sum += fed_back(back, b, i);
      to = sum;
    });
    for (std::int64_t i = 0; i < layer.neurons; ++i) {
      each_back([&](const EquationBackCode& back, std::int64_t b, T& to) {
        if (back.upto != 0) to += fed_back(back, b, i);
      });
      learn_weight(layer, part, i, j, tick);
    }
  }
}

/// Homeostasis, normalisation and bounds of one neuron's weights, by one warp, each lane those that
/// it has written itself, or that were written before a barrier.
template <class T>
__device__ void hold_weights(const EquationLayer<T>& layer, int lane, std::int64_t neuron, T* w) {
  T mean_answer = 0;
  for (std::int64_t b = 0; layer.control.homeostatic && b < layer.x.streams; ++b) {
    mean_answer += EquationNumbers<T>(layer, b, neuron)[layer.tables.output];
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
    if (layer.learns) hold_weights(layer, lane, part.first + own, part.weights + own * layer.x.n);
    settle_memories(layer, part.first + own, tick);
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
