// SPDX-License-Identifier: MIT
#include "open_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "../../io/columns.h"
#include "../../io/event_series.h"
#include "../../io/find_files.h"
#include "../../io/formats/file_format.h"
#include "../../io/joined_series.h"
#include "../../io/selected_series.h"

namespace gaia {
namespace {

SideOptions side_of(const FileConfig& file) {
  SideOptions side = {.time = file.time, .targets = file.targets, .labels = file.labels};
  side.group = file.groups;
  if (file.trials.by == TrialsConfig::By::column) side.trial = file.trials.column;
  if (file.trials.by == TrialsConfig::By::length) side.trial_length = file.trials.length;
  return side;
}

/// Which axis of an array is which; \throws DataKeyError unless each word is there once.
ArrayAxes axes_of(const FileConfig& file) {
  ArrayAxes axes;
  axes.transpose = file.transpose;
  if (file.trials.by != TrialsConfig::By::axes) return axes;
  const auto place_of = [&](const char* word) {
    const auto& words = file.trials.axes;
    const auto found = std::find(words.begin(), words.end(), word);
    if (words.size() != 3 || found == words.end()) {
      throw DataKeyError("trials.axes", word,
                         "expected trial, time and channel, each once and in the order that the "
                         "axes of the array have, as [trial, time, channel]");
    }
    return static_cast<std::size_t>(found - words.begin());
  };
  axes.trials = {{place_of("trial"), place_of("time"), place_of("channel")}};
  if (file.transpose) {
    throw DataKeyError("transpose", "true",
                       "has no meaning beside data.trials.axes, which tells what each axis is");
  }
  return axes;
}

/// Files of the labels, or groups, of each NPY file; empty where they are no files.
std::vector<std::string> files_beside(const std::vector<std::string>& paths, const char* key,
                                      const std::string& name, const std::string& folder) {
  if (!name.ends_with(".npy")) return {};
  std::vector<std::string> found;
  if (is_pattern(name)) {
    found = find_files(name, folder);
  } else {
    const std::filesystem::path path(name);
    found = {(path.is_absolute() ? path : folder / path).lexically_normal().string()};
  }
  if (found.size() == paths.size()) return found;
  throw DataKeyError(key, name,
                     fmt::format("expected a file of {} for each of the {} of the data, got {} "
                                 "that fit {}",
                                 key, paths.size(), found.size(), in_quotes(name)));
}

/// What the experiment asks of each file, or of rows in memory.
FileOptions options_of(const FileConfig& file, std::int64_t measured) {
  return {.dataset = file.dataset,
          .columns = file.columns,
          .missing = file.missing,
          .decimal = file.decimal,
          .reader = {.trusted = file.trusted},
          .measured = measured,
          .side = side_of(file),
          .axes = axes_of(file)};
}

}  // namespace

std::unique_ptr<Series> open_series_files(const std::vector<std::string>& paths,
                                          const FileConfig& file, const std::string& folder,
                                          std::int64_t measured) {
  const std::vector<std::string> labels = files_beside(paths, "labels", file.labels, folder);
  const std::vector<std::string> groups = files_beside(paths, "groups", file.groups, folder);
  std::size_t opened = 0;
  const OpenFile open = [&](const std::string& path,
                            FileOptions options) -> std::unique_ptr<FileSeries> {
    if (!labels.empty()) options.label_file = labels[opened];
    if (!groups.empty()) options.group_file = groups[opened];
    ++opened;
    const FileFormat* const format = format_of_file(path);
    return format == nullptr ? nullptr : format->open(path, options);
  };
  return open_files(paths, options_of(file, measured), open, file.gaps);
}

std::unique_ptr<Series> open_series_rows(std::shared_ptr<const MemoryRows> rows, FileConfig& file,
                                         std::int64_t measured) {
  if (rows->times && file.time.empty()) file.time = rows->times_name;
  const FileOptions asked = options_of(file, measured);
  if (rows->table.rank() != 3 || file.transpose) refuse_axes(rows->name, asked.axes);
  const OpenFile open = [&](const std::string&, const FileOptions& options) {
    return open_memory(rows, options);
  };
  return open_files({rows->name}, asked, open, file.gaps);
}

std::unique_ptr<Series> open_series_file(const std::string& path, const FileConfig& file,
                                         std::int64_t measured) {
  return open_series_files({path}, file, "", measured);
}

std::unique_ptr<Series> open_event_series(const std::string& path, const EventsConfig& events,
                                          std::vector<std::string>& warnings) {
  EventOptions options = events.options;
  if (!options.columns.empty()) {
    options.columns.insert(options.columns.end(), events.targets.begin(), events.targets.end());
  }
  auto series = std::make_unique<EventSeries>(path, options);
  if (series->left_out() > 0) {
    warnings.push_back(fmt::format(
        "data: {} of {} events are not counted: they are before `begin`, from `end` on, or of "
        "channels that `columns` does not name",
        series->left_out(), series->left_out() + series->events()));
  }
  if (events.targets.empty()) return series;
  return select_channels(std::move(series), path, events.options.columns, events.targets);
}

}  // namespace gaia
