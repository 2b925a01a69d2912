// SPDX-License-Identifier: MIT
#include "hdf5_beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "../core/error.h"
#include "../core/log.h"
#include "../core/names.h"
#include "../core/text.h"
#include "cf_packing.h"
#include "columns.h"
#include "dates.h"
#include "whole_numbers.h"

namespace gaia {
namespace {

/// Datasets that a message names.
constexpr std::size_t kMostShown = 30;

/// What a message says of links, after it has named them.
constexpr const char* kWayAroundLinks =
    "which is not followed; name the dataset that a soft link leads to, and copy in what lies in "
    "another file by `h5repack --merge FILE COPY`";

/// The link at this path, or on the way to it, if there is one.
std::optional<std::string> link_to(const hdf5::Contents& contents, const std::string& path) {
  for (const std::string& link : contents.links) {
    if (path == link || path.rfind(link + "/", 0) == 0) return link;
  }
  return std::nullopt;
}

/// Whether a dataset is one that a key names, in whatever folder it is.
bool is_named(const hdf5::DatasetDescription& dataset, const SideOptions& side) {
  const auto is = [&](const std::string& name) {
    return !name.empty() && (dataset.path == name || dataset.path.ends_with("/" + name));
  };
  return is(side.time) || is(side.labels) || is(side.group) || is(side.trial) ||
         std::any_of(side.targets.begin(), side.targets.end(), is);
}

/// The only dataset of numbers that is no coordinate and that no key names; null if there are none
/// or more.
const hdf5::DatasetDescription* only_table(const hdf5::Contents& contents,
                                           const SideOptions& side) {
  const hdf5::DatasetDescription* only = nullptr;
  for (const hdf5::DatasetDescription& dataset : contents.datasets) {
    if (hdf5::is_coordinate(contents, dataset) || is_named(dataset, side)) continue;
    if (only != nullptr) return nullptr;
    only = &dataset;
  }
  return only;
}

/// "/a" of "/a/x", "" of "/x".
std::string group_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// Times that are numbers for certain, or dates by their units.
std::optional<TimeUnits> units_of(const hdf5::DatasetDescription& dataset,
                                  const std::string& place) {
  const auto text = dataset.text("units");
  if (!text || !TimeUnits::looks_like_units(*text)) return std::nullopt;
  const std::string calendar = dataset.text("calendar").value_or("standard");
  const bool is_standard = calendar == "standard" || calendar == "gregorian";
  if (!is_standard && calendar != "proleptic_gregorian") {
    log_warning(fmt::format(
        "{}: its dates are of the calendar {}, so that they are taken as numbers, which they are "
        "in the file; those of the Gregorian calendar are taken as dates",
        place, in_quotes(printable(calendar))));
    return std::nullopt;
  }
  const auto units = TimeUnits::parse(
      *text, is_standard ? TimeUnits::Calendar::standard : TimeUnits::Calendar::gregorian);
  if (!units) {
    log_warning(fmt::format(
        "{}: its units are {}, which are not taken for those of dates, so that its times are "
        "numbers; weeks, days, hours, minutes, seconds, ms, us and ns since a date are",
        place, in_quotes(printable(*text))));
  }
  return units;
}

bool is_integer(hdf5::Type type) {
  return type == hdf5::Type::int32 || type == hdf5::Type::int64 || type == hdf5::Type::uint8;
}

/// An attribute, if it can be a rate.
std::optional<double> rate_of(const hdf5::DatasetDescription& dataset, const char* attribute) {
  std::optional<double> rate = dataset.number(attribute);
  if (const auto whole = dataset.integer(attribute)) rate = static_cast<double>(*whole);
  return rate && std::isfinite(*rate) && *rate > 0.0 ? rate : std::nullopt;
}

/// Each of `values` again for every trial.
template <class T>
void repeat_for_trials(std::vector<T>& values, std::int64_t times) {
  const std::size_t length = values.size();
  values.reserve(length * static_cast<std::size_t>(times));
  for (std::int64_t i = 1; i < times; ++i) {
    for (std::size_t k = 0; k < length; ++k) values.push_back(values[k]);
  }
}

}  // namespace

const hdf5::DatasetDescription& choose_dataset(const hdf5::Contents& contents,
                                               const std::string& path, const std::string& asked,
                                               const SideOptions& side) {
  std::vector<std::string> known;
  for (const hdf5::DatasetDescription& dataset : contents.datasets) known.push_back(dataset.path);
  if (known.empty()) {
    throw DataError(path + ": holds no dataset" +
                    (contents.links.empty()
                         ? std::string()
                         : fmt::format(" of its own; {} is a link, {}",
                                       printable(contents.links.front()), kWayAroundLinks)));
  }
  const auto shown = [&] {
    const std::vector<std::string> first(
        known.begin(),
        known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), kMostShown)));
    return join(first) + (known.size() > kMostShown
                              ? fmt::format(" and {} more", known.size() - kMostShown)
                              : std::string());
  };
  if (asked.empty()) {
    if (known.size() == 1) return contents.datasets.front();
    const hdf5::DatasetDescription* const only = only_table(contents, side);
    if (only != nullptr) return *only;
    throw ArgumentError(path + " holds several datasets; say which one: " + shown());
  }
  const std::string full = asked.front() == '/' ? asked : "/" + asked;
  const hdf5::DatasetDescription* found = contents.dataset(full);
  if (found == nullptr) {
    if (const auto link = link_to(contents, full)) {
      throw ArgumentError(
          fmt::format("{}: {} is a link, {}", path, printable(*link), kWayAroundLinks));
    }
    throw ArgumentError(path + " has no dataset " + in_quotes(asked) + did_you_mean(full, known) +
                        "; known: " + shown());
  }
  return *found;
}

std::optional<double> hdf5_rate(const hdf5::Contents& contents,
                                const hdf5::DatasetDescription& table) {
  if (const auto rate = rate_of(table, "sample_rate")) return rate;
  const hdf5::DatasetDescription* const start =
      contents.dataset(group_of(table.path) + "/starting_time");
  return start != nullptr && start->shape.empty() ? rate_of(*start, "rate") : std::nullopt;
}

const hdf5::DatasetDescription* Hdf5Beside::find(const char* key, const std::string& name) const {
  const bool is_path = name.front() == '/';
  const hdf5::DatasetDescription* const found =
      reader_.contents().dataset(is_path ? name : group_of(table_.path) + "/" + name);
  if (found == nullptr && is_path) {
    throw DataKeyError(key, name,
                       fmt::format("{}: has no dataset {} (data.{})", path_, in_quotes(name), key));
  }
  return found == &table_ ? nullptr : found;
}

std::string Hdf5Beside::place(const hdf5::DatasetDescription& dataset, const char* key) const {
  return fmt::format("{}: {} (data.{})", path_, printable(dataset.path), key);
}

void Hdf5Beside::check_axis(const hdf5::DatasetDescription& dataset, const char* key) const {
  if (dataset.shape.size() == 1) return;
  throw DataError(fmt::format("{}: expected a dataset of one axis, got shape [{}]",
                              place(dataset, key), fmt::join(dataset.shape, ", ")));
}

BesideTable Hdf5Beside::read(SideOptions& side, std::int64_t rows, std::int64_t trial_rows) {
  BesideTable beside;
  const std::int64_t trials = trial_rows > 0 ? rows / trial_rows : 1;
  const auto fit = [&](const hdf5::DatasetDescription& dataset, const char* key, auto& values) {
    const auto count = static_cast<std::int64_t>(values.size());
    if (trial_rows > 0 && count == trial_rows) return repeat_for_trials(values, trials);
    if (count == rows) return;
    throw DataError(fmt::format(
        "{}: expected a value for each of the {} rows{}, got {}", place(dataset, key), rows,
        trial_rows > 0 ? fmt::format(", or of the {} of a trial", trial_rows) : std::string(),
        count));
  };
  if (!side.time.empty()) {
    if (const auto* const dataset = find("time", side.time)) {
      if (dataset->shape.empty() && rate_of(*dataset, "rate")) {
        beside.times = even_times(*dataset, trial_rows > 0 ? trial_rows : rows);
      } else {
        check_axis(*dataset, "time");
        beside.times = times(*dataset, beside.times_count);
      }
      std::visit([&](auto& values) { fit(*dataset, "time", values); }, *beside.times);
      side.time.clear();
    }
  }
  std::vector<std::string> columns;
  for (const std::string& target : side.targets) {
    const auto* const dataset = find("targets", target);
    if (dataset == nullptr) {
      columns.push_back(target);
      continue;
    }
    check_axis(*dataset, "targets");
    std::vector<double> values = numbers(*dataset, "targets");
    fit(*dataset, "targets", values);
    beside.targets.emplace_back(target, std::move(values));
  }
  side.targets = std::move(columns);
  if (!side.trial.empty()) {
    if (const auto* const dataset = find("trials", side.trial)) {
      check_axis(*dataset, "trials");
      beside.trials = names(*dataset, "trials");
      fit(*dataset, "trials", *beside.trials);
      for (std::size_t row = 0; row < beside.trials->size(); ++row) {
        if (!(*beside.trials)[row].empty()) continue;
        throw DataError(
            fmt::format("{}: expected what tells trials apart in row {}, got a missing value",
                        place(*dataset, "trials"), row));
      }
      side.trial.clear();
    }
  }
  if (!side.group.empty()) {
    if (const auto* const dataset = find("groups", side.group)) {
      check_axis(*dataset, "groups");
      beside.groups = names(*dataset, "groups");
      beside.groups_source = place(*dataset, "groups");
      side.group.clear();
    }
  }
  if (!side.labels.empty()) {
    if (const auto* const dataset = find("labels", side.labels)) {
      check_axis(*dataset, "labels");
      beside.labels = names(*dataset, "labels");
      beside.labels_source = place(*dataset, "labels");
      side.labels.clear();
    }
  }
  return beside;
}

std::vector<double> Hdf5Beside::even_times(const hdf5::DatasetDescription& start,
                                           std::int64_t rows) {
  const double first = numbers(start, "time").front();
  const double rate = *rate_of(start, "rate");
  std::vector<double> times(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < times.size(); ++i) {
    times[i] = first + static_cast<double>(i) / rate;
  }
  return times;
}

SideValues Hdf5Beside::times(const hdf5::DatasetDescription& dataset, bool& are_counts) {
  const std::string where = place(dataset, "time");
  const auto fail = [&](std::size_t row, const std::string& got) {
    throw DataError(
        fmt::format("{}: expected a time for every row, got {} in row {}", where, got, row));
  };
  std::vector<std::int64_t> dates;
  if (dataset.holds_texts) {
    for (const std::string& text : reader_.read_texts(dataset)) {
      const auto date = parse_date(text);
      if (!date) {
        throw DataError(fmt::format("{}: expected {} in row {}, got {}", where, kDateForm,
                                    dates.size(), in_quotes(printable(text))));
      }
      dates.push_back(*date);
    }
    return dates;
  }
  const auto units = units_of(dataset, where);
  const CfPacking packing(dataset, where);
  const auto add = [&](auto count, double meant) {
    const auto date = std::isnan(meant) ? std::nullopt : units->nanoseconds(count);
    if (!date) {
      fail(dates.size(), std::isnan(meant) ? std::string("a missing value")
                                           : fmt::format("{}, which is too far from 1970", count));
    }
    dates.push_back(*date);
  };
  if (units && is_integer(dataset.type) && !packing.is_packed()) {
    for (const std::int64_t count : reader_.read<std::int64_t>(dataset)) {
      add(count, packing(static_cast<double>(count)));
    }
    return dates;
  }
  if (!units && is_integer(dataset.type) && packing.keeps_integers()) {
    std::vector<std::int64_t> counts = integers(dataset, "time");
    are_counts = std::any_of(counts.begin(), counts.end(), [](std::int64_t time) {
      return is_beyond_exact(static_cast<double>(time));
    });
    const auto missing = std::find_if(counts.begin(), counts.end(),
                                      [&](std::int64_t time) { return packing.is_missing(time); });
    if (missing != counts.end()) {
      fail(static_cast<std::size_t>(missing - counts.begin()), "a missing value");
    }
    if (are_counts) return counts;
  }
  std::vector<double> values = numbers(dataset, "time");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) fail(i, "a missing value");
    if (units) add(values[i], values[i]);
  }
  if (units) return dates;
  return values;
}

std::vector<double> Hdf5Beside::numbers(const hdf5::DatasetDescription& dataset, const char* key) {
  const std::string where = place(dataset, key);
  if (!dataset.refusal.empty()) throw DataError(where + ": " + dataset.refusal);
  const CfPacking packing(dataset, where);
  std::vector<double> values = reader_.read<double>(dataset);
  bool has_values = false;
  if (is_integer(dataset.type) && std::any_of(values.begin(), values.end(), is_beyond_exact)) {
    warn_of_rounded(path_, std::vector{printable(dataset.path)});
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = packing(values[i]);
    if (std::isinf(values[i])) {
      throw DataError(
          fmt::format("{}: expected a finite number in row {}, got {}", where, i, values[i]));
    }
    has_values = has_values || !std::isnan(values[i]);
  }
  if (!has_values) throw DataError(where + ": has no values at all");
  return values;
}

std::vector<std::int64_t> Hdf5Beside::integers(const hdf5::DatasetDescription& dataset,
                                               const char* key) {
  std::vector<std::int64_t> values = reader_.read<std::int64_t>(dataset);
  // HDF5 makes what is beyond 64 bits with a sign the last of them.
  const CfPacking packing(dataset, place(dataset, key));
  const auto last = std::find_if(values.begin(), values.end(), [&](std::int64_t value) {
    return value == std::numeric_limits<std::int64_t>::max() && !packing.is_missing(value);
  });
  if (last == values.end()) return values;
  throw DataError(fmt::format(
      "{}: expected a whole number below 2^63 - 1 in row {}, got one beyond; store what "
      "tells rows apart as texts, or as int64",
      place(dataset, key), last - values.begin()));
}

std::vector<std::string> Hdf5Beside::names(const hdf5::DatasetDescription& dataset,
                                           const char* key) {
  if (dataset.holds_texts) return reader_.read_texts(dataset);
  const std::string where = place(dataset, key);
  if (!dataset.refusal.empty()) {
    throw DataError(fmt::format("{}: expected integers or texts; {}", where, dataset.refusal));
  }
  const CfPacking packing(dataset, where);
  std::vector<std::string> names;
  if (is_integer(dataset.type) && packing.keeps_integers()) {
    for (const std::int64_t label : integers(dataset, key)) {
      names.push_back(packing.is_missing(label) ? std::string() : std::to_string(label));
    }
    return names;
  }
  for (const double label : reader_.read<double>(dataset)) {
    const double meant = packing(label);
    if (!std::isnan(meant) && (std::floor(meant) != meant || is_beyond_exact(meant))) {
      throw DataError(fmt::format("{}: expected a whole number in row {}, got {}; {}", where,
                                  names.size(), meant, why_no_name(meant)));
    }
    names.push_back(std::isnan(meant) ? std::string()
                                      : std::to_string(static_cast<std::int64_t>(meant)));
  }
  return names;
}

}  // namespace gaia
