// SPDX-License-Identifier: MIT
/// \file
/// A series that reads another one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "series.h"

namespace gaia {

/// The series within, method by method; a class that derives from it overrides what differs.  Rows
/// do not read at random, as they may be computed from those before.
class ForwardingSeries : public Series {
 public:
  std::int64_t rows() const override { return within_->rows(); }
  const std::vector<std::string>& channel_names() const override {
    return within_->channel_names();
  }
  const std::vector<std::string>& latent_names() const override { return within_->latent_names(); }
  void read_latents(std::int64_t first, std::int64_t count, std::span<double> out) override {
    within_->read_latents(first, count, out);
  }
  std::vector<SideColumn> side_columns() const override { return within_->side_columns(); }
  const std::vector<std::int64_t>& trial_starts() const override { return within_->trial_starts(); }
  const RowRuns& groups() const override { return within_->groups(); }
  std::optional<RowRuns::Return> returning_trial() const override {
    return within_->returning_trial();
  }
  const std::vector<std::string>& classes() const override { return within_->classes(); }
  std::optional<double> sample_rate() const override { return within_->sample_rate(); }
  std::optional<std::int64_t> training_rows() const override { return within_->training_rows(); }
  std::int64_t source_row(std::int64_t row) const override { return within_->source_row(row); }
  std::vector<std::int64_t> picture_shape() const override { return within_->picture_shape(); }
  std::vector<RowRange> filled(std::int64_t channel, std::int64_t first,
                               std::int64_t count) const override {
    return within_->filled(channel, first, count);
  }
  bool needs_fill() const override { return within_->needs_fill(); }
  std::string sha256() override { return within_->sha256(); }
  std::vector<std::string> paths() const override { return within_->paths(); }
  std::vector<std::string> hashes() override { return within_->hashes(); }

 protected:
  explicit ForwardingSeries(std::unique_ptr<Series> series) : within_(std::move(series)) {}

  void take_fill(std::span<const double> fill) override {
    if (within_->needs_fill()) within_->set_fill({fill.begin(), fill.end()});
  }
  Series& within() { return *within_; }
  const Series& within() const { return *within_; }

 private:
  std::unique_ptr<Series> within_;
};

}  // namespace gaia
