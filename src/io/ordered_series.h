// SPDX-License-Identifier: MIT
/// \file
/// A series whose rows are read in another order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forwarding_series.h"

namespace gaia {

/// Row t is row `order[t]` of the series within.  Rows of a
/// series that does not read at random, and what stands beside the channels, are held in memory.
/// Such a series knows nothing of trials, groups and filled values.
class OrderedSeries final : public ForwardingSeries {
 public:
  /// `training`: how many of the rows are to be learnt from, where the data say it.
  OrderedSeries(std::unique_ptr<Series> series, std::vector<std::int64_t> order,
                std::optional<std::int64_t> training);

  std::int64_t rows() const override { return static_cast<std::int64_t>(order_.size()); }
  void read(std::int64_t first, std::int64_t count, std::span<double> out) override;
  bool reads_at_random() const override { return true; }
  void read_latents(std::int64_t first, std::int64_t count, std::span<double> out) override;
  void read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                      std::span<const std::size_t> wanted, std::span<SideValues> side) override;
  std::optional<double> sample_rate() const override { return std::nullopt; }
  std::optional<std::int64_t> training_rows() const override { return training_; }
  std::int64_t source_row(std::int64_t row) const override {
    return within().source_row(order_[static_cast<std::size_t>(row)]);
  }

 private:
  /// Reads what is held, once.
  void hold();

  std::vector<std::int64_t> order_;
  std::optional<std::int64_t> training_;
  bool holds_ = false;
  std::vector<double> values_;  // [rows, channels] of the series within, unless it reads at random
  std::vector<SideValues> side_;  // [rows] of each of its side columns
};

}  // namespace gaia
