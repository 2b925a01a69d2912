// SPDX-License-Identifier: MIT
#include "replicas.h"

#include <string>
#include <utility>

#include "../array/ops.h"
#include "../core/error.h"

namespace gaia {
namespace {

std::string tag(std::size_t replica) {
  return "[process_replicas] replica " + std::to_string(replica) + " ";
}

/// \throws ArgumentError unless all are of one structure and stand at the same step.
void check_alike(std::span<const HierarchyManager> replicas) {
  if (replicas.empty()) throw ArgumentError("[process_replicas] got no hierarchies");
  const HierarchyManager& first = replicas[0];
  const std::string remedy =
      "; replicas have one structure, and differ from replica 0 in numbers only";
  for (std::size_t r = 1; r < replicas.size(); ++r) {
    const HierarchyManager& other = replicas[r];
    if (other.levels().size() != first.levels().size()) {
      throw ArgumentError(tag(r) + "has " + std::to_string(other.levels().size()) +
                          " levels, not " + std::to_string(first.levels().size()) + remedy);
    }
    for (std::size_t i = 0; i < first.levels().size(); ++i) {
      const std::string why_not = first.levels()[i].why_not_replica(other.levels()[i]);
      if (!why_not.empty()) {
        throw ArgumentError(tag(r) + "is unlike: level " + std::to_string(other.levels()[i].id()) +
                            " " + why_not + remedy);
      }
    }
    if (other.step() != first.step()) {
      throw ArgumentError(tag(r) + "stands at step " + std::to_string(other.step()) + ", not " +
                          std::to_string(first.step()) + "; use set_step or reset_state");
    }
  }
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
  throw ShapeError("[process_replicas] expected data [steps, features] for all, or [" +
                   std::to_string(replicas) + ", steps, features] or [" + std::to_string(replicas) +
                   ", streams, steps, features] for " + std::to_string(replicas) +
                   " replicas, got " + to_string(data.shape()));
}

/// All replicas as one hierarchy, and back.
class Joined {
 public:
  explicit Joined(std::span<HierarchyManager> replicas) : replicas_(replicas) {
    for (const HierarchicalLevel& level : replicas[0].levels()) {
      levels_.emplace_back();
      for (HierarchyManager& replica : replicas)
        levels_.back().push_back(&replica.level(level.id()));
      hierarchy_.add_level(HierarchicalLevel::joined(levels_.back()));
    }
    hierarchy_.set_step(replicas[0].step());
    bool observed = false;
    for (const HierarchyManager& replica : replicas) observed |= !replica.observers().empty();
    if (observed) hierarchy_.add_observer([this](const HierarchyBlock& block) { show(block); });
  }
  Joined(const Joined&) = delete;
  Joined& operator=(const Joined&) = delete;

  HierarchyManager& hierarchy() { return hierarchy_; }

  /// Gives the replicas their parts of the state.
  void part() const {
    for (std::size_t i = 0; i < levels_.size(); ++i) hierarchy_.levels()[i].part(levels_[i]);
    for (HierarchyManager& replica : replicas_) replica.set_step(hierarchy_.step());
  }

 private:
  void show(const HierarchyBlock& whole) const {
    part();
    const auto count = static_cast<std::int64_t>(replicas_.size());
    for (std::int64_t r = 0; r < count; ++r) {
      HierarchyBlock block{whole.first_step, whole.steps, {}};
      for (const LevelBlock& level : whole.levels) {
        const std::int64_t streams = level.ticks.shape(0) / count;
        LevelBlock mine = level;
        mine.ticks = level.ticks.slice(0, r * streams, (r + 1) * streams);
        block.levels.push_back(std::move(mine));
      }
      for (const auto& observer : replicas_[static_cast<std::size_t>(r)].observers()) {
        observer(block);
      }
    }
  }

  std::span<HierarchyManager> replicas_;
  std::vector<std::vector<HierarchicalLevel*>> levels_;  ///< Of each level, those of all replicas.
  HierarchyManager hierarchy_;
};

/// \throws DivergedError for the first replica that has diverged.
void name_diverged(std::span<const HierarchyManager> replicas) {
  for (std::size_t r = 0; r < replicas.size(); ++r) {
    try {
      replicas[r].check_finite();
    } catch (const DivergedError& error) {
      throw DivergedError(tag(r) + "diverged: " + error.what(), error.level, error.layer,
                          error.step);
    }
  }
}

}  // namespace

std::map<int, LevelRepresentation> process_replicas(std::span<HierarchyManager> replicas,
                                                    const Array& data, std::int64_t steps,
                                                    const ProcessOptions& options) {
  check_alike(replicas);
  const auto count = static_cast<std::int64_t>(replicas.size());
  const Array streams = streams_of(data, count);
  Joined joined(replicas);
  std::map<int, LevelRepresentation> result;
  try {
    result = joined.hierarchy().process_hierarchy(streams, steps, options);
  } catch (const DivergedError&) {
    joined.part();
    name_diverged(replicas);
    throw;
  } catch (...) {
    joined.part();
    throw;
  }
  joined.part();
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
