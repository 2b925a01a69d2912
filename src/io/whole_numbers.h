// SPDX-License-Identifier: MIT
/// \file
/// Integers of 64 bits, of which a double holds those up to 2^53 alone.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gaia {

/// How a column holds integers that doubles round beyond 2^53.
enum class Wide { no, signed64, unsigned64 };

/// Whether a double may stand for more than one whole number; false for NaN.
inline bool is_beyond_exact(double value) { return std::abs(value) >= 0x1p53; }

/// An integer as people write it; of unsigned ones the bits are given.
std::string integer_text(Wide wide, std::int64_t bits);

/// Whether a field of a text that is read as a double is a whole number beyond 2^53.
bool rounds(std::string_view field, double value);

/// Why a double is not taken as a whole number that tells rows or classes apart.
const char* why_no_name(double value);

/// Warns of columns that are read as numbers and hold whole ones beyond 2^53.
void warn_of_rounded(const std::string& source, std::span<const std::string> columns);

}  // namespace gaia
