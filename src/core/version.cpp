// SPDX-License-Identifier: MIT
#include "version.h"

namespace gaia {

std::string version() { return GAIA_VERSION; }
std::string git_commit() { return GAIA_GIT_COMMIT; }
std::string build_description() { return GAIA_BUILD_DESCRIPTION; }

}  // namespace gaia
