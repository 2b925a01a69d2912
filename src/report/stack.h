// SPDX-License-Identifier: MIT
/// \file
/// Panels of one figure that share an axis of time.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "figure.h"
#include "sections.h"

namespace gaia::report {

/// Panels from the top of a drawing down, on one axis of time.
class Stack {
 public:
  Stack(const RunView& view, StepRange steps)
      : view_(view),
        time_(view.time_of(static_cast<double>(steps.end - steps.begin))),
        x_{time_(static_cast<double>(steps.begin)), time_(static_cast<double>(steps.end)), false} {}

  /// A panel with a title, for numbers on a y axis.
  Panel panel(double height, const std::string& title, Axis y) {
    Panel made({kLeft, bottom_ + kGap, kPanelWidth, height},
               {x_, time_.label, 10, false, false, view_.dates}, std::move(y));
    made.set_title(title);
    bottom_ += kGap + height;
    return made;
  }

  /// Panels are kept, so that the last one can carry the numbers of the x axis.
  void keep(Panel panel, const ColorScale* colors = nullptr) {
    panels_.push_back(std::move(panel));
    colors_.push_back(colors == nullptr ? std::optional<ColorScale>() : *colors);
  }

  std::vector<Point> in_time(const std::vector<Point>& points, double per_row = 1.0) const {
    std::vector<Point> moved;
    for (const Point& point : points) moved.push_back({time_(point.x * per_row), point.y});
    return moved;
  }
  double time(double step) const { return time_(step); }
  bool is_empty() const { return panels_.empty(); }

  std::string svg(const std::string& description) {
    Figure figure(kWidth, bottom_ + 44.0);
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      if (i + 1 == panels_.size()) panels_[i].show_x_labels();
      figure.add(panels_[i]);
      if (colors_[i]) figure.add_color_bar(panels_[i], *colors_[i]);
    }
    figure.make_zoomable(panels_.back());
    return figure.svg(description);
  }

 private:
  static constexpr double kGap = 30.0;  // between panels, with the title of the next
  static constexpr double kPanelWidth = kWidth - kLeft - kRight;

  const RunView& view_;
  TimeBase time_;
  Scale x_;
  double bottom_ = -8.0;
  std::vector<Panel> panels_;
  std::vector<std::optional<ColorScale>> colors_;
};

}  // namespace gaia::report
