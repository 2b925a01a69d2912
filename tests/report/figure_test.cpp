// SPDX-License-Identifier: MIT
#include "../../src/report/figure.h"

#include <zlib.h>

#include <cmath>

#include "../support/catch.h"

using namespace gaia::report;

namespace {

std::uint32_t u32(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = (value << 8) | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

/// Content of the chunk of a PNG file, its checksum verified.
std::string chunk(const std::string& png, const std::string& type) {
  for (std::size_t at = 8; at < png.size(); at += 12 + u32(png, at)) {
    const std::uint32_t length = u32(png, at);
    const std::string body = png.substr(at + 4, 4 + length);
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
    CHECK(sum == u32(png, at + 8 + length));
    if (body.substr(0, 4) == type) return body.substr(4);
  }
  FAIL("no chunk " << type);
  return {};
}

Panel panel() { return {{50, 20, 200, 100}, {{0.0, 10.0}, "x"}, {{-1.0, 1.0}, "y"}}; }

}  // namespace

TEST_CASE("numbers land where the axes say") {
  Panel plot = panel();
  const Point points[] = {{0.0, -1.0}, {5.0, 0.0}, {10.0, 1.0}};
  plot.line(points, "c0");
  CHECK_SAYS(plot.markup(), "d=\"M0 100L100 50L200 0\"");
}

TEST_CASE("a line is interrupted by what is not a number, and a lone point can be seen") {
  Panel plot = panel();
  const Point points[] = {{0.0, 0.0}, {1.0, 0.0}, {2.0, NAN}, {3.0, 0.5}, {4.0, NAN}, {5.0, 0.0}};
  plot.line(points, "c0");
  CHECK_SAYS(plot.markup(), "d=\"M0 50L20 50M57 25h6M97 50h6\"");
}

TEST_CASE("texts of a drawing are escaped") {
  Panel plot({0, 0, 10, 10}, {{}, "<x>"}, {{}, "\"y\""});
  plot.set_title("<b>");
  plot.add_legend("a & b", "c0");
  const Point at[] = {{0.5, 0.5}};
  const std::string text[] = {"</title>"};
  plot.dots(at, 2.0, "c0", text);
  plot.text({0.5, 0.5}, "<i>", "cell");
  Figure figure(100, 100);
  figure.add(plot);
  const std::string all = figure_markup("f", "<h>", figure.svg("\"<d>"), "<s>", "<l>");
  for (const char* raw :
       {"<x>", "\"y\"", "<b>", "a & b", "</title></title>", "<i>", "<h>", "<d>", "<s>", "<l>"}) {
    INFO(raw);
    CHECK(all.find(raw) == std::string::npos);
  }
}

TEST_CASE("an image is a whole PNG file of its pixels and colours") {
  const Image image{3, 2, {0, 1, 255, 128, 7, 9}, &diverging_palette()};
  const std::string png = to_png(image);
  CHECK(png.substr(0, 8) == "\x89PNG\r\n\x1a\n");
  const std::string header = chunk(png, "IHDR");
  CHECK(u32(header, 0) == 3);
  CHECK(u32(header, 4) == 2);
  CHECK(chunk(png, "PLTE").size() == 768);
  const std::string alphas = chunk(png, "tRNS");
  CHECK(static_cast<unsigned char>(alphas[128]) == 0);  // 0 lets the paper through
  CHECK(static_cast<unsigned char>(alphas[1]) == 255);
  CHECK(static_cast<unsigned char>(alphas[255]) == 255);
  const std::string packed = chunk(png, "IDAT");
  std::string rows(8, '\0');
  uLongf length = rows.size();
  REQUIRE(uncompress(reinterpret_cast<Bytef*>(rows.data()), &length,
                     reinterpret_cast<const Bytef*>(packed.data()), packed.size()) == Z_OK);
  CHECK(length == 8);
  CHECK(rows == std::string("\x00\x00\x01\xff\x00\x80\x07\x09", 8));
  CHECK(chunk(png, "IEND").empty());
  CHECK(base64("Man") == "TWFu");
  CHECK(base64("Ma") == "TWE=");
}

TEST_CASE("colours of both signs are symmetric, others start at 0") {
  const ColorScale both = ColorScale::of({-1.0, 0.5, 3.0, NAN});
  CHECK(both.diverging);
  CHECK(both.scale.low == -3.0);
  CHECK(both.scale.high == 3.0);
  CHECK(both.index_of(0.0) == 128);
  CHECK(both.index_of(3.0) == 255);
  CHECK(both.index_of(-99.0) == 1);
  CHECK(both.index_of(NAN) == 0);
  const ColorScale positive = ColorScale::of({0.5, 2.0});
  CHECK_FALSE(positive.diverging);
  CHECK(positive.scale.low == 0.0);
  CHECK(positive.scale.high == 2.0);
  CHECK(ColorScale::of({0.0, 0.0}).scale.low < ColorScale::of({0.0, 0.0}).scale.high);
  CHECK(ColorScale::of({NAN}).index_of(NAN) == 0);
}

TEST_CASE("a matrix becomes an image as it is, or turned with column 0 below") {
  const Matrix matrix{2, 3, {1, 2, 3, 4, 5, 6}};
  const ColorScale colors{{0.0, 254.0, false}, false};
  CHECK(image_of(matrix, colors, false).pixels == std::vector<std::uint8_t>{2, 3, 4, 5, 6, 7});
  const Image turned = image_of(matrix, colors, true);
  CHECK(turned.width == 2);
  CHECK(turned.height == 3);
  CHECK(turned.pixels == std::vector<std::uint8_t>{4, 7, 3, 6, 2, 5});
}
