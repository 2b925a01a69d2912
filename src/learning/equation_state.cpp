// SPDX-License-Identifier: MIT
#include "equation_state.h"

#include <algorithm>
#include <cmath>

#include "../array/create.h"
#include "../array/ops.h"
#include "../core/text.h"

namespace gaia {
namespace {

/// The numbers that signals have, [streams, ticks, numbers] of the layer's dtype.
class SignalTable {
 public:
  SignalTable(std::int64_t streams, std::int64_t ticks, std::int64_t numbers)
      : streams_(streams), ticks_(ticks), numbers_(numbers) {
    values_.resize(static_cast<std::size_t>(streams * ticks * numbers));
  }

  double& at(std::int64_t stream, std::int64_t tick, std::int64_t number) {
    return values_[static_cast<std::size_t>((stream * ticks_ + tick) * numbers_ + number)];
  }
  Array array(DType dtype) const {
    return from_values(values_, {streams_, ticks_, numbers_}).astype(dtype);
  }

 private:
  std::int64_t streams_, ticks_, numbers_;
  std::vector<double> values_;
};

const Array& find_column(const TickSignals& signals, const std::string& column,
                         const std::string& signal, std::int64_t streams, std::int64_t ticks) {
  const auto found = signals.find(column);
  if (found == signals.end()) {
    std::string known;
    for (const auto& [name, values] : signals) known += (known.empty() ? "" : ", ") + name;
    throw ArgumentError("[rule] the signal " + signal + " reads the column '" + column +
                        "', which is not given; given: " + (known.empty() ? "none" : known) +
                        " (ProcessOptions::signals)");
  }
  if (!(found->second.shape() == Shape{streams, ticks})) {
    throw ShapeError("[rule] the signal column '" + column + "' must be [streams, ticks] = " +
                     to_string(Shape{streams, ticks}) + ", got " +
                     to_string(found->second.shape()));
  }
  return found->second;
}

}  // namespace

EquationState::EquationState(const EquationRule& rule, std::int64_t inputs, std::int64_t outputs,
                             DType dtype)
    : inputs_(inputs), outputs_(outputs), dtype_(dtype) {
  for (const EquationSignalSource& signal : rule.options().signals) {
    if (signal.is_list && std::ssize(signal.columns) != outputs) {
      throw ArgumentError("[rule] the signal " + signal.name + " has " +
                          std::to_string(signal.columns.size()) + " columns, one for each of " +
                          std::to_string(outputs) + " neurons expected; make the layer of size " +
                          std::to_string(signal.columns.size()) + ", or name one column");
    }
  }
  rule.trace_keeps();  // refuses what is no time constant
  allocate(rule, 1);
}

void EquationState::fill_memory(const EquationRule& rule) {
  const auto& memories = rule.program().memories;
  for (std::int64_t m = 0; m < std::ssize(memories); ++m) {
    memory_.slice(1, m, m + 1).fill(memories[static_cast<std::size_t>(m)].initial);
  }
}

void EquationState::allocate(const EquationRule& rule, std::int64_t streams) {
  const EquationProgram& program = rule.program();
  if (memory_.rank() == 3 && memory_.shape(0) == streams) return;
  memory_ = zeros({streams, std::ssize(program.memories), outputs_}, dtype_);
  fill_memory(rule);
  traces_ = zeros({streams, std::ssize(program.traces), inputs_}, dtype_);
  eligibility_ =
      zeros({program.has_eligibility ? streams : 0, outputs_, inputs_}, dtype_);
  tick_ = zeros({1}, DType::int64);
}

void EquationState::reset(const EquationRule& rule) {
  if (!rule.options().memory_across_trials) fill_memory(rule);
  traces_.fill(0.0);
  if (eligibility_.size() > 0) eligibility_.fill(0.0);
  tick_.fill(0.0);
}

void EquationState::process(const EquationRule& rule, const EquationPlan& plan,
                            const Array& weights, const Array& x, bool learns,
                            const TickSignals& signals, const Array& y) {
  if (!current_device().is_cpu()) {
    throw DeviceError("[rule] a rule by its equations runs on the CPU alone in this version, but "
                      "the current device is " +
                      to_string(current_device()) + "; take device cpu");
  }
  const std::int64_t streams = x.shape(0);
  const std::int64_t ticks = x.shape(1);
  allocate(rule, streams);
  if (y.size() == 0) return;
  const EquationProgram& program = rule.program();
  std::int64_t of_layer = 0;
  std::int64_t of_neurons = 0;
  for (const EquationSignal& signal : program.signals) ++(signal.of_neurons ? of_neurons : of_layer);
  SignalTable layer_table(streams, ticks, of_layer);
  SignalTable neuron_table(streams, ticks, of_neurons * outputs_);
  of_layer = of_neurons = 0;
  for (const EquationSignal& signal : program.signals) {
    const auto source = std::find_if(
        rule.options().signals.begin(), rule.options().signals.end(),
        [&](const EquationSignalSource& one) { return one.name == signal.name; });
    const auto each = [&](const std::string& column, const auto& put) {
      const Array& values = find_column(signals, column, signal.name, streams, ticks);
      const std::vector<double> numbers = values.astype(DType::float64).to_vector<double>();
      for (std::int64_t b = 0; b < streams; ++b) {
        for (std::int64_t t = 0; t < ticks; ++t) {
          const double value = numbers[static_cast<std::size_t>(b * ticks + t)];
          if (std::isnan(value)) {
            throw ArgumentError("[rule] the signal " + signal.name + " has no value in column '" +
                                column + "' at tick " + std::to_string(t) +
                                " of the block; fill it (data.missing), or leave the row out");
          }
          put(b, t, value);
        }
      }
    };
    if (source->is_labels) {
      each("labels", [&](std::int64_t b, std::int64_t t, double value) {
        const auto number = static_cast<std::int64_t>(value);
        if (number >= outputs_) {
          throw ArgumentError("[rule] the signal " + signal.name + " is of labels, and class " +
                              std::to_string(number) + " has no neuron among " +
                              std::to_string(outputs_) +
                              "; make the layer as large as there are classes");
        }
        if (number >= 0) neuron_table.at(b, t, of_neurons * outputs_ + number) = 1.0;
      });
      ++of_neurons;
    } else if (signal.of_neurons) {
      for (std::int64_t i = 0; i < outputs_; ++i) {
        each(source->columns[static_cast<std::size_t>(i)],
             [&](std::int64_t b, std::int64_t t, double value) {
               neuron_table.at(b, t, of_neurons * outputs_ + i) = value;
             });
      }
      ++of_neurons;
    } else {
      each(source->columns.front(), [&](std::int64_t b, std::int64_t t, double value) {
        layer_table.at(b, t, of_layer) = value;
      });
      ++of_layer;
    }
  }
  const Array layer_signals = on_current_device(layer_table.array(dtype_), "rule");
  const Array neuron_signals = on_current_device(neuron_table.array(dtype_), "rule");
  EquationRun run;
  run.activation = plan.activation;
  run.control = plan.control;
  run.samples = x.view();
  run.weights = weights.view();
  run.outputs = y.view();
  run.program = &program;
  run.parameters = rule.parameters();
  run.trace_keeps = rule.trace_keeps();
  run.learns = learns;
  run.first_tick = static_cast<std::int64_t>(tick_.item());
  run.bounds = plan.bounds;
  run.memory = memory_.view();
  run.traces = traces_.view();
  if (program.has_eligibility) run.eligibility = eligibility_.view();
  run.layer_signals = layer_signals.view();
  run.neuron_signals = neuron_signals.view();
  run.executor = plan.executor;
  run.chunk = plan.chunk;
  backend(current_device()).equations(run);
  tick_.fill(static_cast<double>(run.first_tick + ticks));
  y.count_change();
}

EquationState EquationState::copy() const {
  EquationState twin = *this;
  twin.memory_ = memory_.copy();
  twin.traces_ = traces_.copy();
  twin.eligibility_ = eligibility_.copy();
  twin.tick_ = tick_.copy();
  return twin;
}

void EquationState::move_to_current_device() {
  memory_ = on_current_device(memory_, "rule");
  traces_ = on_current_device(traces_, "rule");
  eligibility_ = on_current_device(eligibility_, "rule");
}

}  // namespace gaia
