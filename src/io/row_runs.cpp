// SPDX-License-Identifier: MIT
#include "row_runs.h"

namespace gaia {

bool RowRuns::note(std::int64_t row, std::string_view name) {
  if (!ids_.empty() && names_[static_cast<std::size_t>(ids_.back())] == name) return true;
  const auto found = numbers_.find(name);
  std::int64_t id = static_cast<std::int64_t>(names_.size());
  if (found != numbers_.end()) {
    id = found->second;
    if (!first_return_) first_return_ = Return{std::string(name), row};
  } else {
    if (names_.size() == kMostRowNames) return false;
    numbers_.emplace(name, id);
    names_.emplace_back(name);
  }
  starts_.push_back(row);
  ids_.push_back(id);
  return true;
}

bool RowRuns::append(const RowRuns& next, std::int64_t row) {
  for (std::size_t i = 0; i < next.starts_.size(); ++i) {
    const std::string& name = next.names_[static_cast<std::size_t>(next.ids_[i])];
    if (!note(row + next.starts_[i], name)) return false;
  }
  return true;
}

}  // namespace gaia
