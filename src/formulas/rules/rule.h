// SPDX-License-Identifier: MIT
/// \file
/// What a plasticity rule of single neurons is made of.
///
/// A neuron with weights w [inputs] meets a sample x [inputs], has the drive z = w . x and returns
/// y = f(z).  From z, y and its memories, a few numbers of each neuron, a rule makes a step, and
/// then its executor applies
///
///     w <- (1 - loss) w + gain x.
///
/// The loss is carried rather than 1 - loss because 1 - 1e-5 rounds in float32.  A rule sees x and
/// w only through z, so the same formula runs sample by sample or in chunks of samples through
/// matrix products, on any device, with equal results (docs/plasticity.md).  Rates are per tick,
/// without unit.
///
/// A rule is a struct with
///
///     static constexpr const char* name;           in YAML
///     double learning_rate, decay;
///     template <class Visitor>                     its other keys, as calls of v.number, v.integer
///     void keys(Visitor& v);                       and v.flag; may be missing
///     std::array<RuleMemory, M> memories() const;  what it remembers; may be missing
///     template <class T>
///     GAIA_HOST_DEVICE PlasticStep<T> operator()(T z, T y, T* memory) const;
///     static constexpr const char* look_for;       a sentence for reports; may be missing
///     double stability_limit() const;              see stability_limit in learning/rule_list.h;
///     static constexpr const char* stability_note;   or, without one, what is known; may be
///     missing
///
/// `memory` has M numbers, which the step reads and changes.  T is a number, or a vector of the
/// numbers of several neurons, so a step is written without `if`.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <utility>

#include "../../core/host_device.h"

namespace gaia {

/// What a rule asks for at one sample: w <- (1 - loss) w + gain x.
template <class T>
struct PlasticStep {
  T loss;
  T gain;
};

/// A number that a rule keeps of every neuron.
struct RuleMemory {
  const char* name;     ///< In results and checkpoints; a-z, 0-9 and _.
  const char* meaning;  ///< "threshold"
  double initial = 0.0;
  const char* symbol = nullptr;  ///< In figures; null: the name.
  /// Whether results also have it beside the weights, where files of gaia 0.1 have it.
  bool beside_weights = false;
  /// Whether it goes on where a trial begins, and into a run that begins `from` another.
  bool across_trials = true;
};

/// How many memories a neuron has under a rule.
template <class R>
constexpr int memory_count() {
  if constexpr (requires(const R& rule) { rule.memories(); }) {
    return static_cast<int>(std::tuple_size_v<decltype(std::declval<const R&>().memories())>);
  } else {
    return 0;
  }
}

/// The memories of one neuron at a tick.  All streams of a batch see those of before; what is left
/// of them is the mean of what the streams make of them.
template <class R, class T>
struct NeuronMemory {
  static constexpr int count = memory_count<R>();
  static constexpr int room = count > 0 ? count : 1;  ///< There are no arrays of length 0.
  T now[room];
  T after[room];

  /// From [memories, neurons]; memory m of the neuron lies at m stride.
  GAIA_HOST_DEVICE void load(const T* memory, std::int64_t stride) {
    for (int m = 0; m < count; ++m) now[m] = after[m] = memory[m * stride];
  }
  GAIA_HOST_DEVICE void store(T* memory, std::int64_t stride) const {
    for (int m = 0; m < count; ++m) memory[m * stride] = now[m];
  }
  /// The rule's step for a stream, whose share in the tick is `share`.
  GAIA_HOST_DEVICE PlasticStep<T> ask(const R& rule, T z, T y, T share) {
    T own[room];
    for (int m = 0; m < count; ++m) own[m] = now[m];
    const PlasticStep<T> step = rule(z, y, own);
    for (int m = 0; m < count; ++m) after[m] += (own[m] - now[m]) * share;
    return step;
  }
  /// The same step without a trace.
  GAIA_HOST_DEVICE PlasticStep<T> ask_again(const R& rule, T z, T y) const {
    T own[room];
    for (int m = 0; m < count; ++m) own[m] = now[m];
    return rule(z, y, own);
  }
  /// The tick is over.
  GAIA_HOST_DEVICE void settle() {
    for (int m = 0; m < count; ++m) now[m] = after[m];
  }
};

}  // namespace gaia
