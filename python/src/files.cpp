// SPDX-License-Identifier: MIT
/// \file
/// Arrays in files.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <string>

#include "../../src/io/arrays.h"
#include "bindings.h"
#include "casters.h"
#include "exchange.h"

namespace gaia::python {

using nb::arg;

void bind_files(nb::module_& module) {
  module.def(
      "save",
      [](const std::string& path, const Array& x, bool overwrite) {
        io::save(path, x, {.overwrite = overwrite});
      },
      arg("path"), arg("x"), arg("overwrite") = false,
      "Writes an array, or {name: array}, to a file whose format is what its name ends with: .h5, "
      ".hdf5, .npy (one array), .npz or .csv (a table).\n\n"
      "Raises OutputError if there is a file and `overwrite` is not set, ArgumentError for another "
      "ending and for arrays that the format cannot hold.");
  module.def(
      "save",
      [](const std::string& path, const ArrayMap& arrays, bool overwrite) {
        io::save(path, arrays, {.overwrite = overwrite});
      },
      arg("path"), arg("arrays"), arg("overwrite") = false);
  module.def(
      "load", [](const std::string& path) { return io::load(path, {.trusted = false}); },
      arg("path"),
      "The arrays of a file that `save`, NumPy or another program wrote, {name: Array}; \"array\" "
      "is what has no name.\n\n"
      "Raises DataError for a file that cannot be read or holds no numbers, ArgumentError for one "
      "of another kind.");
}

}  // namespace gaia::python
