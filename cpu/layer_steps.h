// SPDX-License-Identifier: MIT
/// \file
/// What a rule that sees the whole layer asks for at a tick, of all streams.
#pragma once

#include <algorithm>
#include <vector>

#include "../src/formulas/rules.h"
#include "../src/formulas/view.h"

namespace gaia::cpu {

template <class T>
class LayerSteps {
 public:
  /// `memory` [memories, neurons] is changed at every tick.
  LayerSteps(const TickRule& rule, const View& memory, std::int64_t streams)
      : rule_(rule),
        memory_(memory.as<T>()),
        memories_(static_cast<std::size_t>(memory.count())),
        neurons_(static_cast<std::size_t>(memory.shape[1])),
        streams_(static_cast<std::size_t>(streams)),
        own_(memories_),
        after_(memories_),
        loss_(neurons_),
        losses_(neurons_),
        gains_(neurons_ * streams_) {}

  /// The streams' steps at a tick: drives_of(b) and answers_of(b) are [neurons] of stream b.
  template <class Drives, class Answers>
  void ask(const Drives& drives_of, const Answers& answers_of) {
    const T share = T(1) / static_cast<T>(streams_);
    std::copy_n(memory_, memories_, after_.begin());
    std::fill(losses_.begin(), losses_.end(), T(0));
    for (std::size_t b = 0; b < streams_; ++b) {
      const auto stream = static_cast<std::int64_t>(b);
      T* const gains = gains_.data() + b * neurons_;
      std::copy_n(memory_, memories_, own_.begin());
      rule_.step(LayerTick<T>{static_cast<std::int64_t>(neurons_), drives_of(stream),
                              answers_of(stream), own_.data(), loss_.data(), gains});
      for (std::size_t i = 0; i < neurons_; ++i) {
        losses_[i] += loss_[i] * share;
        gains[i] *= share;
      }
      for (std::size_t m = 0; m < memories_; ++m) after_[m] += (own_[m] - memory_[m]) * share;
    }
    std::copy(after_.begin(), after_.end(), memory_);
  }

  T loss(std::int64_t neuron) const { return losses_[static_cast<std::size_t>(neuron)]; }
  /// A stream's share in the update.
  T gain(std::int64_t stream, std::int64_t neuron) const { return gains(stream)[neuron]; }
  const T* losses() const { return losses_.data(); }
  const T* gains(std::int64_t stream) const {
    return gains_.data() + static_cast<std::size_t>(stream) * neurons_;
  }

 private:
  const TickRule& rule_;
  T* memory_;
  std::size_t memories_;  // numbers: of all neurons
  std::size_t neurons_;
  std::size_t streams_;
  std::vector<T> own_;
  std::vector<T> after_;
  std::vector<T> loss_;
  std::vector<T> losses_;
  std::vector<T> gains_;
};

}  // namespace gaia::cpu
