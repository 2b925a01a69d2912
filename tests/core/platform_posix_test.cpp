// SPDX-License-Identifier: MIT
// What systems do that are neither Linux nor macOS.
#define GAIA_PLATFORM posix_platform
#define GAIA_ONLY_POSIX
#define GAIA_WAY ", with POSIX alone"
#include "../../src/core/platform.cpp"
#include "platform_test.cpp"
