// SPDX-License-Identifier: MIT
/// \file
/// Chunks of samples of a single stream through a panel of neurons.  Ticks are taken by tiles that
/// fill the registers, and follow on each other within a tile.
#include "plastic.h"

#include <algorithm>
#include <type_traits>

#include "plastic_panel.h"
#include "variant.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

template <class T, class R, int Vectors>
class StreamPanel : private PlasticPanel<T, Vectors> {
  using Panel = PlasticPanel<T, Vectors>;
  using V = Vec<T>;
  using Panel::lanes;
  using Panel::width;

 public:
  StreamPanel(const R& rule, const PlasticChunks<T>& run, std::int64_t first, std::int64_t count,
              T* weights, T* gains)
      : Panel(run, first, count, weights, gains), rule_(rule) {
    for (int v = 0; v < Vectors; ++v) {
      for (int m = 0; m < memories; ++m) {
        memory_[v][m] = V::load(memory_place(v, m), used(v));
      }
    }
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
      update(samples_ + begin_ * run_.sample_stride, end - begin_);
      // Drives past a cut were in vain: the next stretch does not reach much further.  Of whole
      // tiles, as ticks on their own take longer.
      span_ = std::min(run_.chunk, (2 * (end - begin_) + kRows - 1) / kRows * kRows);
      begin_ = end;
    }
  }

  /// Writes weights and memories back.
  void write_back() {
    write_weights_back();
    for (int v = 0; v < Vectors; ++v) {
      for (int m = 0; m < memories; ++m) memory_[v][m].store(memory_place(v, m), used(v));
    }
  }

 private:
  static constexpr int memories = memory_count<R>();

  /// From true weights, ticks begin_ to at most `end`; returns where it was wise to stop.
  std::int64_t stretch(std::int64_t end) {
    begin_stretch();
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

  /// Computes the outputs of up to Rows ticks from `tick` on, and learns from them; returns the
  /// tick after the last.
  template <int Rows>
  std::int64_t tile(std::int64_t tick) {
    V drive[Rows][Vectors];
    for (int m = 0; m < Rows; ++m) {
      for (int v = 0; v < Vectors; ++v) drive[m][v] = V(T(0));
    }
    add_products_to<T, Rows, Vectors>(samples_ + tick * run_.sample_stride, run_.sample_stride,
                                      weights_, run_.inputs, &drive[0][0]);
    const std::int64_t before = tick - begin_;
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      const Shrinkage<T> shrinks = remainder_[v].shrinkage();
      for (int m = 0; m < Rows; ++m) drive[m][v] = shrinks(drive[m][v] * scale_[v]);
    }
    if (before > 0) {
      add_products_to<T, Rows, Vectors>(gram_ + tick * run_.chunk + begin_, run_.chunk, gains_,
                                        before, &drive[0][0]);
    }
    if (control_.homeostatic || carries_square_) return answer_and_learn<Rows, true>(tick, drive);
    return answer_and_learn<Rows, false>(tick, drive);
  }

  /// What the ticks of a tile make of the weights: stays w - change w + gain x.
  template <int Rows>
  struct TileSteps {
    V stays[Rows][Vectors];
    V change[Rows][Vectors];
    bool gentle = true;  ///< All weights stay, less a small loss: `stays` is 1 and not written.
  };

  /// With the drives from the weights before the tile.  Only if `Scales` there is homeostasis or a
  /// normalisation to be carried.
  template <int Rows, bool Scales>
  __attribute__((noinline)) std::int64_t answer_and_learn(std::int64_t tick,
                                                          const V (&drive)[Rows][Vectors]) {
    TileSteps<Rows> steps;
    T* const gains = gains_ + (tick - begin_) * width;
    T* answers = answers_ + tick * run_.answer_stride;
    const T* overlaps = gram_ + tick * run_.chunk + tick;
    const R rule = rule_;  // a copy that no store can change: its numbers are converted once
    int done = 0;
#pragma GCC unroll 8
    for (int m = 0; m < Rows; ++m) {
      V z[Vectors];
      for (int v = 0; v < Vectors; ++v) z[v] = drive[m][v];
      if (steps.gentle) {
#pragma GCC unroll 8
        for (int s = 0; s < m; ++s) {
          const V overlap(overlaps[s]);
#pragma GCC unroll 4
          for (int v = 0; v < Vectors; ++v) {
            const V gain = V::load(gains + s * width + v * lanes);
            // The change comes last, as it is known last.
            z[v] = fnma(steps.change[s][v], z[v], fma(gain, overlap, z[v]));
          }
        }
      } else {
        catch_up(m, steps, gains, overlaps, z);
      }
      V y[Vectors];
      answer(z, y);
      store_answers(y, answers);
      // Outputs go to memory that no cache holds: that of the next tile comes meanwhile.
      for (int v = 0; v < Vectors; ++v) {
        __builtin_prefetch(answers + Rows * run_.answer_stride + v * lanes, 1);
      }
      const V own(overlaps[m]);
      V losses(T(0));
      PanelStep<T> step[Vectors];
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) {
        step[v] = ask<Scales>(rule, v, z[v], y[v], own);
        step[v].gain.store(gains + m * width + v * lanes);
        steps.change[m][v] = step[v].loss;
        losses += abs(step[v].loss);
      }
      if (!all(losses < V(T(0.5)))) take_hard_step(m, step, steps);
      done = m + 1;
      if (Scales && cut_) break;
      answers += run_.answer_stride;
      overlaps += run_.chunk;
    }
    end_tile(tick, done, steps);
    return tick + done;
  }

  /// z of tick m after the ticks of the tile before it, whatever they did.
  template <int Rows>
  __attribute__((noinline)) static void catch_up(int m, const TileSteps<Rows>& steps,
                                                 const T* gains, const T* overlaps,
                                                 V (&z)[Vectors]) {
    for (int s = 0; s < m; ++s) {
      for (int v = 0; v < Vectors; ++v) {
        const V gain = V::load(gains + s * width + v * lanes);
        const V left = steps.stays[s][v] * z[v];
        z[v] = fnma(steps.change[s][v], z[v], fma(gain, V(overlaps[s]), left));
      }
    }
  }

  /// Notes a step of tick m of which not all losses are small.
  template <int Rows>
  __attribute__((noinline)) static void take_hard_step(int m, const PanelStep<T> (&step)[Vectors],
                                                       TileSteps<Rows>& steps) {
    if (steps.gentle) {
      for (auto& row : steps.stays) std::fill_n(row, Vectors, V(T(1)));
      steps.gentle = false;
    }
    for (int v = 0; v < Vectors; ++v) {
      const Shrinkage<T> shrinks(step[v].loss, step[v].keep, abs(step[v].loss) < V(T(0.5)));
      steps.stays[m][v] = shrinks.stays;
      steps.change[m][v] = shrinks.change;
    }
  }

  GAIA_INLINE void answer(const V (&drive)[Vectors], V (&y)[Vectors]) const {
    if (run_.activation == Activation::linear) {
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) y[v] = drive[v];
      return;
    }
    V z[Vectors];  // a copy, so that drives and outputs need no address
    for (int v = 0; v < Vectors; ++v) z[v] = drive[v];
    activate(run_.activation, z);
    for (int v = 0; v < Vectors; ++v) y[v] = z[v];
  }

  __attribute__((noinline)) static void activate(Activation activation, V (&z)[Vectors]) {
    dispatch_activation(activation, [&](auto f) {
      for (V& one : z) one = f.value(one);
    });
  }

  GAIA_INLINE void store_answers(const V (&y)[Vectors], T* to) const {
    if (count_ == width) {
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) y[v].store(to + v * lanes);
    } else {
      for (int v = 0; v < Vectors; ++v) y[v].store(to + v * lanes, used(v));
    }
  }

  /// The rule's step, with homeostasis and normalisation folded in: both only scale new weights.
  template <bool Scales>
  GAIA_INLINE PanelStep<T> ask(const R& rule, int v, V drive, V y, V own) {
    const PlasticStep<V> asked = rule(drive, y, memory_[v]);
    PanelStep<T> step{asked.loss, V(T(1)) - asked.loss, asked.gain};
    if (!Scales) return step;
    if (control_.homeostatic) {
      step.scale(control_.homeostatic_factor(y), control_.homeostatic_excess(y));
    }
    if (carries_square_) {
      const V kept = step.keep * step.keep * square_[v];
      const V reach = fma(step.gain, own, V(T(2)) * step.keep * drive);
      carry_square(v, fma(step.gain, reach, kept), kept, step);
    }
    return step;
  }

  /// Carries all gains of the stretch, and its factor, past the `done` ticks of a tile.
  template <int Rows>
  GAIA_INLINE void end_tile(std::int64_t tick, int done, const TileSteps<Rows>& steps) {
    const std::int64_t before = tick - begin_;
    T* const gains = gains_ + before * width;
    Remainder<T> after[Vectors];  // rest of what a later tick finds
    Mask<T> decays = V(T(0)) != V(T(0));
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
#pragma GCC unroll 8
      for (int m = Rows - 1; m >= 0; --m) {
        if (m >= done) continue;
        T* const gain = gains + m * width + v * lanes;
        (V::load(gain) * after[v].factor).store(gain);
        const V change = steps.change[m][v];
        if (steps.gentle) {
          after[v].lose(change);
        } else {
          const Shrinkage<T> shrinks(steps.stays[m][v], change);
          after[v].shrink(shrinks.loss(), shrinks);
        }
      }
      remainder_[v].shrink(after[v]);
      decays = decays | (after[v].factor != V(T(1)));
    }
    if (!any(decays)) return;  // weights without decay need no more
    for (T* gain = gains_; gain < gains; gain += width) {
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) {
        (V::load(gain + v * lanes) * after[v].factor).store(gain + v * lanes);
      }
    }
  }

  using Panel::begin_stretch;
  using Panel::carries_square_;
  using Panel::carry_square;
  using Panel::control_;
  using Panel::count_;
  using Panel::cut_;
  using Panel::first_;
  using Panel::gains_;
  using Panel::memory_place;
  using Panel::remainder_;
  using Panel::run_;
  using Panel::scale_;
  using Panel::square_;
  using Panel::update;
  using Panel::used;
  using Panel::weights_;
  using Panel::write_weights_back;

  const R& rule_;
  const T* samples_ = nullptr;
  const T* gram_ = nullptr;
  T* answers_ = nullptr;
  std::int64_t begin_ = 0;  // begin of the stretch in the chunk
  std::int64_t span_ = run_.chunk;
  V memory_[Vectors][memories > 0 ? memories : 1];
};

/// One panel through all chunks.
template <class T, int Vectors>
void run_panel(const PlasticChunks<T>& run, std::int64_t first, std::int64_t count, T* workspace) {
  T* const weights = workspace;
  T* const gains = weights + run.inputs * Vectors * Vec<T>::lanes;
  with_alternative(*run.rule, [&](const auto& rule) {
    using R = std::decay_t<decltype(rule)>;
    if constexpr (is_neuron_rule<R>) {
      StreamPanel<T, R, Vectors> panel(rule, run, first, count, weights, gains);
      const std::int64_t chunks = (run.ticks + run.chunk - 1) / run.chunk;
      for (std::int64_t c = 0; c < chunks; ++c) panel.learn(c);
      panel.write_back();
    }
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
    const std::int64_t taken = vectors == 4 ? 2 : std::min<std::int64_t>(vectors, kVectors);
    const std::int64_t neurons = std::min(end - first, taken * Vec<T>::lanes);
    if (taken == 1) {
      run_panel<T, 1>(run, first, neurons, workspace);
    } else if (taken == 2) {
      run_panel<T, 2>(run, first, neurons, workspace);
    } else {
      run_panel<T, kVectors>(run, first, neurons, workspace);
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
