// SPDX-License-Identifier: MIT
/// \file
/// A rule's program in the memory of a device, as kernels interpret it: the numbered steps that the
/// CPU's executors take too, and the few lists beside them.  A compiled rule (cuda_text.h) has the
/// same members, known when it is compiled.
#pragma once

#include <cstdint>

#include "../src/formulas/equations/code.h"
#include "equation_codes.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// In the device's memory.
template <class E>
struct EquationList {
  const E* items = nullptr;
  int count = 0;

  __device__ const E& operator[](int i) const { return items[i]; }
  /// f(item) for one after another; each is on its way while the one before it is taken.
  template <class F>
  __device__ void each(const F& f) const {
    if (count == 0) return;
    E next = items[0];
    for (int i = 0; i < count; ++i) {
      const E item = next;
      if (i + 1 < count) next = items[i + 1];
      f(item);
    }
  }
};

/// A program that kernels interpret.
template <class T>
struct EquationTables {
  static constexpr bool kIsCompiled = false;
  // What a layer may do; a compiled program knows it.
  static constexpr bool kMayLearn = true;
  static constexpr bool kMayCross = true, kMayNotCross = true;
  static constexpr bool kMayGoBack = true, kMayNotGoBack = true;

  EquationList<T> constants;
  EquationList<T> trace_keeps;
  EquationList<EquationCode> steps;         ///< Steps of numbers.
  EquationList<std::uint16_t> memory_list;  ///< Places of the memories' new values.
  EquationList<EquationDrawCode> draw_list;
  EquationList<EquationBackCode> back_list;
  /// The sums, for class matrix.  For class weights: steps, and where dw and de are, as one term of
  /// kOnes each, whose factor may be a vector's place.
  EquationList<EquationTermCode> dw, de;
  EquationList<EquationCode> vector_steps;

  // The first places of kinds that are numbered in one row: constants, then these.
  int first_number = 0;  ///< Numbers of the layer, then of neurons: each neuron has a copy of both.
  int first_neuron = 0;
  int first_vector = 0;
  int first_temporary = 0;  ///< Vectors that steps write.
  int end = 0;              ///< Behind the last place.

  int output = 0;
  int first_neuron_signal = 0;
  int layer_signals = 0;
  int neuron_signals = 0;
  int traces = 0;
  bool reads_square = false;
  bool reads_weight_square = false;
  bool reads_activation = false;

  /// Numbers that are sums over the inputs: z, then |x|^2 and |w|^2 where they are read.
  GAIA_HOST_DEVICE int sums() const {
    return 1 + (reads_square ? 1 : 0) + (reads_weight_square ? 1 : 0);
  }
  GAIA_HOST_DEVICE int memories() const { return memory_list.count; }
  GAIA_HOST_DEVICE int draws() const { return draw_list.count; }
  GAIA_HOST_DEVICE int backs() const { return back_list.count; }
  __device__ T trace_keep(int k) const { return trace_keeps[k]; }
  __device__ int memory_from(int m) const { return memory_list[m]; }
  __device__ EquationDrawCode draw(int k) const { return draw_list[k]; }
  __device__ EquationBackCode back(int k) const { return back_list[k]; }
  GAIA_HOST_DEVICE int numbers() const { return first_vector - first_number; }
  GAIA_HOST_DEVICE int temporaries() const { return end - first_temporary; }
};

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
