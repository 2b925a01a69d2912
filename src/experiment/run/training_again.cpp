// SPDX-License-Identifier: MIT
#include "training_again.h"

#include <algorithm>

#include "../readouts/carried_state.h"

namespace gaia {

void read_training_again(SampleReader& samples, const std::vector<std::string>& signal_columns,
                         std::int64_t end, std::int64_t block_steps,
                         const std::function<void()>& begin_trial,
                         const std::function<void(const BlockAgain&)>& read) {
  for (const Trial& trial : samples.trials().all()) {
    if (trial.first_step >= end) return;
    begin_trial();
    const std::int64_t last = std::min(end, trial.end());
    for (std::int64_t step = trial.first_step; step < last;) {
      const std::int64_t count = std::min(block_steps, last - step);
      const Array x = samples.read(step, count);
      read({x, samples.signals(signal_columns, step, count), step});
      step += count;
    }
  }
}

void StillHierarchy::begin_trial() { forget_carried_state(hierarchy_, features_, dtype_); }

HierarchyBlock StillHierarchy::read(const BlockAgain& block) {
  return hierarchy_.process_block(block.x.expand_dims(0),
                                  {.learn = false, .signals = block.signals});
}

}  // namespace gaia
