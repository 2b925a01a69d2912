// SPDX-License-Identifier: MIT
/// \file
/// The version of the layout of results files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gaia {

/// Version of the files that this gaia writes and reads.
constexpr std::int64_t kSchemaVersion = 1;

/// \throws DataError unless this is the schema_version of a results file that this gaia reads.
void check_schema(std::optional<std::int64_t> version, const std::string& path);

}  // namespace gaia
