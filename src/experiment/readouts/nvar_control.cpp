// SPDX-License-Identifier: MIT
#include "nvar_control.h"

#include <algorithm>

#include "../../array/create.h"
#include "../../array/joining.h"
#include "../../array/ops.h"
#include "../../learning/ridge.h"

namespace gaia {
namespace {

/// The variants that are not too large.
std::vector<NvarControl::Lags> lags_of(const ControlSetup& setup) {
  std::vector<NvarControl::Lags> lags;
  for (const NvarControl::Lags& one : NvarControl::kLags) {
    if (one.features(setup.channels()) <= kMostControlFeatures) lags.push_back(one);
  }
  return lags;
}

}  // namespace

std::string NvarControl::why_left_out(const ControlSetup& setup, const ReadoutConfig& readout) {
  const std::vector<Lags> lags = lags_of(setup);
  if (lags.empty()) return too_many_features(kLags[0].features(setup.channels()));
  if (lags.size() == 1) return {};
  if (readout.task() == ReadoutTask::anomaly) {
    return "its rows are chosen by predictions, and there are none of anomalies";
  }
  if (readout.folds > 0) return "all of its folds are tested, and none is left to choose rows by";
  if (steps_of_training(setup, readout).empty() && setup.ticks(readout).validation().empty()) {
    return "nothing comes before its test part to choose rows by";
  }
  return {};
}

double NvarControl::numbers(const ControlSetup& setup, std::int64_t block_steps) {
  const double ticks =
      static_cast<double>(block_steps) / static_cast<double>(common_spacing(setup));
  double numbers = static_cast<double>(block_steps * setup.channels());
  for (const Lags& lags : lags_of(setup)) {
    numbers += 2.0 * ticks * static_cast<double>(lags.features(setup.channels()));
  }
  return numbers;
}

NvarControl::NvarControl(const ControlSetup& setup)
    : RowsControl(setup, lags_of(setup).back().before()),
      dtype_(setup.config.dtype),
      lags_(lags_of(setup)) {}

ReadoutConfig NvarControl::reader_of(const ReadoutConfig& readout) const {
  ReadoutConfig reader = without_squares(readout);
  if (reader.features.input_size <= channels_) reader.features.input = false;
  auto* const ridge = reader.kind.get_if<RidgeOptions>();
  if (reader.free_run.is_there && ridge != nullptr) {
    ridge->ridge = std::max(ridge->ridge, kLeastFreeRidge);
  }
  return reader;
}

std::unique_ptr<FreeReader> NvarControl::free_reader(std::size_t variant,
                                                     const HierarchyManager& /*run*/) const {
  /// The other variants read nothing.
  class Reader final : public FreeReader {
   public:
    Reader(const NvarControl& of, std::size_t variant) : copy_(of) {
      for (std::size_t v = 0; v < copy_.lags_.size(); ++v) {
        if (v != variant) copy_.lags_[v].rows = 0;
      }
    }
    HierarchyBlock read(const Array& x) override { return copy_.read(x); }

   private:
    NvarControl copy_;
  };
  return std::make_unique<Reader>(*this, variant);
}

Array NvarControl::with_products(const Array& v) {
  std::vector<Array> parts = {v};
  for (std::int64_t i = 0; i < v.shape(1); ++i) {
    parts.push_back(multiply(v.slice(1, i, i + 1), v.slice(1, i)));
  }
  return concatenate(parts, 1);
}

HierarchyBlock NvarControl::read(const Array& x) {
  const std::int64_t step = last_.step();
  const std::int64_t steps = x.shape(0);
  const Array all = last_.take(x);
  const std::int64_t first = next_tick(step, spacing_);
  HierarchyBlock block{.first_step = step, .steps = steps, .levels = {}};
  for (const Lags& lags : lags_) {
    LevelBlock level{.id = static_cast<int>(block.levels.size()),
                     .temporal_resolution = spacing_,
                     .first_tick = first,
                     .ticks = zeros({1, 0, lags.features(channels_)}, dtype_)};
    if (lags.rows > 0 && first < step + steps) {
      const std::int64_t span = lags.before() + 1;
      const Array rows = all.slice(0, all.size() - (steps + span - 1) * channels_).contiguous();
      const Array windows = rows.windows(steps, span * channels_, channels_)
                                .slice(0, first - step, {}, spacing_)
                                .contiguous();
      const std::int64_t ticks = windows.shape(0);
      const Array chosen =
          windows.reshape({ticks, span, channels_}).slice(1, 0, {}, lags.gap).contiguous();
      level.ticks = with_products(chosen.reshape({ticks, lags.rows * channels_})).expand_dims(0);
    }
    block.levels.push_back(std::move(level));
  }
  return block;
}

}  // namespace gaia
