// SPDX-License-Identifier: MIT
#include "csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"
#include "columns.h"
#include "csv_cells.h"
#include "csv_columns.h"
#include "csv_header.h"
#include "csv_records.h"
#include "csv_side.h"
#include "input_file.h"
#include "table_series.h"
#include "whole_numbers.h"

namespace gaia {
namespace {

/// The place where some rows begin, so that going back does not start over.
struct Mark {
  std::int64_t row;
  CsvRecords::Place place;
};

class CsvSeries final : public FileSeries {
 public:
  CsvSeries(const std::string& path, const FileOptions& options)
      : file_(path, true),
        records_(file_, options.decimal),
        decimal_(options.decimal),
        header_(read_csv_header(records_, path, options.decimal)),
        width_(header_.names.size()),
        side_(path, options.side, header_.names, options.decimal),
        trial_length_(options.side.trial_length) {
    scan(options);
    file_.check_unchanged();
    if (!needs_fill()) keep_moments(std::min(options.measured, rows_), moments_of(gaps_));
  }

  std::int64_t rows() const override { return rows_; }
  const std::vector<std::string>& channel_names() const override { return names_; }
  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    read_with_side(first, count, out, {}, {});
  }
  void read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                      std::span<const std::size_t> wanted, std::span<SideValues> side) override;
  std::string sha256() override { return file_.sha256(); }

  const std::vector<std::string>& file_columns() const override { return header_.names; }
  std::string place_of(std::int64_t row) override;
  std::vector<std::string> paths() const override { return {file_.path()}; }

 private:
  static constexpr std::int64_t kRowsPerMark = 1024;
  /// Numbers that are held from the pass in which the file is opened, so that they need not be read
  /// again: 128 MiB.
  static constexpr std::int64_t kMostHeld = std::int64_t{1} << 24;
  static constexpr std::int64_t kHeldTogether = std::int64_t{1} << 17;  // about

  void scan(const FileOptions& options);
  void begin_row(std::vector<CsvColumn>& columns, bool begins_trial);
  void note_row(std::vector<CsvColumn>& columns);
  void note_blanks(std::vector<CsvColumn>& columns, std::int64_t first_line, std::int64_t count);
  [[noreturn]] void fail_cell(std::size_t field, const Cell& cell) const {
    fail_csv_cell(records_, header_.names[field], field, cell, decimal_,
                  {.is_asked = is_asked_, .has_time = side_.places().time.has_value()});
  }
  void read_side(std::span<const std::size_t> wanted, std::span<SideValues> side,
                 std::size_t row) const;
  void go_to(std::int64_t row);
  void hold(double value);
  std::int64_t held_rows() const;
  void read_held(std::int64_t first, std::int64_t count, double* out) const;

  InputFile file_;
  CsvRecords records_;
  char decimal_;
  CsvHeader header_;
  std::size_t width_;  // fields of a record
  CsvSide side_;
  std::int64_t trial_length_;
  bool is_asked_ = false;  // for columns

  std::vector<std::size_t> columns_;  // field of each channel
  std::vector<std::string> names_;
  std::int64_t rows_ = 0;

  bool holds_ = false;                       // the rows that come next
  std::vector<std::vector<double>> held_;    // the first rows, in pieces
  std::int64_t held_width_ = 0;              // numbers of a row
  std::int64_t held_together_ = 0;           // numbers of a piece: whole rows
  std::vector<std::int64_t> held_channels_;  // place of each channel in a row

  std::vector<Mark> marks_;
  std::int64_t next_row_ = -1;  // row that records_ goes to next; -1: not known
};

void CsvSeries::scan(const FileOptions& options) {
  std::vector<CsvColumn> columns;
  is_asked_ = !options.columns.empty();
  if (is_asked_) {
    const auto asked = select_columns(file_.path(), options.columns, header_.names);
    check_channels_apart(file_.path(), asked, side_.places(), header_.names);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const Moments before = options.before.empty() ? Moments() : options.before[i];
      columns.push_back({asked[i], Gaps(options.missing, options.measured, before)});
    }
  } else {
    for (std::size_t i = 0; i < width_; ++i) {
      if (side_.places().has(i)) continue;
      columns.push_back({i, Gaps(options.missing, options.measured)});
    }
  }
  // What stands beside the levels' columns is read with them, row by row.
  const SidePlaces& beside = side_.places();
  holds_ = !beside.time && beside.targets.empty() && !beside.labels;
  held_width_ = std::ssize(columns);
  if (held_width_ > 0) {
    held_together_ = std::max<std::int64_t>(1, kHeldTogether / held_width_) * held_width_;
  }
  std::vector<std::size_t> scanned;
  for (const CsvColumn& column : columns) scanned.push_back(column.index);
  std::int64_t blanks = 0;  // since the last row
  std::int64_t first_blank = 0;
  records_.seek(header_.data);
  while (records_.next()) {
    if (records_.is_blank()) {
      if (blanks++ == 0) first_blank = records_.place().line;
      continue;
    }
    note_blanks(columns, first_blank, blanks);
    blanks = 0;
    check_csv_length(records_, width_, decimal_);
    if (marks_.empty() || rows_ >= marks_.back().row + kRowsPerMark) {
      marks_.push_back({rows_, records_.place()});
    }
    if (rows_ == 0) check_csv_separator(records_, decimal_);
    begin_row(columns, side_.note(records_));
    note_row(columns);
    ++rows_;
  }
  if (rows_ == 0) throw DataError(fmt::format("{}: expected rows, got none", file_.path()));
  if (!is_asked_) {
    choose_numeric({.path = file_.path(),
                    .header = header_,
                    .decimal = decimal_,
                    .rows = rows_,
                    .has_side = !side_.empty(),
                    .has_time = side_.places().time.has_value()},
                   columns);
    warn_of_transposed(file_.path(), rows_, static_cast<std::int64_t>(columns.size()),
                       "transpose the table, by numpy.savetxt(\"NEW.csv\", "
                       "numpy.loadtxt(\"FILE.csv\", delimiter=\",\").T, delimiter=\",\")");
  }
  auto place = scanned.begin();
  for (CsvColumn& column : columns) {
    place = std::find(place, scanned.end(), column.index);
    held_channels_.push_back(place++ - scanned.begin());
    columns_.push_back(column.index);
    names_.push_back(header_.names[column.index]);
    gaps_.push_back(std::move(column.gaps));
  }
  check_gaps(file_.path(), "line", names_, gaps_, options.missing);
  side_.end_of_rows();
  if (side_.places().time) times_ = side_.take_times();
  classes_ = side_.take_classes();
  groups_ = side_.take_groups();
  trial_names_ = side_.take_trial_names();
  std::vector<std::string> targets;
  for (const std::size_t target : side_.places().targets) targets.push_back(header_.names[target]);
  set_side_columns(options.side, targets);
  if (side_.has_counts()) side_columns_.front().counts = true;
  std::vector<std::string> rounded;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].is_rounded) rounded.push_back(names_[i]);
  }
  warn_of_rounded(file_.path(), rounded);
}

void CsvSeries::begin_row(std::vector<CsvColumn>& columns, bool begins_trial) {
  const bool is_next = trial_length_ > 0 && rows_ % trial_length_ == 0;
  if (rows_ == 0 || !(begins_trial || is_next)) return;
  trial_starts_.push_back(rows_);
  for (CsvColumn& column : columns) column.gaps.begin_trial();
}

void CsvSeries::note_row(std::vector<CsvColumn>& columns) {
  for (CsvColumn& column : columns) {
    const Cell cell = parse_cell(records_.fields()[column.index], decimal_);
    if (cell.kind == CellKind::text && column.kind == CsvColumn::Kind::unknown && !is_asked_ &&
        way_to_write(records_.fields()[column.index], decimal_).empty()) {
      column.kind = CsvColumn::Kind::text;
      column.first_line = records_.place().line;
      column.first_text = records_.fields()[column.index];
    }
    hold(cell.value);
    if (column.kind == CsvColumn::Kind::text) {
      column.note_text(records_.fields()[column.index], cell, records_.place().line, decimal_);
      continue;
    }
    if (cell.kind != CellKind::number && cell.kind != CellKind::missing) {
      fail_cell(column.index, cell);
    }
    if (cell.kind == CellKind::number) column.kind = CsvColumn::Kind::numbers;
    column.is_rounded = column.is_rounded || rounds(records_.fields()[column.index], cell.value);
    if (rows_ == 0) column.first_count = cell.value == 1.0 ? 1 : 0;
    column.counts_rows =
        column.counts_rows && cell.value == static_cast<double>(column.first_count + rows_);
    column.gaps.note(cell.value, records_.place().line);
  }
}

/// Takes the empty lines between two rows.
void CsvSeries::note_blanks(std::vector<CsvColumn>& columns, std::int64_t first_line,
                            std::int64_t count) {
  if (count > 0 && width_ > 1) {
    throw DataError(fmt::format("{}:{}: expected {} fields, got an empty line", file_.path(),
                                first_line, width_));
  }
  for (std::int64_t i = 0; i < count; ++i) {
    begin_row(columns, false);
    for (CsvColumn& column : columns) {
      const double missing = parse_cell("").value;
      hold(missing);
      if (column.kind != CsvColumn::Kind::text) column.gaps.note(missing, first_line + i);
    }
    ++rows_;
  }
}

/// Holds the next number of the pass in which the file is opened, as long as there is room.
void CsvSeries::hold(double value) {
  if (!holds_) return;
  if (held_.empty() || std::ssize(held_.back()) == held_together_) {
    if (std::ssize(held_) * held_together_ >= kMostHeld) {
      holds_ = false;
      return;
    }
    held_.emplace_back().reserve(static_cast<std::size_t>(held_together_));
  }
  held_.back().push_back(value);
}

std::int64_t CsvSeries::held_rows() const {
  if (held_.empty()) return 0;
  return ((std::ssize(held_) - 1) * held_together_ + std::ssize(held_.back())) / held_width_;
}

void CsvSeries::read_held(std::int64_t first, std::int64_t count, double* out) const {
  const std::int64_t rows = held_together_ / held_width_;  // of a piece
  for (std::int64_t row = first; row < first + count; ++row) {
    const double* const from =
        held_[static_cast<std::size_t>(row / rows)].data() + row % rows * held_width_;
    for (const std::int64_t channel : held_channels_) *out++ = from[channel];
  }
}

/// Makes records_ go to `row` next.
void CsvSeries::go_to(std::int64_t row) {
  const auto after = std::upper_bound(marks_.begin(), marks_.end(), row,
                                      [](std::int64_t r, const Mark& m) { return r < m.row; });
  // Empty lines may stand before the first mark.
  const Mark mark = after == marks_.begin() ? Mark{0, header_.data} : *(after - 1);
  if (next_row_ < 0 || row < next_row_ || next_row_ < mark.row) {
    records_.seek(mark.place);
    next_row_ = mark.row;
  }
  for (; next_row_ < row; ++next_row_) {
    if (!records_.next()) records_.fail("the file ended before; it changed while it was read");
  }
}

std::string CsvSeries::place_of(std::int64_t row) {
  go_to(row);
  records_.next();
  next_row_ = row + 1;
  return fmt::format("{}:{}", file_.path(), records_.place().line);
}

void CsvSeries::read_side(std::span<const std::size_t> wanted, std::span<SideValues> side,
                          std::size_t row) const {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const SideColumn& column = side_columns_[wanted[i]];
    if (column.role == SideColumn::Role::label) {
      std::string buffer;
      std::get<std::vector<std::int64_t>>(side[i])[row] =
          classes_.code(side_.label(records_, buffer));
    } else if (column.role == SideColumn::Role::target) {
      const std::size_t first = side_.places().time ? 1 : 0;
      std::get<std::vector<double>>(side[i])[row] = side_.target(records_, wanted[i] - first);
    } else if (side_.has_dates()) {
      std::get<std::vector<std::int64_t>>(side[i])[row] = side_.date(records_);
    } else if (side_.has_counts()) {
      std::get<std::vector<std::int64_t>>(side[i])[row] = side_.count(records_);
    } else {
      std::get<std::vector<double>>(side[i])[row] = side_.time(records_);
    }
  }
}

void CsvSeries::read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                               std::span<const std::size_t> wanted, std::span<SideValues> side) {
  check_range(first, count, out.size(), channels());
  make_room(count, wanted, side, side_.has_dates() || side_.has_counts());
  ensure_fill();
  file_.check_unchanged();
  if (wanted.empty() && first + count <= held_rows()) {
    read_held(first, count, out.data());
    return fill_gaps(file_.path(), gaps_, first, count, out);
  }
  std::int64_t row = first;
  try {
    go_to(first);
    for (double* value = out.data(); row < first + count; ++row) {
      if (!records_.next()) records_.fail("the file ended before; it changed while it was read");
      check_csv_length(records_, width_, decimal_);
      for (const std::size_t column : columns_) {
        const Cell cell = parse_cell(records_.fields()[column], decimal_);
        if (cell.kind != CellKind::number && cell.kind != CellKind::missing) {
          fail_cell(column, cell);
        }
        *value++ = cell.value;
      }
      read_side(wanted, side, static_cast<std::size_t>(row - first));
    }
  } catch (...) {
    next_row_ = -1;
    throw;
  }
  next_row_ = row;
  file_.check_unchanged();
  fill_gaps(file_.path(), gaps_, first, count, out);
}

}  // namespace

std::unique_ptr<FileSeries> open_csv(const std::string& path, const FileOptions& options) {
  return std::make_unique<CsvSeries>(path, options);
}

}  // namespace gaia
