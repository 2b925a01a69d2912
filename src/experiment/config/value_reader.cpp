// SPDX-License-Identifier: MIT
#include "value_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "../../core/text.h"

namespace gaia {
namespace {

std::string describe_both_ends(IntegerRange range) {
  return fmt::format("an integer from {} to {}", range.least, range.most);
}

/// 1000 for 1e3; nothing for what is no integer.
std::string integer_text(double value) {
  return std::floor(value) == value && std::abs(value) < 0x1p53 ? fmt::format("{:.0f}", value) : "";
}

bool contains(IntegerRange range, std::int64_t value) {
  return value >= range.least && value <= range.most;
}

bool contains(NumberRange range, double value) {
  const bool above = range.above_least ? value > range.least : value >= range.least;
  const bool below = range.below_most ? value < range.most : value <= range.most;
  return above && below;
}

}  // namespace

std::string describe_range(IntegerRange range) {
  if (range.most >= std::int64_t{1} << 48) return fmt::format("an integer >= {}", range.least);
  return describe_both_ends(range);
}

std::string describe_range(NumberRange range) {
  const bool has_least = range.least > -kLargest;
  const bool has_most = range.most < kLargest;
  if (has_least && has_most) {
    return fmt::format("a number in {}{}, {}{}", range.above_least ? "(" : "[", range.least,
                       range.most, range.below_most ? ")" : "]");
  }
  if (has_least) return fmt::format("a number {} {}", range.above_least ? ">" : ">=", range.least);
  return "a number";
}

void ValueReader::wrong(const YamlNode& node, const std::string& expected) const {
  problems_.add(node.origin, path_, "expected " + expected + ", got " + node.describe());
}

bool ValueReader::integer(const YamlNode& node, IntegerRange range, std::int64_t& value,
                          const char* word) const {
  const bool is_plain = node.kind == YamlNode::Kind::scalar && !node.quoted;
  const auto parsed = is_plain ? parse_integer(node.text) : std::nullopt;
  if (!parsed || !contains(range, *parsed)) {
    // Beyond what the shorter form leaves out.
    const auto number = parse_number(node.text);
    const bool is_beyond =
        number && !(*number <= static_cast<double>(range.most) && *number < 0x1p63);
    const std::string expected = is_beyond ? describe_both_ends(range) : describe_range(range);
    wrong_number(node, word == nullptr ? expected : expected + ", or " + word,
                 number && !is_beyond ? integer_text(*number) : "");
    return false;
  }
  value = *parsed;
  return true;
}

bool ValueReader::number(const YamlNode& node, NumberRange range, double& value,
                         const std::string& expected) const {
  const bool is_plain = node.kind == YamlNode::Kind::scalar && !node.quoted;
  const auto parsed = is_plain ? parse_number(node.text) : std::nullopt;
  if (!parsed || !contains(range, *parsed)) {
    wrong_number(node, expected, "");
    return false;
  }
  value = *parsed;
  return true;
}

void ValueReader::wrong_number(const YamlNode& node, const std::string& expected,
                               const std::string& integer) const {
  std::string got = node.describe();
  if (node.kind == YamlNode::Kind::scalar && node.quoted && parse_number(node.text)) {
    got += " in quotes, which make it a text";
  } else if (!integer.empty() && integer != node.text) {
    got += "; write " + integer;
  }
  problems_.add(node.origin, path_, "expected " + expected + ", got " + got);
}

std::vector<NamedEntry> ValueReader::entries(const YamlNode& node, EntryForm form) const {
  std::vector<NamedEntry> values;
  if (node.kind == YamlNode::Kind::null) return values;
  if (node.kind != YamlNode::Kind::map) {
    wrong(node, "a map of names");
    return values;
  }
  for (const YamlNode::Entry& one : node.entries) {
    NamedEntry read{one.key, 0.0};
    if (ValueReader(problems_, path_ + "." + one.key).entry(one.value, form, read)) {
      values.push_back(std::move(read));
    }
  }
  return values;
}

bool ValueReader::entry(const YamlNode& node, EntryForm form, NamedEntry& read) const {
  const auto is_wrong = [&](const YamlNode& at, const char* expected) {
    wrong(at, expected);
    return false;
  };
  if (form == EntryForm::setting) {
    read.value = value_text(node);
    return true;
  }
  const auto is_word = [](const YamlNode& one) {
    return one.kind == YamlNode::Kind::scalar && !one.text.empty();
  };
  const auto number = is_word(node) && !node.quoted ? parse_number(node.text) : std::nullopt;
  const bool is_finite = number && std::isfinite(*number);
  if (form != EntryForm::name_or_names && is_finite) {
    read.value = *number;
    return true;
  }
  if (form == EntryForm::number) return is_wrong(node, "a number");
  if (form == EntryForm::number_or_name && (number || !is_word(node))) {
    return is_wrong(node, "a number, or the name of a parameter");
  }
  if (is_word(node)) {
    read.value = node.text;
    return true;
  }
  if (node.kind != YamlNode::Kind::list || node.items.empty()) {
    return is_wrong(node, "a name, or a list of names");
  }
  std::vector<std::string> names;
  for (const YamlNode& item : node.items) {
    if (!is_word(item)) return is_wrong(item, "a name");
    names.push_back(item.text);
  }
  read.value = std::move(names);
  return true;
}

}  // namespace gaia
