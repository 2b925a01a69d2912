// SPDX-License-Identifier: MIT
#include "csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"
#include "../core/parallel.h"
#include "columns.h"
#include "csv_cells.h"
#include "csv_columns.h"
#include "csv_header.h"
#include "csv_lines.h"
#include "csv_number.h"
#include "csv_records.h"
#include "csv_side.h"
#include "held_rows.h"
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
  /// Bytes whose lines are parsed together, about.
  static constexpr std::size_t kParsedTogether = std::size_t{1} << 20;

  void scan(const FileOptions& options);
  CsvLayout layout_of(std::span<const std::size_t> parsed) const;
  void scan_rows(std::vector<CsvColumn>& columns);
  bool has_only_numbers(std::span<const CsvColumn> columns) const;
  bool note_lines(std::vector<CsvColumn>& columns);
  void mark(std::int64_t row, CsvRecords::Place place);
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
  std::int64_t read_lines(std::int64_t most, double* out);

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

  HeldRows held_;
  std::vector<std::int64_t> held_channels_;  // place of each channel in a held row
  CsvLayout layout_;                         // columns of the first pass, then channels
  std::int64_t one_by_one_ = 0;  // records that begin before this byte are looked at one by one

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
  std::vector<std::size_t> scanned;
  for (const CsvColumn& column : columns) scanned.push_back(column.index);
  layout_ = layout_of(scanned);
  scan_rows(columns);
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
  layout_ = layout_of(columns_);
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

/// The layout of records of which the fields `parsed` are parsed.
CsvLayout CsvSeries::layout_of(std::span<const std::size_t> parsed) const {
  CsvLayout layout{records_.separator(), decimal_, std::ssize(parsed), {}};
  layout.places.assign(width_, CsvLayout::kNone);
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    layout.places[parsed[i]] = static_cast<std::int64_t>(i);
  }
  return layout;
}

void CsvSeries::scan_rows(std::vector<CsvColumn>& columns) {
  // What stands beside the levels' columns is read with them, row by row.
  const SidePlaces& beside = side_.places();
  const bool holds = !beside.time && beside.targets.empty() && !beside.labels;
  held_ = HeldRows(holds ? std::ssize(columns) : 0);
  std::int64_t blanks = 0;  // since the last row
  std::int64_t first_blank = 0;
  records_.seek(header_.data);
  for (;;) {
    if (blanks == 0 && has_only_numbers(columns) && note_lines(columns)) continue;
    if (!records_.next()) return;
    if (records_.is_blank()) {
      if (blanks++ == 0) first_blank = records_.place().line;
      continue;
    }
    note_blanks(columns, first_blank, blanks);
    blanks = 0;
    check_csv_length(records_, width_, decimal_);
    mark(rows_, records_.place());
    if (rows_ == 0) check_csv_separator(records_, decimal_);
    begin_row(columns, side_.note(records_));
    note_row(columns);
    ++rows_;
  }
}

/// Whether what is read of the records that come next should be nothing but numbers of one trial.
bool CsvSeries::has_only_numbers(std::span<const CsvColumn> columns) const {
  return side_.empty() && trial_length_ == 0 && records_.place_ahead().offset >= one_by_one_ &&
         std::all_of(columns.begin(), columns.end(), [](const CsvColumn& column) {
           return column.kind == CsvColumn::Kind::numbers;
         });
}

/// Takes the lines that come next, if it is numbers that stand there, as note_row() takes one.
bool CsvSeries::note_lines(std::vector<CsvColumn>& columns) {
  const std::string_view lines = records_.lines_ahead(kParsedTogether);
  const CsvRecords::Place begin = records_.place_ahead();
  one_by_one_ = begin.offset + static_cast<std::int64_t>(std::max<std::size_t>(lines.size(), 1));
  if (lines.empty()) return false;
  std::optional<CsvNumbers> numbers = parse_lines(lines, layout_);
  if (!numbers) return false;
  for (const CsvNumbers::Place& place : numbers->places) {
    mark(rows_ + place.row,
         {begin.offset + static_cast<std::int64_t>(place.byte), begin.line + place.row});
  }
  const std::int64_t width = layout_.width;
  parallel_for(width, [&](std::int64_t i) {
    CsvColumn column = std::move(columns[static_cast<std::size_t>(i)]);
    const double* value = numbers->values.get() + i;
    for (std::int64_t row = 0; row < numbers->rows; ++row, value += width) {
      column.note_count(rows_ + row, *value);
      column.gaps.note(*value, begin.line + row);
    }
    columns[static_cast<std::size_t>(i)] = std::move(column);
  });
  held_.add(std::move(numbers->values), numbers->rows);
  rows_ += numbers->rows;
  records_.skip_lines(lines.size(), numbers->rows);
  return true;
}

/// Keeps the place of `row`, the next one, unless that of a row shortly before is kept.
void CsvSeries::mark(std::int64_t row, CsvRecords::Place place) {
  if (marks_.empty() || row >= marks_.back().row + kRowsPerMark) marks_.push_back({row, place});
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
    held_.add(cell.value);
    if (column.kind == CsvColumn::Kind::text) {
      column.note_text(records_.fields()[column.index], cell, records_.place().line, decimal_);
      continue;
    }
    if (cell.kind != CellKind::number && cell.kind != CellKind::missing) {
      fail_cell(column.index, cell);
    }
    if (cell.kind == CellKind::number) column.kind = CsvColumn::Kind::numbers;
    column.is_rounded = column.is_rounded || rounds(records_.fields()[column.index], cell.value);
    column.note_count(rows_, cell.value);
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
      held_.add(missing);
      if (column.kind != CsvColumn::Kind::text) column.gaps.note(missing, first_line + i);
    }
    ++rows_;
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

/// Reads channels of the lines that come next, of `most` rows at most, if it is numbers that stand
/// there: of how many rows.
std::int64_t CsvSeries::read_lines(std::int64_t most, double* out) {
  const std::int64_t bytes = most * (file_.size() / rows_ + 1);
  std::string_view lines = records_.lines_ahead(static_cast<std::size_t>(
      std::clamp<std::int64_t>(bytes, 1, static_cast<std::int64_t>(kParsedTogether))));
  std::size_t end = 0;
  for (std::int64_t i = 0; i < most && end < lines.size(); ++i) end = lines.find('\n', end) + 1;
  lines = lines.substr(0, end);
  const std::optional<CsvNumbers> numbers = parse_lines(lines, layout_);
  if (!numbers) return 0;
  std::copy_n(numbers->values.get(), numbers->rows * layout_.width, out);
  records_.skip_lines(lines.size(), numbers->rows);
  return numbers->rows;
}

void CsvSeries::read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                               std::span<const std::size_t> wanted, std::span<SideValues> side) {
  check_range(first, count, out.size(), channels());
  make_room(count, wanted, side, side_.has_dates() || side_.has_counts());
  ensure_fill();
  file_.check_unchanged();
  if (wanted.empty() && first + count <= held_.rows()) {
    held_.read(first, count, held_channels_, out.data());
    return fill_gaps(file_.path(), gaps_, first, count, out);
  }
  std::int64_t row = first;
  try {
    go_to(first);
    double* value = out.data();
    while (wanted.empty() && row < first + count) {
      const std::int64_t rows = read_lines(first + count - row, value);
      if (rows == 0) break;
      row += rows;
      value += rows * channels();
    }
    for (; row < first + count; ++row) {
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
