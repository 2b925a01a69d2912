// SPDX-License-Identifier: MIT
/// \file
/// How a layer under a rule that is text is shared among blocks of threads, and what of it lies in
/// their shared memory.
#pragma once

#include <cstdint>
#include <optional>

#include "grid.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

enum class EquationKind : std::uint8_t {
  owners,     ///< Neurons do not see each other: each block goes through all ticks with a few.
  one_block,  ///< They do, and are few: one block goes through all ticks with all of them.
  ticks,      ///< Else each tick is a few launches.
};

struct EquationSizes {
  std::int64_t neurons = 1;
  std::int64_t inputs = 1;
  std::int64_t streams = 1;
  std::int64_t traces = 0;
  std::int64_t numbers = 2;  ///< Numbers of a neuron and stream at a tick.
  /// Over the inputs: z, and |x|^2 and |w|^2 where they are read.  Of each a warp leaves a part.
  std::int64_t sums = 1;
  std::int64_t temporaries = 0;  ///< Vectors, of which a thread has a number for each weight.
  bool has_eligibility = false;
  bool sees_layer = false;
  std::int64_t number_bytes = 4;
};

struct EquationForm {
  EquationKind kind = EquationKind::ticks;
  int warps_of_neuron = 1;  ///< Which share its inputs; a power of two.
  int strip = 1;            ///< Weights that a thread learns at a time.
  std::int64_t neurons_of_block = 1;
  std::int64_t number_rows = 0;  ///< Numbers of a neuron and stream, with the parts of its sums.
  // In shared memory, in this order; what is not lies in the device's, or where it came from.
  bool holds_traces = false;
  bool holds_numbers = false;
  bool holds_temporaries = false;
  bool holds_weights = false;
  bool holds_eligibility = false;
  bool holds_samples = false;  ///< Whether it holds those of a tick and the next.
  std::int64_t shared_numbers = 0;
  /// Shared numbers of launches for numbers alone, which hold those of a stream; 0: they do not.
  std::int64_t shared_numbers_of_stream = 0;
};

/// Bytes used, of the 99 KB of shared memory that every multiprocessor since compute capability 8.0
/// gives to a block: sums over the block take some too.
constexpr std::int64_t kSharedOfEquations = 96 * 1024;

/// Warps of a block.
constexpr int kWarpsOfEquations = kThreads / 32;

/// Weights that a thread has at hand at a time, at most: what a step says is read once for them.
template <class T>
constexpr int kEquationStrip = static_cast<int>(32 / sizeof(T));

/// For tests: what is taken wherever it can be; nothing: the natural kind.
inline std::optional<EquationKind>& forced_equation_kind() {
  static std::optional<EquationKind> kind;
  return kind;
}

inline EquationKind equation_kind(const EquationSizes& sizes) {
  /// Multiplications of a tick that one multiprocessor does in about the time of three launches.
  constexpr std::int64_t small = 1 << 16;
  // Each block of owners has traces of its own, which have to be on the chip: apart in the device's
  // memory they would be as many as there are blocks.
  const bool traces_fit =
      sizes.streams * sizes.traces * sizes.inputs * sizes.number_bytes <= kSharedOfEquations;
  const bool can_own = !sizes.sees_layer && traces_fit;
  if (forced_equation_kind() && (can_own || *forced_equation_kind() != EquationKind::owners)) {
    return *forced_equation_kind();
  }
  if (can_own) return EquationKind::owners;
  return sizes.streams * sizes.inputs * sizes.neurons <= small ? EquationKind::one_block
                                                               : EquationKind::ticks;
}

inline EquationForm equation_form(const EquationSizes& sizes) {
  EquationForm form{.kind = equation_kind(sizes)};
  const bool in_ticks = form.kind == EquationKind::ticks;
  const std::int64_t room = kSharedOfEquations / sizes.number_bytes;
  const auto take = [&](bool wanted, std::int64_t numbers) {
    if (!wanted || numbers == 0 || form.shared_numbers + numbers > room) return false;
    form.shared_numbers += numbers;
    return true;
  };
  constexpr std::int64_t near = std::int64_t{1} << 28;  // 32 bits reach over 8 rows
  form.strip = sizes.inputs < near ? static_cast<int>(32 / sizes.number_bytes) : 1;
  while (form.warps_of_neuron < kWarpsOfEquations &&
         sizes.inputs > std::int64_t{32} * form.warps_of_neuron * form.strip) {
    form.warps_of_neuron *= 2;
  }
  form.neurons_of_block = form.kind == EquationKind::one_block
                              ? sizes.neurons
                              : kWarpsOfEquations / form.warps_of_neuron;
  form.number_rows = sizes.numbers + form.warps_of_neuron * sizes.sums;
  form.holds_traces =
      take(form.kind == EquationKind::owners, sizes.streams * sizes.traces * sizes.inputs);
  form.holds_numbers = take(!in_ticks, sizes.streams * form.number_rows * form.neurons_of_block);
  // Many vectors at a time leave room for fewer weights of each.
  const std::int64_t of_weight = sizes.temporaries * kThreads;
  while (form.strip > 1 && of_weight * form.strip > room / 2) form.strip /= 2;
  form.holds_temporaries = take(true, of_weight * form.strip);
  if (in_ticks) {
    const std::int64_t of_stream = form.number_rows * sizes.neurons;
    if (of_stream <= room) form.shared_numbers_of_stream = of_stream;
    return form;
  }
  const std::int64_t weights = form.neurons_of_block * sizes.inputs;
  form.holds_weights = take(true, weights);
  form.holds_eligibility = take(sizes.has_eligibility, sizes.streams * weights);
  form.holds_samples = take(true, 2 * sizes.streams * sizes.inputs);
  return form;
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
