// SPDX-License-Identifier: MIT
#include "array_map.h"

#include "../core/message.h"

namespace gaia {

ArrayMap arrays_below(const ArrayMap& arrays, const std::string& prefix) {
  ArrayMap below;
  for (auto found = arrays.lower_bound(prefix);
       found != arrays.end() && found->first.starts_with(prefix); ++found) {
    below.emplace(found->first.substr(prefix.size()), found->second);
  }
  return below;
}

const Array& array_of_state(const char* who, const ArrayMap& state, const std::string& name) {
  const auto found = state.find(name);
  if (found != state.end()) return found->second;
  fail<ArgumentError>("[{}] set_state: expected an array \"{}\", got none", who, name);
}

const Array& array_of_state(const char* who, const ArrayMap& state, const std::string& name,
                            const Shape& shape) {
  const Array& array = array_of_state(who, state, name);
  if (array.shape() == shape) return array;
  fail<ShapeError>("[{}] set_state: \"{}\": expected shape {}, got {}", who, name, shape,
                   array.shape());
}

}  // namespace gaia
