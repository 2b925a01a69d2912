// SPDX-License-Identifier: MIT
#include "file_series.h"

#include <fmt/format.h>

#include <algorithm>

#include "columns.h"

namespace gaia {
namespace {

std::size_t find_side_column(const std::string& source, const char* key, const std::string& asked,
                             const std::vector<std::string>& names) {
  try {
    return select_columns(source, std::vector{asked}, names).front();
  } catch (const ArgumentError& error) {
    throw DataKeyError(key, asked, error.what());
  }
}

}  // namespace

bool SidePlaces::has(std::size_t column) const {
  return time == column || labels == column || trial == column || group == column ||
         std::find(targets.begin(), targets.end(), column) != targets.end();
}

SidePlaces find_side_columns(const std::string& source, const SideOptions& asked,
                             const std::vector<std::string>& names) {
  SidePlaces found;
  const auto find = [&](const char* key, const std::string& name) -> std::optional<std::size_t> {
    if (name.empty()) return std::nullopt;
    return find_side_column(source, key, name, names);
  };
  found.time = find("time", asked.time);
  found.labels = find("labels", asked.labels);
  found.trial = find("trials", asked.trial);
  found.group = find("groups", asked.group);
  for (const std::string& target : asked.targets) {
    const std::size_t column = find_side_column(source, "targets", target, names);
    if (std::find(found.targets.begin(), found.targets.end(), column) != found.targets.end()) {
      throw DataKeyError(
          "targets", target,
          fmt::format("{}: column {} is asked for twice", source, in_quotes(names[column])));
    }
    found.targets.push_back(column);
  }
  // Labels may tell trials apart, and classes that are numbers may be predicted as such.
  const auto is_target = [&](std::optional<std::size_t> column) {
    return column &&
           std::find(found.targets.begin(), found.targets.end(), *column) != found.targets.end();
  };
  if (found.time && (found.time == found.labels || found.time == found.trial ||
                     found.time == found.group || is_target(found.time))) {
    throw DataKeyError("time", asked.time,
                       fmt::format("{}: {} is also in data.targets, data.labels, data.trials or "
                                   "data.groups",
                                   source, side_name(names[*found.time], "time")));
  }
  return found;
}

void check_channels_apart(const std::string& source, const std::vector<std::size_t>& channels,
                          const SidePlaces& side, const std::vector<std::string>& names) {
  for (const std::size_t channel : channels) {
    if (!side.has(channel)) continue;
    const char* const key = side.time == channel     ? "time"
                            : side.labels == channel ? "labels"
                            : side.trial == channel  ? "trials"
                            : side.group == channel  ? "groups"
                                                     : "targets";
    throw DataKeyError(
        "columns", names[channel],
        fmt::format("{}: {} is also one that the levels read (data.columns), which they must not; "
                    "take it out of one of the two",
                    source, side_name(names[channel], key)));
  }
}

std::string too_many_groups(const std::string& source) {
  return fmt::format("{}: expected at most {} groups (data.groups), got more", source,
                     kMostRowNames);
}

std::string side_name(std::string_view column, const char* key) {
  return fmt::format("column {} (data.{})", in_quotes(column), key);
}

std::vector<RowRange> FileSeries::filled(std::int64_t channel, std::int64_t first,
                                         std::int64_t count) const {
  if (gaps_.empty()) return {};
  return gaps_.at(static_cast<std::size_t>(channel)).filled(first, count);
}

bool FileSeries::needs_fill() const {
  return std::any_of(gaps_.begin(), gaps_.end(),
                     [](const Gaps& gaps) { return gaps.needs_fill(); });
}

void FileSeries::take_fill(std::span<const double> fill) {
  for (std::size_t c = 0; c < gaps_.size(); ++c) gaps_[c].set_fill(fill[c]);
}

void FileSeries::split_gaps(std::span<const std::int64_t> starts) {
  for (Gaps& gaps : gaps_) is_split_ = gaps.split(starts) || is_split_;
  check_trials(paths().front(), channel_names(), gaps_);
}

void FileSeries::set_side_columns(const SideOptions& options,
                                  const std::vector<std::string>& targets) {
  using Role = SideColumn::Role;
  if (!options.time.empty()) side_columns_.push_back({Role::time, options.time});
  for (const std::string& target : targets) side_columns_.push_back({Role::target, target});
  if (!options.labels.empty()) side_columns_.push_back({Role::label, options.labels});
}

void FileSeries::make_room(std::int64_t count, std::span<const std::size_t> wanted,
                           std::span<SideValues> side, bool has_dates) const {
  if (side.size() < wanted.size()) {
    throw ArgumentError(fmt::format("[read_with_side] room for {} side columns, needed {}",
                                    side.size(), wanted.size()));
  }
  const auto rows = static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] >= side_columns_.size()) {
      throw ArgumentError(
          fmt::format("[read_with_side] side column {} of {}", wanted[i], side_columns_.size()));
    }
    const SideColumn::Role role = side_columns_[wanted[i]].role;
    if (role == SideColumn::Role::label || (role == SideColumn::Role::time && has_dates)) {
      side[i] = std::vector<std::int64_t>(rows);
    } else {
      side[i] = std::vector<double>(rows);
    }
  }
}

}  // namespace gaia
