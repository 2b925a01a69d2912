// SPDX-License-Identifier: MIT
#include "carried_state.h"

namespace gaia {

namespace {

Array on_host(const Array& array) {
  return array.device().is_cpu() ? array.copy() : array.to(Device::cpu());
}

/// Whether it is what the hierarchy has learnt, not what it carries from tick to tick.
bool is_learnt(const NamedArray& array) {
  using Role = NamedArray::Role;
  return array.role == Role::weights || array.role == Role::synapse || array.role == Role::noise;
}

}  // namespace

ArrayMap copied_state(const HierarchyManager& hierarchy) {
  ArrayMap copies;
  for (const NamedArray& array : hierarchy.state()) {
    copies.emplace(array.name, on_host(array.value));
  }
  return copies;
}

void add_carried_state(const HierarchyManager& hierarchy, const std::string& prefix,
                       ArrayMap& arrays) {
  for (const NamedArray& array : hierarchy.state()) {
    if (is_learnt(array)) continue;
    arrays.emplace(prefix + array.name, on_host(array.value));
  }
}

void set_carried_state(HierarchyManager& hierarchy, const std::string& prefix,
                       const ArrayMap& arrays, std::int64_t step) {
  ArrayMap all = arrays_below(arrays, prefix);
  for (const NamedArray& array : hierarchy.state()) {
    if (is_learnt(array)) all.emplace(array.name, array.value);
  }
  hierarchy.set_state(all, step);
}

void forget_carried_state(HierarchyManager& hierarchy, std::int64_t features, DType dtype) {
  hierarchy.reset_state();
  hierarchy.allocate_state(1, features, dtype);
}

}  // namespace gaia
