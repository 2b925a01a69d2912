// SPDX-License-Identifier: MIT
#include "learning_steps.h"

#include <algorithm>

#include "rate_schedule.h"

namespace gaia {

LearningSteps::LearningSteps(const Experiment& experiment)
    : hierarchy_(experiment.config.hierarchy()),
      steps_(experiment.steps),
      part_(training_part(experiment)) {}

std::int64_t LearningSteps::end() const {
  return learning_end(hierarchy_, steps_ * hierarchy_.epochs);
}

bool LearningSteps::may_learn(std::int64_t step) const {
  const std::int64_t in_epoch = step % steps_;
  const bool is_last_epoch = step / steps_ == hierarchy_.epochs - 1;
  return part_.has_step(in_epoch) || (is_last_epoch && in_epoch >= part_.end_step());
}

bool LearningSteps::learns(std::int64_t step) const { return step < end() && may_learn(step); }

std::int64_t LearningSteps::cut(std::int64_t step, std::int64_t end) const {
  const std::int64_t most = learning_cut(hierarchy_, step, end);
  const std::int64_t epoch = step - step % steps_;
  std::int64_t border = step;
  do {
    border = epoch + next_border(part_.steps(), border - epoch, steps_);
  } while (border < most && may_learn(border) == may_learn(step));
  return std::min(border, most);
}

std::int64_t LearningSteps::count() const {
  const std::int64_t end = this->end();
  const std::int64_t last = steps_ * (hierarchy_.epochs - 1);
  std::int64_t count = 0;
  for (const Stretch& one : part_.steps()) {
    // Every whole epoch counts, and the one in which it ends.
    count += end / steps_ * one.count();
    count += std::clamp<std::int64_t>(end % steps_ - one.begin, 0, one.count());
  }
  return count + std::max<std::int64_t>(0, end - last - part_.end_step());
}

bool LearningSteps::operator==(const LearningSteps& other) const {
  return steps_ == other.steps_ && hierarchy_.learn == other.hierarchy_.learn &&
         hierarchy_.epochs == other.hierarchy_.epochs && end() == other.end() &&
         hierarchy_.layerwise == other.hierarchy_.layerwise && part_ == other.part_;
}

}  // namespace gaia
