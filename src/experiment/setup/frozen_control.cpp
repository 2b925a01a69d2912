// SPDX-License-Identifier: MIT
#include "frozen_control.h"

namespace gaia {

FrozenControl::FrozenControl(const HierarchyManager& hierarchy, std::int64_t features, DType dtype)
    : hierarchy_(hierarchy.clone()), features_(features), dtype_(dtype) {
  begin_trial();
}

void FrozenControl::begin_trial() {
  hierarchy_.reset_state();
  hierarchy_.allocate_state(1, features_, dtype_);
}

HierarchyBlock FrozenControl::process(const Array& x) {
  return hierarchy_.process_block(x.expand_dims(0), {.learn = false});
}

void FrozenControl::add_state(ArrayMap& arrays) const {
  for (const NamedArray& array : hierarchy_.state()) {
    if (array.role == NamedArray::Role::weights) continue;  // those that the run began with
    const bool is_here = array.value.device().is_cpu();
    arrays.emplace(array.name, is_here ? array.value.copy() : array.value.to(Device::cpu()));
  }
}

void FrozenControl::set_state(const ArrayMap& arrays, std::int64_t step) {
  ArrayMap all = arrays;
  for (const NamedArray& array : hierarchy_.state()) {
    if (array.role == NamedArray::Role::weights) all.emplace(array.name, array.value);
  }
  hierarchy_.set_state(all, step);
}

}  // namespace gaia
