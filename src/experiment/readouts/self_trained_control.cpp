// SPDX-License-Identifier: MIT
#include "self_trained_control.h"

#include "../../learning/self_trained_readout.h"

namespace gaia {

std::string SelfTrainedControl::why_left_out(const ControlSetup& setup,
                                             const ReadoutConfig& readout) {
  if (readout.task() != ReadoutTask::classes)
    return "it tells classes apart, and predicts no numbers";
  if (readout.folds > 0) return "all of its folds are tested, and none comes before the others";
  return SamePastControl::why_left_out(setup, readout);
}

double SelfTrainedControl::numbers(const ControlSetup& setup, std::int64_t block_steps) {
  return SamePastControl::numbers(setup, block_steps) +
         static_cast<double>(setup.config.self_trained.memory) *
             static_cast<double>(setup.features);
}

ReadoutConfig SelfTrainedControl::reader_of(const ReadoutConfig& readout) const {
  auto kind = std::make_unique<ReadoutKind::Of<SelfTrainedOptions>>();
  // Where the readout has no l2 of its own, what its answers are worth to it depends on this: with
  // 0.0001 it soon believes its errors.
  kind->options = {.l2 = 0.01, .memory = training_.memory, .every = training_.every};
  if (const auto* const logistic = readout.kind.get_if<LogisticOptions>()) {
    kind->options.l2 = logistic->l2;
    kind->options.class_weight = logistic->class_weight;
  }
  ReadoutConfig reader = without_squares(readout);
  reader.kind = Kind<ReadoutKind>(std::move(kind));
  return reader;
}

}  // namespace gaia
