// SPDX-License-Identifier: MIT
#include "replica_runs.h"

#include <algorithm>
#include <functional>
#include <memory>

#include "../../array/joining.h"
#include "../../core/message.h"
#include "../../hierarchy/replicas.h"
#include "block_run.h"

namespace gaia {
namespace {

/// A run, and what became of it.
struct Replica {
  std::unique_ptr<BlockRun> run;
  RunOutcome* outcome = nullptr;
  const BlockToRead* block = nullptr;  ///< Null where it is over.

  bool is_over() const { return outcome->summary.has_value() || outcome->error != nullptr; }
  /// Does it; a failure is its own.
  void attempt(const std::function<void(Replica&)>& what) {
    try {
      what(*this);
    } catch (...) {
      outcome->error = std::current_exception();
      block = nullptr;
    }
  }
  void read() {
    block = run->next();
    if (block == nullptr) outcome->summary = run->finish();
  }
};

using Group = std::vector<Replica*>;

/// Their signals, stream by stream.
TickSignals joined_signals(const Group& group) {
  const GPUContext host(Device::cpu());  // signals are there, whatever computes
  TickSignals all;
  for (const auto& [name, first] : group[0]->block->options.signals) {
    std::vector<Array> rows;
    for (const Replica* const replica : group) {
      const Array& values = replica->block->options.signals.at(name);
      rows.push_back(values.rank() == 1 ? values.expand_dims(0) : values);
    }
    all[name] = concatenate(rows, 0);
  }
  return all;
}

std::vector<ReplicaBlock> compute(const Group& group) {
  std::vector<HierarchyManager*> hierarchies;
  std::vector<Array> samples;
  for (const Replica* const replica : group) {
    hierarchies.push_back(&replica->run->hierarchy());
    samples.push_back(replica->block->x);
  }
  ProcessOptions options = group[0]->block->options;
  options.signals = joined_signals(group);
  return process_block_of_replicas(hierarchies, concatenate(samples, 0), options);
}

/// Computes a block of each, and hands it over.
void step(const Group& group) {
  std::vector<ReplicaBlock> made;
  try {
    made = compute(group);
  } catch (...) {
    const std::exception_ptr error = std::current_exception();
    for (Replica* const replica : group) {
      replica->attempt([&](Replica& one) { one.run->fail(error); });
    }
    return;
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    group[i]->attempt([&](Replica& one) {
      if (made[i].diverged) one.run->fail(std::make_exception_ptr(*made[i].diverged));
      one.run->take(made[i].block);
      one.read();
    });
  }
}

bool are_alike(const BlockRun& first, const BlockRun& other) {
  return first.steps_like(other) && why_not_replica(first.hierarchy(), other.hierarchy()).empty();
}

/// Each run with those that are like it.
std::vector<Group> groups_of(std::vector<Replica>& replicas) {
  std::vector<Group> groups;
  for (Replica& replica : replicas) {
    if (replica.is_over()) continue;
    const auto like = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return are_alike(*group[0]->run, *replica.run);
    });
    if (like == groups.end()) {
      groups.push_back({&replica});
    } else {
      like->push_back(&replica);
    }
  }
  return groups;
}

void run_group(Group group) {
  for (Replica* const replica : group) {
    replica->attempt([](Replica& one) {
      one.run->begin();
      one.read();
    });
  }
  for (;;) {
    std::erase_if(group, [](const Replica* replica) { return replica->block == nullptr; });
    if (group.empty()) return;
    step(group);
  }
}

}  // namespace

std::vector<RunOutcome> run_replicas(std::span<Experiment> experiments,
                                     std::span<const RunOptions> options) {
  if (options.size() != experiments.size()) {
    fail<ArgumentError>("[run_replicas] expected options for each of {} experiments, got {}",
                        experiments.size(), options.size());
  }
  std::vector<RunOutcome> outcomes(experiments.size());
  std::vector<Replica> replicas(experiments.size());
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    replicas[i].outcome = &outcomes[i];
    replicas[i].attempt([&](Replica& one) {
      one.run = std::make_unique<BlockRun>(experiments[i], options[i], ProcessUse::shared);
    });
  }
  for (const Group& group : groups_of(replicas)) run_group(group);
  // A device becomes current again in the order in which they were created.
  while (!replicas.empty()) replicas.pop_back();
  return outcomes;
}

}  // namespace gaia
