// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "figure.h"
#include "markup.h"
#include "sections.h"

namespace gaia::report {
namespace {

constexpr double kRowOfLevel = 96.0;  // from one level to the next
constexpr double kBoxHeight = 54.0;
constexpr double kBoxWidth = 340.0;
constexpr double kBoxLeft = (kWidth - kBoxWidth) / 2.0;
constexpr double kBoxRight = kBoxLeft + kBoxWidth;
constexpr double kTopOfLevels = 12.0;
constexpr double kLane = 46.0;  // from one arrow down to the next

/// What a level gets from whom, as the file says it.
struct Sent {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::string text;
};

/// What leads from a layer back to itself.
struct Loop {
  std::int64_t level = 0;
  std::string text;
};

class TalkFigure {
 public:
  explicit TalkFigure(const Result& result) : result_(result), levels_(count_levels(result)) {
    for (std::int64_t n = 0; n < levels_; ++n) {
      const std::string group = fmt::format("levels/{}", n);
      if (result.has_group(group, "top_down")) add_from_above(n, group + "/top_down");
      for (const std::string& m : result.groups(group + "/layers")) {
        const std::string layer = group + "/layers/" + m;
        if (result.has_group(layer, "lateral")) {
          const std::string form = result.text(layer, "lateral_form");
          loops_.push_back({n, form.empty() ? "lateral" : "lateral, " + form});
        }
        if (result.text(layer, "type") == "temporal") loops_.push_back({n, "recurrent"});
      }
    }
  }

  /// Whether there is more to see than one level that reads the samples.
  bool is_needed() const { return levels_ > 1 || !loops_.empty(); }
  bool talks() const { return !sent_.empty(); }

  std::string svg() {
    Figure figure(kWidth, kTopOfLevels + kRowOfLevel * static_cast<double>(levels_) + 34.0);
    for (std::int64_t n = 0; n < levels_; ++n) draw_level(figure, n);
    figure.text(kWidth / 2.0, top_of(0) + kRowOfLevel + 18.0, "samples", "label", "middle");
    for (std::size_t i = 0; i < sent_.size(); ++i) draw_down(figure, i);
    draw_loops(figure);
    return figure.svg(description());
  }

 private:
  void add_from_above(std::int64_t level, const std::string& group) {
    const std::int64_t delay = result_.integer(group, "delay").value_or(1);
    std::string text = result_.text(group, "as");
    if (result_.text(group, "random") == "true") text += ", random";
    if (delay > 1) text += fmt::format(", {} ticks late", delay);
    sent_.push_back({result_.integer(group, "from").value_or(level + 1), level, std::move(text)});
  }

  double top_of(std::int64_t level) const {
    return kTopOfLevels + kRowOfLevel * static_cast<double>(levels_ - 1 - level);
  }

  void draw_level(Figure& figure, std::int64_t n) const {
    const std::string group = fmt::format("levels/{}", n);
    const double top = top_of(n);
    figure.add_markup(fmt::format(
        "<rect class=\"frame level\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/>\n",
        length_text(kBoxLeft), length_text(top), length_text(kBoxWidth), length_text(kBoxHeight)));
    const std::int64_t every = result_.integer(group, "temporal_resolution").value_or(1);
    figure.text(kBoxLeft + 14.0, top + 22.0,
                fmt::format("level {}, {}", n,
                            every == 1 ? "every step" : fmt::format("every {} steps", every)),
                "title");
    std::vector<std::string> layers;
    for (const std::string& m : result_.groups(group + "/layers")) {
      const std::string layer = group + "/layers/" + m;
      layers.push_back(fmt::format("{} {}", result_.text(layer, "type"), size_of(layer)));
    }
    figure.text(kBoxLeft + 14.0, top + 42.0, shortened(layers), "label");
    const std::string pooling = every == 1 && n == 0 ? "" : result_.text(group, "pooling");
    arrow(figure, kWidth / 2.0, top + kRowOfLevel, top + kBoxHeight, "up");
    if (!pooling.empty()) {
      figure.text(kWidth / 2.0 + 10.0, (top + kBoxHeight + top + kRowOfLevel) / 2.0 + 4.0, pooling,
                  "label");
    }
  }

  /// How many numbers a layer answers with; one that filters has no key that says so.
  std::int64_t size_of(const std::string& layer) const {
    if (const auto size = result_.integer(layer, "size")) return *size;
    const std::vector<std::int64_t> neurons = result_.shape(layer + "/neuron");
    return neurons.empty() ? 0 : neurons.front();
  }

  /// Names of layers, of many the first and the last.
  static std::string shortened(const std::vector<std::string>& layers) {
    if (layers.size() > 3) return layers.front() + " → … → " + layers.back();
    return fmt::format("{}", fmt::join(layers, " → "));
  }

  static void arrow(Figure& figure, double x, double from, double to, const char* classes) {
    figure.add_markup(
        fmt::format("<path class=\"line ink talk {0}\" d=\"M{1} {2}V{3}m-4 {4}l4 {5}l4 {4}\"/>\n",
                    classes, length_text(x), length_text(from), length_text(to),
                    to < from ? "7" : "-7", to < from ? "-7" : "7"));
  }

  /// From the right side of the level that sends to the right side of the one that hears.
  void draw_down(Figure& figure, std::size_t index) const {
    const Sent& one = sent_[index];
    const double from = top_of(one.from) + 18.0 + 6.0 * static_cast<double>(index % 3);
    const double to = top_of(one.to) + 18.0 + 6.0 * static_cast<double>(index % 3);
    const double lane = kBoxRight + kLane * static_cast<double>(1 + index % 5);
    figure.add_markup(
        fmt::format("<path class=\"line c1 talk down\" d=\"M{0} {1}H{2}V{3}H{0}m7 -4l-7 4l7 4\">"
                    "<title>{4}</title></path>\n",
                    length_text(kBoxRight), length_text(from), length_text(lane), length_text(to),
                    escape(fmt::format("level {} to level {}: {}", one.from, one.to, one.text))));
    figure.text(lane + 6.0, to - 8.0 - 16.0 * static_cast<double>(index % 2), one.text, "label");
  }

  void draw_loops(Figure& figure) const {
    std::vector<int> drawn(static_cast<std::size_t>(levels_));
    for (const Loop& one : loops_) {
      const int before = drawn[static_cast<std::size_t>(one.level)]++;
      const double y = top_of(one.level) + 12.0 + 17.0 * before;
      figure.add_markup(fmt::format(
          "<path class=\"line c2 talk loop\" d=\"M{0} {1}h-34v12h34m-7 -4l7 4l-7 4\"/>\n",
          length_text(kBoxLeft), length_text(y)));
      figure.text(kBoxLeft - 42.0, y + 10.0, one.text, "label", "end");
    }
  }

  std::string description() const {
    std::string said =
        fmt::format("{} level{}, each of which reads the one below", levels_, plural(levels_));
    for (const Sent& one : sent_) {
      said += fmt::format("; level {} hears level {} as {}", one.to, one.from, one.text);
    }
    for (const Loop& one : loops_) said += fmt::format("; level {}: {}", one.level, one.text);
    return said;
  }

  const Result& result_;
  std::int64_t levels_;
  std::vector<Sent> sent_;
  std::vector<Loop> loops_;
};

}  // namespace

std::string talk_section(const Result& result) {
  TalkFigure figure(result);
  if (!figure.is_needed()) return {};
  return figure_markup(
      "talk", "Who sends to whom", figure.svg(),
      "Every box is a level with its layers and their sizes. Arrows up say what a level reads, and "
      "how it pools it; arrows down, what a level hears from one above (top_down); loops, what "
      "leads from a layer back to itself.",
      figure.talks() ? "A level above reads the answers of a level without what that hears."
                     : "No level hears one above it.");
}

}  // namespace gaia::report
