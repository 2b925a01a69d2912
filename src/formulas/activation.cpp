// SPDX-License-Identifier: MIT
#include "activation.h"

#include "../core/names.h"

namespace gaia {
namespace {

constexpr auto kNames = []<class... Entries>(std::type_identity<std::tuple<Entries...>> /*all*/) {
  return NameTable<Activation, sizeof...(Entries)>{{{Entries::name, Entries::activation}...}};
}(std::type_identity<ActivationTable>{});

}  // namespace

std::string to_string(Activation activation) { return name_of(kNames, activation); }

std::vector<std::string> activation_names() { return names_of(kNames); }

Activation activation_from_name(std::string_view name) {
  return from_name(kNames, name, "activation");
}

}  // namespace gaia
