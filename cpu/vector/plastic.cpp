// SPDX-License-Identifier: MIT
/// \file
/// Chunks of samples through a panel of neurons (see plastic_chunkwise.cpp for what is computed).
///
/// The weights of a panel lie as [input][neuron]: the drives of a tile of ticks, and the update of a
/// tile of inputs, are then the same loop, which multiplies a few vectors of neurons by a few
/// numbers and keeps all sums in registers.  Weights are held as diag(scale) V, so that a
/// normalisation at the end of a stretch costs nothing.
#include "plastic.h"

#include <algorithm>
#include <type_traits>

#include "../../src/learning/rules_control.h"
#include "plastic_tiles.h"
#include "simd.h"
#include "simd_math.h"
#include "variant.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

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
};

/// What a panel of Vectors x lanes neighbouring neurons carries from tick to tick.
template <class T, class R, int Vectors>
class Panel {
  using V = Vec<T>;
  static constexpr int lanes = V::lanes;
  static constexpr int width = Vectors * lanes;

 public:
  Panel(const R& rule, const PlasticChunks<T>& run, std::int64_t first, std::int64_t count,
        T* weights, T* gains)
      : rule_(rule),
        run_(run),
        control_(*run.control),
        normalizes_(control_.normalizes()),
        carries_square_(normalizes_ && run.chunk > 1),
        first_(first),
        count_(count),
        weights_(weights),
        gains_(gains) {
    pack();
    for (int v = 0; v < Vectors; ++v) {
      memory_[v] = V::load(run.memory + first + v * lanes, used(v));
      scale_[v] = V(T(1));
      square_[v] = V(T(0));
      drift_[v] = V(T(0));
    }
    if (normalizes_) measure();
  }

  /// Takes the panel through chunk number `chunk`.
  void learn(std::int64_t chunk) {
    const std::int64_t first = chunk * run_.chunk;
    const std::int64_t ticks = std::min(run_.chunk, run_.ticks - first);
    samples_ = run_.samples + first * run_.sample_stride;
    gram_ = run_.gram + chunk * run_.chunk * run_.chunk;
    answers_ = run_.answers + first * run_.answer_stride + first_;
    for (begin_ = 0; begin_ < ticks;) {
      const std::int64_t end = stretch(std::min(ticks, begin_ + span_));
      update(end);
      // Drives past a cut were in vain: the next stretch does not reach much further.
      span_ = std::min(run_.chunk, 2 * (end - begin_));
      begin_ = end;
    }
  }

  /// Writes weights and memory back.
  void finish() {
    for (int v = 0; v < Vectors; ++v) unpack(v);
    for (int v = 0; v < Vectors; ++v) memory_[v].store(run_.memory + first_ + v * lanes, used(v));
  }

 private:
  /// Neurons in vector v.
  std::int64_t used(int v) const {
    return std::clamp<std::int64_t>(count_ - v * lanes, 0, lanes);
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

  void measure() {
    for (std::int64_t k = 0; k < run_.inputs; ++k) {
      for (int v = 0; v < Vectors; ++v) {
        const V w = V::load(weights_ + k * width + v * lanes);
        square_[v] = fma(w, w, square_[v]);
      }
    }
  }

  /// From true weights, ticks begin_ to at most `end`; returns where it was wise to stop.
  std::int64_t stretch(std::int64_t end) {
    for (int v = 0; v < Vectors; ++v) {
      factor_[v] = V(T(1));
      deficit_[v] = V(T(0));
    }
    cut_ = false;
    std::int64_t tick = begin_;
    while (tick < end && !cut_) {
      if (end - tick >= kRows) {
        tick = tile<kRows>(tick);
      } else {
        tick = tile<1>(tick);
      }
    }
    return tick;
  }

  /// How the stretch so far has shrunk the weights with which it began.
  GAIA_INLINE Shrinkage<T> shrinkage_so_far(int v) const {
    return {deficit_[v], factor_[v], factor_[v] > V(T(0.5))};
  }

  /// Answers up to Rows ticks from `tick` on, and learns from them; returns the tick after the last.
  template <int Rows>
  std::int64_t tile(std::int64_t tick) {
    // Answers go to memory that no cache holds: it comes while the drives are computed.
    for (int m = 0; m < Rows; ++m) {
      for (int v = 0; v < Vectors; ++v) {
        __builtin_prefetch(answers_ + (tick + m) * run_.answer_stride + v * lanes, 1);
      }
    }
    V drive[Rows][Vectors];
    for (int m = 0; m < Rows; ++m) {
      for (int v = 0; v < Vectors; ++v) drive[m][v] = V(T(0));
    }
    add_products_to<T, Rows, Vectors>(samples_ + tick * run_.sample_stride, run_.sample_stride,
                                      weights_, run_.inputs, &drive[0][0]);
    const std::int64_t before = tick - begin_;
    for (int v = 0; v < Vectors; ++v) {
      const Shrinkage<T> shrinks = shrinkage_so_far(v);
      for (int m = 0; m < Rows; ++m) drive[m][v] = shrinks(drive[m][v] * scale_[v]);
    }
    if (before > 0) {
      add_products_to<T, Rows, Vectors>(gram_ + tick * run_.chunk + begin_, run_.chunk, gains_,
                                        before, &drive[0][0]);
    }
    return answer_and_learn<Rows>(tick, drive);
  }

  template <int Rows>
  std::int64_t answer_and_learn(std::int64_t tick, V (&drive)[Rows][Vectors]) {
    V stays[Rows][Vectors];
    V change[Rows][Vectors];
    T* const gains = gains_ + (tick - begin_) * width;
    int done = 0;
    while (done < Rows && !cut_) {
      const int m = done++;
      T* const answers = answers_ + (tick + m) * run_.answer_stride;
      V y[Vectors];
      answer(drive[m], y);
      V gain[Vectors];
      Mask<T> loses_much = V(T(0)) != V(T(0));
      for (int v = 0; v < Vectors; ++v) {
        if (used(v) == lanes) {
          y[v].store(answers + v * lanes);
        } else {
          y[v].store(answers + v * lanes, used(v));
        }
        const Step step = ask(v, drive[m][v], y[v], tick + m);
        deficit_[v] += fnma(step.loss, deficit_[v], step.loss);
        const Mask<T> loses_little = abs(step.loss) < V(T(0.5));
        const Shrinkage<T> shrinks(step.loss, step.keep, loses_little);
        stays[m][v] = shrinks.stays;
        change[m][v] = shrinks.change;
        loses_much = loses_much | !loses_little;
        gain[v] = step.gain;
        gain[v].store(gains + m * width + v * lanes);
      }
      const bool all_stay = !any(loses_much);
      for (int later = m + 1; later < Rows; ++later) {
        const V overlap(gram_[(tick + later) * run_.chunk + tick + m]);
        for (int v = 0; v < Vectors; ++v) {
          const V z = drive[later][v];
          const V left = all_stay ? z : stays[m][v] * z;
          drive[later][v] = fma(gain[v], overlap, fnma(change[m][v], z, left));
        }
      }
    }
    carry_gains(tick, done, stays, change);
    return tick + done;
  }

  GAIA_INLINE void answer(const V (&drive)[Vectors], V (&y)[Vectors]) const {
    dispatch_activation(run_.activation, [&](auto f) {
      for (int v = 0; v < Vectors; ++v) y[v] = f.value(drive[v]);
    });
  }

  /// What a tick makes of a neuron's weights: keep w + gain x, with keep = 1 - loss.
  struct Step {
    V loss;
    V keep;
    V gain;

    GAIA_INLINE void scale(V by, V excess) {
      loss = fma(excess, loss, loss) - excess;
      keep *= by;
      gain *= by;
    }
  };

  /// The rule's step, with homeostasis and normalisation folded in: both only scale new weights.
  GAIA_INLINE Step ask(int v, V drive, V y, std::int64_t tick) {
    const PlasticStep<V> asked = rule_(y, memory_[v]);
    Step step{asked.loss, V(T(1)) - asked.loss, asked.gain};
    if (control_.homeostatic) {
      const V excess = control_.homeostatic_excess(y);
      step.scale(V(T(1)) + excess, excess);
    }
    if (carries_square_) {
      const V kept = step.keep * step.keep * square_[v];
      const V own(gram_[tick * run_.chunk + tick]);
      const V reach = fma(step.gain, own, V(T(2)) * step.keep * drive);
      const V square = max(fma(step.gain, reach, kept), V(T(0)));
      const V swell = choose(kept > V(T(0)), kept / square, V(T(0)));
      drift_[v] = fma(drift_[v], swell, max(swell, V(T(1))));
      if (v * lanes < count_ && any(drift_[v] > V(T(kMaxDrift)))) cut_ = true;
      const V factor = control_.normalizing(square);
      step.scale(factor, factor - V(T(1)));
      square_[v] = square * factor * factor;
    }
    return step;
  }

  /// Carries all gains of the stretch, and the factor on its first weights, past the `done` ticks of
  /// a tile.
  template <int Rows>
  void carry_gains(std::int64_t tick, int done, const V (&stays)[Rows][Vectors],
                   const V (&change)[Rows][Vectors]) {
    const std::int64_t before = tick - begin_;
    for (int v = 0; v < Vectors; ++v) {
      T* const gains = gains_ + v * lanes;
      V after(T(1));  // product of the factors of later ticks
      for (int m = done - 1; m >= 0; --m) {
        T* const gain = gains + (before + m) * width;
        (V::load(gain) * after).store(gain);
        const Shrinkage<T> shrinks(stays[m][v], change[m][v]);
        after = shrinks(after);
      }
      for (std::int64_t s = 0; s < before; ++s) {
        T* const gain = gains + s * width;
        (V::load(gain) * after).store(gain);
      }
      factor_[v] *= after;
    }
  }

  /// The weights after the stretch that ended at `end`.
  void update(std::int64_t end) {
    V stays[Vectors];
    V change[Vectors];
    V squares[Vectors];
    for (int v = 0; v < Vectors; ++v) {
      const Shrinkage<T> shrinks = shrinkage_so_far(v);
      stays[v] = shrinks.stays * scale_[v];
      change[v] = shrinks.change * scale_[v];
      squares[v] = V(T(0));
    }
    const WeightUpdate<T, Vectors> tile{.samples = samples_ + begin_ * run_.sample_stride,
                                        .sample_stride = run_.sample_stride,
                                        .ticks = end - begin_,
                                        .gains = gains_,
                                        .stays = stays,
                                        .change = change,
                                        .squares = normalizes_ ? squares : nullptr};
    std::int64_t k = 0;
    for (; k + kRows <= run_.inputs; k += kRows) {
      update_weights<T, kRows, Vectors>(tile, k, weights_ + k * width);
    }
    for (; k < run_.inputs; ++k) update_weights<T, 1, Vectors>(tile, k, weights_ + k * width);
    for (int v = 0; v < Vectors; ++v) {
      scale_[v] = V(T(1));
      if (!normalizes_) continue;
      // Within the stretch norms were carried as scalars, and drift: make them true again.
      scale_[v] = control_.normalizing(squares[v]);
      square_[v] = squares[v] * scale_[v] * scale_[v];
      drift_[v] = V(T(0));
    }
  }

  const R& rule_;
  const PlasticChunks<T>& run_;
  ControlFactors<V, T> control_;
  bool normalizes_;
  bool carries_square_;  // a chunk of one tick is normalised at its end, by the definition
  std::int64_t first_;
  std::int64_t count_;
  T* weights_;  // V, [inputs, width]
  T* gains_;    // [ticks of the stretch, width], each carried to the tick reached
  const T* samples_ = nullptr;
  const T* gram_ = nullptr;
  T* answers_ = nullptr;
  std::int64_t begin_ = 0;  // of the stretch, in the chunk
  std::int64_t span_ = run_.chunk;
  bool cut_ = false;
  V memory_[Vectors];
  V scale_[Vectors];    // weights are diag(scale) V
  V square_[Vectors];   // |w|^2
  V drift_[Vectors];    // bound on the relative error of square_, in roundings
  V factor_[Vectors];   // product of the factors of the stretch so far
  V deficit_[Vectors];  // 1 - that, exact where it is small
};

/// One panel through all chunks.
template <class T, int Vectors>
void run_panel(const PlasticChunks<T>& run, std::int64_t first, std::int64_t count, T* workspace) {
  T* const weights = workspace;
  T* const gains = weights + run.inputs * Vectors * Vec<T>::lanes;
  with_alternative(*run.rule, [&](const auto& rule) {
    Panel<T, std::decay_t<decltype(rule)>, Vectors> panel(rule, run, first, count, weights, gains);
    const std::int64_t chunks = (run.ticks + run.chunk - 1) / run.chunk;
    for (std::int64_t c = 0; c < chunks; ++c) panel.learn(c);
    panel.finish();
  });
}

}  // namespace

std::int64_t plastic_tile_ticks() { return kRows; }

template <class T>
std::int64_t plastic_panel() {
  return kVectors * Vec<T>::lanes;
}

template <class T>
std::int64_t plastic_workspace(std::int64_t inputs, std::int64_t chunk) {
  return (inputs + chunk) * plastic_panel<T>();
}

template <class T>
void run_neurons(const PlasticChunks<T>& run, std::int64_t first, std::int64_t count,
                 T* workspace) {
  const std::int64_t end = first + count;
  while (first < end) {
    const std::int64_t vectors = (end - first + Vec<T>::lanes - 1) / Vec<T>::lanes;
    // Four vectors are better taken as two and two than as three and one.
    const std::int64_t taken =
        kVectors == 3 && vectors == 4 ? 2 : std::min<std::int64_t>(vectors, kVectors);
    const std::int64_t neurons = std::min(end - first, taken * Vec<T>::lanes);
    if (taken == 1) {
      run_panel<T, 1>(run, first, neurons, workspace);
    } else if (taken == 2) {
      run_panel<T, 2>(run, first, neurons, workspace);
    } else if constexpr (kVectors == 3) {
      run_panel<T, 3>(run, first, neurons, workspace);
    }
    first += neurons;
  }
}

template std::int64_t plastic_panel<float>();
template std::int64_t plastic_panel<double>();
template std::int64_t plastic_workspace<float>(std::int64_t, std::int64_t);
template std::int64_t plastic_workspace<double>(std::int64_t, std::int64_t);
template void run_neurons(const PlasticChunks<float>&, std::int64_t, std::int64_t, float*);
template void run_neurons(const PlasticChunks<double>&, std::int64_t, std::int64_t, double*);

}  // namespace gaia::cpu::GAIA_VECTOR_SET
