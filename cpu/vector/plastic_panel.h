// SPDX-License-Identifier: MIT
/// \file
/// A panel of neighbouring plastic neurons with its weights packed, from true weights at the start
/// of a stretch of samples to true weights at its end (see ../plastic_chunkwise.cpp).
///
/// The weights of a panel lie as [input][neuron]: the drives of a tile of samples, and the update
/// of a tile of inputs, are then the same loop, which multiplies a few vectors of neurons by a few
/// numbers and keeps all sums in registers.  Weights are held as diag(scale) V, so that a
/// normalisation at the end of a stretch costs nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "../../src/formulas/rules_control.h"
#include "plastic.h"
#include "plastic_tiles.h"
#include "simd.h"
#include "simd_inverse_sqrt.h"
#include "simd_lanes.h"
#include "simd_math.h"
#include "simd_tanh.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

/// How many roundings the carried |w|^2 may be off by before the chunk is cut.  A chunk of the
/// usual lengths under a gentle rule collects one a tick.
constexpr int kMaxDrift = 128;

/// x becomes stays x - change x: the loss is exact where it is small, the factor where it is not.
template <class T>
struct Shrinkage {
  Vec<T> stays;
  Vec<T> change;

  GAIA_INLINE Shrinkage(Vec<T> loss, Vec<T> keep, Mask<T> loss_is_small)
      : stays(choose(loss_is_small, Vec<T>(T(1)), Vec<T>(T(0)))),
        change(choose(loss_is_small, loss, -keep)) {}
  GAIA_INLINE Shrinkage(Vec<T> s, Vec<T> c) : stays(s), change(c) {}

  GAIA_INLINE Vec<T> operator()(Vec<T> x) const { return fnma(change, x, stays * x); }
  /// What it takes of 1.
  GAIA_INLINE Vec<T> loss() const { return change + (Vec<T>(T(1)) - stays); }
};

/// What a row of shrinkages leaves of 1: a factor, and 1 - factor, exact where that is small.
template <class T>
struct Remainder {
  Vec<T> factor{T(1)};
  Vec<T> deficit{T(0)};

  GAIA_INLINE void shrink(Vec<T> loss, const Shrinkage<T>& shrinks) {
    multiply(loss, shrinks(factor));
  }
  GAIA_INLINE void shrink(const Remainder& by) { multiply(by.deficit, factor * by.factor); }
  /// The same for losses below 1/2, a tile of them at most: in so few, a deficit that grows does
  /// not lose many digits.
  GAIA_INLINE void lose(Vec<T> loss) {
    factor = fnma(loss, factor, factor);
    deficit += fnma(loss, deficit, loss);
  }

  GAIA_INLINE Shrinkage<T> shrinkage() const { return {deficit, factor, factor > Vec<T>(T(0.5))}; }

 private:
  GAIA_INLINE void multiply(Vec<T> loss, Vec<T> new_factor) {
    // A deficit far from zero has lost the digits that it would need near zero again.
    const Mask<T> is_small = abs(deficit) < Vec<T>(T(0.5));
    factor = new_factor;
    deficit = choose(is_small, deficit + fnma(loss, deficit, loss), Vec<T>(T(1)) - factor);
  }
};

/// What a tick makes of a neuron's weights: keep w + gain x, with keep = 1 - loss.
template <class T>
struct PanelStep {
  Vec<T> loss;
  Vec<T> keep;
  Vec<T> gain;

  /// `excess` is by - 1.
  GAIA_INLINE void scale(Vec<T> by, Vec<T> excess) {
    const Mask<T> is_small = abs(loss) < Vec<T>(T(0.5));
    keep *= by;
    gain *= by;
    // A large loss, which a bound takes back, would swallow the digits of a small one.
    loss = choose(is_small, fma(excess, loss, loss) - excess, Vec<T>(T(1)) - keep);
  }
};

/// Vectors x lanes neurons and what they carry from tick to tick.
template <class T, int Vectors>
class PlasticPanel {
 protected:
  using V = Vec<T>;
  static constexpr int lanes = V::lanes;
  static constexpr int width = Vectors * lanes;

  /// `weights` and `gains` are room for [inputs, width] and [samples of a chunk, width].  |w|^2 is
  /// known at every tick where the weights are normalised, or where it is asked for.
  PlasticPanel(const PlasticChunks<T>& run, std::int64_t first, std::int64_t count, T* weights,
               T* gains, bool asks_for_square = false)
      : run_(run),
        control_(*run.control),
        normalizes_(control_.normalizes()),
        measures_(normalizes_ || asks_for_square),
        carries_square_(measures_ && run.chunk > 1),
        first_(first),
        count_(count),
        weights_(weights),
        gains_(gains) {
    pack();
    for (int v = 0; v < Vectors; ++v) {
      scale_[v] = V(T(1));
      square_[v] = V(T(0));
      drift_[v] = V(T(0));
    }
    if (measures_) measure();
  }

  /// Neurons in vector v.
  std::int64_t used(int v) const { return std::clamp<std::int64_t>(count_ - v * lanes, 0, lanes); }

  void begin_stretch() {
    for (Remainder<T>& remainder : remainder_) remainder = {};
    cut_ = false;
  }

  /// Calls f(rows, first) for tiles of kRows or fewer samples, rows a constant of the compiler.
  template <class F>
  GAIA_INLINE static void by_tiles(std::int64_t samples, const F& f) {
    std::int64_t s = 0;
    for (; s + kRows <= samples; s += kRows) f(std::integral_constant<int, kRows>{}, s);
    if (kRows > 4 && s + 4 <= samples) {
      f(std::integral_constant<int, 4>{}, s);
      s += 4;
    }
    if (s + 2 <= samples) {
      f(std::integral_constant<int, 2>{}, s);
      s += 2;
    }
    if (s < samples) f(std::integral_constant<int, 1>{}, s);
  }

  /// The products of `count` samples, one behind the other, with packed vectors [inputs, width], to
  /// [count, width].
  void multiply(const T* samples, std::int64_t count, const T* packed, T* to) const {
    by_tiles(count, [&](auto rows, std::int64_t s) {
      constexpr int Rows = decltype(rows)::value;
      V sums[Rows][Vectors];
      for (int m = 0; m < Rows; ++m) {
        for (int v = 0; v < Vectors; ++v) sums[m][v] = V(T(0));
      }
      add_products_to<T, Rows, Vectors>(samples + s * run_.sample_stride, run_.sample_stride,
                                        packed, run_.inputs, &sums[0][0]);
      for (int m = 0; m < Rows; ++m) {
        for (int v = 0; v < Vectors; ++v) sums[m][v].store(to + (s + m) * width + v * lanes);
      }
    });
  }

  /// |keep w + sum_b gain_b x_b|^2 - |keep w|^2 of a tick, given the drives and the gains of its
  /// samples [streams, width] for a vector of neurons, and x_t . x_s of these samples.
  GAIA_INLINE V added_square(const T* drives, const T* gains, const T* overlaps,
                             const PanelStep<T>& step) const {
    const std::int64_t stride = run_.chunk * run_.streams;
    V added(T(0));
    for (std::int64_t b = 0; b < run_.streams; ++b) {
      V others(T(0));  // each pair of samples once
      for (std::int64_t o = 0; o < b; ++o) {
        others = fma(V::load(gains + o * width), V(overlaps[b * stride + o]), others);
      }
      const V gain = V::load(gains + b * width) * step.gain;
      const V reach =
          fma(gain, V(overlaps[b * stride + b]),
              V(T(2)) * fma(step.keep, V::load(drives + b * width), step.gain * others));
      added = fma(gain, reach, added);
    }
    return added;
  }

  /// Carries on a new squared norm, kept = keep^2 |w|^2 of it from before, and folds the
  /// normalisation that it asks for into a step; asks for a cut where the carried norm may be off.
  GAIA_INLINE void carry_square(int v, V square, V kept, PanelStep<T>& step) {
    square = choose(square < V(T(0)), V(T(0)), square);  // NaN stays: |w|^2 has overflowed
    const V inverse = inverse_sqrt(square);
    const V ratio =
        choose(square > V(T(0)), kept * inverse * inverse, V(std::numeric_limits<T>::infinity()));
    const V swell = choose(kept > V(T(0)), ratio, V(T(0)));
    drift_[v] = fma(drift_[v], swell, max(swell, V(T(1))));
    if (v * lanes < count_ && any(drift_[v] > V(T(kMaxDrift)))) cut_ = true;
    square_[v] = square;
    if (!normalizes_) return;
    const V factor = control_.normalizing(square, inverse);
    step.scale(factor, factor - V(T(1)));
    square_[v] = square * factor * factor;
  }

  /// The weights after a stretch of `count` samples, one behind the other from `samples` on, with
  /// gains that were carried to its end.
  void update(const T* samples, std::int64_t count) {
    Mask<T> stay[Vectors];
    V change[Vectors];
    V part[Vectors];
    V squares[Vectors];
    bool all_stay = true;
    for (int v = 0; v < Vectors; ++v) {
      const Shrinkage<T> shrinks = remainder_[v].shrinkage();
      // Near 1 the difference of a scale is exact, so that all of it can go into the change.
      stay[v] = (shrinks.stays == V(T(1))) & (scale_[v] >= V(T(0.5))) & (scale_[v] <= V(T(2)));
      change[v] =
          choose(stay[v], fma(shrinks.change, scale_[v], V(T(1)) - scale_[v]), -shrinks(scale_[v]));
      squares[v] = V(T(0));
      all_stay = all_stay && all(stay[v]);
    }
    const WeightUpdate<T, Vectors> tile{.samples = samples,
                                        .sample_stride = run_.sample_stride,
                                        .count = count,
                                        .gains = gains_,
                                        .stay = stay,
                                        .change = change,
                                        .squares = measures_ ? part : nullptr};
    by_blocks([&](std::int64_t k, std::int64_t end) {
      for (V& square : part) square = V(T(0));
      for (; k + kRows <= end; k += kRows) {
        if (all_stay) {
          update_weights<true, T, kRows, Vectors>(tile, k, weights_ + k * width);
        } else {
          update_weights<false, T, kRows, Vectors>(tile, k, weights_ + k * width);
        }
      }
      for (; k < end; ++k) update_weights<false, T, 1, Vectors>(tile, k, weights_ + k * width);
      for (int v = 0; v < Vectors; ++v) squares[v] += part[v];
    });
    for (int v = 0; v < Vectors; ++v) {
      scale_[v] = V(T(1));
      if (!measures_) continue;
      // Within the stretch norms were carried as scalars, and drift: make them true again.
      scale_[v] = control_.normalizing(squares[v]);
      square_[v] = squares[v] * scale_[v] * scale_[v];
      drift_[v] = V(T(0));
    }
  }

  /// |w|^2 of the weights as they are, which have no scale.
  void measure() {
    V squares[Vectors];
    for (V& square : squares) square = V(T(0));
    by_blocks([&](std::int64_t first, std::int64_t end) {
      V part[Vectors];
      for (V& square : part) square = V(T(0));
      for (std::int64_t k = first; k < end; ++k) {
        for (int v = 0; v < Vectors; ++v) {
          const V w = V::load(weights_ + k * width + v * lanes);
          part[v] = fma(w, w, part[v]);
        }
      }
      for (int v = 0; v < Vectors; ++v) squares[v] += part[v];
    });
    for (int v = 0; v < Vectors; ++v) {
      square_[v] = squares[v];
      drift_[v] = V(T(0));
    }
  }

  void write_weights_back() {
    for (int v = 0; v < Vectors; ++v) unpack(v);
  }

  /// Memory m of the neurons of vector v, of which used(v) are there.
  T* memory_place(int v, int m) const {
    return run_.memory + m * run_.outputs + first_ + v * lanes;
  }

  const PlasticChunks<T>& run_;
  ControlFactors<V, T> control_;
  bool normalizes_;
  bool measures_;        // |w|^2 of true weights
  bool carries_square_;  // to the ticks of a chunk; one tick alone begins with true weights
  std::int64_t first_;
  std::int64_t count_;
  T* weights_;  // V, [inputs, width]
  T* gains_;    // [samples of the stretch, width], each carried to the tick reached
  bool cut_ = false;
  V scale_[Vectors];                 // weights are diag(scale) V
  V square_[Vectors];                // |w|^2
  V drift_[Vectors];                 // bound on the relative error of square_, in roundings
  Remainder<T> remainder_[Vectors];  // what the stretch so far leaves of the weights before it

 private:
  /// Calls f(first, end) for the inputs whose sums are computed one after another.
  template <class F>
  GAIA_INLINE void by_blocks(const F& f) const {
    static_assert(kDepth<T> % kRows == 0);
    for (std::int64_t first = 0; first < run_.inputs; first += kDepth<T>) {
      f(first, std::min(first + kDepth<T>, run_.inputs));
    }
  }

  void pack() {
    for (int v = 0; v < Vectors; ++v) {
      transpose_rows(run_.weights + (first_ + v * lanes) * run_.inputs, run_.inputs, used(v),
                     run_.inputs, weights_ + v * lanes, width);
    }
  }

  void unpack(int v) {
    T* const rows = run_.weights + (first_ + v * lanes) * run_.inputs;
    const std::int64_t count = used(v);
    std::int64_t k = 0;
    for (; k + lanes <= run_.inputs; k += lanes) {
      V block[lanes];
      for (int i = 0; i < lanes; ++i) {
        block[i] = V::load(weights_ + (k + i) * width + v * lanes) * scale_[v];
      }
      transpose(block);
      for (std::int64_t i = 0; i < count; ++i) block[i].store(rows + i * run_.inputs + k);
    }
    for (; k < run_.inputs; ++k) {
      for (int i = 0; i < count; ++i) {
        rows[i * run_.inputs + k] = scale_[v][i] * weights_[k * width + v * lanes + i];
      }
    }
  }
};

}  // namespace gaia::cpu::GAIA_VECTOR_SET
