// SPDX-License-Identifier: MIT
#include "../../../src/io/pictures/pictures.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "../../../src/core/error.h"
#include "../../../src/io/sha256.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/log_capture.h"
#include "../../support/png_file.h"
#include "../../support/temp_dir.h"
#include "../write_npy.h"

using namespace gaia;
using namespace gaia::test;
using io::Colours;
using io::Pictures;
using io::read_pictures;

namespace {

/// Bytes first, first + step, ...
std::string picture_bytes(std::size_t count, int first, int step) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    bytes += static_cast<char>(first + step * static_cast<int>(i));
  }
  return bytes;
}

/// All numbers of a picture.
std::vector<double> whole(const Pictures& pictures, std::int64_t picture = 0) {
  const io::PictureSize size = pictures.size(picture);
  std::vector<double> numbers(static_cast<std::size_t>(size.pixels() * pictures.colours()));
  pictures.read(picture, 0, 0, size, numbers);
  return numbers;
}

std::vector<double> shares(const std::string& bytes) {
  std::vector<double> numbers;
  for (const char byte : bytes) numbers.push_back(static_cast<unsigned char>(byte) / 255.0);
  return numbers;
}

std::string complaint(const std::string& path, const io::PictureOptions& options = {}) {
  return complaint_about(path, [&] { read_pictures(path, options); });
}

std::string jpeg(const std::string& name) {
  return std::string(GAIA_SOURCE_DIR) + "/tests/io/pictures/" + name;
}

}  // namespace

FOLDER_TEST_CASE("PNG pictures come as they are, of every kind") {
  const auto read = [&](const PngFile& png) {
    return read_pictures(folder.write("a.png", png.bytes()));
  };
  const std::string grey = picture_bytes(35, 3, 7);
  const Pictures plain = read({.height = 5, .width = 7, .rows = grey});
  CHECK(plain.count() == 1);
  CHECK(plain.shape() == std::vector<std::int64_t>{5, 7});
  CHECK(whole(plain) == shares(grey));
  CHECK(plain.sha256() == sha256_of_file(folder.path("a.png")));
  const std::string colour = picture_bytes(36, 1, 6);
  const Pictures rgb = read({.height = 3, .width = 4, .type = PngType::rgb, .rows = colour});
  CHECK(rgb.shape() == std::vector<std::int64_t>{3, 4, 3});
  CHECK(whole(rgb) == shares(colour));
  // A part, row by row.
  std::vector<double> part(2 * 2 * 3);
  rgb.read(0, 1, 2, {2, 2}, part);
  CHECK(part == shares(colour.substr(18, 6) + colour.substr(30, 6)));
  const Pictures interlaced =
      read({.height = 3, .width = 4, .type = PngType::rgb, .rows = colour, .is_interlaced = true});
  CHECK(whole(interlaced) == shares(colour));
  // Four pixels of a bit each, one byte a row.
  const Pictures bits = read({.height = 2, .width = 4, .bits = 1, .rows = "\xa0\x30"});
  CHECK(whole(bits) == std::vector<double>{1, 0, 1, 0, 0, 0, 1, 1});
  const Pictures palette = read({.height = 1,
                                 .width = 3,
                                 .type = PngType::palette,
                                 .rows = std::string("\1\0\1", 3),
                                 .palette = "abcdef"});
  CHECK(whole(palette) == shares("defabcdef"));
  const Pictures wide =
      read({.height = 1, .width = 2, .bits = 16, .rows = std::string("\x12\x34\xff\xff", 4)});
  CHECK(whole(wide) == std::vector<double>{0x1234 / 65535.0, 1.0});
  // Alpha that hides nothing is left out.
  const Pictures opaque =
      read({.height = 1, .width = 2, .type = PngType::grey_alpha, .rows = "\x10\xff\x20\xff"});
  CHECK(whole(opaque) == shares("\x10\x20"));
  CHECK(whole(read({.height = 1, .width = 1, .type = PngType::rgba, .rows = "abc\xff"})) ==
        shares("abc"));
}

FOLDER_TEST_CASE("PNG files that are damaged, cut or transparent are refused") {
  const auto told = [&](const std::string& bytes) {
    return complaint(folder.write("a.png", bytes));
  };
  const PngFile good{.height = 5, .width = 7, .rows = picture_bytes(35, 3, 7)};
  const std::string bytes = good.bytes();
  for (std::size_t length = 8; length + 1 < bytes.size(); length += 3) {
    INFO(length);
    CHECK_SAYS(told(bytes.substr(0, length)), "a PNG file that is whole");
  }
  std::string damaged = bytes;
  damaged[50] = static_cast<char>(damaged[50] ^ 1);
  CHECK_SAYS(told(damaged), "libpng says: ");
  CHECK_SAYS(
      told(PngFile{.height = 1, .width = 2, .type = PngType::grey_alpha, .rows = "\x10\xff\x20\xfe"}
               .bytes()),
      "transparent at row 0, column 1");
  CHECK_SAYS(told(PngFile{.height = 1,
                          .width = 2,
                          .type = PngType::palette,
                          .rows = std::string("\0\1", 2),
                          .palette = "abcdef",
                          .transparency = std::string("\0", 1)}
                      .bytes()),
             "transparent at row 0, column 0");
  // A header that promises more than the bytes can hold, and more than anyone shows.
  CHECK_SAYS(told(PngFile{.height = 100, .width = 600000, .rows = ""}.bytes()),
             "more bytes for 100 x 600000 pixels");
  CHECK_SAYS(told(PngFile{.height = 90000, .width = 90000, .rows = ""}.bytes()),
             "1 to 67108864 pixels, got 90000 x 90000");
}

TEST_CASE("JPEG pictures are within what packing takes from them") {
  const auto check = [](const char* name, bool is_grey) {
    INFO(name);
    const Pictures pictures = read_pictures(jpeg(name));
    REQUIRE(pictures.size(0) == io::PictureSize{16, 24});
    REQUIRE(pictures.colours() == (is_grey ? 1 : 3));
    const std::vector<double> got = whole(pictures);
    double worst = 0.0;
    for (int y = 0, i = 0; y < 16; ++y) {
      for (int x = 0; x < 24; ++x) {
        const int colours[3] = {8 * y + 5 * x + 3, 240 - 6 * y - 2 * x, 40 + 4 * x + 2 * y};
        for (int c = 0; c < (is_grey ? 1 : 3); ++c, ++i) {
          worst = std::max(worst, std::abs(255.0 * got[static_cast<std::size_t>(i)] - colours[c]));
        }
      }
    }
    CHECK(worst < (is_grey ? 1.5 : 4.5));
  };
  check("grey.jpg", true);
  check("colour.jpg", false);
  check("progressive.jpg", false);
  const gaia::test::LogCapture log;
  check("turned.jpg", true);
  CHECK(log.count(LogLevel::warning, "EXIF orientation 6, which is not applied") == 1);
}

TEST_CASE("JPEG files that are damaged, cut or of printing inks are refused") {
  CHECK_SAYS(complaint(jpeg("cmyk.jpg")), "(CMYK); convert it to RGB");
  const TempDir folder;
  for (const char* name : {"grey.jpg", "progressive.jpg"}) {
    std::ifstream file(jpeg(name), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    for (std::size_t length = 3; length + 2 < bytes.size(); length += 7) {
      INFO(name << ' ' << length);
      CHECK_SAYS(complaint(folder.write("a.jpg", bytes.substr(0, length))),
                 "a JPEG file that is whole");
    }
  }
}

TEST_CASE("EXIF data tell an orientation, or nothing, whatever their bytes are") {
  using Bytes = std::vector<std::uint8_t>;
  const Bytes little = {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 8, 0, 0, 0};
  const Bytes big = {'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 3, 0, 0};
  CHECK(io::exif_orientation(little) == 8);
  CHECK(io::exif_orientation(big) == 3);
  for (std::size_t length = 0; length < little.size(); ++length) {
    CHECK(io::exif_orientation({little.data(), length}) == 1);
  }
  Bytes far = little;
  far[4] = far[5] = far[6] = far[7] = 0xff;
  CHECK(io::exif_orientation(far) == 1);
  Bytes wrong = little;
  wrong[18] = 9;
  CHECK(io::exif_orientation(wrong) == 1);
}

FOLDER_TEST_CASE("colours are made grey, grey is made colours, and bytes are widened") {
  folder.write("a.png", PngFile{.height = 1, .width = 2, .rows = "\x40\x80"}.bytes());
  folder.write(
      "b.png",
      PngFile{.height = 1, .width = 1, .type = PngType::rgb, .rows = "\x0a\x64\xc8"}.bytes());
  folder.write("c.png", PngFile{.height = 1, .width = 1, .bits = 16, .rows = "\x12\x34"}.bytes());
  const std::string all = folder.path("");
  const Pictures mixed = read_pictures(all);
  CHECK(mixed.count() == 3);
  CHECK(mixed.colours() == 3);
  CHECK(whole(mixed, 0) == shares("\x40\x40\x40\x80\x80\x80"));
  CHECK(whole(mixed, 1) == shares("\x0a\x64\xc8"));
  CHECK(whole(mixed, 2) == std::vector<double>(3, 0x1234 / 65535.0));
  const Pictures grey = read_pictures(all, {.colours = Colours::grey});
  CHECK(grey.colours() == 1);
  CHECK(whole(grey, 0) == shares("\x40\x80"));
  // What is 16 bits wide by now.
  const double sum = 19595.0 * 257 * 10 + 38470.0 * 257 * 100 + 7471.0 * 257 * 200 + 32768;
  CHECK(whole(grey, 1) == std::vector<double>{std::floor(sum / 65536) / 65535});
  // For bytes alone it is what Pillow makes of them.
  const Pictures one = read_pictures(folder.path("b.png"), {.colours = Colours::grey});
  CHECK(whole(one) == std::vector<double>{84 / 255.0});
  CHECK(whole(read_pictures(folder.path("a.png"), {.colours = Colours::rgb})) ==
        shares("\x40\x40\x40\x80\x80\x80"));
  // Only the first ones are decoded.
  CHECK(read_pictures(all, {.first = 1}).colours() == 1);
  CHECK(read_pictures(all, {.first = 1}).sha256() == mixed.sha256());
}

FOLDER_TEST_CASE("NPY files are pictures of bytes, 16 bits or floating numbers, in either order") {
  const auto npy = [&]<class T>(const std::string& descr, const std::string& shape,
                                const std::vector<T>& numbers, const char* fortran = "False") {
    return folder.write("a.npy", gaia::test::npy(descr, shape, numbers, fortran));
  };
  const std::string text = picture_bytes(12, 1, 9);
  const std::vector<char> bytes(text.begin(), text.end());
  const Pictures grey = read_pictures(npy("|u1", "(2, 2, 3)", bytes));
  CHECK(grey.count() == 2);
  CHECK(whole(grey, 1) == shares(text.substr(6)));
  CHECK(read_pictures(npy("|u1", "(2, 6)", bytes)).shape() == std::vector<std::int64_t>{2, 6});
  const Pictures colour = read_pictures(npy("|u1", "(1, 2, 2, 3)", bytes));
  CHECK(colour.shape() == std::vector<std::int64_t>{2, 2, 3});
  CHECK(whole(colour) == shares(text));
  // Number (i, j, k) of Fortran order stands at i + 2 (j + 2 k).
  const Pictures turned = read_pictures(npy("|u1", "(2, 2, 3)", bytes, "True"));
  std::string second;
  for (std::size_t j = 0; j < 2; ++j) {
    for (std::size_t k = 0; k < 3; ++k) second += text[1 + 2 * (j + 2 * k)];
  }
  CHECK(whole(turned, 1) == shares(second));
  const std::vector<double> numbers = {-0.25, 1.5};
  CHECK(whole(read_pictures(npy("<f8", "(1, 1, 2)", numbers))) == numbers);
  const std::vector<float> single = {0.5f, -3.25f};
  CHECK(whole(read_pictures(npy("<f4", "(1, 1, 2)", single))) == std::vector<double>{0.5, -3.25});
  CHECK(whole(read_pictures(npy("<u2", "(1, 1, 1)", std::vector<std::uint16_t>{513}))) ==
        std::vector<double>{513 / 65535.0});
  CHECK_SAYS(complaint(npy("<i4", "(1, 1, 3)", std::vector<std::int32_t>(3))),
             "pictures.astype(numpy.float32)");
  CHECK_SAYS(complaint(npy("|u1", "(12,)", bytes)), "[n, height, width]");
  CHECK_SAYS(complaint(npy("|u1", "(0, 2, 3)", std::vector<char>())), "got [0, 2, 3]");
  CHECK_SAYS(complaint(npy("|u1", "(3, 1, 2, 2)", bytes), {.colours = Colours::grey}),
             "one colour or three (data.colours), got 2");
  const std::vector<double> infinite = {std::numeric_limits<double>::infinity()};
  CHECK_SAYS(complaint(npy("<f8", "(1, 1, 1)", infinite)), "finite numbers, got inf at place 0");
}

FOLDER_TEST_CASE("classes of a folder take turns") {
  const auto put = [&](const std::string& name, char grey) {
    std::filesystem::create_directories(std::filesystem::path(folder.path(name)).parent_path());
    folder.write(name, PngFile{.height = 1, .width = 1, .rows = std::string(1, grey)}.bytes());
  };
  put("cat/b.png", 'b');
  put("cat/a.PNG", 'a');
  put("cat/c.png", 'c');
  put("ant/z.png", 'z');
  folder.write("cat/notes.txt", "not read");
  folder.write("cat/.hidden.png", "not read");
  const io::PictureList list = io::list_pictures(folder.path(""));
  CHECK(list.names == std::vector<std::string>{"ant/z.png", "cat/a.PNG", "cat/b.png", "cat/c.png"});
  CHECK(list.labels == std::vector<std::string>{"ant", "cat", "cat", "cat"});
  const Pictures pictures = read_pictures(folder.path(""));
  CHECK(pictures.labels() == list.labels);
  CHECK(whole(pictures, 0) == shares("z"));
  CHECK(whole(pictures, 2) == shares("b"));
  CHECK(pictures.file(2) == folder.path("cat/b.png"));
  // The hash of the folder is that of what sha256sum prints.
  std::string lines;
  for (const std::string& name : list.names) {
    lines += sha256_of_file(folder.path(name)) + "  " + name + "\n";
  }
  CHECK(pictures.sha256() == sha256_of(lines));
  CHECK(io::sha256_of_input(folder.path("")) == pictures.sha256());
  CHECK(io::sha256_of_input(folder.path("ant/z.png")) == sha256_of_file(folder.path("ant/z.png")));
  CHECK(io::has_pictures(folder.path("")));
}

FOLDER_TEST_CASE("folders that are no set of pictures are refused") {
  namespace fs = std::filesystem;
  CHECK_SAYS(complaint(folder.path("")), "PNG or JPEG files");
  CHECK_FALSE(io::has_pictures(folder.path("")));
  CHECK_FALSE(io::has_pictures(folder.path("nowhere")));
  fs::create_directories(folder.path("cat"));
  CHECK_SAYS(complaint(folder.path("")), "cat: expected PNG or JPEG files of a class");
  const std::string png = PngFile{.height = 1, .width = 1, .rows = "x"}.bytes();
  folder.write("cat/a.png", png);
  folder.write("b.png", png);
  CHECK_SAYS(complaint(folder.path("")), "got both, as 'b.png' and the folder 'cat'");
  fs::remove(folder.path("b.png"));
  fs::create_directories(folder.path("cat/young"));
  CHECK_SAYS(complaint(folder.path("")), "got a folder 'young' in it");
  fs::remove(folder.path("cat/young"));
  folder.write("cat/b.tif", "II*");
  CHECK_SAYS(complaint(folder.path("")), "cat/b.tif: expected PNG or JPEG; convert it");
  fs::remove(folder.path("cat/b.tif"));
  folder.write("cat/b.png", "text");
  CHECK_SAYS(complaint(folder.path("")), "does not begin like one");
  // By its content, whatever its name is.
  CHECK_SAYS(complaint(folder.write("x.png", "GIF89a")), "got a GIF picture");
  CHECK_SAYS(complaint(folder.write("x", "text")), "an IDX file");
}
