// SPDX-License-Identifier: MIT
#include "csv_survey.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../core/error.h"
#include "../../io/columns.h"
#include "../../io/csv_header.h"
#include "../../io/csv_records.h"
#include "../../io/input_file.h"

namespace gaia {
namespace {

/// Takes the rows of one file of several; columns that the first of them does not have are not
/// looked at.
class CsvSurvey {
 public:
  explicit CsvSurvey(char decimal) : decimal_(decimal) {}

  void take(const std::string& path) {
    const InputFile file(path);
    CsvRecords records(file, decimal_);
    const CsvHeader header = read_csv_header(records, path, decimal_);
    check_csv_separator(records, decimal_);
    records.seek(header.data);
    if (names_.empty()) {
      names_ = header.names;
      surveys_.resize(names_.size());
    }
    std::vector<ColumnSurvey*> columns;  // null: of no other file
    for (const std::string& name : header.names) {
      const auto found = std::find(names_.begin(), names_.end(), name);
      columns.push_back(found == names_.end()
                            ? nullptr
                            : &surveys_[static_cast<std::size_t>(found - names_.begin())]);
    }
    // Of names that stand there twice each has a survey of its own.
    if (header.names == names_) {
      for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = &surveys_[i];
    }
    for (ColumnSurvey& survey : surveys_) survey.begin_trial();
    for (; records.next(); ++rows_) take_record(records, columns);
  }

  std::int64_t rows() const { return rows_; }
  std::vector<SurveyedColumn> columns() const {
    std::vector<SurveyedColumn> found;
    for (std::size_t i = 0; i < surveys_.size(); ++i) {
      found.push_back(surveys_[i].result(names_[i]));
    }
    return found;
  }

 private:
  void take_record(CsvRecords& records, const std::vector<ColumnSurvey*>& columns) const {
    const auto fields = records.fields();
    if (records.is_blank()) {
      if (columns.size() == 1 && columns[0] != nullptr) columns[0]->note_missing();
      return;
    }
    if (fields.size() != columns.size()) {
      records.fail(fmt::format("expected {} fields as in the first line, got {}", columns.size(),
                               fields.size()));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (columns[i] == nullptr) continue;
      const Cell cell = parse_cell(fields[i], decimal_);
      if (cell.kind == CellKind::number) {
        columns[i]->note_number(cell.value);
      } else if (cell.kind == CellKind::missing) {
        columns[i]->note_missing();
      } else {
        columns[i]->note_text(std::string(fields[i]), records.place().line);
      }
    }
  }

  char decimal_;
  std::vector<std::string> names_;
  std::vector<ColumnSurvey> surveys_;
  std::int64_t rows_ = 0;
};

}  // namespace

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
    } catch (const DataError&) {  // which is told when the file is read by the mark that is chosen
    }
    return numbers;
  };
  return numbers_by(',') > numbers_by('.') ? ',' : '.';
}

std::int64_t survey_csv(const std::vector<std::string>& paths, char decimal,
                        std::vector<SurveyedColumn>& columns) {
  CsvSurvey files(decimal);
  for (const std::string& path : paths) files.take(path);
  columns = files.columns();
  return files.rows();
}

}  // namespace gaia
