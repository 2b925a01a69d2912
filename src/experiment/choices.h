// SPDX-License-Identifier: MIT
/// \file
/// Choices out of names: what the descriptions of keys are made with.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../array/activation.h"
#include "../layers/init.h"
#include "visitor.h"

namespace gaia {

/// A Choice for an enumeration with to_string and a function from names.
template <class Enum, class FromName>
Choice choice_of(std::vector<std::string> known, Enum& value, FromName from_name) {
  return {std::move(known), [&value] { return to_string(value); },
          [&value, from_name](const std::string& name) { value = from_name(name); }};
}

/// A Choice among the alternatives of a variant, named in their order.
template <class... Alternatives>
Choice choice_of(std::vector<std::string> known, std::variant<Alternatives...>& value) {
  const std::vector<std::string> names = known;
  return {std::move(known), [&value, names] { return names[value.index()]; },
          [&value, names](const std::string& name) {
            const std::variant<Alternatives...> defaults[] = {Alternatives{}...};
            for (std::size_t i = 0; i < names.size(); ++i) {
              // Keep what is there if it is of this kind already.
              if (names[i] == name && value.index() != i) value = defaults[i];
            }
          }};
}

inline Choice activations(Activation& value) {
  return choice_of({"linear", "relu", "leaky_relu", "tanh", "sigmoid", "softmax", "gelu"}, value,
                   activation_from_name);
}

inline Choice inits(Init& value) {
  return choice_of({"he", "xavier", "normal", "uniform", "orthogonal"}, value, init_from_name);
}

}  // namespace gaia
