// SPDX-License-Identifier: MIT
/// \file
/// Numbers of neurons under a rule that is text, at a tick: drives, the program's steps, answers.
///
/// A neuron has a copy of the layer's numbers beside its own, so that a step which does not cross
/// the layer asks nobody: a thread takes each for its neurons.  Steps are the same for all, so
/// threads that take one together do not part.
#pragma once

#include <algorithm>

#include "equation_layer.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Joins to the larger (of `sign` 1) or the smaller (of -1) number, or NaN if there is one.
template <class T>
struct Extreme {
  T sign;
  __device__ T operator()(T a, T b) const { return sign * b > sign * a || b != b ? b : a; }
};

/// The threads of a block that share the inputs of a neuron: a few warps.
struct EquationTeam {
  int number, count;    ///< Number of this team, and count of those of a block.
  int thread, threads;  ///< Number of this thread within its team, and count of its threads.

  __device__ explicit EquationTeam(int warps)
      : number(static_cast<int>(threadIdx.x) / (kWarp * warps)),
        count(kThreads / (kWarp * warps)),
        thread(static_cast<int>(threadIdx.x) % (kWarp * warps)),
        threads(kWarp * warps) {}
};

/// The part of what is left of a row that a strip can reach.
__device__ inline int near_count(std::int64_t left) {
  return static_cast<int>(std::min<std::int64_t>(left, std::int64_t{1} << 30));
}

/// This thread's part of a . b, of numbers that the threads of a team take in turn.
template <class T>
GAIA_NOINLINE __device__ T part_of_dot(const EquationTeam& team, const T* a, const T* b,
                                       std::int64_t n) {
  constexpr int ahead = kEquationStrip<T>;  // numbers on their way at a time
  T even = 0;
  T odd = 0;
  for (std::int64_t first = team.thread; first < n; first += ahead * team.threads) {
    const int left = near_count(n - first);
    const T* const from_a = a + first;
    const T* const from_b = b + first;
    T some_a[ahead], some_b[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      const bool is_there = k * team.threads < left;
      some_a[k] = is_there ? from_a[k * team.threads] : T(0);
      some_b[k] = is_there ? from_b[k * team.threads] : T(0);
    }
#pragma unroll
    for (int k = 0; k < ahead; k += 2) {
      even += some_a[k] * some_b[k];
      odd += some_a[k + 1] * some_b[k + 1];
    }
  }
  return even + odd;
}

/// What z, and |x|^2 and |w|^2 where they are read, are the sums of: a number for each warp of a
/// neuron.
template <class T, class Program>
__device__ void drive_neurons(const EquationLayer<T, Program>& layer, const EquationPart<T>& part,
                              std::int64_t tick) {
  const EquationTeam team(part.warps_of_neuron);
  const int warp = team.thread / kWarp;
  const bool is_first = team.thread % kWarp == 0;
  for (std::int64_t own = team.number; own < part.count; own += team.count) {
    const T* const w = part.weights + own * layer.x.n;
    const bool measures = layer.program.reads_weight_square;
    const T length = measures ? warp_reduce(part_of_dot(team, w, w, layer.x.n), Plus{}) : T(0);
    for (std::int64_t b = 0; b < layer.x.streams; ++b) {
      const T* const x = part.sample(layer, b, tick);
      const EquationNumbers<T, Program> numbers(layer, part, b, own);
      const T z = warp_reduce(part_of_dot(team, w, x, layer.x.n), Plus{});
      if (is_first) numbers.part_of_sums(warp) = z;
      if (is_first && measures) {
        numbers.part_of_sums((layer.program.sums() - 1) * part.warps_of_neuron + warp) = length;
      }
      if (!layer.program.reads_square) continue;
      const T square = warp_reduce(part_of_dot(team, x, x, layer.x.n), Plus{});
      if (is_first) numbers.part_of_sums(part.warps_of_neuron + warp) = square;
    }
  }
}

/// What the steps of a tick read, of a neuron of the part.
template <class T, class Program>
__device__ void read_numbers(const EquationLayer<T, Program>& layer, const EquationPart<T>& part,
                             std::int64_t stream, std::int64_t own, std::int64_t tick) {
  const Program& program = layer.program;
  const EquationNumbers<T, Program> numbers(layer, part, stream, own);
  const std::int64_t neuron = part.first + own;
  const auto sum_from = [&](int first) {
    T sum = numbers.part_of_sums(first);
    for (int i = 1; i < part.warps_of_neuron; ++i) sum += numbers.part_of_sums(first + i);
    return sum;
  };
  const T z = sum_from(0);
  numbers.set(program.first_neuron + EquationPlaces::kDrive, z);
  if (program.reads_square) {
    numbers.set(program.first_number + EquationPlaces::kSquare, sum_from(part.warps_of_neuron));
  }
  if (program.reads_weight_square) {
    numbers.set(program.first_neuron + EquationPlaces::kWeightSquare,
                sum_from((program.sums() - 1) * part.warps_of_neuron));
  }
  numbers.set(program.first_number + EquationPlaces::kTick,
              static_cast<T>(layer.first_tick + tick));
  const std::int64_t row = stream * layer.x.ticks + tick;
#pragma unroll 1
  for (int s = 0; s < program.layer_signals; ++s) {
    numbers.set(program.first_number + EquationPlaces::kFirstLayerSignal + s,
                layer.layer_signals[row * program.layer_signals + s]);
  }
#pragma unroll 1
  for (int s = 0; s < program.neuron_signals; ++s) {
    numbers.set(program.first_neuron_signal + s,
                layer.neuron_signals[(row * program.neuron_signals + s) * layer.neurons + neuron]);
  }
#pragma unroll 1
  for (int k = 0; k < program.draws(); ++k) {
    const EquationDrawCode draw = program.draw(k);
    numbers.set(draw.place, equation_draw<T>(layer, draw, stream, neuron, tick));
  }
#pragma unroll 1
  for (std::int64_t m = 0; tick == 0 && m < layer.memories; ++m) {
    numbers.set(program.first_neuron + EquationPlaces::kFirstMemory + static_cast<int>(m),
                layer.memory[(stream * layer.memories + m) * layer.neurons + neuron]);
  }
  if (!program.reads_activation) return;
  Activation activation = layer.activation;
  if constexpr (Program::kIsCompiled) activation = Program::kActivation;
  numbers.set(program.first_neuron + EquationPlaces::kActivated, activate(activation, z));
}

/// A step that does not cross the layer.
template <class T, class Program>
__device__ void take_step(const EquationNumbers<T, Program>& numbers, const EquationCode& code) {
  T a[] = {numbers[code.a]};
  const T b[] = {numbers[code.b]};
  const T c[] = {code.op == EquationOp::where ? numbers[code.c] : T(0)};
  compute_values(code.op, a, b, c);
  numbers.set(code.to, a[0]);
}

/// How many neurons are ahead of neuron i.
template <class T>
__device__ std::int64_t rank_of(const T* a, std::int64_t i, std::int64_t neurons) {
  std::int64_t rank = 0;
  for (std::int64_t j = 0; j < neurons; ++j) rank += is_ahead(a[j], j, a[i], i) ? 1 : 0;
  return rank;
}

/// A step that crosses the layer, of one stream: `to` and a are rows of all neurons; b is neuron
/// i's for each i.  Contains barriers.
template <class T, class B>
__device__ void cross_layer(EquationOp op, T* to, const T* a, const B& b, std::int64_t neurons) {
  using std::exp;
  const auto each = [&](const auto& value) {
    for (std::int64_t i = threadIdx.x; i < neurons; i += kThreads) to[i] = value(i);
  };
  const auto sum = [&](const auto& value) {
    double total = 0.0;  // as on the CPU
    for (std::int64_t i = threadIdx.x; i < neurons; i += kThreads) {
      total += static_cast<double>(value(i));
    }
    return block_reduce<kThreads>(total, Plus{});
  };
  const auto extreme = [&](T sign) {
    const Extreme<T> join{sign};
    T found = a[threadIdx.x < neurons ? threadIdx.x : 0];
    for (std::int64_t i = threadIdx.x; i < neurons; i += kThreads) found = join(found, a[i]);
    return block_reduce<kThreads>(found, join);
  };
  __syncthreads();  // a is there
  switch (op) {
    case EquationOp::layer_sum:
    case EquationOp::layer_mean: {
      const T count = op == EquationOp::layer_mean ? static_cast<T>(neurons) : T(1);
      const T value = static_cast<T>(sum([&](std::int64_t i) { return a[i]; })) / count;
      each([&](std::int64_t) { return value; });
      break;
    }
    case EquationOp::layer_largest:
    case EquationOp::layer_smallest: {
      const T value = extreme(op == EquationOp::layer_largest ? T(1) : T(-1));
      each([&](std::int64_t) { return value; });
      break;
    }
    case EquationOp::softmax: {
      const T largest = extreme(T(1));
      each([&](std::int64_t i) { return exp(a[i] - largest); });
      const T factor = static_cast<T>(1.0 / sum([&](std::int64_t i) { return to[i]; }));
      each([&](std::int64_t i) { return to[i] * factor; });
      break;
    }
    case EquationOp::kwta:
      each([&](std::int64_t i) {
        return static_cast<T>(rank_of(a, i, neurons)) < b(i) ? a[i] : T(0);
      });
      break;
    case EquationOp::winner:
      each([&](std::int64_t i) { return rank_of(a, i, neurons) == 0 ? T(1) : T(0); });
      break;
    default:  // rank
      each([&](std::int64_t i) { return static_cast<T>(rank_of(a, i, neurons)); });
      break;
  }
  __syncthreads();  // a may be written again
}

/// The steps of a tick, and y, of one stream, of which the part has all neurons; each step for all
/// of them before the next.
template <class T, class Program>
__device__ void compute_across(const EquationLayer<T, Program>& layer, const EquationPart<T>& part,
                               std::int64_t stream, std::int64_t tick) {
  const Program& program = layer.program;
  const auto each = [&](const auto& f) {
    for (std::int64_t i = threadIdx.x; i < part.count; i += kThreads) f(i);
  };
  const auto row = [&](int place) { return part.number_row(program, stream, place); };
  each([&](std::int64_t i) { read_numbers(layer, part, stream, i, tick); });
  if (program.reads_activation && layer.activation == Activation::softmax) {
    cross_layer(
        EquationOp::softmax, row(program.first_neuron + EquationPlaces::kActivated),
        row(program.first_neuron + EquationPlaces::kDrive), [](std::int64_t) { return T(0); },
        layer.neurons);
  }
  if (program.reads_activation && layer.activation == Activation::coates) {
    T* const activated = row(program.first_neuron + EquationPlaces::kActivated);
    const T* const z = row(program.first_neuron + EquationPlaces::kDrive);
    cross_layer(
        EquationOp::layer_mean, activated, z, [](std::int64_t) { return T(0); }, layer.neurons);
    each([&](std::int64_t i) { activated[i] = Relu{}.value(z[i] - activated[i]); });
  }
  const auto numbers_of = [&](std::int64_t i) {
    return EquationNumbers<T, Program>(layer, part, stream, i);
  };
  const auto cross = [&](EquationOp op, int to, int a, int b) {
    cross_layer(
        op, row(to), row(a), [&](std::int64_t i) { return numbers_of(i)[b]; }, layer.neurons);
  };
  if constexpr (Program::kIsCompiled) {
    program.take_steps_across(
        [&](const auto& steps) { each([&](std::int64_t i) { steps(numbers_of(i)); }); }, cross);
  } else {
    program.steps.each([&](const EquationCode& code) {
      if (crosses_layer(code.op)) return cross(code.op, code.to, code.a, code.b);
      each([&](std::int64_t i) { take_step(numbers_of(i), code); });
    });
  }
  each([&](std::int64_t i) {
    layer.y.row(stream, tick)[i] =
        EquationNumbers<T, Program>(layer, part, stream, i)[program.output];
  });
}

/// The steps of a tick, and y, of all streams of a part that has all neurons.
template <class T, class Program>
__device__ void compute_streams(const EquationLayer<T, Program>& layer, const EquationPart<T>& part,
                                std::int64_t tick) {
  const bool holds_one = part.numbers_of_stream == 0;
  const Program& program = layer.program;
  const std::int64_t of_stream = part.number_rows * layer.neurons;
  const std::int64_t computed = program.numbers() * layer.neurons;  // the rest are parts of sums
  const std::int64_t memories =
      (program.first_neuron + EquationPlaces::kFirstMemory - program.first_number) * layer.neurons;
  for (std::int64_t b = part.first_stream; b < layer.x.streams; b += part.stream_step) {
    T* const there = layer.numbers + b * of_stream;
    if (holds_one) {
      copy_numbers<T>(there + memories, part.numbers + memories, layer.memories * layer.neurons);
      copy_numbers<T>(there + computed, part.numbers + computed, of_stream - computed);
      __syncthreads();  // what the stream's steps read is there
    }
    compute_across(layer, part, b, tick);
    if (holds_one) {
      __syncthreads();  // its numbers are computed
      copy_numbers<T>(part.numbers, there, computed);
      __syncthreads();  // the next stream's numbers may take their place
    }
  }
}

/// The same of neurons that do not see each other, each by one thread.
template <class T, class Program>
__device__ void compute_each(const EquationLayer<T, Program>& layer, const EquationPart<T>& part,
                             std::int64_t tick) {
  for (std::int64_t item = threadIdx.x; item < part.count * layer.x.streams; item += kThreads) {
    const std::int64_t stream = item < part.count ? 0 : quotient(item, part.count);
    const std::int64_t own = item - stream * part.count;
    const EquationNumbers<T, Program> numbers(layer, part, stream, own);
    read_numbers(layer, part, stream, own, tick);
    if constexpr (Program::kIsCompiled) {
      layer.program.take_steps(numbers);
    } else {
      layer.program.steps.each([&](const EquationCode& code) { take_step(numbers, code); });
    }
    layer.y.row(stream, tick)[part.first + own] = numbers[layer.program.output];
  }
}

/// The steps of a tick, and y, of all neurons and streams of the part.
template <class T, class Program>
__device__ void compute_numbers(const EquationLayer<T, Program>& layer, const EquationPart<T>& part,
                                std::int64_t tick) {
  if constexpr (Program::kMayCross) {
    if (layer.crosses) compute_streams(layer, part, tick);
  }
  if constexpr (Program::kMayNotCross) {
    if (!layer.crosses) compute_each(layer, part, tick);
  }
}

/// Memories take their new values; behind the last tick of a block they go back to the layer's.  By
/// the warp that has the neuron.
template <class T, class Program>
__device__ void settle_memories(const EquationLayer<T, Program>& layer, const EquationPart<T>& part,
                                std::int64_t own, std::int64_t tick) {
  const Program& program = layer.program;
  for (std::int64_t b = static_cast<int>(threadIdx.x) % kWarp; b < layer.x.streams; b += kWarp) {
    const EquationNumbers<T, Program> numbers(layer, part, b, own);
    for (int m = 0; m < program.memories(); ++m) {
      const int place = program.first_neuron + EquationPlaces::kFirstMemory + m;
      const T value = numbers[program.memory_from(m)];
      numbers.set(place, value);
      if (tick == layer.x.ticks - 1) {
        layer.memory[(b * layer.memories + m) * layer.neurons + part.first + own] = value;
      }
    }
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
