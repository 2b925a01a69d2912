// SPDX-License-Identifier: MIT
#include "json_row.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "../../core/message.h"
#include "../../core/number_from_chars.h"
#include "../../core/text.h"

namespace gaia {
namespace {

/// An object as most rows are: names, and behind each a number, a text, null, true or false, all of
/// it ASCII without escapes.
class PlainObject {
 public:
  explicit PlainObject(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  /// Tells `handler` what nlohmann's parser would.  False where the object is another, or the
  /// handler refuses it: what has been told is void then.  `word` is a buffer.
  template <class Handler>
  bool read(Handler& handler, std::string& word) {
    if (!take('{') || !handler.start_object(0)) return false;
    do {
      if (!take_text(word) || !handler.key(word) || !take(':') || !take_value(handler, word)) {
        return false;
      }
    } while (take(','));
    if (!take('}')) return false;
    skip_blanks();
    return at_ == end_ && handler.end_object();
  }

 private:
  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool take_text(std::string& word) {
    if (!take('"')) return false;
    const char* const begin = at_;
    while (at_ != end_ && *at_ != '"') {
      if (*at_ < ' ' || *at_ > '~' || *at_ == '\\') return false;
      ++at_;
    }
    if (at_ == end_) return false;
    word.assign(begin, at_);
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (!std::string_view(at_, end_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  /// How many digits stand here.
  std::ptrdiff_t take_digits() {
    const char* const begin = at_;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
    return at_ - begin;
  }

  template <class Handler>
  bool take_value(Handler& handler, std::string& word) {
    skip_blanks();
    if (at_ == end_) return false;
    switch (*at_) {
      case '"':
        return take_text(word) && handler.string(word);
      case 'n':
        return take_word("null") && handler.null();
      case 't':
        return take_word("true") && handler.boolean(true);
      case 'f':
        return take_word("false") && handler.boolean(false);
      default:
        return take_number(handler);
    }
  }

  template <class Handler>
  bool take_number(Handler& handler) {
    constexpr std::ptrdiff_t kSurelyInteger = 18;  // digits
    const char* const begin = at_;
    const bool is_negative = take_word("-");
    const bool begins_with_zero = at_ != end_ && *at_ == '0';
    const std::ptrdiff_t digits = take_digits();
    if (digits == 0 || (begins_with_zero && digits > 1)) return false;
    bool is_integer = true;
    if (take_word(".")) {
      is_integer = false;
      if (take_digits() == 0) return false;
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      is_integer = false;
      ++at_;
      if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (take_digits() == 0) return false;
    }
    if (!is_integer) {
      double value = 0.0;
      return number_from_chars(begin, at_, value).ec == std::errc() &&
             handler.number_float(value, {});
    }
    if (digits > kSurelyInteger) return false;
    std::int64_t value = 0;
    std::from_chars(begin, at_, value);
    return is_negative ? handler.number_integer(value)
                       : handler.number_unsigned(static_cast<std::uint64_t>(value));
  }

  const char* at_;
  const char* end_;
};

}  // namespace

/// What nlohmann's parser tells, which holds no tree and does not recurse.
class JsonRow::Handler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Handler(JsonRow& row, RowLine& line) : row_(row), line_(line) {}

  std::string error;

  bool key(string_t& name) override {
    if (depth_ > 1) return true;
    field_ = find(name);
    if (field_ == RowFields::kNone) {
      row_.unknown_.push_back(name);
      return true;
    }
    if (row_.seen_[field_] == row_.rows_) {
      error = message("expected every name once, got '{}' twice", printable(name));
      return false;
    }
    row_.seen_[field_] = row_.rows_;
    return true;
  }
  bool null() override { return at_top("null"); }
  bool boolean(bool value) override {
    return at_top("true or false") && (!is_read() || refuse(value ? "true" : "false"));
  }
  bool number_integer(number_integer_t value) override {
    // Only what begins with a minus comes here, and -0 is no integer.
    return value == 0 ? number_float(-0.0, {}) : put_integer(value);
  }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto most = static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
    if (value <= most) return put_integer(static_cast<number_integer_t>(value));
    return number_float(static_cast<double>(value), {});
  }
  bool number_float(number_float_t value, const string_t&) override {
    return at_top("a number") && (!is_read() || put(row_.fields_.put_number(field_, value, line_)));
  }
  bool string(string_t& text) override {
    return at_top("a text") && (!is_read() || put(row_.fields_.put_text(field_, text, line_)));
  }
  bool binary(binary_t&) override { return at_top("bytes"); }
  bool start_object(std::size_t) override {
    if (depth_ > 0 && is_read()) return refuse("an object");
    ++depth_;
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    if (!at_top("an array")) return false;
    if (is_read()) return refuse("an array");
    ++depth_;
    return true;
  }
  bool end_array() override { return end_object(); }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& why) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 3: syntax error ...": the
    // line is always the first.
    const std::string_view text = why.what();
    const std::size_t begin = text.find("] ");
    error = message("expected an object of JSON: {}",
                    printable(begin == text.npos ? text : text.substr(begin + 2)));
    return false;
  }

 private:
  /// Whether this is no row as a whole.
  bool at_top(const char* what) {
    if (depth_ > 0) return true;
    error = message("expected an object of JSON, {{...}}, got {}", what);
    return false;
  }
  bool put_integer(number_integer_t value) {
    return at_top("a number") &&
           (!is_read() || put(row_.fields_.put_integer(field_, value, line_)));
  }
  bool is_read() const { return depth_ == 1 && field_ != RowFields::kNone; }
  bool put(std::string why_not) {
    error = std::move(why_not);
    return error.empty();
  }
  bool refuse(std::string_view what) { return put(row_.fields_.refuse(field_, what)); }

  /// Names mostly come in the order of the row before.
  std::size_t find(const std::string& name) {
    if (place_ == row_.order_.size()) row_.order_.push_back(RowFields::kNone);
    std::size_t& expected = row_.order_[place_++];
    if (expected == RowFields::kNone || row_.fields_.name(expected) != name) {
      expected = row_.fields_.find(name);
    }
    return expected;
  }

  JsonRow& row_;
  RowLine& line_;
  std::size_t depth_ = 0;
  std::size_t place_ = 0;  // place of the name among those of the object
  std::size_t field_ = RowFields::kNone;
};

void JsonRow::begin() {
  unknown_.clear();
  seen_.resize(fields_.size(), 0);
  ++rows_;
}

std::string JsonRow::read(std::string_view text, RowLine& line) {
  begin();
  Handler plain(*this, line);
  if (!PlainObject(text).read(plain, word_)) {
    begin();
    fields_.begin(line);
    Handler handler(*this, line);
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), &handler)) return handler.error;
  }
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    if (seen_[field] == rows_) return {};
  }
  return "expected an object with columns of the stream, got none of them";
}

}  // namespace gaia
