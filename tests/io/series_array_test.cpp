// SPDX-License-Identifier: MIT
#include "../../src/io/series_array.h"

#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/log_capture.h"
#include "../support/temp_dir.h"

namespace gaia {
namespace {

FOLDER_TEST_CASE("load_csv makes an array of a file, on the current device") {
  const std::string path = folder.write("a.csv", "x,name,y\n1,a,2.5\n3,b,4\n");
  const test::LogCapture log;  // which tells of the column of text
  const Array whole = io::load_csv(path);
  CHECK(whole.shape() == Shape{2, 2});
  CHECK(whole.dtype() == DType::float32);
  CHECK(whole.to_vector<double>() == std::vector<double>{1, 2.5, 3, 4});
  const test::OnEmulatedDevice emulated;
  CHECK(io::load_csv(path).device() == emulated.device());
  CHECK(io::load_csv(path, {.columns = {"y"}}, DType::float64).to_vector<double>() ==
        std::vector<double>{2.5, 4});
}

FOLDER_TEST_CASE("A series longer than a block is read whole") {
  std::string text = "x\n";
  for (int i = 0; i < 10000; ++i) text += std::to_string(i) + "\n";
  const auto series = open_csv(folder.write("long.csv", text));
  const Array whole = io::read_series(*series, DType::float64);
  REQUIRE(whole.shape() == Shape{10000, 1});
  for (const std::int64_t i : {0, 4095, 4096, 9999}) {
    CHECK(whole.item({i, 0}) == static_cast<double>(i));
  }
}

}  // namespace
}  // namespace gaia
