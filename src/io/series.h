// SPDX-License-Identifier: MIT
/// \file
/// A time series: rows of channels, from a file or from a generator, read block by block.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gaia {

class Series {
 public:
  virtual ~Series() = default;

  /// Number of rows.
  virtual std::int64_t rows() const = 0;

  /// One name per channel; files without names give "0", "1", ...
  virtual const std::vector<std::string>& channel_names() const = 0;
  std::int64_t channels() const { return static_cast<std::int64_t>(channel_names().size()); }

  /// out[r * channels() + c] = channel c of row first + r, for `count` rows.  Reading on from where
  /// the last call ended is cheap; going back may start over. \throws DataError for content that
  /// cannot be used, ArgumentError for rows that do not exist.
  virtual void read(std::int64_t first, std::int64_t count, std::span<double> out) = 0;

  /// What a generator knows and does not show, e.g. the processes behind a mixture: names of the
  /// latents, empty for files.
  virtual const std::vector<std::string>& latent_names() const;
  std::int64_t latents() const { return static_cast<std::int64_t>(latent_names().size()); }

  /// out[r * latents() + k] = latent k of row first + r.  \throws ArgumentError if there are none.
  virtual void read_latents(std::int64_t first, std::int64_t count, std::span<double> out);

 protected:
  /// \throws ArgumentError unless the rows exist and `out` has room for `width` numbers of each.
  void check_range(std::int64_t first, std::int64_t count, std::size_t room,
                   std::int64_t width) const;
};

}  // namespace gaia
