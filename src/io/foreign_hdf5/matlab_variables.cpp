// SPDX-License-Identifier: MIT
// What variables of MAT files tell of themselves before their numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "../../core/checked.h"
#include "../../core/text.h"
#include "matlab_file.h"
#include "matlab_numbers.h"

namespace gaia::hdf5 {
namespace {

using matlab::kMostHead;
using matlab::kTag;
using matlab::load;
using matlab::stored_size;
using matlab::type_of_class;

/// deflate packs no tighter than 1032 to 1.
constexpr std::int64_t kTightestPacking = 1032;

/// An element within an array: its tag, and where what it holds begins.
struct Element {
  int type = 0;
  std::int64_t bytes = 0;
  std::int64_t begin = 0;
  std::int64_t next = 0;  // offset of the element behind it
};

Element element_at(const std::string& head, std::int64_t at, bool is_swapped) {
  const auto type = load<std::uint32_t>(head.data() + at, is_swapped);
  if (type >> 16 != 0) {  // up to 4 bytes stand in the tag itself
    return {static_cast<int>(type & 0xffff), static_cast<std::int64_t>(type >> 16), at + 4,
            at + kTag};
  }
  const auto bytes =
      static_cast<std::int64_t>(load<std::uint32_t>(head.data() + at + 4, is_swapped));
  return {static_cast<int>(type), bytes, at + kTag, at + kTag + (bytes + 7) / 8 * 8};
}

}  // namespace

MatlabFile::Variable MatlabFile::read_variable(std::int64_t at) const {
  char tag[kTag];
  read(at, tag, kTag);
  const auto type = load<std::uint32_t>(tag, is_swapped_);
  Variable variable;
  variable.at = at;
  variable.bytes = load<std::uint32_t>(tag + 4, is_swapped_);
  variable.is_packed = type == matlab::kPacked;
  if (type != matlab::kMatrix && type != matlab::kPacked) {
    fail(at, "a variable, an element of type 14 or 15", fmt::format("one of type {}", type));
  }
  const std::int64_t room = bytes_ - at - kTag;
  if (variable.bytes > room) {
    fail(at + 4, fmt::format("a variable of {} bytes at most, where the file ends", room),
         std::to_string(variable.bytes));
  }
  std::string head;
  if (!variable.is_packed) {
    variable.inner_bytes = variable.bytes;
    head.resize(static_cast<std::size_t>(std::min(variable.bytes, kMostHead)));
    read(at + kTag, head.data(), static_cast<std::int64_t>(head.size()));
    read_header(variable, head, at + kTag);
    return variable;
  }
  head = unpack(variable, kMostHead, false);
  if (head.size() < static_cast<std::size_t>(kTag) ||
      load<std::uint32_t>(head.data(), is_swapped_) != matlab::kMatrix) {
    fail(at, "an array that is packed, an element of type 14", "something else");
  }
  variable.inner_bytes = load<std::uint32_t>(head.data() + 4, is_swapped_);
  const std::int64_t whole = variable.inner_bytes + kTag;
  if ((whole - kMostHead) / kTightestPacking > variable.bytes) {
    fail(at,
         fmt::format("at most {} bytes of an array in {} that are packed",
                     variable.bytes * kTightestPacking + kMostHead, variable.bytes),
         std::to_string(whole));
  }
  if (static_cast<std::int64_t>(head.size()) > whole) head.resize(static_cast<std::size_t>(whole));
  head.erase(0, static_cast<std::size_t>(kTag));
  read_header(variable, head, kTag);
  return variable;
}

/// `head` begins with what is behind the tag of an array, which stands at `head_at`.
void MatlabFile::read_header(Variable& variable, const std::string& head,
                             std::int64_t head_at) const {
  const auto length = static_cast<std::int64_t>(head.size());
  std::int64_t at = 0;
  const auto next = [&](const char* what, bool holds_all) {
    if (at > length - kTag) {
      fail(variable.at, fmt::format("{} of a variable in its first {} bytes", what, length),
           "none");
    }
    const Element element = element_at(head, at, is_swapped_);
    const bool is_in_tag = element.begin == at + 4;
    const std::int64_t end = element.begin + element.bytes;
    if ((is_in_tag && element.bytes > 4) || (holds_all && end > length) ||
        end > variable.inner_bytes) {
      fail(variable.at,
           fmt::format("{} of a variable of {} bytes that end within it", what,
                       variable.inner_bytes),
           fmt::format("{} bytes after {}", element.bytes, element.begin));
    }
    at = std::min(element.next, length + 1);
    return element;
  };
  const Element flags = next("the flags", true);
  if (flags.type != matlab::kUint32 || flags.bytes != 8) {
    fail(variable.at, "flags of a variable, two integers of 32 bits",
         fmt::format("type {} of {} bytes", flags.type, flags.bytes));
  }
  const auto bits = load<std::uint32_t>(head.data() + flags.begin, is_swapped_);
  variable.kind = static_cast<int>(bits & 0xff);
  variable.is_complex = (bits & 0x0800) != 0;
  if (variable.kind != matlab::kOpaqueClass) {
    const Element axes = next("the lengths of the axes", true);
    if (axes.type != matlab::kInt32 || axes.bytes % 4 != 0 || axes.bytes < 8 ||
        axes.bytes > 4 * 32) {
      fail(variable.at, "2 to 32 lengths of axes of a variable, integers of 32 bits",
           fmt::format("type {} of {} bytes", axes.type, axes.bytes));
    }
    for (std::int64_t i = 0; i < axes.bytes; i += 4) {
      const auto axis = load<std::int32_t>(head.data() + axes.begin + i, is_swapped_);
      if (axis < 0) {
        fail(variable.at, "lengths of axes of a variable, 0 or more", std::to_string(axis));
      }
      variable.lengths.push_back(axis);
    }
  }
  const Element name = next("the name", true);
  if (name.type != matlab::kInt8 && name.type != matlab::kUtf8) {
    fail(variable.at, "the name of a variable", fmt::format("an element of type {}", name.type));
  }
  variable.name =
      head.substr(static_cast<std::size_t>(name.begin), static_cast<std::size_t>(name.bytes));
  if (!is_utf8(variable.name) || printable(variable.name) != variable.name) {
    fail(variable.at, "a name of a variable in UTF-8", matlab::in_quotes(variable.name));
  }
  if (type_of_class(variable.kind) == Type::other || variable.is_complex) return;
  const Element numbers = next("the numbers", false);
  variable.stored = numbers.type;
  variable.stored_bytes = numbers.bytes;
  variable.numbers_at = head_at + numbers.begin;
  check_numbers(variable);
}

/// Checks that there are as many numbers as the axes say.
void MatlabFile::check_numbers(const Variable& variable) const {
  const std::int64_t size = stored_size(variable.stored);
  if (size == 0) {
    fail(variable.at, "numbers of variable " + matlab::in_quotes(variable.name),
         fmt::format("an element of type {}", variable.stored));
  }
  std::optional<std::int64_t> bytes = size;
  for (const std::int64_t length : variable.lengths) {
    if (bytes) bytes = checked_multiply(*bytes, length);
  }
  if (bytes && *bytes == variable.stored_bytes) return;
  fail(variable.at,
       fmt::format("{} bytes of numbers of variable {}, whose axes are [{}]",
                   bytes ? std::to_string(*bytes) : std::string("more than 2^63"),
                   matlab::in_quotes(variable.name), fmt::join(variable.lengths, ", ")),
       std::to_string(variable.stored_bytes));
}

std::string MatlabFile::refusal_of(const Variable& variable) const {
  const std::string& name = variable.name;
  const auto is = [&](const std::string& what, const std::string& way_out) {
    return fmt::format("is {}, expected an array of real numbers; {}", what, way_out);
  };
  switch (variable.kind) {
    case 1:
      return is("a cell array",
                fmt::format("save cell2mat({0}), or what it holds as variables", name));
    case 2:
      return is(
          "a struct",
          fmt::format("save its fields as variables, by save('NEW.mat', '-struct', '{}')", name));
    case 4:
      return is("a char array", "save numbers, as those of classes are");
    case 5:
      return is("a sparse array", fmt::format("save full({})", name));
    case 16:
      return is("a function", "save what it gives");
    case 3:
    case matlab::kOpaqueClass:
      return is("an object",
                "save its numbers as a variable, as table2array gives those of a table");
    default:
      break;
  }
  if (type_of_class(variable.kind) == Type::other) {
    return is(fmt::format("of a class that is not known ({})", variable.kind), "save it by '-v7'");
  }
  if (variable.is_complex) {
    return is(fmt::format("a complex {} array", matlab::class_name(variable.kind)),
              fmt::format("save real({0}), imag({0}) or abs({0})", name));
  }
  return {};
}

}  // namespace gaia::hdf5
