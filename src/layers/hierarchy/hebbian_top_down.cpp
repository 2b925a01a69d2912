// SPDX-License-Identifier: MIT
// What a plastic layer does for a connection from above: it hands out drives, and under a rule
// whose text reads td it answers tick by tick.
#include "../../array/create.h"
#include "../../array/functions.h"
#include "../../core/message.h"
#include "hebbian.h"
#include "top_down_rule.h"

namespace gaia {

void HebbianLayer::check_top_down() const {
  const bool reads_it = reads_from_above();
  if (!top_down_) {
    if (!reads_it) return;
    throw ArgumentError(
        "[hebbian layer] the rule reads td, which comes from a level above; give the layer a "
        "top_down");
  }
  top_down_->check(plasticity_.activation, output_size());
  const bool makes_answer =
      equations_ && std::get<EquationRule>(plasticity_.rule).program().assigns_output;
  if (makes_answer && !reads_it && top_down_->as != TopDownOptions::As::gain) {
    throw ArgumentError(
        "[hebbian layer] the equations assign y, and top_down as " + to_string(top_down_->as) +
        " makes it of the drive by the activation; read td in the equations, or take as: gain");
  }
}

bool HebbianLayer::reads_from_above() const {
  const auto* const rule = std::get_if<EquationRule>(&plasticity_.rule);
  return rule != nullptr && rule->program().reads_from_above;
}

bool HebbianLayer::answers_with_drive() const {
  const auto* const rule = std::get_if<EquationRule>(&plasticity_.rule);
  const bool makes_answer = rule != nullptr && rule->program().assigns_output;
  return plasticity_.activation == Activation::linear && !makes_answer;
}

bool HebbianLayer::hands_out_drive() const {
  if (!top_down_ || !learns_ || reads_from_above() || answers_with_drive()) return false;
  if (top_down_->as != TopDownOptions::As::gain) return true;
  return !top_down_->random && top_down_rule(*top_down_, plasticity_.activation, false).reads_drive;
}

Array HebbianLayer::drive(const Array& x) const {
  const Array z = Array::uninitialized({x.shape(0), x.shape(1), output_size()}, dtype());
  answer_linearly(Activation::linear, x, weights_, {}, z);
  return z;
}

Array HebbianLayer::process_with_drive(const Array& x, bool learn, const Array& y) {
  if (answers_with_drive()) {
    process_unguarded(x, learn, y);
    return y;
  }
  move_to_current_device();
  const Array samples = on_current_device(x, "layer").astype(dtype());
  if (!learn || !learns_) {
    const Array z = drive(samples);
    process_unguarded(samples, learn, y);
    return z;
  }
  // Executors give answers alone, and after a tick its weights are gone.
  const Array z = Array::uninitialized(y.shape(), dtype());
  const TickSignals all = signals_;
  for (std::int64_t t = 0; t < x.shape(1); ++t) {
    const Array tick = samples.slice(1, t, t + 1);
    z.slice(1, t, t + 1).assign(drive(tick));
    signals_ = of_ticks(all, t, t + 1);
    process_unguarded(tick, learn, y.slice(1, t, t + 1));
  }
  signals_ = all;
  return z;
}

HebbianLayer::Heard HebbianLayer::hear(const Array& x, std::int64_t tick, const Array& td,
                                       bool learn) {
  move_to_current_device();
  const Plasticity now = current();
  const auto& rule = std::get<EquationRule>(now.rule);
  const EquationPlan plan = this->plan();
  const bool learns = learn && learns_;
  const Array sample = on_current_device(x, "layer").astype(dtype()).contiguous();
  Heard made;
  made.drive = drive(sample);
  made.plain = Array::uninitialized(made.drive.shape(), dtype());
  made.answer = Array::uninitialized(made.drive.shape(), dtype());
  TickSignals signals = of_ticks(signals_, tick, tick + 1);
  signals[kFromAboveSignal] = zeros(td.shape(), dtype());
  signals[kPlainAnswerSignal] = activate(plasticity_.activation, made.drive);
  equations_->look(rule, plan, weights_, sample, learns, signals, made.plain);
  signals[kFromAboveSignal] = td;
  signals[kPlainAnswerSignal] = made.plain;
  equations_->process(rule, plan, weights_, sample, learns, signals, made.answer);
  if (learns && rewire_) {
    std::vector<Array> others;
    for (const Array& other : {equations_->eligibility(), equations_->chained()}) {
      if (other.size() > 0) others.push_back(other);
    }
    rewire_->end_tick(sample, made.answer, weights_, others, plasticity_.control, bounds_);
  }
  if (learns) weights_.count_change();
  return made;
}

}  // namespace gaia
