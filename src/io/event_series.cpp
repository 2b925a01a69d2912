// SPDX-License-Identifier: MIT
#include "event_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "../core/error.h"
#include "../core/message.h"
#include "../core/text.h"
#include "columns.h"
#include "formats/file_format.h"

namespace gaia {
namespace {

constexpr std::int64_t kEventsAtOnce = 65536;         // rows of the file that are read at a time
constexpr double kRoundedBins = 1e-8;                 // share of a bin
constexpr std::int64_t kMostEventChannels = 1000000;  // channels that are numbers
constexpr double kMostBins = 0x1p48;                  // bins of a trial, and of all

/// What is wrong with a file, with the keys of events in place of those of a table.
std::string by_keys_of_events(std::string message, bool of_channels) {
  const auto exchange = [&](std::string_view from, std::string_view to) {
    const std::size_t at = message.find(from);
    if (at != std::string::npos) message.replace(at, from.size(), to);
  };
  if (of_channels) exchange("(data.labels)", "(data.channel)");
  exchange("(data.trials)", "(data.trial)");
  return message;
}

/// The times as a table of their own, beside which the other columns stand; null where no dataset
/// of one axis is called so.
std::unique_ptr<FileSeries> open_dataset_of_times(const FileFormat& format, const std::string& path,
                                                  FileOptions options, const std::string& time) {
  options.dataset = time;
  options.columns = {"0"};
  std::unique_ptr<FileSeries> file;
  try {
    file = format.open(path, options);
  } catch (const DataKeyError&) {
    throw;
  } catch (const ArgumentError&) {
    return nullptr;
  }
  return file->file_columns().size() == 1 ? std::move(file) : nullptr;
}

/// The file, with its times as its only channel and the column `labels` as its classes.
std::unique_ptr<FileSeries> open_table(const std::string& path, const EventOptions& events,
                                       const std::string& labels) {
  FileOptions options;
  options.dataset = events.dataset;
  options.columns = {events.time};
  options.decimal = events.decimal;
  options.reader = {.trusted = events.trusted};
  options.measured = 0;
  options.side.labels = labels;
  options.side.trial = events.trial;
  const FileFormat* const format = format_of_file(path);
  if (format == nullptr)
    throw DataKeyError("path", path, in_quotes(path) + " " + of_no_known_kind());
  const bool has_datasets = format->has_datasets() && events.dataset.empty();
  try {
    if (has_datasets) {
      if (auto times = open_dataset_of_times(*format, path, options, events.time)) return times;
    }
    return format->open(path, options);
  } catch (const DataKeyError& error) {
    // The file knows the column of channels as one of classes.
    const bool of_channels = labels == events.channel;
    const std::string key = error.key == "trials"                  ? "trial"
                            : of_channels && error.key == "labels" ? "channel"
                                                                   : error.key;
    throw DataKeyError(key, error.column, by_keys_of_events(error.what(), of_channels));
  } catch (const ArgumentError& error) {
    const std::string message = error.what();
    const bool of_dataset = message.find("dataset") != std::string::npos;
    throw DataKeyError(
        of_dataset ? "dataset" : "time", events.time,
        message +
            (of_dataset && has_datasets ? "; or data.time names one of times, beside others" : ""));
  } catch (const DataError& error) {
    throw DataError(by_keys_of_events(error.what(), labels == events.channel));
  }
}

std::size_t place_of_labels(const FileSeries& file) {
  const std::vector<SideColumn> columns = file.side_columns();
  const auto found = std::find_if(columns.begin(), columns.end(), [](const SideColumn& column) {
    return column.role == SideColumn::Role::label;
  });
  return static_cast<std::size_t>(found - columns.begin());
}

/// The numbers that names are, if all are whole numbers from 0.
std::optional<std::vector<std::int64_t>> as_numbers(const std::vector<std::string>& names) {
  std::vector<std::int64_t> numbers;
  for (const std::string& name : names) {
    const std::optional<std::int64_t> number = parse_integer(name);
    if (!number || *number < 0) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

EventSeries::EventSeries(const std::string& path, const EventOptions& options)
    : path_(path),
      time_name_(options.time),
      label_name_(options.labels),
      dt_(options.dt),
      begin_(options.begin) {
  require(dt_ > 0.0 && std::isfinite(dt_), "[EventSeries] expected a dt above 0, got {}", dt_);
  require(std::isfinite(begin_), "[EventSeries] expected a finite begin, got {}", begin_);
  const std::unique_ptr<FileSeries> file = open_table(path, options, options.channel);
  read_events(*file, options);
  if (!options.labels.empty()) {
    read_labels(*open_table(path, options, options.labels), options.labels);
  }
  sha256_ = file->sha256();
}

std::vector<std::int32_t> EventSeries::number_channels(const std::vector<std::string>& found,
                                                       const EventOptions& options) {
  const auto numbers = as_numbers(found);
  if (options.channels && !numbers) {
    const auto text = std::find_if(found.begin(), found.end(), [](const std::string& name) {
      return parse_integer(name).value_or(-1) < 0;
    });
    throw DataKeyError("channels", options.channel,
                       fmt::format("{}: counts channels that are whole numbers from 0; column {} "
                                   "has {}: list the names in `columns`",
                                   path_, in_quotes(options.channel), in_quotes(*text)));
  }
  if (!options.columns.empty()) {
    names_ = options.columns;
  } else if (numbers) {
    const std::int64_t most =
        numbers->empty() ? -1 : *std::max_element(numbers->begin(), numbers->end());
    const std::int64_t room = options.channels.value_or(kMostEventChannels);
    if (most >= room) {
      throw DataError(fmt::format("{}: column {}: expected channels from 0 to {}, got {}", path_,
                                  in_quotes(options.channel), room - 1, most));
    }
    const std::int64_t count = options.channels.value_or(most + 1);
    for (std::int64_t c = 0; c < count; ++c) names_.push_back(fmt::format("{}", c));
  } else {
    names_ = found;
  }
  std::unordered_map<std::string, std::int32_t> places;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (!places.emplace(names_[i], static_cast<std::int32_t>(i)).second) {
      throw DataKeyError(
          "columns", names_[i],
          fmt::format("{}: channel {} is asked for twice", path_, in_quotes(names_[i])));
    }
  }
  std::vector<std::int32_t> channel_of;
  for (const std::string& name : found) {
    const auto place = places.find(name);
    channel_of.push_back(place == places.end() ? -1 : place->second);
  }
  return channel_of;
}

void EventSeries::end_trial(std::size_t first_event, std::int64_t bins) {
  if (static_cast<double>(rows_) + static_cast<double>(bins) > kMostBins) {
    throw DataError(
        fmt::format("{}: gives more bins of {} than can be counted; a greater `dt` or "
                    "an `end` gives fewer",
                    path_, dt_));
  }
  for (std::size_t i = first_event; i < events_.size(); ++i) events_[i].row += rows_;
  starts_.push_back(rows_);
  rows_ += bins;
}

void EventSeries::read_events(FileSeries& file, const EventOptions& options) {
  const std::vector<std::int32_t> channel_of = number_channels(file.classes(), options);
  const std::array<std::size_t, 1> wanted = {place_of_labels(file)};
  const std::vector<std::int64_t>& trials = file.trial_starts();
  const auto bin_of = [&](double time) { return std::floor((time - begin_) / dt_ + kRoundedBins); };
  double bins_of_all = 0.0;  // counted where an end is given
  if (options.end) {
    const double exact = (*options.end - begin_) / dt_;
    bins_of_all = std::ceil(exact - kRoundedBins);
    if (!(bins_of_all >= 1.0 && bins_of_all < kMostBins)) {
      throw DataKeyError(
          "end", options.time,
          fmt::format("expected an end at least a `dt` of {} behind the begin, {}, got {}", dt_,
                      begin_, *options.end));
    }
  }
  std::vector<double> times;
  std::array<SideValues, 1> side;
  for (std::size_t trial = 0; trial < trials.size(); ++trial) {
    const std::int64_t end = trial + 1 < trials.size() ? trials[trial + 1] : file.rows();
    const std::size_t first_event = events_.size();
    double bins = bins_of_all;
    for (std::int64_t row = trials[trial]; row < end;) {
      const std::int64_t count = std::min(kEventsAtOnce, end - row);
      times.resize(static_cast<std::size_t>(count));
      file.read_with_side(row, count, times, wanted, side);
      const auto& codes = std::get<std::vector<std::int64_t>>(side[0]);
      for (std::size_t i = 0; i < times.size(); ++i) {
        const std::int64_t code = codes[i];
        if (code < 0) {
          throw DataError(fmt::format("{}: expected a channel in column {}, got nothing",
                                      file.place_of(row + static_cast<std::int64_t>(i)),
                                      in_quotes(options.channel)));
        }
        const double bin = bin_of(times[i]);
        if (!(std::abs(bin) < kMostBins)) {
          throw DataError(fmt::format(
              "{}: expected a time that is at most {:.3g} bins of {} away "
              "from {}, got {}",
              file.place_of(row + static_cast<std::int64_t>(i)), kMostBins, dt_, begin_, times[i]));
        }
        const std::int32_t channel = channel_of[static_cast<std::size_t>(code)];
        if (bin < 0.0 || channel < 0 || (options.end && bin >= bins_of_all)) {
          ++left_out_;
          continue;
        }
        bins = std::max(bins, bin + 1.0);
        events_.push_back({static_cast<std::int64_t>(bin), channel});
      }
      row += count;
    }
    // A trial has a row even where all of its events are left out, so that it keeps its label.
    end_trial(first_event, static_cast<std::int64_t>(std::max(bins, 1.0)));
  }
  if (events_.empty()) {
    throw DataError(fmt::format("{}: has no events of these channels from {} on{}", path_, begin_,
                                options.end ? fmt::format(" and before {}", *options.end) : ""));
  }
  const auto by_row = [](const Event& a, const Event& b) { return a.row < b.row; };
  if (!std::is_sorted(events_.begin(), events_.end(), by_row)) {
    std::sort(events_.begin(), events_.end(), by_row);
  }
}

void EventSeries::read_labels(FileSeries& file, const std::string& column) {
  classes_ = file.classes();
  const std::array<std::size_t, 1> wanted = {place_of_labels(file)};
  const std::vector<std::int64_t>& trials = file.trial_starts();
  std::vector<double> times;
  std::array<SideValues, 1> side;
  for (std::size_t trial = 0; trial < trials.size(); ++trial) {
    const std::int64_t end = trial + 1 < trials.size() ? trials[trial + 1] : file.rows();
    for (std::int64_t row = trials[trial]; row < end;) {
      const std::int64_t count = std::min(kEventsAtOnce, end - row);
      times.resize(static_cast<std::size_t>(count));
      file.read_with_side(row, count, times, wanted, side);
      const auto& codes = std::get<std::vector<std::int64_t>>(side[0]);
      if (labels_.size() == trial) labels_.push_back(codes[0]);
      const auto other = std::find_if(codes.begin(), codes.end(),
                                      [&](std::int64_t code) { return code != labels_.back(); });
      if (other != codes.end()) {
        throw DataError(fmt::format(
            "{}: expected the same label in column {} for all events of a trial, got another one",
            file.place_of(row + (other - codes.begin())), in_quotes(column)));
      }
      row += count;
    }
  }
}

std::size_t EventSeries::trial_of(std::int64_t row) const {
  return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), row) -
                                  starts_.begin()) -
         1;
}

void EventSeries::read(std::int64_t first, std::int64_t count, std::span<double> out) {
  check_range(first, count, out.size(), channels());
  std::fill_n(out.begin(), count * channels(), 0.0);
  const auto before = [](const Event& event, std::int64_t row) { return event.row < row; };
  for (auto event = std::lower_bound(events_.begin(), events_.end(), first, before);
       event != events_.end() && event->row < first + count; ++event) {
    out[static_cast<std::size_t>((event->row - first) * channels() + event->channel)] += 1.0;
  }
}

std::vector<SideColumn> EventSeries::side_columns() const {
  std::vector<SideColumn> columns = {{SideColumn::Role::time, time_name_}};
  if (!label_name_.empty()) columns.push_back({SideColumn::Role::label, label_name_});
  return columns;
}

void EventSeries::read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                                 std::span<const std::size_t> wanted, std::span<SideValues> side) {
  read(first, count, out);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::vector<double> times;
    std::vector<std::int64_t> labels;
    std::size_t trial = trial_of(first);
    for (std::int64_t row = first; row < first + count; ++row) {
      while (trial + 1 < starts_.size() && starts_[trial + 1] <= row) ++trial;
      if (wanted[i] == 0) {
        times.push_back(begin_ + static_cast<double>(row - starts_[trial]) * dt_);
      } else {
        labels.push_back(labels_[trial]);
      }
    }
    side[i] = wanted[i] == 0 ? SideValues(std::move(times)) : SideValues(std::move(labels));
  }
}

}  // namespace gaia
