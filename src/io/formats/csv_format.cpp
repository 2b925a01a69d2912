// SPDX-License-Identifier: MIT
#include "csv_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

#include "../../core/error.h"
#include "../csv.h"
#include "../csv_header.h"
#include "../csv_number.h"
#include "../csv_records.h"
#include "../input_file.h"

namespace gaia {
namespace {

/// Takes the rows of one file of several; columns that the first of them does not have are not
/// looked at.
class CsvSurvey {
 public:
  CsvSurvey(char decimal, const TrialColumns& by) : decimal_(decimal), table_(by) {}

  void take(const std::string& path) {
    const InputFile file(path);
    CsvRecords records(file, decimal_);
    const CsvHeader header = read_csv_header(records, path, decimal_);
    check_csv_separator(records, decimal_);
    records.seek(header.data);
    if (table_.names().empty()) table_.set_names(header.names);
    const std::vector<std::string>& names = table_.names();
    places_.clear();
    for (std::size_t i = 0; i < header.names.size(); ++i) {
      const auto found = std::find(names.begin(), names.end(), header.names[i]);
      if (found != names.end())
        places_.push_back(static_cast<std::size_t>(found - names.begin()));
      else
        places_.push_back(kNone);
      // Names that stand there twice have a survey each.
      if (header.names == names) places_.back() = i;
    }
    trial_ = place_in_file(table_.by().trial);
    group_ = place_in_file(table_.by().group);
    table_.begin_part();
    while (records.next()) take_record(records);
  }

  TableSurvey result() const { return table_.result(); }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// Which field of a record a column of the first file is.
  std::size_t place_in_file(std::optional<std::size_t> column) const {
    const auto found = column ? std::find(places_.begin(), places_.end(), *column) : places_.end();
    return found == places_.end() ? kNone : static_cast<std::size_t>(found - places_.begin());
  }

  void take_record(CsvRecords& records) {
    const auto fields = records.fields();
    if (records.is_blank()) {
      table_.begin_row(0, 0);
      if (places_.size() == 1 && places_[0] != kNone) table_.column(places_[0]).note_missing();
      return;
    }
    if (fields.size() != places_.size()) {
      records.fail(fmt::format("expected {} fields as in the first line, got {}", places_.size(),
                               fields.size()));
    }
    const auto hash_of = [&](std::size_t place) {
      return place == kNone ? 0 : std::hash<std::string_view>{}(fields[place]);
    };
    table_.begin_row(hash_of(trial_), hash_of(group_));
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (places_[i] == kNone) continue;
      ColumnSurvey& column = table_.column(places_[i]);
      const Cell cell = parse_cell(fields[i], decimal_);
      if (cell.kind == CellKind::number) {
        column.note_number(cell.value, fields[i]);
      } else if (cell.kind == CellKind::missing) {
        column.note_missing();
      } else {
        column.note_text(std::string(fields[i]), records.place().line);
      }
    }
  }

  char decimal_;
  TableSurveyor table_;
  std::vector<std::size_t> places_;  // places of the fields of a record among the columns
  std::size_t trial_ = kNone;
  std::size_t group_ = kNone;
};

/// The decimal mark by which more of the first records of a file are numbers.
char decimal_of(const std::string& path) {
  const InputFile file(path);
  constexpr int kLooked = 100;
  const auto numbers_by = [&](char decimal) {
    std::int64_t numbers = 0;
    try {
      CsvRecords records(file, decimal);
      for (int i = 0; i < kLooked && records.next(); ++i) {
        for (const std::string_view field : records.fields()) {
          if (is_number(field, decimal)) ++numbers;
        }
      }
    } catch (const DataError&) {  // reported when the file is read by the mark that is chosen
    }
    return numbers;
  };
  return numbers_by(',') > numbers_by('.') ? ',' : '.';
}

}  // namespace

std::unique_ptr<FileSeries> CsvFormat::open(const std::string& path,
                                            const FileOptions& options) const {
  refuse_axes(path, options.axes);
  return open_csv(path, options);
}

FileSurvey CsvFormat::survey(const std::vector<std::string>& paths) const {
  FileSurvey survey{.names_columns = true};
  const char decimal = survey.options.decimal = decimal_of(paths.front());
  survey.table = survey_in_trials([&](const TrialColumns& by) {
    CsvSurvey files(decimal, by);
    for (const std::string& path : paths) files.take(path);
    return files.result();
  });
  return survey;
}

}  // namespace gaia
