// SPDX-License-Identifier: MIT
/// \file
/// The chunkwise executor for batches, and for softmax layers: see plastic_chunkwise.cpp for how it
/// works, and for the faster form that single streams take.
///
/// Samples of one tick (the streams of a batch) are answered with the same weights.
#include <algorithm>
#include <cmath>
#include <vector>

#include "../src/core/parallel.h"
#include "backend.h"
#include "gemm.h"
#include "plastic.h"
#include "plastic_chunks.h"
#include "rows.h"

namespace gaia::cpu {
namespace {

/// Neurons per task.  Fixed, so that the number of threads does not change any sum.
constexpr std::int64_t kPanel = 64;

/// How many roundings the carried |w|^2 may be off by before the chunk is cut.  A chunk of the
/// usual lengths under a gentle rule collects one a tick.
constexpr int kMaxDrift = 128;

/// A panel of neighbouring neurons on its way through the chunks of a block.  Arrays over samples
/// are [samples, neurons], so that the inner loops run over neurons.
template <class T, class R>
class Panel {
 public:
  Panel(const R& rule, const PlasticRun& run, const Chunks<T>& chunks, std::int64_t first,
        std::int64_t count)
      : rule_(rule),
        run_(run),
        chunks_(chunks),
        answers_(run.outputs),
        streams_(run.samples.shape[0]),
        inputs_(run.samples.shape[2]),
        first_(first),
        n_(count),
        weights_(run.weights.as<T>() + first * inputs_),
        memory_(run.memory.as<T>() + first),
        control_(run.control),
        normalizes_(control_.normalizes()),
        carries_square_(normalizes_ && chunks.max_ticks() > 1),
        drive_(sized(chunks.max_samples() * n_)),
        gain_(sized(chunks.max_samples() * n_)),
        loss_(sized(chunks.max_ticks() * n_)),
        keep_(sized(chunks.max_ticks() * n_)),
        stays_(sized(n_)),
        change_(sized(n_)),
        deficit_(sized(n_)),
        square_(sized(n_)),
        drift_(sized(n_)),
        memory_step_(sized(n_)),
        answer_mean_(sized(n_)) {
    measure();
  }

  void run() {
    std::int64_t span = chunks_.max_ticks();
    for (chunk_ = 0; chunk_ < chunks_.count(); ++chunk_) {
      const std::int64_t ticks = chunks_.ticks(chunk_);
      for (begin_ = 0; begin_ < ticks; begin_ = end_) {
        end_ = std::min(ticks, begin_ + span);
        start();
        for (std::int64_t t = begin_; t < end_; ++t) {
          answer(t);
          ask_rule(t);
          if (control(t) > T(kMaxDrift)) end_ = t + 1;
          advance(t);
        }
        update();
        // Drives past a cut were in vain: the next stretch does not reach much further.
        span = std::min(chunks_.max_ticks(), 2 * (end_ - begin_));
      }
    }
  }

 private:
  static std::vector<T> sized(std::int64_t n) {
    return std::vector<T>(static_cast<std::size_t>(n));
  }

  /// Squared norms of the weights as they are.
  void measure() {
    for (std::int64_t i = 0; normalizes_ && i < n_; ++i) {
      square_[static_cast<std::size_t>(i)] =
          dot(weights_ + i * inputs_, weights_ + i * inputs_, inputs_);
      drift_[static_cast<std::size_t>(i)] = T(0);
    }
  }

  /// Drives of the stretch [begin_, end_) of the chunk's ticks, with the weights as they are.
  void start() {
    const MatrixRef<const T> x =
        chunks_.samples(chunk_).rows_between(begin_ * streams_, end_ * streams_);
    const MatrixRef<const T> w{weights_, n_, inputs_, inputs_};
    gemm<T>(x, w.transposed(), {drive(begin_ * streams_), x.rows, n_, n_});
    std::fill(deficit_.begin(), deficit_.end(), T(0));
  }

  T* drive(std::int64_t sample) { return drive_.data() + sample * n_; }
  T* gain(std::int64_t sample) { return gain_.data() + sample * n_; }
  T* answers(std::int64_t tick, std::int64_t stream) {
    return answers_.row(stream, chunks_.first_tick(chunk_) + tick) + first_;
  }

  void answer(std::int64_t tick) {
    for (std::int64_t b = 0; b < streams_; ++b) {
      T* const y = answers(tick, b);
      std::copy_n(drive(tick * streams_ + b), n_, y);
      activate_row(run_.activation, y, n_);
    }
  }

  /// Losses and gains of this tick, meaned over the streams; the rule's memory moves on.
  void ask_rule(std::int64_t tick) {
    T* const loss = loss_.data() + tick * n_;
    const T share = T(1) / static_cast<T>(streams_);
    std::fill_n(loss, n_, T(0));
    std::fill_n(answer_mean_.data(), n_, T(0));
    std::copy_n(memory_, n_, memory_step_.data());
    for (std::int64_t b = 0; b < streams_; ++b) {
      const T* const y = answers(tick, b);
      T* const g = gain(tick * streams_ + b);
      for (std::int64_t i = 0; i < n_; ++i) {
        T memory = memory_[i];
        const PlasticStep<T> step = rule_(y[i], memory);
        loss[i] += step.loss * share;
        g[i] = step.gain * share;
        memory_step_[static_cast<std::size_t>(i)] += (memory - memory_[i]) * share;
        answer_mean_[static_cast<std::size_t>(i)] += y[i] * share;
      }
    }
    std::copy_n(memory_step_.data(), n_, memory_);
    for (std::int64_t i = 0; i < n_; ++i)
      keep_[static_cast<std::size_t>(tick * n_ + i)] = T(1) - loss[i];
  }

  /// Folds homeostasis and normalisation into loss and gain: both only scale the new weights.
  /// Returns the largest drift of a neuron.
  T control(std::int64_t tick) {
    if (control_.homeostatic) {
      for (std::int64_t i = 0; i < n_; ++i) {
        const T mean = answer_mean_[static_cast<std::size_t>(i)];
        const T excess = control_.homeostatic_excess(mean);
        scale(tick, i, T(1) + excess, excess);
      }
    }
    T largest = 0;
    for (std::int64_t i = 0; carries_square_ && i < n_; ++i) {
      const T square = square_after(tick, i);
      const T factor = control_.normalizing(square);
      if (factor != T(1)) scale(tick, i, factor, factor - T(1));
      square_[static_cast<std::size_t>(i)] = square * factor * factor;
      largest = std::max(largest, drift_[static_cast<std::size_t>(i)]);
    }
    return largest;
  }

  /// Multiplies what the tick makes of neuron i's weights by factor = 1 + excess.
  void scale(std::int64_t tick, std::int64_t i, T factor, T excess) {
    T& loss = loss_[static_cast<std::size_t>(tick * n_ + i)];
    loss = loss + excess * loss - excess;
    keep_[static_cast<std::size_t>(tick * n_ + i)] *= factor;
    for (std::int64_t b = 0; b < streams_; ++b) gain(tick * streams_ + b)[i] *= factor;
  }

  /// |(1 - loss) w + sum_b gain_b x_b|^2, never negative; its drift moves on.
  T square_after(std::int64_t tick, std::int64_t i) {
    const T* const gram = chunks_.gram(chunk_);
    const std::int64_t stride = chunks_.max_samples();
    const std::int64_t first = tick * streams_;
    const T keep = keep_[static_cast<std::size_t>(tick * n_ + i)];
    const T kept = keep * keep * square_[static_cast<std::size_t>(i)];
    T square = kept;
    for (std::int64_t b = 0; b < streams_; ++b) {
      const T g = gain(first + b)[i];
      T reach = T(2) * keep * drive(first + b)[i];
      for (std::int64_t other = 0; other < streams_; ++other) {
        reach += gain(first + other)[i] * gram[(first + b) * stride + first + other];
      }
      square += g * reach;
    }
    square = std::max(square, T(0));
    const T swell = kept > T(0) ? kept / square : T(0);
    T& drift = drift_[static_cast<std::size_t>(i)];
    drift = drift * swell + std::max(swell, T(1));
    return square;
  }

  /// How a tick shrinks neuron i: x becomes stays x - change x.  The loss is exact where it is
  /// small, the factor itself where the loss is near 1.
  struct Shrinkage {
    T stays;
    T change;
    T operator()(T x) const { return stays * x - change * x; }
  };
  Shrinkage shrinkage(std::int64_t tick, std::int64_t i) const {
    const auto at = static_cast<std::size_t>(tick * n_ + i);
    return std::abs(loss_[at]) < T(0.5) ? Shrinkage{T(1), loss_[at]} : Shrinkage{T(0), -keep_[at]};
  }

  /// Carries the drives of the stretch's later samples, and the factor on W_0, past this tick.
  void advance(std::int64_t tick) {
    const T* const loss = loss_.data() + tick * n_;
    for (std::int64_t i = 0; i < n_; ++i) {
      T& deficit = deficit_[static_cast<std::size_t>(i)];
      deficit += loss[i] - loss[i] * deficit;
    }
    const std::int64_t later = (tick + 1) * streams_;
    const std::int64_t samples = end_ * streams_;
    if (later == samples) return;
    T* const stays = stays_.data();
    T* const change = change_.data();
    for (std::int64_t i = 0; i < n_; ++i) {
      const Shrinkage shrinks = shrinkage(tick, i);
      stays[i] = shrinks.stays;
      change[i] = shrinks.change;
    }
    const T* const gram = chunks_.gram(chunk_);
    const std::int64_t stride = chunks_.max_samples();
    for (std::int64_t u = later; u < samples; ++u) {
      T* const z = drive(u);
      for (std::int64_t i = 0; i < n_; ++i) z[i] = stays[i] * z[i] - change[i] * z[i];
      for (std::int64_t s = tick * streams_; s < later; ++s) {
        const T overlap = gram[s * stride + u];
        const T* const g = gain(s);
        for (std::int64_t i = 0; i < n_; ++i) z[i] += g[i] * overlap;
      }
    }
  }

  /// W = (1 - deficit) W_0 + C^T X, the gains carried to the stretch's end.
  void update() {
    std::vector<T>& after = answer_mean_;  // product of the factors after the tick
    std::fill(after.begin(), after.end(), T(1));
    for (std::int64_t t = end_ - 1; t >= begin_; --t) {
      for (std::int64_t b = 0; b < streams_; ++b) {
        T* const g = gain(t * streams_ + b);
        for (std::int64_t i = 0; i < n_; ++i) g[i] *= after[static_cast<std::size_t>(i)];
      }
      for (std::int64_t i = 0; i < n_; ++i) {
        T& factor = after[static_cast<std::size_t>(i)];
        factor = shrinkage(t, i)(factor);
      }
    }
    for (std::int64_t i = 0; i < n_; ++i) {
      const T factor = after[static_cast<std::size_t>(i)];
      const T deficit = deficit_[static_cast<std::size_t>(i)];
      T* const w = weights_ + i * inputs_;
      // Each is the more exact one where the other rounds: near 1, and near 0.
      if (factor > T(0.5)) {
        for (std::int64_t j = 0; j < inputs_; ++j) w[j] -= deficit * w[j];
      } else {
        for (std::int64_t j = 0; j < inputs_; ++j) w[j] *= factor;
      }
    }
    const MatrixRef<const T> x =
        chunks_.samples(chunk_).rows_between(begin_ * streams_, end_ * streams_);
    const MatrixRef<const T> gains{gain(begin_ * streams_), x.rows, n_, n_};
    gemm<T>(gains.transposed(), x, {weights_, n_, inputs_, inputs_}, true);
    renormalize();
  }

  /// Makes the norms true again: within the stretch they were carried as scalars, and drift.
  void renormalize() {
    measure();
    for (std::int64_t i = 0; normalizes_ && i < n_; ++i) {
      T& square = square_[static_cast<std::size_t>(i)];
      const T factor = control_.normalizing(square);
      T* const w = weights_ + i * inputs_;
      for (std::int64_t j = 0; j < inputs_; ++j) w[j] *= factor;
      square *= factor * factor;
    }
  }

  const R& rule_;
  const PlasticRun& run_;
  const Chunks<T>& chunks_;
  Answers<T> answers_;
  std::int64_t streams_;
  std::int64_t inputs_;
  std::int64_t first_;  // neuron of the layer that is number 0 here
  std::int64_t n_;      // neurons
  std::int64_t chunk_ = 0;
  std::int64_t begin_ = 0;  // ticks of the chunk from true weights to true weights
  std::int64_t end_ = 0;
  T* weights_;
  T* memory_;
  ControlFactors<T> control_;
  bool normalizes_;
  bool carries_square_;         // a chunk of one tick is normalised at its end, by the definition
  std::vector<T> drive_;        // [samples, n]: w . x, with the weights as they stand
  std::vector<T> gain_;         // [samples, n]
  std::vector<T> loss_;         // [ticks, n]
  std::vector<T> keep_;         // [ticks, n]: 1 - loss, exact where that is near 0
  std::vector<T> stays_;        // [n]: of the tick in hand
  std::vector<T> change_;       // [n]
  std::vector<T> deficit_;      // [n]: 1 - the product of the factors so far
  std::vector<T> square_;       // [n]: |w|^2
  std::vector<T> drift_;        // [n]: bound on the relative error of square_, in roundings
  std::vector<T> memory_step_;  // [n]
  std::vector<T> answer_mean_;  // [n]
};

}  // namespace

template <class T>
void run_batch(const PlasticRun& run) {
  const Chunks<T> chunks(Samples<T>(run.samples), run.chunk);
  const std::int64_t neurons = run.weights.shape[0];
  // Under softmax a neuron's answer depends on all others, so the whole layer is one panel.
  const std::int64_t width = run.activation == Activation::softmax ? neurons : kPanel;
  std::visit(
      [&](const auto& rule) {
        parallel_for((neurons + width - 1) / width, [&](std::int64_t task) {
          const std::int64_t first = task * width;
          Panel(rule, run, chunks, first, std::min(width, neurons - first)).run();
        });
      },
      run.rule);
}

template void run_batch<float>(const PlasticRun&);
template void run_batch<double>(const PlasticRun&);

}  // namespace gaia::cpu
