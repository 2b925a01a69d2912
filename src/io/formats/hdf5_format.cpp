// SPDX-License-Identifier: MIT
#include "hdf5_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "../../core/error.h"
#include "../../core/text.h"
#include "../hdf5_series.h"
#include "../survey/array_survey.h"
#include "../survey/column_names.h"

namespace gaia {
namespace {

std::int64_t numbers_in(const hdf5::DatasetDescription& dataset) {
  std::int64_t count = 1;
  for (const std::int64_t length : dataset.shape) count *= length;
  return count;
}

/// Rows that an array has if its longest axis, but for that of trials, is time.
std::int64_t most_rows(const std::vector<std::int64_t>& shape) {
  const bool has_trials = shape.size() == 3;
  const std::int64_t longest = *std::max_element(shape.begin() + (has_trials ? 1 : 0), shape.end());
  return has_trials ? shape[0] * longest : longest;
}

bool holds_classes(const hdf5::DatasetDescription& dataset) {
  const bool is_integer = dataset.type == hdf5::Type::int32 || dataset.type == hdf5::Type::int64 ||
                          dataset.type == hdf5::Type::uint8;
  const std::string name = dataset.path.substr(dataset.path.rfind('/') + 1);
  return dataset.holds_texts || (dataset.refusal.empty() && is_integer && is_called_label(name));
}

/// The dataset with the most numbers that could be a series; notes the others.
void choose_dataset(FileSurvey& survey, const std::string& path) {
  const std::unique_ptr<hdf5::Reader> reader = hdf5::open_reader(path);
  const hdf5::Contents& contents = reader->contents();
  if (contents.root().has("gaia_version") && contents.root().has("config")) {
    throw DataError(path +
                    ": is a result of gaia, expected data; `gaia report` makes a page of it, `gaia "
                    "apply` applies what it has learnt");
  }
  const hdf5::DatasetDescription* chosen = nullptr;
  std::string why_not;
  for (const hdf5::DatasetDescription& dataset : contents.datasets) {
    const bool fits = !dataset.shape.empty() && dataset.shape.size() <= 3 &&
                      dataset.type != hdf5::Type::other &&
                      most_rows(dataset.shape) >= kFewestSurveyedRows;
    if (!dataset.refusal.empty() || !fits || hdf5::is_coordinate(contents, dataset)) {
      if (why_not.empty()) {
        why_not =
            fmt::format("; {} is [{}]{}", printable(dataset.path), fmt::join(dataset.shape, ", "),
                        dataset.refusal.empty() ? "" : ", and " + dataset.refusal);
      }
      continue;
    }
    if (chosen == nullptr || numbers_in(dataset) > numbers_in(*chosen)) chosen = &dataset;
    survey.other_datasets.push_back(dataset.path);
  }
  if (chosen == nullptr) {
    throw DataError(
        fmt::format("{}: has no dataset of numbers, [rows], [rows, columns] or [trial, time, "
                    "channel], with at least {} rows{}",
                    path, kFewestSurveyedRows, why_not));
  }
  std::erase(survey.other_datasets, chosen->path);
  survey.options.dataset = chosen->path;
  guess_axes(survey, chosen->shape);
  const std::optional<std::array<std::size_t, 3>>& axes = survey.options.axes.trials;
  const std::size_t time_axis = axes ? (*axes)[1] : 0;
  const std::string scale = time_axis < chosen->scales.size() ? chosen->scales[time_axis] : "";
  const hdf5::DatasetDescription* const time = scale.empty() ? nullptr : contents.dataset(scale);
  const bool is_time = time != nullptr && time->path != chosen->path && time->shape.size() == 1;
  if (is_time) survey.options.side.time = time->path;
  // A TimeSeries of NWB has them beside its numbers.
  const hdf5::DatasetDescription* const stamps =
      contents.dataset(chosen->path.substr(0, chosen->path.rfind('/')) + "/timestamps");
  const bool are_stamps = !is_time && contents.root().has("nwb_version") && stamps != nullptr &&
                          stamps->shape == std::vector<std::int64_t>{chosen->shape[time_axis]};
  if (are_stamps) survey.options.side.time = stamps->path;
  // A class for each row, or for each trial of an array.
  const bool is_table = chosen->shape.size() < 3;
  for (const hdf5::DatasetDescription& dataset : contents.datasets) {
    const bool fits = dataset.path != chosen->path && holds_classes(dataset) &&
                      dataset.shape.size() == 1 &&
                      (dataset.shape[0] == chosen->shape[0] ||
                       (!is_table && dataset.shape[0] == chosen->shape[time_axis]));
    if (!fits || hdf5::is_coordinate(contents, dataset)) continue;
    survey.options.side.labels = dataset.path;
    std::erase(survey.other_datasets, dataset.path);
    return;
  }
}

}  // namespace

bool Hdf5Format::is_signed(const InputFile& file) const {
  for (std::int64_t offset = 0; offset < file.size(); offset = offset == 0 ? 512 : 2 * offset) {
    if (file.has_at(offset, "\x89HDF\r\n\x1a\n")) return true;
  }
  return false;
}

std::unique_ptr<FileSeries> Hdf5Format::open(const std::string& path,
                                             const FileOptions& options) const {
  return open_hdf5(path, options);
}

FileSurvey Hdf5Format::survey(const std::vector<std::string>& paths) const {
  FileSurvey survey;
  choose_dataset(survey, paths.front());
  survey_arrays(survey, paths, open_hdf5);
  return survey;
}

}  // namespace gaia
