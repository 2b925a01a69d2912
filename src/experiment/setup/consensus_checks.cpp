// SPDX-License-Identifier: MIT
#include "consensus_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "../../core/error.h"
#include "../../core/names.h"
#include "../../learning/consensus_readout.h"
#include "../readouts/readout_ticks.h"

namespace gaia {
namespace {

/// The places of the readouts that are named; a problem and nothing where one cannot be fused.
std::optional<std::vector<std::int64_t>> find_fused(const ExperimentConfig& config,
                                                    std::size_t index, const std::string& key,
                                                    const AddProblem& add) {
  std::vector<std::string> known;
  for (const ReadoutConfig& one : config.readouts) {
    if (!one.kind->fuses()) known.push_back(one.name);
  }
  const std::vector<std::string> names = config.readouts[index].kind->of();
  if (names.size() < 2) {
    add(key + ".of", fmt::format("expected at least two readouts to fuse, got {}", names.size()));
    return {};
  }
  std::vector<std::int64_t> fused;
  for (const std::string& name : names) {
    const auto found = std::find_if(config.readouts.begin(), config.readouts.end(),
                                    [&](const ReadoutConfig& one) { return one.name == name; });
    std::string why;
    if (found == config.readouts.end()) {
      why = fmt::format("there is no readout '{}'{}; known: {}", name, did_you_mean(name, known),
                        join(known));
    } else if (found->kind->fuses()) {
      why = fmt::format("'{}' is a consensus itself; name the readouts that it fuses", name);
    } else if (found->task() != ReadoutTask::regression) {
      why = fmt::format("'{}' is of type {}; a consensus is of readouts that predict numbers", name,
                        found->kind->name());
    } else if (found->kind->is_online()) {
      why = fmt::format(
          "'{}' learns online, so its errors change as it goes on and have no covariance that was "
          "measured before; take type ridge for it",
          name);
    } else if (std::find(fused.begin(), fused.end(), found - config.readouts.begin()) !=
               fused.end()) {
      why = fmt::format("'{}' stands there twice", name);
    }
    if (!why.empty()) {
      add(key + ".of", why);
      return {};
    }
    fused.push_back(found - config.readouts.begin());
  }
  return fused;
}

/// In what two readouts differ that have to be of one target and parts; empty where in nothing.
std::string difference_of(const ReadoutConfig& a, const ReadoutConfig& b) {
  const ReadoutTarget& mine = a.target;
  const ReadoutTarget& other = b.target;
  if (mine.of != other.of || mine.indices != other.indices) return "target";
  if (mine.horizon != other.horizon) return "target.horizon";
  if (mine.mean_over != other.mean_over) return "target.mean_over";
  if (mine.per_trial != other.per_trial) return "target.per";
  if (a.learn != b.learn) return "learn";
  if (!a.learn) return {};
  if (a.folds != b.folds) return "folds";
  if (a.folds > 0 && a.skip != b.skip) return "skip";
  if (a.scores_unseen != b.scores_unseen) return "scored";
  return {};
}

/// Checks that they tick together; of folds and trials that each tick is one of all of them.
std::string why_not_together(const ExperimentConfig& config, const ReadoutConfig& consensus) {
  std::vector<TickOptions> all;
  for (const std::int64_t index : consensus.fused) {
    all.push_back(tick_options(config.readouts[static_cast<std::size_t>(index)], config));
  }
  if (!common_tick_options(all)) {
    return "the levels that these readouts read never tick at the same step (temporal_resolution, "
           "phase), so there is nothing to fuse";
  }
  const bool is_strict = consensus.folds > 0 || consensus.target.per_trial;
  const bool differ = std::any_of(all.begin(), all.end(), [&](const TickOptions& one) {
    return one.spacing != all.front().spacing || one.phase != all.front().phase;
  });
  if (!is_strict || !differ) return {};
  return fmt::format(
      "with {} the fastest levels of all readouts that are fused must tick at the same steps; let "
      "all of them read the fastest level too, or take {}",
      consensus.folds > 0 ? "folds" : "one prediction a trial",
      consensus.folds > 0 ? "a split" : "per: tick");
}

void check_given(const ReadoutConfig& readout, const ConsensusOptions& options,
                 const std::string& key, const AddProblem& add) {
  const NestedNumbers& given = options.error_covariance;
  const auto estimates = std::ssize(readout.fused);
  const auto numbers = std::max<std::int64_t>(1, std::ssize(readout.target.names));
  const std::int64_t width = estimates * numbers;
  if (given.shape != std::vector{width, width}) {
    return add(
        key + ".error_covariance",
        fmt::format("expected [{}, {}], for {} readouts of {} number{}, got [{}]", width, width,
                    estimates, numbers, numbers == 1 ? "" : "s", fmt::join(given.shape, ", ")));
  }
  try {
    (void)Consensus(given.values, estimates, numbers);
  } catch (const ArgumentError& error) {
    add(key + ".error_covariance", error.what());
  }
}

/// Checks that there are ticks to measure by and to predict; of folds in each.
void check_ticks_of(Experiment& experiment, const ReadoutConfig& readout, const std::string& key,
                    const AddProblem& add) {
  const ReadoutTicks ticks = readout_ticks(readout, experiment.config, experiment.trials);
  std::int64_t measured = count_of(ticks.training());
  std::int64_t tested = count_of(ticks.test());
  for (std::int64_t k = 0; k < readout.folds; ++k) {
    const ReadoutTicks::Fold fold = ticks.fold(k);
    measured = k == 0 ? count_of(fold.training) : std::min(measured, count_of(fold.training));
    tested = k == 0 ? count_of(fold.test) : std::min(tested, count_of(fold.test));
  }
  const char* const part = readout.folds > 0            ? "the training part of a fold"
                           : ticks.validation().empty() ? "the training part"
                                                        : "the validation part";
  if (tested < (readout.folds > 0 ? 1 : 2)) {
    return add(key + ".of", fmt::format("{} ticks are for the test in all of these readouts; give "
                                        "them one split",
                                        tested));
  }
  if (!readout.kind->measures_errors()) return;
  const auto estimates = std::ssize(readout.fused);
  const auto numbers = std::max<std::int64_t>(1, std::ssize(readout.target.names));
  const std::int64_t width = estimates * numbers;
  if (measured < width) {
    return add(
        key,
        fmt::format("the covariance [{}, {}] of the errors is measured on {}, which has {} ticks "
                    "in common and leaves it singular; have more ticks there, fuse fewer "
                    "readouts, or give error_covariance",
                    width, width, part, measured));
  }
  const std::int64_t enough = enough_errors(estimates, numbers);
  if (measured >= enough) return;
  experiment.warnings.push_back(fmt::format(
      "{}: the covariance [{}, {}] of the errors is measured on {}, by {} ticks; with fewer than "
      "{} "
      "(five for each of its rows) more readouts are called outliers than one in a thousand",
      key, width, width, part, measured, enough));
}

}  // namespace

void check_consensus(Experiment& experiment, std::size_t index, const std::string& key,
                     const AddProblem& add) {
  ExperimentConfig& config = experiment.config;
  ReadoutConfig& readout = config.readouts[index];
  auto fused = find_fused(config, index, key, add);
  if (!fused) return;
  const auto levels = std::ssize(config.hierarchy().levels);
  const ReadoutConfig& first = config.readouts[static_cast<std::size_t>(fused->front())];
  std::vector<std::int64_t> read;
  for (const std::int64_t place : *fused) {
    const ReadoutConfig& one = config.readouts[static_cast<std::size_t>(place)];
    // What is wrong with it has been reported.
    if (one.levels.empty() || (!one.target.is_label() && one.target.indices.empty())) return;
    for (const std::int64_t level : one.levels) {
      if (level >= levels) return;
      if (std::find(read.begin(), read.end(), level) == read.end()) read.push_back(level);
    }
    if (const std::string what = difference_of(first, one); !what.empty()) {
      return add(key + ".of", fmt::format("readouts '{}' and '{}' differ in {}; a consensus is of "
                                          "one target, and of parts that all of them have",
                                          first.name, one.name, what));
    }
  }
  if (readout.learn != first.learn) {
    return add(key + ".learn",
               readout.learn
                   ? "the readouts that it fuses do not learn here, so that nothing measures their "
                     "errors; take learn: false, which has those of hierarchy.from"
                   : "the readouts that it fuses learn here, and their errors are not those of "
                     "hierarchy.from; take learn: true");
  }
  readout.target = first.target;
  readout.split = first.split;
  readout.skip = first.skip;
  readout.folds = first.folds;
  readout.scores_unseen = first.scores_unseen;
  std::sort(read.begin(), read.end());
  readout.levels = std::move(read);
  for (const std::int64_t place : *fused) {
    const ReadoutConfig& one = config.readouts[static_cast<std::size_t>(place)];
    readout.embargo = std::max(readout.embargo, one.embargo);
    readout.target.change = readout.target.change || one.target.change;
  }
  readout.fused = std::move(*fused);
  if (const std::string why = why_not_together(config, readout); !why.empty()) {
    readout.fused.clear();
    readout.levels.clear();
    return add(key + ".of", why);
  }
  if (const auto* const options = readout.kind.get_if<ConsensusOptions>();
      options != nullptr && !options->measures_errors()) {
    check_given(readout, *options, key, add);
  }
  bool waits_for_training = false;
  if (experiment.steps > 0) {
    if (readout.learn) check_ticks_of(experiment, readout, key, add);
    const ReadoutTicks ticks = readout_ticks(readout, config, experiment.trials);
    waits_for_training =
        readout.folds == 0 && ticks.validation().empty() && !ticks.training().empty();
  }
  for (const std::int64_t place : readout.fused) {
    ReadoutConfig::Heard& heard = config.readouts[static_cast<std::size_t>(place)].heard;
    heard = std::max(
        heard, waits_for_training ? ReadoutConfig::Heard::trained : ReadoutConfig::Heard::scored);
  }
}

}  // namespace gaia
