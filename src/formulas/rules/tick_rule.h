// SPDX-License-Identifier: MIT
/// \file
/// Rules that are called once a tick with the numbers of all neurons of a layer: programs, and code
/// that comes from outside.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rule.h"

namespace gaia {

class RuleKeys;

/// The numbers of all neurons of a layer at one tick of one stream, and the coefficients of the
/// update w_i <- (1 - loss_i) w_i + gain_i x.
template <class T>
struct LayerTick {
  std::int64_t neurons;
  const T* z;  ///< Drives w . x, [neurons], with the weights before the update.
  const T* y;  ///< Outputs f(z), [neurons].
  T* memory;   ///< [memories, neurons]: those of before the tick, to be changed in place.
  T* loss;     ///< [neurons], to be written.
  T* gain;     ///< [neurons], to be written.
};

/// A rule with the numbers of all neurons of a tick in, and the coefficients of the update out.  It
/// may read what the layer shares, such as a rank or a softmax.  Streams of a batch are asked one
/// after another and see the same memories; the update, and what is left of the memories, is the
/// mean of theirs.  May be called by several threads at a time.
class TickRule {
 public:
  virtual ~TickRule() = default;
  virtual std::unique_ptr<TickRule> clone() const = 0;

  virtual std::string name() const = 0;
  virtual double& learning_rate() = 0;
  virtual double& decay() = 0;
  double learning_rate() const { return const_cast<TickRule*>(this)->learning_rate(); }
  double decay() const { return const_cast<TickRule*>(this)->decay(); }
  /// Shows every further key with the place of its value.
  virtual void keys(RuleKeys& visitor) = 0;
  virtual std::vector<RuleMemory> memories() const = 0;
  /// What to look for in reports; may be empty.
  virtual std::string look_for() const { return {}; }
  /// Limit of learning_rate |x|^2, where it is known.
  virtual std::optional<double> stability_limit() const { return std::nullopt; }

  virtual void step(const LayerTick<float>& tick) const = 0;
  virtual void step(const LayerTick<double>& tick) const = 0;
};

/// A TickRule as a value: copies share it until one of them is changed.
class CustomRule {
 public:
  explicit CustomRule(std::shared_ptr<const TickRule> rule) : rule_(std::move(rule)) {}

  const TickRule& operator*() const { return *rule_; }
  const TickRule* operator->() const { return rule_.get(); }
  /// The rule of this value alone.
  TickRule& own() {
    std::unique_ptr<TickRule> mine = rule_->clone();
    TickRule& rule = *mine;
    rule_ = std::move(mine);
    return rule;
  }

 private:
  std::shared_ptr<const TickRule> rule_;
};

}  // namespace gaia
