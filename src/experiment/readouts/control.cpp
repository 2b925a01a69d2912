// SPDX-License-Identifier: MIT
#include "control.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "../../core/error.h"
#include "../../core/names.h"
#include "../../core/text.h"
#include "../../learning/statistic_readout.h"
#include "../data/experiment.h"
#include "frozen_control.h"
#include "nvar_control.h"
#include "pca_control.h"
#include "random_map_control.h"
#include "reservoir_control.h"
#include "same_past_control.h"
#include "self_trained_control.h"
#include "shuffled_control.h"
#include "silent_control.h"
#include "stopped_control.h"
#include "verdict.h"
#include "window_control.h"

namespace gaia {
namespace {

struct ControlKind {
  const char* name;
  const char* title;
  bool stands_alone;
  bool same_for_all;
  std::string (*why_left_out)(const ControlSetup&, const ReadoutConfig&);
  double (*numbers)(const ControlSetup&, std::int64_t);
  std::unique_ptr<Control> (*make)(const ControlSetup&);
};

template <class Kind>
constexpr ControlKind kind() {
  constexpr bool stands_alone = [] {
    if constexpr (requires { Kind::kStandsAlone; }) return Kind::kStandsAlone;
    return false;
  }();
  constexpr bool same_for_all = [] {
    if constexpr (requires { Kind::kSameForAll; }) return Kind::kSameForAll;
    return false;
  }();
  return {Kind::kName,
          Kind::kTitle,
          stands_alone,
          same_for_all,
          Kind::why_left_out,
          Kind::numbers,
          [](const ControlSetup& setup) -> std::unique_ptr<Control> {
            return std::make_unique<Kind>(setup);
          }};
}

/// All controls.
constexpr ControlKind kKinds[] = {
    kind<FrozenControl>(), kind<StoppedControl>(),     kind<ShuffledControl>(),
    kind<SilentControl>(), kind<RandomMapControl>(),   kind<SamePastControl>(),
    kind<PcaControl>(),    kind<ReservoirControl>(),   kind<WindowControl>(),
    kind<NvarControl>(),   kind<SelfTrainedControl>(),
};

const ControlKind* find_kind(const std::string& name) {
  const auto found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const ControlKind& one) { return one.name == name; });
  return found == std::end(kKinds) ? nullptr : found;
}

const ControlKind& kind_of(const std::string& name) {
  if (const ControlKind* const found = find_kind(name)) return *found;
  throw ArgumentError("[make_control] unknown control '" + name + "'" +
                      did_you_mean(name, known_controls()) + "; known: " + join(known_controls()));
}

bool learns(const HierarchyConfig& config, const HierarchyManager& hierarchy) {
  if (!config.learn || config.freeze_after == 0) return false;
  for (const HierarchicalLevel& level : hierarchy.levels()) {
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      if (level.layer(m).is_plastic()) return true;
    }
  }
  return false;
}

/// Whether what it shows is computed from the samples by no level.
bool reads_samples(const std::string& name) {
  return name == SamePastControl::kName || name == PcaControl::kName ||
         name == ReservoirControl::kName || name == WindowControl::kName ||
         name == NvarControl::kName || name == SelfTrainedControl::kName;
}

/// Whether a statistic is of weights, or of what is read beside them.
bool needs_weights(const ReadoutConfig& readout) {
  const auto* const statistic = readout.kind.get_if<StatisticOptions>();
  return statistic != nullptr && statistic->needs_weights();
}

/// What keeps a consensus from a control: that one of those that it fuses does not read it, that
/// their errors are not those that are given, or that all of them would say the same.  Empty where
/// nothing does.
std::string why_not_fused(const std::vector<ReadoutConfig>& readouts, std::size_t consensus,
                          const ControlPlan& plan) {
  for (const std::int64_t index : readouts[consensus].fused) {
    const auto i = static_cast<std::size_t>(index);
    if (plan.is_read(i)) continue;
    return fmt::format("readout {}, which it fuses, does not read it ({})", readouts[i].name,
                       plan.left_out[i]);
  }
  if (readouts[consensus].learn && !readouts[consensus].kind->measures_errors()) {
    return "its error_covariance is that of the run's own readouts";
  }
  if (!kind_of(plan.name).same_for_all) return {};
  return "all readouts that it fuses would read the same in it, and say the same";
}

}  // namespace

// Declared in config.h, which has no use for the classes.
std::vector<std::string> known_controls() {
  std::vector<std::string> names;
  for (const ControlKind& one : kKinds) names.emplace_back(one.name);
  return names;
}

std::string control_title(const std::string& control) {
  const ControlKind* const found = find_kind(control);
  return found == nullptr ? control : found->title;
}

bool title_stands_alone(const std::string& control) {
  const ControlKind* const found = find_kind(control);
  return found != nullptr && found->stands_alone;
}

ControlSetup control_setup(const Experiment& experiment, const HierarchyManager& hierarchy) {
  return {experiment.config, experiment.trials, hierarchy, experiment.features(),
          !experiment.picture_shape().empty()};
}

std::unique_ptr<FreeReader> Control::free_reader(std::size_t /*variant*/,
                                                 const HierarchyManager& run) const {
  const HierarchyManager* const own = neurons(run);
  if (own == nullptr) return nullptr;
  return std::make_unique<FreeHierarchy>(*own);
}

bool ControlPlan::is_run() const {
  return std::any_of(left_out.begin(), left_out.end(),
                     [](const std::string& why) { return why.empty(); });
}

std::vector<ControlPlan> plan_controls(const ControlSetup& setup) {
  const std::vector<ReadoutConfig>& readouts = setup.config.readouts;
  std::vector<ControlPlan> plans;
  if (readouts.empty()) return plans;
  for (const std::string& name : setup.config.controls) {
    const bool is_frozen = name == FrozenControl::kName;
    const bool is_of_learning =
        is_frozen || name == StoppedControl::kName || name == ShuffledControl::kName;
    const bool is_of_talk = name == SilentControl::kName || name == RandomMapControl::kName;
    if (is_of_talk && !any_level_hears(setup.hierarchy)) continue;
    if (is_of_learning && !learns(setup.config.hierarchy(), setup.hierarchy)) continue;
    const auto trains = [](const ReadoutConfig& readout) {
      return readout.learn && readout.predicts();
    };
    if (!is_frozen && std::none_of(readouts.begin(), readouts.end(), trains)) continue;
    ControlPlan plan{.name = name, .left_out = {}};
    for (const ReadoutConfig& readout : readouts) {
      plan.left_out.push_back(
          readout.kind->fuses()          ? ""
          : !readout.predicts()          ? "it tells of changes, by which nothing is compared"
          : !readout.learn && !is_frozen ? "the readout was trained on the levels of another run"
          : reads_samples(name) && setup.config.data.keeps_missing()
              ? "it reads the samples, in which values are missing "
                "(data.missing: keep)"
          : needs_weights(readout) && reads_samples(name) ? "it has no weights of levels"
          : readout.kind->reads_reconstructions() && !is_frozen && !is_of_talk
              ? "it has no weights of levels by which samples are rebuilt"
              : kind_of(name).why_left_out(setup, readout));
    }
    for (std::size_t i = 0; i < readouts.size(); ++i) {
      if (!readouts[i].kind->fuses()) continue;
      plan.left_out[i] = readouts[i].predicts()
                             ? why_not_fused(readouts, i, plan)
                             : "it tells of changes, by which nothing is compared";
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

std::unique_ptr<Control> make_control(const std::string& name, const ControlSetup& setup) {
  return kind_of(name).make(setup);
}

double control_numbers(const ControlPlan& plan, const ControlSetup& setup,
                       std::int64_t block_steps) {
  return kind_of(plan.name).numbers(setup, block_steps);
}

ReadoutConfig without_squares(ReadoutConfig readout) {
  readout.features.squares = false;
  return readout;
}

std::string too_many_features(std::int64_t features) {
  if (features <= kMostControlFeatures) return {};
  return fmt::format("the readout would read {} numbers, of at most {} a control is made",
                     grouped(features), grouped(kMostControlFeatures));
}

Stretches steps_of_training(const ControlSetup& setup, const ReadoutConfig& readout) {
  if (readout.folds > 0) return {};
  return setup.ticks(readout).training_steps();
}

std::int64_t steps_read_again(const ControlSetup& setup) {
  std::vector<std::int64_t> ends;  // readouts that end together read together
  for (const ReadoutConfig& readout : setup.config.readouts) {
    if (!readout.reads_again()) continue;
    const Stretches steps = steps_of_training(setup, readout);
    if (!steps.empty()) ends.push_back(steps.back().end);
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return std::accumulate(ends.begin(), ends.end(), std::int64_t{0});
}

std::int64_t first_training_end(const ControlSetup& setup) {
  for (const ReadoutConfig& readout : setup.config.readouts) {
    if (!readout.learn || !readout.predicts()) continue;
    const Stretches steps = steps_of_training(setup, readout);
    return steps.empty() ? 0 : steps.back().end;
  }
  return 0;
}

std::int64_t common_spacing(const ControlSetup& setup) {
  std::int64_t spacing = 0;
  for (const ReadoutConfig& readout : setup.config.readouts) {
    if (!readout.predicts()) continue;  // it reads no control
    const TickOptions ticks = tick_options(readout, setup.config);
    spacing = std::gcd(std::gcd(spacing, ticks.spacing), ticks.phase);
  }
  return std::max<std::int64_t>(1, spacing);
}

LevelBlock thinned(const LevelBlock& block, std::int64_t spacing) {
  const std::int64_t first = next_tick(block.first_tick, spacing);
  return {block.id, spacing, first, block.ticks.slice(1, first - block.first_tick, {}, spacing)};
}

}  // namespace gaia
