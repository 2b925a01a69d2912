// SPDX-License-Identifier: MIT
/// \file
/// An experiment as Python passes it.
#pragma once

#include <memory>
#include <string>

#include "../../src/experiment/setup/load.h"

namespace gaia::python {

/// Rows in memory, held by Python as long as it likes.
struct RowsHandle {
  std::shared_ptr<const MemoryRows> rows;
};

/// A path or a text, and what stands in place of its parts.
struct Request {
  std::string path;
  Overrides overrides;
};

}  // namespace gaia::python
