// SPDX-License-Identifier: MIT
#include "equation_signals.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../array/create.h"
#include "../core/message.h"

namespace gaia {
namespace {

/// The columns of a signal on their way into a table [streams, ticks, width].
class SignalReader {
 public:
  SignalReader(const TickSignals& given, const SignalBlock& block, const std::string& signal)
      : given_(given), block_(block), signal_(signal) {}

  /// Calls put(place of stream and tick, value) for every number of a column.
  template <class F>
  void each(const std::string& column, const F& put) const {
    const std::vector<double> numbers = values(column);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (std::isnan(numbers[i])) {
        fail<ArgumentError>(
            "[rule] the signal {} has no value in column '{}' at tick {} of the block; "
            "data.missing fills channels, never a signal: give it a value, or leave the row out",
            signal_, column, static_cast<std::int64_t>(i) % block_.ticks);
      }
      if (std::isinf(numbers[i])) {
        fail<ArgumentError>(
            "[rule] the signal {} is infinite in column '{}' at tick {} of the block; expected a "
            "finite number",
            signal_, column, static_cast<std::int64_t>(i) % block_.ticks);
      }
      put(i, numbers[i]);
    }
  }

 private:
  std::vector<double> values(const std::string& column) const {
    const auto found = given_.find(column);
    if (found == given_.end()) {
      std::string known;
      for (const auto& [name, numbers] : given_) known += (known.empty() ? "" : ", ") + name;
      fail<ArgumentError>(
          "[rule] the signal {} reads the column '{}', which is not given; given: {}; hand its "
          "numbers over as a signal of that name",
          signal_, column, known.empty() ? "none" : known);
    }
    const Shape expected = {block_.streams, block_.ticks};
    if (!(found->second.shape() == expected)) {
      fail<ShapeError>("[rule] the signal column '{}' must be [streams, ticks] = {}, got {}",
                       column, expected, found->second.shape());
    }
    return found->second.astype(DType::float64).to_vector<double>();
  }

  const TickSignals& given_;
  const SignalBlock& block_;
  const std::string& signal_;
};

const EquationSignalSource& source_of(const EquationRule& rule, const std::string& signal) {
  const auto& sources = rule.options().signals;
  return *std::find_if(sources.begin(), sources.end(),
                       [&](const EquationSignalSource& one) { return one.name == signal; });
}

/// The table of all signals of neurons, of those that come from columns, [streams, ticks, columns,
/// neurons], and of those that are passed.
Array with_handed_over(const EquationRule& rule, const TickSignals& given,
                       const std::vector<bool>& is_read, const Array& columns) {
  const std::vector<EquationSignal>& signals = rule.program().signals;
  const auto count = std::count_if(signals.begin(), signals.end(),
                                   [](const EquationSignal& one) { return one.of_neurons; });
  if (count == columns.shape(2)) return columns;
  const Shape one = {columns.shape(0), columns.shape(1), columns.shape(3)};
  const Array all = Array::uninitialized({one[0], one[1], count, one[2]}, columns.dtype());
  std::int64_t place = 0;
  std::int64_t column = 0;
  for (std::size_t s = 0; s < signals.size(); ++s) {
    if (!signals[s].of_neurons) continue;
    const Array here = all.select(2, place++);
    const EquationSignalSource& source = source_of(rule, signals[s].name);
    if (!source.is_handed_over) {
      here.assign(columns.select(2, column++));
      continue;
    }
    if (!is_read[s]) {
      here.fill(0.0);
      continue;
    }
    const auto found = given.find(source.columns.front());
    if (found == given.end() || !(found->second.shape() == one)) {
      fail<ArgumentError>(
          "[rule] {} is to be handed over as {}, got {}; a hierarchy does so for a level that "
          "hears another",
          signals[s].name, one,
          found == given.end() ? "nothing" : message("{}", found->second.shape()));
    }
    here.assign(found->second);
  }
  return all;
}

}  // namespace

TickSignals of_ticks(const TickSignals& signals, std::int64_t first, std::int64_t end) {
  TickSignals part;
  for (const auto& [name, values] : signals) part[name] = values.slice(1, first, end);
  return part;
}

EquationSignals gather_signals(const EquationRule& rule, const TickSignals& given,
                               const SignalBlock& block) {
  const Device device = current_device();
  const GPUContext host(Device::cpu());  // they come from there: a GPU gets them as they are to be
  const std::vector<EquationSignal>& signals = rule.program().signals;
  const std::vector<bool> is_read = rule.program().signals_read(block.learns);
  const auto of_neurons = std::count_if(signals.begin(), signals.end(),
                                        [](const EquationSignal& one) { return one.of_neurons; });
  const std::int64_t layer_width = std::ssize(signals) - of_neurons;
  const auto handed_over = std::count_if(
      signals.begin(), signals.end(),
      [&](const EquationSignal& one) { return source_of(rule, one.name).is_handed_over; });
  const std::int64_t columns = of_neurons - handed_over;
  const std::int64_t neuron_width = columns * block.outputs;
  const std::int64_t ticks = block.streams * block.ticks;
  std::vector<double> layer(static_cast<std::size_t>(ticks * layer_width));
  std::vector<double> neurons(static_cast<std::size_t>(ticks * neuron_width));
  std::size_t layer_place = 0;
  std::size_t neuron_place = 0;
  for (std::size_t s = 0; s < signals.size(); ++s) {
    const EquationSignalSource& source = source_of(rule, signals[s].name);
    if (source.is_handed_over) continue;
    const SignalReader reader(given, block, signals[s].name);
    const std::size_t place = signals[s].of_neurons ? neuron_place : layer_place;
    (signals[s].of_neurons ? neuron_place : layer_place) +=
        signals[s].of_neurons ? static_cast<std::size_t>(block.outputs) : 1;
    if (!is_read[s]) continue;
    if (!signals[s].of_neurons) {
      reader.each(source.columns.front(), [&](std::size_t tick, double value) {
        layer[tick * static_cast<std::size_t>(layer_width) + place] = value;
      });
    } else if (source.is_labels) {
      reader.each("labels", [&](std::size_t tick, double value) {
        if (value >= static_cast<double>(block.outputs)) {
          fail<ArgumentError>(
              "[rule] the signal {} is of labels, and class {} has no neuron among {}; make the "
              "layer as large as there are classes",
              signals[s].name, static_cast<std::int64_t>(value), block.outputs);
        }
        if (value < 0) return;
        neurons[tick * static_cast<std::size_t>(neuron_width) + place +
                static_cast<std::size_t>(value)] = 1.0;
      });
    } else {
      for (std::size_t i = 0; i < source.columns.size(); ++i) {
        reader.each(source.columns[i], [&](std::size_t tick, double value) {
          neurons[tick * static_cast<std::size_t>(neuron_width) + place + i] = value;
        });
      }
    }
  }
  const auto made = [&](const std::vector<double>& values, const Shape& shape) {
    return from_values(values, shape).astype(block.dtype).to(device);
  };
  const EquationSignals made_here = {
      made(layer, {block.streams, block.ticks, layer_width}),
      made(neurons, {block.streams, block.ticks, columns, block.outputs})};
  const GPUContext there(device);
  return {made_here.of_layer, with_handed_over(rule, given, is_read, made_here.of_neurons)};
}

}  // namespace gaia
