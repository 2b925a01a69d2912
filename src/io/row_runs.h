// SPDX-License-Identifier: MIT
/// \file
/// Stretches of rows that a column tells apart: trials and groups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gaia {

/// Most names that are told apart.
constexpr std::size_t kMostRowNames = 1000000;

/// Rows in order, in stretches that have one name each.  A name may come back after another.
class RowRuns {
 public:
  /// The row has this name, as all up to the next that is noted.  false where there are too many
  /// names by now.
  bool note(std::int64_t row, std::string_view name);
  /// Adds the rows of a file that follows, the first of which is `row` here.
  bool append(const RowRuns& next, std::int64_t row);

  bool empty() const { return starts_.empty(); }
  /// First row of each stretch.
  const std::vector<std::int64_t>& starts() const { return starts_; }
  /// Number of its name; names are numbered in order of first appearance.
  const std::vector<std::int64_t>& ids() const { return ids_; }
  const std::vector<std::string>& names() const { return names_; }

  /// A name that comes back after another, the first of such, and where it does.
  struct Return {
    std::string name;
    std::int64_t row = 0;
  };
  const std::optional<Return>& first_return() const { return first_return_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> ids_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> numbers_;
  std::optional<Return> first_return_;
};

}  // namespace gaia
