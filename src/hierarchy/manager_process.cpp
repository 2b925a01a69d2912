// SPDX-License-Identifier: MIT
// Series, blocks and single steps on their way through the levels of a hierarchy.
#include <algorithm>
#include <string>

#include "../array/create.h"
#include "../array/ops.h"
#include "../core/message.h"
#include "../core/trace_ranges.h"
#include "as_before.h"
#include "finite_data.h"
#include "first_divergence.h"
#include "journal.h"
#include "manager.h"
#include "step_signals.h"

namespace gaia {
namespace {

/// Long enough for matrix products to pay, short enough to stay in the cache.
constexpr std::int64_t kDefaultBlock = 4096;

/// Steps of a block where levels work side by side: many times as long as a launch takes, and
/// several of them in any series that is worth a GPU.
constexpr std::int64_t kPipelineBlock = 512;

/// Streams that levels share: as many as a device runs apart without being told to.
constexpr std::size_t kLanes = 7;

/// The stream on which level number `level` works, where levels work side by side.
Stream lane(Stream ordinary, std::size_t level) {
  const auto number = ordinary.number + static_cast<int>(level % kLanes);
  return {number % Stream::kMost};
}

/// `x` on the current device.  What has to be sent there goes by a stream that does nothing else,
/// so that the host waits for nothing else.
Array copied_here(const Array& x, Stream ordinary) {
  if (x.size() == 0 || x.device() == current_device()) return x;
  const GPUContext scope(current_device(),
                         Stream{(ordinary.number + static_cast<int>(kLanes)) % Stream::kMost});
  return on_current_device(x, "hierarchy");
}

/// [T, F] as one stream, [B, T, F] as it is.
Array as_streams(const Array& data, const char* function) {
  if (data.rank() == 2) return data.expand_dims(0);
  if (data.rank() == 3) return data;
  fail<ShapeError>("[{}] expected [steps, features] or [streams, steps, features], got {}",
                   function, data.shape());
}

/// Says while it lives that a call is guarded.
class Guarded {
 public:
  explicit Guarded(bool& flag) : flag_(flag) { flag_ = true; }
  ~Guarded() { flag_ = false; }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

 private:
  bool& flag_;
};

}  // namespace

std::int64_t HierarchyManager::end_of_piece(std::int64_t step, std::int64_t end) const {
  for (const HierarchicalLevel& level : levels_) {
    if (level.top_down() == nullptr || !level.top_down()->hears_tick_by_tick()) continue;
    const auto [resolution, phase] = levels_[sender_of(level)].tick_times();
    end = std::min(end, next_tick(step, resolution, phase) + 1);
  }
  return end;
}

std::vector<LevelBlock> HierarchyManager::run_levels(const Array& x, const Reading& reading,
                                                     const Room& room) {
  if (!any_hears()) return run_piece(x, reading, room);
  check_sizes(x.shape(2));
  connect();
  const std::int64_t first = reading.first_step;
  const std::int64_t end = first + x.shape(1);
  std::int64_t here = end_of_piece(first, end);
  if (here == end) return run_piece(x, reading, room);
  for (std::int64_t step = first; step < end; step = here) {
    here = end_of_piece(step, end);
    const TickSignals signals = signals_of_steps(reading.signals, step - first, here - step);
    run_piece(x.slice(1, step - first, here - first),
              {.first_step = step,
               .learn = reading.learn,
               .continues = reading.continues || step > first,
               .side_by_side = reading.side_by_side,
               .signals = signals},
              room);
  }
  std::vector<LevelBlock> made;
  for (HierarchicalLevel& level : levels_) made.push_back(level.whole_block());
  return made;
}

std::vector<LevelBlock> HierarchyManager::run_piece(const Array& x, const Reading& reading,
                                                    const Room& room) {
  check_sizes(x.shape(2));
  std::vector<LevelBlock> made;
  made.reserve(levels_.size());
  const std::int64_t steps = x.shape(1);
  if (steps == 0) return made;
  const TraceRange range([&] {
    return message("gaia steps {} to {}", reading.first_step, reading.first_step + steps - 1);
  });
  for (std::size_t i = 0; i + 1 < levels_.size(); ++i) {
    if (!levels_[i].shows_at(reading.first_step)) {
      fail<Error>(
          "[level {}] reads level {} at step {}, before that level's first tick (held_until_first)",
          levels_[i + 1].id(), levels_[i].id(), reading.first_step);
    }
  }
  connect();
  // A level that is new here, or whose neighbour is, reads what the one below has been holding.
  allocate_state(x.shape(0), x.shape(2), x.dtype());
  // Each level touches what belongs to it, and reads what the one below has computed and will not
  // touch again: so no stream ever waits for that of a slower level.
  const Stream ordinary = current_stream();
  const bool talks = any_hears();
  const auto stream_of = [&](std::size_t level) {
    // Who hears a level above waits for it.
    return reading.side_by_side && !talks ? lane(ordinary, level) : ordinary;
  };
  for (std::size_t i = 1; i < levels_.size(); ++i) {
    const GPUContext scope(current_device(), stream_of(i - 1));
    levels_[i].hold_source(levels_[i - 1]);
  }
  Array source = x;
  TickTimes from;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const GPUContext scope(current_device(), stream_of(i));
    const TimedLevel timed(clock_.get(), levels_[i].id());
    const TraceRange level([&] { return message("gaia level {}", levels_[i].id()); });
    const Array place = room ? room(levels_[i], reading.first_step, steps) : Array();
    // On a GPU the level above reads the level's own block: who waits for the results would wait
    // for that level too.
    const bool in_place = current_device().is_cpu() && !levels_[i].hears();
    made.push_back(levels_[i].process_unguarded(source, from, reading.first_step, steps,
                                                reading.learn, reading.continues,
                                                in_place ? place : Array(), reading.signals));
    if (!in_place && !levels_[i].hears() && place.size() > 0) place.assign(made.back().ticks);
    source = made.back().ticks;
    from = levels_[i].tick_times();
  }
  // From above: a level may hear one that hears another.
  for (std::size_t i = levels_.size(); talks && i-- > 0;) {
    if (!levels_[i].hears()) continue;
    made[i] =
        levels_[i].hear(made[sender_of(levels_[i])], reading.first_step, steps, reading.learn);
    const Array place = room ? room(levels_[i], reading.first_step, steps) : Array();
    if (place.size() > 0) place.assign(made[i].ticks);
  }
  return made;
}

std::int64_t HierarchyManager::block_length(const ProcessOptions& options) const {
  if (options.block_steps < 0) {
    fail<ArgumentError>("[process] block_steps must be at least 0, got {}", options.block_steps);
  }
  if (options.block_steps > 0) return options.block_steps;
  return current_device().is_cpu() || levels_.size() < 2 ? kDefaultBlock : kPipelineBlock;
}

bool HierarchyManager::can_do_again(const Array& x, const ProcessOptions& options) const {
  constexpr std::int64_t kFewSteps = 1024;  // beyond, a copy of the weights takes little
  // The same division into blocks again; and observers could do anything to the hierarchy.
  const bool is_one_block = options.block_steps == 0 || options.block_steps >= x.shape(1);
  return options.learn && !options.check_finite && options.signals.empty() && is_one_block &&
         observers_.empty() && x.shape(1) > 0 && x.shape(1) <= kFewSteps &&
         is_floating(x.dtype()) && x.device().is_cpu() && journal_ && journal_->applies(*this) &&
         journal_->pays(*this, x);
}

void HierarchyManager::check_inputs(const Array& x, const ProcessOptions& options) const {
  if (!current_device().is_cpu() || !options.check_finite.value_or(options.learn)) return;
  if (takes_missing()) return;  // its level refuses what is infinite
  if (all_finite(x)) return;
  const std::int64_t end = step_ + x.shape(1);
  const auto found = [&] { throw DivergedError("", 0, 0, end); };
  or_blame_data(found, x, step_, x.dtype(), true, false);
}

void HierarchyManager::go_on(const HierarchyBlock& block) {
  step_ += block.steps;
  for (const auto& observer : observers_) observer(block);
}

void HierarchyManager::check_carried(const ProcessOptions& options, bool weights) const {
  // On a GPU the host would have to wait for what is still being computed.
  if (!options.learn || options.check_finite.has_value() || !current_device().is_cpu()) return;
  const bool all_finite =
      std::all_of(levels_.begin(), levels_.end(),
                  [&](const HierarchicalLevel& level) { return level.carries_finite(weights); });
  if (!all_finite) check_finite();
}

template <class Work>
void HierarchyManager::all_or_nothing(const Array& x, const ProcessOptions& options,
                                      const Work& work) {
  check_sizes(x.shape(2));
  check_inputs(x, options);
  const DType dtype = levels_.front().reading_dtype(x.dtype());
  // Who is called from within, by an observer say, fails with the call around it.
  if (!current_device().is_cpu() || !options.undo_failures || is_guarded_) {
    return or_blame_data(work, x, step_, dtype, false, takes_missing());
  }
  const bool does_again = can_do_again(x, options);
  if (does_again) {
    journal_->begin(*this, x);
  } else {
    if (journal_) journal_->end();
    undo_.keep(*this, x.shape(1), options.learn);
  }
  const auto left_finite = [&] {
    if (!options.check_finite.value_or(true)) return true;
    return does_again ? journal_->left_finite(*this, x) : undo_.all_finite();
  };
  const auto whole = [&] {
    const Guarded guarded(is_guarded_);
    work();
    if (left_finite()) return;
    check_finite();
    throw DivergedError("[run] NaN or Inf in what the hierarchy carries from step to step", 0, 0,
                        step_ + x.shape(1) - 1);
  };
  bool is_as_before = true;
  const auto take_back = [&] {
    does_again ? void(is_as_before = journal_->put_back(*this, x)) : undo_.put_back();
  };
  const std::int64_t first = step_;
  try {
    or_blame_data(whole, x, first, dtype, true, takes_missing());
  } catch (const DivergedError& error) {
    take_back();
    const bool was_finite =
        std::all_of(levels_.begin(), levels_.end(),
                    [](const HierarchicalLevel& level) { return level.carries_finite(true); });
    // Earlier where that shows only now.
    if (!is_as_before) {
      throw DivergedError(
          error.what() + std::string("; the hierarchy is as it would be if nobody had changed "
                                     "its levels between the last calls"),
          error.level, error.layer, error.step);
    }
    const DivergedError first_bad =
        was_finite && step_ == first ? first_divergence(clone(), x, options, error) : error;
    throw DivergedError(first_bad.what() + std::string(kAsBefore) +
                            (step_ == first ? "" : message(" step {}", step_)) +
                            (was_finite ? ""
                                        : ", and had NaN or Inf then: set other weights, or "
                                          "begin with a new one"),
                        first_bad.level, first_bad.layer, first_bad.step);
  } catch (...) {
    take_back();
    throw;
  }
  does_again ? journal_->note(x) : undo_.forget();
}

HierarchyBlock HierarchyManager::run_block(const Array& x, const ProcessOptions& options,
                                           const TickSignals& signals, const Room& room) {
  const Reading reading{.first_step = step_,
                        .learn = options.learn,
                        .continues = false,
                        .side_by_side = true,
                        .signals = signals};
  HierarchyBlock block{step_, x.shape(1), run_levels(x, reading, room)};
  if (options.check_finite.value_or(false)) check_finite();
  check_carried(options, false);
  return block;
}

HierarchyBlock HierarchyManager::process_block(const Array& x, const ProcessOptions& options) {
  if (x.rank() != 3) {
    fail<ShapeError>("[process_block] expected [streams, steps, features], got {}", x.shape());
  }
  HierarchyBlock block{step_, x.shape(1), {}};
  const TickSignals signals = signals_by_stream(options.signals, x.shape(0), x.shape(1));
  const bool by_pieces = !current_device().is_cpu() && levels_.size() > 1;
  const std::int64_t length = by_pieces ? block_length(options) : block.steps;
  const auto run_whole = [&] {
    block.levels = run_levels(x,
                              {.first_step = step_,
                               .learn = options.learn,
                               .continues = false,
                               .side_by_side = false,
                               .signals = signals},
                              {});
  };
  const auto run_pieces = [&] {
    const Stream ordinary = current_stream();
    for (std::int64_t first = 0; first < block.steps; first += length) {
      const Array rows = x.slice(1, first, std::min(block.steps, first + length));
      const TickSignals here = signals_of_steps(signals, first, rows.shape(1));
      run_levels(copied_here(rows, ordinary),
                 {.first_step = step_ + first,
                  .learn = options.learn,
                  .continues = first > 0,
                  .side_by_side = true,
                  .signals = here},
                 {});
    }
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const GPUContext scope(current_device(), lane(ordinary, i));
      block.levels.push_back(levels_[i].whole_block());
    }
  };
  all_or_nothing(x, options, [&] {
    block.steps <= length ? run_whole() : run_pieces();
    if (block.steps > 0 && options.check_finite.value_or(false)) check_finite();
    if (block.steps > 0 && !is_guarded_) check_carried(options, false);
  });
  if (block.steps > 0) go_on(block);
  return block;
}

void HierarchyManager::process_stream(const std::function<Array(std::int64_t, std::int64_t)>& read,
                                      std::int64_t steps, const ProcessOptions& options) {
  if (steps < 0) fail<ArgumentError>("[process_stream] steps must be at least 0, got {}", steps);
  const std::int64_t length = block_length(options);
  const Stream ordinary = current_stream();
  Array rows;
  std::int64_t first_step = step_;  // step of the first of those rows
  for (std::int64_t first = 0; first < steps; first += length) {
    const std::int64_t count = std::min(length, steps - first);
    rows = as_streams(read(first, count), "process_stream");
    if (rows.shape(1) != count) {
      fail<ShapeError>("[process_stream] asked for {} rows from {}, got {}", count, first,
                       rows.shape(1));
    }
    const TickSignals all = signals_by_stream(options.signals, rows.shape(0), steps);
    first_step = step_;
    HierarchyBlock block;
    all_or_nothing(rows, options, [&] {
      block =
          run_block(copied_here(rows, ordinary), options, signals_of_steps(all, first, count), {});
    });
    go_on(block);
  }
  if (options.undo_failures || steps == 0) return;  // after every block then
  or_blame_data([&] { check_carried(options, true); }, rows, first_step,
                levels_.front().reading_dtype(rows.dtype()), false, takes_missing());
}

std::map<int, LevelRepresentation> HierarchyManager::process_hierarchy(
    const Array& data, std::int64_t steps, const ProcessOptions& options) {
  const Array streams = as_streams(data, "process_hierarchy");
  const std::int64_t available = streams.shape(1);
  if (steps < -1 || steps > available) {
    fail<ArgumentError>(
        "[process_hierarchy] steps must be in [0, {}], the rows of data, or -1 for all; got {}",
        available, steps);
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
    made.phase = level.phase();
    made.first_step = step_;
    made.steps = steps;
    if (level.has_ticked()) {
      made.before = level.representation().copy();
    } else if (level.shows_at(step_)) {
      made.before = zeros(one, dtype);
    }
    made.ticks = Array::uninitialized(
        {one[0], count_ticks(step_, steps, level.temporal_resolution(), level.phase()), one[1]},
        dtype);
  }
  const auto room = [&](const HierarchicalLevel& level, std::int64_t from, std::int64_t count) {
    const LevelRepresentation& made = result[level.id()];
    const std::int64_t resolution = level.temporal_resolution();
    const std::int64_t row =
        count_ticks(made.first_step, from - made.first_step, resolution, level.phase());
    return made.ticks.slice(1, row, row + count_ticks(from, count, resolution, level.phase()));
  };
  const std::int64_t length = block_length(options);
  const Stream ordinary = current_stream();
  const TickSignals signals = signals_by_stream(options.signals, streams.shape(0), steps);
  all_or_nothing(streams.slice(1, 0, steps), options, [&] {
    for (std::int64_t first = 0; first < steps; first += length) {
      const Array rows = streams.slice(1, first, std::min(steps, first + length));
      go_on(run_block(copied_here(rows, ordinary), options,
                      signals_of_steps(signals, first, rows.shape(1)), room));
      if (options.after_block) options.after_block();
    }
    if (!is_guarded_) check_carried(options, true);
  });
  if (current_device().is_cpu()) {  // where levels have written into the results, the caller's
    for (HierarchicalLevel& level : levels_) level.leave_room();
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
    fail<ShapeError>("[process_time_step] expected [features] or [streams, features], got {}",
                     x.shape());
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

}  // namespace gaia
