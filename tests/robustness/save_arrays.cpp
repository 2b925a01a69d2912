// SPDX-License-Identifier: MIT
/// \file
/// save_arrays FILE NUMBER: writes arrays by io::save, replacing FILE; exit codes are those of
/// gaia.
#include <cstdio>
#include <cstdlib>

#include "../../src/array/create.h"
#include "../../src/core/error.h"
#include "../../src/io/arrays.h"

int main(int argc, char** argv) {
  using namespace gaia;
  if (argc != 3) return 2;
  const double value = std::atof(argv[2]);
  try {
    io::save(argv[1],
             {{"0.weights", full({200, 30}, value, DType::float64)},
              {"0.bias", full({30}, value, DType::float32)},
              {"steps", full({1}, value, DType::int64)}},
             {.overwrite = true});
  } catch (const OutputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 4;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
