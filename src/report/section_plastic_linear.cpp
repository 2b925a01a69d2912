// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "../layers/network/plastic_health.h"
#include "figure.h"
#include "markup.h"
#include "sections.h"

namespace gaia::report {
namespace {

constexpr double kGapOfDiagnostics = 66.0;
constexpr double kHeightOfDiagnostics = 150.0;
constexpr std::size_t kMostPlasticLayers = 12;

struct DiagnosticPanel {
  const char* name;
  const char* title;
};
constexpr DiagnosticPanel kDiagnosticPanels[] = {
    {"fast_norm", "norm of the fast trace"}, {"slow_norm", "norm of the slow trace"},
    {"update_norm", "norm of an update"},    {"gradient_norm", "norm of the gradient"},
    {"weight_norm", "norm of the weights"},  {"sparsity", "share of codes that are 0"}};

struct PlasticLayer {
  std::string index;
  std::string path;  // path of its diagnostics
};

std::vector<PlasticLayer> plastic_layers_of(const Result& result) {
  std::vector<PlasticLayer> layers;
  for (const std::string& index : result.groups("network/layers")) {
    if (!result.has_group("network/layers/" + index, "diagnostics")) continue;
    layers.push_back({index, "network/layers/" + index + "/diagnostics"});
  }
  if (layers.size() > kMostPlasticLayers) layers.resize(kMostPlasticLayers);
  return layers;
}

std::string range_for_people(const HealthyRange& range) {
  return range.low > 0.0 ? number_for_people(range.low) + " to " + number_for_people(range.high)
                         : "at most " + number_for_people(range.high);
}

/// The healthy range as a band behind the lines, as far as it is within the axis.
void add_band(Panel& panel, const HealthyRange& range, const Scale& x, const Scale& y) {
  const double low = std::max(range.low, y.low);
  const double high = std::min(range.high, y.high);
  if (low < high) panel.bar({x.low, low}, {x.high, high}, "healthy");
}

std::string health_table(const Result& result, const std::vector<PlasticLayer>& layers) {
  std::string rows;
  for (const PlasticLayer& layer : layers) {
    for (const DiagnosticPanel& diagnostic : kDiagnosticPanels) {
      const std::vector<Point> points = over_epochs(result, layer.path + "/" + diagnostic.name);
      if (points.empty()) continue;
      const double last = points.back().y;
      const HealthyRange* const range = healthy_range(diagnostic.name);
      const Health health = range == nullptr ? Health::healthy : health_of(*range, last);
      rows += fmt::format(
          "<tr><td>layer {}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
          "<td class=\"{}\">{}</td></tr>\n",
          escape(layer.index), escape(diagnostic.title), escape(number_for_people(last)),
          range == nullptr ? "–" : escape(range_for_people(*range)),
          range == nullptr            ? ""
          : health == Health::healthy ? "good"
                                      : "bad",
          range == nullptr ? "–" : escape(to_string(health)));
    }
  }
  if (rows.empty()) return {};
  return "<div class=\"scroll\"><table id=\"health-table\">\n<thead><tr><th></th><th></th>"
         "<th class=\"n\">after the last epoch</th><th class=\"n\">healthy</th><th></th></tr>"
         "</thead>\n<tbody>\n" +
         rows + "</tbody></table></div>\n";
}

}  // namespace

std::string plastic_linear_section(const Result& result) {
  const std::vector<PlasticLayer> layers = plastic_layers_of(result);
  if (layers.empty()) return {};
  const double width = (kWidth - kLeft - 10.0 - 2.0 * kGapOfDiagnostics) / 3.0;
  const double top = layers.size() > 1 ? 46.0 : 26.0;
  const double below = kHeightOfDiagnostics + 74.0;
  Figure figure(kWidth, top + below + kHeightOfDiagnostics + 46.0);
  const double epochs = static_cast<double>(std::max<std::int64_t>(2, result.done()));
  bool any = false;
  for (std::size_t p = 0; p < std::size(kDiagnosticPanels); ++p) {
    const DiagnosticPanel& diagnostic = kDiagnosticPanels[p];
    std::vector<std::vector<Point>> lines;
    Range values;
    for (const PlasticLayer& layer : layers) {
      lines.push_back(over_epochs(result, layer.path + "/" + diagnostic.name));
      for (const Point& point : lines.back()) values.add(point.y);
    }
    if (values.is_empty()) continue;
    const Scale x{1.0, epochs, false};
    const Scale y = values.with_zero();
    const double column = static_cast<double>(p % 3);
    const double row = static_cast<double>(p / 3);
    Panel panel({kLeft + column * (width + kGapOfDiagnostics), top + row * below, width,
                 kHeightOfDiagnostics},
                {x, "epoch", 5, true}, {y, "", 4});
    panel.set_title(diagnostic.title);
    if (const HealthyRange* const range = healthy_range(diagnostic.name)) {
      add_band(panel, *range, x, y);
    }
    for (std::size_t l = 0; l < lines.size(); ++l) {
      panel.line(lines[l], line_class(l));
      if (lines[l].size() < 30) panel.dots(lines[l], 2.6, line_class(l));
    }
    figure.add(panel);
    any = true;
  }
  if (!any) return {};
  for (std::size_t l = 0; l < layers.size() && layers.size() > 1; ++l) {
    figure.add_key(kLeft + 86.0 * static_cast<double>(l), 16.0, "layer " + layers[l].index,
                   line_class(l));
  }
  return figure_markup(
             "fig-plastic-linear", "Traces and weights of plastic layers",
             figure.svg("norms of traces, updates, gradient and weights after every epoch"),
             "Norms (Frobenius) after every epoch: of both traces, of what the last batch added to "
             "the fast one, of the gradient of its step and of the weights behind the codes; and "
             "the share of codes that are 0. Green bands are what the guide of GAIA v3.1 calls "
             "healthy.",
             "A fast trace that lies at its bound all the time is shortened at every step: a "
             "smaller fast_rate or smaller inputs help. One near 0 adds nothing to the weights.") +
         health_table(result, layers);
}

}  // namespace gaia::report
