// SPDX-License-Identifier: MIT
/// \file
/// A series whose rows are whitened as they are read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "../../io/forwarding_series.h"
#include "../../learning/whitening.h"

namespace gaia {

/// Channels of such a series, at most: 128 MiB of covariance.
inline constexpr std::int64_t kWidestWhitened = 4096;

/// Row x of the series within becomes W (x - mean).  Everything else (names, labels, pictures'
/// shape, rows to learn from) is as it is there.
///
/// Rows are whitened in pieces that begin at multiples of a fixed number, so that the same rows are
/// the same numbers however they are asked for.
class WhitenedSeries final : public ForwardingSeries {
 public:
  /// W is found by one pass over the first `rows` rows that it may be found by (zca_whitening; at
  /// first all), when it is needed first.
  WhitenedSeries(std::unique_ptr<Series> series, std::int64_t rows, double epsilon);
  /// `whitening` is of as many features as the series has channels.
  WhitenedSeries(std::unique_ptr<Series> series, Whitening whitening);

  const Whitening& whitening();

  /// From here on W is found by none but those of that many rows that lie in `rows`, which are in
  /// order.
  void limit(std::vector<RowRange> rows);

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override;
  void read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                      std::span<const std::size_t> wanted, std::span<SideValues> side) override;

 private:
  /// Makes piece_ hold piece `number`.
  void hold(std::int64_t number);

  std::int64_t most_ = 0;           // rows that W may be found by; 0: it was given
  std::vector<RowRange> measured_;  // rows that W is found by
  double epsilon_ = 0.0;
  std::optional<Whitening> whitening_;
  std::int64_t held_ = -1;  // number of the piece in piece_; -1: none
  std::vector<double> piece_;
};

/// WhitenedSeries::limit() of a series that is one.
void limit_whitening(Series& series, std::vector<RowRange> rows);

/// How the rows of a series are whitened; null if they are not.  Finds it if nobody has so far.
const Whitening* whitening_of(Series& series);

}  // namespace gaia
