// SPDX-License-Identifier: MIT
/// \file
/// What the fields of a row mean, and the row that is built from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stream.h"

namespace gaia {

/// Names of the fields that a stream reads.
struct RowNames {
  std::vector<std::string> columns;
  std::vector<std::string> targets = {};
  std::string label = {};  ///< Empty: there is none.
  std::string trial = {};  ///< Empty: "trial".
  char decimal = '.';      ///< Mark in numbers of CSV: or a comma.
};

/// Names as a message shows them: the first of many.
std::string first_names(std::span<const std::string> names);

/// A line that has been read.
struct RowLine {
  enum class Kind : std::uint8_t {
    row,    ///< Row of data, or truth of an earlier row.
    empty,  ///< Nothing but blanks: the row after it begins a trial.
    bad,    ///< Line that cannot be used; `error` says why.
  };

  Kind kind = Kind::row;
  std::int64_t line = 0;  ///< Number of the line, from 1.
  StreamRow row = {};
  bool has_values = false;  ///< One of row.values is known.
  bool has_truth = false;   ///< A target or the label is known.
  std::optional<std::int64_t> step = {};
  std::string error = {};
};

/// A row, field by field.  Fields are numbered as `find` numbers them.
class RowFields {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  explicit RowFields(const RowNames& names);

  std::size_t size() const { return fields_.size(); }
  const std::string& name(std::size_t field) const { return fields_[field].name; }
  /// Number of the field of this name, or kNone.
  std::size_t find(std::string_view name) const;

  /// Begins a row of which nothing is known.
  void begin(RowLine& line) const;
  // Each puts what a field holds into the row, and returns why it cannot be used, empty where it
  // can; put_cell is for CSV.
  std::string put_cell(std::size_t field, std::string_view text, RowLine& line) const;
  std::string put_number(std::size_t field, double number, RowLine& line) const;
  std::string put_integer(std::size_t field, std::int64_t number, RowLine& line) const;
  std::string put_text(std::size_t field, std::string_view text, RowLine& line) const;
  /// Says that a field is not there after all.
  std::string refuse(std::size_t field, std::string_view what) const;
  /// When all fields are put.
  void end(RowLine& line) const;

 private:
  struct Field {
    std::string name;
    std::size_t value = kNone;   // place among the values
    std::size_t target = kNone;  // the same among the targets
    bool is_label = false;
    bool is_trial = false;
    bool is_step = false;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  Field& field_of(const std::string& name);
  void put_value(const Field& field, double number, RowLine& line) const;
  std::string put_name(const Field& field, std::string_view name, RowLine& line) const;

  char decimal_;
  std::size_t columns_;
  std::size_t targets_;
  std::vector<Field> fields_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> numbers_;
};

}  // namespace gaia
