// SPDX-License-Identifier: MIT
/// \file
/// Power spectral densities of series that come row by row.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gaia::report {

struct Spectrum {
  std::vector<double> frequency;  ///< Cycles per row, 0 to 0.5.
  std::vector<double> density;    ///< Mean over the channels, unit^2 per (cycle per row).
  std::int64_t segments = 0;      ///< Averaged; 0: the series was too short.
};

/// One-sided power spectral density by averaged periodograms: segments of equal length that overlap
/// by half, their mean taken off, under a Hann window.  The integral over all frequencies is the
/// variance.  Welch (1967), IEEE Trans. Audio Electroacoust. 15, 70-73.
class Welch {
 public:
  /// `length` rows per segment, a power of two from 4 on; `channels` of them side by side.
  Welch(std::int64_t channels, std::int64_t length);
  ~Welch();
  Welch(Welch&&) noexcept;
  Welch(const Welch&) = delete;

  /// Takes the next row [channels].  A number that is not finite spoils the segments that hold it,
  /// which are left out.
  void add(std::span<const double> row);
  /// The next row does not follow on the last one.
  void interrupt();

  Spectrum spectrum() const;

  /// Rows per segment that suit a series of `rows` rows: 16 to 4096 of them, longer ones only where
  /// many segments remain to be averaged.
  static std::int64_t segment_length(std::int64_t rows);

 private:
  struct Transform;  // Eigen's FFT stays out of the header

  void take_segment();

  std::int64_t channels_;
  std::int64_t length_;
  std::int64_t held_ = 0;       // rows in the buffer
  std::vector<double> rows_;    // [length, channels]
  std::vector<double> window_;  // [length]
  std::vector<double> power_;   // [length / 2 + 1], sums over segments and channels
  std::int64_t segments_ = 0;   // segments of all channels together
  std::int64_t stretches_ = 0;  // segments in time
  std::unique_ptr<Transform> transform_;
};

}  // namespace gaia::report
