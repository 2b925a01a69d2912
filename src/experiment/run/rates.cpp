// SPDX-License-Identifier: MIT
#include "rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "../../array/ops.h"
#include "../../core/error.h"
#include "../../core/text.h"
#include "../../layers/hierarchy/hebbian.h"
#include "../setup/build.h"
#include "../setup/first_samples.h"
#include "../setup/learnt.h"
#include "auto_rates.h"

namespace gaia {
namespace {

constexpr std::int64_t kTicks = 1000;
constexpr double kMostOperations = 2e9;
/// How often a smaller rate is tried before none is named.
constexpr int kTrials = 8;

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
      if (!std::isfinite(length)) continue;
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

HebbianOptions* hebbian_options(ExperimentConfig& config, std::size_t level, std::size_t layer) {
  auto& levels = config.kind.get_if<HierarchyConfig>()->levels;
  return levels[level].layers[layer].kind.get_if<HebbianOptions>();
}

/// Steps of an experiment that can be read by this hierarchy in a second or so, or in which every
/// level ticks `ticks` times, if these are more.
std::int64_t affordable_steps(const HierarchyManager& hierarchy, std::int64_t ticks) {
  const double steps = kMostOperations / std::max(1.0, hierarchy.operations_per_step(true));
  return std::max(ticks, static_cast<std::int64_t>(std::min(steps, 1e15)));
}

/// Has a hierarchy learn from the first steps.  Whether it came to the end of them, and did not
/// diverge.
bool learn_first(HierarchyManager& hierarchy, SampleReader& samples, std::int64_t steps) {
  constexpr std::int64_t block = 1024;
  const std::vector<std::string> columns = hierarchy.signal_columns();
  try {
    for (const Trial& trial : samples.trials().all()) {
      hierarchy.reset_state();
      for (std::int64_t first = trial.first_step; first < std::min(steps, trial.end());
           first += block) {
        const std::int64_t count = std::min({block, steps - first, trial.end() - first});
        const Array x = samples.read(first, count);
        hierarchy.process_block(
            x.expand_dims(0),
            {.check_finite = true, .signals = samples.signals(columns, first, count)});
      }
    }
  } catch (const DivergedError&) {
    return false;
  }
  return true;
}

HierarchyManager as_begun(const Experiment& experiment, const ExperimentConfig& config,
                          SampleReader& samples) {
  HierarchyManager hierarchy = build_hierarchy(config, experiment.features());
  if (experiment.from) load_learnt(experiment.from->path, config, hierarchy);
  begin_with_samples(hierarchy, experiment, samples);
  begin_rates(hierarchy, experiment);
  return hierarchy;
}

/// A rate at which the layer learns from the first steps without diverging, as has been tried;
/// 0 where none was found.
double stable_rate(const LayerRate& of, const Experiment& experiment, SampleReader& samples) {
  if (!of.limit || !(of.largest_square > 0.0)) return 0.0;
  const GPUContext scope(Device::cpu());
  ExperimentConfig config = experiment.config;
  HebbianOptions& options = *hebbian_options(config, of.level, of.layer);
  options.automatic_rate = false;
  double rate = kAutoMost * *of.limit / of.largest_square;
  for (int trial = 0; trial < kTrials; ++trial, rate /= 4.0) {
    rate = std::stod(fmt::format("{:.1e}", 0.95 * rate));  // as it is reported, and not rounded up
    learning_rate_of(options.rule) = rate;
    HierarchyManager hierarchy = as_begun(experiment, config, samples);
    const std::int64_t steps = std::min(experiment.steps, affordable_steps(hierarchy, kTicks));
    if (learn_first(hierarchy, samples, steps)) return rate;
  }
  return 0.0;
}

/// What to do about a rate that is too large.
std::string way_out(const LayerRate& of, const Experiment& experiment, SampleReader& samples) {
  const double rate = stable_rate(of, experiment, samples);
  if (rate == 0.0) return "`learning_rate: auto` finds one";
  return fmt::format("rates up to {} are stable on these, and `learning_rate: auto` finds one",
                     number_text(rate));
}

}  // namespace

bool LayerRate::is_too_large() const {
  return limit && !is_automatic && learning_rate * mean_square > *limit;
}

std::vector<LayerRate> measure_rates(const Experiment& experiment, SampleReader& samples) {
  const GPUContext scope(Device::cpu());
  ExperimentConfig config = experiment.config;
  for (LevelConfig& level : config.kind.get_if<HierarchyConfig>()->levels) {
    for (LayerConfig& layer : level.layers) {
      auto* const options = layer.kind.get_if<HebbianOptions>();
      if (options != nullptr && stability_limit(options->rule)) options->automatic_rate = true;
    }
  }
  const HierarchyManager hierarchy = as_begun(experiment, config, samples);
  std::vector<LayerRate> rates;
  std::vector<std::unique_ptr<Meter::Sums>> sums;
  std::vector<const AutoRate*> found;  // null where there is none
  HierarchyManager metered;
  std::int64_t slowest = 1;
  for (std::size_t n = 0; n < hierarchy.levels().size(); ++n) {
    const HierarchicalLevel& from = hierarchy.levels()[n];
    HierarchicalLevel level(from.id(), from.input_size(), from.output_size(),
                            from.temporal_resolution(), from.options());
    for (std::size_t m = 0; m < from.layer_count(); ++m) {
      const auto* plastic = dynamic_cast<const HebbianLayer*>(&from.layer(m));
      const bool is_measured =
          plastic != nullptr && plastic->is_plastic() && plastic->has_plain_rule();
      const auto* const given =
          experiment.config.hierarchy().levels[n].layers[m].kind.get_if<HebbianOptions>();
      const bool is_automatic =
          plastic != nullptr && plastic->is_plastic() && given->automatic_rate;
      std::unique_ptr<Layer> learner = from.layer(m).clone();
      if (is_measured || is_automatic) {
        const Plasticity& plasticity = plastic->plasticity();
        PlasticityRule rule = given->rule;
        sums.push_back(std::make_unique<Meter::Sums>());
        level.add_layer(
            std::make_unique<Meter>(plastic->input_size(), plastic->dtype(), *sums.back()));
        rates.push_back({.level = n,
                         .layer = m,
                         .rule = rule_name(plasticity.rule),
                         .is_automatic = is_automatic,
                         .learning_rate = learning_rate_of(rule),
                         .limit = is_held(plasticity) ? std::nullopt : stability_limit(rule),
                         .note = is_held(plasticity) ? "" : stability_note(rule)});
        found.push_back(learner->automatic_rate());
        slowest = std::max(slowest, from.temporal_resolution());
      }
      level.add_layer(std::move(learner));
    }
    metered.add_level(std::move(level));
  }
  if (rates.empty()) return rates;
  const std::int64_t steps =
      std::min({experiment.steps, kTicks * slowest, affordable_steps(metered, kTicks)});
  learn_first(metered, samples, steps);
  const auto end_of = [&](std::size_t i) {
    const LevelConfig& level = experiment.config.hierarchy().levels[rates[i].level];
    return experiment.config.hierarchy().epochs *
           experiment.trials.ticks_within(experiment.steps, level.temporal_resolution,
                                          level.options.phase);
  };
  for (std::size_t i = 0; i < rates.size(); ++i) {
    rates[i].ticks = sums[i]->ticks;
    rates[i].mean_square =
        sums[i]->squares / static_cast<double>(std::max<std::int64_t>(1, sums[i]->ticks));
    rates[i].largest_square = sums[i]->largest;
    if (!rates[i].is_automatic) continue;
    const RateCourse course = found[i]->course();
    rates[i].course = course.ticks;
    rates[i].first_rate = found[i]->rate_at(0);
    rates[i].learning_rate = found[i]->rate_at(course.ticks > 0 ? course.ticks : end_of(i));
  }
  return rates;
}

namespace {

/// What reads the samples of an experiment, for as long as it is asked.
SampleReader reader_of(Experiment& experiment) {
  return {*experiment.series,
          experiment.config.data,
          experiment.trials,
          experiment.config.dtype,
          {},
          false};
}

}  // namespace

std::vector<LayerRate> measure_rates(Experiment& experiment) {
  if (!experiment.config.hierarchy().learn) return {};
  const GPUContext scope(Device::cpu());
  SampleReader samples = reader_of(experiment);
  return measure_rates(experiment, samples);
}

std::vector<std::string> rate_warnings(const std::vector<LayerRate>& rates,
                                       Experiment& experiment) {
  std::vector<std::string> warnings;
  for (const LayerRate& rate : rates) {
    if (!rate.is_too_large()) continue;
    SampleReader samples = reader_of(experiment);
    warnings.push_back(fmt::format(
        "{}.learning_rate: {} {} times the mean |x|^2 of the layer's input is {:.3g}, and weights "
        "grow to infinity above {:.3g} ({}); {}",
        place_of(rate), rate.rule, number_text(rate.learning_rate),
        rate.learning_rate * rate.mean_square, *rate.limit, inputs_text(rate),
        way_out(rate, experiment, samples)));
  }
  return warnings;
}

std::vector<std::string> automatic_rates_text(const std::vector<LayerRate>& rates) {
  std::vector<std::string> lines;
  for (const LayerRate& rate : rates) {
    if (!rate.is_automatic) continue;
    const std::string last =
        rate.learning_rate == rate.first_rate
            ? " throughout"
            : fmt::format(" at first and {:.2g} at the end of {}", rate.learning_rate,
                          rate.course == 0 ? "the run" : "the training part");
    lines.push_back(fmt::format("{}.learning_rate: auto is about {:.2g}{}: {}", place_of(rate),
                                rate.first_rate, last, inputs_text(rate)));
  }
  return lines;
}

std::string rate_advice(const std::vector<LayerRate>& rates, const Experiment& experiment,
                        SampleReader& samples, std::size_t level, std::size_t layer) {
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
                                       of->is_automatic ? "auto" : number_text(of->learning_rate));
  if (of->limit) {
    return what + inputs_text(*of) + ", for which " + way_out(*of, experiment, samples);
  }
  return what + (of->note.empty() ? "no largest stable rate is known" : of->note) + "; " +
         inputs_text(*of);
}

}  // namespace gaia
