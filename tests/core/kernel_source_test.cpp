// SPDX-License-Identifier: MIT
#include "../../src/core/kernel_source.h"

#include <algorithm>
#include <string>
#include <vector>

#include "../../src/core/error.h"
#include "../support/catch.h"

namespace gaia::test {

TEST_CASE("Carried headers come with all that they include, each once, under their paths") {
  const std::vector<SourceText> headers = carried_headers({"src/formulas/rules_control.h"});
  std::vector<std::string> names;
  for (const SourceText& header : headers) names.push_back(header.name);
  std::ranges::sort(names);
  CHECK(names == std::vector<std::string>{"src/core/host_device.h",
                                          "src/formulas/elementwise_choose.h",
                                          "src/formulas/rules_control.h"});
  const auto& control =
      std::ranges::find(headers, "src/formulas/rules_control.h", &SourceText::name)->text;
  // The text is the file's, but for the names in its includes.
  CHECK(control.starts_with("// SPDX-License-Identifier: MIT\n"));
  CHECK(control.ends_with("}  // namespace gaia\n"));
  CHECK(control.find("#include \"src/core/host_device.h\"\n") != std::string::npos);
  CHECK(control.find("\"../core") == std::string::npos);
  CHECK_THROWS_AS(carried_headers({"src/core/text.h"}), InternalError);
}

TEST_CASE("Every header that is carried includes carried ones alone") {
  for (const CarriedText& header : all_carried_headers()) {
    INFO(header.path);
    CHECK_NOTHROW(carried_headers({std::string(header.path)}));
  }
}

}  // namespace gaia::test
