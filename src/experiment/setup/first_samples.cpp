// SPDX-License-Identifier: MIT
#include "first_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>
#include <vector>

#include "../../array/create.h"
#include "../../core/error.h"
#include "../../core/random.h"
#include "../../layers/hierarchy/hebbian.h"
#include "build.h"
#include "training_part.h"

namespace gaia {
namespace {

constexpr const char* kPlace = "hierarchy.levels[0].layers[0]";

bool begins_with_samples(const LayerConfig& layer) {
  const auto* const options = layer.kind.get_if<HebbianOptions>();
  return options != nullptr && options->init == Init::samples;
}

/// Steps at which the first level ticks, one of every `spacing`, and pools steps of the training
/// part alone.
class TrainingTicks {
 public:
  explicit TrainingTicks(const Experiment& experiment)
      : spacing_(experiment.config.hierarchy().levels.front().temporal_resolution),
        phase_(experiment.config.hierarchy().levels.front().options.phase) {
    const TrainingPart part = training_part(experiment);
    for (const Trial& trial : experiment.trials.all()) {
      for (const Stretch& steps : intersection(part.steps(), {{trial.first_step, trial.end()}})) {
        const std::int64_t whole =
            steps.begin == trial.first_step ? steps.begin : steps.begin + spacing_ - 1;
        const std::int64_t first =
            trial.first_step + next_tick(whole - trial.first_step, spacing_, phase_);
        // From a tick on they come every `spacing_` steps.
        const std::int64_t count = count_ticks(0, steps.end - first, spacing_);
        if (first < steps.end) ranges_.push_back({first, count});
      }
    }
  }

  std::int64_t count() const {
    std::int64_t count = 0;
    for (const Range& range : ranges_) count += range.count;
    return count;
  }
  std::int64_t step(std::int64_t tick) const {
    auto range = ranges_.begin();
    for (; tick >= range->count; ++range) tick -= range->count;
    return range->first + tick * spacing_;
  }

 private:
  struct Range {
    std::int64_t first;  // step
    std::int64_t count;  // of ticks
  };

  std::int64_t spacing_;
  std::int64_t phase_;
  std::vector<Range> ranges_;
};

using Row = std::vector<double>;
using Rows = std::map<std::int64_t, Row>;  // by step

/// What the first level reads at these steps, which are ticks of it, in order.
void read_pooled(const Experiment& experiment, SampleReader& samples, Rows& rows) {
  const LevelConfig& level = experiment.config.hierarchy().levels.front();
  const std::int64_t size = pooled_size(level, samples.features());
  HierarchyManager pool;
  pool.add_level({0, size, size, level.temporal_resolution, level.options});
  constexpr std::int64_t block = 1024;
  for (const Trial& trial : samples.trials().all()) {
    pool.reset_state();
    for (std::int64_t first = trial.first_step;
         first < trial.end() && rows.lower_bound(first) != rows.end(); first += block) {
      const std::int64_t count = std::min(block, trial.end() - first);
      const Array x = samples.read(first, count).expand_dims(0);
      const LevelBlock read = pool.process_block(x, {.learn = false}).levels.front();
      for (auto row = rows.lower_bound(first); row != rows.end() && row->first < first + count;
           ++row) {
        const std::int64_t tick =
            (row->first - trial.first_step - read.first_tick) / level.temporal_resolution;
        row->second = read.ticks.slice(1, tick, tick + 1).to_vector<double>();
      }
    }
  }
}

void read_rows(const Experiment& experiment, SampleReader& samples, Rows& rows) {
  if (experiment.config.hierarchy().levels.front().temporal_resolution > 1) {
    return read_pooled(experiment, samples, rows);
  }
  for (auto& [step, row] : rows) row = samples.read(step, 1).to_vector<double>();
}

/// Rows that all differ, one behind the other, as many as are asked for.
std::vector<double> draw_rows(const Experiment& experiment, SampleReader& samples,
                              std::size_t neurons) {
  const TrainingTicks ticks(experiment);
  const RandomStream stream = RandomStream::named(
      static_cast<std::uint64_t>(experiment.config.seed), "levels/0/layers/0/samples");
  const auto most = static_cast<std::size_t>(ticks.count());
  std::uint64_t draws = 0;
  std::unordered_set<std::int64_t> tried;
  std::set<Row> found;
  std::vector<double> values;
  while (found.size() < neurons) {
    // Rows that repeat themselves need more: twice as many each time.
    const std::size_t wanted =
        std::min(most - tried.size(), std::max(neurons - found.size(), tried.size()));
    if (wanted == 0) {
      throw DataError(fmt::format(
          "{}.init: samples: expected {} different rows of the training part, one for each "
          "neuron, got {} of {} ticks; make the layer smaller, or take another init",
          kPlace, neurons, found.size(), most));
    }
    std::vector<std::int64_t> drawn;
    Rows rows;
    while (drawn.size() < wanted) {
      const std::int64_t tick = stream.integer(draws++, ticks.count());
      if (!tried.insert(tick).second) continue;
      drawn.push_back(ticks.step(tick));
      rows[drawn.back()];
    }
    read_rows(experiment, samples, rows);
    for (const std::int64_t step : drawn) {
      if (found.size() == neurons || !found.insert(rows[step]).second) continue;
      values.insert(values.end(), rows[step].begin(), rows[step].end());
    }
  }
  return values;
}

}  // namespace

void check_first_samples(const Experiment& experiment, const AddProblem& add) {
  const std::vector<LevelConfig>& levels = experiment.config.hierarchy().levels;
  for (std::size_t n = 0; n < levels.size(); ++n) {
    for (std::size_t m = 0; m < levels[n].layers.size(); ++m) {
      if (!begins_with_samples(levels[n].layers[m]) || (n == 0 && m == 0)) continue;
      add(fmt::format("hierarchy.levels[{}].layers[{}].init", n, m),
          "samples are rows of what a layer reads, and what lies above other layers reads what "
          "these have yet to learn; take another init here, or let the layers below learn in a run "
          "of their own, and read what it has recorded");
    }
  }
  if (!begins_with_samples(levels.front().layers.front()) || experiment.from) return;
  const std::int64_t ticks = TrainingTicks(experiment).count();
  const std::int64_t neurons = levels.front().layers.front().size;
  if (ticks >= neurons) return;
  add(fmt::format("{}.init", kPlace),
      fmt::format(
          "samples: the training part has {} ticks, fewer than the {} neurons, of which "
          "each begins with one; make the layer smaller, let the readouts train on more (split, "
          "skip), or take another init",
          ticks, neurons));
}

HierarchyManager& begin_with_samples(HierarchyManager& hierarchy, const Experiment& experiment,
                                     SampleReader& samples) {
  const LayerConfig& layer = experiment.config.hierarchy().levels.front().layers.front();
  if (!begins_with_samples(layer) || experiment.from) return hierarchy;
  HierarchicalLevel& level = hierarchy.level(hierarchy.levels().front().id());
  auto& plastic = dynamic_cast<HebbianLayer&>(level.layer(0));
  const std::vector<double> values =
      draw_rows(experiment, samples, static_cast<std::size_t>(layer.size));
  plastic.set_weights(from_values(values, {layer.size, plastic.input_size()}));
  return hierarchy;
}

}  // namespace gaia
