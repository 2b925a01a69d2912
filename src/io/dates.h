// SPDX-License-Identifier: MIT
/// \file
/// Dates as nanoseconds since 1970-01-01T00:00:00 in UTC, and numbers that count from a date.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gaia {

/// A way to write dates, as messages name it.
constexpr const char* kDateForm = "a date as 2020-01-31 or 2020-01-31T12:00:00.5+01:00 (ISO 8601)";

/// Nanoseconds of a date of ISO 8601: year and month, a day, a time of day behind `T` or a blank to
/// the hour, minute, second or a fraction of it (of which nine digits count), and Z or an offset,
/// +hh:mm, +hhmm or +hh; without one it is in UTC.  The calendar is the Gregorian one.  Nothing for
/// everything else, and for years that nanoseconds in 64 bits do not reach (before 1678, after
/// 2261).
std::optional<std::int64_t> parse_date(std::string_view text);

/// "2020-01-31T12:00:00.5", to the last digit that is not 0.
std::string date_text(std::int64_t nanoseconds);

/// What numbers of a time coordinate count, by the CF conventions: "seconds since 2020-01-01".
class TimeUnits {
 public:
  /// Which day a date before 1582-10-15 is.
  enum class Calendar {
    standard,   ///< A day of the Julian calendar; the days 1582-10-05 to 14 do not exist.
    gregorian,  ///< A day of the Gregorian calendar, as if it had always been.
  };

  /// Weeks, days, hours, minutes, seconds, ms, us or ns since a date, in letters of either case;
  /// nothing for other units, such as months and years, which are not equally long.
  static std::optional<TimeUnits> parse(std::string_view text,
                                        Calendar calendar = Calendar::standard);
  /// Whether a text looks like such units, known or not: it has the word "since".
  static bool looks_like_units(std::string_view text);

  /// Nanoseconds since 1970; nothing where 64 bits do not reach, and for NaN.
  std::optional<std::int64_t> nanoseconds(std::int64_t count) const;
  std::optional<std::int64_t> nanoseconds(double count) const;

 private:
  std::int64_t unit_ = 1;           // nanoseconds
  std::int64_t epoch_seconds_ = 0;  // since 1970
  std::int64_t epoch_rest_ = 0;     // nanoseconds
};

}  // namespace gaia
