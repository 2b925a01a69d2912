// SPDX-License-Identifier: MIT
#include "rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "../../array/ops.h"
#include "../../core/text.h"
#include "../../layers/hierarchy/hebbian.h"
#include "../setup/build.h"

namespace gaia {
namespace {

constexpr std::int64_t kTicks = 1000;
constexpr double kMostOperations = 2e9;

/// Whether weights or outputs are bounded by something else than the rule.
bool is_held(const Plasticity& plasticity) {
  const Activation f = plasticity.activation;
  return plasticity.control.normalization != Normalization::none || f == Activation::tanh ||
         f == Activation::sigmoid || f == Activation::softmax;
}

/// Passes on what it reads, and measures it.
class Meter final : public Layer {
 public:
  struct Sums {
    std::int64_t ticks = 0;
    double squares = 0.0;
    double largest = 0.0;
  };

  Meter(std::int64_t size, DType dtype, Sums& sums) : Layer(size, size, dtype), sums_(sums) {}

  std::string type() const override { return "meter"; }
  std::unique_ptr<Layer> clone() const override { return std::make_unique<Meter>(*this); }
  std::vector<NamedArray> arrays() const override { return {}; }
  std::int64_t operations_per_tick(bool /*learn*/) const override { return 2 * input_size(); }

 private:
  void answer(const Array& x, bool /*learn*/, const Array& y) override {
    y.assign(x);
    for (const double length : norm(x[0], {1}).to_vector<double>()) {
      if (sums_.ticks == kTicks) return;
      ++sums_.ticks;
      sums_.squares += length * length;
      sums_.largest = std::max(sums_.largest, length * length);
    }
  }
  void move_to_current_device() override {}

  Sums& sums_;
};

std::string place_of(const LayerRate& rate) {
  return fmt::format("hierarchy.levels[{}].layers[{}]", rate.level, rate.layer);
}

std::string inputs_text(const LayerRate& rate) {
  return fmt::format("|x|^2 of its input is {:.3g} on average and {:.3g} at most over {} ticks",
                     rate.mean_square, rate.largest_square, grouped(rate.ticks));
}

}  // namespace

bool LayerRate::is_too_large() const { return limit && learning_rate * mean_square > *limit; }

std::optional<double> LayerRate::largest_stable() const {
  if (!limit || !(largest_square > 0.0)) return std::nullopt;
  return *limit / largest_square;
}

std::vector<LayerRate> measure_rates(const HierarchyManager& hierarchy, SampleReader& samples) {
  std::vector<LayerRate> rates;
  std::vector<std::unique_ptr<Meter::Sums>> sums;
  HierarchyManager metered;
  std::int64_t slowest = 1;
  for (std::size_t n = 0; n < hierarchy.levels().size(); ++n) {
    const HierarchicalLevel& from = hierarchy.levels()[n];
    HierarchicalLevel level(from.id(), from.input_size(), from.output_size(),
                            from.temporal_resolution(), {.pooling = from.pooling()});
    for (std::size_t m = 0; m < from.layer_count(); ++m) {
      const auto* plastic = dynamic_cast<const HebbianLayer*>(&from.layer(m));
      if (plastic != nullptr && plastic->is_plastic()) {
        const Plasticity& plasticity = plastic->plasticity();
        // The rate of a rule by its equations is not known by name.
        if (std::holds_alternative<EquationRule>(plasticity.rule)) {
          level.add_layer(from.layer(m).clone());
          continue;
        }
        PlasticityRule rule = plasticity.rule;
        sums.push_back(std::make_unique<Meter::Sums>());
        level.add_layer(
            std::make_unique<Meter>(plastic->input_size(), plastic->dtype(), *sums.back()));
        rates.push_back({.level = n,
                         .layer = m,
                         .rule = rule_name(plasticity.rule),
                         .learning_rate = learning_rate_of(rule),
                         .limit = is_held(plasticity) ? std::nullopt : stability_limit(rule),
                         .note = is_held(plasticity) ? "" : stability_note(rule)});
        slowest = std::max(slowest, from.temporal_resolution());
      }
      level.add_layer(from.layer(m).clone());
    }
    metered.add_level(std::move(level));
  }
  if (rates.empty()) return rates;
  const double affordable = kMostOperations / std::max(1.0, metered.operations_per_step(false));
  const std::int64_t steps =
      std::min({samples.steps(), kTicks * slowest,
                std::max<std::int64_t>(kTicks, static_cast<std::int64_t>(affordable))});
  constexpr std::int64_t block = 1024;
  const std::vector<std::string> columns = metered.signal_columns();
  for (const Trial& trial : samples.trials().all()) {
    metered.reset_state();
    for (std::int64_t first = trial.first_step; first < std::min(steps, trial.end());
         first += block) {
      const std::int64_t count = std::min({block, steps - first, trial.end() - first});
      const Array x = samples.read(first, count);
      metered.process_block(x.expand_dims(0),
                            {.learn = false, .signals = samples.signals(columns, first, count)});
    }
  }
  for (std::size_t i = 0; i < rates.size(); ++i) {
    rates[i].ticks = sums[i]->ticks;
    rates[i].mean_square =
        sums[i]->squares / static_cast<double>(std::max<std::int64_t>(1, sums[i]->ticks));
    rates[i].largest_square = sums[i]->largest;
  }
  return rates;
}

std::vector<LayerRate> measure_rates(Experiment& experiment) {
  const ExperimentConfig& config = experiment.config;
  if (!config.hierarchy.learn) return {};
  const GPUContext scope(Device::cpu());
  HierarchyManager hierarchy = build_hierarchy(config, experiment.features());
  if (experiment.from) load_learnt(experiment.from->path, config, hierarchy);
  SampleReader samples(*experiment.series, config.data, experiment.trials, config.dtype, {}, false);
  return measure_rates(hierarchy, samples);
}

std::vector<std::string> rate_warnings(const std::vector<LayerRate>& rates) {
  std::vector<std::string> warnings;
  for (const LayerRate& rate : rates) {
    if (!rate.is_too_large()) continue;
    warnings.push_back(fmt::format(
        "{}.learning_rate: {} {} times the mean |x|^2 of the layer's input is {:.3g}, and weights "
        "grow to infinity above {:.3g} ({}); the largest rate that is stable for these is about "
        "{:.2g}",
        place_of(rate), rate.rule, number_text(rate.learning_rate),
        rate.learning_rate * rate.mean_square, *rate.limit, inputs_text(rate),
        rate.largest_stable().value_or(0.0)));
  }
  return warnings;
}

std::string rate_advice(const std::vector<LayerRate>& rates, std::size_t level, std::size_t layer) {
  // What grows somewhere may overflow further up first.
  const LayerRate* of = nullptr;
  for (const LayerRate& rate : rates) {
    const bool is_before = std::pair(rate.level, rate.layer) <= std::pair(level, layer);
    const bool may_grow = rate.is_too_large() || !rate.note.empty();
    if (is_before) of = &rate;
    if (is_before && may_grow) break;
  }
  if (of == nullptr) return {};
  const std::string what = fmt::format("; {}: {} at learning_rate {}: ", place_of(*of), of->rule,
                                       number_text(of->learning_rate));
  if (const auto largest = of->largest_stable()) {
    return what + fmt::format("{}, for which the largest stable rate is about {:.2g}",
                              inputs_text(*of), *largest);
  }
  return what + (of->note.empty() ? "no largest stable rate is known" : of->note) + "; " +
         inputs_text(*of);
}

}  // namespace gaia
