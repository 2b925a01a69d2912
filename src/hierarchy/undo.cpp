// SPDX-License-Identifier: MIT
#include "undo.h"

#include "manager.h"

namespace gaia {

void HierarchyUndo::keep(HierarchyManager& hierarchy, std::int64_t steps, bool learn) {
  forget();
  hierarchy_ = &hierarchy;
  step_ = hierarchy.step_;
  for (HierarchicalLevel& level : hierarchy.levels_) level.keep(arrays_, step_, steps, learn);
}

void HierarchyUndo::keep_all(HierarchyManager& hierarchy) {
  forget();
  hierarchy_ = &hierarchy;
  step_ = hierarchy.step_;
  for (HierarchicalLevel& level : hierarchy.levels_) level.keep_all(arrays_);
}

void HierarchyUndo::put_back() {
  if (!is_active()) return;
  arrays_.put_back();
  for (HierarchicalLevel& level : hierarchy_->levels_) level.put_back();
  hierarchy_->step_ = step_;
  forget();
}

void HierarchyUndo::forget() {
  arrays_.forget();
  hierarchy_ = nullptr;
}

}  // namespace gaia
