// SPDX-License-Identifier: MIT
/// \file
/// Answers of a stream as CSV and NDJSON.
#include "../../../src/experiment/live/row_writer.h"

#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/special_numbers.h"

using namespace gaia;
using namespace gaia::test;

namespace {

const std::vector<StreamField> kFields = {{.name = "forecast"},
                                          {.name = "state", .classes = {"run", "stop, \"now\""}},
                                          {.name = "level 0.3, \"x\""}};

std::string written(RowFormat format) {
  const RowWriter writer(format, kFields);
  std::string text;
  writer.begin(text);
  writer.row({.step = 0, .values = {kNaN, kNaN, kNaN}}, text);
  writer.row({.step = 1, .values = {0.1, 1.0, -2.0}}, text);
  writer.bad_row(2, "'flow': expected \"a\",\ngot 'b\x1b'", text);
  writer.row({.step = 2, .values = {1e300, 0.0, std::numeric_limits<double>::infinity()}}, text);
  return text;
}

}  // namespace

TEST_CASE("answers in CSV: empty before the first tick, an error where a row is bad") {
  CHECK(written(RowFormat::csv) ==
        "step,forecast,state,\"level 0.3, \"\"x\"\"\",error\n"
        "0,,,,\n"
        "1,0.1,\"stop, \"\"now\"\"\",-2,\n"
        "2,,,,\"'flow': expected \"\"a\"\", got 'b?'\"\n"
        "2,1e+300,run,inf,\n");
}

TEST_CASE("answers in NDJSON are objects of JSON, one a line") {
  const std::string text = written(RowFormat::ndjson);
  CHECK(text ==
        R"({"step":0,"forecast":null,"state":null,"level 0.3, \"x\"":null}
{"step":1,"forecast":0.1,"state":"stop, \"now\"","level 0.3, \"x\"":-2}
{"step":2,"forecast":null,"state":null,"level 0.3, \"x\"":null,"error":"'flow': expected \"a\", got 'b?'"}
{"step":2,"forecast":1e+300,"state":"run","level 0.3, \"x\"":null}
)");
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
    CHECK(nlohmann::json::parse(text.substr(begin, end - begin)).is_object());
  }
}

TEST_CASE("numbers read back as they were") {
  for (const double value : {0.1, 1.0 / 3.0, 5e-324, -1.7976931348623157e308, 123456789.0, -0.0}) {
    const RowWriter writer(RowFormat::csv, {{.name = "x"}});
    std::string text;
    writer.row({.step = 0, .values = {value}}, text);
    CHECK(std::strtod(text.c_str() + 2, nullptr) == value);
  }
}

TEST_CASE("a readout that is called as what every row has is refused") {
  for (const char* name : {"step", "error"}) {
    CHECK_THROWS_AS(RowWriter(RowFormat::csv, {{.name = name}}), ConfigError);
  }
}
