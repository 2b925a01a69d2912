// SPDX-License-Identifier: MIT
/// \file
/// The classes that the labels of a series name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gaia {

/// Most classes of a series, and bytes of a class' name.
constexpr std::size_t kMostClasses = 10000;
constexpr std::size_t kMostClassBytes = 256;

/// Why a text is no name of a class, as the end of a message, with the text: it is too long, holds
/// control characters or is not UTF-8.  Empty if it is one.
std::string why_no_class(std::string_view text);

/// Names, collected first and numbered then: in alphabetical order, or in their own if all of them
/// are integers.
class ClassTable {
 public:
  /// Takes a name.  false where there are too many by now.
  bool note(std::string_view name);

  /// When all names are noted.
  void number_them();
  const std::vector<std::string>& names() const { return names_; }

  /// -1 for a name that was not noted.
  std::int64_t code(std::string_view name) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::vector<std::string> names_;
  std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> codes_;
};

/// What a message says of a file with more classes than kMostClasses.
std::string too_many_classes(const std::string& source, std::string_view column);

}  // namespace gaia
