// SPDX-License-Identifier: MIT
/// \file
/// Between the matrix products of rules that are text: the recurrence of numbers that takes a layer
/// through a chunk of ticks, and what happens to its weights at the chunk's end.
///
/// Within a chunk the weights of a neuron stay in the span of what they were and of vectors that
/// are known: samples, traces, ones.  A product has computed the drives of all samples by the
/// weights at the chunk's start.  Each tick changes the drives of later samples as it changes the
/// weights, given the products of known vectors with samples, and the coefficients of the vectors
/// before it; the drive of a sample that is over makes room for its coefficient.  Last, W takes
/// what is left of itself and the product of coefficients and known vectors.
///
/// A *stack* is the numbers of a synapse, w and e, or w and the chain behind it, for one sample or
/// known vector.  A tick moves all stacks of a neuron alike, by a map that has neighbours alone.
///
/// What a tick does to W where something goes back to the inputs, it does to each of its columns
/// alone, given the factors of the neurons; and the drives of a later sample, a sum of columns,
/// change by the same map.  So a warp takes a row of drives through it, and once the chunk is over
/// a warp takes each column of W through all its ticks.
///
/// cpu/equations_chunkwise.cpp, equations_chain.cpp and equations_map.cpp do the same.
#pragma once

#include "equation_chunk.cuh"
#include "equation_numbers.cuh"
#include "plastic_products.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// The neurons of a block through the ticks of a chunk.  `Stack` is the numbers of a synapse; 0: as
/// many as its chain has.
template <class T, int Stack>
class EquationScan {
 public:
  __device__ EquationScan(const InterpretedLayer<T>& layer, const EquationChunk<T>& chunk,
                          T* shared)
      : layer_(layer),
        chunk_(chunk),
        form_(chunk.form),
        at_(chunk.form, layer.x.streams),
        stack_(Stack > 0 ? Stack : form_.stack) {
    const std::int64_t neurons = layer.neurons;
    part_.first = blockIdx.x * form_.neurons_of_block;
    part_.count = std::min(neurons - part_.first, form_.neurons_of_block);
    part_.first_stream = 0;
    part_.stream_step = 1;
    part_.number_rows = form_.number_rows;
    part_.warps_of_neuron = 1;
    const auto take = [&](bool held, std::int64_t rows, T* elsewhere, std::int64_t& width) {
      T* const found = held ? shared : elsewhere + part_.first;
      width = held ? form_.neurons_of_block : neurons;
      if (held) shared += rows * width;
      return found;
    };
    factors_ = take(form_.holds_factors, form_.factor_rows, chunk.factors_of_replica(neurons),
                    factor_step_);
    part_.numbers = take(form_.holds_numbers, layer.x.streams * form_.number_rows,
                         form_.holds_numbers ? nullptr : layer.numbers, part_.number_step);
    part_.numbers_of_stream = form_.number_rows * part_.number_step;
    rows_ =
        take(form_.holds_rows, form_.total_rows * stack_, chunk.rows_of_replica(neurons), width_);
  }

  __device__ void run() {
    begin();
    __syncthreads();  // drives and memories are there
    int tick = 0;
    for (bool goes_on = true; tick < chunk_.ticks && goes_on; ++tick) {
      give_sums(tick);
      __syncthreads();  // drives are where the steps read them
      compute_numbers(layer_, part_, chunk_.first_tick + tick);
      __syncthreads();  // numbers are there
      const bool parts = take_factors(tick);
      if (form_.carries_square) {
        goes_on = block_reduce<kThreads>(parts ? 1 : 0, Larger{}) == 0;
      } else {
        __syncthreads();  // factors are there
      }
      move_rows(tick);
      for (std::int64_t own = warp(); own < part_.count; own += kWarps) {
        settle_memories(layer_, part_, own, chunk_.first_tick + tick);
      }
      __syncthreads();  // rows are those that the next tick begins with
    }
    end(tick);
  }

 private:
  static constexpr int kWarps = kThreads / kWarp;

  __device__ static int warp() { return static_cast<int>(threadIdx.x) / kWarp; }
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % kWarp; }
  __device__ int streams() const { return static_cast<int>(layer_.x.streams); }
  __device__ T* row(std::int64_t number) const { return rows_ + number * stack_ * width_; }
  __device__ T& factor(std::int64_t which, std::int64_t own) const {
    return factors_[which * factor_step_ + own];
  }
  template <class F>
  __device__ void each_own(const F& f) const {
    for (std::int64_t own = threadIdx.x; own < part_.count; own += kThreads) f(own);
  }
  /// f(own, stack) for the stacks of a row, by one warp.
  template <class F>
  __device__ void each_of_row(std::int64_t number, const F& f) const {
    T* const of_row = row(number);
    for (std::int64_t own = lane(); own < part_.count; own += kWarp) f(own, of_row + own);
  }
  __device__ void begin() {
    const T* const from = chunk_.rows_of_replica(layer_.neurons) + part_.first;
    for (std::int64_t r = warp(); r < form_.total_rows * stack_; r += kWarps) {
      const bool is_drive = r < form_.samples * stack_;
      if (is_drive && !form_.holds_rows) continue;
      for (std::int64_t own = lane(); own < part_.count; own += kWarp) {
        T value = is_drive ? from[r * layer_.neurons + own] : T(0);
        if (Stack == 1 && form_.backs == 0 && r == chunk_.share_row()) value = T(1);
        if (Stack == 1 && form_.backs == 0 && form_.carries_square && r == chunk_.square_row()) {
          value = chunk_.square[blockIdx.y * layer_.neurons + part_.first + own];
        }
        rows_[r * width_ + own] = value;
      }
    }
    move_memories(layer_, part_, true);
  }

  /// z, and the squares that are read, as the sums of which the steps read them.
  __device__ void give_sums(int tick) {
    const EquationTables<T>& tables = layer_.program;
    each_own([&](std::int64_t own) {
      for (int b = 0; b < streams(); ++b) {
        const EquationNumbers<T, EquationTables<T>> numbers(layer_, part_, b, own);
        const std::int64_t sample = std::int64_t{tick} * streams() + b;
        numbers.part_of_sums(0) = row(sample)[own];
        if (tables.reads_square) {
          numbers.part_of_sums(1) = gram()[sample * form_.known_rows + sample];
        }
        if (tables.reads_weight_square) {
          numbers.part_of_sums(tables.sums() - 1) = row(chunk_.square_row())[own];
        }
      }
    });
  }
  __device__ const T* gram() const { return chunk_.gram + blockIdx.y * chunk_.next_gram; }

  /// What the tick does to the weights of each neuron; whether |w|^2 may be off for one of this
  /// thread.
  __device__ bool take_factors(int tick) {
    const EquationTables<T>& tables = layer_.program;
    if (form_.backs > 0) {
      factors_ = chunk_.factors_of_replica(layer_.neurons) +
                 tick * form_.factor_rows * layer_.neurons + part_.first;
    }
    const T share = T(1) / static_cast<T>(streams());
    bool parts = false;
    each_own([&](std::int64_t own) {
      for (std::int64_t which = 0; which < form_.factor_rows; ++which) factor(which, own) = T(0);
      T mean_answer = 0;
      for (int b = 0; b < streams(); ++b) {
        const EquationNumbers<T, EquationTables<T>> numbers(layer_, part_, b, own);
        mean_answer += share * numbers[tables.output];
        for (int set = 0; set < static_cast<int>(form_.sets); ++set) {
          const EquationList<EquationTermCode>& terms = set == 0 ? tables.dw : tables.de;
          for (int i = 0; i < terms.count; ++i) take_term(terms[i], numbers, set, b, own, share);
        }
        for (int k = 0; k < static_cast<int>(form_.backs); ++k) {
          factor(at_.fed(k), own) = numbers[tables.back(k).factors];
        }
      }
      if constexpr (Stack == 1) parts = control(tick, own, mean_answer) || parts;
    });
    return parts;
  }
  __device__ void take_term(const EquationTermCode& term,
                            const EquationNumbers<T, EquationTables<T>>& numbers, int set, int b,
                            std::int64_t own, T share) {
    const T amount = share * numbers[term.factor];
    if (term.vector == EquationTermCode::kOnes) {
      factor(at_.known(set, form_.slots - 1, b), own) = amount;
      return;
    }
    const int vector = term.vector - layer_.program.first_vector;
    const int trace = vector - EquationPlaces::kFirstTrace;
    if (vector == EquationPlaces::kWeights) {
      factor(at_.change(2 * set), own) += amount;
    } else if (vector == EquationPlaces::kEligibility) {
      factor(at_.change(2 * set + 1), own) += amount;
    } else if (vector == EquationPlaces::kSample) {
      factor(at_.known(set, 0, b), own) = amount;
    } else if (trace < layer_.program.traces) {
      factor(at_.known(set, 1 + trace, b), own) = amount;
    } else {
      factor(at_.taken(trace - layer_.program.traces), own) = amount;
    }
  }

  /// Homeostasis and normalisation scale the new weights; |w|^2 goes on (plastic_products.cuh).
  __device__ bool control(int tick, std::int64_t own, T mean_answer) {
    T loss = -factor(at_.change(0), own);
    T keep = T(1) - loss;
    T scale = 1;
    const auto scale_new = [&](T by, T excess) {  // which is by - 1
      const bool is_small = loss > T(-0.5) && loss < T(0.5);
      keep *= by;
      scale *= by;
      loss = is_small ? loss + excess * loss - excess : T(1) - keep;
    };
    if (layer_.control.homeostatic) {
      scale_new(layer_.control.homeostatic_factor(mean_answer),
                layer_.control.homeostatic_excess(mean_answer));
    }
    bool parts = false;
    if (form_.carries_square) {
      T* const squares = row(chunk_.square_row());
      T& drift = row(chunk_.drift_row())[own];
      const T kept = keep * keep * squares[own];
      T along = 0;   // sum of gain z
      T across = 0;  // |sum of gain x|^2
      const T* const overlaps = gram() + std::int64_t{tick} * streams() * (form_.known_rows + 1);
      for (int b = 0; b < streams(); ++b) {
        const T gain = factor(at_.known(0, 0, b), own);
        T others = 0;
        for (int o = 0; o < b; ++o) {
          others += factor(at_.known(0, 0, o), own) * overlaps[b * form_.known_rows + o];
        }
        along += gain * row(std::int64_t{tick} * streams() + b)[own];
        across += gain * (gain * overlaps[b * form_.known_rows + b] + T(2) * others);
      }
      T after = kept + scale * (T(2) * keep * along + scale * across);
      after = after < T(0) ? T(0) : after;
      const T swell = kept > T(0) ? kept / after : T(0);
      drift = drift * swell + (swell > T(1) ? swell : T(1));
      const T norm = layer_.control.normalizing(after);
      if (norm != T(1)) scale_new(norm, norm - T(1));
      squares[own] = after * norm * norm;
      parts = !(drift <= T(kMostDrift));
    }
    factor(at_.change(0), own) = -loss;
    factor(at_.change(1), own) = keep;
    if (scale != T(1)) {
      for (std::int64_t which = 0; which < at_.change(0); ++which) factor(which, own) *= scale;
    }
    return parts;
  }

  /// What the tick makes of all that a warp has in turn.
  __device__ void move_rows(int tick) {
    const std::int64_t before = std::int64_t{tick} * streams();
    const std::int64_t after = before + streams();
    const std::int64_t samples = std::int64_t{chunk_.ticks} * streams();
    if (form_.backs > 0) {
      for (std::int64_t u = after + warp(); u < samples; u += kWarps) {
        map_row(layer_.program, form_, tick, lane(), row(u), layer_.neurons, factors_,
                gram() + u * form_.known_rows, 1);
      }
      return;
    }
    const std::int64_t vectors = form_.known_rows - (form_.has_ones ? 1 : 0);
    const std::int64_t last = form_.known_rows + (Stack == 1 ? 1 : stack_);
    for (std::int64_t r = warp(); r < last; r += kWarps) {
      if (r >= form_.known_rows) {
        move_left(r);
      } else if (r >= vectors) {
        each_of_row(r, [&](std::int64_t own, T* at) {
          move(own, at);
          for (int set = 0; set < static_cast<int>(form_.sets); ++set) {
            at[set * width_] += of_ones(set, own);
          }
        });
      } else {
        const std::int64_t slot = r < form_.samples ? 0 : quotient(r, form_.samples);
        const std::int64_t sample = r - slot * form_.samples;
        if (sample >= samples || (sample >= after && slot > 0)) continue;
        if (sample >= after) {
          move_drives(r, before);
        } else if (sample >= before) {
          each_of_row(r, [&](std::int64_t own, T* at) {
            for (std::int64_t k = 0; k < stack_; ++k) {
              const bool is_summed = k < form_.sets;
              at[k * width_] = is_summed ? factor(at_.known(k, slot, sample - before), own) : T(0);
            }
          });
        } else {
          each_of_row(r, [&](std::int64_t own, T* at) { move(own, at); });
        }
      }
    }
  }

  /// Drives of a later sample, which change as the weights do.
  __device__ void move_drives(std::int64_t sample, std::int64_t before) {
    const T* const overlaps = gram() + sample * form_.known_rows;
    each_of_row(sample, [&](std::int64_t own, T* at) {
      move(own, at);
      for (int set = 0; set < static_cast<int>(form_.sets); ++set) {
        T sum = 0;
        for (std::int64_t slot = form_.has_x ? 0 : 1; slot + 1 < form_.slots; ++slot) {
          for (int b = 0; b < streams(); ++b) {
            sum +=
                factor(at_.known(set, slot, b), own) * overlaps[slot * form_.samples + before + b];
          }
        }
        if (form_.has_ones) sum += of_ones(set, own) * overlaps[form_.known_rows - 1];
        at[set * width_] += sum;
      }
    });
  }
  __device__ T of_ones(int set, std::int64_t own) const {
    T sum = 0;
    for (int b = 0; b < streams(); ++b) sum += factor(at_.known(set, form_.slots - 1, b), own);
    return sum;
  }

  /// A stack by a tick.
  __device__ void move(std::int64_t own, T* at) const {
    if constexpr (Stack == 1) {
      at[0] = kept_of(at[0], factor(at_.change(0), own), factor(at_.change(1), own));
    } else {
      T before = 0;
      T now = at[0];
      for (std::int64_t k = 0; k < stack_; ++k) {
        const T next = k + 1 < stack_ ? at[(k + 1) * width_] : T(0);
        at[k * width_] = now + changed(own, k, before, now, next);
        before = now;
        now = next;
      }
    }
  }
  /// What number k changes by, given its neighbours and itself from before.
  __device__ T changed(std::int64_t own, std::int64_t k, T before, T now, T next) const {
    const auto by = [&](int which) { return factor(at_.change(which), own); };
    if constexpr (Stack == 2) {
      return k == 0 ? by(0) * now + by(1) * next : by(2) * before + by(3) * now;
    } else {
      const ChainPulls<T>& pulls = layer_.pulls;
      const T pull = pulls.behind[k] * (next - now);
      return k == 0 ? pull + by(0) * now : pull + pulls.before[k] * (before - now);
    }
  }
  /// What is left of a number at the chunk's start, less the number itself: so little is lost at a
  /// tick that one and it would have no digits for it.
  __device__ void move_left(std::int64_t r) {
    const std::int64_t number = r - form_.known_rows;
    each_of_row(r, [&](std::int64_t own, T* at) {
      if constexpr (Stack == 1) {
        const T change = factor(at_.change(0), own);
        T& share = row(chunk_.share_row())[own];
        share = kept_of(share, change, factor(at_.change(1), own));
        const bool is_small = at[0] > T(-0.5) && at[0] < T(0.5);
        at[0] = is_small ? at[0] + (change + change * at[0]) : share - T(1);
      } else {
        move(own, at);
        const auto is = [&](std::int64_t k) { return k == number ? T(1) : T(0); };
        for (std::int64_t k = number > 0 ? number - 1 : 0; k < stack_ && k <= number + 1; ++k) {
          at[k * width_] += changed(own, k, is(k - 1), is(k), is(k + 1));
        }
      }
    });
  }

  /// Coefficients, and what is left of W, to where the products find them.
  __device__ void end(int tick) {
    if (threadIdx.x == 0) chunk_.done[blockIdx.y * gridDim.x + blockIdx.x] = tick;
    move_memories(layer_, part_, false);
    if (form_.backs > 0) return;
    T* const to = chunk_.rows_of_replica(layer_.neurons) + part_.first;
    const std::int64_t done = std::int64_t{tick} * streams();
    const std::int64_t vectors = form_.known_rows - (form_.has_ones ? 1 : 0);
    for (std::int64_t r = warp(); r < form_.total_rows * stack_; r += kWarps) {
      const std::int64_t vector = quotient(r, stack_);
      const std::int64_t sample = vector - quotient(vector, form_.samples) * form_.samples;
      const bool is_past = vector < vectors && sample >= done;
      if (!is_past && !form_.holds_rows) continue;
      for (std::int64_t own = lane(); own < part_.count; own += kWarp) {
        to[r * layer_.neurons + own] = is_past ? T(0) : rows_[r * width_ + own];
      }
    }
  }

  const InterpretedLayer<T>& layer_;
  const EquationChunk<T>& chunk_;
  const EquationChunkForm& form_;
  EquationFactorRows at_;
  std::int64_t stack_;
  EquationPart<T> part_{};
  T* factors_;  ///< Factors of the tick, [factor rows, factor_step_]
  std::int64_t factor_step_ = 0;
  T* rows_;  ///< [total rows, stack, width_]
  std::int64_t width_ = 0;
};

template <class T, int Stack>
__global__ void __launch_bounds__(kThreads, 1)
    scan_equations_kernel(const __grid_constant__ InterpretedLayer<T> only,
                          const __grid_constant__ EquationChunk<T> chunk) {
  GAIA_SHARED_DYNAMIC(T, shared);
  EquationScan<T, Stack>(chunk.layer(only), chunk, shared).run();
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
