// SPDX-License-Identifier: MIT
#include "row_filter.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../core/message.h"
#include "../../core/state_fields.h"
#include "../../io/file_series.h"

namespace gaia {
namespace {

constexpr double kRoundedRates = 1e-12;  // share of one of them
constexpr double kNotYetFiltered = std::numeric_limits<double>::quiet_NaN();

// The filter of scipy.signal.decimate: 0.05 dB of ripple up to 0.8 times half the new rate.
constexpr std::int64_t kAntialiasOrder = 8;
constexpr double kAntialiasRipple = 0.05;
constexpr double kAntialiasEdge = 0.8;

std::vector<SosSection> sections_of(const SignalFilterConfig& filter, double rate) {
  if (!filter.is_on) return {};
  try {
    return butterworth(filter.order, filter.pass, filter.all_edges(), rate);
  } catch (const ArgumentError& error) {
    throw DataKeyError("filter", "", error.what());
  }
}

std::vector<SosSection> antialias_of(const KeptRows& kept) {
  if (kept.keeps_all()) return {};
  const double edge = kAntialiasEdge / 2.0 / kept.spacing();
  return chebyshev(kAntialiasOrder, kAntialiasRipple, PassBand::low, {&edge, 1}, 1.0);
}

}  // namespace

KeptRows::KeptRows(double rate, double to) : rate_(rate), to_(to) {
  if (to > 0.0 && to <= rate && rate / to <= kMostSpacing) {
    // Products of rates that differ by their rounding would leave out rows.
    if (rate / to - 1.0 < kRoundedRates) rate_ = to_ = 1.0;
    return;
  }
  fail<ArgumentError>(
      "expected a rate from {} to {} Hz, the rate of the data: rows are left out, none are made "
      "up; got {}",
      rate / kMostSpacing, rate, to);
}

std::int64_t KeptRows::row_of(std::int64_t kept) const {
  // The product is exact for whole rates, and so is the quotient where it is whole.
  return static_cast<std::int64_t>(std::floor(static_cast<double>(kept) * rate_ / to_));
}

std::int64_t KeptRows::count(std::int64_t rows) const {
  if (keeps_all()) return rows;
  auto kept = static_cast<std::int64_t>(std::ceil(static_cast<double>(rows) * to_ / rate_));
  while (kept > 0 && row_of(kept - 1) >= rows) --kept;
  while (row_of(kept) < rows) ++kept;
  return kept;
}

KeptRows kept_rows(const DataConfig& data) {
  const ResampleConfig& resample = data.resample;
  if (resample.by == ResampleConfig::By::every) {
    return {static_cast<double>(resample.every), 1.0};
  }
  if (resample.by == ResampleConfig::By::none || !data.sample_rate) return {};
  try {
    return {*data.sample_rate, resample.to};
  } catch (const ArgumentError& error) {
    throw DataKeyError("resample.to", "", error.what());
  }
}

bool RowFilter::is_needed(const DataConfig& data) {
  return data.filter.is_on || data.resample.by != ResampleConfig::By::none;
}

RowFilter::RowFilter(const DataConfig& data, std::int64_t channels)
    : channels_(channels),
      sections_(sections_of(data.filter, data.sample_rate.value_or(0.0))),
      kept_(kept_rows(data)),
      keeps_missing_(data.keeps_missing()) {
  antialias_ = antialias_of(kept_);
  std::vector<SosSection> all = sections_;
  all.insert(all.end(), antialias_.begin(), antialias_.end());
  const SosFilter filter(std::move(all));
  filters_.assign(static_cast<std::size_t>(channels), filter);
  begin_trial();
}

void RowFilter::begin_trial() {
  for (SosFilter& filter : filters_) filter.reset();
  last_.assign(static_cast<std::size_t>(channels_), kNotYetFiltered);
  row_ = 0;
  next_kept_ = 0;
}

bool RowFilter::keeps_next() const { return kept_.row_of(next_kept_) == row_; }

bool RowFilter::change(std::span<double> row) {
  for (std::size_t c = 0; c < filters_.size(); ++c) {
    double& value = row[c];
    const bool is_missing = std::isnan(value);
    if (is_missing && std::isnan(last_[c])) continue;  // nothing has come yet
    if (std::isnan(last_[c])) filters_[c].settle(value);
    if (!is_missing) last_[c] = value;
    const double filtered = filters_[c].step(last_[c]);
    if (!is_missing || !keeps_missing_) value = filtered;
  }
  const bool stays = keeps_next();
  ++row_;
  if (stays) ++next_kept_;
  return stays;
}

void RowFilter::fields(auto& self, auto& state) {
  state(self.row_, self.next_kept_, self.last_);
  for (auto& filter : self.filters_) state.part(filter, filter.state().size());
}

std::vector<double> RowFilter::state() const { return StateFields::of(*this); }

void RowFilter::set_state(std::span<const double> state) {
  StateFields::set(*this, "RowFilter", state);
}

}  // namespace gaia
