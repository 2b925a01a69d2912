// SPDX-License-Identifier: MIT
/// \file
/// A time series: rows of channels, from a file or from a generator, read block by block.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "moments.h"
#include "row_runs.h"

namespace gaia {

/// A column that stands beside the channels of a series, which no level ever reads.
struct SideColumn {
  /// What it is for: hidden processes of a generator; when rows were taken; what is to be
  /// predicted; the class of each row.
  enum class Role { latent, time, target, label };
  Role role = Role::latent;
  std::string name;
  bool counts = false;  ///< Times that are whole numbers, some beyond 2^53, and no dates.

  bool operator==(const SideColumn&) const = default;
};

/// The numbers of a side column, one a row: whole ones (nanoseconds since 1970 of dates, classes,
/// times that count beyond 2^53) or others (latents, targets, other times).
using SideValues = std::variant<std::vector<double>, std::vector<std::int64_t>>;

/// Rows [begin, end) of a series.
struct RowRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  bool operator==(const RowRange&) const = default;
};

/// More rows than any series has.
constexpr std::int64_t kAllRows = std::numeric_limits<std::int64_t>::max();

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
  /// Whether any row costs as much as the next one.
  virtual bool reads_at_random() const { return false; }

  /// What a generator knows and does not show, e.g. the processes behind a mixture: names of the
  /// latents, empty for files.
  virtual const std::vector<std::string>& latent_names() const;
  std::int64_t latents() const { return static_cast<std::int64_t>(latent_names().size()); }

  /// out[r * latents() + k] = latent k of row first + r.  \throws ArgumentError if there are none.
  virtual void read_latents(std::int64_t first, std::int64_t count, std::span<double> out);

  /// What stands beside the channels in every row; if nothing else is said, the latents.
  virtual std::vector<SideColumn> side_columns() const;

  /// read(), and with it, in one go, side[i] = column wanted[i] of side_columns() in these rows.
  virtual void read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                              std::span<const std::size_t> wanted, std::span<SideValues> side);

  /// Rows at which a trial begins, in order, 0 first: nothing is carried over from one trial to the
  /// next.  A series of one piece has one.
  virtual const std::vector<std::int64_t>& trial_starts() const;

  /// What rows belong together, as the file says (data.groups): for every row one group, which may
  /// come back.  Empty where it does not say it.
  virtual const RowRuns& groups() const;
  /// What tells trials apart, where a column does, in the first file in which one comes back after
  /// another.
  virtual std::optional<RowRuns::Return> returning_trial() const { return std::nullopt; }

  /// Names of the classes that the side column of role `label` numbers from 0, in alphabetical
  /// order (of integers, in theirs); a row without a label has -1.  Empty without labels.
  virtual const std::vector<std::string>& classes() const;

  /// Rows a second, all of them evenly apart within a trial, where the files say it themselves, as
  /// recordings of sound and EEG do; nothing where they do not, or not all of them the same.
  virtual std::optional<double> sample_rate() const;

  /// How many rows, from the first on, are to be learnt from, where the data say it themselves: the
  /// training images come before the test images.
  virtual std::optional<std::int64_t> training_rows() const;

  /// Row of the source that a row is: another one, or one that comes more than once, where rows are
  /// put in an order (OrderedSeries).
  virtual std::int64_t source_row(std::int64_t row) const { return row; }

  /// [height, width] or [height, width, colours] of the picture that a row is, the last innermost;
  /// empty if it is none, or not known to be one.
  virtual std::vector<std::int64_t> picture_shape() const;

  /// The stretches of the rows [first, first + count), in order, in which channel `channel` was
  /// missing and has been filled (MissingPolicy); a gap across the border of two trials is two.
  virtual std::vector<RowRange> filled(std::int64_t channel, std::int64_t first,
                                       std::int64_t count) const;
  /// Whether a trial begins with missing values for which fill() stands.
  virtual bool needs_fill() const { return false; }
  /// What stands before the first value of a trial, a number per channel.  Of who reads such rows
  /// and has not told, it is the mean of what is present in all rows, for which they are read once
  /// more.
  void set_fill(std::vector<double> fill);
  const std::vector<double>& fill() const { return fill_; }
  /// Moments of each channel over what is present in these rows, by one pass over them; kept until
  /// those of other rows are asked for.
  const std::vector<Moments>& moments_of_present(std::span<const RowRange> rows);

  /// Moments of each channel over these rows, as they are read: those that keep_moments() was told,
  /// or by one pass over the rows.  They are kept until those of other rows are asked for.
  const std::vector<Moments>& moments(std::span<const RowRange> rows);
  /// The same of the rows [0, rows).
  const std::vector<Moments>& moments(std::int64_t rows);

  /// SHA-256 of the file that the rows are read from, as it was when they were read for the first
  /// time; empty if there is none.  \throws DataError if the file has changed since it was opened.
  virtual std::string sha256();

  /// Every file that the series is read from, and the SHA-256 of each.  \throws as sha256().
  virtual std::vector<std::string> paths() const { return {}; }
  virtual std::vector<std::string> hashes();

 protected:
  /// Takes what set_fill() was told.
  virtual void take_fill(std::span<const double> /*fill*/) {}
  /// To be called before rows are read: sees to it that there is a fill value where one is needed.
  void ensure_fill();

  /// Keeps what a first pass has found of the rows [0, rows).
  void keep_moments(std::int64_t rows, std::vector<Moments> moments);

  /// \throws ArgumentError unless the rows exist and `out` has room for `width` numbers of each.
  void check_range(std::int64_t first, std::int64_t count, std::size_t room,
                   std::int64_t width) const;

 private:
  std::vector<double> fill_;            // empty: nobody has told
  std::vector<RowRange> present_rows_;  // rows that present_ is of
  std::vector<Moments> present_;
  std::vector<RowRange> measured_;  // rows that moments_ are of
  std::vector<Moments> moments_;
};

}  // namespace gaia
