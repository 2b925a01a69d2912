// SPDX-License-Identifier: MIT
#include "smoothed.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "../../filters/rts_smoother.h"
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
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const TickSeries& one) { return one.name == name; });
  return found == all.end() ? nullptr : &level.beside[static_cast<std::size_t>(found - all.begin())];
}

/// Rows of a level as its filter had them.
class FilteredRows {
 public:
  FilteredRows(const ResultsLayout::Level& level, const HierarchicalLevel& of,
               const StateFilter& filter)
      : mean_(told(level, of, "mean")),
        covariance_(told(level, of, "covariance")),
        noise_(told(level, of, "Q")),
        states_(static_cast<std::size_t>(filter.states())),
        fixed_noise_(filter.state_noise().begin(), filter.state_noise().end()) {
    if (mean_ == nullptr) mean_ = &*level.representation;
  }

  void read(std::int64_t first, std::int64_t count) {
    const auto read_from = [&](const hdf5::Dataset* from, std::size_t width,
                               std::vector<double>& to) {
      to.resize(static_cast<std::size_t>(count) * width);
      if (from != nullptr) from->read_rows(first, count, to.data());
    };
    read_from(mean_, states_, means_);
    read_from(covariance_, states_ * states_, covariances_);
    read_from(noise_, noise_ == nullptr ? 0 : states_ * states_, noises_);
  }
  std::span<const double> mean(std::int64_t row) const { return part(means_, row, states_); }
  std::span<const double> covariance(std::int64_t row) const {
    return part(covariances_, row, states_ * states_);
  }
  /// Noise that the tick was predicted with.
  std::span<const double> noise(std::int64_t row) const {
    return noise_ == nullptr ? std::span<const double>(fixed_noise_)
                             : part(noises_, row, states_ * states_);
  }

 private:
  static std::span<const double> part(const std::vector<double>& all, std::int64_t row,
                                      std::size_t width) {
    return std::span(all).subspan(static_cast<std::size_t>(row) * width, width);
  }

  const hdf5::Dataset* mean_;
  const hdf5::Dataset* covariance_;
  const hdf5::Dataset* noise_;
  std::size_t states_;
  std::vector<double> fixed_noise_;
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
  const auto states = static_cast<std::size_t>(layer.filter().states());
  RtsSmoother smoother(layer.transition(), layer.filter().states());
  FilteredRows rows(level, of, layer.filter());
  for (hdf5::Dataset& to : level.smoothed) to.resize(level.rows);
  std::vector<double> means;
  std::vector<double> covariances;
  std::vector<double> next_noise;
  for (const Trial& trial : trials.all()) {
    const std::int64_t begin = rows_before(trial.first_step);
    const std::int64_t last = rows_before(trial.end());
    for (std::int64_t end = last; end > begin;) {
      const std::int64_t first = std::max(begin, end - kTicksAtOnce);
      const std::int64_t count = end - first;
      rows.read(first, count);
      means.resize(static_cast<std::size_t>(count) * states);
      covariances.resize(static_cast<std::size_t>(count) * states * states);
      for (std::int64_t row = count; row-- > 0;) {
        if (first + row + 1 == last) {
          smoother.begin(rows.mean(row), rows.covariance(row));
        } else {
          smoother.back(rows.mean(row), rows.covariance(row), next_noise);
        }
        next_noise.assign(rows.noise(row).begin(), rows.noise(row).end());
        const auto at = static_cast<std::size_t>(row);
        std::copy_n(smoother.mean().begin(), states, means.data() + at * states);
        std::copy_n(smoother.covariance().begin(), states * states,
                    covariances.data() + at * states * states);
      }
      level.smoothed[0].write_rows(first, count, means.data());
      level.smoothed[1].write_rows(first, count, covariances.data());
      end = first;
    }
  }
}

}  // namespace gaia
