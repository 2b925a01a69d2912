// SPDX-License-Identifier: MIT
#include "whitened_series.h"

#include <algorithm>
#include <utility>

namespace gaia {
namespace {

constexpr std::int64_t kPiece = 512;  // rows

}  // namespace

WhitenedSeries::WhitenedSeries(std::unique_ptr<Series> series, std::int64_t rows, double epsilon)
    : ForwardingSeries(std::move(series)), most_(rows), measured_{{0, rows}}, epsilon_(epsilon) {}

WhitenedSeries::WhitenedSeries(std::unique_ptr<Series> series, Whitening whitening)
    : ForwardingSeries(std::move(series)), whitening_(std::move(whitening)) {}

void WhitenedSeries::limit(std::vector<RowRange> rows) {
  if (most_ == 0) return;
  std::int64_t left = most_;
  for (RowRange& range : rows) {
    range.end = std::min(range.end, range.begin + left);
    left -= range.end - range.begin;
  }
  std::erase_if(rows, [](const RowRange& range) { return range.begin == range.end; });
  if (rows == measured_) return;
  measured_ = std::move(rows);
  whitening_.reset();
  held_ = -1;
  keep_moments(0, {});
}

const Whitening& WhitenedSeries::whitening() {
  if (whitening_) return *whitening_;
  Covariance covariance(channels());
  std::vector<double> rows;
  for (const RowRange& range : measured_) {
    for (std::int64_t first = range.begin; first < range.end; first += kPiece) {
      const std::int64_t count = std::min(kPiece, range.end - first);
      rows.resize(static_cast<std::size_t>(count * channels()));
      within().read(first, count, rows);
      covariance.add(rows);
    }
  }
  whitening_ = zca_whitening(covariance, epsilon_);
  return *whitening_;
}

void WhitenedSeries::hold(std::int64_t number) {
  if (held_ == number) return;
  const std::int64_t first = number * kPiece;
  const std::int64_t count = std::min(kPiece, rows() - first);
  held_ = -1;
  piece_.resize(static_cast<std::size_t>(count * channels()));
  within().read(first, count, piece_);
  piece_ = whitening().transform(piece_);
  held_ = number;
}

void WhitenedSeries::read(std::int64_t first, std::int64_t count, std::span<double> out) {
  check_range(first, count, out.size(), channels());
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t row = first + done;
    const std::int64_t number = row / kPiece;
    hold(number);
    const std::int64_t now = std::min(count - done, (number + 1) * kPiece - row);
    std::copy_n(piece_.begin() + (row - number * kPiece) * channels(), now * channels(),
                out.begin() + done * channels());
    done += now;
  }
}

void WhitenedSeries::read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                                    std::span<const std::size_t> wanted,
                                    std::span<SideValues> side) {
  if (!wanted.empty()) within().read_with_side(first, count, out, wanted, side);
  read(first, count, out);
}

void limit_whitening(Series& series, std::vector<RowRange> rows) {
  auto* const whitened = dynamic_cast<WhitenedSeries*>(&series);
  if (whitened != nullptr) whitened->limit(std::move(rows));
}

const Whitening* whitening_of(Series& series) {
  auto* whitened = dynamic_cast<WhitenedSeries*>(&series);
  return whitened == nullptr ? nullptr : &whitened->whitening();
}

}  // namespace gaia
