// SPDX-License-Identifier: MIT
#include "pca_control.h"

#include <algorithm>
#include <set>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../core/error.h"
#include "../../io/checkpoint_file.h"
#include "carried_state.h"
#include "same_past_control.h"

namespace gaia {
namespace {

std::int64_t count_of(const ControlSetup& setup, std::size_t level, std::int64_t size) {
  return std::min(size, setup.config.hierarchy().levels[level].layers.back().size);
}

std::string place_of(std::size_t level, const char* what) {
  return "components/" + std::to_string(level) + "/" + what;
}

}  // namespace

std::string PcaControl::why_left_out(const ControlSetup& setup, const ReadoutConfig& readout) {
  if (readout.folds > 0) return "all of its folds are tested, and none is for training alone";
  if (steps_of_training(setup, readout).empty()) return "it has no part for training alone";
  const std::vector<std::int64_t> sizes = past_sizes(setup);
  for (const std::int64_t level : readout.levels) {
    if (level >= std::ssize(sizes)) return too_many_features(kMostControlFeatures + 1);
  }
  return {};
}

double PcaControl::numbers(const ControlSetup& setup, std::int64_t block_steps) {
  double numbers = SamePastControl::numbers(setup, block_steps);
  const std::vector<std::int64_t> sizes = past_sizes(setup);
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    const auto size = static_cast<double>(sizes[n]);
    const auto resolution =
        static_cast<double>(setup.config.hierarchy().levels[n].temporal_resolution);
    const auto count = static_cast<double>(count_of(setup, n, sizes[n]));
    // Its covariance is float64, and so is the copy that is taken apart.
    numbers += 4.0 * size * size + 3.0 * size * count +
               static_cast<double>(block_steps) / resolution * (2.0 * size + count);
  }
  return numbers;
}

PcaControl::PcaControl(const ControlSetup& setup)
    : past_(past_of(setup)), features_(setup.features), dtype_(setup.config.dtype) {
  const std::vector<std::int64_t> sizes = past_sizes(setup);
  std::set<std::int64_t> read;
  for (const ReadoutConfig& readout : setup.config.readouts) {
    if (!readout.predicts() || !readout.learn || !why_left_out(setup, readout).empty()) continue;
    read.insert(readout.levels.begin(), readout.levels.end());
    const Stretches steps = steps_of_training(setup, readout);
    steps_ = steps_.empty() ? steps : intersection(steps_, steps);
  }
  for (const std::int64_t level : read) {
    const auto n = static_cast<std::size_t>(level);
    levels_.push_back({.level = n,
                       .count = count_of(setup, n, sizes[n]),
                       .covariance = Covariance(sizes[n]),
                       .mean = {},
                       .components = {}});
  }
  begin_trial();
}

std::vector<ReadoutSource> PcaControl::sources(const ReadoutConfig& readout,
                                               std::size_t /*variant*/) const {
  std::vector<ReadoutSource> sources;
  for (const std::int64_t level : readout.levels) {
    const auto found = std::find_if(levels_.begin(), levels_.end(), [&](const Components& of) {
      return of.level == static_cast<std::size_t>(level);
    });
    sources.push_back({level, found->count});
  }
  return sources;
}

void PcaControl::see(const Array& x) {
  const HierarchyBlock block = past_.process_block(x.expand_dims(0), {.learn = false});
  for (Components& of : levels_) {
    of.covariance.add(block.levels[of.level].ticks.to_vector<double>());
  }
}

void PcaControl::end_seeing() {
  for (Components& of : levels_) {
    PrincipalComponents found = principal_components(of.covariance, of.count);
    of.covariance = Covariance(1);  // its room is given back
    of.mean = std::move(found.mean);
    of.components = std::move(found.components);
    place(of);
  }
  begin_trial();
}

void PcaControl::place(Components& of) const {
  const auto size = static_cast<std::int64_t>(of.mean.size());
  of.mean_row = from_values(of.mean, {size}).astype(dtype_);
  of.columns = from_values(of.components, {of.count, size}).astype(dtype_).transpose().copy();
}

HierarchyBlock PcaControl::process(const RunBlock& run) {
  return project(past_.process_block(run.x.expand_dims(0), {.learn = false}));
}

std::unique_ptr<FreeReader> PcaControl::free_reader(std::size_t /*variant*/,
                                                    const HierarchyManager& /*run*/) const {
  class Reader final : public FreeReader {
   public:
    explicit Reader(const PcaControl& of) : of_(of), past_(of.past_) {}
    HierarchyBlock read(const Array& x) override { return of_.project(past_.read(x)); }

   private:
    const PcaControl& of_;
    FreeHierarchy past_;
  };
  return std::make_unique<Reader>(*this);
}

HierarchyBlock PcaControl::project(HierarchyBlock block) const {
  for (const Components& of : levels_) {
    if (of.mean.empty()) throw Error("[PcaControl] reads samples before it has seen any");
    Array& ticks = block.levels[of.level].ticks;
    const std::int64_t rows = ticks.shape(1);
    if (rows == 0) {
      ticks = zeros({1, 0, of.count}, dtype_);
      continue;
    }
    const Array centred = subtract(ticks[0], of.mean_row);
    ticks = matmul(centred, of.columns).expand_dims(0);
  }
  return block;
}

void PcaControl::begin_trial() { forget_carried_state(past_, features_, dtype_); }

void PcaControl::add_state(ArrayMap& arrays) const {
  add_carried_state(past_, "", arrays);
  for (const Components& of : levels_) {
    put_numbers(arrays, place_of(of.level, "mean"), of.mean);
    put_numbers(arrays, place_of(of.level, "components"), of.components);
  }
}

void PcaControl::set_state(const ArrayMap& arrays, std::int64_t step) {
  set_carried_state(past_, "", arrays, step);
  const std::vector<HierarchicalLevel>& past = past_.levels();
  for (Components& of : levels_) {
    const auto size = static_cast<std::size_t>(past[of.level].output_size());
    of.mean = numbers_of(arrays, place_of(of.level, "mean"), size);
    of.components = numbers_of(arrays, place_of(of.level, "components"),
                               size * static_cast<std::size_t>(of.count));
    of.covariance = Covariance(1);
    place(of);
  }
}

}  // namespace gaia
