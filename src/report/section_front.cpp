// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../core/error.h"
#include "../io/foreign_hdf5/hdf5_reader.h"
#include "comparison.h"
#include "figure.h"
#include "markup.h"
#include "sections.h"

namespace gaia::report {
namespace {

constexpr std::int64_t kMostOnFigures = 100000;
constexpr std::size_t kMostRows = 40;

/// The objectives of the candidates of a search, as /search/front has them.
struct FrontHistory {
  std::vector<std::string> names;
  std::vector<std::string> goals;
  std::vector<double> reference;  ///< Empty where there is none.
  double hypervolume = std::numeric_limits<double>::quiet_NaN();
  double hypervolume_at_random = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> kinds;
  std::vector<double> means;  ///< [candidate, objective]
  std::vector<std::int64_t> on_front;
  std::vector<double> volumes;  ///< So far, one for each candidate; empty without a reference.

  double mean(std::size_t candidate, std::size_t objective) const {
    return means[candidate * names.size() + objective];
  }
};

/// Nothing where the index is of a search for one objective.
/// \throws DataError for one that cannot be read.
std::optional<FrontHistory> read_front(const std::string& path) {
  const std::unique_ptr<hdf5::Reader> reader = hdf5::open_reader(path);
  const hdf5::Contents& contents = reader->contents();
  const hdf5::Description* const group = contents.group("/search/front");
  if (group == nullptr) return std::nullopt;
  const auto dataset = [&](const std::string& name,
                           std::size_t axes) -> const hdf5::DatasetDescription& {
    const hdf5::DatasetDescription* const found = contents.dataset("/search/" + name);
    if (found == nullptr || found->shape.size() != axes || found->shape[0] > kMostOnFigures) {
      throw DataError(fmt::format("{}: expected an array /search/{} of {} axes", path, name, axes));
    }
    return *found;
  };
  FrontHistory front;
  front.names = group->texts("objectives").value_or(std::vector<std::string>());
  front.goals = group->texts("goals").value_or(std::vector<std::string>());
  front.hypervolume = group->number("hypervolume").value_or(front.hypervolume);
  front.hypervolume_at_random =
      group->number("hypervolume_at_random").value_or(front.hypervolume_at_random);
  front.kinds = reader->read_texts(dataset("kind", 1));
  front.means = reader->read<double>(dataset("front/mean", 2));
  front.on_front = reader->read<std::int64_t>(dataset("front/on_front", 1));
  if (contents.dataset("/search/front/hypervolume_so_far") != nullptr) {
    front.volumes = reader->read<double>(dataset("front/hypervolume_so_far", 1));
    front.reference = reader->read<double>(dataset("front/reference", 1));
  }
  const std::size_t count = front.kinds.size();
  if (front.names.size() < 2 || front.goals.size() != front.names.size() ||
      front.means.size() != count * front.names.size() || front.on_front.size() != count ||
      (!front.volumes.empty() && front.volumes.size() != count)) {
    throw DataError(path + ": the arrays of /search/front do not go together");
  }
  return front;
}

std::vector<Point> objectives_of(const FrontHistory& front, const char* kind, bool of_front) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < front.kinds.size(); ++i) {
    if (front.kinds[i] != kind || (of_front && front.on_front[i] == 0)) continue;
    const Point point{front.mean(i, 1), front.mean(i, 0)};
    if (std::isfinite(point.x) && std::isfinite(point.y)) points.push_back(point);
  }
  if (of_front) {
    std::sort(points.begin(), points.end(),
              [](const Point& a, const Point& b) { return a.x < b.x; });
  }
  return points;
}

/// The first objective over the second.
std::string front_figure(const FrontHistory& front) {
  Range across;
  Range up;
  for (const char* kind : {"own", "searched", "random"}) {
    for (const Point& point : objectives_of(front, kind, false)) {
      across.add(point.x);
      up.add(point.y);
    }
  }
  if (across.is_empty()) return {};
  Figure figure(kWidth, 380.0);
  Panel panel(
      {kLeft, 26.0, kWidth - kLeft - 10.0, 300.0},
      {across.padded(0.05), fmt::format("{} ({})", front.names[1], front.goals[1]), 8, true},
      {up.padded(0.08), fmt::format("{} ({})", front.names[0], front.goals[0]), 5});
  const std::vector<Point> at_random = objectives_of(front, "random", false);
  panel.dots(at_random, 2.6, "c1");
  panel.dots(objectives_of(front, "searched", false), 2.6, "c0");
  // A front of more objectives lies in no plane, so no line goes through it.
  if (front.names.size() == 2) {
    panel.line(objectives_of(front, "random", true), "c1");
    panel.line(objectives_of(front, "searched", true), "c0 bold");
  }
  panel.dots(objectives_of(front, "searched", true), 4.2, "c0");
  const std::vector<Point> own = objectives_of(front, "own", false);
  panel.dots(own, 4.2, "c2");
  panel.add_legend("searched", "c0 bold");
  if (!at_random.empty()) panel.add_legend("at random", "c1");
  if (!own.empty()) panel.add_legend("the file's own values", "c2");
  figure.add(panel);
  const std::string more =
      front.names.size() > 2
          ? fmt::format(" There are {} objectives; the first two are drawn.", front.names.size())
          : "";
  return figure_markup(
      "fig-front", "Front", figure.svg("objectives of all candidates and their front"),
      "A dot for each candidate, the means over its seeds; large ones are on the front, since no "
      "other that was searched is as good in every objective and better in one." +
          more,
      "A bend is worth looking for: before it a little of one objective buys much of the other, "
      "behind it little. Where the lines of both kinds cross, the search has found no more than "
      "luck would.");
}

std::string volume_figure(const FrontHistory& front) {
  if (front.volumes.empty()) return {};
  std::vector<Point> searched;
  std::vector<Point> at_random;
  Range heights;
  for (std::size_t i = 0; i < front.kinds.size(); ++i) {
    if (!std::isfinite(front.volumes[i])) continue;
    std::vector<Point>& points = front.kinds[i] == "searched" ? searched : at_random;
    points.push_back({static_cast<double>(points.size() + 1), front.volumes[i]});
    heights.add(front.volumes[i]);
  }
  if (heights.is_empty()) return {};
  const double count = static_cast<double>(std::max(searched.size(), at_random.size()));
  Figure figure(kWidth, 260.0);
  Panel panel({kLeft, 26.0, kWidth - kLeft - 10.0, 180.0},
              {Scale{0.0, count + 1.0, false}, "candidates tried", 8, true},
              {heights.padded(0.08), "hypervolume", 5});
  panel.line(at_random, "c1");
  panel.line(searched, "c0 bold");
  panel.add_legend("searched", "c0 bold");
  if (!at_random.empty()) panel.add_legend("at random", "c1");
  figure.add(panel);
  std::string reference;
  for (std::size_t j = 0; j < front.reference.size(); ++j) {
    reference += (j == 0 ? "" : ", ") + number_for_people(front.reference[j]);
  }
  return figure_markup("fig-hypervolume", "Hypervolume",
                       figure.svg("hypervolume of the front so far"),
                       "How much of the space of objectives, up to the reference (" + reference +
                           "), the candidates so far dominate.",
                       "A line that still rises at the right end wants more candidates.");
}

std::string front_table(const FrontHistory& front) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < front.kinds.size(); ++i) {
    if (front.kinds[i] == "searched" && front.on_front[i] != 0) rows.push_back(i);
  }
  const double sign = front.goals[0] == "minimise" ? 1.0 : -1.0;
  std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) {
    return sign * front.mean(a, 0) < sign * front.mean(b, 0);
  });
  std::string out =
      "<div class=\"scroll\"><table id=\"front-table\" class=\"sortable\">\n<thead><tr>"
      "<th class=\"n\">candidate</th>";
  for (const std::string& name : front.names) out += "<th class=\"n\">" + escape(name) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t k = 0; k < std::min(rows.size(), kMostRows); ++k) {
    out += fmt::format("<tr><td class=\"n\">{}</td>", rows[k]);
    for (std::size_t j = 0; j < front.names.size(); ++j) {
      const double value = front.mean(rows[k], j);
      out += fmt::format("<td class=\"n\" data-value=\"{}\">{}</td>", value,
                         escape(number_for_people(value)));
    }
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (rows.size() > kMostRows) {
    out += paragraph(fmt::format("The first {} of {} on the front.", kMostRows, rows.size()));
  }
  if (std::isfinite(front.hypervolume)) {
    std::string text = "The front's hypervolume is " + number_for_people(front.hypervolume);
    if (std::isfinite(front.hypervolume_at_random)) {
      text += ", that of as many candidates at random " +
              number_for_people(front.hypervolume_at_random);
    }
    out += paragraph(text + ".");
  }
  return out;
}

}  // namespace

std::string front_section(const std::string& index) {
  const std::optional<FrontHistory> front = read_front(index);
  if (!front) return {};
  return front_figure(*front) + front_table(*front) + volume_figure(*front);
}

}  // namespace gaia::report
