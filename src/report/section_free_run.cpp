// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/text.h"
#include "figure.h"
#include "sections.h"

namespace gaia::report {
namespace {

constexpr std::int64_t kShownStarts = 4;
constexpr std::int64_t kMostSteps = 2000;  // steps that are drawn of each start
constexpr double kLargestError = 3.0;      // error that is drawn, in deviations
constexpr double kStartHeight = 110.0;
constexpr double kErrorHeight = 200.0;

/// Forecasts of a readout from some starts, as the file has them.
struct FreeRunData {
  std::string path;  ///< "readouts/NAME/free_run"
  std::int64_t starts = 0;
  std::int64_t steps = 0;  ///< Steps that are drawn.
  std::int64_t all_steps = 0;
  std::int64_t outputs = 1;
};

/// Nothing of a readout that never went on by itself to the end.
FreeRunData free_run_of(const Result& result, const ReadoutFacts& readout) {
  FreeRunData data{.path = readout.path + "/free_run"};
  const std::vector<std::int64_t> shape = result.shape(data.path + "/prediction");
  if (shape.size() < 2 || shape[0] < 1) return data;
  if (result.shape(data.path + "/target") != shape) return data;
  data.starts = shape[0];
  data.all_steps = shape[1];
  data.steps = std::min(shape[1], kMostSteps);
  data.outputs = shape.size() > 2 ? shape[2] : 1;
  return data;
}

/// The first output from one start over the steps ahead.
std::vector<Point> from_start(const Result& result, const FreeRunData& data, const char* name,
                              std::int64_t start) {
  std::vector<double> values(static_cast<std::size_t>(data.all_steps * data.outputs));
  result.read_rows(data.path + "/" + name, start, 1, values.data());
  std::vector<Point> points;
  for (std::int64_t j = 0; j < data.steps; ++j) {
    points.push_back(
        {static_cast<double>(j + 1), values[static_cast<std::size_t>(j * data.outputs)]});
  }
  return points;
}

std::vector<Point> error_of(const Result& result, const std::string& path, std::int64_t steps) {
  const std::vector<std::int64_t> shape = result.shape(path + "/error");
  if (shape.size() != 1 || shape[0] < steps) return {};
  std::vector<double> error(static_cast<std::size_t>(steps));
  result.read_rows(path + "/error", 0, steps, error.data());
  std::vector<Point> points;
  for (const double one : error) {
    points.push_back({static_cast<double>(points.size() + 1),
                      std::isnan(one) ? one : std::min(one, kLargestError)});
  }
  return points;
}

/// Names and errors of the controls that went on by themselves too.
std::vector<std::pair<std::string, std::vector<Point>>> controls_beside(const Result& result,
                                                                        const ReadoutFacts& readout,
                                                                        std::int64_t steps) {
  std::vector<std::pair<std::string, std::vector<Point>>> beside;
  const std::string all = readout.path + "/controls";
  for (const std::string& name : result.groups(all)) {
    std::vector<Point> error = error_of(result, all + "/" + name + "/free_run", steps);
    if (error.empty()) continue;
    const std::string title = result.text(all + "/" + name, "title");
    beside.emplace_back(title.empty() ? name : title, std::move(error));
  }
  return beside;
}

std::string free_run_drawing(const Result& result, const ReadoutFacts& readout,
                             const FreeRunData& data) {
  const auto controls = controls_beside(result, readout, data.steps);
  std::vector<std::pair<std::string, std::string>> keys = {{"prediction", "c0 bold"},
                                                           {"what came", "ink"}};
  for (std::size_t i = 0; i < controls.size(); ++i) {
    keys.emplace_back(controls[i].first, line_class(i + 1));
  }
  const double top = Figure(kWidth, 0.0).add_keys(kLeft, 16.0, keys, false) + 14.0;
  const double width = kWidth - kLeft - 10.0;
  const std::int64_t shown = std::min(data.starts, kShownStarts);
  const double errors_at = top + static_cast<double>(shown) * (kStartHeight + 46.0) + 20.0;
  Figure figure(kWidth, errors_at + kErrorHeight + 44.0);
  figure.add_keys(kLeft, 16.0, keys);
  Range across;
  across.add(0.0);
  across.add(static_cast<double>(data.steps));
  std::vector<double> starts(static_cast<std::size_t>(data.starts));
  result.read_rows(data.path + "/start", 0, data.starts, starts.data());
  for (std::int64_t s = 0; s < shown; ++s) {
    const std::vector<Point> came = from_start(result, data, "target", s);
    const std::vector<Point> said = from_start(result, data, "prediction", s);
    // By what came: a forecast that runs away is cut off.
    Range up;
    for (const Point& point : came) {
      if (std::isfinite(point.y)) up.add(point.y);
    }
    const Box box{kLeft, top + 18.0 + static_cast<double>(s) * (kStartHeight + 46.0), width,
                  kStartHeight};
    Panel panel(box, {across.padded(0.0), "", 8}, {up.padded(0.15), readout.output_name(0), 3});
    panel.set_title(fmt::format(
        "from step {}", grouped(static_cast<std::int64_t>(starts[static_cast<std::size_t>(s)]))));
    panel.line(came, "ink");
    panel.line(said, "c0 bold");
    figure.add(panel);
  }
  const std::vector<Point> own = error_of(result, data.path, data.steps);
  Range up;
  up.add(0.0);
  for (const Point& point : own) {
    if (std::isfinite(point.y)) up.add(point.y);
  }
  for (const auto& [name, points] : controls) {
    for (const Point& point : points) {
      if (std::isfinite(point.y)) up.add(point.y);
    }
  }
  Panel errors({kLeft, errors_at, width, kErrorHeight}, {across.padded(0.0), "steps by itself", 8},
               {up.padded(), "error", 4});
  errors.set_title("error over all starts, in standard deviations of the series");
  for (std::size_t i = 0; i < controls.size(); ++i) {
    errors.line(controls[i].second, line_class(i + 1));
  }
  errors.line(own, "c0 bold");
  figure.add(errors);
  return figure.svg("a readout that reads what it has said, beside what came");
}

}  // namespace

std::string free_run_section(const RunView& view) {
  std::string out;
  for (const ReadoutFacts& readout : view.readouts) {
    const FreeRunData data = free_run_of(view.result, readout);
    if (data.starts == 0) continue;
    out += figure_markup(
        "fig-free-run-" + readout.name, fmt::format("Readout {} goes on by itself", readout.name),
        free_run_drawing(view.result, readout, data),
        fmt::format("What the readout says where it reads what it has said, beside what came, from "
                    "the first of {} start{}; below it the error of all of them. An error above {} "
                    "is drawn at {}.",
                    grouped(data.starts), data.starts == 1 ? "" : "s", kLargestError,
                    kLargestError),
        "Two forecasts of a chaotic series part at last, however good they are: look for how far "
        "they go together. A forecast that stays near 1.4 deviations is of the right sort, and "
        "says nothing of when.");
  }
  return out;
}

}  // namespace gaia::report
