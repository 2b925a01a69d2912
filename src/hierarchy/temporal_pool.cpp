// SPDX-License-Identifier: MIT
#include "temporal_pool.h"

#include <algorithm>

#include "../array/backend.h"
#include "../array/create.h"
#include "../array/joining.h"
#include "../array/kernel_families.h"
#include "../array/ops.h"
#include "../core/message.h"

namespace gaia {

std::int64_t next_tick(std::int64_t step, std::int64_t resolution, std::int64_t phase) {
  return (step - phase + resolution - 1) / resolution * resolution + phase;
}

std::int64_t count_ticks(std::int64_t first_step, std::int64_t steps, std::int64_t resolution,
                         std::int64_t phase) {
  const std::int64_t round_up = resolution - 1 - phase;  // never negative
  return (first_step + steps + round_up) / resolution - (first_step + round_up) / resolution;
}

TemporalPool::TemporalPool(Pooling pooling, std::int64_t resolution, std::int64_t rows,
                           std::int64_t phase)
    : pooling_(pooling), resolution_(resolution), rows_(rows), phase_(phase) {
  if (resolution < 1) {
    fail<ArgumentError>("[level] temporal_resolution must be at least 1 step, got {}", resolution);
  }
  if (phase < 0 || phase >= resolution) {
    fail<ArgumentError>("[level] phase must be at least 0 and below temporal_resolution {}, got {}",
                        resolution, phase);
  }
  if (pooling == Pooling::legendre && (rows < 1 || rows > resolution)) {
    fail<ArgumentError>(
        "[level] pooling legendre takes 1 to temporal_resolution {} numbers of a window, got {}",
        resolution, rows);
  }
}

std::int64_t TemporalPool::output_size(std::int64_t n) const {
  return pooled_size(pooling_, resolution_, n, rows_).value();
}

TemporalPool::Place TemporalPool::keep(ArrayUndo& undo) {
  // An `ema` never gets rid of what is not finite; other windows see it go.
  using Numbers = ArrayUndo::Numbers;
  undo.keep(state_, pooling_ == Pooling::ema ? Numbers::finite : Numbers::any);
  return {steps_held_, next_step_};
}

void TemporalPool::reset() {
  state_ = Array();
  steps_held_ = 0;
  next_step_ = 0;
}

TemporalPool TemporalPool::clone() const {
  TemporalPool twin = *this;
  twin.state_ = state_.copy();
  return twin;
}

TemporalPool TemporalPool::joined(const std::vector<const TemporalPool*>& replicas) {
  TemporalPool whole = *replicas.front();
  if (whole.state_.size() == 0) return whole;
  std::vector<Array> states;
  for (const TemporalPool* const replica : replicas) states.push_back(replica->state_);
  whole.state_ = concatenate(states, 0);
  return whole;
}

TemporalPool TemporalPool::part(std::int64_t first, std::int64_t count) const {
  TemporalPool some = *this;
  if (state_.size() > 0) some.state_ = state_.slice(0, first, first + count).copy();
  return some;
}

bool TemporalPool::stands_like(const TemporalPool& other) const {
  return steps_held_ == other.steps_held_ && next_step_ == other.next_step_ &&
         state_.shape() == other.state_.shape() && state_.dtype() == other.state_.dtype();
}

bool TemporalPool::picks_rows(TickTimes from) const {
  if (pooling_ == Pooling::last) {
    return resolution_ % from.resolution == 0 && (phase_ - from.phase) % from.resolution == 0;
  }
  return resolution_ == 1 && from.resolution == 1;
}

Array TemporalPool::products(const Array& windows, std::int64_t n) const {
  const std::int64_t streams = windows.shape(0);
  const std::int64_t ticks = windows.shape(1);
  const Array rows =
      from_values(legendre_rows(rows_, resolution_), {rows_, resolution_}).astype(windows.dtype());
  const Array by_step = windows.reshape({streams * ticks, resolution_, n});
  return matmul(on_current_device(rows, "temporal pool"), by_step)
      .reshape({streams, ticks, rows_ * n});
}

void TemporalPool::allocate(std::int64_t streams, std::int64_t n, TickTimes from, DType dtype) {
  if (picks_rows(from)) return;
  Shape shape = {streams, n};
  if (window_pooling() == Pooling::concat) shape.insert(1, resolution_);
  state_ = zeros(shape, dtype);
}

Array TemporalPool::process(const Array& source, TickTimes from, std::int64_t first_step,
                            std::int64_t steps, const Array& held) {
  if (first_step != next_step_) reset();
  next_step_ = first_step + steps;
  const std::int64_t streams = source.shape(0);
  const std::int64_t n = source.shape(2);
  if (picks_rows(from)) {
    const std::int64_t first = next_tick(first_step, resolution_, phase_) -
                               next_tick(first_step, from.resolution, from.phase);
    const std::int64_t step = resolution_ / from.resolution;
    return step == 1 ? source : source.slice(1, first / from.resolution, {}, step);
  }
  const std::int64_t ticks = count_ticks(first_step, steps, resolution_, phase_);
  if (state_.size() == 0) allocate(streams, n, from, source.dtype());
  state_ = on_current_device(state_, "temporal pool");
  const Pooling window = window_pooling();
  Array outputs = Array::uninitialized(
      {streams, ticks, window == Pooling::concat ? resolution_ * n : n}, source.dtype());
  backend_for(KernelFamily::temporal_pooling)
      .pool({.pooling = window,
             .resolution = resolution_,
             .source_resolution = from.resolution,
             .phase = phase_,
             .source_phase = from.phase,
             .first_step = first_step,
             .steps = steps,
             .steps_held = steps_held_,
             .source = source.view(),
             .held = held.view(),
             .state = state_.view(),
             .outputs = outputs.view()});
  const std::int64_t end = first_step + steps;
  if (pooling_ == Pooling::ema) {
    steps_held_ += steps;
  } else if (ticks > 0) {
    steps_held_ = end - 1 - (next_tick(end, resolution_, phase_) - resolution_);
  } else {
    steps_held_ += steps;
  }
  return pooling_ == Pooling::legendre ? products(outputs, n) : outputs;
}

}  // namespace gaia
