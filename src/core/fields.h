// SPDX-License-Identifier: MIT
/// \file
/// Named values as a tree, which anyone who talks to other programs passes on: as JSON, as dicts of
/// Python.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gaia {

struct FieldValue;
using Fields = std::vector<std::pair<std::string, FieldValue>>;
using FieldList = std::vector<FieldValue>;

struct FieldValue {
  FieldValue(std::int64_t value) : held(value) {}
  FieldValue(double value) : held(value) {}
  FieldValue(const char* value) : held(std::string(value)) {}
  FieldValue(std::string value) : held(std::move(value)) {}
  FieldValue(Fields value) : held(std::move(value)) {}
  FieldValue(FieldList value) : held(std::move(value)) {}
  template <class T>
  FieldValue(const std::vector<T>& values) : held(FieldList(values.begin(), values.end())) {}
  template <class... T>
  FieldValue(const std::variant<T...>& value)
      : FieldValue(std::visit([](const auto& one) { return FieldValue(one); }, value)) {}

  std::variant<std::int64_t, double, std::string, FieldList, Fields> held;
};

}  // namespace gaia
