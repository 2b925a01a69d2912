// SPDX-License-Identifier: MIT
#include "carried_state.h"

namespace gaia {

void add_carried_state(const HierarchyManager& hierarchy, const std::string& prefix,
                       ArrayMap& arrays) {
  for (const NamedArray& array : hierarchy.state()) {
    if (array.role == NamedArray::Role::weights) continue;
    const bool is_here = array.value.device().is_cpu();
    arrays.emplace(prefix + array.name,
                   is_here ? array.value.copy() : array.value.to(Device::cpu()));
  }
}

void set_carried_state(HierarchyManager& hierarchy, const std::string& prefix,
                       const ArrayMap& arrays, std::int64_t step) {
  ArrayMap all;
  for (auto found = arrays.lower_bound(prefix);
       found != arrays.end() && found->first.starts_with(prefix); ++found) {
    all.emplace(found->first.substr(prefix.size()), found->second);
  }
  for (const NamedArray& array : hierarchy.state()) {
    if (array.role == NamedArray::Role::weights) all.emplace(array.name, array.value);
  }
  hierarchy.set_state(all, step);
}

void forget_carried_state(HierarchyManager& hierarchy, std::int64_t features, DType dtype) {
  hierarchy.reset_state();
  hierarchy.allocate_state(1, features, dtype);
}

}  // namespace gaia
