// SPDX-License-Identifier: MIT
#include "shuffled_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "../../array/joining.h"
#include "../../array/ops.h"
#include "../../array/random_arrays.h"
#include "../../core/message.h"
#include "../../core/text.h"
#include "carried_state.h"
#include "frozen_control.h"

namespace gaia {
namespace {

/// Steps that every readout that is trained before it is scored is trained on, one series long.
Stretches common_training(const ControlSetup& setup) {
  std::optional<Stretches> common;
  for (const ReadoutConfig& readout : setup.config.readouts) {
    if (!readout.learn || !readout.predicts() || readout.folds > 0) continue;
    const Stretches steps = steps_of_training(setup, readout);
    common = common ? intersection(*common, steps) : steps;
  }
  return common.value_or(Stretches{});
}

}  // namespace

std::string ShuffledControl::why_left_out(const ControlSetup& setup, const ReadoutConfig& readout) {
  if (readout.folds > 0) return "all of its folds are tested, and none is for training alone";
  const Stretches training = common_training(setup);
  if (training.empty()) return "it has no part for training alone";
  if (!setup.hierarchy.signal_columns().empty()) {
    return "a rule reads columns beside the samples, which would keep their order";
  }
  const std::int64_t numbers = count_of(training) * setup.features;
  if (numbers <= kMostNumbers) return {};
  return fmt::format("its training part has {} numbers, of which at most {} are kept in memory",
                     grouped(numbers), grouped(kMostNumbers));
}

double ShuffledControl::numbers(const ControlSetup& setup, std::int64_t block_steps) {
  return FrozenControl::numbers(setup, block_steps) +
         static_cast<double>(count_of(common_training(setup)) * setup.features);
}

ShuffledControl::ShuffledControl(const ControlSetup& setup)
    : hierarchy_(setup.hierarchy.clone()),
      epochs_(setup.config.hierarchy().epochs),
      seed_(static_cast<std::uint64_t>(setup.config.seed)),
      steps_(setup.trials.steps()),
      features_(setup.features),
      dtype_(setup.config.dtype),
      rate_(setup.rate),
      learn_as_at_(setup.learn_as_at),
      layerwise_(setup.config.hierarchy().layerwise),
      training_(common_training(setup)),
      end_(training_.empty() ? 0 : training_.back().end) {}

void ShuffledControl::see(const Array& x) { seen_.push_back(x.copy()); }

void ShuffledControl::end_seeing() {
  const Array samples = concatenate(std::exchange(seen_, {}), 0);
  std::vector<std::int64_t> steps;  // steps of the series at which it learns in each epoch
  for (const Stretch& part : training_) {
    for (std::int64_t step = part.begin; step < part.end; ++step) steps.push_back(step);
  }
  const auto count = std::ssize(steps);
  const auto step_at = [&](std::int64_t epoch, std::int64_t place) {
    return epoch * steps_ + steps[static_cast<std::size_t>(place)];
  };
  const auto rate_at = [&](std::int64_t epoch, std::int64_t place) {
    return rate_ ? rate_(step_at(epoch, place)) : 1.0;
  };
  const auto level_at = [&](std::int64_t epoch, std::int64_t place) {
    return layerwise_ ? step_at(epoch, place) / *layerwise_ : 0;
  };
  for (std::int64_t epoch = 0; epoch < epochs_; ++epoch) {
    const auto order =
        RandomStream::named(seed_, fmt::format("controls/shuffled/epochs/{}/order", epoch));
    const Array shuffled = shuffle(samples, 0, order);
    forget_carried_state(hierarchy_, features_, dtype_);
    // In stretches of one rate, which are as long as the run's at most.
    for (std::int64_t begin = 0; begin < count;) {
      const double rate = rate_at(epoch, begin);
      std::int64_t end = begin + 1;
      while (end < std::min(count, begin + kLongestBlock) && rate_at(epoch, end) == rate &&
             level_at(epoch, end) == level_at(epoch, begin)) {
        ++end;
      }
      if (rate > 0.0) {
        learn_at(step_at(epoch, begin));
        try {
          hierarchy_.process_block(shuffled.slice(0, begin, end).expand_dims(0), {.learn = true});
        } catch (const DivergedError& error) {
          fail<DataError>(
              "controls: shuffled diverges where the run does not ({}); try smaller rates, or "
              "leave "
              "it out, as controls: [frozen, same_past]",
              error.what());
        }
      }
      begin = end;
    }
  }
  begin_trial();
}

void ShuffledControl::learn_at(std::int64_t step) {
  if (learn_as_at_) learn_as_at_(hierarchy_, step);
}

HierarchyBlock ShuffledControl::process(const RunBlock& run) {
  const bool learns = run.step >= end_ && run.options.learn;
  if (learns) learn_at((epochs_ - 1) * steps_ + run.step);
  return hierarchy_.process_block(run.x.expand_dims(0),
                                  {.learn = learns, .signals = run.options.signals});
}

void ShuffledControl::begin_trial() { forget_carried_state(hierarchy_, features_, dtype_); }

void ShuffledControl::add_state(ArrayMap& arrays) const { arrays.merge(copied_state(hierarchy_)); }

void ShuffledControl::set_state(const ArrayMap& arrays, std::int64_t step) {
  begin_trial();
  hierarchy_.set_state(arrays, step);
}

}  // namespace gaia
