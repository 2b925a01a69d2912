// SPDX-License-Identifier: MIT
#include "results_writer.h"

#include <utility>

namespace gaia {
namespace {

Array copied(const Array& array) {
  return array.device().is_cpu() ? array.copy() : array.to(Device::cpu());
}

}  // namespace

ResultsWriter::ResultsWriter(ResultsFile& file, Checkpoints& checkpoints, std::int64_t steps,
                             bool overlaps)
    : file_(file), checkpoints_(checkpoints), steps_(steps), queue_(overlaps) {}

void ResultsWriter::append(BlockRows rows) {
  part_.emplace_back([this, rows = std::move(rows)] { file_.append(rows); });
}

void ResultsWriter::append(std::size_t readout, Readout::Added added) {
  part_.emplace_back([this, readout, added = std::move(added)] { file_.append(readout, added); });
}

void ResultsWriter::append(RateRows rows) {
  part_.emplace_back([this, rows = std::move(rows)] { file_.append(rows); });
}

void ResultsWriter::append(BlockMetrics metrics) {
  part_.emplace_back([this, metrics = std::move(metrics)] { file_.append(metrics); });
}

void ResultsWriter::write_solutions(const std::vector<Readout>& readouts) {
  has_solution_.resize(readouts.size());
  for (std::size_t i = 0; i < readouts.size(); ++i) {
    if (has_solution_[i]) continue;
    const auto solution = readouts[i].solution();
    if (!solution) continue;
    has_solution_[i] = true;
    part_.emplace_back([this, i, solution = *solution] { file_.write_solution(i, solution); });
  }
}

void ResultsWriter::append_weights(std::int64_t step, const HierarchyManager& hierarchy) {
  ArrayMap learnt;
  std::vector<double> rates;
  for (const HierarchicalLevel& level : hierarchy.levels()) {
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      if (!level.layer(m).is_plastic()) continue;
      if (const AutoRate* const rate = level.layer(m).automatic_rate()) {
        rates.push_back(rate->last_rate());
      }
      const std::string layer =
          "levels/" + std::to_string(level.id()) + "/layers/" + std::to_string(m) + "/";
      for (const NamedArray& array : level.layer(m).arrays()) {
        learnt.emplace(layer + array.name, copied(array.value));
      }
    }
    if (const TopDown* const above = level.top_down()) {
      for (const NamedArray& array : above->arrays()) {
        learnt.emplace("levels/" + std::to_string(level.id()) + "/top_down/" + array.name,
                       copied(array.value));
      }
    }
  }
  part_.emplace_back([this, step, learnt = std::move(learnt), rates = std::move(rates)] {
    file_.append_weights(step, learnt, rates);
  });
}

void ResultsWriter::commit(std::int64_t steps, bool force) {
  part_.emplace_back([this, steps, force] {
    file_.commit(steps, force);
    steps_ = steps;
  });
}

void ResultsWriter::write_checkpoint(std::int64_t step, ArrayMap state, bool is_end) {
  part_.emplace_back([this, step, state = std::move(state), is_end] {
    file_.write_checkpoint(step, state, is_end);
  });
}

void ResultsWriter::store(std::int64_t step, ArrayMap arrays) {
  part_.emplace_back([this, step, arrays = std::move(arrays)] {
    file_.sync();
    checkpoints_.write(step, arrays);
  });
}

void ResultsWriter::submit() {
  queue_.push([part = std::exchange(part_, {})] {
    for (const auto& write : part) write();
  });
}

}  // namespace gaia
