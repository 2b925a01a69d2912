// SPDX-License-Identifier: MIT
#include "feedback.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../array/create.h"
#include "../../layers/hierarchy/temporal.h"

namespace gaia {

std::int64_t Readout::speaks_from() const {
  if (config_.kind->is_online()) return 0;
  const std::int64_t tick = ticks().training_end();
  if (tick >= ticks().all()) return std::numeric_limits<std::int64_t>::max();
  return ticks().step_of(tick, reader_.trials(), config_.target);
}

std::int64_t Readout::end_of_feedback(std::int64_t step, std::int64_t end) const {
  if (!config_.feeds_back) return end;
  if (const std::int64_t own = speaks_from(); step < own) return std::min(end, own);
  const std::int64_t start = reader_.trials().at(step).first_step;
  return std::min(end, start + next_tick(step - start, ticks().spacing(), ticks().phase()) + 1);
}

std::vector<double> Readout::feedback(const SampleReader& samples, std::int64_t first,
                                      std::int64_t steps) const {
  const auto width = static_cast<std::size_t>(reader_.targets());
  const bool is_taught = samples.trial().first_step + first < speaks_from();
  const std::vector<double> targets =
      is_taught ? reader_.targets_of_ticks(samples, first, steps) : std::vector<double>();
  std::vector<double> fed_back = fed_back_;
  std::vector<double> read;
  auto target = targets.begin();
  for (std::int64_t step = first; step < first + steps; ++step) {
    read.insert(read.end(), fed_back.begin(), fed_back.end());
    if (target == targets.end()) continue;
    if (next_tick(step, ticks().spacing(), ticks().phase()) != step) continue;
    for (std::size_t k = 0; k < width; ++k, ++target) {
      if (!std::isnan(*target)) fed_back[k] = *target;
    }
  }
  read.insert(read.end(), fed_back.begin(), fed_back.end());
  return read;
}

void add_feedback(const std::vector<const Readout*>& readouts, const SampleReader& samples,
                  std::int64_t first, std::int64_t steps, TickSignals& signals) {
  const GPUContext on_host(Device::cpu());
  for (const Readout* const readout : readouts) {
    if (!readout->config().feeds_back) continue;
    const std::vector<double> read = readout->feedback(samples, first, steps);
    const auto width = std::ssize(read) / (steps + 1);
    for (std::int64_t k = 0; k < width; ++k) {
      std::vector<double> of_output;
      for (std::int64_t step = 0; step < steps; ++step) {
        of_output.push_back(read[static_cast<std::size_t>(step * width + k)]);
      }
      signals[feedback_signal(readout->config().name, k)] = from_values(of_output, {steps});
    }
  }
}

std::int64_t end_of_feedback(const std::vector<Readout>& readouts, std::int64_t step,
                             std::int64_t end) {
  for (const Readout& readout : readouts) end = readout.end_of_feedback(step, end);
  return end;
}

}  // namespace gaia
