// SPDX-License-Identifier: MIT
#include "../../src/core/number_from_chars.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include "../../src/core/random.h"
#include "../support/catch.h"

using namespace gaia;

#if defined(__cpp_lib_to_chars)

namespace {

/// Whether strtod reads as much of the text as from_chars does, and the same number.
template <class T>
bool reads_the_same(const std::string& text) {
  const char* const end = text.data() + text.size();
  for (const bool may_have_exponent : {true, false}) {
    T expected = 17;
    T got = 17;
    const auto wanted =
        std::from_chars(text.data(), end, expected,
                        may_have_exponent ? std::chars_format::general : std::chars_format::fixed);
    const auto result = number_by_strtod(text.data(), end, got, may_have_exponent);
    const bool same_number = std::isnan(expected)
                                 ? std::isnan(got)
                                 : expected == got && std::signbit(expected) == std::signbit(got);
    if (result.ptr != wanted.ptr || result.ec != wanted.ec || !same_number) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("strtod reads what from_chars reads") {
  for (const char* text : {"",
                           " 1",
                           "+1",
                           "-",
                           ".",
                           "-.",
                           "e5",
                           "1",
                           "-1",
                           "007",
                           "1.",
                           ".5",
                           "-.5",
                           "1.5e3",
                           "1.5E+3x",
                           "1e",
                           "1e+",
                           "1e-x",
                           "1.e2",
                           ".e2",
                           "0x10",
                           "1_000",
                           "1,5",
                           "inf",
                           "-INF",
                           "Infinity",
                           "infinit",
                           "nan",
                           "-NaN",
                           "nano",
                           "1e400",
                           "-1e400",
                           "1e-400",
                           "5e-324",
                           "2.2250738585072014e-308",
                           "1.7976931348623157e308",
                           "1.7976931348623159e308",
                           "0.1000000000000000055511151231257827",
                           "9007199254740993",
                           "--1",
                           "1-1",
                           "0",
                           "-0.0"}) {
    INFO(text);
    CHECK(reads_the_same<double>(text));
    CHECK(reads_the_same<float>(text));
  }
  CHECK(
      reads_the_same<double>(std::string("1\0"
                                         "2",
                                         3)));
}

TEST_CASE("strtod reads any number back as from_chars does") {
  const RandomStream stream{7, 3};
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const auto bits = stream.block(i);
    const auto value = std::bit_cast<double>(std::uint64_t{bits[0]} << 32 | bits[1]);
    for (const char* format : {"%.17g", "%.3e", "%.20f"}) {
      char text[512];
      std::snprintf(text, sizeof text, format, value);
      if (!reads_the_same<double>(text)) FAIL(text);
    }
  }
}

#endif

TEST_CASE("A number is read to where it ends, whole or with a fraction") {
  const std::string text = "12.5e1,7";
  const char* const end = text.data() + text.size();
  double number = 0.0;
  CHECK(number_from_chars(text.data(), end, number).ptr == text.data() + 6);
  CHECK(number == 125.0);
  CHECK(number_from_chars(text.data(), end, number, false).ptr == text.data() + 4);
  CHECK(number == 12.5);
  std::int64_t whole = 0;
  CHECK(number_from_chars(text.data(), end, whole).ptr == text.data() + 2);
  CHECK(whole == 12);
}
