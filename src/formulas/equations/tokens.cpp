// SPDX-License-Identifier: MIT
#include "tokens.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "../../core/message.h"
#include "../../core/number_from_chars.h"
#include "../../core/text.h"
#include "language.h"

namespace gaia::equation_language {
namespace {

bool is_digit_byte(char c) { return c >= '0' && c <= '9'; }

bool is_name_byte(char c) {
  return is_digit_byte(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// What to write instead of a character that people write in equations.
constexpr std::array kInstead = {
    std::pair{"\u2212", "-"},
    std::pair{"\u2013", "-"},
    std::pair{"\u2014", "-"},
    std::pair{"\u2010", "-"},
    std::pair{"\u2011", "-"},
    std::pair{"\u00d7", "*"},
    std::pair{"\u00b7", "*"},
    std::pair{"\u22c5", "*"},
    std::pair{"\u2217", "*"},
    std::pair{"\u00f7", "/"},
    std::pair{"\u2215", "/"},
    std::pair{"\u2264", "<="},
    std::pair{"\u2265", ">="},
    std::pair{"\u2260", "!="},
    std::pair{"\u00b2", "^2"},
    std::pair{"\u00b3", "^3"},
    std::pair{"\u221a", "sqrt(a)"},
    std::pair{"\u2211", "sum(a)"},
    std::pair{"\u2190", "="},
    std::pair{"\u00a0", "a space"},
    std::pair{"\u2009", "a space"},
    std::pair{"\u202f", "a space"},
    std::pair{"\u03b1", "alpha"},
    std::pair{"\u03b2", "beta"},
    std::pair{"\u03b3", "gamma"},
    std::pair{"\u03b4", "delta"},
    std::pair{"\u0394", "d, as in dw"},
    std::pair{"\u03b5", "epsilon"},
    std::pair{"\u03b7", "eta"},
    std::pair{"\u03b8", "theta"},
    std::pair{"\u03bb", "lambda"},
    std::pair{"\u03bc", "mu"},
    std::pair{"\u00b5", "mu"},
    std::pair{"\u03c3", "sigma"},
    std::pair{"\u03c4", "tau"},
    std::pair{"%", "a - b*floor(a/b) for a remainder"},
    std::pair{"!", "not, or != for unequal"},
    std::pair{"&", "and"},
    std::pair{"|", "or, or abs(a) for a value without its sign"},
    std::pair{"[", "( )"},
    std::pair{"]", "( )"},
    std::pair{"{", "( )"},
    std::pair{"}", "( )"},
    std::pair{";", "the next assignment on a line of its own"},
    std::pair{"\\", "( ) around the expression, in which a line goes on"},
    std::pair{".", "* to multiply, or _ within a name"},
    std::pair{"'", "a name of letters, digits and _"},
    std::pair{"?", "where(c, a, b) for a choice"},
};

class Tokenizer {
 public:
  Tokenizer(std::string_view text, ProblemList& problems) : text_(text), problems_(problems) {}

  std::vector<Token> run() {
    // Editors of another world begin a text by a mark of its byte order.
    if (text_.substr(0, 3) == "\xef\xbb\xbf") at_ = 3;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool point_begins_number =
          c == '.' && at_ + 1 < text_.size() && is_digit_byte(text_[at_ + 1]);
      if (c == ' ' || c == '\t') {
        ++at_;
      } else if (c == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n')) {
        ++at_;
      } else if (c == '\n') {
        add(Token::Kind::end_of_line, 1);
        line_has_foreign_ = false;
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (is_digit_byte(c) || point_begins_number) {
        number();
      } else if (is_name_byte(c)) {
        name();
      } else if (const std::size_t length = sign_length()) {
        add(Token::Kind::sign, length);
      } else {
        foreign_character();
      }
    }
    add(Token::Kind::end_of_text, 0);
    return std::move(tokens_);
  }

 private:
  void add(Token::Kind kind, std::size_t length, double value = 0.0) {
    tokens_.push_back({kind, {at_, at_ + length}, text_.substr(at_, length), value});
    at_ += length;
  }

  std::size_t sign_length() const {
    const std::string_view two = text_.substr(at_, 2);
    for (const std::string_view known : {"<=", ">=", "==", "!="}) {
      if (two == known) return 2;
    }
    return std::string_view("+-*/^()<>=,").find(text_[at_]) != std::string_view::npos ? 1 : 0;
  }

  void name() {
    std::size_t length = 1;
    while (at_ + length < text_.size() && is_name_byte(text_[at_ + length])) ++length;
    if (length <= kLongestName) return add(Token::Kind::name, length);
    problems_.at(at_, fmt::format("the name '{}' has {} characters; at most {} are possible",
                                  problems_.quote({at_, at_ + length}), length, kLongestName));
    add(Token::Kind::wrong, length);
  }

  /// A number, and letters or points that touch it, which are none.
  void number() {
    double value = 0.0;
    const char* const begin = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    const auto [stop, error] = number_from_chars(begin, end, value);
    const auto length = static_cast<std::size_t>(stop - begin);
    std::size_t whole = length;
    while (at_ + whole < text_.size() &&
           (is_name_byte(text_[at_ + whole]) || text_[at_ + whole] == '.')) {
      ++whole;
    }
    const std::string_view digits = text_.substr(at_, length);
    const bool octal = digits.size() > 1 && digits[0] == '0' && is_digit_byte(digits[1]);
    if (whole == length && error == std::errc() && !octal) {
      return add(Token::Kind::number, length, value);
    }
    const std::string written = problems_.quote({at_, at_ + whole});
    std::string wrong;
    if (whole > length) {
      wrong = "'" + written + "' is not a number";
      const std::string plain = in_plain_digits(text_.substr(at_, whole));
      if (!plain.empty()) {
        wrong += "; write " + plain;
      } else if (is_name(text_.substr(at_ + length, whole - length))) {
        wrong += message("; write {}*{} to multiply", problems_.quote({at_, at_ + length}),
                         problems_.quote({at_ + length, at_ + whole}));
      }
    } else if (error != std::errc()) {
      wrong = "the number " + written +
              " does not fit into a float64, which reaches from 2.2e-308 to 1.8e308";
    } else {
      wrong = "the number " + written + " begins with 0, which some read as octal; leave that out";
    }
    problems_.at(at_, wrong);
    add(Token::Kind::wrong, whole);
  }

  /// A number that other languages write so: 0x10 is 16, 1_000 is 1000.  Empty if it is none.
  static std::string in_plain_digits(std::string_view written) {
    if (written.starts_with("0x") || written.starts_with("0X")) {
      std::uint64_t value = 0;
      const char* const end = written.data() + written.size();
      const auto [stop, error] = std::from_chars(written.data() + 2, end, value, 16);
      return error == std::errc() && stop == end ? fmt::format("{}", value) : std::string();
    }
    std::string digits;
    for (std::size_t i = 0; i < written.size(); ++i) {
      const bool between = i > 0 && i + 1 < written.size() && is_digit_byte(written[i - 1]) &&
                           is_digit_byte(written[i + 1]);
      if (written[i] == '_' && between) continue;
      digits += written[i];
    }
    return digits.size() < written.size() && is_number(digits) ? digits : std::string();
  }

  static bool is_number(std::string_view text) {
    double value = 0.0;
    const auto [stop, error] = number_from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && stop == text.data() + text.size();
  }

  /// A character that no text has outside comments.  Of several in a line the first is reported.
  void foreign_character() {
    std::size_t length = 1;
    while (at_ + length < text_.size() &&
           (static_cast<unsigned char>(text_[at_ + length]) & 0xc0u) == 0x80u &&
           static_cast<unsigned char>(text_[at_]) >= 0x80u && length < 4) {
      ++length;
    }
    if (!std::exchange(line_has_foreign_, true) && !problems_.full()) {
      problems_.at(at_, foreign_message(text_.substr(at_, length)));
    }
    add(Token::Kind::wrong, length);
  }

  static std::string foreign_message(std::string_view character) {
    const auto first = static_cast<unsigned char>(character.front());
    if (!is_utf8(character) && character.front() != '\0') {
      return fmt::format("the byte 0x{:02X} is not of UTF-8; the language is written in ASCII",
                         first);
    }
    unsigned code = first;
    if (character.size() > 1) {
      code = first & (0x7fu >> character.size());
      for (const char c : character.substr(1))
        code = code << 6 | (static_cast<unsigned char>(c) & 0x3fu);
    }
    const bool visible = first > 0x20 && first != 0x7f && printable(character) == character;
    const std::string shown = (visible ? "'" + std::string(character) + "'" : std::string()) +
                              (visible && code > 0x7f ? " (" : "") +
                              (!visible || code > 0x7f ? fmt::format("U+{:04X}", code) : "") +
                              (visible && code > 0x7f ? ")" : "");
    std::string wrong = "the language has no character " + shown;
    for (const auto& [known, instead] : kInstead) {
      if (character == known) return message("{}; write {}", wrong, instead);
    }
    return wrong + (code > 0x7f ? "; it is written in ASCII" : "");
  }

  std::string_view text_;
  ProblemList& problems_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  bool line_has_foreign_ = false;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text, ProblemList& problems) {
  return Tokenizer(text, problems).run();
}

}  // namespace gaia::equation_language
