// SPDX-License-Identifier: MIT
#include "schema_version.h"

#include <fmt/format.h>

#include "../../core/error.h"

namespace gaia {

void check_schema(std::optional<std::int64_t> version, const std::string& path) {
  if (!version) {
    throw DataError(path + ": is not a results file of gaia (it has no schema_version)");
  }
  if (*version != kSchemaVersion) {
    throw DataError(
        fmt::format("{}: expected schema_version {}, got {}; another gaia wrote it, and reads it",
                    path, kSchemaVersion, *version));
  }
}

}  // namespace gaia
