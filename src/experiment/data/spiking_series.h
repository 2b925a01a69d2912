// SPDX-License-Identifier: MIT
/// \file
/// A series of spikes that the rows of another one become (data.spikes).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../core/random.h"
#include "../../io/forwarding_series.h"
#include "../config/problems.h"
#include "experiment.h"

namespace gaia {

/// Each row x of the series within is shown as a trial of `ticks` rows of Poisson trains: in row
/// t of n channels, channel c is 1 where number t n + c of the uniform stream "data/spikes" is
/// below rate · x_c, else 0.  So a spike depends on its row and the seed alone.  What stands beside
/// a row within stands beside all rows of its trial.
class SpikingSeries final : public ForwardingSeries {
 public:
  SpikingSeries(std::unique_ptr<Series> series, const SpikesConfig& spikes, std::uint64_t seed);

  std::int64_t rows() const override { return within().rows() * ticks_; }
  void read(std::int64_t first, std::int64_t count, std::span<double> out) override;
  bool reads_at_random() const override { return within().reads_at_random(); }
  void read_latents(std::int64_t first, std::int64_t count, std::span<double> out) override;
  void read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                      std::span<const std::size_t> wanted, std::span<SideValues> side) override;
  std::vector<RowRange> filled(std::int64_t channel, std::int64_t first,
                               std::int64_t count) const override;
  const std::vector<std::int64_t>& trial_starts() const override { return trial_starts_; }
  const RowRuns& groups() const override { return groups_; }
  std::optional<RowRuns::Return> returning_trial() const override { return std::nullopt; }
  std::optional<double> sample_rate() const override { return std::nullopt; }
  std::optional<std::int64_t> training_rows() const override;
  std::int64_t source_row(std::int64_t row) const override {
    return within().source_row(row / ticks_);
  }

 private:
  /// Rows of the series within that hold [first, first + count).
  RowRange rows_within(std::int64_t first, std::int64_t count) const;
  /// Finds the channels of a row within that can spike.
  void find_lit(std::span<const double> x);

  std::int64_t ticks_;
  double rate_;
  RandomStream stream_;
  std::vector<std::int64_t> trial_starts_;
  RowRuns groups_;
  std::vector<double> values_;  // rows of the series within that are shown
  std::vector<std::pair<std::size_t, std::size_t>> lit_;  // stretches of channels above 0
  std::vector<double> uniforms_;                          // uniform numbers of one stretch
};

/// Makes trials of spikes of the rows of the series that is open, where data.spikes says so.
void make_spikes(Experiment& experiment, const AddProblem& add);

}  // namespace gaia
