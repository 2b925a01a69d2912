// SPDX-License-Identifier: MIT
/// \file
/// What levels tell the levels beside them, and what that and they cost.
///
///     Messages messages(hierarchy, {.keep = 100});
///     messages.set_schedule(0, 4);                       // every fourth tick of level 0
///     hierarchy.add_observer([&](const HierarchyBlock& block) { messages.read(block); });
///     hierarchy.process_hierarchy(data);
///     for (const Message& message : messages.received(1)) ...
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "manager.h"

namespace gaia {

/// What a level says at a tick.
struct Message {
  int level = 0;          ///< Sender.
  std::int64_t step = 0;  ///< Step of the tick.
  Array representation;   ///< [streams, n], on the CPU.
  double energy = 0.0;    ///< Mean square of the representation, over streams and neurons.
};

struct MessageOptions {
  std::int64_t keep = 16;  ///< Messages that are kept of each level: the last ones.
  /// Ticks from one message of a level to the next: one number for all levels, or one for each in
  /// their order.  Ticks are counted from the start of the series or trial.
  std::vector<std::int64_t> every = {1};
};

/// What was measured of a level.
struct LevelCosts {
  int level = 0;
  std::int64_t ticks = 0;
  std::int64_t sent = 0;           ///< Messages.
  std::int64_t delivered = 0;      ///< To the levels above and below: twice `sent` where both are.
  std::int64_t message_bytes = 0;  ///< Bytes of the representations delivered.
  std::int64_t memory_bytes = 0;   ///< Bytes of weights, memories, state and kept messages.
  double seconds = 0.0;            ///< HierarchyManager::measure_time; 0 where it is not measured.
};

/// Keeps messages between the levels of a hierarchy.  An observer of HierarchyManager, or a caller,
/// passes each block to it; a hierarchy without one spends no time on messages.
class Messages {
 public:
  /// Those of one level.
  struct Log {
    std::deque<Message> kept;  ///< Oldest first.
    std::int64_t ticks = 0;
    std::int64_t sent = 0;
    std::int64_t delivered = 0;
    std::int64_t bytes = 0;
    double seconds = 0.0;  ///< Before this process began (a run that goes on).
  };

  /// \throws ArgumentError unless `keep` is at least 1, and `every` is one number, or one for each
  ///         level, of at least 1.
  explicit Messages(const HierarchyManager& hierarchy, const MessageOptions& options = {});

  /// From here on level `level` sends at every `every`-th tick; what is not sent is not received.
  /// \throws ArgumentError for a level that there is not, and for less than 1.
  void set_schedule(int level, std::int64_t every);
  std::int64_t schedule(int level) const;

  /// Takes what the levels computed for a block.  `offset` is added to its steps.
  void read(const HierarchyBlock& block, std::int64_t offset = 0);

  /// The last messages of a level, oldest first.  \throws ArgumentError for a level that there is
  /// not.
  std::vector<Message> sent(int level) const;
  /// Those of the level below and of the one above that are kept, by their steps; at one step that
  /// of the level below comes first, as it ran first.
  std::vector<Message> received(int level) const;

  /// In the order of the levels.  \throws ArgumentError if this is not their hierarchy.
  std::vector<LevelCosts> metrics(const HierarchyManager& hierarchy) const;

  /// Forgets all messages and counts; schedules stay.
  void clear();

  const std::map<int, Log>& logs() const { return logs_; }
  /// Takes over what `logs` had.  \throws ArgumentError unless it is of the same levels.
  void set_logs(std::map<int, Log> logs);

 private:
  Log& log_of(int level, const char* function);
  const Log& log_of(int level, const char* function) const;

  std::int64_t keep_;
  std::map<int, Log> logs_;            // log of every level
  std::map<int, std::int64_t> every_;  // likewise
};

}  // namespace gaia
