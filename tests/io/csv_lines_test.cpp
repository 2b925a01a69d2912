// SPDX-License-Identifier: MIT
#include "../../src/io/csv_lines.h"

#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "../support/catch.h"
#include "../support/devices.h"

namespace gaia {
namespace {

constexpr std::int64_t kNone = CsvLayout::kNone;

using Values = std::vector<double>;

Values values_of(const CsvNumbers& numbers, std::int64_t width) {
  return {numbers.values.get(), numbers.values.get() + numbers.rows * width};
}

/// The numbers of two columns.
std::optional<Values> pairs_of(const std::string& lines, char separator = ',', char decimal = '.') {
  const auto numbers = parse_lines(lines, {separator, decimal, 2, {0, 1}});
  if (!numbers) return {};
  return values_of(*numbers, 2);
}

bool is_refused(const std::string& lines, const CsvLayout& layout) {
  return !parse_lines(lines, layout);
}

TEST_CASE("parse_lines takes numbers as CsvRecords does") {
  CHECK(pairs_of("1,-2.5\n 3e2 ,\t+4\n") == Values{1.0, -2.5, 300.0, 4.0});
  CHECK(pairs_of("1,2\r\n3 ,4 \r\n") == Values{1.0, 2.0, 3.0, 4.0});
  CHECK(pairs_of("1,5;-0,25\n", ';', ',') == Values{1.5, -0.25});
  CHECK(pairs_of("1\t2\n 3\t4 \n", '\t') == Values{1.0, 2.0, 3.0, 4.0});
  CHECK(pairs_of("0.1,1234567890.12345678\n") == Values{0.1, 1234567890.12345678});
  CHECK(pairs_of("9007199254740991,1e15\n") == Values{9007199254740991.0, 1e15});
  CHECK(pairs_of("") == Values{});
}

TEST_CASE("parse_lines takes missing values") {
  const auto values = pairs_of("1,\nNA,4\n");
  REQUIRE(values);
  CHECK(values->at(0) == 1.0);
  CHECK(std::isnan(values->at(1)));
  CHECK(std::isnan(values->at(2)));
  CHECK(values->at(3) == 4.0);
}

TEST_CASE("parse_lines puts numbers in their places and leaves fields out") {
  const auto numbers = parse_lines("1,x y,2,3\n4,,5,6\n", {',', '.', 2, {1, kNone, kNone, 0}});
  REQUIRE(numbers);
  CHECK(values_of(*numbers, 2) == Values{3.0, 1.0, 6.0, 4.0});
}

TEST_CASE("parse_lines refuses lines that have to be looked at one by one") {
  const CsvLayout two{',', '.', 2, {0, 1}};
  CHECK(!is_refused("1,2\n", two));
  for (const char* lines :
       {"1,2\n3\n", "1,2\n3,4,5\n", "1,2\n\n", "1,2\n3,x\n", "1,2\n3,\"4\"\n", "1,inf\n",
        "1,1e400\n", "1,9007199254740993\n", "1,2\r3\n", "1\r,2\n", "1,2\n,\n3,4 5\n"}) {
    CAPTURE(lines);
    CHECK(is_refused(lines, two));
  }
  CHECK(is_refused(std::string("1,2\0\n", 5), two));
  const CsvLayout first{',', '.', 1, {0, kNone}};
  CHECK(!is_refused("1,x\n", first));
  CHECK(is_refused("1,\"x\"\n", first));
  CHECK(is_refused("1,x\ry\n", first));
  CHECK(is_refused("1," + std::string(std::size_t{1} << 20, 'x') + "\n", first));
  const CsvLayout one{',', '.', 1, {0}};
  CHECK(!is_refused("1\n2\n", one));
  for (const char* lines : {"1\n\n2\n", "1\n \n", "1\nNA\n", "1\n\r\n"}) {
    CAPTURE(lines);
    CHECK(is_refused(lines, one));
  }
}

TEST_CASE("parse_lines takes many lines on any number of threads") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> value(-1e6, 1e6);
  std::string lines;
  Values expected;
  std::vector<std::size_t> begins;
  for (int row = 0; row < 20000; ++row) {
    begins.push_back(lines.size());
    for (const char* end : {",", "\n"}) {
      const std::string text = std::to_string(value(random)).substr(0, 4 + random() % 12);
      lines += text + end;
      expected.push_back(std::strtod(text.c_str(), nullptr));
    }
  }
  for (const int threads : {1, 2, 3, 7}) {
    CAPTURE(threads);
    const test::Threads some(threads);
    const auto numbers = parse_lines(lines, {',', '.', 2, {0, 1}});
    REQUIRE(numbers);
    CHECK(values_of(*numbers, 2) == expected);
    CHECK(numbers->places.size() > 3);
    for (const CsvNumbers::Place& place : numbers->places) {
      CHECK(begins.at(static_cast<std::size_t>(place.row)) == place.byte);
    }
    CHECK(is_refused(lines + "1,x\n", {',', '.', 2, {0, 1}}));
  }
}

}  // namespace
}  // namespace gaia
