// SPDX-License-Identifier: MIT
#include "smoothed.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "../../filters/smoother.h"
#include "../../layers/hierarchy/filter_layer.h"
#include "filter_layout.h"

namespace gaia {
namespace {

constexpr std::int64_t kTicksAtOnce = 512;

/// The layer of a level that asks for smoothing; null where none does.
const FilterLayer* smoothing_layer(const HierarchicalLevel& level) {
  for (std::size_t m = 0; m < level.layer_count(); ++m) {
    const auto* const layer = dynamic_cast<const FilterLayer*>(&level.layer(m));
    if (layer != nullptr && layer->place().smooth) return layer;
  }
  return nullptr;
}

/// What a level tells of its ticks under this name; null where it does not.
const hdf5::Dataset* told(const ResultsLayout::Level& level, const HierarchicalLevel& of,
                          const std::string& name) {
  const std::vector<TickSeries> all = of.tick_series();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const TickSeries& one) { return one.name == name; });
  return found == all.end() ? nullptr
                            : &level.beside[static_cast<std::size_t>(found - all.begin())];
}

/// Ticks of a level as its filter had them, some of them at a time.
class FilteredTicks {
 public:
  FilteredTicks(const ResultsLayout::Level& level, const HierarchicalLevel& of,
                const FilterLayer& layer)
      : mean_(told(level, of, "mean")),
        covariance_(told(level, of, "covariance")),
        noise_(told(level, of, "Q")),
        layer_(layer),
        states_(static_cast<std::size_t>(layer.filter().states())) {
    if (mean_ == nullptr) mean_ = &*level.representation;
  }

  void read(std::int64_t first, std::int64_t count) {
    read_from(mean_, first, count, states_, means_);
    read_from(covariance_, first, count, states_ * states_, covariances_);
    if (noise_ != nullptr) read_from(noise_, first, count, states_ * states_, noises_);
  }
  /// Puts what the first tick of `later` came to in the place of the last that was read, from which
  /// the smoother begins.
  void end_with(const SmoothedTrial& later) {
    std::copy_n(later.mean.begin(), states_, means_.end() - static_cast<std::ptrdiff_t>(states_));
    const std::size_t square = states_ * states_;
    std::copy_n(later.covariance.begin(), square,
                covariances_.end() - static_cast<std::ptrdiff_t>(square));
  }
  FilteredTrial trial() const {
    return {.states = static_cast<std::int64_t>(states_),
            .mean = means_,
            .covariance = covariances_,
            .A = layer_.transition(),
            .Q = noise_ == nullptr ? layer_.filter().state_noise() : std::span(noises_)};
  }

 private:
  static void read_from(const hdf5::Dataset* from, std::int64_t first, std::int64_t count,
                        std::size_t width, std::vector<double>& to) {
    to.resize(static_cast<std::size_t>(count) * width);
    from->read_rows(first, count, to.data());
  }

  const hdf5::Dataset* mean_;
  const hdf5::Dataset* covariance_;
  const hdf5::Dataset* noise_;  // noise that each was predicted with; null where it stays
  const FilterLayer& layer_;
  std::size_t states_;
  std::vector<double> means_;
  std::vector<double> covariances_;
  std::vector<double> noises_;
};

}  // namespace

void lay_out_smoothed(hdf5::Group& level, const HierarchicalLevel& of, std::int64_t rows,
                      std::int64_t block_rows, const GrowingDatasets& growing,
                      ResultsLayout::Level& made) {
  const FilterLayer* const layer = smoothing_layer(of);
  if (layer == nullptr) return;
  const TickSeries::Axis state{"state", "number of the state", layer->filter().states()};
  const TickSeries::Axis source{"source_state", "number of the other state", state.length};
  const auto lay_out = [&](const char* name, const char* meaning,
                           const std::vector<TickSeries::Axis>& axes) {
    made.smoothed.push_back(lay_out_tick_series(level, {name, meaning, axes}, *made.step,
                                                made.time.has_value(), rows, block_rows, growing));
  };
  lay_out("smoothed", "state of the tick as later ticks of its trial have it, too", {state});
  lay_out("smoothed_covariance", "covariance of that", {state, source});
}

void write_smoothed(ResultsLayout::Level& level, const HierarchicalLevel& of, const Trials& trials,
                    const std::function<std::int64_t(std::int64_t)>& rows_before) {
  if (level.smoothed.empty()) return;
  const FilterLayer& layer = *smoothing_layer(of);
  // What was written since a dataset was opened can only be read once it is opened anew.
  level.representation->limit_cache();
  for (hdf5::Dataset& values : level.beside) values.limit_cache();
  FilteredTicks ticks(level, of, layer);
  for (hdf5::Dataset& to : level.smoothed) to.resize(level.rows);
  for (const Trial& trial : trials.all()) {
    const std::int64_t begin = rows_before(trial.first_step);
    const std::int64_t last = rows_before(trial.end());
    SmoothedTrial later;  // the piece behind
    for (std::int64_t end = last; end > begin;) {
      const std::int64_t first = std::max(begin, end - kTicksAtOnce);
      const bool is_last = end == last;
      ticks.read(first, end - first + (is_last ? 0 : 1));
      if (!is_last) ticks.end_with(later);
      later = smooth(ticks.trial());
      level.smoothed[0].write_rows(first, end - first, later.mean.data());
      level.smoothed[1].write_rows(first, end - first, later.covariance.data());
      end = first;
    }
  }
  for (hdf5::Dataset& to : level.smoothed) to.flush();
}

}  // namespace gaia
