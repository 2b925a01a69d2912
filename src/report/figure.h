// SPDX-License-Identifier: MIT
/// \file
/// Plots as SVG: panels with axes, into which lines, dots and images are drawn, and figures of
/// them.
///
/// Whatever is drawn names its look by classes of the style sheet ("line c0"); only heat maps carry
/// colours of their own.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "axis.h"
#include "decimate.h"
#include "png.h"

namespace gaia::report {

struct Box {
  double x = 0.0;
  double y = 0.0;
  double width = 0.0;
  double height = 0.0;
};

/// A frame with an axis below and one on the left.  What is drawn is given in the numbers of these
/// axes; what lies outside is cut off.
class Panel {
 public:
  Panel(const Box& box, Axis x, Axis y);

  /// A line through points; it is interrupted where a number is NaN.
  void line(std::span<const Point> points, std::string_view classes);
  /// The area between two lines through as many points; it is interrupted where a number is NaN.
  void band(std::span<const Point> low, std::span<const Point> high, std::string_view classes);
  /// The line of one of many runs, in a colour of its own; it is lit wherever the run is pointed
  /// at.
  void run_line(std::span<const Point> points, std::size_t run, const std::string& color,
                std::string_view name);
  /// Dots of a radius in units of the figure, each with a text that shows under the pointer.
  void dots(std::span<const Point> points, double radius, std::string_view classes,
            std::span<const std::string> texts = {});
  /// An upright stroke at every point, `height` high in the numbers of the y axis, as one path.
  void strokes(std::span<const Point> points, double height, std::string_view classes);
  /// A rectangle between two corners.
  void bar(Point from, Point to, std::string_view classes);
  /// A straight line across the panel at a number of the x axis, or of the y axis.
  void mark_x(double x, std::string_view classes);
  void mark_y(double y, std::string_view classes);
  /// An image between two corners; `crisp` keeps the edges of its pixels.
  void image(const Image& image, Point top_left, Point bottom_right, bool crisp);
  /// A text at a place, of the anchor "start", "middle" or "end".
  void text(Point at, std::string_view text, std::string_view classes,
            const char* anchor = "start");

  /// A heading above the top left corner.
  void set_title(std::string title) { title_ = std::move(title); }
  void show_x_labels() { x_.labelled = true; }
  /// Line samples with their names above the top right corner.
  void add_legend(std::string name, std::string classes);

  const Box& box() const { return box_; }
  /// What a script needs to draw the x axis anew, as attributes.
  std::string ruler() const;
  std::string markup() const;

 private:
  std::string path_through(std::span<const Point> points) const;
  double place_x(double x) const { return x_.scale.position(x) * box_.width; }
  double place_y(double y) const { return (1.0 - y_.scale.position(y)) * box_.height; }
  void write_axes(std::string& out) const;

  Box box_;
  Axis x_;
  Axis y_;
  std::string title_;
  std::vector<std::pair<std::string, std::string>> legend_;
  std::string content_;
};

/// A heat map of a matrix [rows, columns]: how its numbers become colours.
struct ColorScale {
  Scale scale;
  bool diverging = true;

  /// For numbers of both signs blue to orange around 0, for others violet to yellow.  Of the
  /// numbers a share `kept` lies within the scale; those beyond have the colours of its ends.
  static ColorScale of(const std::vector<double>& values, double kept = 1.0);
  const Palette& palette() const;
  std::uint8_t index_of(double value) const { return palette_index(scale.position(value)); }
};

/// The matrix as an image, row 0 on top; or turned, so that a row becomes a column, and column 0 is
/// at the bottom.
Image image_of(const Matrix& matrix, const ColorScale& colors, bool turned);

/// Panels and texts in one drawing, which is as wide as the page at most.
class Figure {
 public:
  Figure(double width, double height) : width_(width), height_(height) {}

  void add(const Panel& panel) { content_ += panel.markup(); }
  /// A narrow scale of colours to the right of a panel.
  void add_color_bar(const Panel& beside, const ColorScale& colors);
  void text(double x, double y, std::string_view text, std::string_view classes,
            const char* anchor = "start");
  /// A sample of a line with its name to the right.
  void add_key(double x, double y, std::string_view name, std::string_view classes);
  /// Keys {name, classes} from a place to the right, in as many lines as they need; returns how far
  /// down they go.  `draw` false only measures them.
  double add_keys(double x, double y, const std::vector<std::pair<std::string, std::string>>& keys,
                  bool draw = true);
  /// The x axes of all panels, which are like this one's, move together under the reader's pointer
  /// (assets/page.js).
  void make_zoomable(const Panel& panel) { ruler_ = panel.ruler(); }

  /// SVG that was written elsewhere.
  void add_markup(const std::string& markup) { content_ += markup; }
  /// The drawing; `description` is read to those who cannot see it.
  std::string svg(std::string_view description) const;

 private:
  double width_;
  double height_;
  std::string ruler_;  // empty: it does not
  std::string content_;
};

/// A figure of the page: heading, drawing, and a caption whose first sentence says what is shown
/// and whose second part says what to look for.
std::string figure_markup(std::string_view id, std::string_view title, const std::string& drawing,
                          std::string_view shows, std::string_view look_for = {});

}  // namespace gaia::report
