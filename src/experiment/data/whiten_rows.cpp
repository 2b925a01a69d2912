// SPDX-License-Identifier: MIT
#include "whiten_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "../../core/text.h"
#include "whitened_series.h"

namespace gaia {
namespace {

/// Rows that whitening is estimated by, at most.
constexpr std::int64_t kMostWhitened = 50'000;

/// Whether every channel is a number of its own: one that is filled would be spread over all.
bool is_whole(const Series& series, const AddProblem& add) {
  for (std::int64_t c = 0; c < series.channels(); ++c) {
    const std::vector<RowRange> gaps = series.filled(c, 0, series.rows());
    if (gaps.empty()) continue;
    add("data.whiten",
        fmt::format("row {} of channel {} is missing, and what fills it would reach every channel; "
                    "fill it before, or use none",
                    gaps.front().begin, series.channel_names()[static_cast<std::size_t>(c)]));
    return false;
  }
  return true;
}

}  // namespace

void whiten_by_rows(Experiment& experiment, const AddProblem& add) {
  const DataConfig& data = experiment.config.data;
  if (data.whiten != Whiten::zca || !is_whole(*experiment.series, add)) return;
  const Series& series = *experiment.series;
  const bool is_picture = !series.picture_shape().empty();
  if (series.channels() > kWidestWhitened) {
    return add("data.whiten",
               is_picture
                   ? fmt::format("expected pictures of at most {} pixels, got {}; data.patch "
                                 "reads parts of them",
                                 kWidestWhitened, series.channels())
                   : fmt::format("expected at most {} channels, got {}; data.columns reads "
                                 "some of them",
                                 kWidestWhitened, series.channels()));
  }
  std::int64_t rows = std::min(kMostWhitened, series.training_rows().value_or(series.rows()));
  // Those that the run reads.
  if (data.steps && *data.steps <= series.rows()) {
    rows = std::min(rows, *data.steps + std::min(data.window, series.rows()) - 1);
  }
  experiment.series =
      std::make_unique<WhitenedSeries>(std::move(experiment.series), rows, data.whiten_epsilon);
}

void whiten_as_stored(Experiment& experiment, const AddProblem& add) {
  const StoredRun& run = *experiment.from;
  const Series& series = *experiment.series;
  const std::int64_t channels = series.channels();
  if (!is_whole(series, add)) return;
  if (run.whitening.mean.empty()) {
    return add("data.whiten", fmt::format("the data of {} (hierarchy.from) were not whitened; use "
                                          "none",
                                          printable(run.path)));
  }
  if (run.whitening.features() != channels) {
    return add("data.whiten",
               fmt::format("{} (hierarchy.from) has whitened {} {}, these data have {}",
                           printable(run.path), run.whitening.features(),
                           series.picture_shape().empty() ? "channels" : "pixels", channels));
  }
  experiment.series = std::make_unique<WhitenedSeries>(std::move(experiment.series), run.whitening);
}

}  // namespace gaia
