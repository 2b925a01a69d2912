// SPDX-License-Identifier: MIT
#include "problem_list.h"

#include <algorithm>

#include "../../core/message.h"
#include "../../core/text.h"

namespace gaia::equation_language {
namespace {

constexpr std::size_t kMostShown = 20;
constexpr std::size_t kLongestQuote = 60;
constexpr std::size_t kLongestLine = 100;
constexpr std::size_t kNowhere = std::string_view::npos;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

/// `count` characters of the text from the character `first`.
std::string_view characters_of(std::string_view text, std::size_t first, std::size_t count) {
  std::size_t begin = 0;
  const auto skip = [&](std::size_t from, std::size_t number) {
    for (std::size_t seen = 0; from < text.size(); ++from) {
      if (begins_character(text[from]) && seen++ == number) break;
    }
    return from;
  };
  begin = skip(0, first);
  return text.substr(begin, skip(begin, count) - begin);
}

std::string_view line_of(std::string_view text, std::size_t begin) {
  std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace

void ProblemList::at(std::size_t offset, const std::string& message) {
  add({std::min(offset, equations_.size()), key_, message});
}

void ProblemList::of_key(const std::string& key, const std::string& message) {
  add({kNowhere, key, message});
}

void ProblemList::add(Noted noted) {
  ++count_;
  if (!full()) noted_.push_back(std::move(noted));
}

int ProblemList::line_at(std::size_t offset) const {
  const std::string_view before = equations_.substr(0, offset);
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

std::string ProblemList::quote(Span span) const {
  std::string text;
  bool comment = false;
  for (const char c : equations_.substr(span.begin, span.end - span.begin)) {
    if (c == '#') comment = true;
    if (c == '\n') comment = false;
    if (comment) continue;
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!blank) {
      text += c;
    } else if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
  }
  if (text.size() > kLongestQuote) text = text.substr(0, kLongestQuote - 3) + "...";
  return printable(text);
}

void ProblemList::throw_if_any() const {
  if (empty()) return;
  std::vector<Noted> sorted = noted_;
  std::ranges::stable_sort(sorted,
                           [](const Noted& a, const Noted& b) { return a.offset < b.offset; });
  std::vector<EquationProblem> problems;
  std::size_t line_begin = 0;
  int line = 1;
  for (const Noted& noted : sorted) {
    if (noted.offset == kNowhere) {
      problems.push_back({noted.key, 0, 0, printable(noted.message)});
      continue;
    }
    for (std::size_t end = equations_.find('\n', line_begin); end < noted.offset;
         end = equations_.find('\n', line_begin)) {
      line_begin = end + 1;
      ++line;
    }
    const std::size_t before = characters(equations_.substr(line_begin, noted.offset - line_begin));
    problems.push_back({noted.key, line, static_cast<int>(before) + 1, printable(noted.message)});
  }
  std::string all = what_ + " has " +
                    (count_ == 1 ? std::string("an error")
                                 : grouped(static_cast<std::int64_t>(count_)) + " errors") +
                    ":";
  for (std::size_t i = 0; i < std::min(problems.size(), kMostShown); ++i) {
    all += "\n" + text_of(problems[i]);
  }
  if (count_ > kMostShown)
    all += "\n... and " + grouped(static_cast<std::int64_t>(count_ - kMostShown)) + " more";
  throw EquationError(all, std::move(problems));
}

std::string ProblemList::text_of(const EquationProblem& problem) const {
  if (problem.line == 0) return message("{}: {}", problem.key, problem.message);
  std::size_t begin = 0;
  for (int line = 1; line < problem.line; ++line) begin = equations_.find('\n', begin) + 1;
  const std::string_view line = line_of(equations_, begin);
  const auto column = static_cast<std::size_t>(problem.column - 1);
  // The part of a long line around the caret.
  const std::size_t first = column < kLongestLine ? 0 : column - kLongestLine / 2;
  std::string shown = printable(characters_of(line, first, kLongestLine));
  std::replace(shown.begin(), shown.end(), '\t', ' ');
  const std::string number = std::to_string(problem.line);
  const std::string margin(number.size() < 5 ? 5 - number.size() : 0, ' ');
  return "line " + number + ", column " + std::to_string(problem.column) + ": " + problem.message +
         "\n" + margin + number + " | " + shown + "\n" +
         std::string(margin.size() + number.size(), ' ') + " | " +
         std::string(column - first, ' ') + "^";
}

}  // namespace gaia::equation_language
