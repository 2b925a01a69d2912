// SPDX-License-Identifier: MIT
#include "manager.h"

#include <algorithm>
#include <optional>
#include <string>

#include "../array/create.h"
#include "../array/ops.h"
#include "../core/error.h"

namespace gaia {
namespace {

/// Long enough for matrix products to pay, short enough to stay in the cache.
constexpr std::int64_t kDefaultBlock = 4096;

std::int64_t block_length(const ProcessOptions& options) {
  if (options.block_steps < 0) {
    throw ArgumentError("[process] block_steps must be at least 0, got " +
                        std::to_string(options.block_steps));
  }
  return options.block_steps == 0 ? kDefaultBlock : options.block_steps;
}

/// [T, F] as one stream, [B, T, F] as it is.
Array as_streams(const Array& data, const char* function) {
  if (data.rank() == 2) return data.expand_dims(0);
  if (data.rank() == 3) return data;
  throw ShapeError("[" + std::string(function) + "] expected [steps, features] or [streams, " +
                   "steps, features], got " + to_string(data.shape()));
}

std::string describe(const Layer& layer) {
  return layer.type() + " " + to_string(Shape{layer.output_size(), layer.input_size()});
}

/// \throws DivergedError for the earliest value of the last block that is not finite.
void check_block(const std::vector<HierarchicalLevel>& levels) {
  std::optional<HierarchicalLevel::NotFinite> found;
  std::size_t position = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto here = levels[i].find_not_finite();
    if (here && (!found || here->step < found->step)) {
      found = here;
      position = i;
    }
  }
  if (!found) return;
  const HierarchicalLevel& level = levels[position];
  throw DivergedError(
      "[run] NaN or Inf in the " + std::string(found->in_weights ? "weights" : "representation") +
          " of level " + std::to_string(level.id()) + ", layer " + std::to_string(found->layer) +
          " (" + describe(level.layer(static_cast<std::size_t>(found->layer))) + ") at step " +
          std::to_string(found->step) + "; try a smaller learning_rate, decay, or a normalization",
      static_cast<int>(position), found->layer, found->step);
}

}  // namespace

Array LevelRepresentation::tick_steps() const {
  const std::int64_t first = next_tick(first_step, temporal_resolution);
  std::vector<std::int64_t> values(
      static_cast<std::size_t>(count_ticks(first_step, steps, temporal_resolution)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = first + static_cast<std::int64_t>(i) * temporal_resolution;
  }
  return from_values(values, {static_cast<std::int64_t>(values.size())});
}

Array LevelRepresentation::expanded() const {
  const GPUContext here(ticks.device());
  const bool is_batch = ticks.rank() == 3;
  const Array rows = is_batch ? ticks : ticks.expand_dims(0);
  Array result = Array::uninitialized({rows.shape(0), steps, rows.shape(2)}, rows.dtype());
  const std::int64_t lead =
      std::min(steps, next_tick(first_step, temporal_resolution) - first_step);
  if (lead > 0) {
    if (before.size() == 0) {
      throw Error("[expanded] there is no representation before the first tick (held_until_first)");
    }
    const Array held = is_batch ? before : before.expand_dims(0);
    result.slice(1, 0, lead).assign(held.expand_dims(1));
  }
  // Whole periods in one strided copy, then the rest of the last.
  const std::int64_t whole = (steps - lead) / temporal_resolution;
  const std::int64_t end = lead + whole * temporal_resolution;
  if (whole > 0) {
    const Array target = result.slice(1, lead, end);
    for (std::int64_t stream = 0; stream < rows.shape(0); ++stream) {
      target[stream]
          .reshape({whole, temporal_resolution, rows.shape(2)})
          .assign(rows[stream].slice(0, 0, whole).expand_dims(1));
    }
  }
  if (end < steps) result.slice(1, end, steps).assign(rows.slice(1, whole, whole + 1));
  return is_batch ? result : result[0];
}

void HierarchyManager::add_level(HierarchicalLevel level) {
  const auto place =
      std::find_if(levels_.begin(), levels_.end(),
                   [&](const HierarchicalLevel& other) { return other.id() >= level.id(); });
  if (place != levels_.end() && place->id() == level.id()) {
    throw ArgumentError("[add_level] there is a level " + std::to_string(level.id()) +
                        " already; remove_level takes it away");
  }
  levels_.insert(place, std::move(level));
}

std::size_t HierarchyManager::position(int id) const {
  std::string known;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (levels_[i].id() == id) return i;
    known += (known.empty() ? "" : ", ") + std::to_string(levels_[i].id());
  }
  throw ArgumentError("[hierarchy] there is no level " + std::to_string(id) +
                      "; known: " + (known.empty() ? "none" : known));
}

void HierarchyManager::remove_level(int id) {
  levels_.erase(levels_.begin() + static_cast<std::ptrdiff_t>(position(id)));
}

HierarchicalLevel& HierarchyManager::level(int id) { return levels_[position(id)]; }
const HierarchicalLevel& HierarchyManager::level(int id) const { return levels_[position(id)]; }

void HierarchyManager::set_step(std::int64_t step) {
  if (step < 0) {
    throw ArgumentError("[set_step] step must be at least 0, got " + std::to_string(step));
  }
  step_ = step;
}

void HierarchyManager::reset_state() {
  for (HierarchicalLevel& level : levels_) level.reset_state();
  step_ = 0;
}

void HierarchyManager::check_sizes(std::int64_t features) const {
  if (levels_.empty()) throw ArgumentError("[hierarchy] has no levels; use add_level");
  std::int64_t below = features;
  for (const HierarchicalLevel& level : levels_) {
    level.check_complete();
    if (level.source_size() != below) {
      throw ShapeError("[hierarchy] level " + std::to_string(level.id()) + " reads " +
                       std::to_string(level.source_size()) + " numbers, but " +
                       (&level == &levels_.front() ? "the series" : "the level below") + " has " +
                       std::to_string(below));
    }
    below = level.output_size();
  }
}

HierarchyBlock HierarchyManager::process_block(const Array& x, const ProcessOptions& options) {
  if (x.rank() != 3) {
    throw ShapeError("[process_block] expected [streams, steps, features], got " +
                     to_string(x.shape()));
  }
  check_sizes(x.shape(2));
  HierarchyBlock block{step_, x.shape(1), {}};
  if (block.steps == 0) return block;
  for (std::size_t i = 0; i + 1 < levels_.size(); ++i) {
    if (!levels_[i].shows_at(step_)) {
      throw Error("[level " + std::to_string(levels_[i + 1].id()) + "] reads level " +
                  std::to_string(levels_[i].id()) + " at step " + std::to_string(step_) +
                  ", before that level's first tick (held_until_first)");
    }
  }
  // A level that is new here, or whose neighbour is, reads what the one below has been holding.
  allocate_state(x.shape(0), x.shape(2), x.dtype());
  for (std::size_t i = 1; i < levels_.size(); ++i) levels_[i].hold_source(levels_[i - 1]);
  Array source = x;
  std::int64_t resolution = 1;
  for (HierarchicalLevel& level : levels_) {
    block.levels.push_back(
        level.process_block(source, resolution, step_, block.steps, options.learn));
    source = block.levels.back().ticks;
    resolution = level.temporal_resolution();
  }
  if (options.check_finite) check_block(levels_);
  step_ += block.steps;
  for (const auto& observer : observers_) observer(block);
  return block;
}

void HierarchyManager::process_stream(const std::function<Array(std::int64_t, std::int64_t)>& read,
                                      std::int64_t steps, const ProcessOptions& options) {
  if (steps < 0) {
    throw ArgumentError("[process_stream] steps must be at least 0, got " + std::to_string(steps));
  }
  const std::int64_t length = block_length(options);
  for (std::int64_t first = 0; first < steps; first += length) {
    const std::int64_t count = std::min(length, steps - first);
    const Array rows = as_streams(read(first, count), "process_stream");
    if (rows.shape(1) != count) {
      throw ShapeError("[process_stream] asked for " + std::to_string(count) + " rows from " +
                       std::to_string(first) + ", got " + std::to_string(rows.shape(1)));
    }
    process_block(rows, options);
  }
}

std::map<int, LevelRepresentation> HierarchyManager::process_hierarchy(
    const Array& data, std::int64_t steps, const ProcessOptions& options) {
  const Array streams = as_streams(data, "process_hierarchy");
  const std::int64_t available = streams.shape(1);
  if (steps < -1 || steps > available) {
    throw ArgumentError("[process_hierarchy] steps must be in [0, " + std::to_string(available) +
                        "], the rows of data, or -1 for all; got " + std::to_string(steps));
  }
  if (steps == -1) steps = available;
  check_sizes(streams.shape(2));

  const bool is_batch = data.rank() == 3;
  std::map<int, LevelRepresentation> result;
  DType dtype = streams.dtype();
  for (const HierarchicalLevel& level : levels_) {
    const Shape one = {streams.shape(0), level.output_size()};
    dtype = level.representation_dtype(dtype);
    LevelRepresentation& made = result[level.id()];
    made.temporal_resolution = level.temporal_resolution();
    made.first_step = step_;
    made.steps = steps;
    if (level.has_ticked()) {
      made.before = level.representation().copy();
    } else if (level.shows_at(step_)) {
      made.before = zeros(one, dtype);
    }
    made.ticks = Array::uninitialized(
        {one[0], count_ticks(step_, steps, level.temporal_resolution()), one[1]}, dtype);
  }
  const std::int64_t length = block_length(options);
  for (std::int64_t first = 0; first < steps; first += length) {
    const HierarchyBlock block =
        process_block(streams.slice(1, first, std::min(steps, first + length)), options);
    for (const LevelBlock& level : block.levels) {
      LevelRepresentation& made = result[level.id];
      const std::int64_t row = count_ticks(made.first_step, block.first_step - made.first_step,
                                           level.temporal_resolution);
      made.ticks.slice(1, row, row + level.ticks.shape(1)).assign(level.ticks);
    }
  }
  if (!is_batch) {
    for (auto& [id, made] : result) {
      made.ticks = made.ticks[0];
      if (made.before.size() > 0) made.before = made.before[0];
    }
  }
  return result;
}

std::map<int, Array> HierarchyManager::process_time_step(const Array& x, bool learn) {
  if (x.rank() != 1 && x.rank() != 2) {
    throw ShapeError("[process_time_step] expected [features] or [streams, features], got " +
                     to_string(x.shape()));
  }
  const bool is_batch = x.rank() == 2;
  process_block((is_batch ? x : x.expand_dims(0)).expand_dims(1), {.learn = learn});
  std::map<int, Array> result;
  for (const HierarchicalLevel& level : levels_) {
    const Array held = level.representation().copy();
    result[level.id()] = is_batch ? held : held[0];
  }
  return result;
}

void HierarchyManager::add_observer(std::function<void(const HierarchyBlock&)> observer) {
  observers_.push_back(std::move(observer));
}

void HierarchyManager::allocate_state(std::int64_t streams, std::int64_t features, DType dtype) {
  check_sizes(features);
  std::int64_t resolution = 1;
  for (HierarchicalLevel& level : levels_) {
    level.allocate_state(streams, resolution, dtype);
    resolution = level.temporal_resolution();
    dtype = level.representation_dtype(dtype);
  }
}

std::vector<NamedArray> HierarchyManager::state() const {
  std::vector<NamedArray> all;
  for (const HierarchicalLevel& level : levels_) {
    for (NamedArray& array : level.state()) {
      array.name = "levels/" + std::to_string(level.id()) + "/" + array.name;
      all.push_back(std::move(array));
    }
  }
  return all;
}

double HierarchyManager::operations_per_step(bool learn) const {
  double total = 0.0;
  for (const HierarchicalLevel& level : levels_) {
    for (std::size_t i = 0; i < level.layer_count(); ++i) {
      total += static_cast<double>(level.layer(i).operations_per_tick(learn)) /
               static_cast<double>(level.temporal_resolution());
    }
  }
  return total;
}

}  // namespace gaia
