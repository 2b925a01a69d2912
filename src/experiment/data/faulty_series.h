// SPDX-License-Identifier: MIT
/// \file
/// A series in which values are faulty (data.faults).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../core/random.h"
#include "../../io/forwarding_series.h"
#include "../config/fault_config.h"

namespace gaia {

/// When the values of which channels are faulty: a function of row and seed alone.
///
/// Channel c of entry N of the list has an offset o_c, integer c of the stream
/// "data/faults/N/offsets" below `length`.  Row r belongs to its stretch k = ⌊(r + o_c) / length⌋,
/// which is faulty if number k n + c, of n channels, of the uniform stream "data/faults/N/faults"
/// is below `probability`.
class Faults {
 public:
  /// Entry `number` of the list.  \throws DataKeyError for channels that there are not.
  Faults(const FaultConfig& config, const std::vector<std::string>& channels, std::uint64_t seed,
         std::size_t number);

  bool is_faulty(std::int64_t row, std::int64_t channel) const;
  FaultConfig::Shows shows() const { return config_.shows; }

 private:
  FaultConfig config_;
  std::int64_t width_;
  RandomStream stream_;
  std::vector<bool> has_;  // for each channel
  std::vector<std::int64_t> offsets_;
};

/// The series within, with faults.  Entries act one after the other, so that of a value that is
/// faulty by several the last decides; but what stands still shows the last value that is not
/// faulty by any of them.  Values that are missing or stand still count as filled, so that no
/// target is one; side columns and latents are as they are within.
class FaultySeries final : public ForwardingSeries {
 public:
  /// \throws DataKeyError for channels that there are not.
  FaultySeries(std::unique_ptr<Series> series, const std::vector<FaultConfig>& faults,
               std::uint64_t seed);

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override;
  void read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                      std::span<const std::size_t> wanted, std::span<SideValues> side) override;
  std::vector<RowRange> filled(std::int64_t channel, std::int64_t first,
                               std::int64_t count) const override;
  bool needs_fill() const override { return begins_faulty_ || within().needs_fill(); }

 protected:
  void take_fill(std::span<const double> fill) override;

 private:
  /// What the last entry that makes a value faulty shows in its place; nothing where none does.
  std::optional<FaultConfig::Shows> fault_at(std::int64_t row, std::int64_t channel) const;
  /// The first row of the trial that a row is in.
  std::int64_t trial_of(std::int64_t row) const;
  /// Makes held_ the last values before `row` in its trial.
  void look_back(std::int64_t row);
  /// Puts faults into rows [first, first + count) of the series within.
  void spoil(std::int64_t first, std::int64_t count, std::span<double> rows);

  std::vector<Faults> faults_;
  bool begins_faulty_ = false;  // a trial begins with a value that stands still
  bool stands_still_ = false;   // some entry shows the last value
  std::int64_t next_ = -1;      // row that held_ is of
  std::vector<double> held_;    // last value of each channel that is not faulty, NaN: none
};

}  // namespace gaia
