// SPDX-License-Identifier: MIT
#include "filter_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "../../filters/regimes.h"
#include "../../layers/hierarchy/filter_layer.h"

namespace gaia {
namespace {

/// A matrix [size, size] in a word: the number of its diagonal, or what there is of it.
std::string noise_text(std::span<const double> noise, std::int64_t size) {
  if (noise.empty()) return {};
  const auto count = static_cast<std::size_t>(size);
  double least = noise[0];
  double most = noise[0];
  bool is_diagonal = true;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      const double one = noise[i * count + j];
      if (i != j) is_diagonal = is_diagonal && one == 0.0;
      if (i != j) continue;
      least = std::min(least, one);
      most = std::max(most, one);
    }
  }
  const std::string range =
      least == most ? fmt::format("{:.4g}", least) : fmt::format("{:.4g} to {:.4g}", least, most);
  return is_diagonal ? range : fmt::format("[{}, {}] of diagonal {}", size, size, range);
}

/// Noise of a filter, or of each of the models that it switches between, as far as they differ.
template <class Noise>
std::string noise_of(const StateFilter& filter, std::int64_t size, const Noise& noise) {
  const auto* const regimes = dynamic_cast<const RegimesFilter*>(&filter);
  if (regimes == nullptr) return noise_text(noise(filter), size);
  std::string all;
  std::string last;
  for (std::int64_t j = 0; j < regimes->models(); ++j) {
    std::string one = noise_text(noise(regimes->model(j)), size);
    if (one == last) continue;
    all += (all.empty() ? "" : " or ") + one;
    last = std::move(one);
  }
  return all;
}

}  // namespace

std::string FilterEstimate::text() const {
  std::string noise;
  const auto add = [&](const char* name, const std::string& what) {
    if (what.empty()) return;
    noise += fmt::format("{}{} {}{}", noise.empty() ? "; noise " : ", ", name, what,
                         adapts == name ? ", which adapts" : "");
  };
  add("Q", state_noise);
  add("R", observation_noise);
  return fmt::format("{}, {} state{} of {} number{} observed{}", model, states,
                     states == 1 ? "" : "s", observed, observed == 1 ? "" : "s", noise);
}

std::vector<FilterEstimate> filters_of(const HierarchyManager& hierarchy) {
  std::vector<FilterEstimate> filters;
  for (std::size_t n = 0; n < hierarchy.levels().size(); ++n) {
    const HierarchicalLevel& level = hierarchy.levels()[n];
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      const auto* const layer = dynamic_cast<const FilterLayer*>(&level.layer(m));
      if (layer == nullptr) continue;
      const StateFilter& filter = layer->filter();
      const std::unique_ptr<LayerKind> kind = layer->kind();
      const AdaptedNoise adapts = layer->place().adapts;
      filters.push_back(
          {.layer = fmt::format("hierarchy.levels[{}].layers[{}]", n, m),
           .model = kind ? kind->summary() : layer->type(),
           .states = filter.states(),
           .observed = filter.observed(),
           .state_noise =
               noise_of(filter, filter.states(), [](const auto& one) { return one.state_noise(); }),
           .observation_noise = noise_of(filter, filter.observed(),
                                         [](const auto& one) { return one.observation_noise(); }),
           .adapts = adapts == AdaptedNoise::state         ? "Q"
                     : adapts == AdaptedNoise::observation ? "R"
                                                           : "none"});
    }
  }
  return filters;
}

std::int64_t tick_numbers(const HierarchicalLevel& level) {
  std::int64_t numbers = 0;
  for (const TickSeries& series : level.tick_series()) {
    std::int64_t width = 1;
    for (const TickSeries::Axis& axis : series.axes) width *= axis.length;
    numbers += width;
  }
  for (std::size_t m = 0; m < level.layer_count(); ++m) {
    const auto* const layer = dynamic_cast<const FilterLayer*>(&level.layer(m));
    if (layer == nullptr || !layer->place().smooth) continue;
    const std::int64_t states = layer->filter().states();
    numbers += states + states * states;
  }
  return numbers;
}

}  // namespace gaia
