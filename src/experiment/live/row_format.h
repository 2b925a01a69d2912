// SPDX-License-Identifier: MIT
/// \file
/// How rows of a stream are written, on their way in and out.
#pragma once

#include <cstdint>

#include "../../core/names.h"

namespace gaia {

enum class RowFormat : std::uint8_t {
  csv,     ///< A header, then a row a line.
  ndjson,  ///< An object of JSON a line.
};

inline constexpr NameTable<RowFormat, 2> kRowFormats = {
    {{"csv", RowFormat::csv}, {"ndjson", RowFormat::ndjson}}};

}  // namespace gaia
