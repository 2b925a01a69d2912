// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "figure.h"
#include "sections.h"

namespace gaia::report {
namespace {

struct Line {
  std::string name;
  std::string classes;
  std::vector<Point> points;
};

constexpr double kBandsPerDecade = 50.0;

/// The spectrum of a series with `rate` rows per unit of time; where its frequencies stand close on
/// a logarithmic axis, means over bands.
std::vector<Point> points_of(const Spectrum& spectrum, double rate) {
  std::vector<Point> points;
  double band = -1e9;
  double count = 0.0;
  for (std::size_t k = 1; k < spectrum.frequency.size(); ++k) {
    const Point here{spectrum.frequency[k] * rate, spectrum.density[k] / rate};
    if (!(here.y > 0.0)) continue;
    const double this_band = std::floor(std::log10(here.x) * kBandsPerDecade);
    if (this_band != band) {
      points.push_back(here);
      count = 1.0;
    } else {
      count += 1.0;
      points.back().x += (here.x - points.back().x) / count;
      points.back().y += (here.y - points.back().y) / count;
    }
    band = this_band;
  }
  return points;
}

/// "input (flow, pressure)", of many channels "input (64 channels)".
std::string input_name(const InputSurvey& inputs) {
  const std::size_t count = inputs.channels.size();
  if (count > 4) return fmt::format("input ({} channels)", count);
  std::string names;
  for (const std::string& name : inputs.channels) {
    if (name.find_first_not_of("0123456789") == std::string::npos) return "input";
    names += (names.empty() ? "" : ", ") + shortened(name, 24);
  }
  return "input (" + names + ")";
}

}  // namespace

std::string spectra_section(const RunView& view) {
  const double rate = view.rate > 0.0 ? view.rate : 1.0;
  std::vector<Line> lines;
  if (view.inputs.spectrum.segments > 0) {
    lines.push_back({input_name(view.inputs), "soft bold", points_of(view.inputs.spectrum, rate)});
  }
  for (const LevelSurvey& level : view.levels) {
    if (level.spectrum.segments == 0) continue;
    lines.push_back({fmt::format("level {}", level.index),
                     line_class(static_cast<std::size_t>(level.index)),
                     points_of(level.spectrum, rate / static_cast<double>(level.spacing))});
  }
  std::erase_if(lines, [](const Line& line) { return line.points.size() < 2; });
  if (lines.empty()) return {};
  Range frequencies;
  Range densities;
  for (const Line& line : lines) {
    for (const Point& point : line.points) {
      frequencies.add(point.x);
      densities.add(point.y);
    }
  }
  const std::string unit = view.rate > 0.0 ? "Hz" : "cycles per step";
  Figure figure(kWidth, 356.0);
  Panel panel(
      {kLeft, 26.0, kWidth - kLeft - 10.0, 284.0},
      {frequencies.logarithmic(0.01), "frequency / " + unit, 8},
      {densities.logarithmic(), view.rate > 0.0 ? "power per Hz" : "power per cycle per step", 6});
  for (const Line& line : lines) {
    panel.line(line.points, line.classes);
    panel.add_legend(line.name, line.classes);
  }
  figure.add(panel);
  return figure_markup(
      "fig-spectra", "Power over frequency",
      figure.svg("power spectral densities of the input and of every level"),
      "Power spectral density of the input and of each level's answers, means over channels and "
      "neurons, by Welch's method (Hann windows that overlap by half; at high frequencies means "
      "over narrow bands). A level ends at half its own rate of ticks.",
      "A level that pools should lie below the input at high frequencies; a line that turns up "
      "towards its end says that faster changes are folded into it. Sharp peaks are rhythms of "
      "the signal.");
}

}  // namespace gaia::report
