// SPDX-License-Identifier: MIT
/// \file
/// Rows that are objects of JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "row_fields.h"

namespace gaia {

/// Reads one object a line: numbers, null for what is missing, texts for labels and trials.  What
/// stands under other names may be anything, of any depth.
class JsonRow {
 public:
  explicit JsonRow(const RowFields& fields) : fields_(fields) {}

  /// Puts the object into `line`.  Returns why it cannot be used, empty where it can.
  std::string read(std::string_view text, RowLine& line);
  /// Names of the last object that no field has.
  const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  class Handler;

  void begin();

  const RowFields& fields_;
  std::vector<std::string> unknown_;
  std::vector<std::size_t> order_;  // numbers of the fields of the last object, in its order
  std::vector<std::int64_t> seen_;  // for each field, the row in which it was seen last
  std::int64_t rows_ = 0;
  std::string word_;
};

}  // namespace gaia
