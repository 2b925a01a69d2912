// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "../core/text.h"
#include "figure.h"
#include "sections.h"

namespace gaia::report {
namespace {

constexpr std::int64_t kCells = 72;  // along each axis
constexpr std::int64_t kAtOnce = 1 << 16;
constexpr std::size_t kPerRow = 3;
constexpr std::size_t kMostPairs = 12;
constexpr double kGapOfPredictions = 78.0;

/// Calls f(target, prediction) for every pair.
template <class F>
void for_each_pair(const Result& result, const PairSource& source, const F& f) {
  const std::int64_t at_once = std::max<std::int64_t>(1, kAtOnce / source.columns);
  std::vector<double> targets(static_cast<std::size_t>(at_once * source.columns));
  std::vector<double> predictions(targets.size());
  for (std::int64_t first = 0; first < source.rows; first += at_once) {
    const std::int64_t count = std::min(at_once, source.rows - first);
    result.read_rows(source.target, first, count, targets.data());
    result.read_rows(source.prediction, first, count, predictions.data());
    for (std::int64_t r = 0; r < count; ++r) {
      const auto i = static_cast<std::size_t>(r * source.columns + source.column);
      if (std::isfinite(targets[i]) && std::isfinite(predictions[i])) f(targets[i], predictions[i]);
    }
  }
}

/// The sequential colours, where no pair is nothing at all.
const Palette& density_palette() {
  static const Palette palette = [] {
    Palette made = sequential_palette();
    made[0].alpha = 0;
    return made;
  }();
  return palette;
}

Image density_of(const Result& result, const PairSource& source, const Scale& scale) {
  std::array<std::int64_t, kCells * kCells> counts{};
  const auto cell = [&](double value) {
    const auto at = static_cast<std::int64_t>(scale.position(value) * kCells);
    return std::clamp<std::int64_t>(at, 0, kCells - 1);
  };
  for_each_pair(result, source, [&](double target, double prediction) {
    ++counts[static_cast<std::size_t>((kCells - 1 - cell(prediction)) * kCells + cell(target))];
  });
  const double most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  Image image{.width = kCells, .height = kCells, .pixels = {}, .palette = &density_palette()};
  for (const std::int64_t count : counts) {
    const double share = std::log1p(static_cast<double>(count)) / std::log1p(most);
    image.pixels.push_back(count == 0 ? 0 : palette_index(share));
  }
  return image;
}

}  // namespace

std::string pairs_figure(const Result& result, const std::vector<PairSource>& sources) {
  const double side = (kWidth - kLeft - 10.0 - (kPerRow - 1) * kGapOfPredictions) / kPerRow - 20.0;
  const std::size_t rows = (sources.size() + kPerRow - 1) / kPerRow;
  Figure figure(kWidth, static_cast<double>(rows) * (side + 76.0));
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Range range;
    for_each_pair(result, sources[i], [&](double target, double prediction) {
      range.add(target);
      range.add(prediction);
    });
    const Scale scale = range.padded(0.03);
    const Box box{kLeft + static_cast<double>(i % kPerRow) * (side + kGapOfPredictions + 20.0),
                  24.0 + static_cast<double>(i / kPerRow) * (side + 76.0), side, side};
    Panel panel(box, {scale, sources[i].label, 5}, {scale, "prediction", 5});
    panel.set_title(sources[i].title);
    panel.image(density_of(result, sources[i], scale), {scale.low, scale.high},
                {scale.high, scale.low}, true);
    const Point ends[] = {{scale.low, scale.low}, {scale.high, scale.high}};
    panel.line(ends, "rule dashed");
    figure.add(panel);
  }
  return figure.svg("predictions against targets");
}

std::string predictions_section(const RunView& view) {
  std::vector<PairSource> sources;
  std::int64_t pairs = 0;
  for (const ReadoutFacts& readout : view.readouts) {
    if (readout.rows < 2 || readout.task != ReadoutTask::regression) continue;
    const std::int64_t targets = count_targets(view.result, readout);
    for (std::int64_t k = 0; k < targets && sources.size() < kMostPairs; ++k) {
      const std::string name = targets > 1 ? readout.output_name(k) : "";
      sources.push_back({.title = readout.name + (name.empty() ? "" : "  ·  " + name),
                         .target = readout.path + "/target",
                         .prediction = readout.path + "/prediction",
                         .rows = readout.rows,
                         .columns = targets,
                         .column = k});
    }
    pairs = std::max(pairs, readout.rows);
  }
  if (sources.empty()) return {};
  return figure_markup(
      "fig-predictions", "Prediction against target", pairs_figure(view.result, sources),
      fmt::format("How often a prediction was made for a target, over up to {} ticks; yellow cells "
                  "hold most, on a logarithmic scale. On the dashed line a prediction is right.",
                  grouped(pairs)),
      "A cloud that is flatter than the line is a regression that plays safe; a bend says that a "
      "straight readout cannot follow; islands far off are what it gets wrong.");
}

}  // namespace gaia::report
