// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "axis.h"
#include "color.h"
#include "comparison.h"
#include "figure.h"
#include "markup.h"
#include "sections.h"

namespace gaia::report {
namespace {

constexpr double kTop = 46.0;
constexpr double kHeight = 300.0;
constexpr std::size_t kLongestName = 26;

/// Through the places of a run, leaving each axis level, so that lines can be told apart.
std::string smooth_path(const std::vector<Point>& points) {
  std::string path;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string here = length_text(points[i].x) + " " + length_text(points[i].y);
    if (i == 0) {
      path = "M" + here;
      continue;
    }
    const std::string middle = length_text(0.5 * (points[i - 1].x + points[i].x));
    path += fmt::format("C{} {} {} {} {}", middle, length_text(points[i - 1].y), middle,
                        length_text(points[i].y), here);
  }
  return path;
}

}  // namespace

std::pair<std::string, std::string> split_key(const std::string& key) {
  const std::size_t cut = key.rfind('.');
  if (cut == std::string::npos) return {"", key};
  std::string before = key.substr(0, cut);
  for (const std::string known : {"hierarchy.", "network."}) {
    if (before.rfind(known, 0) == 0) before.erase(0, known.size());
  }
  return {before, key.substr(cut + 1)};
}

Scale scale_of(const Dimension& dimension) {
  Range range;
  for (const double value : dimension.numbers) range.add(value);
  const bool is_wide = !dimension.is_score && dimension.words.empty() && range.low() > 0.0 &&
                       range.high() > 8.0 * range.low();
  return is_wide ? range.logarithmic(0.06) : range.padded(0.08);
}

std::vector<Tick> ticks_of_values(const Dimension& dimension) {
  constexpr std::size_t most = 8;
  std::map<double, std::string> values;
  for (std::size_t i = 0; i < dimension.numbers.size(); ++i) {
    if (!std::isfinite(dimension.numbers[i])) continue;
    values.emplace(dimension.numbers[i], shortened(dimension.texts[i], kLongestName));
  }
  std::vector<Tick> ticks;
  if (dimension.is_score || values.size() > (dimension.words.empty() ? most : 2 * most))
    return ticks;
  for (const auto& [value, text] : values) ticks.push_back({value, text});
  return ticks;
}

std::string parallel_coordinates(const std::vector<ComparedRun>& runs,
                                 const std::vector<Dimension>& dimensions) {
  const std::size_t n = dimensions.size();
  std::vector<Scale> scales;
  for (const Dimension& dimension : dimensions) scales.push_back(scale_of(dimension));
  constexpr double margin = 92.0;
  const auto place_x = [&](std::size_t i) {
    const double step = n > 1 ? (kWidth - 2.0 * margin) / static_cast<double>(n - 1) : 0.0;
    return margin + step * static_cast<double>(i);
  };
  const auto place_y = [&](std::size_t i, std::size_t run) {
    return kTop + (1.0 - scales[i].position(dimensions[i].numbers[run])) * kHeight;
  };
  std::string out;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string x = length_text(place_x(i));
    out += fmt::format("<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\"/>\n", x,
                       length_text(kTop), length_text(kTop + kHeight));
    const auto [before, name] = split_key(dimensions[i].name);
    out += fmt::format(
        "<text class=\"small\" x=\"{0}\" y=\"14\" text-anchor=\"middle\">{1}</text>"
        "<text class=\"title\" x=\"{0}\" y=\"30\" text-anchor=\"middle\">{2}</text>\n",
        x, escape(shortened(before, kLongestName)), escape(shortened(name, kLongestName)));
  }
  std::string lines;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    std::vector<Point> points;
    for (std::size_t i = 0; i < n; ++i) {
      const double y = place_y(i, run);
      if (std::isfinite(y)) points.push_back({place_x(i), y});
    }
    if (points.size() < 2) continue;
    const double position = scales.back().position(dimensions.back().numbers[run]);
    lines += fmt::format(
        "<path class=\"line run\" data-run=\"{}\" stroke=\"{}\" "
        "d=\"{}\"><title>{}</title></path>\n",
        run, std::isfinite(position) ? line_color(position) : "#888888", smooth_path(points),
        escape(runs[run].label));
  }
  out += lines;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<Tick> ticks = ticks_of_values(dimensions[i]);
    if (ticks.empty() && dimensions[i].words.empty()) ticks = ticks_of(scales[i], 5);
    for (const Tick& tick : ticks) {
      const double y = kTop + (1.0 - scales[i].position(tick.value)) * kHeight;
      out +=
          fmt::format("<text class=\"tick halo\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
                      length_text(place_x(i) - 7.0), length_text(y + 4.0), escape(tick.label));
    }
  }
  Figure figure(kWidth, kTop + kHeight + 16.0);
  figure.add_markup(out);
  return figure.svg("parallel coordinates: a line for each run through its settings and scores");
}

}  // namespace gaia::report
