// SPDX-License-Identifier: MIT
#include "feedback_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../../core/names.h"
#include "../../core/text.h"
#include "../../io/columns.h"
#include "../../layers/hierarchy/temporal.h"

namespace gaia {
namespace {

/// What keeps a readout from being fed back, with the way out; empty if nothing does.
std::string why_not_fed_back(const Experiment& experiment, const ReadoutConfig& readout) {
  const std::string name = printable(readout.name);
  if (readout.task() != ReadoutTask::regression || readout.kind->fuses()) {
    return fmt::format(
        "readout {} is of type {}; what is fed back is said by one of type ridge or online", name,
        readout.kind->name());
  }
  if (readout.target.per_trial) {
    return fmt::format("readout {} speaks only when a trial is over; take per: tick", name);
  }
  if (!readout.learn) return {};
  if (readout.folds > 0) {
    return fmt::format(
        "readout {} has folds, and is trained only when all has been read; write split in place of "
        "folds",
        name);
  }
  if (!experiment.trials.groups().empty()) {
    return fmt::format(
        "readout {} is tested within what it is trained on (data.groups), where its targets would "
        "be fed back; leave data.groups out",
        name);
  }
  return {};
}

}  // namespace

void check_feedback(Experiment& experiment, const AddProblem& add) {
  ExperimentConfig& config = experiment.config;
  std::vector<LevelConfig>& levels = config.kind.get_if<HierarchyConfig>()->levels;
  for (std::size_t n = 0; n < levels.size(); ++n) {
    std::vector<LayerConfig>& layers = levels[n].layers;
    for (std::size_t m = 0; m < layers.size(); ++m) {
      auto* const options = layers[m].kind.get_if<TemporalOptions>();
      if (options == nullptr || options->feedback.empty()) continue;
      const std::string key = fmt::format("hierarchy.levels[{}].layers[{}].feedback", n, m);
      std::vector<std::string> known;
      for (const ReadoutConfig& one : config.readouts) known.push_back(one.name);
      const auto found = std::find(known.begin(), known.end(), options->feedback);
      if (found == known.end()) {
        add(key, fmt::format("there is no readout {}{}; known: {}", in_quotes(options->feedback),
                             did_you_mean(options->feedback, known),
                             known.empty() ? "none" : join(known)));
        continue;
      }
      ReadoutConfig& readout = config.readouts[static_cast<std::size_t>(found - known.begin())];
      const bool reads_again =
          std::any_of(config.readouts.begin(), config.readouts.end(),
                      [](const ReadoutConfig& one) { return one.reads_again(); });
      std::string why = why_not_fed_back(experiment, readout);
      if (why.empty() && config.hierarchy().epochs > 1) {
        why =
            "readouts are trained in the last epoch, and have nothing to say before; take epochs: "
            "1";
      }
      if (why.empty() && reads_again) {
        why =
            "a readout of type naming reads the training part once more, when nobody teaches; "
            "leave "
            "one of them out";
      }
      if (!why.empty()) {
        add(key, why);
        continue;
      }
      options->feedback_size = std::max<std::int64_t>(1, std::ssize(readout.target.names));
      readout.feeds_back = true;
    }
  }
}

}  // namespace gaia
