// SPDX-License-Identifier: MIT
/// \file
/// A hierarchy as it is defined, step by step and in long double: what the library's blocks,
/// windows and executors are held to.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "../../src/formulas/pooling.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../../src/layers/hierarchy/reactive.h"
#include "../../src/layers/hierarchy/temporal.h"
#include "plasticity_reference.h"

namespace gaia::test {

/// One row per stream.
using StreamRows = std::vector<Row>;

/// A layer at one tick: from samples to answers.
using ReferenceLayer = std::function<StreamRows(const StreamRows& samples, bool learn)>;

/// W x + R h + b; no R h without h.
inline Row reference_drive(const Row& weights, const Row& x, const Row& recurrent, const Row& h,
                           const Row& bias) {
  Row z = bias;
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) z[i] += weights[i * x.size() + j] * x[j];
    for (std::size_t j = 0; j < h.size(); ++j) z[i] += recurrent[i * h.size() + j] * h[j];
  }
  return z;
}

/// These start from the weights that the layer has now.
inline ReferenceLayer reference_of(const ReactiveLayer& layer) {
  return [w = to_row(layer.weights()), b = to_row(layer.bias()), f = layer.activation()](
             const StreamRows& samples, bool) {
    StreamRows answers;
    for (const Row& x : samples) {
      answers.push_back(reference_activation(f, reference_drive(w, x, {}, {}, b)));
    }
    return answers;
  };
}

inline ReferenceLayer reference_of(const HebbianLayer& layer) {
  const auto state =
      std::make_shared<PlasticityReference>(layer.plasticity(), layer.weights(), layer.memory());
  return [state](const StreamRows& samples, bool learn) { return state->tick(samples, learn); };
}

inline ReferenceLayer reference_of(const TemporalLayer& layer, const TemporalOptions& options) {
  const auto states = std::make_shared<StreamRows>();
  const Row bias(static_cast<std::size_t>(layer.output_size()), Real(options.bias));
  return [=, w = to_row(layer.weights()), r = to_row(layer.recurrent())](const StreamRows& samples,
                                                                         bool) {
    states->resize(samples.size(), Row(bias.size()));
    for (std::size_t b = 0; b < samples.size(); ++b) {
      Row& h = (*states)[b];
      const Row f =
          reference_activation(options.activation, reference_drive(w, samples[b], r, h, bias));
      for (std::size_t i = 0; i < h.size(); ++i) {
        h[i] = (1 - Real(options.leak)) * h[i] + Real(options.leak) * f[i];
      }
    }
    return *states;
  };
}

/// A level that reads what is below it at every step.
class LevelReference {
 public:
  LevelReference(std::int64_t resolution, Pooling pooling, std::size_t output_size)
      : resolution_(resolution), pooling_(pooling), output_size_(output_size) {}

  void add_layer(ReferenceLayer layer) { layers_.push_back(std::move(layer)); }

  /// The representation at step t, after `below` at step t.
  StreamRows read(std::int64_t t, const StreamRows& below, bool learn) {
    if (held_.empty()) held_.assign(below.size(), Row(output_size_));
    window_.emplace_back(t, below);
    if (average_.empty()) average_ = below;  // e_0 = x_0
    for (std::size_t b = 0; b < below.size(); ++b) {
      for (std::size_t j = 0; j < below[b].size(); ++j) {
        average_[b][j] += (below[b][j] - average_[b][j]) / static_cast<Real>(resolution_);
      }
    }
    if (t % resolution_ != 0) return held_;
    while (window_.front().first <= t - resolution_) window_.erase(window_.begin());
    held_.clear();
    for (std::size_t b = 0; b < below.size(); ++b) held_.push_back(pooled(b));
    for (const ReferenceLayer& layer : layers_) held_ = layer(held_, learn);
    return held_;
  }

 private:
  Row pooled(std::size_t b) const {
    const Row& now = window_.back().second[b];
    if (pooling_ == Pooling::last) return now;
    if (pooling_ == Pooling::ema) return average_[b];
    if (pooling_ == Pooling::concat) {
      // Oldest first; steps that do not exist are missing at the front.
      const auto missing = static_cast<std::size_t>(resolution_) - window_.size();
      Row all(missing * now.size());
      for (const auto& [step, rows] : window_) {
        all.insert(all.end(), rows[b].begin(), rows[b].end());
      }
      return all;
    }
    Row result = window_.front().second[b];
    for (std::size_t k = 1; k < window_.size(); ++k) {
      for (std::size_t j = 0; j < now.size(); ++j) {
        const Real x = window_[k].second[b][j];
        result[j] = pooling_ == Pooling::max ? std::max(result[j], x) : result[j] + x;
      }
    }
    if (pooling_ == Pooling::mean) {
      for (Real& v : result) v /= static_cast<Real>(window_.size());
    }
    return result;
  }

  std::int64_t resolution_;
  Pooling pooling_;
  std::size_t output_size_;
  std::vector<ReferenceLayer> layers_;
  std::vector<std::pair<std::int64_t, StreamRows>> window_;  // step and what it showed
  StreamRows average_;
  StreamRows held_;
};

/// Levels from the fastest up.  `steps` follow one another from wherever the first call begins.
struct HierarchyReference {
  std::vector<LevelReference> levels;

  /// Every level's representation at step t.
  std::vector<StreamRows> step(std::int64_t t, StreamRows samples, bool learn) {
    std::vector<StreamRows> shown;
    for (LevelReference& level : levels) {
      shown.push_back(level.read(t, shown.empty() ? samples : shown.back(), learn));
    }
    return shown;
  }
};

}  // namespace gaia::test
