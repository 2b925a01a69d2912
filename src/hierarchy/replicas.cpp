// SPDX-License-Identifier: MIT
#include "replicas.h"

#include <string>
#include <utility>

#include "../array/ops.h"
#include "../core/message.h"
#include "as_before.h"
#include "first_divergence.h"

namespace gaia {
namespace {

/// \throws ArgumentError unless all are of one structure and stand at the same step.
void check_alike(std::span<HierarchyManager* const> replicas) {
  if (replicas.empty()) throw ArgumentError("[process_replicas] got no hierarchies");
  for (std::size_t r = 1; r < replicas.size(); ++r) {
    const std::string why_not = why_not_replica(*replicas[0], *replicas[r]);
    if (!why_not.empty()) {
      fail<ArgumentError>(
          "[process_replicas] replica {} {}; replicas have one structure, and differ from replica "
          "0 in numbers only",
          r, why_not);
    }
    if (replicas[r]->step() != replicas[0]->step()) {
      fail<ArgumentError>(
          "[process_replicas] replica {} stands at step {}, not {}; use set_step or reset_state", r,
          replicas[r]->step(), replicas[0]->step());
    }
  }
}

std::vector<HierarchyManager*> pointers_to(std::span<HierarchyManager> replicas) {
  std::vector<HierarchyManager*> pointers;
  for (HierarchyManager& replica : replicas) pointers.push_back(&replica);
  return pointers;
}

/// The streams of all replicas, one after another: [R B, T, F].
Array streams_of(const Array& data, std::int64_t replicas) {
  if (data.rank() == 2) {
    // Brought there before it is shown R times.
    return on_current_device(data, "process_replicas")
        .expand_dims(0)
        .broadcast_to({replicas, data.shape(0), data.shape(1)});
  }
  if ((data.rank() == 3 || data.rank() == 4) && data.shape(0) == replicas) {
    return data.rank() == 3
               ? data
               : data.reshape({replicas * data.shape(1), data.shape(2), data.shape(3)});
  }
  fail<ShapeError>(
      "[process_replicas] expected data [steps, features] for all, or [{}, steps, features] or "
      "[{}, streams, steps, features] for {} replicas, got {}",
      replicas, replicas, replicas, data.shape());
}

/// All replicas as one hierarchy, and back.
class Joined {
 public:
  explicit Joined(std::span<HierarchyManager* const> replicas) : replicas_(replicas) {
    for (HierarchyManager* const replica : replicas) replica->connect();
    for (const HierarchicalLevel& level : replicas[0]->levels()) {
      levels_.emplace_back();
      for (HierarchyManager* const replica : replicas) {
        levels_.back().push_back(&replica->level(level.id()));
      }
      hierarchy_.add_level(HierarchicalLevel::joined(levels_.back()));
    }
    hierarchy_.set_step(replicas[0]->step());
  }
  Joined(const Joined&) = delete;
  Joined& operator=(const Joined&) = delete;

  HierarchyManager& hierarchy() { return hierarchy_; }

  /// From here on the replicas' observers see the blocks of their own.
  void show_to_observers() {
    bool observed = false;
    for (const HierarchyManager* const replica : replicas_) {
      observed |= !replica->observers().empty();
    }
    if (!observed) return;
    hierarchy_.add_observer([this](const HierarchyBlock& whole) {
      part();
      for (std::size_t r = 0; r < replicas_.size(); ++r) {
        const HierarchyBlock block = block_of(whole, r);
        for (const auto& observer : replicas_[r]->observers()) observer(block);
      }
    });
  }

  /// Gives the replicas their parts of the state.
  void part() const {
    for (std::size_t i = 0; i < levels_.size(); ++i) hierarchy_.levels()[i].part(levels_[i]);
    for (HierarchyManager* const replica : replicas_) replica->set_step(hierarchy_.step());
  }

  /// The part of one replica, out of a block of all.
  HierarchyBlock block_of(const HierarchyBlock& whole, std::size_t replica) const {
    HierarchyBlock block{whole.first_step, whole.steps, {}};
    const auto r = static_cast<std::int64_t>(replica);
    for (const LevelBlock& level : whole.levels) {
      const std::int64_t streams = level.ticks.shape(0) / std::ssize(replicas_);
      LevelBlock mine = level;
      mine.ticks = level.ticks.slice(0, r * streams, (r + 1) * streams);
      if (level.plain.size() > 0) {
        mine.plain = level.plain.slice(0, r * streams, (r + 1) * streams);
      }
      for (Array& values : mine.beside) {
        values = values.slice(0, r * streams, (r + 1) * streams);
      }
      block.levels.push_back(std::move(mine));
    }
    return block;
  }

 private:
  std::span<HierarchyManager* const> replicas_;
  std::vector<std::vector<HierarchicalLevel*>> levels_;  ///< Levels of all replicas, by level.
  HierarchyManager hierarchy_;
};

/// Replicas as they were before a call, where that is asked for (ProcessOptions::undo_failures).
class Undos {
 public:
  Undos(std::span<HierarchyManager* const> replicas, std::int64_t steps,
        const ProcessOptions& options)
      : undos_(replicas.size()) {
    if (!options.undo_failures || !current_device().is_cpu()) return;
    for (std::size_t r = 0; r < replicas.size(); ++r) {
      undos_[r].keep(*replicas[r], steps, options.learn);
    }
  }

  /// Does `work`; if it fails, nothing is done.
  template <class Work>
  void guard(const Work& work) {
    try {
      work();
    } catch (...) {
      for (HierarchyUndo& undo : undos_) undo.put_back();
      throw;
    }
  }
  /// Whether what is kept of the replica is finite as it is now.
  bool all_finite(std::size_t replica) const { return undos_[replica].all_finite(); }
  /// \returns whether it was kept.
  bool put_back(std::size_t replica) {
    const bool was_kept = undos_[replica].is_active();
    undos_[replica].put_back();
    return was_kept;
  }

 private:
  std::vector<HierarchyUndo> undos_;
};

/// \throws DivergedError for the first replica that has diverged.
void name_diverged(std::span<const HierarchyManager> replicas) {
  for (std::size_t r = 0; r < replicas.size(); ++r) {
    try {
      replicas[r].check_finite();
    } catch (const DivergedError& error) {
      throw DivergedError(message("[process_replicas] replica {} diverged: {}", r, error.what()),
                          error.level, error.layer, error.step);
    }
  }
}

}  // namespace

std::string why_not_replica(const HierarchyManager& first, const HierarchyManager& other) {
  if (other.levels().size() != first.levels().size()) {
    return message("has {} levels, not {}", other.levels().size(), first.levels().size());
  }
  for (std::size_t i = 0; i < first.levels().size(); ++i) {
    const std::string why_not = first.levels()[i].why_not_replica(other.levels()[i]);
    if (!why_not.empty()) {
      return message("is unlike: level {} {}", other.levels()[i].id(), why_not);
    }
  }
  return "";
}

std::vector<ReplicaBlock> process_block_of_replicas(std::span<HierarchyManager* const> replicas,
                                                    const Array& x, const ProcessOptions& options) {
  check_alike(replicas);
  const auto count = std::ssize(replicas);
  if (x.rank() != 3 || x.shape(0) % count != 0) {
    fail<ShapeError>(
        "[process_block_of_replicas] expected [replicas, steps, features], or as many streams for "
        "each of {} replicas, got {}",
        count, x.shape());
  }
  replicas[0]->check_inputs(x, options);
  Undos undos(replicas, x.shape(1), options);
  Joined joined(replicas);
  ProcessOptions unchecked = options;
  unchecked.check_finite = false;
  unchecked.undo_failures = false;
  HierarchyBlock whole;
  undos.guard([&] {
    whole = joined.hierarchy().process_block(x, unchecked);
    joined.part();
  });
  std::vector<ReplicaBlock> blocks;
  for (std::size_t r = 0; r < replicas.size(); ++r) {
    blocks.push_back({joined.block_of(whole, r), std::nullopt});
    try {
      const bool is_asked = options.check_finite.value_or(false);
      const bool is_bad = !options.check_finite && !undos.all_finite(r);
      if (is_asked || is_bad) replicas[r]->check_finite();
    } catch (const DivergedError& error) {
      blocks.back().diverged = error;
      if (!undos.put_back(r)) continue;
      const auto row = static_cast<std::int64_t>(r) * x.shape(0) / count;
      const auto own = [&](const Array& all) {
        return all.slice(0, row, row + x.shape(0) / count);
      };
      ProcessOptions alone = options;
      for (auto& [name, values] : alone.signals) {
        if (values.rank() == 2 && values.shape(0) == x.shape(0)) values = own(values);
      }
      const DivergedError first = first_divergence(replicas[r]->clone(), own(x), alone, error);
      blocks.back().diverged.emplace(first.what() + std::string(kAsBefore), first.level,
                                     first.layer, first.step);
      continue;
    }
    for (const auto& observer : replicas[r]->observers()) observer(blocks.back().block);
  }
  return blocks;
}

std::map<int, LevelRepresentation> process_replicas(std::span<HierarchyManager> replicas,
                                                    const Array& data, std::int64_t steps,
                                                    const ProcessOptions& options) {
  const std::vector<HierarchyManager*> pointers = pointers_to(replicas);
  check_alike(pointers);
  const auto count = static_cast<std::int64_t>(replicas.size());
  const Array streams = streams_of(data, count);
  Undos undos(pointers, streams.shape(1), options);
  Joined joined(pointers);
  joined.show_to_observers();
  ProcessOptions together = options;
  together.undo_failures = false;
  std::map<int, LevelRepresentation> result;
  undos.guard([&] {
    try {
      result = joined.hierarchy().process_hierarchy(streams, steps, together);
    } catch (const DivergedError&) {
      joined.part();
      name_diverged(replicas);
      throw;
    } catch (...) {
      joined.part();
      throw;
    }
    joined.part();
  });
  if (data.rank() == 4) {
    for (auto& [id, made] : result) {
      const Shape ticks = made.ticks.shape();
      made.ticks = made.ticks.reshape({count, data.shape(1), ticks[1], ticks[2]});
      if (made.before.size() > 0)
        made.before = made.before.reshape({count, data.shape(1), ticks[2]});
    }
  }
  return result;
}

}  // namespace gaia
