// SPDX-License-Identifier: MIT
#include "../../src/io/images_series.h"

#include <cmath>
#include <set>

#include "../../src/core/error.h"
#include "../../src/io/sha256.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/temp_dir.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// An IDX file of bytes.
std::string idx(const std::vector<std::uint32_t>& lengths, const std::string& bytes, int type = 8) {
  std::string text = {'\0', '\0', static_cast<char>(type), static_cast<char>(lengths.size())};
  for (const std::uint32_t length : lengths) {
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(length >> shift);
  }
  return text + bytes;
}

/// Bytes first, first + 1, ...
std::string counting(int count, int first = 0) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(first + i);
  return bytes;
}

/// Three training pictures of 2 x 3 pixels, 0 to 17, and two test pictures, 100 to 111.
struct Pictures : TempDir {
  Pictures() {
    write("a", idx({3, 2, 3}, counting(18)));
    write("al", idx({3}, std::string("\x07\x02\x07", 3)));
    write("b", idx({2, 2, 3}, counting(12, 100)));
    write("bl", idx({2}, std::string("\x02\x05", 2)));
  }
  ImageFiles train() const { return {path("a"), path("al")}; }
  ImageFiles test() const { return {path("b"), path("bl")}; }
};

std::vector<double> rows(Series& series, std::int64_t first, std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count * series.channels()));
  series.read(first, count, values);
  return values;
}

std::vector<std::int64_t> labels(Series& series, std::int64_t first, std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count * series.channels()));
  std::vector<SideValues> side(1);
  series.read_with_side(first, count, values, std::vector<std::size_t>{0}, side);
  CHECK(values == rows(series, first, count));
  return std::get<std::vector<std::int64_t>>(side[0]);
}

}  // namespace

TEST_CASE("training pictures come first, then test pictures, with their pixels by name") {
  const Pictures folder;
  const auto series = open_images(folder.train(), folder.test());
  CHECK(series->rows() == 5);
  CHECK(series->channel_names() ==
        std::vector<std::string>{"y0x0", "y0x1", "y0x2", "y1x0", "y1x1", "y1x2"});
  CHECK(series->picture_shape() == std::vector<std::int64_t>{2, 3});
  CHECK(series->training_rows() == 3);
  const std::vector<double> middle = rows(*series, 2, 2);
  for (int i = 0; i < 6; ++i) {
    CHECK(middle[static_cast<std::size_t>(i)] == (12 + i) / 255.0);
    CHECK(middle[static_cast<std::size_t>(6 + i)] == (100 + i) / 255.0);
  }
  CHECK_THROWS_AS(rows(*series, 4, 2), ArgumentError);
  CHECK(series->sha256() == sha256_of_file(folder.path("a")));
}

TEST_CASE("labels are classes in the order of their numbers") {
  const Pictures folder;
  const auto series = open_images(folder.train(), folder.test());
  CHECK(series->side_columns() == std::vector<SideColumn>{{SideColumn::Role::label, "label"}});
  CHECK(series->classes() == std::vector<std::string>{"2", "5", "7"});
  CHECK(labels(*series, 0, 5) == std::vector<std::int64_t>{2, 0, 2, 0, 1});
  CHECK(labels(*series, 1, 3) == std::vector<std::int64_t>{0, 2, 0});
  // Those of rows that are left out are none.
  const auto fewer = open_images(folder.train(), folder.test(), {.train = 2, .test = 1});
  CHECK(fewer->classes() == std::vector<std::string>{"2", "7"});
  CHECK(labels(*fewer, 0, 3) == std::vector<std::int64_t>{1, 0, 0});
  CHECK(fewer->training_rows() == 2);
}

TEST_CASE("one file of pictures has no test part, and labels only where they are known") {
  const Pictures folder;
  const auto series = open_images({folder.path("b")}, {});
  CHECK(series->rows() == 2);
  CHECK(series->training_rows() == std::nullopt);
  CHECK(series->side_columns().empty());
  CHECK(series->classes().empty());
  CHECK(rows(*series, 1, 1).front() == 106 / 255.0);
}

TEST_CASE("files of pictures that do not fit each other are refused") {
  const Pictures folder;
  const auto fails = [&](const ImageFiles& train, const ImageFiles& test,
                         const ImagesOptions& options = {}) {
    return complaint_of([&] { open_images(train, test, options); });
  };
  CHECK_SAYS(fails({folder.path("a"), folder.path("bl")}, {}),
             "expected labels [3], one for each picture of");
  CHECK_SAYS(fails({folder.path("al")}, {}), "expected pictures [n, height, width]");
  folder.write("wide", idx({2, 3, 2}, counting(12)));
  CHECK_SAYS(fails(folder.train(), {folder.path("wide"), folder.path("bl")}),
             "expected images of 2 x 3, as in");
  CHECK_SAYS(fails(folder.train(), {folder.path("b")}), "expected labels of both or of neither");
  CHECK_SAYS(fails(folder.train(), folder.test(), {.train = 4}),
             "[images] train_samples: expected at most 3, got 4");
  CHECK_SAYS(fails(folder.train(), folder.test(), {.test = 3}),
             "[images] test_samples: expected at most 2, got 3");
  folder.write("short", idx({2, 2, 3}, counting(11)));
  CHECK_SAYS(fails({folder.path("short")}, {}), "expected 12 numbers, got 11");
  folder.write("long", idx({2, 2, 3}, counting(13)));
  CHECK_SAYS(fails({folder.path("long")}, {}), "expected 12 numbers, got more");
  folder.write("none", idx({0, 2, 3}, ""));
  CHECK_SAYS(fails({folder.path("none")}, {}), "got shape [0, 2, 3]");
  folder.write("vast", idx({1, 1 << 15, 1 << 15}, ""));
  CHECK_SAYS(fails({folder.path("vast")}, {}), "of at most 16777216 pixels");
  folder.write("many", idx({1u << 31, 1 << 10, 1 << 10}, ""));
  CHECK_SAYS(fails({folder.path("many")}, {}), "a file that can hold shape");
  folder.write("numbers", idx({1, 1, 1}, "\x01\x02\x03\x04", 0x0c));
  CHECK_SAYS(fails({folder.path("numbers")}, {}),
             "expected pictures of bytes (type 0x08), got type 0x0c");
  folder.write("large", idx({1, 400, 300}, std::string(120000, '\x01')));
  CHECK_SAYS(fails({folder.path("large")}, {}), "at most 100000 pixels, got 400 x 300");
}

FOLDER_TEST_CASE("a patch is a part of one picture, each place as likely as any other") {
  // 4 pictures of 5 x 6; each pixel has a number of its own.
  const std::string file = folder.write("a", idx({4, 5, 6}, counting(120)));
  const PatchOptions options{.height = 3, .width = 2, .count = 6000, .seed = 11};
  const auto series = open_patches(file, options);
  REQUIRE(series->rows() == 6000);
  CHECK(series->channel_names().size() == 6);
  CHECK(series->picture_shape() == std::vector<std::int64_t>{3, 2});
  CHECK(series->training_rows() == std::nullopt);
  CHECK(series->side_columns().empty());
  const std::vector<double> all = rows(*series, 0, 6000);
  std::vector<int> seen(120);
  for (std::size_t n = 0; n < 6000; ++n) {
    const auto pixel = [&](std::size_t i) { return std::lround(all[6 * n + i] * 255.0); };
    const long corner = pixel(0);
    for (long y = 0; y < 3; ++y) {
      for (long x = 0; x < 2; ++x) {
        CHECK(pixel(static_cast<std::size_t>(2 * y + x)) == corner + 6 * y + x);
      }
    }
    CHECK(corner % 30 / 6 <= 2);
    CHECK(corner % 6 <= 4);
    ++seen[static_cast<std::size_t>(corner)];
  }
  // 60 places, 100 patches each: chi square of 59 degrees of freedom, which is above 113 once in
  // 40 000 seeds.
  double chi_square = 0.0;
  std::size_t places = 0;
  for (const int count : seen) {
    if (count == 0) continue;
    ++places;
    chi_square += (count - 100.0) * (count - 100.0) / 100.0;
  }
  CHECK(places == 60);
  CHECK(chi_square < 113.0);
  // The same however they are asked for, and others of another seed.
  CHECK(rows(*series, 4321, 2) ==
        std::vector<double>(all.begin() + 6 * 4321, all.begin() + 6 * 4323));
  CHECK(rows(*open_patches(file, options), 0, 6000) == all);
  PatchOptions other = options;
  other.seed = 12;
  CHECK(rows(*open_patches(file, other), 0, 6000) != all);
}

FOLDER_TEST_CASE("patches are of the training pictures that are used, and fit into them") {
  const std::string file = folder.write("a", idx({4, 5, 6}, counting(120)));
  const auto two =
      open_patches(file, {.height = 5, .width = 6, .count = 100, .seed = 3, .train = 2});
  std::set<double> corners;
  const std::vector<double> all = rows(*two, 0, 100);
  for (std::size_t n = 0; n < 100; ++n) corners.insert(all[30 * n]);
  CHECK(corners == std::set<double>{0.0, 30 / 255.0});
  CHECK_THROWS_WITH_TEXT(open_patches(file, {.height = 6, .width = 6, .count = 1}), ArgumentError,
                         "[images] patch: expected 1 x 1 to 5 x 6 pixels");
  CHECK_THROWS_WITH_TEXT(
      open_patches(file, {.height = 2, .width = 2, .count = 1, .seed = 0, .train = 5}),
      ArgumentError, "[images] train_samples: expected at most 4, got 5");
}
