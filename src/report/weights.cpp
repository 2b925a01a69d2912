// SPDX-License-Identifier: MIT
#include "weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/checked.h"
#include "../learning/rule_list.h"
#include "survey.h"

namespace gaia::report {
namespace {

constexpr std::int64_t kMostNeurons = 1 << 20;
constexpr std::int64_t kMostWeights = 400'000'000;
constexpr std::int64_t kWeightsAtOnce = 1 << 18;
constexpr std::int64_t kMapNeurons = 256;
constexpr std::int64_t kMapInputs = 512;
constexpr std::int64_t kFields = 64;         // neurons whose weights are shown one by one
constexpr std::int64_t kWidestField = 4096;  // inputs of these
constexpr std::int64_t kComparedNeurons = 256;
constexpr std::int64_t kHistoryNeurons = 32;
constexpr std::int64_t kHistoryPoints = 400;

/// Calls f(first neuron, neurons, weights) over a dataset [outputs, inputs...].
template <class F>
void for_each_block(const Result& result, const std::string& dataset, std::int64_t outputs,
                    std::int64_t inputs, const F& f) {
  const std::int64_t at_once = std::max<std::int64_t>(1, kWeightsAtOnce / inputs);
  std::vector<double> values;
  for (std::int64_t first = 0; first < outputs; first += at_once) {
    const std::int64_t count = std::min(at_once, outputs - first);
    values.resize(static_cast<std::size_t>(count * inputs));
    result.read_rows(dataset, first, count, values.data());
    f(first, count, values);
  }
}

double norm_of(const double* weights, std::int64_t inputs) {
  double squares = 0.0;
  for (std::int64_t i = 0; i < inputs; ++i) squares += weights[i] * weights[i];
  return std::sqrt(squares);
}

/// Inputs of a dataset [outputs, inputs...], or nothing if it cannot be shown.
std::optional<std::int64_t> inputs_of(const std::vector<std::int64_t>& shape) {
  if (shape.size() < 2 || shape[0] < 1 || shape[0] > kMostNeurons) return std::nullopt;
  std::int64_t inputs = 1;
  for (std::size_t axis = 1; axis < shape.size(); ++axis) {
    const auto product = checked_multiply(inputs, shape[axis]);
    if (!product || *product < 1 || *product > kWidestRow) return std::nullopt;
    inputs = *product;
  }
  return shape[0] * inputs <= kMostWeights ? std::optional(inputs) : std::nullopt;
}

void read_weights(const Result& result, const std::string& dataset, LayerSurvey& layer) {
  MeanPool pool(layer.outputs, layer.inputs, kMapNeurons, kMapInputs);
  const bool has_fields = layer.inputs <= kWidestField;
  const std::int64_t fields = has_fields ? std::min(layer.outputs, kFields) : 0;
  layer.fields = {.rows = fields, .columns = layer.inputs, .values = {}};
  for_each_block(
      result, dataset, layer.outputs, layer.inputs,
      [&](std::int64_t first, std::int64_t count, const std::vector<double>& values) {
        pool.add(first, count, values.data());
        for (std::int64_t r = 0; r < count; ++r) {
          const double* row = values.data() + r * layer.inputs;
          const double length = norm_of(row, layer.inputs);
          layer.norms.push_back(length);
          layer.not_finite += std::count_if(row, row + layer.inputs,
                                            [](double weight) { return !std::isfinite(weight); });
          if (first + r < fields) {
            layer.fields.values.insert(layer.fields.values.end(), row, row + layer.inputs);
          }
          if (first + r >= kComparedNeurons || !has_fields) continue;
          std::vector<double>& direction = layer.rows.emplace_back(row, row + layer.inputs);
          for (double& weight : direction) weight /= length;
        }
      });
  layer.map = pool.means();
}

/// What a rule keeps of every weight, and of every input.
void read_eligibility(const Result& result, LayerSurvey& layer) {
  const std::string dataset = layer.path + "/eligibility";
  if (result.shape(dataset) == layer.shape) {
    MeanPool pool(layer.outputs, layer.inputs, kMapNeurons, kMapInputs);
    double sum = 0.0;
    for_each_block(result, dataset, layer.outputs, layer.inputs,
                   [&](std::int64_t first, std::int64_t count, const std::vector<double>& values) {
                     pool.add(first, count, values.data());
                     for (const double value : values) sum += std::abs(value);
                   });
    layer.eligibility = pool.means();
    layer.mean_eligibility = sum / static_cast<double>(layer.outputs * layer.inputs);
  }
  const std::string group = layer.path + "/trace";
  for (const std::string& name : result.datasets(group)) {
    if (result.shape(group + "/" + name) != std::vector<std::int64_t>{layer.inputs}) continue;
    layer.traces.push_back(
        {name, name, "trace of the inputs", result.read(group + "/" + name), {}, {}});
  }
}

/// The memories of a layer: what lies in its group of them; or, of gaia 0.1 and of networks, where
/// the rule is known, beside the weights.
std::vector<MemorySurvey> survey_memories(const Result& result, const LayerSurvey& layer) {
  std::vector<MemorySurvey> memories;
  const auto add = [&](const std::string& dataset, MemorySurvey memory) {
    if (result.shape(dataset) != std::vector<std::int64_t>{layer.outputs}) return;
    memory.values = result.read(dataset);
    if (memory.symbol.empty()) memory.symbol = memory.name;
    memories.push_back(std::move(memory));
  };
  const std::string group = layer.path + "/memory";
  for (const std::string& name : result.datasets(group)) {
    const std::string dataset = group + "/" + name;
    const auto initial = result.number(dataset, "initial");
    const bool is_start =
        name.ends_with("_initial") && result.has(dataset.substr(0, dataset.size() - 8));
    if (!is_start) {
      add(dataset,
          {name, result.text(dataset, "symbol"), result.text(dataset, "meaning"), {}, initial, {}});
    }
  }
  const std::vector<std::string> known = rule_names();
  if (!memories.empty() || std::find(known.begin(), known.end(), layer.rule) == known.end()) {
    return memories;
  }
  for (const RuleMemory& memory : memories_of(rule_from_name(layer.rule))) {
    add(layer.path + "/" + memory.name, {memory.name,
                                         memory.symbol == nullptr ? "" : memory.symbol,
                                         memory.meaning,
                                         {},
                                         result.number(layer.path, memory.name),
                                         {}});
  }
  return memories;
}

/// Lengths of some neurons' weights, which lie in `weights`, and their memories, over the run.
void read_history(const Result& result, const std::string& weights_name, LayerSurvey& layer) {
  const std::string dataset = layer.path + "/history/" + weights_name;
  const std::vector<std::int64_t> shape = result.shape(dataset);
  if (shape.size() != 3 || shape[1] != layer.outputs || shape[2] != layer.inputs) return;
  if (layer.outputs * layer.inputs > kWidestRow) return;
  std::vector<double> steps = result.read(layer.path + "/history/step");
  std::int64_t rows = std::min<std::int64_t>(shape[0], std::ssize(steps));
  while (rows > 0 &&
         steps[static_cast<std::size_t>(rows - 1)] > static_cast<double>(result.done())) {
    --rows;
  }
  const std::int64_t affordable =
      std::max<std::int64_t>(1, kMostWeights / (layer.outputs * layer.inputs));
  const std::int64_t stride = std::max<std::int64_t>(
      1, (rows + std::min(affordable, kHistoryPoints) - 1) / std::min(affordable, kHistoryPoints));
  const std::int64_t neurons = std::min(layer.outputs, kHistoryNeurons);
  layer.history_norms.columns = neurons;
  std::vector<double> values(static_cast<std::size_t>(layer.outputs));
  std::vector<double> weights(static_cast<std::size_t>(layer.outputs * layer.inputs));
  for (std::int64_t row = 0; row < rows; row += stride) {
    result.read_rows(dataset, row, 1, weights.data());
    layer.history_steps.push_back(steps[static_cast<std::size_t>(row)]);
    for (std::int64_t i = 0; i < neurons; ++i) {
      layer.history_norms.values.push_back(
          norm_of(weights.data() + i * layer.inputs, layer.inputs));
    }
    ++layer.history_norms.rows;
    for (MemorySurvey& memory : layer.memories) {
      const std::string path = layer.path + "/history/" + memory.name;
      if (result.shape(path) != std::vector<std::int64_t>{shape[0], layer.outputs}) continue;
      result.read_rows(path, row, 1, values.data());
      memory.history.columns = neurons;
      memory.history.values.insert(memory.history.values.end(), values.begin(),
                                   values.begin() + neurons);
      ++memory.history.rows;
    }
  }
}

}  // namespace

LayerSurvey survey_layer(const Result& result, const std::string& path, std::string name,
                         const std::string& weights) {
  LayerSurvey layer;
  layer.path = path;
  layer.name = std::move(name);
  layer.type = result.text(path, "type");
  layer.rule = result.text(path, "rule");
  layer.equations = result.text(path, "equations");
  layer.execution =
      RuleExecution::from([&](const char* attribute) { return result.text(path, attribute); });
  const std::string dataset = path + "/" + weights;
  layer.shape = result.shape(dataset);
  if (layer.shape.empty()) {
    layer.missing = "no weights are in the file";
    return layer;
  }
  const auto inputs = inputs_of(layer.shape);
  if (!inputs) {
    layer.missing = "its weights have a shape that cannot be drawn";
    return layer;
  }
  layer.outputs = layer.shape[0];
  layer.inputs = *inputs;
  read_weights(result, dataset, layer);
  // "weights_initial", and of "weights/2" "weights_initial/2".
  const std::string initial =
      path + "/weights_initial" + weights.substr(std::min(weights.find('/'), weights.size()));
  if (result.shape(initial) == layer.shape) {
    for_each_block(
        result, initial, layer.outputs, layer.inputs,
        [&](std::int64_t, std::int64_t count, const std::vector<double>& values) {
          for (std::int64_t r = 0; r < count; ++r) {
            layer.norms_initial.push_back(norm_of(values.data() + r * layer.inputs, layer.inputs));
          }
        });
  }
  layer.memories = survey_memories(result, layer);
  read_eligibility(result, layer);
  read_history(result, weights, layer);
  return layer;
}

std::vector<LayerSurvey> survey_layers(const Result& result) {
  std::vector<LayerSurvey> layers;
  for (const std::string& index : result.groups("network/layers")) {
    const std::string path = "network/layers/" + index;
    const std::string name = fmt::format("layer {}: {}", index, result.text(path, "type"));
    for (const std::string& dataset : result.datasets(path)) {
      if (result.shape(path + "/" + dataset).size() < 2) continue;
      layers.push_back(
          survey_layer(result, path, dataset == "weights" ? name : name + ", " + dataset, dataset));
    }
  }
  for (std::int64_t level = 0; level < count_levels(result); ++level) {
    const std::string above = fmt::format("levels/{}/layers", level);
    for (const std::string& index : result.groups(above)) {
      const std::string path = above + "/" + index;
      const std::string rule = result.text(path, "rule");
      const std::string name =
          fmt::format("level {}, layer {}: {}{}{}", level, index, result.text(path, "type"),
                      rule.empty() ? "" : ", ", rule);
      const std::vector<std::string> numbers = result.datasets(path + "/weights");
      for (const std::string& number : numbers) {
        const std::string dataset = "weights/" + number;
        layers.push_back(survey_layer(result, path, name + ", " + dataset, dataset));
      }
      if (numbers.empty()) layers.push_back(survey_layer(result, path, name));
    }
  }
  return layers;
}

}  // namespace gaia::report
