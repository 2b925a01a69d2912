// SPDX-License-Identifier: MIT
#include "plasticity.h"

#include <cmath>

#include "../array/kernel_families.h"
#include "../core/message.h"
#include "../core/names.h"
#include "equation_state.h"

namespace gaia {
namespace {

constexpr NameTable<Normalization, 3> kNormalizations = {{{"none", Normalization::none},
                                                          {"l2", Normalization::l2},
                                                          {"max_norm", Normalization::max_norm}}};
constexpr NameTable<Executor, 2> kExecutors = {
    {{"stepwise", Executor::stepwise}, {"chunkwise", Executor::chunkwise}}};

void check_layout(const Array& x, const char* name, const Shape& shape, DType dtype) {
  if (!(x.shape() == shape)) {
    fail<ShapeError>("[learn] {} must have shape {}, got {}", name, shape, x.shape());
  }
  if (x.dtype() != dtype) {
    fail<DTypeError>("[learn] {} must be {} like the weights, got {}", name, dtype, x.dtype());
  }
}

void check_written(const Array& x, const char* name, bool lies_well, const char* layout) {
  if (!lies_well) {
    fail<ShapeError>("[learn] {} is changed in place and must {}", name, layout);
  }
  if (x.device() != current_device()) {
    fail<DeviceError>("[learn] {} is changed in place and must be on the current device {}, got {}",
                      name, current_device(), x.device());
  }
}

/// Whether a rule needs more than samples and weights.
bool carries(const EquationProgram& program) {
  return !program.memories.empty() || !program.traces.empty() || program.has_eligibility ||
         !program.signals.empty() || !program.draws.empty() || program.reads_tick();
}

/// \throws the errors of learn_together for all but its outputs.
void check_layers(std::span<const Learner> layers, const Array& samples) {
  if (layers.empty()) throw ArgumentError("[learn] got no layers");
  for (const Learner& layer : layers) {
    check(layer.plasticity);
    const auto* const text = std::get_if<EquationRule>(&layer.plasticity.rule);
    if (text != nullptr && carries(text->program())) {
      throw ArgumentError(
          "[learn] a rule whose equations have signals, or carry something from tick to tick, "
          "needs room for it; make a HebbianLayer with it");
    }
    const auto* const rule = std::get_if<Rule>(&layer.plasticity.rule);
    if (rule != nullptr && std::holds_alternative<CustomRule>(*rule) &&
        !current_device().is_cpu()) {
      fail<DeviceError>(
          "[learn] rule '{}' is a program's own and runs on the CPU alone, but the current device "
          "is {}; take device cpu, or write the rule as its equations (EquationRule, "
          "docs/rules.md)",
          rule_name(*rule), current_device());
    }
  }
  const Array& first = layers[0].weights;
  const DType dtype = first.dtype();
  if (dtype != DType::float32 && dtype != DType::float64) {
    fail<DTypeError>("[learn] weights must be float32 or float64, got {}", dtype);
  }
  if (first.rank() != 2) {
    fail<ShapeError>("[learn] weights must be [outputs, inputs], got {}", first.shape());
  }
  const auto count = static_cast<std::int64_t>(layers.size());
  if (samples.rank() != 3 || samples.shape(0) % count != 0) {
    fail<ShapeError>("[learn] samples must be [{}streams, ticks, inputs], got {}",
                     count == 1 ? "" : std::to_string(count) + " layers x ", samples.shape());
  }
  const std::int64_t outputs = first.shape(0);
  check_layout(samples, "samples", {samples.shape(0), samples.shape(1), first.shape(1)}, dtype);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string why_not = why_not_together(layers[0].plasticity, layers[i].plasticity);
    if (!why_not.empty()) {
      fail<ArgumentError>("[learn] layers side by side must be alike; of layer {} {}", i, why_not);
    }
    check_layout(layers[i].weights, "weights", first.shape(), dtype);
    const Array& memory = layers[i].memory;
    const auto memories = std::ssize(memories_of(layers[i].plasticity.rule));
    const bool is_row = memory.rank() == 1 && memories <= 1;
    check_layout(memory, "memory", is_row ? Shape{outputs} : Shape{memories, outputs}, dtype);
    check_written(layers[i].weights, "weights", layers[i].weights.is_contiguous(), "be contiguous");
    check_written(layers[i].memory, "memory", layers[i].memory.is_contiguous(), "be contiguous");
  }
}

/// [memories, outputs] of what may be a single row, or one that no rule reads.
View memory_of(const Learner& layer) {
  View memory = layer.memory.view();
  const std::int64_t outputs = layer.weights.shape(0);
  memory.shape = {std::ssize(memories_of(layer.plasticity.rule)), outputs};
  memory.strides = {outputs, 1};
  return memory;
}

/// Without checks.
void run(std::span<const Learner> layers, const Array& samples, const Array& answers) {
  if (answers.size() == 0) return;
  Array x = on_current_device(samples, "learn");
  if (x.shape(2) > 1 && x.strides()[2] != 1) x = x.contiguous();
  const std::int64_t streams = x.shape(0) / static_cast<std::int64_t>(layers.size());
  std::vector<PlasticRun> runs;
  std::int64_t first = 0;
  for (const Learner& layer : layers) {
    const Plasticity& plasticity = layer.plasticity;
    const Array own = x.slice(0, first, first + streams);
    const Array y = answers.slice(0, first, first + streams);
    first += streams;
    if (const auto* const text = std::get_if<EquationRule>(&plasticity.rule)) {
      const EquationPlan plan{.activation = plasticity.activation,
                              .control = plasticity.control,
                              .executor = plasticity.executor,
                              .chunk = plasticity.chunk};
      EquationState(*text, layer.weights.shape(1), layer.weights.shape(0), x.dtype(), {})
          .process(*text, plan, layer.weights, own, true, TickSignals{}, y);
      continue;
    }
    const PlasticBlock block{.activation = plasticity.activation,
                             .control = plasticity.control,
                             .samples = own.view(),
                             .weights = layer.weights.view(),
                             .outputs = y.view()};
    runs.push_back({block, std::get<Rule>(plasticity.rule), memory_of(layer), plasticity.executor,
                    plasticity.chunk});
  }
  if (!runs.empty()) backend_for(KernelFamily::plastic).plastic(runs);
  answers.count_change();
}

}  // namespace

std::string to_string(Normalization normalization) {
  return name_of(kNormalizations, normalization);
}
Normalization normalization_from_name(std::string_view name) {
  return from_name(kNormalizations, name, "normalization");
}
std::string to_string(Executor executor) { return name_of(kExecutors, executor); }
Executor executor_from_name(std::string_view name) {
  return from_name(kExecutors, name, "executor");
}

void check(const Plasticity& p) {
  check_rule(p.rule);
  const double bound = p.control.bound;
  require(bound > 0 && std::isfinite(bound), "[plasticity] bound must be > 0, got {}", bound);
  if (p.control.homeostasis) {
    const auto& [target, strength] = *p.control.homeostasis;
    require(std::isfinite(target), "[plasticity] homeostasis target must be finite, got {}",
            target);
    require(strength >= 0 && std::isfinite(strength),
            "[plasticity] homeostasis strength must be >= 0, got {}", strength);
  }
  require(p.chunk >= 1, "[plasticity] chunk must be >= 1, got {}", static_cast<double>(p.chunk));
}

std::string why_not_together(const Plasticity& a, const Plasticity& b) {
  const auto differs = [](const std::string& what, const std::string& x, const std::string& y) {
    return message("{} is {}, not {}", what, y, x);
  };
  const auto on_or_off = [](const Plasticity& p) {
    return std::string(p.control.homeostasis ? "on" : "off");
  };
  if (rule_name(a.rule) != rule_name(b.rule)) {
    return differs("rule", rule_name(a.rule), rule_name(b.rule));
  }
  if (a.activation != b.activation) {
    return differs("activation", to_string(a.activation), to_string(b.activation));
  }
  if (on_or_off(a) != on_or_off(b)) return differs("homeostasis", on_or_off(a), on_or_off(b));
  if (a.control.normalization != b.control.normalization) {
    return differs("normalization", to_string(a.control.normalization),
                   to_string(b.control.normalization));
  }
  if (a.executor != b.executor) {
    return differs("executor", to_string(a.executor), to_string(b.executor));
  }
  if (a.chunk != b.chunk) {
    return differs("chunk", std::to_string(a.chunk), std::to_string(b.chunk));
  }
  return "";
}

Array learn(const Plasticity& plasticity, const Array& weights, const Array& memory,
            const Array& samples) {
  const Learner alone{plasticity, weights, memory};
  return learn_together({&alone, 1}, samples);
}

Array learn_together(std::span<const Learner> layers, const Array& samples) {
  check_layers(layers, samples);
  const Array& weights = layers[0].weights;
  const Array answers =
      Array::uninitialized({samples.shape(0), samples.shape(1), weights.shape(0)}, weights.dtype());
  run(layers, samples, answers);
  return answers;
}

void learn_together(std::span<const Learner> layers, const Array& samples, const Array& answers) {
  check_layers(layers, samples);
  const Array& weights = layers[0].weights;
  check_layout(answers, "answers", {samples.shape(0), samples.shape(1), weights.shape(0)},
               weights.dtype());
  check_written(answers, "answers", answers.shape(2) <= 1 || answers.strides()[2] == 1,
                "have a contiguous last axis");
  run(layers, samples, answers);
}

}  // namespace gaia
