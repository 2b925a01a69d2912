// SPDX-License-Identifier: MIT
#include "../../src/core/text.h"

#include <cmath>
#include <limits>

#include "../support/catch.h"

using namespace gaia;

TEST_CASE("integers are decimal and whole") {
  CHECK(parse_integer("42") == 42);
  CHECK(parse_integer("-7") == -7);
  CHECK(parse_integer("+7") == 7);
  CHECK(parse_integer("0") == 0);
  CHECK(parse_integer("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  for (const char* text : {"", "-", "+", "010", "-01", "1.0", "1e3", "0x10", " 1", "1 ", "1_000",
                           "++1", "+-1", "9223372036854775808"}) {
    INFO(text);
    CHECK_FALSE(parse_integer(text));
  }
}

TEST_CASE("numbers are decimal and finite, and neither overflow nor vanish") {
  CHECK(parse_number("1.5") == 1.5);
  CHECK(parse_number("-1e-5") == -1e-5);
  CHECK(parse_number("+.5") == 0.5);
  CHECK(parse_number("5.") == 5.0);
  CHECK(parse_number("0.25") == 0.25);
  CHECK(parse_number("1e300") == 1e300);
  for (const char* text : {"", "nan", "inf", "-inf", ".nan", "1e400", "1e-400", "0x1p3", "1,5",
                           "1.5 ", "010", "-00.5", "1e", "--1", "+-1"}) {
    INFO(text);
    CHECK_FALSE(parse_number(text));
  }
}

TEST_CASE("numbers are written so that they read back as they were, and as numbers with a point") {
  for (const double value : {0.1, 1.0, -2.5e-300, 1e22, 1.0 / 3.0, 5e-324, 123456789.0}) {
    const std::string text = number_text(value);
    INFO(text);
    CHECK(text.find_first_of(".e") != std::string::npos);
    CHECK(parse_number(text) == value);
  }
  CHECK(number_text(1.0) == "1.0");
  CHECK(number_text(std::nan("")) == ".nan");
}

TEST_CASE("control characters are not printed") {
  CHECK(printable("a\x1b[31mb\x7f\r\tc\n") == "a?[31mb??\tc\n");
  CHECK(printable("grüße") == "grüße");
  // Controls beyond ASCII, one that turns the direction of writing, and bytes that are no UTF-8.
  CHECK(printable("a\xc2\x9b[2Jb") == "a?[2Jb");
  CHECK(printable("a\xe2\x80\xae"
                  "b") == "a?b");
  CHECK(printable("\x9b[2J\xff\xc3") == "?[2J??");
  CHECK(printable("你好 \xf0\x9f\x98\x80") == "你好 \xf0\x9f\x98\x80");
  CHECK(printable(std::string("a\0b", 3)) == "a?b");
}

TEST_CASE("UTF-8 is told from what is not") {
  CHECK(is_utf8(""));
  CHECK(is_utf8("grüße, 你好, \xf0\x9f\x98\x80"));
  for (const std::string& text :
       {std::string("a\0b", 3), std::string("\xff"), std::string("\xc3"), std::string("\xc0\xaf"),
        std::string("\xed\xa0\x80"), std::string("\xf4\x90\x80\x80"), std::string("\xe2\x28\xa1"),
        std::string("\xe0\x80\xaf"), std::string("\xf0\x80\x80\x80")}) {
    CHECK_FALSE(is_utf8(text));
  }
}

TEST_CASE("sizes, times and counts are readable") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(999) == "999 B");
  CHECK(bytes_text(12345678) == "12.3 MB");
  CHECK(duration_text(0.0123) == "12 ms");
  CHECK(duration_text(12.34) == "12.3 s");
  CHECK(duration_text(250) == "4 min 10 s");
  CHECK(duration_text(12000) == "3 h 20 min");
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1234567) == "1 234 567");
  CHECK(grouped(-123456) == "-123 456");
}
