// SPDX-License-Identifier: MIT
/// \file
/// Chunks of samples through panels of neurons where a tick has several samples (the streams of a
/// batch), which see the same weights, or where a neuron's output or step depends on
/// all others (softmax, rules of a layer), so that the panels of a layer go tick by tick together.
#include <algorithm>
#include <new>
#include <type_traits>

#include "plastic.h"
#include "plastic_panel.h"
#include "rows.h"
#include "variant.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

template <class T, int Vectors>
class BatchPanel : private PlasticPanel<T, Vectors> {
  using Panel = PlasticPanel<T, Vectors>;
  using V = Vec<T>;
  using Panel::lanes;
  using Panel::width;

 public:
  /// `room` is for `workspace` numbers.
  BatchPanel(const PlasticChunks<T>& run, std::int64_t first, std::int64_t count, T* room)
      : Panel(run, first, count, room, room + run.inputs * width),
        streams_(run.streams),
        samples_per_chunk_(run.chunk * run.streams),
        drives_(gains_ + samples_per_chunk_ * width),
        memory_(drives_ + samples_per_chunk_ * width) {
    each_memory([&](T* place, T* mine, std::int64_t n) { V::load(place, n).store(mine); });
  }

  static std::int64_t workspace(const PlasticChunks<T>& run) {
    return (run.inputs + 2 * run.chunk * run.streams + run.memories) * width;
  }

  void enter(std::int64_t chunk) {
    samples_ = run_.samples + chunk * samples_per_chunk_ * run_.sample_stride;
    gram_ = run_.gram + chunk * samples_per_chunk_ * samples_per_chunk_;
    answers_ = run_.answers + chunk * run_.chunk * run_.answer_stride + first_;
  }

  /// From true weights at tick `begin` of the chunk on: the drives up to tick `end`, with the
  /// weights as they are.
  void start(std::int64_t begin, std::int64_t end) {
    begin_ = begin;
    begin_stretch();
    multiply(samples_ + begin * streams_ * run_.sample_stride, (end - begin) * streams_, weights_,
             drives_);
  }

  /// Computes the outputs of a tick; under softmax only with their drives.
  void answer(std::int64_t tick) {
    const std::int64_t before = (tick - begin_) * streams_;
    by_tiles(streams_, [&](auto rows, std::int64_t b) {
      constexpr int Rows = decltype(rows)::value;
      V drive[Rows][Vectors];
      for (int v = 0; v < Vectors; ++v) {
        const Shrinkage<T> shrinks = remainder_[v].shrinkage();
        for (int m = 0; m < Rows; ++m) {
          drive[m][v] = shrinks(V::load(drive_of(before + b + m) + v * lanes) * scale_[v]);
        }
      }
      if (before > 0) {
        const T* const gram =
            gram_ + (tick * streams_ + b) * samples_per_chunk_ + begin_ * streams_;
        add_products_to<T, Rows, Vectors>(gram, samples_per_chunk_, gains_, before, &drive[0][0]);
      }
      store_drives(drive, before + b);
      for (int m = 0; run_.layer_rule != nullptr && m < Rows; ++m) {
        T* const z = run_.layer_rule->z + (b + m) * run_.outputs + first_;
        for (int v = 0; v < Vectors; ++v) drive[m][v].store(z + v * lanes, used(v));
      }
      for (int m = 0; m < Rows; ++m) {
        T* const answers = answers_of(tick, b + m);
        dispatch_activation(run_.activation, [&](auto f) {
          for (int v = 0; v < Vectors; ++v)
            f.value(drive[m][v]).store(answers + v * lanes, used(v));
        });
      }
    });
  }

  /// Learns from the outputs of a tick; returns whether the stretch should end with it.
  template <class R>
  bool learn(const R& rule, std::int64_t tick) {
    const std::int64_t before = (tick - begin_) * streams_;
    for (int v = 0; v < Vectors; ++v) {
      PanelStep<T> step = ask(rule, v, tick);
      T* const gains = gains_ + v * lanes;
      if (any(step.gain != V(T(1)))) {
        for (std::int64_t b = 0; b < streams_; ++b)
          scale_at(gains + (before + b) * width, step.gain);
      }
      const Shrinkage<T> shrinks(step.loss, step.keep, abs(step.loss) < V(T(0.5)));
      remainder_[v].shrink(step.loss, shrinks);
      const V factor = shrinks(V(T(1)));
      for (std::int64_t s = 0; s < before; ++s) scale_at(gains + s * width, factor);
    }
    return cut_;
  }

  /// Makes the weights true after the ticks before `end`.
  void finish(std::int64_t end) {
    update(samples_ + begin_ * streams_ * run_.sample_stride, (end - begin_) * streams_);
  }

  /// Writes weights and memories back.
  void write_back() {
    write_weights_back();
    each_memory([&](T* place, T* mine, std::int64_t n) { V::load(mine).store(place, n); });
  }

 private:
  /// Calls f(place in the layer, place here, neurons) for every memory of every vector.
  template <class F>
  GAIA_INLINE void each_memory(const F& f) const {
    for (int v = 0; v < Vectors; ++v) {
      for (int m = 0; m < run_.memories; ++m) f(memory_place(v, m), memory_of(v, m), used(v));
    }
  }

  static GAIA_INLINE void scale_at(T* numbers, V factor) {
    (V::load(numbers) * factor).store(numbers);
  }

  T* drive_of(std::int64_t sample) const { return drives_ + sample * width; }
  T* memory_of(int v, int m) const { return memory_ + (v * run_.memories + m) * lanes; }
  T* answers_of(std::int64_t tick, std::int64_t stream) const {
    return answers_ + stream * run_.answer_stream_stride + tick * run_.answer_stride;
  }

  template <int Rows>
  GAIA_INLINE void store_drives(const V (&drive)[Rows][Vectors], std::int64_t first) const {
    for (int m = 0; m < Rows; ++m) {
      for (int v = 0; v < Vectors; ++v) drive[m][v].store(drive_of(first + m) + v * lanes);
    }
  }

  /// The rule's steps, meaned over the streams.  Gains are stored as the rule gives them; the
  /// step's own gain is the factor that homeostasis and normalisation put on them.
  template <class R>
  GAIA_INLINE PanelStep<T> ask(const R& rule, int v, std::int64_t tick) {
    V mean_answer(T(0));
    const V loss = rule_steps(rule, v, tick, mean_answer);
    PanelStep<T> step{loss, V(T(1)) - loss, V(T(1))};
    if (control_.homeostatic) {
      step.scale(control_.homeostatic_factor(mean_answer),
                 control_.homeostatic_excess(mean_answer));
    }
    if (carries_square_) {
      const V kept = step.keep * step.keep * square_[v];
      carry_square(v, kept + added_square(v, tick, step), kept, step);
    }
    return step;
  }

  template <class R>
  GAIA_INLINE V rule_steps(const R& rule, int v, std::int64_t tick, V& mean_answer) {
    constexpr int memories = memory_count<R>();
    const V share(T(1) / static_cast<T>(streams_));
    const std::int64_t before = (tick - begin_) * streams_;
    V loss(T(0));
    V old[memories > 0 ? memories : 1];
    V mean[memories > 0 ? memories : 1];
    for (int m = 0; m < memories; ++m) mean[m] = old[m] = V::load(memory_of(v, m));
    for (std::int64_t b = 0; b < streams_; ++b) {
      const V y = V::load(answers_of(tick, b) + v * lanes, used(v));
      V own[memories > 0 ? memories : 1];
      for (int m = 0; m < memories; ++m) own[m] = old[m];
      const PlasticStep<V> asked = rule(V::load(drive_of(before + b) + v * lanes), y, own);
      loss = fma(asked.loss, share, loss);
      (asked.gain * share).store(gains_ + (before + b) * width + v * lanes);
      for (int m = 0; m < memories; ++m) mean[m] = fma(own[m] - old[m], share, mean[m]);
      mean_answer = fma(y, share, mean_answer);
    }
    for (int m = 0; m < memories; ++m) mean[m].store(memory_of(v, m));
    return loss;
  }

  /// The same of a rule that has been asked.
  GAIA_INLINE V rule_steps(const LayerRule<T>& rule, int v, std::int64_t tick, V& mean_answer) {
    const V share(T(1) / static_cast<T>(streams_));
    const std::int64_t before = (tick - begin_) * streams_;
    const std::int64_t place = first_ + v * lanes;
    for (std::int64_t b = 0; b < streams_; ++b) {
      const V y = V::load(answers_of(tick, b) + v * lanes, used(v));
      V::load(rule.gains + b * run_.outputs + place, used(v))
          .store(gains_ + (before + b) * width + v * lanes);
      mean_answer = fma(y, share, mean_answer);
    }
    return V::load(rule.losses + place, used(v));
  }

  GAIA_INLINE V added_square(int v, std::int64_t tick, const PanelStep<T>& step) const {
    const std::int64_t first = tick * streams_;
    const std::int64_t before = (tick - begin_) * streams_;
    return Panel::added_square(drive_of(before) + v * lanes, gains_ + before * width + v * lanes,
                               gram_ + first * samples_per_chunk_ + first, step);
  }

  using Panel::begin_stretch;
  using Panel::by_tiles;
  using Panel::carries_square_;
  using Panel::carry_square;
  using Panel::control_;
  using Panel::cut_;
  using Panel::first_;
  using Panel::gains_;
  using Panel::memory_place;
  using Panel::multiply;
  using Panel::remainder_;
  using Panel::run_;
  using Panel::scale_;
  using Panel::square_;
  using Panel::update;
  using Panel::used;
  using Panel::weights_;
  using Panel::write_weights_back;

  std::int64_t streams_;
  std::int64_t samples_per_chunk_;
  T* drives_;  // [samples of the stretch, width]: w . x, of ticks to come with the first weights
  T* memory_;  // [Vectors, memories, lanes]
  const T* samples_ = nullptr;
  const T* gram_ = nullptr;
  T* answers_ = nullptr;
  std::int64_t begin_ = 0;  // begin of the stretch in the chunk
};

/// The panels of some neighbouring neurons.
template <class T, int Vectors>
class Group {
  using Panel = BatchPanel<T, Vectors>;
  static constexpr std::int64_t width = Vectors * Vec<T>::lanes;
  /// Numbers that take the place of a panel: it holds vectors, so its size is a multiple of theirs.
  static constexpr std::int64_t panel_numbers = sizeof(Panel) / sizeof(T);

 public:
  static std::int64_t workspace(const PlasticChunks<T>& run, std::int64_t count) {
    return panels_of(count) * (panel_numbers + Panel::workspace(run));
  }

  Group(const PlasticChunks<T>& run, std::int64_t first, std::int64_t count, T* workspace)
      : run_(run), panels_(reinterpret_cast<Panel*>(workspace)), size_(panels_of(count)) {
    T* room = workspace + size_ * panel_numbers;
    for (std::int64_t p = 0; p < size_; ++p, room += Panel::workspace(run)) {
      new (panels_ + p) Panel(run, first + p * width, std::min(width, count - p * width), room);
    }
  }

  template <class R>
  void run(const R& rule) {
    std::int64_t span = run_.chunk;
    for (std::int64_t first = 0, chunk = 0; first < run_.ticks; first += run_.chunk, ++chunk) {
      const std::int64_t ticks = std::min(run_.chunk, run_.ticks - first);
      for_each([&](Panel& panel) { panel.enter(chunk); });
      for (std::int64_t begin = 0; begin < ticks;) {
        const std::int64_t end = stretch(rule, first, begin, std::min(ticks, begin + span));
        // Drives past a cut were in vain: the next stretch does not reach much further.
        span = std::min(run_.chunk, 2 * (end - begin));
        begin = end;
      }
    }
    for_each([](Panel& panel) { panel.write_back(); });
  }

 private:
  static std::int64_t panels_of(std::int64_t count) { return (count + width - 1) / width; }

  template <class F>
  GAIA_INLINE void for_each(const F& f) {
    for (std::int64_t p = 0; p < size_; ++p) f(panels_[p]);
  }

  /// From true weights to true weights; returns the tick after the last.
  template <class R>
  std::int64_t stretch(const R& rule, std::int64_t chunk_first, std::int64_t begin,
                       std::int64_t end) {
    for_each([&](Panel& panel) { panel.start(begin, end); });
    for (std::int64_t tick = begin; tick < end; ++tick) {
      for_each([&](Panel& panel) { panel.answer(tick); });
      if (is_of_row(run_.activation)) {
        for (std::int64_t b = 0; b < run_.streams; ++b) {
          T* const row = run_.answers + b * run_.answer_stream_stride +
                         (chunk_first + tick) * run_.answer_stride;
          const bool is_softmax = run_.activation == Activation::softmax;
          (is_softmax ? softmax_row<T> : coates_row<T>)(row, row, run_.outputs);
        }
      }
      if constexpr (std::is_same_v<R, LayerRule<T>>) rule.ask(rule.steps, chunk_first + tick);
      bool cut = false;
      for_each([&](Panel& panel) { cut = panel.learn(rule, tick) || cut; });
      if (cut) end = tick + 1;
    }
    for_each([&](Panel& panel) { panel.finish(end); });
    return end;
  }

  const PlasticChunks<T>& run_;
  Panel* panels_;
  std::int64_t size_;
};

/// Calls f with the vectors that a panel of `count` neurons is best made of, a constant.
template <class T, class F>
GAIA_INLINE void with_vectors(std::int64_t count, const F& f) {
  const std::int64_t vectors = (count + Vec<T>::lanes - 1) / Vec<T>::lanes;
  if (vectors <= 1) return f(std::integral_constant<int, 1>{});
  if (vectors == 2) return f(std::integral_constant<int, 2>{});
  f(std::integral_constant<int, kVectors>{});
}

}  // namespace

template <class T>
std::int64_t plastic_batch_workspace(const PlasticChunks<T>& run, std::int64_t count) {
  std::int64_t numbers = 0;
  with_vectors<T>(count, [&](auto vectors) {
    numbers = Group<T, decltype(vectors)::value>::workspace(run, count);
  });
  return numbers;
}

template <class T>
void run_neurons_of_batch(const PlasticChunks<T>& run, std::int64_t first, std::int64_t count,
                          T* workspace) {
  with_vectors<T>(count, [&](auto vectors) {
    Group<T, decltype(vectors)::value> group(run, first, count, workspace);
    with_alternative(*run.rule, [&](const auto& rule) {
      if constexpr (is_neuron_rule<std::decay_t<decltype(rule)>>) {
        group.run(rule);
      } else {
        group.run(*run.layer_rule);
      }
    });
  });
}

template std::int64_t plastic_batch_workspace(const PlasticChunks<float>&, std::int64_t);
template std::int64_t plastic_batch_workspace(const PlasticChunks<double>&, std::int64_t);
template void run_neurons_of_batch(const PlasticChunks<float>&, std::int64_t, std::int64_t, float*);
template void run_neurons_of_batch(const PlasticChunks<double>&, std::int64_t, std::int64_t,
                                   double*);

}  // namespace gaia::cpu::GAIA_VECTOR_SET
