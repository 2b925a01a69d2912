// SPDX-License-Identifier: MIT
#include "../../src/report/pictures.h"

#include <string>

#include "../support/catch.h"
#include "../support/text.h"

using namespace gaia::report;
using gaia::test::times_in;

namespace {}  // namespace

TEST_CASE("the shape of pictures is read as it is stored, and nothing else") {
  const auto grey = picture_shape_of("[28, 14]");
  REQUIRE(grey);
  CHECK((grey->height == 28 && grey->width == 14 && grey->colours == 1));
  const auto coloured = picture_shape_of("[8, 9, 3]");
  REQUIRE(coloured);
  CHECK((coloured->colours == 3 && coloured->numbers() == 216));
  for (const char* wrong :
       {"", "[]", "[", "]", "[8]", "[8, 8, 3, 1]", "[8, 0]", "[8, -1]", "[8, x]", "8, 8", "[8, 8",
        "[8,, 8]", "[9999999999, 8]", "[8, 1000001]"}) {
    INFO(wrong);
    CHECK_FALSE(picture_shape_of(wrong));
  }
}

TEST_CASE("every neuron's weights are one picture, colours side by side") {
  const Matrix weights{.rows = 3, .columns = 12, .values = std::vector<double>(36, 0.5)};
  const ColorScale colors{{-1.0, 1.0, false}, true};
  const std::string grey = pictures_markup(weights, {3, 4, 1}, colors);
  CHECK(times_in(grey, "<svg class=\"picture\" viewBox=\"0 0 4 3\"") == 3);
  CHECK(times_in(grey, "href=\"data:image/png;base64,") == 4);  // and the scale
  CHECK_SAYS(grey, "aria-label=\"weights of neuron 2\"", "<span>2</span>", "<span>−1</span>");
  const std::string coloured = pictures_markup(weights, {2, 2, 3}, colors);
  CHECK(times_in(coloured, "viewBox=\"0 0 6 2\"") == 3);
  CHECK_THAT(grey, !ContainsSubstring("pictures wide"));
  const Matrix large{.rows = 1, .columns = 80, .values = std::vector<double>(80, 0.5)};
  CHECK_SAYS(pictures_markup(large, {2, 40, 1}, colors), "pictures wide");
}

TEST_CASE("pixels of a picture lie where the numbers say, colour by colour") {
  // [2, 2, 2]: innermost the colour.  Side by side: colour 0 left, colour 1 right.
  const Matrix weights{.rows = 1, .columns = 8, .values = {1, -1, 0, 0, 0, 0, 0, 0}};
  const ColorScale colors{{-1.0, 1.0, false}, true};
  const Matrix shown{.rows = 2, .columns = 4, .values = {1, 0, -1, 0, 0, 0, 0, 0}};
  CHECK_SAYS(pictures_markup(weights, {2, 2, 2}, colors), png_uri(image_of(shown, colors, false)));
}
