// SPDX-License-Identifier: MIT
#include "filled_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../core/text.h"
#include "../../io/columns.h"
#include "../data/experiment.h"
#include "training_part.h"

namespace gaia {
namespace {

constexpr double kMuch = 0.1;  // share of the values of a channel

MissingPolicy policy_of(const Experiment& experiment) {
  const DataConfig& data = experiment.config.data;
  const auto* const file = std::get_if<FileConfig>(&data.source);
  if (data.keeps_missing()) return MissingPolicy::keep;
  if (file != nullptr && file->missing != MissingPolicy::error) return file->missing;
  const bool stands_still =
      std::any_of(data.faults.begin(), data.faults.end(),
                  [](const FaultConfig& fault) { return fault.shows == FaultConfig::Shows::last; });
  return stands_still ? MissingPolicy::hold : MissingPolicy::error;
}

/// Channels of which more than a share is filled, the worst first.
std::vector<std::size_t> worst_channels(const FilledValues& filled, double share) {
  std::vector<std::size_t> channels;
  for (std::size_t c = 0; c < filled.shares.size(); ++c) {
    if (filled.shares[c] > share) channels.push_back(c);
  }
  std::ranges::stable_sort(
      channels, [&](std::size_t a, std::size_t b) { return filled.shares[a] > filled.shares[b]; });
  return channels;
}

std::string list_text(const FilledValues& filled, const std::vector<std::size_t>& channels) {
  constexpr std::size_t shown = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, channels.size()); ++i) {
    const std::size_t c = channels[i];
    text += fmt::format("{}{} {:.3g} % (at most {} row{} on end)", i == 0 ? "" : ", ",
                        in_quotes(filled.channels[c]), 100.0 * filled.shares[c],
                        grouped(filled.longest[c]), filled.longest[c] == 1 ? "" : "s");
  }
  if (channels.size() > shown) text += fmt::format(" and {} more", channels.size() - shown);
  return text;
}

}  // namespace

bool FilledValues::any() const { return !worst_channels(*this, 0.0).empty(); }

bool FilledValues::is_much() const { return !worst_channels(*this, kMuch).empty(); }

FilledValues filled_values(const Experiment& experiment) {
  FilledValues filled;
  filled.policy = policy_of(experiment);
  if (!experiment.series || filled.policy == MissingPolicy::error) return filled;
  const Series& series = *experiment.series;
  filled.channels = series.channel_names();
  if (filled.policy == MissingPolicy::hold || series.needs_fill()) filled.fill = series.fill();
  const std::vector<Trial>& trials = experiment.trials.all();
  std::int64_t rows = 0;
  for (const Trial& trial : trials) rows += trial.rows;
  for (std::int64_t c = 0; c < series.channels(); ++c) {
    std::int64_t count = 0;
    std::int64_t longest = 0;
    for (const Trial& trial : trials) {
      for (const RowRange& gap : series.filled(c, trial.first_row, trial.rows)) {
        count += gap.end - gap.begin;
        longest = std::max(longest, gap.end - gap.begin);
      }
    }
    filled.shares.push_back(rows == 0 ? 0.0
                                      : static_cast<double>(count) / static_cast<double>(rows));
    filled.longest.push_back(longest);
  }
  return filled;
}

void fill_by_training(Experiment& experiment) {
  if (!experiment.series) return;
  Series& series = *experiment.series;
  if (policy_of(experiment) != MissingPolicy::hold && !series.needs_fill()) return;
  const TrainingPart part = training_part(experiment);
  if (experiment.from) {
    for (const auto& stored : {experiment.from->fill, experiment.from->scaling.offset}) {
      if (std::ssize(stored) == series.channels()) return series.set_fill(stored);
    }
  }
  // Data that are only applied to tell nothing before they are read.
  std::vector<RowRange> rows;
  for (const Stretch& stretch : part.rows()) {
    if (!experiment.from || !part.is_whole()) rows.push_back({stretch.begin, stretch.end});
  }
  std::vector<double> fill;
  std::vector<std::string> unknown;
  for (const Moments& present : series.moments_of_present(rows)) {
    if (present.count() == 0) unknown.push_back(in_quotes(series.channel_names()[fill.size()]));
    fill.push_back(present.mean());
  }
  series.set_fill(std::move(fill));
  if (unknown.empty() || !series.needs_fill()) return;
  experiment.warnings.push_back(fmt::format(
      "data.missing: 0 stands before the first value of a trial in {}, since {}",
      unknown.size() == 1 ? "channel " + unknown.front()
                          : fmt::format("{} channels, {} first", unknown.size(), unknown.front()),
      experiment.from && rows.empty() ? "the run of hierarchy.from has no mean of its own"
      : rows.empty()
          ? "there are no rows to train on whose mean could stand there; a readout's skip "
            "sets some apart"
          : "no value is present in the training part whose mean could stand there"));
}

void warn_of_filled(Experiment& experiment) {
  const FilledValues filled = filled_values(experiment);
  const std::vector<std::size_t> channels = worst_channels(filled, kMuch);
  if (channels.empty()) return;
  experiment.warnings.push_back(fmt::format(
      "data.missing: more than a tenth of the values is missing and {} in {} of {} "
      "channel{}: {}; no score counts them as targets",
      filled.policy == MissingPolicy::keep ? std::string("kept so")
                                           : fmt::format("filled ({})", to_string(filled.policy)),
      channels.size(), filled.channels.size(), filled.channels.size() == 1 ? "" : "s",
      list_text(filled, channels)));
}

std::string filled_text(const FilledValues& filled) {
  return list_text(filled, worst_channels(filled, 0.0));
}

}  // namespace gaia
