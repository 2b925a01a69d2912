// SPDX-License-Identifier: MIT
/// \file
/// Rules of one's own: a functor becomes a rule that layers take, and that YAML knows by its name.
///
///     struct Leaky {                               // a struct as rules/rule.h asks for
///       static constexpr const char* name = "leaky";
///       double learning_rate = 0.01, decay = 0.0, tau = 10.0;
///       template <class Visitor>
///       void keys(Visitor& v) { v.number({"tau", "time constant, in ticks"}, tau, {1.0, 1e6}); }
///       std::array<RuleMemory, 1> memories() const { return {{{"mean", "mean output"}}}; }
///       template <class T>
///       PlasticStep<T> operator()(T /*z*/, T y, T* memory) const {
///         memory[0] += (y - memory[0]) / T(tau);
///         return {T(decay), T(learning_rate) * (y - memory[0])};
///       }
///     };
///     gaia::register_rule<Leaky>();                // `rule: leaky` in every experiment
///     HebbianLayer layer(4, 2, {.rule = gaia::custom_rule(Leaky{.tau = 20.0})});
///
/// A rule that needs to see the layer, for a rank or a softmax, has in place of that operator
///
///     template <class T>
///     void operator()(const LayerTick<T>& tick) const;
///
/// It runs on the CPU, in float32 and float64.  Arithmetic of a tick takes about n numbers, that of
/// weights n times inputs: unless a layer is small, a rule of one's own is about as fast as one
/// that is built in.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "rule_keys.h"
#include "rule_list.h"

namespace gaia {

/// A functor, of single neurons or of a layer, as a TickRule.
template <class F>
class TickRuleOf final : public TickRule {
 public:
  explicit TickRuleOf(F f = {}) : f_(std::move(f)) {}

  std::unique_ptr<TickRule> clone() const override { return std::make_unique<TickRuleOf>(f_); }
  std::string name() const override { return F::name; }
  double& learning_rate() override { return f_.learning_rate; }
  double& decay() override { return f_.decay; }
  void keys(RuleKeys& visitor) override {
    if constexpr (requires { f_.keys(visitor); }) f_.keys(visitor);
  }
  std::vector<RuleMemory> memories() const override {
    if constexpr (memory_count<F>() > 0) {
      const auto own = f_.memories();
      return {own.begin(), own.end()};
    } else {
      return {};
    }
  }
  std::string look_for() const override {
    if constexpr (requires { F::look_for; }) return F::look_for;
    return {};
  }
  std::optional<double> stability_limit() const override {
    if constexpr (requires { f_.stability_limit(); }) return f_.stability_limit();
    return std::nullopt;
  }
  void step(const LayerTick<float>& tick) const override { take(tick); }
  void step(const LayerTick<double>& tick) const override { take(tick); }

 private:
  template <class T>
  void take(const LayerTick<T>& tick) const {
    if constexpr (std::is_invocable_v<const F&, const LayerTick<T>&>) {
      f_(tick);
    } else {
      for (std::int64_t i = 0; i < tick.neurons; ++i) {
        NeuronMemory<F, T> memory;
        memory.load(tick.memory + i, tick.neurons);
        const PlasticStep<T> step = f_(tick.z[i], tick.y[i], memory.now);
        memory.store(tick.memory + i, tick.neurons);
        tick.loss[i] = step.loss;
        tick.gain[i] = step.gain;
      }
    }
  }

  F f_;
};

/// A rule of a functor, for a layer.
template <class F>
PlasticityRule custom_rule(F f) {
  return Rule(CustomRule(std::make_shared<TickRuleOf<F>>(std::move(f))));
}

/// Makes a functor, with the parameters of F{}, known by its name: in YAML and its schema, and from
/// there in results, checkpoints, `gaia resume`, `hierarchy.from` and reports.
/// \throws ArgumentError for a name that is taken, or that YAML, results or checkpoints cannot
///         have.
template <class F>
void register_rule() {
  register_rule(std::make_shared<TickRuleOf<F>>());
}

}  // namespace gaia
