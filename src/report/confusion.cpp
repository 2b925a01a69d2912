// SPDX-License-Identifier: MIT
#include "confusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/text.h"
#include "figure.h"
#include "markup.h"
#include "sections.h"

namespace gaia::report {
namespace {

constexpr std::int64_t kMostWithNumbers = 20;
constexpr std::int64_t kMostWithShares = 12;
constexpr std::size_t kMostPairsTold = 20;
constexpr double kMatrixTop = 44.0;
constexpr double kNames = 118.0;  // room for the names of classes at the left
constexpr double kSide = 450.0;

using Names = std::function<std::string(std::int64_t)>;

std::string share_text(double share) {
  return fmt::format("{:.{}f} %", 100.0 * share, share > 0.0 && share < 0.0995 ? 1 : 0);
}

/// A cell's share of its true class: right ones below 0, so that they are blue.
Matrix shares_of(const Matrix& confusion, const std::vector<ClassFigures>& classes) {
  Matrix shares = confusion;
  for (std::int64_t i = 0; i < confusion.rows; ++i) {
    const double shown = classes[static_cast<std::size_t>(i)].shown;
    for (std::int64_t j = 0; j < confusion.columns; ++j) {
      const double share = shown > 0.0 ? confusion.at(i, j) / shown : 0.0;
      shares.values[static_cast<std::size_t>(i * confusion.columns + j)] = i == j ? -share : share;
    }
  }
  return shares;
}

void draw_matrix(Figure& figure, const Matrix& confusion, const Names& name) {
  const std::int64_t n = confusion.rows;
  const std::vector<ClassFigures> classes = count_classes(confusion);
  const Matrix shares = shares_of(confusion, classes);
  const Scale across{0.0, static_cast<double>(n), false};
  Panel panel({kNames, kMatrixTop, kSide, kSide}, {across, "", 1, false, false},
              {across, "", 1, false, false});
  panel.set_title("true class downwards, predicted class to the right");
  // Paler than the colours could be, so that numbers can be read on them in the dark too.
  const ColorScale colors{{-1.4, 1.4, false}, true};
  panel.image(image_of(shares, colors, false), {0.0, across.high}, {across.high, 0.0}, true);
  const double cell = kSide / static_cast<double>(n);
  const double letter = across.high / kSide;  // one unit of the figure
  for (std::int64_t i = 0; i < n; ++i) {
    const double y = static_cast<double>(n - i) - 0.5;
    for (std::int64_t j = 0; j < n && n <= kMostWithNumbers; ++j) {
      const double count = confusion.at(i, j);
      const double x = static_cast<double>(j) + 0.5;
      const bool has_share = count > 0.0 && n <= kMostWithShares;
      const char* const look = count == 0.0 ? "cell faint" : i == j ? "cell title" : "cell";
      panel.text({x, y - (has_share ? -2.0 : 4.0) * letter},
                 count > 0.0 ? grouped(static_cast<std::int64_t>(std::min(count, 1e15))) : "·",
                 look, "middle");
      if (has_share) {
        panel.text({x, y - 12.0 * letter}, share_text(std::abs(shares.at(i, j))), "small ink",
                   "middle");
      }
    }
    const double at = (static_cast<double>(i) + 0.5) * cell;
    figure.text(kNames - 8.0, kMatrixTop + at + 4.0, shortened(name(i), 16), "tick", "end");
    const auto room = static_cast<std::size_t>(std::max(2.0, cell / 6.5));
    figure.text(kNames + at, kMatrixTop + kSide + 16.0, shortened(name(i), room), "tick", "middle");
  }
  figure.add(panel);
}

void draw_classes(Figure& figure, const Matrix& confusion, const Box& box, const Names& name) {
  std::vector<Point> recall;
  std::vector<Point> precision;
  std::vector<std::string> recall_texts;
  std::vector<std::string> precision_texts;
  Range range;
  range.add(0.0);
  range.add(1.0);
  const std::vector<ClassFigures> classes = count_classes(confusion);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const double y = static_cast<double>(classes.size() - i) - 0.5;
    recall.push_back({classes[i].right / classes[i].shown, y + 0.12});
    precision.push_back({classes[i].right / classes[i].answered, y - 0.12});
    const std::string whose = name(static_cast<std::int64_t>(i));
    recall_texts.push_back(whose + ": found " + number_for_people(recall.back().x, 3));
    precision_texts.push_back(whose + ": right when answered " +
                              number_for_people(precision.back().x, 3));
  }
  Panel panel(box, {range.padded(0.03), "share", 5},
              {{0.0, static_cast<double>(classes.size())}, "", 1, false, false});
  panel.set_title("every class");
  panel.dots(precision, 4.5, "c1", precision_texts);
  panel.dots(recall, 4.5, "c0", recall_texts);
  panel.add_legend("found", "c0 bold");
  panel.add_legend("right when answered", "c1 bold");
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const double step = box.height / static_cast<double>(classes.size());
    figure.text(box.x - 8.0, box.y + (static_cast<double>(i) + 0.5) * step + 4.0,
                shortened(name(static_cast<std::int64_t>(i)), 10), "tick", "end");
  }
  figure.add(panel);
}

/// The pairs of classes that are mistaken most, as a table.
std::string worst_pairs(const Matrix& confusion, const Names& name) {
  struct Pair {
    std::int64_t truth;
    std::int64_t answer;
    double count;
  };
  std::vector<Pair> pairs;
  for (std::int64_t i = 0; i < confusion.rows; ++i) {
    for (std::int64_t j = 0; j < confusion.columns; ++j) {
      if (i != j && confusion.at(i, j) > 0.0) pairs.push_back({i, j, confusion.at(i, j)});
    }
  }
  std::ranges::stable_sort(pairs, [](const Pair& a, const Pair& b) { return a.count > b.count; });
  const std::vector<ClassFigures> classes = count_classes(confusion);
  std::string out =
      "<div class=\"scroll\"><table>\n<thead><tr><th>true class</th><th>predicted as</th>"
      "<th class=\"n\">how often</th><th class=\"n\">of the true "
      "class</th></tr></thead>\n<tbody>\n";
  for (std::size_t k = 0; k < std::min(kMostPairsTold, pairs.size()); ++k) {
    const Pair& pair = pairs[k];
    const double shown = classes[static_cast<std::size_t>(pair.truth)].shown;
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
        escape(name(pair.truth)), escape(name(pair.answer)),
        grouped(static_cast<std::int64_t>(std::min(pair.count, 1e15))),
        share_text(pair.count / shown));
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace

std::vector<ClassFigures> count_classes(const Matrix& confusion) {
  std::vector<ClassFigures> classes(static_cast<std::size_t>(confusion.rows));
  for (std::int64_t i = 0; i < confusion.rows; ++i) {
    for (std::int64_t j = 0; j < confusion.columns; ++j) {
      const double count = confusion.at(i, j);
      classes[static_cast<std::size_t>(i)].shown += count;
      classes[static_cast<std::size_t>(j)].answered += count;
      if (i == j) classes[static_cast<std::size_t>(i)].right += count;
    }
  }
  return classes;
}

Matrix read_confusion(const Result& result, const std::string& dataset) {
  const std::vector<std::int64_t> shape = result.shape(dataset);
  if (shape.size() != 2 || shape[0] != shape[1] || shape[0] < 1 || shape[0] > 1000) return {};
  Matrix confusion{shape[0], shape[1], result.read(dataset)};
  const auto is_count = [](double count) { return count >= 0.0 && std::isfinite(count); };
  const bool is_whole = std::all_of(confusion.values.begin(), confusion.values.end(), is_count) &&
                        std::any_of(confusion.values.begin(), confusion.values.end(),
                                    [](double count) { return count > 0.0; });
  return is_whole ? confusion : Matrix{};
}

std::string confusion_figure(const std::string& id, const std::string& title,
                             const Matrix& confusion, const Names& class_name) {
  if (confusion.rows > kMostDrawnClasses) {
    return fmt::format("<h3 id=\"{}\">{}</h3>\n", escape(id), escape(title)) +
           paragraph(fmt::format("Of {} classes the pairs that are mistaken most often.",
                                 confusion.rows)) +
           worst_pairs(confusion, class_name);
  }
  Figure figure(kWidth, kMatrixTop + kSide + 34.0);
  draw_matrix(figure, confusion, class_name);
  const double left = kNames + kSide + 110.0;
  draw_classes(figure, confusion, {left, kMatrixTop, kWidth - left - 20.0, kSide}, class_name);
  return figure_markup(
      id, title, figure.svg("confusion matrix"),
      "How often each class was predicted for the test samples of each class, with its share of "
      "the true class: right ones are blue, mistakes orange, the stronger the larger their share. "
      "To the right: the share of a class that was found (recall, blue), and the share of its "
      "predictions that are right (precision, orange).",
      "Pairs of strong cells on both sides of the diagonal are classes that cannot be told apart; "
      "a weak row with a strong cell elsewhere is a class that gives way to another.");
}

std::string classes_section(const RunView& view) {
  constexpr std::size_t most = 6;
  std::string out;
  std::size_t drawn = 0;
  for (const ReadoutFacts& readout : view.readouts) {
    if (readout.task != ReadoutTask::classes || drawn == most) continue;
    const Matrix confusion = read_confusion(view.result, readout.path + "/confusion");
    if (confusion.rows == 0) continue;
    const std::string id = drawn == 0 ? "fig-confusion" : fmt::format("fig-confusion-{}", drawn);
    out +=
        confusion_figure(id, "Which classes readout " + readout.name + " mistakes for which",
                         confusion, [&](std::int64_t index) { return readout.class_name(index); });
    ++drawn;
  }
  return out;
}

}  // namespace gaia::report
