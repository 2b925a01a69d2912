// SPDX-License-Identifier: MIT
#include "../../src/io/dates.h"

#include <limits>

#include "../support/catch.h"

namespace gaia {
namespace {

// Seconds since 1970 as Python has them: datetime(..., tzinfo=timezone.utc).timestamp().
constexpr std::int64_t kSecond = 1000000000;
constexpr std::int64_t kYear2020 = 1577836800 * kSecond;  // 2020-01-01
constexpr std::int64_t kLeapDay = 1709164800 * kSecond;   // 2024-02-29
constexpr std::int64_t k1900 = -2208988800 * kSecond;     // 1900-01-01

TEST_CASE("dates of ISO 8601 become nanoseconds since 1970") {
  CHECK(parse_date("1970-01-01") == 0);
  CHECK(parse_date("2020-01") == kYear2020);
  CHECK(parse_date("2020-01-01") == kYear2020);
  CHECK(parse_date("2024-02-29") == kLeapDay);
  CHECK(parse_date("1900-01-01T00") == k1900);
  CHECK(parse_date("2020-01-01T01:02") == kYear2020 + 3720 * kSecond);
  CHECK(parse_date("2020-01-01 01:02:03") == kYear2020 + 3723 * kSecond);
  CHECK(parse_date("2020-01-01T00:00:00.5") == kYear2020 + kSecond / 2);
  CHECK(parse_date("2020-01-01T00:00:00,000000001") == kYear2020 + 1);
  CHECK(parse_date("2020-01-01T00:00:00.1234567899") == kYear2020 + 123456789);
  CHECK(parse_date("2020-01-01T02:00:00+02:00") == kYear2020);
  CHECK(parse_date("2020-01-01T02:00+0200") == kYear2020);
  CHECK(parse_date("2019-12-31T18:30:00-05:30") == kYear2020);
  CHECK(parse_date("2020-01-01T01:00:00+01") == kYear2020);
  CHECK(parse_date("2020-01-01T00:00:00Z") == kYear2020);
  CHECK(parse_date("2016-12-31T23:59:60Z") == parse_date("2017-01-01"));
}

TEST_CASE("what is no date is none") {
  for (const char* text : {"",
                           "2020",
                           "20200101",
                           "2020-13-01",
                           "2020-02-30",
                           "2023-02-29",
                           "1900-02-29",
                           "2020-1-1",
                           "01.02.2020",
                           "2020/01/01",
                           "2020-01-01T",
                           "2020-01-01T24:00",
                           "2020-01-01T00:60",
                           "2020-01-01T00:00:61",
                           "2020-01-01T00:00:00.",
                           "2020-01-01x",
                           "2020-01-01T00:00:00+",
                           "2020-01-01T00:00:00+1",
                           "2020-01-01T00:00:00+24:00",
                           "2020-01-01T00:00:00 UTC",
                           "-2020-01-01",
                           "1600-01-01",
                           "2300-01-01",
                           "12345-01-01"}) {
    INFO(text);
    CHECK_FALSE(parse_date(text));
  }
}

TEST_CASE("dates are written as they are read") {
  CHECK(date_text(0) == "1970-01-01T00:00:00");
  CHECK(date_text(kLeapDay + 86399 * kSecond + 500000000) == "2024-02-29T23:59:59.5");
  CHECK(date_text(k1900 - 1) == "1899-12-31T23:59:59.999999999");
  for (std::int64_t time = -9000000000 * kSecond; time < 9000000000 * kSecond;
       time += 123456789 * kSecond + 987654321) {
    REQUIRE(parse_date(date_text(time)) == time);
  }
}

TEST_CASE("numbers count from a date by the units of the CF conventions") {
  const auto in = [](const char* units, auto count) {
    const auto parsed = TimeUnits::parse(units);
    REQUIRE(parsed);
    return parsed->nanoseconds(count);
  };
  CHECK(in("seconds since 2020-01-01", std::int64_t{3}) == kYear2020 + 3 * kSecond);
  CHECK(in("days since 1970-01-01", std::int64_t{18262}) == kYear2020);
  CHECK(in("hours since 1900-1-1 0:0:0", std::int64_t{0}) == k1900);
  CHECK(in("weeks since 2020-01-08", std::int64_t{-1}) == kYear2020);
  CHECK(in("Days Since 1970-01-01", std::int64_t{18262}) == kYear2020);
  CHECK(in("days since 2020-01-01 00:00 +0:00", std::int64_t{0}) == kYear2020);
  CHECK(in("days since 2020-01-01 00:00:00 -3:30", std::int64_t{0}) == kYear2020 + 12600 * kSecond);
  CHECK(in("minutes since 2020-01-01 00:00:00.0 UTC", std::int64_t{-1}) ==
        kYear2020 - 60 * kSecond);
  CHECK(in("ms since 2020-01-01T00:00:00Z", std::int64_t{-1}) == kYear2020 - 1000000);
  CHECK(in("microseconds since 2020-01-01", std::int64_t{7}) == kYear2020 + 7000);
  CHECK(in("nanoseconds since 1970-01-01", kYear2020 + 1) == kYear2020 + 1);
  // A double has no room for these nanoseconds since 1970, but for the fraction of a day.
  CHECK(in("days since 1970-01-01", 18262.5) == kYear2020 + 43200 * kSecond);
  CHECK(in("seconds since 2020-01-01", 0.25) == kYear2020 + kSecond / 4);
  CHECK_FALSE(in("days since 1970-01-01", std::numeric_limits<std::int64_t>::max()));
  CHECK_FALSE(in("days since 1970-01-01", std::int64_t{200000}));
  CHECK_FALSE(in("s since 1970-01-01", std::numeric_limits<double>::quiet_NaN()));
  CHECK_FALSE(in("s since 1970-01-01", std::numeric_limits<double>::infinity()));
  CHECK_FALSE(TimeUnits::parse("m"));
  CHECK_FALSE(TimeUnits::parse("fortnights since 2020-01-01"));
  CHECK_FALSE(TimeUnits::parse("seconds since yesterday"));
  CHECK_FALSE(TimeUnits::parse("months since 2020-01-01"));
  CHECK(TimeUnits::looks_like_units("months Since 2020-01-01"));
  CHECK_FALSE(TimeUnits::looks_like_units("seconds"));
}

TEST_CASE("dates before 1582-10-15 are of the calendar that a file says") {
  // The counts are those of cftime 1.6 (date2num) for 2020-01-01.
  const auto is_2020 = [](const char* units, std::int64_t count, TimeUnits::Calendar calendar) {
    const auto parsed = TimeUnits::parse(units, calendar);
    return parsed && parsed->nanoseconds(count) == kYear2020;
  };
  using enum TimeUnits::Calendar;
  CHECK(is_2020("days since 1-1-1", 737426, standard));
  CHECK(is_2020("days since 0001-01-01 00:00:00", 737424, gregorian));
  CHECK(is_2020("hours since 1582-10-04 12:00", 3832548, standard));
  CHECK(is_2020("hours since 1582-10-04 12:00", 3832788, gregorian));
  CHECK(is_2020("days since 1582-10-15", 159689, standard));
  CHECK(is_2020("days since 1582-10-15", 159689, gregorian));
  CHECK(is_2020("days since 0004-02-29", 736272, standard));
  CHECK(is_2020("days since 0004-02-29", 736270, gregorian));
  CHECK(is_2020("days since 1500-02-29", 189858, standard));
  CHECK_FALSE(TimeUnits::parse("days since 1500-02-29", gregorian));
  CHECK(TimeUnits::parse("days since 1582-10-10", gregorian));
  CHECK_FALSE(TimeUnits::parse("days since 1582-10-10", standard));
}

}  // namespace
}  // namespace gaia
