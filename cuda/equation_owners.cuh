// SPDX-License-Identifier: MIT
/// \file
/// Layers under a compiled rule whose neurons do not see each other: each neuron has a team of
/// threads, which hold its weights, their eligibility and the traces of their inputs in registers
/// while all ticks go by.  Samples come through shared memory, a few ticks at a time.
#pragma once

#include "async_copy.cuh"
#include "equation_layer.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// What a kernel of owners is compiled for.
template <int Streams, int Team, int Weights>
struct OwnersShape {
  static constexpr int kStreams = Streams;  ///< Streams of the batch.
  static constexpr int kTeam = Team;        ///< Threads of a neuron, a power of two.
  static constexpr int kWeights = Weights;  ///< Weights of a thread: every kTeam-th of its neuron.
  static constexpr int kTeams = kThreads / Team;
  static constexpr int kWarpsOfTeam = Team > kWarp ? Team / kWarp : 1;
};

/// Room for `n` numbers, also where there are none.
constexpr int room_for(int n) { return n > 0 ? n : 1; }

/// Numbers of a neuron and stream in registers: every place is known where it is read.
template <class T, class Program>
struct OwnNumbers {
  const Program& program;
  T (&own)[room_for(Program::kNumbers)];

  __device__ T operator[](int place) const {
    return place < Program::first_number ? program.constants[place]
                                         : own[place - Program::first_number];
  }
  __device__ void set(int place, T value) const { own[place - Program::first_number] = value; }
};

/// Sums over the team of each thread, of `Count` numbers.  `between` has room for those of all
/// warps of a block, twice: calls take turns, so that one barrier each is enough.
template <class T, class Shape, int Count>
__device__ void sum_over_team(T (&values)[Count], T* between, int& turn) {
#pragma unroll
  for (int distance = (Shape::kTeam < kWarp ? Shape::kTeam : kWarp) / 2; distance > 0;
       distance /= 2) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      values[i] += __shfl_xor_sync(kWholeWarp, values[i], distance);
    }
  }
  if constexpr (Shape::kWarpsOfTeam > 1) {
    constexpr int warps = kThreads / kWarp;
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    T* const here = between + turn * Count * warps;
    turn = 1 - turn;
    if (threadIdx.x % kWarp == 0) {
#pragma unroll
      for (int i = 0; i < Count; ++i) here[i * warps + warp] = values[i];
    }
    __syncthreads();  // all warps have left theirs
    const int first = warp / Shape::kWarpsOfTeam * Shape::kWarpsOfTeam;
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      values[i] = here[i * warps + first];
      for (int k = 1; k < Shape::kWarpsOfTeam; ++k) values[i] += here[i * warps + first + k];
    }
  }
}

/// One neuron's weights and whatever else goes with them from tick to tick, of one thread.
template <class T, class Program, class Shape>
class EquationOwner {
 public:
  static constexpr int kWeights = Shape::kWeights;
  static constexpr int kStreams = Shape::kStreams;
  static constexpr int kTraces = room_for(Program::traces);
  static constexpr int kSignals = room_for(Program::layer_signals + Program::neuron_signals);
  /// Numbers that warps leave each other, twice: of drives, then of a norm.
  static constexpr int kLeftOfDrive =
      2 * (kThreads / kWarp) *
      (kStreams + (Program::reads_square ? kStreams : 0) + (Program::reads_weight_square ? 1 : 0));
  static constexpr int kLeft = kLeftOfDrive + 2 * (kThreads / kWarp);

  __device__ explicit EquationOwner(const EquationLayer<T, Program>& layer, T* between)
      : layer_(layer),
        program_(layer.program),
        between_(between),
        holds_(layer.is_bounded || layer.control.homeostatic || layer.control.normalizes()) {
    const int team = static_cast<int>(threadIdx.x) / Shape::kTeam;
    thread_ = static_cast<int>(threadIdx.x) % Shape::kTeam;
    count_ = static_cast<int>((layer.x.n - thread_ + Shape::kTeam - 1) / Shape::kTeam);
    neuron_ = std::int64_t{blockIdx.x} * Shape::kTeams + team;
    lives_ = neuron_ < layer.neurons;
    if (!lives_) neuron_ = layer.neurons - 1;  // works along with its warp, and writes nothing
    each([&](int k, int j) { w_[k] = layer.weights[neuron_ * layer.x.n + j]; });
    for_streams([&](int b) {
      each([&](int k, int j) {
        if constexpr (Program::kHasEligibility) e_[b][k] = layer.eligibility[of_synapse(b, j)];
        for_traces([&](int i) { traces_[b][i][k] = layer.traces_before[of_trace(b, i, j)]; });
      });
      for_memories([&](int m) { numbers_[b][first_memory + m] = layer.memory[of_memory(b, m)]; });
    });
    prepare_signals(0);
  }

  /// A tick, of which stream b has its sample at `samples` + b `stream_apart`.
  __device__ void run_tick(std::int64_t tick, const T* samples, std::int64_t stream_apart) {
    T x[kStreams][kWeights] = {};
    for_streams([&](int b) {
      each([&](int k, int j) {
        x[b][k] = samples[b * stream_apart + j];
        for_traces([&](int i) {
          T& trace = traces_[b][i][k];
          trace = program_.trace_keep(i) * trace + x[b][k];
        });
      });
    });
    drive(x);
    for_streams([&](int b) { compute_numbers(b, tick); });
    prepare_signals(tick + 1);
    if constexpr (Program::kMayLearn) {
      learn(x);
      if (holds_) hold();
    }
    for_streams([&](int b) { settle_memories(b); });
  }

  __device__ void store() const {
    if (!lives_) return;
    const bool has_traces = blockIdx.x == 0 && neuron_ == 0;
    if constexpr (Program::kMayLearn) {
      each([&](int k, int j) { layer_.weights[neuron_ * layer_.x.n + j] = w_[k]; });
    }
    for_streams([&](int b) {
      each([&](int k, int j) {
        if constexpr (Program::kMayLearn && Program::kHasEligibility) {
          layer_.eligibility[of_synapse(b, j)] = e_[b][k];
        }
        if (has_traces) {
          for_traces([&](int i) { layer_.traces[of_trace(b, i, j)] = traces_[b][i][k]; });
        }
      });
      if (thread_ == 0) {
        for_memories(
            [&](int m) { layer_.memory[of_memory(b, m)] = numbers_[b][first_memory + m]; });
      }
    });
  }

 private:
  static constexpr int first_neuron = Program::first_neuron - Program::first_number;
  static constexpr int first_memory = first_neuron + EquationPlaces::kFirstMemory;

  template <class F>
  __device__ static void for_streams(const F& f) {
#pragma unroll
    for (int b = 0; b < kStreams; ++b) f(b);
  }
  template <class F>
  __device__ static void for_traces(const F& f) {
#pragma unroll
    for (int i = 0; i < Program::traces; ++i) f(i);
  }
  template <class F>
  __device__ static void for_memories(const F& f) {
#pragma unroll
    for (int m = 0; m < Program::memories(); ++m) f(m);
  }
  /// f(k, j) for each weight k of the thread and its input j.  Behind the row's end there is
  /// nothing, and all that a thread holds there is 0.
  template <class F>
  __device__ void each(const F& f) const {
#pragma unroll
    for (int k = 0; k < kWeights; ++k) {
      if (k < count_) f(k, thread_ + k * Shape::kTeam);
    }
  }

  __device__ std::int64_t of_synapse(int b, int j) const {
    return (b * layer_.neurons + neuron_) * layer_.x.n + j;
  }
  __device__ std::int64_t of_trace(int b, int i, int j) const {
    return (std::int64_t{b} * Program::traces + i) * layer_.x.n + j;
  }
  __device__ std::int64_t of_memory(int b, int m) const {
    return (std::int64_t{b} * layer_.memories + m) * layer_.neurons + neuron_;
  }
  __device__ OwnNumbers<T, Program> numbers(int b) { return {program_, numbers_[b]}; }

  /// z of each stream, and |x|^2 and |w|^2 where they are read.
  __device__ void drive(const T (&x)[kStreams][kWeights]) {
    constexpr int squares = Program::reads_square ? kStreams : 0;
    constexpr int lengths = Program::reads_weight_square ? 1 : 0;
    T sums[kStreams + squares + lengths];
    for_streams([&](int b) {
      sums[b] = dot(w_, x[b]);
      if constexpr (Program::reads_square) sums[kStreams + b] = dot(x[b], x[b]);
    });
    if constexpr (Program::reads_weight_square) sums[kStreams + squares] = dot(w_, w_);
    sum_over_team<T, Shape>(sums, between_, turn_);
    for_streams([&](int b) {
      numbers_[b][first_neuron + EquationPlaces::kDrive] = sums[b];
      if constexpr (Program::reads_square)
        numbers_[b][EquationPlaces::kSquare] = sums[kStreams + b];
      if constexpr (Program::reads_weight_square) {
        numbers_[b][first_neuron + EquationPlaces::kWeightSquare] = sums[kStreams + squares];
      }
    });
  }
  /// In four chains, so that none waits long for the sum before.
  __device__ static T dot(const T (&a)[kWeights], const T (&b)[kWeights]) {
    T sums[4] = {};
#pragma unroll
    for (int k = 0; k < kWeights; ++k) sums[k % 4] += a[k] * b[k];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  /// Signals of a tick, which are on their way while the tick before is computed.
  __device__ void prepare_signals(std::int64_t tick) {
    if (tick >= layer_.x.ticks) return;
    for_streams([&](int b) {
      const std::int64_t row = b * layer_.x.ticks + tick;
#pragma unroll
      for (int s = 0; s < Program::layer_signals; ++s) {
        signals_[b][s] = layer_.layer_signals[row * Program::layer_signals + s];
      }
#pragma unroll
      for (int s = 0; s < Program::neuron_signals; ++s) {
        signals_[b][Program::layer_signals + s] =
            layer_.neuron_signals[(row * Program::neuron_signals + s) * layer_.neurons + neuron_];
      }
    });
  }

  /// The program's steps, and y, of a stream.
  __device__ void compute_numbers(int b, std::int64_t tick) {
    const OwnNumbers<T, Program> n = numbers(b);
    n.set(Program::first_number + EquationPlaces::kTick, static_cast<T>(layer_.first_tick + tick));
#pragma unroll
    for (int s = 0; s < Program::layer_signals; ++s) {
      n.set(Program::first_number + EquationPlaces::kFirstLayerSignal + s, signals_[b][s]);
    }
#pragma unroll
    for (int s = 0; s < Program::neuron_signals; ++s) {
      n.set(Program::first_neuron_signal + s, signals_[b][Program::layer_signals + s]);
    }
#pragma unroll
    for (int k = 0; k < Program::draws(); ++k) {
      const EquationDrawCode draw = Program::draw(k);
      n.set(draw.place, equation_draw<T>(layer_, draw, b, neuron_, tick));
    }
    if constexpr (Program::reads_activation) {
      const T z = n[Program::first_neuron + EquationPlaces::kDrive];
      n.set(Program::first_neuron + EquationPlaces::kActivated, activate(Program::kActivation, z));
    }
    program_.take_steps(n);
    if (lives_ && thread_ == 0) layer_.y.row(b, tick)[neuron_] = n[Program::output];
  }

  /// The weights change by the mean over streams.
  __device__ void learn(const T (&x)[kStreams][kWeights]) {
    const T share = T(1) / static_cast<T>(kStreams);
#pragma unroll
    for (int k = 0; k < kWeights; ++k) {
      T change = 0;
      for_streams([&](int b) {
        T dw = 0;
        T de = 0;
        program_.change([&](int place) { return at(place, b, k, x[b][k]); }, dw, de);
        change += share * dw;
        if constexpr (Program::kHasEligibility) e_[b][k] += de;
      });
      w_[k] += change;
    }
    forget_behind();
  }
  __device__ T at(int place, int b, int k, T x) {
    if (place < Program::first_vector) return numbers(b)[place];
    const int vector = place - Program::first_vector;
    if (vector == EquationPlaces::kWeights) return w_[k];
    if (vector == EquationPlaces::kSample) return x;
    if (vector == EquationPlaces::kEligibility) return e_[b][k];
    return traces_[b][vector - EquationPlaces::kFirstTrace][k];
  }
  /// The weights behind the row's end stay 0, whatever the rule makes of it.
  __device__ void forget_behind() {
#pragma unroll
    for (int k = 0; k < kWeights; ++k) {
      if (k < count_) continue;
      w_[k] = 0;
      if constexpr (Program::kHasEligibility) for_streams([&](int b) { e_[b][k] = 0; });
    }
  }

  /// Homeostasis, normalisation and bounds.
  __device__ void hold() {
    T mean_answer = 0;
    for_streams([&](int b) { mean_answer += numbers(b)[Program::output]; });
    mean_answer /= static_cast<T>(kStreams);
    T factor = layer_.control.homeostatic ? layer_.control.homeostatic_factor(mean_answer) : T(1);
    if (layer_.control.normalizes()) {
      T square[1] = {dot(w_, w_)};
      sum_over_team<T, Shape>(square, between_ + kLeftOfDrive, turn_of_norm_);
      factor *= layer_.control.normalizing(factor * factor * square[0]);
    }
#pragma unroll
    for (int k = 0; k < kWeights; ++k) {
      w_[k] *= factor;
      if (layer_.is_bounded && k < count_) {
        w_[k] = w_[k] < layer_.low ? layer_.low : (w_[k] > layer_.high ? layer_.high : w_[k]);
      }
    }
  }

  __device__ void settle_memories(int b) {
    T next[room_for(Program::memories())];
    for_memories([&](int m) { next[m] = numbers(b)[Program::memory_from(m)]; });
    for_memories([&](int m) { numbers_[b][first_memory + m] = next[m]; });
  }

  const EquationLayer<T, Program>& layer_;
  const Program program_;  ///< In registers: what it has is read at every tick.
  T* between_;
  bool holds_;  ///< Whether anything but the rule changes the weights.
  int thread_;
  int count_;  ///< Weights of the thread that are there.
  std::int64_t neuron_;
  bool lives_;
  int turn_ = 0;
  int turn_of_norm_ = 0;
  T w_[kWeights] = {};
  T e_[kStreams][Program::kHasEligibility ? kWeights : 1] = {};
  T traces_[kStreams][kTraces][kWeights] = {};
  T numbers_[kStreams][room_for(Program::kNumbers)] = {};
  T signals_[kStreams][kSignals] = {};
};

/// All ticks of a block of them, in tiles of `tile` ticks, of which shared memory holds two.
template <class Shape, class T, class Program>
__device__ void run_owners(const EquationLayer<T, Program>& layer, int tile) {
  using Owner = EquationOwner<T, Program, Shape>;
  GAIA_SHARED_DYNAMIC(T, samples);  // [2, streams, tile, x.n]
  GAIA_SHARED(T, between, [Owner::kLeft]);
  const std::int64_t n = layer.x.n;
  const std::int64_t of_stream = tile * n;
  const auto begin_tile = [&](std::int64_t first) {
    T* const to = samples + first / tile % 2 * Shape::kStreams * of_stream;
    const std::int64_t left = layer.x.ticks - first;
    const std::int64_t ticks = left < tile ? left : tile;
    for (int b = 0; b < Shape::kStreams; ++b) {
      for (std::int64_t t = 0; t < ticks; ++t) {
        const T* const from = layer.x.row(b, first + t);
        for (std::int64_t j = threadIdx.x; j < n; j += kThreads) {
          copy_async(to + b * of_stream + t * n + j, from + j);
        }
      }
    }
    end_copy_group();
  };
  Owner owner(layer, between);
  begin_tile(0);
  for (std::int64_t first = 0; first < layer.x.ticks; first += tile) {
    begin_tile(first + tile);  // nothing, and a group of its own, behind the last tick
    wait_for_copy_groups<1>();
    __syncthreads();  // the tile is there
    const T* const here = samples + first / tile % 2 * Shape::kStreams * of_stream;
    for (std::int64_t t = 0; t < tile && first + t < layer.x.ticks; ++t) {
      owner.run_tick(first + t, here + t * n, of_stream);
    }
    __syncthreads();  // the tile may be written again
  }
  owner.store();
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
