// SPDX-License-Identifier: MIT
/// \file
/// From the rows of a series to the samples that level 0 receives: normalised, then windowed.
#pragma once

#include <cstdint>
#include <exception>
#include <future>
#include <vector>

#include "../../array/array.h"
#include "../../io/series.h"
#include "../config/config.h"

namespace gaia {

/// Sample t of window k is the rows [t, t + k) of the series, oldest first, channels innermost.
/// Normalisation comes before, per channel over the rows that the steps use:
/// zscore (x - mean) / population standard deviation, minmax (x - min) / (max - min); a scale of 0
/// counts as 1; stored: by the offsets and scales of another run.
class SampleReader {
 public:
  /// Steps that can be asked for as targets beside those of a block.
  struct Reach {
    std::int64_t back = 0;
    std::int64_t ahead = 0;
  };

  /// Passes over the data once if it is to be normalised by what it is like itself.
  SampleReader(Series& series, const DataConfig& data, std::int64_t steps, DType dtype, Reach reach,
               bool needs_latents);
  /// Waits for what is being read.
  ~SampleReader();
  SampleReader(const SampleReader&) = delete;
  SampleReader& operator=(const SampleReader&) = delete;

  /// From here on a thread of its own reads the rows of the next block while the last one is used.
  /// Nobody else may read the series as long as this reader lives.
  void read_ahead() { reads_ahead_ = true; }

  std::int64_t steps() const { return steps_; }
  std::int64_t features() const { return window_ * channels_; }

  /// Whether latents can be asked for.
  bool has_latents() const { return latents_ > 0; }

  /// What is subtracted (mean or min) and divided by, per channel; empty without normalisation.
  const std::vector<double>& offset() const { return offset_; }
  const std::vector<double>& scale() const { return scale_; }

  /// Samples [first, first + count) as [count, features], on the CPU.  Following on the last call
  /// is cheap.  \throws DataError for content that cannot be used or does not fit the dtype.
  Array read(std::int64_t first, std::int64_t count);

  /// The newest row of the samples first, first + 1, ... in the block last read or within reach of
  /// it: channel `channel`, normalised, or latent `latent`.
  std::vector<double> channel(std::int64_t channel, std::int64_t first, std::int64_t count) const;
  std::vector<double> latent(std::int64_t latent, std::int64_t first, std::int64_t count) const;

 private:
  struct Rows {
    std::vector<double> values;   // [rows, channels_], normalised
    std::vector<double> latents;  // [rows, latents_]
  };

  void measure(Normalize normalize);
  void read_rows(std::int64_t first, std::int64_t count, Rows& rows) const;
  /// Makes the buffers hold the rows [begin, end) at least, and none before `begin`.
  void hold(std::int64_t begin, std::int64_t end);
  /// Rows from `end_` on.
  void append(const Rows& rows);
  /// Takes over what was read ahead, or why that failed.
  void take_rows_ahead();
  /// Begins to read the rows from `end_` to `end`.
  void begin_rows_ahead(std::int64_t end);

  Series& series_;
  std::int64_t steps_;
  std::int64_t window_;
  std::int64_t channels_;
  std::int64_t rows_;  // that the steps use
  Reach reach_;
  DType dtype_;
  std::int64_t latents_;  // 0 where they are not needed
  std::vector<double> offset_;
  std::vector<double> scale_;
  std::int64_t begin_ = 0;  // of the rows in the buffers
  std::int64_t end_ = 0;
  Rows held_;
  bool reads_ahead_ = false;
  Rows read_;  // last; kept, since memory that threads in turn get and free falls into pieces
  std::future<void> ahead_;         // reads from end_ on into read_
  std::exception_ptr ahead_error_;  // of reading from end_ on, which may never be asked for
};

}  // namespace gaia
