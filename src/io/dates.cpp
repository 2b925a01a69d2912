// SPDX-License-Identifier: MIT
#include "dates.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "../core/checked.h"

namespace gaia {
namespace {

constexpr std::int64_t kSecond = 1000000000;  // nanoseconds
constexpr std::int64_t kDay = 86400;          // seconds

/// An instant: seconds since 1970, which may be less than 0, and nanoseconds from there on.
struct Instant {
  std::int64_t seconds = 0;
  std::int64_t rest = 0;
};

std::optional<std::int64_t> nanoseconds_of(const Instant& instant) {
  const auto whole = checked_multiply(instant.seconds, kSecond);
  return whole ? checked_add(*whole, instant.rest) : std::nullopt;
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
/// Hinnant (2021), "chrono-Compatible Low-Level Date Algorithms", days_from_civil.
std::int64_t days_to(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/// The same of the Julian calendar, in which every fourth year has a leap day.
std::int64_t julian_days_to(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t four = (year >= 0 ? year : year - 3) / 4;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return four * 1461 + (year - four * 4) * 365 + of_year - 719470;
}

std::int64_t days_in(std::int64_t year, std::int64_t month, bool is_julian) {
  constexpr std::array<std::int64_t, 12> days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = year % 4 == 0 && (is_julian || year % 100 != 0 || year % 400 == 0);
  return days[static_cast<std::size_t>(month - 1)] + (month == 2 && is_leap ? 1 : 0);
}

/// The parts of a date, one after the other.
class DateParser {
 public:
  /// `lenient`: months to seconds and hours of an offset may have one digit, as the units of some
  /// netCDF files have them.
  DateParser(std::string_view text, bool lenient, TimeUnits::Calendar calendar)
      : text_(text), lenient_(lenient), calendar_(calendar) {}

  std::optional<Instant> parse() {
    const auto year = lenient_ ? digits(1, 4) : digits(4, 4);
    if (!year || !take('-')) return std::nullopt;
    const auto month = part();
    if (!month || *month < 1 || *month > 12) return std::nullopt;
    std::int64_t day = 1;
    if (take('-')) {
      const auto given = part();
      if (!given || *given < 1 || *given > 31) return std::nullopt;
      day = *given;
    }
    const std::array<std::int64_t, 3> date = {*year, *month, day};
    const bool is_mixed = calendar_ == TimeUnits::Calendar::standard;
    const bool is_julian = is_mixed && date < kFirstGregorian;
    if (day > days_in(*year, *month, is_julian)) return std::nullopt;
    if (is_julian && date > kLastJulian) return std::nullopt;
    const std::int64_t days =
        is_julian ? julian_days_to(*year, *month, day) : days_to(*year, *month, day);
    Instant instant{days * kDay, 0};
    if (at_ == text_.size()) return instant;
    if (!take('T') && !take('t') && !take(' ')) return std::nullopt;
    if (!time_of_day(instant) || !offset(instant) || at_ != text_.size()) return std::nullopt;
    return instant;
  }

 private:
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool is_digit() const { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; }

  std::optional<std::int64_t> digits(std::size_t least, std::size_t most) {
    std::int64_t value = 0;
    std::size_t count = 0;
    for (; count < most && is_digit(); ++count, ++at_) value = 10 * value + (text_[at_] - '0');
    return count >= least ? std::optional(value) : std::nullopt;
  }

  std::optional<std::int64_t> part() { return digits(lenient_ ? 1 : 2, 2); }

  bool time_of_day(Instant& instant) {
    const auto hour = part();
    if (!hour || *hour > 23) return false;
    instant.seconds += *hour * 3600;
    if (!take(':')) return true;
    const auto minute = part();
    if (!minute || *minute > 59) return false;
    instant.seconds += *minute * 60;
    if (!take(':')) return true;
    const auto second = part();
    if (!second || *second > 60) return false;  // 60 is a leap second, the same as the next 0 here
    instant.seconds += *second;
    if (!take('.') && !take(',')) return true;
    if (!is_digit()) return false;
    for (std::int64_t worth = kSecond / 10; is_digit(); worth /= 10, ++at_) {
      instant.rest += worth * (text_[at_] - '0');
    }
    return true;
  }

  bool offset(Instant& instant) {
    if (lenient_ && take(' ') && text_.substr(at_) == "UTC") at_ = text_.size();
    if (at_ == text_.size() || take('Z') || take('z')) return true;
    const bool is_ahead = take('+');
    if (!is_ahead && !take('-')) return false;
    const auto hours = part();
    if (!hours || *hours > 23) return false;
    std::int64_t seconds = *hours * 3600;
    if (take(':') || is_digit()) {
      const auto minutes = digits(2, 2);
      if (!minutes || *minutes > 59) return false;
      seconds += *minutes * 60;
    }
    instant.seconds += is_ahead ? -seconds : seconds;
    return true;
  }

  static constexpr std::array<std::int64_t, 3> kLastJulian = {1582, 10, 4};
  static constexpr std::array<std::int64_t, 3> kFirstGregorian = {1582, 10, 15};

  std::string_view text_;
  bool lenient_;
  TimeUnits::Calendar calendar_;
  std::size_t at_ = 0;
};

constexpr std::string_view kSince = " since ";

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}

/// The place of the word "since" in units, in letters of either case.
std::size_t since(std::string_view text) { return in_small_letters(text).find(kSince); }

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

std::optional<std::int64_t> parse_date(std::string_view text) {
  const std::optional<Instant> instant =
      DateParser(text, false, TimeUnits::Calendar::gregorian).parse();
  return instant ? nanoseconds_of(*instant) : std::nullopt;
}

std::string date_text(std::int64_t nanoseconds) {
  const std::int64_t seconds = floor_divide(nanoseconds, kSecond);
  const std::int64_t rest = nanoseconds - seconds * kSecond;
  const std::int64_t days = floor_divide(seconds, kDay);
  const std::int64_t of_day = seconds - days * kDay;
  // Hinnant's civil_from_days.
  const std::int64_t shifted = days + 719468;
  const std::int64_t era = floor_divide(shifted, 146097);
  const std::int64_t of_era = shifted - era * 146097;
  const std::int64_t year_of_era =
      (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const std::int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted_month = (5 * of_year + 2) / 153;
  const std::int64_t day = of_year - (153 * shifted_month + 2) / 5 + 1;
  const std::int64_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  const std::int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", year, month, day,
                                 of_day / 3600, of_day / 60 % 60, of_day % 60);
  if (rest != 0) {
    std::string digits = fmt::format("{:09}", rest);
    digits.erase(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return text;
}

bool TimeUnits::looks_like_units(std::string_view text) { return since(text) != text.npos; }

std::optional<TimeUnits> TimeUnits::parse(std::string_view text, Calendar calendar) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 36> units = {{
      {"weeks", 7 * kDay * kSecond},
      {"week", 7 * kDay * kSecond},
      {"days", kDay * kSecond},
      {"day", kDay * kSecond},
      {"d", kDay * kSecond},
      {"hours", 3600 * kSecond},
      {"hour", 3600 * kSecond},
      {"hrs", 3600 * kSecond},
      {"hr", 3600 * kSecond},
      {"h", 3600 * kSecond},
      {"minutes", 60 * kSecond},
      {"minute", 60 * kSecond},
      {"mins", 60 * kSecond},
      {"min", 60 * kSecond},
      {"seconds", kSecond},
      {"second", kSecond},
      {"secs", kSecond},
      {"sec", kSecond},
      {"s", kSecond},
      {"milliseconds", 1000000},
      {"millisecond", 1000000},
      {"millisecs", 1000000},
      {"millisec", 1000000},
      {"msecs", 1000000},
      {"msec", 1000000},
      {"ms", 1000000},
      {"microseconds", 1000},
      {"microsecond", 1000},
      {"microsecs", 1000},
      {"microsec", 1000},
      {"us", 1000},
      {"nanoseconds", 1},
      {"nanosecond", 1},
      {"nanosecs", 1},
      {"nanosec", 1},
      {"ns", 1},
  }};
  const std::size_t end = since(text);
  if (end == text.npos) return std::nullopt;
  const std::string unit = in_small_letters(text.substr(0, end));
  TimeUnits found;
  bool is_known = false;
  for (const auto& [name, nanoseconds] : units) {
    if (unit != name) continue;
    found.unit_ = nanoseconds;
    is_known = true;
  }
  const auto epoch = DateParser(text.substr(end + kSince.size()), true, calendar).parse();
  if (!is_known || !epoch) return std::nullopt;
  found.epoch_seconds_ = epoch->seconds;
  found.epoch_rest_ = epoch->rest;
  return found;
}

std::optional<std::int64_t> TimeUnits::nanoseconds(std::int64_t count) const {
  Instant instant;
  if (unit_ >= kSecond) {
    const auto seconds = checked_multiply(count, unit_ / kSecond);
    if (!seconds) return std::nullopt;
    instant.seconds = *seconds;
  } else {
    const std::int64_t per_second = kSecond / unit_;
    instant.seconds = floor_divide(count, per_second);
    instant.rest = (count - instant.seconds * per_second) * unit_;
  }
  const auto seconds = checked_add(instant.seconds, epoch_seconds_);
  if (!seconds) return std::nullopt;
  instant.seconds = *seconds;
  instant.rest += epoch_rest_;
  return nanoseconds_of(instant);
}

std::optional<std::int64_t> TimeUnits::nanoseconds(double count) const {
  // What lies beyond is beyond the reach of nanoseconds too.
  if (!(std::abs(count) < 9.2e18)) return std::nullopt;
  const double whole = std::floor(count);
  const auto start = nanoseconds(static_cast<std::int64_t>(whole));
  // The fraction by itself, since the sum has no digits left for nanoseconds.
  const auto rest =
      static_cast<std::int64_t>(std::llround((count - whole) * static_cast<double>(unit_)));
  return start ? checked_add(*start, rest) : std::nullopt;
}

}  // namespace gaia
