// SPDX-License-Identifier: MIT
/// \file
/// A panel of neighbouring neurons under a rule that is text, from true weights at the start of a
/// stretch of samples to true weights at its end (see ../equations_chunkwise.cpp).
///
/// Within a chunk the weights of a neuron are
///
///     w_t = P_t w_0 + sum_{s < t} (a_s x_s + sum_k b_{k,s} trace_{k,s}) + c 1,
///
/// with numbers that each tick scales and adds to.  A trace is its value before the chunk and
/// samples of the chunk, so at the end its coefficients are folded into those of the samples.  With
/// an eligibility e of its own, w and e are each such a sum, of w_0 and of e_0.
#pragma once

#include <algorithm>
#include <cstdint>

#include "equation_panel.h"
#include "panel_events.h"
#include "plastic_panel.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

/// Coefficients of the known vectors, of w or of e.
template <class T>
struct Coefficients {
  T* x;       ///< [samples of a chunk, width]
  T* traces;  ///< [traces, samples of a chunk, width]
  T* ones;    ///< [width]
};

template <class T, int Vectors>
class EquationPanel : private PlasticPanel<T, Vectors> {
  using Panel = PlasticPanel<T, Vectors>;
  using V = Vec<T>;
  using Panel::lanes;

 public:
  using Panel::width;

  static std::int64_t numbers(const EquationChunks<T>& run) {
    const std::int64_t samples = run.block.chunk * run.block.streams;
    const std::int64_t sets = run.has_eligibility ? 2 : 1;
    const std::int64_t coefficients = samples * (1 + run.traces) + 1;
    return kOwnNumbers +
           width * (sets * (run.block.inputs + samples + coefficients) + 3 + 4 + extra_count(run));
  }
  /// Numbers that take the place of the panel itself.
  static constexpr std::int64_t kOwnNumbers = 4096 / static_cast<std::int64_t>(sizeof(T));

  EquationPanel(const EquationChunks<T>& run, std::int64_t first, std::int64_t count, T* room)
      : Panel(run.block, first, count, room,
              room + (run.block.inputs + run.block.chunk * run.block.streams) * width,
              run.reads_weight_square),
        equations_(run),
        samples_per_chunk_(run.block.chunk * run.block.streams) {
    T* next = room + run.block.inputs * width;
    const auto take = [&](std::int64_t rows) {
      T* const mine = next;
      next += rows * width;
      return mine;
    };
    drives_ = take(samples_per_chunk_);
    const auto take_coefficients = [&] {
      return Coefficients<T>{take(samples_per_chunk_), take(samples_per_chunk_ * run.traces),
                             take(1)};
    };
    of_w_ = take_coefficients();
    pending_loss_ = take(3);
    pending_ones_ = pending_loss_ + width;
    mean_answer_ = pending_ones_ + width;
    map_ = take(4);
    extra_ = take(extra_count(run));
    if (run.has_eligibility) {
      eligibility_ = take(run.block.inputs);
      eligible_drives_ = take(samples_per_chunk_);
      of_e_ = take_coefficients();
      for (int v = 0; v < Vectors; ++v) {
        transpose_rows(run.eligibility + (first_ + v * lanes) * run.block.inputs, run.block.inputs,
                       used(v), run.block.inputs, eligibility_ + v * lanes, width);
      }
    }
  }

  void start(std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    samples_ = run_.samples + chunk * samples_per_chunk_ * run_.sample_stride;
    gram_ = run_.gram + chunk * samples_per_chunk_ * samples_per_chunk_;
    overlaps_ = equations_.trace_overlaps + chunk * samples_per_chunk_ * samples_per_chunk_;
    sums_ = equations_.sums + chunk * samples_per_chunk_;
    begin_ = begin;
    first_sample_ = chunk * samples_per_chunk_;
    by_events_ = equations_.events.by_events != nullptr && equations_.events.by_events[chunk];
    begin_stretch();
    clear<1>(of_w_.ones);
    products(weights_, drives_, begin, end);
    if (!equations_.has_eligibility) return;
    clear<1>(of_e_.ones);
    clear<4>(map_);
    products(eligibility_, eligible_drives_, begin, end);
  }

  void drive(std::int64_t tick, std::int64_t stream, T* to, T* squares) {
    const std::int64_t sample = tick * streams() + stream;
    const std::int64_t before = (tick - begin_) * streams();
    T* const known = drives_ + (sample - begin_ * streams()) * width;
    V z[1][Vectors];
    for (int v = 0; v < Vectors; ++v) {
      const V first = V::load(known + v * lanes);
      if (equations_.has_eligibility) {
        const V eligible =
            V::load(eligible_drives_ + (sample - begin_ * streams()) * width + v * lanes);
        z[0][v] = fma(row(map_, 1, v), eligible, fma(row(map_, 0, v), first, first));
      } else {
        z[0][v] = remainder_[v].shrinkage()(first * scale_[v]);
      }
      if (equations_.has_ones) z[0][v] = fma(row(of_w_.ones, 0, v), V(sums_[sample]), z[0][v]);
    }
    if (before > 0) {
      const std::int64_t place = sample * samples_per_chunk_ + begin_ * streams();
      if (equations_.has_x) {
        add_products_to<T, 1, Vectors>(gram_ + place, samples_per_chunk_, of_w_.x, before,
                                       &z[0][0]);
      }
      for (int k = 0; k < equations_.traces; ++k) {
        add_products_to<T, 1, Vectors>(overlaps_ + k * equations_.gram_numbers + place,
                                       samples_per_chunk_, trace_rows(of_w_, k), before, &z[0][0]);
      }
    }
    for (int v = 0; v < Vectors; ++v) {
      if (carries_square_) z[0][v].store(known + v * lanes);
      z[0][v].store(to + v * lanes);
      if (equations_.reads_weight_square) square_[v].store(squares + v * lanes);
    }
  }

  void take(std::int64_t tick, std::int64_t stream, const EquationShares<T>& dw,
            const EquationShares<T>& de, const EquationCell<T>& answer, std::int64_t column) {
    if (stream == 0) {
      clear<3>(pending_loss_);
      dw_ = dw;
      de_ = de;
      column_ = column;
    }
    const std::int64_t place = (tick - begin_) * streams() + stream;
    const V share(T(1) / static_cast<T>(streams()));
    for (int v = 0; v < Vectors; ++v) {
      if (dw.w.numbers != nullptr) add_to(pending_loss_, v, -(at(dw.w, v) * share));
      if (control_.homeostatic) add_to(mean_answer_, v, at(answer, v) * share);
      if (equations_.has_x) put(of_w_.x, place, v, dw.x, share);
      for (int k = 0; k < equations_.traces; ++k) {
        put(trace_rows(of_w_, k), place, v, dw.traces[k], share);
      }
      if (dw.ones.numbers != nullptr) add_to(pending_ones_, v, at(dw.ones, v) * share);
    }
  }

  bool settle(std::int64_t tick) {
    const std::int64_t before = (tick - begin_) * streams();
    if (equations_.has_eligibility) {
      settle_both(before);
      return false;
    }
    const V one(T(1));
    V factors[Vectors];
    V gains[Vectors];
    bool shrinks = false;
    bool scales = false;
    for (int v = 0; v < Vectors; ++v) {
      const V loss = row(pending_loss_, 0, v);
      PanelStep<T> step{loss, one - loss, one};
      if (control_.homeostatic) {
        const V mean = row(mean_answer_, 0, v);
        step.scale(control_.homeostatic_factor(mean), control_.homeostatic_excess(mean));
      }
      if (carries_square_) {
        const V kept = step.keep * step.keep * square_[v];
        carry_square(v, kept + added_square(v, tick, step), kept, step);
      }
      factors[v] = one;
      gains[v] = step.gain;
      scales = scales || any(step.gain != one);
      if (any(step.loss != V(T(0)))) {
        shrinks = true;
        const Shrinkage<T> shrinkage(step.loss, step.keep, abs(step.loss) < V(T(0.5)));
        remainder_[v].shrink(step.loss, shrinkage);
        factors[v] = shrinkage(one);
      }
      settle_ones(v, factors[v], step.gain);
    }
    if (equations_.has_x) settle_rows(of_w_.x, before, shrinks, factors, scales, gains);
    for (int k = 0; k < equations_.traces; ++k) {
      settle_rows(trace_rows(of_w_, k), before, shrinks, factors, scales, gains);
    }
    return cut_;
  }

  void finish(std::int64_t chunk, std::int64_t end) {
    const std::int64_t ticks = end - begin_;
    const std::int64_t count = reads_samples() ? ticks * streams() : 0;
    const T* const samples = samples_ + begin_ * streams() * run_.sample_stride;
    fold(of_w_, ticks);
    if (equations_.has_eligibility) {
      mix();
      add_samples(weights_, samples, 0, count, of_w_.x);
      add_extra(weights_, chunk);
      fold(of_e_, ticks);
      add_samples(eligibility_, samples, 0, count, of_e_.x);
      add_extra(eligibility_, chunk);
      return;
    }
    learn_from(samples, count);
    add_extra(weights_, chunk);
  }

  void leave() {
    write_weights_back();
    if (!equations_.has_eligibility) return;
    for (std::int64_t i = 0; i < count_; ++i) {
      T* const to = equations_.eligibility + (first_ + i) * run_.inputs;
      for (std::int64_t k = 0; k < run_.inputs; ++k) to[k] = eligibility_[k * width + i];
    }
  }

 private:
  static std::int64_t extra_count(const EquationChunks<T>& run) {
    return run.traces * run.block.streams + 1;
  }
  std::int64_t streams() const { return run_.streams; }
  bool reads_samples() const { return equations_.has_x || equations_.traces > 0; }
  GAIA_INLINE V at(const EquationCell<T>& cell, int v) const {
    return cell.stride == 0 ? V(cell.numbers[0]) : V::load(cell.numbers + column_ + v * lanes);
  }
  GAIA_INLINE static V row(const T* rows, std::int64_t index, int v) {
    return V::load(rows + index * width + v * lanes);
  }
  GAIA_INLINE static void add_to(T* rows, int v, V x) {
    (V::load(rows + v * lanes) + x).store(rows + v * lanes);
  }
  /// Vector by vector: what is read again at once must not wait for a string instruction.
  template <int Rows>
  GAIA_INLINE static void clear(T* rows) {
#pragma GCC unroll 16
    for (int i = 0; i < Rows * Vectors; ++i) V(T(0)).store(rows + i * lanes);
  }
  T* trace_rows(const Coefficients<T>& of, int trace) const {
    return of.traces + trace * samples_per_chunk_ * width;
  }
  GAIA_INLINE void put(T* rows, std::int64_t place, int v, const EquationCell<T>& cell, V share) {
    const V x = cell.numbers == nullptr ? V(T(0)) : at(cell, v) * share;
    x.store(rows + place * width + v * lanes);
  }

  /// Products of packed vectors with the samples of [begin, end).
  void products(const T* packed, T* to, std::int64_t begin, std::int64_t end) {
    if (by_events_) {
      const std::int64_t first = first_sample_ + begin * streams();
      return multiply_events<T, Vectors>(equations_.events, first,
                                         first + (end - begin) * streams(), packed, to);
    }
    multiply(samples_ + begin * streams() * run_.sample_stride, (end - begin) * streams(), packed,
             to);
  }

  /// Coefficients of the ticks before shrink, those of this tick are scaled: in one pass over all
  /// neurons of the panel.
  GAIA_INLINE void settle_rows(T* rows, std::int64_t before, bool shrinks,
                               const V (&factors)[Vectors], bool scales,
                               const V (&gains)[Vectors]) const {
    T* const now = rows + before * width;
    for (T* row = rows; shrinks && row < now; row += width) {
      for (int v = 0; v < Vectors; ++v) scale(row + v * lanes, factors[v]);
    }
    for (T* row = now; scales && row < now + streams() * width; row += width) {
      for (int v = 0; v < Vectors; ++v) scale(row + v * lanes, gains[v]);
    }
  }

  GAIA_INLINE void settle_ones(int v, V factor, V gain) {
    if (dw_.ones.numbers == nullptr) return;
    const V asked = row(pending_ones_, 0, v);
    fma(row(of_w_.ones, 0, v), factor, asked * gain).store(of_w_.ones + v * lanes);
  }

  /// w <- w + k w + u e + ..., e <- e + l e + j w + ..., both from before: of one stream.
  void settle_both(std::int64_t before) {
    for (int v = 0; v < Vectors; ++v) {
      const V zero(T(0));
      const auto term = [&](const EquationCell<T>& cell) {
        return cell.numbers == nullptr ? zero : at(cell, v);
      };
      const V k = term(dw_.w);
      const V u = term(dw_.e);
      const V j = term(de_.w);
      const V l = term(de_.e);
      const bool on_w = dw_.w.numbers != nullptr;
      const bool from_w = de_.w.numbers != nullptr;
      const auto step = [&](T* of_w, T* of_e) {
        const V w = V::load(of_w + v * lanes);
        const V e = V::load(of_e + v * lanes);
        const V new_w = fma(u, e, on_w ? fma(k, w, w) : w);
        V new_e = fma(l, e, e);
        if (from_w) new_e = fma(j, w, new_e);
        new_w.store(of_w + v * lanes);
        new_e.store(of_e + v * lanes);
      };
      const auto each = [&](T* of_w, T* of_e, const EquationCell<T>& new_w,
                            const EquationCell<T>& new_e) {
        for (std::int64_t s = 0; s < before; ++s) step(of_w + s * width, of_e + s * width);
        term(new_w).store(of_w + before * width + v * lanes);
        term(new_e).store(of_e + before * width + v * lanes);
      };
      if (equations_.has_x) each(of_w_.x, of_e_.x, dw_.x, de_.x);
      for (int t = 0; t < equations_.traces; ++t) {
        each(trace_rows(of_w_, t), trace_rows(of_e_, t), dw_.traces[t], de_.traces[t]);
      }
      if (equations_.has_ones) {
        step(of_w_.ones, of_e_.ones);
        add_to(of_w_.ones, v, term(dw_.ones));
        add_to(of_e_.ones, v, term(de_.ones));
      }
      // The map of (w_0, e_0), less the identity: columns of w are 0 and 2, of e 1 and 3.
      const V ww = row(map_, 0, v), we = row(map_, 1, v);
      const V ew = row(map_, 2, v), ee = row(map_, 3, v);
      fma(u, ew, fma(k, ww, ww + k)).store(map_ + v * lanes);
      fma(u, ee, fma(k, we, we + u)).store(map_ + width + v * lanes);
      fma(j, ww, fma(l, ew, ew + j)).store(map_ + 2 * width + v * lanes);
      fma(j, we, fma(l, ee, ee + l)).store(map_ + 3 * width + v * lanes);
    }
  }

  /// The added square for a rule that knows samples alone.
  GAIA_INLINE V added_square(int v, std::int64_t tick, const PanelStep<T>& step) const {
    if (!equations_.has_x) return V(T(0));
    const std::int64_t first = tick * streams();
    const std::int64_t before = (tick - begin_) * streams();
    return Panel::added_square(drives_ + before * width + v * lanes,
                               of_w_.x + before * width + v * lanes,
                               gram_ + first * samples_per_chunk_ + first, step);
  }

  /// Makes coefficients of traces into such of samples, and of the traces before the chunk: with
  /// trace_s = keep trace_{s-1} + x_s a tick's coefficient reaches back to all samples before it.
  void fold(const Coefficients<T>& of, std::int64_t ticks) {
    if (equations_.has_ones) {
      const std::int64_t last = extra_count(equations_) - 1;
      std::copy_n(of.ones, width, extra_ + last * width);
    }
    if (equations_.traces == 0) return;
    if (!equations_.has_x) std::fill_n(of.x, ticks * streams() * width, T(0));
    for (int k = 0; k < equations_.traces; ++k) {
      const V keep(equations_.trace_keeps[k]);
      T* const coefficients = trace_rows(of, k);
      for (std::int64_t b = 0; b < streams(); ++b) {
        for (int v = 0; v < Vectors; ++v) {
          V reached(T(0));
          for (std::int64_t t = ticks - 1; t >= 0; --t) {
            const std::int64_t place = (t * streams() + b) * width + v * lanes;
            reached = fma(keep, reached, V::load(coefficients + place));
            (V::load(of.x + place) + reached).store(of.x + place);
          }
          (keep * reached).store(extra_ + (b * equations_.traces + k) * width + v * lanes);
        }
      }
    }
  }

  /// W and E after a chunk, but for what its samples add.
  void mix() {
    for (std::int64_t k = 0; k < run_.inputs; ++k) {
      for (int v = 0; v < Vectors; ++v) {
        T* const to_w = weights_ + k * width + v * lanes;
        T* const to_e = eligibility_ + k * width + v * lanes;
        const V w = V::load(to_w);
        const V e = V::load(to_e);
        fma(row(map_, 0, v), w, fma(row(map_, 1, v), e, w)).store(to_w);
        fma(row(map_, 3, v), e, fma(row(map_, 2, v), w, e)).store(to_e);
      }
    }
  }

  /// The weights after a stretch of `count` samples, but for what goes to other vectors.
  void learn_from(const T* samples, std::int64_t count) {
    std::int64_t asked = 0;
    by_asked_samples<T, Vectors>(of_w_.x, count, [&](std::int64_t, std::int64_t n) { asked += n; });
    // A normalisation takes its squares of all weights on the way.
    const bool passes_over = !control_.normalizes() && (by_events_ || 4 * asked <= 3 * count);
    if (!passes_over) return update(samples, count);
    bool shrinks = false;
    for (int v = 0; v < Vectors; ++v) {
      shrinks = shrinks || any(remainder_[v].deficit != V(T(0))) || any(scale_[v] != V(T(1)));
    }
    if (shrinks) update(samples, 0);
    by_asked_samples<T, Vectors>(of_w_.x, count, [&](std::int64_t first, std::int64_t n) {
      add_samples(weights_, samples, first, n, of_w_.x);
    });
    if (equations_.reads_weight_square) measure();
  }

  /// packed += coefficients^T samples, of those from `first` on, counted within the stretch.
  void add_samples(T* packed, const T* samples, std::int64_t first, std::int64_t count,
                   const T* coefficients) {
    const T* const own = coefficients + first * width;
    if (by_events_) {
      const std::int64_t from = first_sample_ + begin_ * streams() + first;
      return add_events<T, Vectors>(equations_.events, from, from + count, own, packed);
    }
    add_rows(packed, samples + first * run_.sample_stride, run_.sample_stride, count, own);
  }

  /// packed += coefficients^T rows.
  void add_rows(T* packed, const T* rows, std::int64_t stride, std::int64_t count,
                const T* coefficients) {
    V none[Vectors];
    for (V& x : none) x = V(T(0));
    const WeightUpdate<T, Vectors> tile{.samples = rows,
                                        .sample_stride = stride,
                                        .count = count,
                                        .gains = coefficients,
                                        .stay = nullptr,
                                        .change = none,
                                        .squares = nullptr};
    std::int64_t k = 0;
    for (; k + kRows <= run_.inputs; k += kRows) {
      update_weights<true, T, kRows, Vectors>(tile, k, packed + k * width);
    }
    for (; k < run_.inputs; ++k) update_weights<true, T, 1, Vectors>(tile, k, packed + k * width);
  }

  void add_extra(T* packed, std::int64_t chunk) {
    const std::int64_t count = extra_count(equations_);
    const T* const rows = equations_.extra_rows + chunk * count * run_.inputs;
    const std::int64_t traces = count - 1;
    if (equations_.has_ones) {
      add_rows(packed, rows, run_.inputs, count, extra_);
    } else if (traces > 0) {
      add_rows(packed, rows, run_.inputs, traces, extra_);
    }
  }

  static GAIA_INLINE void scale(T* numbers, V factor) {
    (V::load(numbers) * factor).store(numbers);
  }

  using Panel::begin_stretch;
  using Panel::carries_square_;
  using Panel::carry_square;
  using Panel::control_;
  using Panel::count_;
  using Panel::cut_;
  using Panel::first_;
  using Panel::measure;
  using Panel::multiply;
  using Panel::remainder_;
  using Panel::run_;
  using Panel::scale_;
  using Panel::square_;
  using Panel::update;
  using Panel::used;
  using Panel::weights_;
  using Panel::write_weights_back;

  const EquationChunks<T>& equations_;
  std::int64_t samples_per_chunk_;
  T* drives_;  // [samples of the stretch, width]
  Coefficients<T> of_w_{}, of_e_{};
  T* pending_loss_;  // [width]: of the tick, as the two that follow
  T* pending_ones_;
  T* mean_answer_;
  T* map_;                        // [4, width]: see settle_both
  T* extra_;                      // [extra rows, width]
  T* eligibility_ = nullptr;      // [inputs, width]
  T* eligible_drives_ = nullptr;  // [samples of the stretch, width]
  EquationShares<T> dw_{}, de_{};
  std::int64_t column_ = 0;
  const T* samples_ = nullptr;
  const T* gram_ = nullptr;
  const T* overlaps_ = nullptr;
  const T* sums_ = nullptr;
  std::int64_t begin_ = 0;         // begin of the stretch in the chunk
  std::int64_t first_sample_ = 0;  // first sample of the chunk in the block
  bool by_events_ = false;
};

}  // namespace gaia::cpu::GAIA_VECTOR_SET
