// SPDX-License-Identifier: MIT
/// \file
/// How a layer under a rule that is text is shared among blocks of threads, and what of it lies in
/// their shared memory.
#pragma once

#include <algorithm>
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
  std::int64_t temporaries = 0;  ///< Vectors that steps write, of which a thread has a number each.
  bool has_eligibility = false;
  bool sees_layer = false;
  std::int64_t number_bytes = 4;
};

struct EquationForm {
  EquationKind kind = EquationKind::ticks;
  std::int64_t neurons_of_block = 1;
  // In shared memory, in this order; what is not lies in the device's.
  bool holds_traces = false;
  bool holds_temporaries = false;
  bool holds_weights = false;
  bool holds_eligibility = false;
  std::int64_t shared_numbers = 0;
};

/// Of the 99 KB of shared memory that every multiprocessor since compute capability 8.0 gives to a
/// block: sums over the block take some too.
constexpr std::int64_t kSharedOfEquations = 96 * 1024;

/// A warp for each neuron of a block, where neurons do not see each other.
constexpr std::int64_t kOwnedNeurons = kThreads / 32;

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
  const std::int64_t room = kSharedOfEquations / sizes.number_bytes;
  const auto take = [&](bool wanted, std::int64_t numbers) {
    if (!wanted || numbers == 0 || form.shared_numbers + numbers > room) return false;
    form.shared_numbers += numbers;
    return true;
  };
  form.neurons_of_block = form.kind == EquationKind::one_block ? sizes.neurons : kOwnedNeurons;
  form.holds_traces =
      take(form.kind == EquationKind::owners, sizes.streams * sizes.traces * sizes.inputs);
  form.holds_temporaries = take(true, sizes.temporaries * kThreads);
  if (form.kind == EquationKind::ticks) return form;
  if (form.kind == EquationKind::owners) {
    // Of longer rows fewer fit; of the longest not one, and then all warps have theirs in memory.
    std::int64_t fit = kOwnedNeurons;
    while (fit > 1 && form.shared_numbers + fit * sizes.inputs > room) fit /= 2;
    if (form.shared_numbers + fit * sizes.inputs <= room) form.neurons_of_block = fit;
  }
  const std::int64_t weights = form.neurons_of_block * sizes.inputs;
  form.holds_weights = take(true, weights);
  form.holds_eligibility = take(sizes.has_eligibility, sizes.streams * weights);
  return form;
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
