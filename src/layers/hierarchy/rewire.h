// SPDX-License-Identifier: MIT
/// \file
/// A plastic layer with few of its synapses, which come and go while it learns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../../array/array.h"
#include "../../array/backend.h"
#include "../../array/undo.h"
#include "../../core/random.h"
#include "../../learning/rewiring.h"

namespace gaia {

/// `rewire:` of a plastic layer (RewireOptions): every neuron has round(density inputs) synapses,
/// at least one, first at random ones of its inputs.  After every `every`-th tick that learns, of
/// each neuron the round(share of them), at least one, with the smallest |w| go, and as many of its
/// other inputs get one.
///
/// The mask of a layer, and what decides how it changes.
class Rewire {
 public:
  /// `random` is the stream of the layer's initial weights, from which that of its masks derives.
  /// \throws ArgumentError for a number out of its range.
  Rewire(const RewireOptions& options, std::int64_t inputs, std::int64_t outputs, DType dtype,
         const RandomStream& random);

  const RewireOptions& options() const { return options_; }
  const Array& mask() const { return mask_; }          ///< [outputs, inputs] of 1 and 0.
  const Array& products() const { return products_; }  ///< Sums of y x; empty where by random.
  const Array& ticks() const { return ticks_; }        ///< Those that have learnt, [1].

  /// Numbers of synapses that are not there become 0, in arrays [..., outputs, inputs].
  void hold(const Array& of_synapses) const;

  /// Ends a tick of x [streams, 1, inputs] and y [streams, 1, outputs] in which the weights have
  /// learnt as if all synapses were there, by rule and homeostasis: those that are not are 0 again,
  /// then come normalisation and bounds, and where it is time synapses go and come.  `others` is
  /// what else synapses have: 0 where they are not.
  void end_tick(const Array& x, const Array& y, const Array& weights, std::span<const Array> others,
                const WeightControl& control, const std::optional<WeightBounds>& bounds);

  void keep(ArrayUndo& undo);
  Rewire copy() const;
  void move_to_current_device();

 private:
  void turn_over(const Array& weights, std::span<const Array> others, std::int64_t round);

  RewireOptions options_;
  RandomStream random_;
  std::int64_t inputs_;
  std::int64_t outputs_;
  Array mask_;
  Array products_;
  Array ticks_;  // int64, on the CPU
};

}  // namespace gaia
