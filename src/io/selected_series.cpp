// SPDX-License-Identifier: MIT
#include "selected_series.h"

#include <algorithm>
#include <utility>

#include "columns.h"
#include "file_series.h"
#include "forwarding_series.h"

namespace gaia {
namespace {

class SelectedSeries final : public ForwardingSeries {
 public:
  SelectedSeries(std::unique_ptr<Series> series, std::vector<std::size_t> columns,
                 std::vector<std::size_t> targets)
      : ForwardingSeries(std::move(series)),
        columns_(std::move(columns)),
        targets_(std::move(targets)) {
    for (const std::size_t column : columns_) names_.push_back(within().channel_names()[column]);
    for (const std::size_t target : targets_) {
      side_columns_.push_back({SideColumn::Role::target, within().channel_names()[target]});
    }
    const std::vector<SideColumn> own = within().side_columns();
    side_columns_.insert(side_columns_.end(), own.begin(), own.end());
  }

  const std::vector<std::string>& channel_names() const override { return names_; }
  std::vector<SideColumn> side_columns() const override { return side_columns_; }

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    read_with_side(first, count, out, {}, {});
  }

  void read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                      std::span<const std::size_t> wanted, std::span<SideValues> side) override {
    check_range(first, count, out.size(), channels());
    const auto width = static_cast<std::size_t>(within().channels());
    block_.resize(static_cast<std::size_t>(count) * width);
    std::vector<std::size_t> of_series;  // what it is asked for beside its channels
    for (const std::size_t column : wanted) {
      if (column >= targets_.size()) of_series.push_back(column - targets_.size());
    }
    std::vector<SideValues> others(of_series.size());
    within().read_with_side(first, count, block_, of_series, others);
    std::size_t other = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      side[i] = wanted[i] < targets_.size() ? SideValues(column(targets_[wanted[i]], width))
                                            : std::move(others[other++]);
    }
    for (std::size_t r = 0; r < static_cast<std::size_t>(count); ++r) {
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        out[r * columns_.size() + c] = block_[r * width + columns_[c]];
      }
    }
  }

 private:
  std::vector<double> column(std::size_t index, std::size_t width) const {
    std::vector<double> values;
    for (std::size_t i = index; i < block_.size(); i += width) values.push_back(block_[i]);
    return values;
  }

  std::vector<std::size_t> columns_;
  std::vector<std::size_t> targets_;
  std::vector<std::string> names_;
  std::vector<SideColumn> side_columns_;
  std::vector<double> block_;
};

}  // namespace

std::unique_ptr<Series> select_channels(std::unique_ptr<Series> series, const std::string& source,
                                        const std::vector<std::string>& columns,
                                        const std::vector<std::string>& targets) {
  const std::vector<std::string>& names = series->channel_names();
  const SidePlaces side = find_side_columns(source, {.targets = targets}, names);
  std::vector<std::size_t> chosen;
  if (columns.empty()) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!side.has(i)) chosen.push_back(i);
    }
    if (chosen.empty()) {
      throw DataKeyError("targets", names.front(),
                         source +
                             ": expected a channel for the levels beside those of "
                             "data.targets, got none");
    }
  } else {
    try {
      chosen = select_columns(source, columns, names);
    } catch (const ArgumentError& error) {
      throw DataKeyError("columns", columns.front(), error.what());
    }
    check_channels_apart(source, chosen, side, names);
  }
  return std::make_unique<SelectedSeries>(std::move(series), std::move(chosen), side.targets);
}

}  // namespace gaia
