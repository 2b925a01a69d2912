// SPDX-License-Identifier: MIT
#include "csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "../core/error.h"
#include "../core/log.h"
#include "../core/text.h"
#include "columns.h"
#include "csv_header.h"
#include "csv_records.h"
#include "csv_side.h"
#include "dates.h"
#include "input_file.h"
#include "table_series.h"

namespace gaia {
namespace {

/// A column that is looked at when the file is opened.
struct Column {
  enum class Kind { unknown, numbers, text };

  std::size_t index = 0;
  Gaps gaps;
  Kind kind = Kind::unknown;
  bool counts_rows = true;  // from 0 or 1 on, as long as it can be an index of pandas or R
  std::int64_t first_count = 0;
  // Of a column of text, which may be one of numbers with text in its first row:
  std::int64_t texts = 0;
  std::int64_t numbers = 0;
  std::int64_t first_line = 0;
  std::string first_text = {};
  std::int64_t first_other_line = 0;
  std::string first_other = {};  // that is a number with the other decimal mark
};

const char* name_of(char decimal) { return decimal == ',' ? "comma" : "point"; }

/// Where some rows begin, so that going back does not start over.
struct Mark {
  std::int64_t row;
  CsvRecords::Place place;
};

class CsvSeries final : public FileSeries {
 public:
  CsvSeries(const std::string& path, const CsvOptions& options)
      : file_(path, true),
        records_(file_, options.decimal),
        decimal_(options.decimal),
        header_(read_csv_header(records_, path, options.decimal)),
        width_(header_.names.size()),
        side_(path, options.side, header_.names, options.decimal),
        trial_length_(options.side.trial_length) {
    scan(options);
    file_.check_unchanged();
    keep_moments(std::min(options.measured, rows_), moments_of(gaps_));
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

  void scan(const CsvOptions& options);
  void begin_row(std::vector<Column>& columns, bool begins_trial);
  void note_row(std::vector<Column>& columns);
  void note_blanks(std::vector<Column>& columns, std::int64_t first_line, std::int64_t count);
  void note_text(Column& column, const Cell& cell) const;
  void check_text(const Column& column) const;
  void choose_numeric(std::vector<Column>& columns);
  bool is_index(const Column& column) const;
  void check_length() const;
  char other_decimal() const { return decimal_ == '.' ? ',' : '.'; }
  std::string decimal_hint() const;
  std::string date_hint(const std::string& name, std::string_view text) const;
  [[noreturn]] void fail_cell(std::size_t field, const Cell& cell) const;
  void read_side(std::span<const std::size_t> wanted, std::span<SideValues> side,
                 std::size_t row) const;
  void go_to(std::int64_t row);

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
  std::vector<Gaps> gaps_;
  std::int64_t rows_ = 0;

  std::vector<Mark> marks_;
  std::int64_t next_row_ = -1;  // that records_ goes to next; -1: not known
};

void CsvSeries::scan(const CsvOptions& options) {
  std::vector<Column> columns;
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
    check_length();
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
    choose_numeric(columns);
    warn_of_transposed(file_.path(), rows_, static_cast<std::int64_t>(columns.size()),
                       "transpose the table, by numpy.savetxt(\"NEW.csv\", "
                       "numpy.loadtxt(\"FILE.csv\", delimiter=\",\").T, delimiter=\",\")");
  }
  for (Column& column : columns) {
    columns_.push_back(column.index);
    names_.push_back(header_.names[column.index]);
    gaps_.push_back(std::move(column.gaps));
  }
  check_gaps(file_.path(), "line", names_, gaps_, options.missing);
  side_.end_of_rows();
  if (side_.places().time) times_ = side_.take_times();
  classes_ = side_.take_classes();
  std::vector<std::string> targets;
  for (const std::size_t target : side_.places().targets) targets.push_back(header_.names[target]);
  set_side_columns(options.side, targets);
}

void CsvSeries::begin_row(std::vector<Column>& columns, bool begins_trial) {
  const bool is_next = trial_length_ > 0 && rows_ % trial_length_ == 0;
  if (rows_ == 0 || !(begins_trial || is_next)) return;
  trial_starts_.push_back(rows_);
  for (Column& column : columns) column.gaps.begin_trial();
}

void CsvSeries::note_row(std::vector<Column>& columns) {
  for (Column& column : columns) {
    const Cell cell = parse_cell(records_.fields()[column.index], decimal_);
    if (cell.kind == CellKind::text && column.kind == Column::Kind::unknown && !is_asked_ &&
        way_to_write(records_.fields()[column.index], decimal_).empty()) {
      column.kind = Column::Kind::text;
      column.first_line = records_.place().line;
      column.first_text = records_.fields()[column.index];
    }
    if (column.kind == Column::Kind::text) {
      note_text(column, cell);
      continue;
    }
    if (cell.kind != CellKind::number && cell.kind != CellKind::missing) {
      fail_cell(column.index, cell);
    }
    if (cell.kind == CellKind::number) column.kind = Column::Kind::numbers;
    if (rows_ == 0) column.first_count = cell.value == 1.0 ? 1 : 0;
    column.counts_rows =
        column.counts_rows && cell.value == static_cast<double>(column.first_count + rows_);
    column.gaps.note(cell.value, records_.place().line);
  }
}

void CsvSeries::note_text(Column& column, const Cell& cell) const {
  const std::string_view text = records_.fields()[column.index];
  const bool is_text = cell.kind == CellKind::text && way_to_write(text, decimal_).empty();
  if (is_text) ++column.texts;
  if (cell.kind == CellKind::number || (cell.kind == CellKind::text && !is_text)) ++column.numbers;
  if (cell.kind != CellKind::text) return;
  if (!column.first_other.empty() || !is_number(text, other_decimal())) return;
  column.first_other_line = records_.place().line;
  column.first_other = text;
}

/// Whether a column that begins with text is no column of text.
void CsvSeries::check_text(const Column& column) const {
  const auto where = [&](std::int64_t line) {
    return fmt::format("{}:{}:{}: ", file_.path(), line, column.index + 1);
  };
  const std::string name = in_quotes(header_.names[column.index]);
  if (!column.first_other.empty()) {
    throw DataError(fmt::format(
        "{}expected numbers with a decimal {} in column {}, got {}; {}, or name the columns to "
        "read with data.columns",
        where(column.first_other_line), name_of(decimal_), name, in_quotes(column.first_other),
        decimal_hint()));
  }
  if (column.numbers > column.texts) {
    throw DataError(fmt::format(
        "{}expected a number, got {}, in column {}, which holds numbers in {} of its rows; leave a "
        "missing value empty (data.missing: interpolate, of gaia apply --missing interpolate, "
        "fills it), or name the columns to read "
        "with data.columns",
        where(column.first_line), in_quotes(column.first_text), name, column.numbers));
  }
}

/// Takes the empty lines between two rows.
void CsvSeries::note_blanks(std::vector<Column>& columns, std::int64_t first_line,
                            std::int64_t count) {
  if (count > 0 && width_ > 1) {
    throw DataError(fmt::format("{}:{}: expected {} fields, got an empty line", file_.path(),
                                first_line, width_));
  }
  for (std::int64_t i = 0; i < count; ++i) {
    begin_row(columns, false);
    for (Column& column : columns) {
      if (column.kind != Column::Kind::text) column.gaps.note(parse_cell("").value, first_line + i);
    }
    ++rows_;
  }
}

/// Leaves the columns of numbers.
void CsvSeries::choose_numeric(std::vector<Column>& columns) {
  if (columns.empty()) {
    throw DataError(fmt::format(
        "{}: expected a column for the levels beside those of data.time, data.targets, data.labels "
        "and data.trials, got none",
        file_.path()));
  }
  const Column& last = columns.back();
  const bool is_nameless = header_.names[last.index] == std::to_string(last.index);
  if (columns.size() > 1 && is_nameless && last.kind == Column::Kind::unknown) columns.pop_back();
  std::string left_out;
  std::string hint;
  for (const Column& column : columns) {
    if (column.kind != Column::Kind::text) continue;
    check_text(column);
    const std::string& name = header_.names[column.index];
    left_out += (left_out.empty() ? "" : ", ") + in_quotes(name);
    if (hint.empty() && !side_.places().time) hint = date_hint(name, column.first_text);
  }
  std::erase_if(columns, [](const Column& c) { return c.kind == Column::Kind::text; });
  const bool has_index = !columns.empty() && is_index(columns.front());
  if (has_index) columns.erase(columns.begin());
  if (columns.empty()) {
    throw DataError(fmt::format("{}: expected a column of numbers, {}{}{}", file_.path(),
                                side_.empty() ? fmt::format("all {} columns hold text", width_)
                                              : "all that no other key names hold text",
                                has_index ? " or count the rows" : "", hint));
  }
  std::unordered_map<std::string, std::size_t> seen;
  for (const Column& column : columns) {
    const auto [before, is_new] = seen.emplace(header_.names[column.index], column.index);
    if (!is_new) {
      throw DataError(
          fmt::format("{}: columns {} and {} are both called {}; select columns by index",
                      file_.path(), before->second, column.index, in_quotes(before->first)));
    }
  }
  if (!left_out.empty()) {
    log_warning(
        fmt::format("{}: left out, since they hold text: {}; name the columns to read "
                    "with data.columns{}",
                    file_.path(), left_out, hint));
  }
  if (has_index) {
    log_warning(fmt::format(
        "{}: left out, since it has no name and only counts the rows, as an index of pandas or R "
        "does: column 0; name the columns to read with data.columns, and 0 among them, to keep it",
        file_.path()));
  }
}

/// Whether it is what pandas and R put before the columns of a table.
bool CsvSeries::is_index(const Column& column) const {
  return column.index == 0 && header_.has_nameless_first && column.counts_rows && rows_ > 1;
}

void CsvSeries::check_length() const {
  const std::size_t got = records_.fields().size();
  if (got == width_) return;
  std::string hint;
  if (begins_as_comment(records_))
    hint = "; the line begins with '#', and there are no comments in CSV";
  if (width_ == 1 && got == 2) {
    const auto fields = records_.fields();
    const std::string joined = fmt::format("{},{}", fields[0], fields[1]);
    if (decimal_ == '.' && is_number(joined, ',')) hint = "; " + decimal_hint();
  }
  records_.fail(
      fmt::format("expected {} field{}, got {}{}", width_, width_ == 1 ? "" : "s", got, hint));
}

/// What to do where numbers have the other decimal mark.
std::string CsvSeries::decimal_hint() const {
  return fmt::format("set data.decimal: '{}' (of gaia apply --decimal {}) for a decimal {}{}",
                     other_decimal(), other_decimal(), name_of(other_decimal()),
                     decimal_ == '.' ? " (fields separated by semicolons or tabs)" : "");
}

/// What to do with a column whose text is a date.
std::string CsvSeries::date_hint(const std::string& name, std::string_view text) const {
  if (!parse_date(text)) return {};
  return fmt::format("; {} holds dates: data.time: {} makes them the time of the rows",
                     in_quotes(name), printable(name));
}

void CsvSeries::fail_cell(std::size_t field, const Cell& cell) const {
  const std::string got = in_quotes(records_.fields()[field]);
  if (cell.kind == CellKind::infinite) {
    records_.fail(field + 1, fmt::format("expected a finite number, got {}", got));
  }
  if (cell.kind == CellKind::out_of_range) {
    records_.fail(field + 1, fmt::format("expected a number that a double can hold, got {}", got));
  }
  std::vector<std::string> ways;
  if (field == 0 && begins_as_comment(records_)) ways.push_back("there are no comments in CSV");
  if (is_number(records_.fields()[field], other_decimal())) ways.push_back(decimal_hint());
  const std::string way = way_to_write(records_.fields()[field], decimal_);
  if (!way.empty()) ways.push_back(way);
  if (!way.empty() && !is_asked_) ways.push_back("or name the columns to read with data.columns");
  const bool is_other = ways.empty() && !side_.places().time;
  records_.fail(
      field + 1,
      fmt::format(
          "expected a number, got {}{}{}{}", got, ways.empty() ? "" : "; ", fmt::join(ways, ", "),
          is_other ? date_hint(header_.names[field], records_.fields()[field]) : std::string()));
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
    } else {
      std::get<std::vector<double>>(side[i])[row] = side_.time(records_);
    }
  }
}

void CsvSeries::read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                               std::span<const std::size_t> wanted, std::span<SideValues> side) {
  check_range(first, count, out.size(), channels());
  make_room(count, wanted, side, side_.has_dates());
  file_.check_unchanged();
  std::int64_t row = first;
  try {
    go_to(first);
    for (double* value = out.data(); row < first + count; ++row) {
      if (!records_.next()) records_.fail("the file ended before; it changed while it was read");
      check_length();
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

std::unique_ptr<FileSeries> open_csv(const std::string& path, const CsvOptions& options) {
  return std::make_unique<CsvSeries>(path, options);
}

}  // namespace gaia
