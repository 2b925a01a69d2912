// SPDX-License-Identifier: MIT
/// \file
/// Numbers as text, as NumPy writes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gaia {

/// Texts of the same width, for the elements of an array: floating numbers of type T in positional
/// form, or scientific if their sizes ask for it.
template <class T>
std::vector<std::string> aligned(const std::vector<T>& numbers);
std::vector<std::string> aligned(const std::vector<std::int64_t>& numbers);
/// " True" and "False".
std::vector<std::string> aligned(const std::vector<bool>& flags);

/// A number on its own, with the fewest digits that tell it from every other of its type.
template <class T>
std::string shortest_text(T number);

}  // namespace gaia
