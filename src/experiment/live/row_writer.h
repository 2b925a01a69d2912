// SPDX-License-Identifier: MIT
/// \file
/// Rows that a stream answers, as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "row_format.h"
#include "stream.h"

namespace gaia {

/// Writes a line for each answer, behind what a text holds already.  Every row has `step`, then the
/// fields of the stream; CSV ends with `error`, which objects of JSON have where there is one.
///
/// Numbers are the shortest that read back as they were; a class is its name.  What is not there is
/// empty in CSV and null in JSON, where infinity is null, too.
class RowWriter {
 public:
  /// \throws ConfigError for a field that is called step or error.
  RowWriter(RowFormat format, const std::vector<StreamField>& fields);

  /// The header of CSV.
  void begin(std::string& out) const;
  void row(const StreamAnswer& answer, std::string& out) const;
  /// Reports a row that could not be used: the step that it would have had, and why.
  void bad_row(std::int64_t step, std::string_view why, std::string& out) const;

 private:
  struct Field {
    std::string name;                  // name in the header, or before the value
    std::vector<std::string> classes;  // classes as they are written
  };

  std::string quoted(std::string_view text) const;
  void write(const Field& field, double value, std::string& out) const;
  void write_step(std::int64_t step, std::string& out) const;

  RowFormat format_;
  std::vector<Field> fields_;
};

}  // namespace gaia
