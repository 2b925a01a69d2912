// SPDX-License-Identifier: MIT
#include "figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dates.h"
#include "markup.h"

namespace gaia::report {
namespace {

constexpr double kBarGap = 10.0;
constexpr double kBarWidth = 9.0;
constexpr double kKeySample = 22.0;  // the line before a name, and the space between
constexpr double kKeyGap = 18.0;
constexpr int kDates = 5;  // ticks along an axis of dates, which are long
// Letters of a name beside an axis.
constexpr std::size_t kLongestLegend = 10;
constexpr std::size_t kNameAtLeft = 8;

std::string text_element(double x, double y, std::string_view classes, const char* anchor,
                         std::string_view text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n",
                     length_text(x), length_text(y), classes, anchor, escape(text));
}

/// About how wide a text is, in the letters of a figure.
double text_width(std::string_view text) {
  const auto letters =
      std::count_if(text.begin(), text.end(), [](char c) { return (c & '\xC0') != '\x80'; });
  return 6.3 * static_cast<double>(letters);
}

/// A sample of a line with its name to the right.
std::string key_markup(double x, double y, std::string_view name, std::string_view classes) {
  return fmt::format("<path class=\"line {}\" d=\"M{} {}h16\"/>\n", classes, length_text(x),
                     length_text(y - 4.0)) +
         text_element(x + kKeySample, y, "key", "start", name);
}

/// Numbers, dates or names.
std::vector<Tick> ticks_beside(const Axis& axis, std::size_t longest_name) {
  if (axis.dates) return date_ticks(axis.scale, *axis.dates, kDates);
  std::vector<Tick> ticks = ticks_of(axis.scale, axis.about, axis.integers);
  for (Tick& tick : ticks) {
    const double at = std::round(tick.value);
    if (at >= 0.0 && at < static_cast<double>(axis.names.size())) {
      tick.label = shortened(axis.names[static_cast<std::size_t>(at)], longest_name);
    }
  }
  return ticks;
}

/// Half the length of the dash for a point without neighbours.
constexpr double kLoneHalf = 3.0;

/// Enough digits that a script finds the ends of an axis again.
std::string exact(double value) { return fmt::format("{:.9g}", value); }

}  // namespace

Panel::Panel(const Box& box, Axis x, Axis y) : box_(box), x_(std::move(x)), y_(std::move(y)) {}

std::string Panel::path_through(std::span<const Point> points) const {
  std::string path;
  bool is_down = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x = place_x(points[i].x);
    const double y = place_y(points[i].y);
    if (!std::isfinite(x) || !std::isfinite(y)) {
      is_down = false;
      continue;
    }
    const bool is_alone = !is_down && (i + 1 == points.size() || !std::isfinite(points[i + 1].y));
    // A dash within the panel, since a dot as wide as a thin line is missed.
    const double begin =
        is_alone ? std::clamp(x - kLoneHalf, 0.0, std::max(0.0, box_.width - 2.0 * kLoneHalf)) : x;
    path += (is_down ? "L" : "M") + length_text(begin) + " " + length_text(y);
    if (is_alone) path += "h" + length_text(2.0 * kLoneHalf);
    is_down = true;
  }
  return path;
}

void Panel::line(std::span<const Point> points, std::string_view classes) {
  const std::string path = path_through(points);
  if (path.empty()) return;
  content_ += fmt::format("<path class=\"line {}\" d=\"{}\"/>\n", classes, path);
}

void Panel::band(std::span<const Point> low, std::span<const Point> high,
                 std::string_view classes) {
  const auto is_there = [&](std::size_t i) {
    return std::isfinite(place_x(low[i].x)) && std::isfinite(place_y(low[i].y)) &&
           std::isfinite(place_y(high[i].y));
  };
  std::string path;
  for (std::size_t begin = 0; begin < low.size();) {
    std::size_t end = begin;
    while (end < low.size() && is_there(end)) ++end;
    const auto add = [&](const Point& at, char letter) {
      path += letter + length_text(place_x(at.x)) + " " + length_text(place_y(at.y));
    };
    for (std::size_t i = begin; i < end; ++i) add(high[i], i == begin ? 'M' : 'L');
    for (std::size_t i = end; i-- > begin;) add(low[i], 'L');
    if (end > begin) path += "Z";
    begin = end + 1;
  }
  if (path.empty()) return;
  content_ += fmt::format("<path class=\"band {}\" d=\"{}\"/>\n", classes, path);
}

void Panel::run_line(std::span<const Point> points, std::size_t run, const std::string& color,
                     std::string_view name) {
  const std::string path = path_through(points);
  if (path.empty()) return;
  content_ += fmt::format(
      "<path class=\"line run\" data-run=\"{}\" stroke=\"{}\" d=\"{}\"><title>{}</title></path>\n",
      run, color, path, escape(name));
}

void Panel::dots(std::span<const Point> points, double radius, std::string_view classes,
                 std::span<const std::string> texts) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x = place_x(points[i].x);
    const double y = place_y(points[i].y);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    content_ += fmt::format("<circle class=\"dot {}\" cx=\"{}\" cy=\"{}\" r=\"{}\"", classes,
                            length_text(x), length_text(y), length_text(radius));
    content_ += texts.empty() ? "/>\n" : "><title>" + escape(texts[i]) + "</title></circle>\n";
  }
}

void Panel::strokes(std::span<const Point> points, double height, std::string_view classes) {
  std::string path;
  for (const Point& point : points) {
    const double x = place_x(point.x);
    const double top = place_y(point.y + height / 2.0);
    const double bottom = place_y(point.y - height / 2.0);
    if (!std::isfinite(x) || !std::isfinite(top) || !std::isfinite(bottom)) continue;
    path += "M" + length_text(x) + " " + length_text(top) + "L" + length_text(x) + " " +
            length_text(bottom);
  }
  if (path.empty()) return;
  content_ += fmt::format("<path class=\"line {}\" d=\"{}\"/>\n", classes, path);
}

void Panel::bar(Point from, Point to, std::string_view classes) {
  const double x = std::min(place_x(from.x), place_x(to.x));
  const double y = std::min(place_y(from.y), place_y(to.y));
  const double width = std::abs(place_x(to.x) - place_x(from.x));
  const double height = std::abs(place_y(to.y) - place_y(from.y));
  if (!std::isfinite(x + y + width + height)) return;
  content_ +=
      fmt::format("<rect class=\"bar {}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                  classes, length_text(x), length_text(y), length_text(width), length_text(height));
}

void Panel::mark_x(double x, std::string_view classes) {
  const Point ends[] = {{x, y_.scale.low}, {x, y_.scale.high}};
  line(ends, classes);
}

void Panel::mark_y(double y, std::string_view classes) {
  const Point ends[] = {{x_.scale.low, y}, {x_.scale.high, y}};
  line(ends, classes);
}

void Panel::image(const Image& image, Point top_left, Point bottom_right, bool crisp) {
  if (image.pixels.empty()) return;
  const double x = place_x(top_left.x);
  const double y = place_y(top_left.y);
  content_ += fmt::format(
      "<image class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
      "preserveAspectRatio=\"none\" href=\"{}\"/>\n",
      crisp ? "crisp" : "map", length_text(x), length_text(y),
      length_text(place_x(bottom_right.x) - x), length_text(place_y(bottom_right.y) - y),
      png_uri(image));
}

void Panel::text(Point at, std::string_view text, std::string_view classes, const char* anchor) {
  content_ += text_element(place_x(at.x), place_y(at.y), classes, anchor, text);
}

void Panel::add_legend(std::string name, std::string classes) {
  legend_.emplace_back(std::move(name), std::move(classes));
}

void Panel::write_axes(std::string& out) const {
  out += "<g class=\"axis x\">";
  const double bottom = box_.y + box_.height;
  for (const Tick& tick : ticks_beside(x_, kLongestLegend)) {
    const std::string x = length_text(box_.x + place_x(tick.value));
    out += fmt::format("<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\"/>", x,
                       length_text(box_.y), length_text(bottom));
    if (!x_.labelled) continue;
    out += fmt::format("<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", x,
                       length_text(bottom + 15.0), escape(tick.label));
  }
  out += "</g>\n<g class=\"axis y\">";
  for (const Tick& tick : y_.gridded ? ticks_beside(y_, kNameAtLeft) : std::vector<Tick>()) {
    const double y = box_.y + place_y(tick.value);
    out += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>",
                       length_text(box_.x), length_text(box_.x + box_.width), length_text(y),
                       length_text(y));
    if (!y_.labelled) continue;
    out += fmt::format("<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                       length_text(box_.x - 6.0), length_text(y + 3.8), escape(tick.label));
  }
  out += "</g>\n";
  if (x_.labelled && !x_.label.empty()) {
    out += text_element(box_.x + box_.width / 2.0, bottom + 32.0, "label", "middle", x_.label);
  }
  if (!y_.label.empty()) {
    const double x = box_.x - 46.0;
    const double y = box_.y + box_.height / 2.0;
    out += fmt::format(
        "<text class=\"label\" text-anchor=\"middle\" transform=\"translate({} {}) "
        "rotate(-90)\">{}</text>\n",
        length_text(x), length_text(y), escape(y_.label));
  }
}

std::string Panel::ruler() const {
  return fmt::format(" data-label=\"{}\"{}", escape(x_.label),
                     x_.dates ? dates_attributes(*x_.dates) : ruler_attributes(x_.scale));
}

std::string Panel::markup() const {
  std::string out;
  write_axes(out);
  out += fmt::format(
      "<svg class=\"view\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" "
      "preserveAspectRatio=\"none\" data-x0=\"{}\" data-x1=\"{}\" data-y0=\"{}\" data-y1=\"{}\">"
      "\n{}</svg>\n",
      length_text(box_.x), length_text(box_.y), length_text(box_.width), length_text(box_.height),
      length_text(box_.width), length_text(box_.height), exact(x_.scale.low), exact(x_.scale.high),
      exact(y_.scale.low), exact(y_.scale.high), content_);
  out += fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                     length_text(box_.x), length_text(box_.y), length_text(box_.width),
                     length_text(box_.height));
  if (!title_.empty()) out += text_element(box_.x, box_.y - 7.0, "title", "start", title_);
  double right = box_.x + box_.width + kKeyGap;
  for (auto entry = legend_.rbegin(); entry != legend_.rend(); ++entry) {
    right -= kKeySample + text_width(entry->first) + kKeyGap;
    out += key_markup(right, box_.y - 7.0, entry->first, entry->second);
  }
  return out;
}

ColorScale ColorScale::of(const std::vector<double>& values, double kept) {
  Range range;
  for (const double value : values) range.add(value);
  ColorScale colors;
  colors.diverging = range.low() < 0.0;
  if (range.is_empty()) return colors;
  if (colors.diverging) {
    std::vector<double> sizes = values;
    for (double& size : sizes) size = std::abs(size);
    const double most = quantile(std::move(sizes), kept);
    const double end = most > 0.0 ? most : 1.0;
    colors.scale = {-end, end, false};
  } else {
    const double most = quantile(values, kept);
    colors.scale = {0.0, most > 0.0 ? most : 1.0, false};
  }
  return colors;
}

const Palette& ColorScale::palette() const {
  return diverging ? diverging_palette() : sequential_palette();
}

Image image_of(const Matrix& matrix, const ColorScale& colors, bool turned) {
  Image image;
  image.palette = &colors.palette();
  image.width = turned ? matrix.rows : matrix.columns;
  image.height = turned ? matrix.columns : matrix.rows;
  image.pixels.reserve(matrix.values.size());
  for (std::int64_t y = 0; y < image.height; ++y) {
    for (std::int64_t x = 0; x < image.width; ++x) {
      const double value = turned ? matrix.at(x, image.height - 1 - y) : matrix.at(y, x);
      image.pixels.push_back(colors.index_of(value));
    }
  }
  return image;
}

void Figure::add_color_bar(const Panel& beside, const ColorScale& colors) {
  const Box& box = beside.box();
  const double x = box.x + box.width + kBarGap;
  Matrix ramp{.rows = 128, .columns = 1, .values = {}};
  for (int i = 0; i < 128; ++i) {
    const double share = 1.0 - (i + 0.5) / 128.0;
    ramp.values.push_back(colors.scale.low + share * (colors.scale.high - colors.scale.low));
  }
  content_ += fmt::format(
      "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
      "href=\"{}\"/>\n<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
      length_text(x), length_text(box.y), length_text(kBarWidth), length_text(box.height),
      png_uri(image_of(ramp, colors, false)), length_text(x), length_text(box.y),
      length_text(kBarWidth), length_text(box.height));
  const int about = box.height < 60.0 ? 2 : 4;
  for (const Tick& tick : ticks_of(colors.scale, about)) {
    const double y = box.y + (1.0 - colors.scale.position(tick.value)) * box.height;
    content_ += text_element(x + kBarWidth + 4.0, y + 3.8, "tick", "start", tick.label);
  }
}

void Figure::add_key(double x, double y, std::string_view name, std::string_view classes) {
  content_ += key_markup(x, y, name, classes);
}

double Figure::add_keys(double x, double y,
                        const std::vector<std::pair<std::string, std::string>>& keys, bool draw) {
  double at = x;
  for (const auto& [name, classes] : keys) {
    const double width = kKeySample + text_width(name);
    if (at > x && at + width > width_) {
      at = x;
      y += 18.0;
    }
    if (draw) add_key(at, y, name, classes);
    at += width + kKeyGap;
  }
  return y;
}

void Figure::text(double x, double y, std::string_view text, std::string_view classes,
                  const char* anchor) {
  content_ += text_element(x, y, classes, anchor, text);
}

std::string Figure::svg(std::string_view description) const {
  return fmt::format(
      "<svg class=\"plot{}\"{} viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
      ruler_.empty() ? "" : " zoom", ruler_, length_text(width_), length_text(height_),
      escape(description), content_);
}

std::string figure_markup(std::string_view id, std::string_view title, const std::string& drawing,
                          std::string_view shows, std::string_view look_for) {
  std::string caption = escape(shows);
  if (!look_for.empty()) caption += " <span class=\"look\">" + escape(look_for) + "</span>";
  return fmt::format(
      "<figure id=\"{}\">\n<h3>{}</h3>\n<div "
      "class=\"drawing\">\n{}</div>\n<figcaption>{}</figcaption>\n</figure>\n",
      escape(id), escape(title), drawing, caption);
}

}  // namespace gaia::report
