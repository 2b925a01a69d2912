// SPDX-License-Identifier: MIT
#include "messages.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "../core/message.h"

namespace gaia {
namespace {

double mean_square(const Array& representation) {
  double sum = 0.0;
  for (const double value : representation.astype(DType::float64).to_vector<double>()) {
    sum += value * value;
  }
  return sum / static_cast<double>(representation.size());
}

/// Levels beside the one at `place` of `levels`.
std::int64_t neighbours(std::size_t place, std::size_t levels) {
  return (place > 0 ? 1 : 0) + (place + 1 < levels ? 1 : 0);
}

}  // namespace

Messages::Messages(const HierarchyManager& hierarchy, const MessageOptions& options)
    : keep_(options.keep) {
  const std::vector<HierarchicalLevel>& levels = hierarchy.levels();
  if (keep_ < 1) fail<ArgumentError>("[messages] keep must be at least 1, got {}", keep_);
  if (options.every.size() != 1 && options.every.size() != levels.size()) {
    fail<ArgumentError>(
        "[messages] expected one number in every, or one for each of the {} levels, got {}",
        levels.size(), options.every.size());
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    logs_[levels[i].id()] = {};
    set_schedule(levels[i].id(), options.every[options.every.size() == 1 ? 0 : i]);
  }
}

const Messages::Log& Messages::log_of(int level, const char* function) const {
  const auto found = logs_.find(level);
  if (found != logs_.end()) return found->second;
  std::string known;
  for (const auto& [id, log] : logs_) known += (known.empty() ? "" : ", ") + std::to_string(id);
  fail<ArgumentError>("[{}] there is no level {}; known: {}", function, level,
                      known.empty() ? "none" : known);
}

Messages::Log& Messages::log_of(int level, const char* function) {
  return const_cast<Log&>(std::as_const(*this).log_of(level, function));
}

void Messages::set_schedule(int level, std::int64_t every) {
  log_of(level, "set_schedule");
  if (every < 1) {
    fail<ArgumentError>("[set_schedule] every must be at least 1 tick, got {}", every);
  }
  every_[level] = every;
}

std::int64_t Messages::schedule(int level) const {
  log_of(level, "schedule");
  return every_.at(level);
}

void Messages::read(const HierarchyBlock& block, std::int64_t offset) {
  for (std::size_t i = 0; i < block.levels.size(); ++i) {
    const LevelBlock& level = block.levels[i];
    Log& log = log_of(level.id, "messages");
    const std::int64_t ticks = level.ticks.size() == 0 ? 0 : level.ticks.shape(1);
    log.ticks += ticks;
    if (ticks == 0) continue;
    const std::int64_t resolution = level.temporal_resolution;
    const std::int64_t every = every_.at(level.id);
    // The first tick of the block that is sent, and how many are.
    const std::int64_t number = level.first_tick / resolution;  // from the start of the series
    const std::int64_t first = (every - number % every) % every;
    const std::int64_t count = first < ticks ? (ticks - 1 - first) / every + 1 : 0;
    const std::int64_t deliveries = neighbours(i, block.levels.size());
    log.sent += count;
    log.delivered += count * deliveries;
    log.bytes += count * deliveries * level.ticks.bytes() / ticks;
    for (std::int64_t k = std::max<std::int64_t>(0, count - keep_); k < count; ++k) {
      const std::int64_t tick = first + k * every;
      Message message{.level = level.id,
                      .step = offset + level.first_tick + tick * resolution,
                      .representation = {}};
      const Array row = level.ticks.slice(1, tick, tick + 1);
      message.representation =
          row.to(Device::cpu()).contiguous().reshape({row.shape(0), row.shape(2)}).copy();
      message.energy = mean_square(message.representation);
      log.kept.push_back(std::move(message));
    }
    while (std::ssize(log.kept) > keep_) log.kept.pop_front();
  }
}

std::vector<Message> Messages::sent(int level) const {
  const Log& log = log_of(level, "sent");
  return {log.kept.begin(), log.kept.end()};
}

std::vector<Message> Messages::received(int level) const {
  log_of(level, "received");
  const auto here = logs_.find(level);
  std::vector<Message> all;
  if (here != logs_.begin()) {
    const Log& below = std::prev(here)->second;
    all.assign(below.kept.begin(), below.kept.end());
  }
  if (std::next(here) != logs_.end()) {
    const Log& above = std::next(here)->second;
    all.insert(all.end(), above.kept.begin(), above.kept.end());
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Message& a, const Message& b) { return a.step < b.step; });
  return all;
}

std::vector<LevelCosts> Messages::metrics(const HierarchyManager& hierarchy) const {
  std::vector<LevelCosts> all;
  for (const HierarchicalLevel& level : hierarchy.levels()) {
    const Log& log = log_of(level.id(), "metrics");
    const auto measured = hierarchy.level_seconds().find(level.id());
    LevelCosts& made = all.emplace_back();
    made = {.level = level.id(),
            .ticks = log.ticks,
            .sent = log.sent,
            .delivered = log.delivered,
            .message_bytes = log.bytes,
            .seconds = log.seconds};
    if (measured != hierarchy.level_seconds().end()) made.seconds += measured->second;
    for (const NamedArray& array : level.state()) made.memory_bytes += array.value.bytes();
    for (const Message& message : log.kept) made.memory_bytes += message.representation.bytes();
  }
  return all;
}

void Messages::clear() {
  for (auto& [level, log] : logs_) log = {};
}

void Messages::set_logs(std::map<int, Log> logs) {
  const bool fits = std::ranges::equal(
      logs, logs_, {}, [](const auto& one) { return one.first; },
      [](const auto& one) { return one.first; });
  if (!fits) throw ArgumentError("[messages] expected what levels of the same numbers have sent");
  logs_ = std::move(logs);
  for (auto& [level, log] : logs_) {
    while (std::ssize(log.kept) > keep_) log.kept.pop_front();
  }
}

}  // namespace gaia
