// SPDX-License-Identifier: MIT
#include "column_names.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace gaia {
namespace {

using Words = std::initializer_list<std::string_view>;

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// Its letters and digits, small: "Trial No." is "trialno".
std::string letters_of(const std::string& name) {
  std::string letters;
  for (const char each : name) {
    const char letter = lower(each);
    const bool is_kept = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') ||
                         static_cast<unsigned char>(letter) >= 128;
    if (is_kept) letters += letter;
  }
  return letters;
}

/// Whether letters are one of these words, as it is or with what numbers are called by.
bool is_one_of(std::string_view letters, Words words) {
  constexpr std::string_view endings[] = {"",    "s",      "id",    "ids", "no",   "nr",
                                          "num", "number", "index", "idx", "code", "name"};
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    if (!letters.starts_with(word)) return false;
    const std::string_view rest = letters.substr(word.size());
    return std::find(std::begin(endings), std::end(endings), rest) != std::end(endings);
  });
}

}  // namespace

bool is_called_time(const std::string& name) {
  constexpr std::string_view names[] = {"t",       "time",     "times",  "timestamp",
                                        "date",    "datetime", "year",   "unixtime",
                                        "seconds", "sec",      "time_s", "decimal_date"};
  std::string called = name;
  std::transform(called.begin(), called.end(), called.begin(), lower);
  return std::find(std::begin(names), std::end(names), called) != std::end(names) ||
         called.starts_with("time ") || called.starts_with("time(") || called.starts_with("time [");
}

bool is_called_calendar(const std::string& name) {
  return is_called_time(name) ||
         is_one_of(letters_of(name), {"year", "quarter", "month", "week", "day", "hour", "minute",
                                      "second", "dayofyear", "dayofweek", "weekofyear", "doy"});
}

int trial_rank(const std::string& name) {
  const std::string letters = letters_of(name);
  if (is_one_of(letters, {"trial"})) return 0;
  if (is_one_of(letters, {"epoch", "segment", "sweep", "episode", "repetition", "rep"})) return 1;
  if (is_one_of(letters, {"run", "block", "sequence", "recording", "record", "series"})) return 2;
  const int group = group_rank(name);
  return group < 0 ? -1 : 4 - group;
}

int group_rank(const std::string& name) {
  const std::string letters = letters_of(name);
  if (is_one_of(letters, {"subject", "subj", "participant", "patient", "person", "animal", "mouse",
                          "rat", "monkey", "user"})) {
    return 0;
  }
  return is_one_of(letters, {"session"}) ? 1 : -1;
}

bool is_called_label(const std::string& name) {
  return is_one_of(letters_of(name), {"label", "class", "classes", "category", "condition", "cond",
                                      "stimulus", "stim", "target", "y", "trialtype", "diagnosis",
                                      "activity", "gesture", "movement"});
}

}  // namespace gaia
