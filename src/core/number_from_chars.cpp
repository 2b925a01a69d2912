// SPDX-License-Identifier: MIT
#include "number_from_chars.h"

#include <locale.h>
#include <stdlib.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <string>
#include <string_view>

namespace gaia {
namespace {

/// The beginning of a text that is a number.
class BeginningNumber {
 public:
  explicit BeginningNumber(std::string_view text) : text_(text) {}

  /// Its length, 0 if there is none.
  std::size_t length(bool may_have_exponent) {
    take("-");
    if (take("infinity") || take("inf") || take("nan")) return at_;
    std::size_t digits = take_digits();
    if (take(".")) digits += take_digits();
    if (digits == 0) return 0;
    const std::size_t before = at_;
    if (may_have_exponent && take("e")) {
      if (!take("+")) take("-");
      if (take_digits() == 0) at_ = before;
    }
    return at_;
  }

 private:
  /// A word in small or capital letters.
  bool take(std::string_view word) {
    const std::string_view next = text_.substr(at_, word.size());
    const bool is_there = std::equal(
        word.begin(), word.end(), next.begin(), next.end(),
        [](char a, char b) { return a == b || (a >= 'a' && a <= 'z' && b == a - 'a' + 'A'); });
    if (is_there) at_ += word.size();
    return is_there;
  }

  std::size_t take_digits() {
    const std::size_t first = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ - first;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

float read(const char* text, locale_t locale, float /*type*/) {
  return ::strtof_l(text, nullptr, locale);
}
double read(const char* text, locale_t locale, double /*type*/) {
  return ::strtod_l(text, nullptr, locale);
}
long double read(const char* text, locale_t locale, long double /*type*/) {
  return ::strtold_l(text, nullptr, locale);
}

}  // namespace

template <class T>
std::from_chars_result number_by_strtod(const char* first, const char* last, T& value,
                                        bool may_have_exponent) {
  static const locale_t kLocale = ::newlocale(LC_ALL_MASK, "C", nullptr);
  const std::string_view text(first, static_cast<std::size_t>(last - first));
  const std::size_t length = BeginningNumber(text).length(may_have_exponent);
  if (length == 0) return {first, std::errc::invalid_argument};
  const char* const stop = first + length;
  const std::string number(first, stop);  // with an end, and nothing behind it
  errno = 0;
  const T number_read = read(number.c_str(), kLocale, T{});
  // Subnormal numbers are reported too, and are in range.
  if (errno == ERANGE && (number_read == 0 || std::isinf(number_read))) {
    return {stop, std::errc::result_out_of_range};
  }
  value = number_read;
  return {stop, std::errc()};
}

template std::from_chars_result number_by_strtod(const char*, const char*, float&, bool);
template std::from_chars_result number_by_strtod(const char*, const char*, double&, bool);
template std::from_chars_result number_by_strtod(const char*, const char*, long double&, bool);

}  // namespace gaia
