// SPDX-License-Identifier: MIT
/// \file
/// What nearly every test includes: compiled once for all of them (tests/CMakeLists.txt).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/functions.h"
#include "../../src/array/ops.h"
#include "../../src/array/random_arrays.h"
#include "../../src/array/reductions.h"
#include "catch.h"
