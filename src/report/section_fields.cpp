// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/text.h"
#include "figure.h"
#include "markup.h"
#include "pictures.h"
#include "sections.h"
#include "wires.h"

namespace gaia::report {
namespace {

constexpr std::size_t kMostMaps = 16;
constexpr std::int64_t kMostCurves = 4;  // channels drawn as lines in one field

/// How the inputs of a layer lie in the world.
struct InputShape {
  enum class Kind {
    none,    ///< Not known: inputs are other neurons.
    window,  ///< `rows` rows of a series, oldest first, of `columns` channels.
    picture
  };
  Kind kind = Kind::none;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  PictureShape picture{};
};

InputShape picture_of(const PictureShape& picture) {
  return {.kind = InputShape::Kind::picture, .picture = picture};
}

InputShape window_of(const Result& result, const LayerSurvey& layer) {
  const std::int64_t channels = result.integer("data", "channels").value_or(0);
  const std::int64_t window = result.integer("data", "window").value_or(0);
  const bool fits = channels > 0 && window > 0 && window <= layer.inputs / channels &&
                    channels * window == layer.inputs;
  return fits ? InputShape{InputShape::Kind::window, window, channels} : InputShape{};
}

InputShape shape_of_inputs(const Result& result, const LayerSurvey& layer) {
  if (result.has_group("", "levels")) {
    const auto patch = picture_shape_of(result.text(layer.path, "patch_shape"));
    if (patch && patch->numbers() == layer.inputs) return picture_of(*patch);
    const auto picture = picture_shape_of(result.text("data", "shape"));
    return picture && picture->numbers() == layer.inputs ? picture_of(*picture)
                                                         : window_of(result, layer);
  }
  if (layer.shape.size() == 4) {
    return picture_of({layer.shape[1] * layer.shape[2], layer.shape[3]});
  }
  const std::int64_t height = result.integer("data", "height").value_or(0);
  const std::int64_t width = result.integer("data", "width").value_or(0);
  if (layer.shape.size() == 2 && height > 0 && width > 0 && width <= layer.inputs / height &&
      height * width == layer.inputs) {
    return picture_of({height, width});
  }
  return {};
}

Matrix field_of(const LayerSurvey& layer, std::int64_t neuron, std::int64_t rows) {
  const auto begin = layer.fields.values.begin() + neuron * layer.inputs;
  return {.rows = rows, .columns = layer.inputs / rows, .values = {begin, begin + layer.inputs}};
}

/// Cells for `count` fields: columns, and the size of one.
struct Cells {
  std::int64_t columns;
  double width;
  double height;
};

Cells cells_of(const InputShape& inputs, bool as_curves) {
  if (!as_curves) {
    const std::int64_t columns = inputs.columns <= 12 ? 16 : 12;
    const double width =
        (kWidth - 12.0 * static_cast<double>(columns - 1)) / static_cast<double>(columns);
    const double height =
        width * static_cast<double>(inputs.rows) / static_cast<double>(inputs.columns);
    return {columns, width, std::min(height, 2.0 * width)};
  }
  return {8, (kWidth - 7.0 * 14.0) / 8.0, 66.0};
}

/// One small panel without numbers, called by its neuron.
Panel cell(Figure& figure, const Box& box, const Scale& x, const Scale& y, std::int64_t neuron) {
  figure.text(box.x, box.y - 5.0, std::to_string(neuron), "tick");
  return {box, {x, "", 1, false, false}, {y, "", 1, false, false}};
}

void draw_curves(Panel& panel, const LayerSurvey& layer, std::int64_t neuron,
                 const InputShape& inputs) {
  // Few channels over the window, or one row of many channels.
  const bool over_time = inputs.rows > 1;
  const std::int64_t lines = over_time ? inputs.columns : 1;
  const std::int64_t length = over_time ? inputs.rows : inputs.columns;
  panel.mark_y(0.0, "rule");
  for (std::int64_t c = 0; c < lines; ++c) {
    std::vector<Point> line;
    for (std::int64_t r = 0; r < length; ++r) {
      const std::int64_t at = over_time ? r * inputs.columns + c : r;
      line.push_back({static_cast<double>(r), layer.fields.at(neuron, at)});
    }
    panel.line(line, "c" + std::to_string(c));
  }
}

/// From blue to orange around 0, also where all weights have one sign.
ColorScale signed_scale(const LayerSurvey& layer) {
  ColorScale colors = ColorScale::of(layer.fields.values, 0.998);
  const double end = std::max(std::abs(colors.scale.low), std::abs(colors.scale.high));
  colors.diverging = true;
  colors.scale = {-end, end, false};
  return colors;
}

std::string small_multiples(const LayerSurvey& layer, const InputShape& inputs) {
  const bool as_curves = inputs.columns <= kMostCurves || inputs.rows == 1;
  const Cells cells = cells_of(inputs, as_curves);
  constexpr double gap = 26.0;
  const std::int64_t rows = (layer.fields.rows + cells.columns - 1) / cells.columns;
  Figure figure(kWidth, static_cast<double>(rows) * (cells.height + gap) + 4.0);
  Range range;
  for (const double weight : layer.fields.values) range.add(weight);
  const ColorScale colors = signed_scale(layer);
  const double spacing =
      cells.columns > 1
          ? cells.width + (kWidth - cells.width * static_cast<double>(cells.columns)) /
                              static_cast<double>(cells.columns - 1)
          : 0.0;
  for (std::int64_t neuron = 0; neuron < layer.fields.rows; ++neuron) {
    const Box box{static_cast<double>(neuron % cells.columns) * spacing,
                  18.0 + static_cast<double>(neuron / cells.columns) * (cells.height + gap),
                  cells.width, cells.height};
    if (as_curves) {
      const std::int64_t length = inputs.rows > 1 ? inputs.rows : inputs.columns;
      Panel panel = cell(figure, box, {0.0, std::max(1.0, static_cast<double>(length - 1))},
                         range.symmetric(), neuron);
      draw_curves(panel, layer, neuron, inputs);
      figure.add(panel);
    } else {
      Panel panel = cell(figure, box, {0.0, 1.0}, {0.0, 1.0}, neuron);
      panel.image(image_of(field_of(layer, neuron, inputs.rows), colors, false), {0.0, 1.0},
                  {1.0, 0.0}, true);
      figure.add(panel);
    }
  }
  return figure.svg("weights of single neurons");
}

/// Names of the channels, where the layer reads one row of them and names say more than numbers.
std::vector<std::string> names_of_inputs(const Result& result, const LayerSurvey& layer) {
  std::vector<std::string> names = result.texts("data", "channel_names");
  const auto is_told = [](const std::string& name) {
    return name.find_first_not_of("0123456789") != std::string::npos;
  };
  const bool fits =
      std::ssize(names) == layer.inputs && std::any_of(names.begin(), names.end(), is_told);
  return fits ? names : std::vector<std::string>();
}

/// What a readout calls the neurons of level 0 by (type: naming): "3: seven", "4: no name"; empty
/// where none does.
std::vector<std::string> names_of_neurons(const Result& result, const LayerSurvey& layer) {
  for (const std::string& readout : result.groups("readouts")) {
    const std::string path = "readouts/" + readout;
    if (!result.has(path + "/name")) continue;
    const std::vector<double> called = result.read(path + "/name");
    const std::vector<double> levels = result.read(path + "/level");
    const std::vector<std::string> classes = result.texts(path, "classes");
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(called.size(), levels.size()); ++i) {
      if (levels[i] != 0.0) continue;
      const bool is_known = called[i] >= 0.0 && called[i] < static_cast<double>(classes.size());
      names.push_back(fmt::format(
          "{}: {}", names.size(),
          is_known ? shortened(classes[static_cast<std::size_t>(called[i])], 12) : "no name"));
    }
    if (std::ssize(names) == layer.outputs) return names;
  }
  return {};
}

/// Pictures of weights; where wires were swapped, once more with the wires put back.
std::string weight_pictures(const Result& result, const LayerSurvey& layer,
                            const InputShape& inputs, const std::vector<std::string>& called,
                            std::string& shows, std::string& look_for) {
  const ColorScale colors = signed_scale(layer);
  std::string pictures = pictures_markup(layer.fields, inputs.picture, colors, called);
  const std::vector<std::int64_t> wires = wires_at_end(result, layer.inputs);
  if (wires.empty()) return pictures;
  shows +=
      " The wires between picture and layer were swapped: above, the weights as the layer has "
      "them in the end; below, the same weights with the wires put back.";
  look_for = "Noise above that is a picture below is a neuron that has followed its wires.";
  return pictures +
         pictures_markup(with_wires_put_back(layer.fields, wires), inputs.picture, colors, called);
}

std::string fields_figure(const Result& result, const LayerSurvey& layer,
                          const InputShape& inputs) {
  std::string shows = fmt::format("{}. ", layer.name);
  if (layer.fields.rows < layer.outputs) {
    shows += fmt::format("The first {} of {} neurons. ", layer.fields.rows, grouped(layer.outputs));
  }
  if (inputs.kind == InputShape::Kind::picture) {
    shows +=
        "What every neuron weighs its picture with: orange where light drives it, blue where light "
        "holds it back. All have one scale";
    const std::int64_t colours = inputs.picture.colours;
    shows += colours > 1 ? fmt::format("; the {} colours of a picture stand side by side.", colours)
                         : ".";
  } else if (inputs.rows > 1) {
    const auto rate = result.number("data", "sample_rate");
    shows += fmt::format(
        "What every neuron weighs the last {} rows with, the oldest on the left{}. "
        "All have one scale; the grey line is 0.",
        inputs.rows,
        rate && *rate > 0.0
            ? ", " + duration_text(static_cast<double>(inputs.rows) / *rate) + " in all"
            : "");
    if (inputs.columns > 1) shows += " One line, or one column of a picture, for each channel.";
  } else {
    const std::vector<std::string> names = names_of_inputs(result, layer);
    shows += fmt::format(
        "What every neuron weighs the channels with, {} on the left. All have one scale; the grey "
        "line is 0.",
        names.empty() ? "channel 0" : names.front());
  }
  const bool is_picture = inputs.kind == InputShape::Kind::picture;
  const std::vector<std::string> called = names_of_neurons(result, layer);
  if (is_picture && !called.empty()) {
    shows += " Below each stands what the readout calls it by.";
  }
  std::string look_for =
      "Smooth shapes are features that the neuron has found in its input; noise is what it began "
      "with.";
  const std::string drawing = is_picture
                                  ? weight_pictures(result, layer, inputs, called, shows, look_for)
                                  : small_multiples(layer, inputs);
  return figure_markup("fig-fields", "What single neurons look for", drawing, shows, look_for);
}

/// A matrix [neurons, inputs] to be drawn as a map.
struct WeightMap {
  std::string title;
  const Matrix* map;  ///< Means over groups.
  std::int64_t outputs;
  std::int64_t inputs;
};

/// Maps two by two.  `names`: those of the inputs of the first one, if they have any.
std::string maps_drawing(const std::vector<WeightMap>& maps, const std::vector<std::string>& names,
                         const char* description) {
  constexpr double gap = 128.0;
  const double width = (kWidth - kLeft - kRight - gap) / 2.0;
  double y = 26.0;
  double row_height = 0.0;
  std::vector<std::pair<Panel, ColorScale>> panels;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const WeightMap& one = maps[i];
    const Matrix& map = *one.map;
    if (i > 0 && i % 2 == 0) y += row_height + 72.0;
    const double height = std::clamp(static_cast<double>(map.rows) * 7.0, 70.0, 230.0);
    row_height = i % 2 == 0 ? height : std::max(row_height, height);
    ColorScale colors = ColorScale::of(map.values, 0.998);
    Panel panel({kLeft + static_cast<double>(i % 2) * (width + gap), y, width, height},
                {.scale = {-0.5, static_cast<double>(one.inputs) - 0.5},
                 .label = "input",
                 .about = 5,
                 .integers = true,
                 .names = i == 0 ? names : std::vector<std::string>()},
                {{-0.5, static_cast<double>(one.outputs) - 0.5}, "neuron", 4, true});
    panel.set_title(one.title);
    // Rows from the bottom up, as the axis counts.
    Matrix turned{.rows = map.columns, .columns = map.rows, .values = {}};
    for (std::int64_t c = 0; c < map.columns; ++c) {
      for (std::int64_t r = 0; r < map.rows; ++r) turned.values.push_back(map.at(r, c));
    }
    panel.image(image_of(turned, colors, true), {-0.5, static_cast<double>(one.outputs) - 0.5},
                {static_cast<double>(one.inputs) - 0.5, -0.5}, true);
    panels.emplace_back(std::move(panel), colors);
  }
  Figure figure(kWidth, y + row_height + 44.0);
  for (const auto& [panel, colors] : panels) {
    figure.add(panel);
    figure.add_color_bar(panel, colors);
  }
  return figure.svg(description);
}

std::string maps_figure(const std::vector<const LayerSurvey*>& layers,
                        const std::vector<std::string>& names) {
  std::vector<WeightMap> maps;
  for (const LayerSurvey* layer : layers) {
    maps.push_back({layer->name, &layer->map, layer->outputs, layer->inputs});
  }
  return figure_markup(
      "fig-weights", "All weights", maps_drawing(maps, names, "weights of every layer as maps"),
      "The weights of every layer at the end, neurons upwards, inputs to the right; blue is "
      "below 0, orange above, and where there are more than fit, a cell is the mean of its "
      "neighbours.",
      "Rows that look alike are neurons that have learnt the same; columns without colour are "
      "inputs that nobody listens to.");
}

bool has_finite(const Matrix& map) {
  return std::any_of(map.values.begin(), map.values.end(),
                     [](double value) { return std::isfinite(value); });
}

bool can_be_drawn(const LayerSurvey& layer) {
  return layer.missing.empty() && has_finite(layer.map);
}

/// What rules carry from tick to tick for every weight; empty where none does.
std::string eligibility_figure(const std::vector<LayerSurvey>& layers) {
  std::vector<WeightMap> maps;
  for (const LayerSurvey& layer : layers) {
    if (!has_finite(layer.eligibility) || maps.size() == kMostMaps) continue;
    maps.push_back(
        {fmt::format("{}: mean |e| {}", layer.name, number_for_people(layer.mean_eligibility, 3)),
         &layer.eligibility, layer.outputs, layer.inputs});
  }
  if (maps.empty()) return {};
  return figure_markup(
      "fig-eligibility", "Eligibility",
      maps_drawing(maps, {}, "eligibility of every weight at the end, as maps"),
      "The eligibility e of every weight at the end of the run, neurons upwards, inputs to the "
      "right, on a scale like that of the weights; above each map the mean of |e|.",
      "It is what a reward that came now would change. Rows or columns without colour are neurons "
      "and inputs that have not been active for some time.");
}

}  // namespace

std::string fields_section(const Result& result, const std::vector<LayerSurvey>& layers) {
  std::string out;
  std::vector<const LayerSurvey*> maps;
  bool is_first = true;
  for (const LayerSurvey& layer : layers) {
    const bool has_weights = layer.missing.empty();
    if (can_be_drawn(layer) && maps.size() < kMostMaps) {
      maps.push_back(&layer);
      const InputShape inputs = is_first ? shape_of_inputs(result, layer) : InputShape{};
      if (inputs.kind != InputShape::Kind::none && layer.fields.rows > 0 && layer.inputs > 1) {
        out += fields_figure(result, layer, inputs);
      }
    }
    if (has_weights) is_first = false;
  }
  if (maps.empty()) return out;
  const bool has_first = maps.front() == &layers.front();
  out += maps_figure(
      maps, has_first ? names_of_inputs(result, layers.front()) : std::vector<std::string>());
  out += eligibility_figure(layers);
  return out;
}

}  // namespace gaia::report
