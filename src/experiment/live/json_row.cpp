// SPDX-License-Identifier: MIT
#include "json_row.h"

#include <nlohmann/json.hpp>

#include "../../core/message.h"
#include "../../core/text.h"

namespace gaia {

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
    return at_top("a number") &&
           (!is_read() || put(row_.fields_.put_integer(field_, value, line_)));
  }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto most = static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
    if (value <= most) return number_integer(static_cast<number_integer_t>(value));
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
  std::size_t place_ = 0;  // of the name among those of the object
  std::size_t field_ = RowFields::kNone;
};

std::string JsonRow::read(std::string_view text, RowLine& line) {
  unknown_.clear();
  seen_.resize(fields_.size(), 0);
  ++rows_;
  Handler handler(*this, line);
  const bool is_read = nlohmann::json::sax_parse(text.begin(), text.end(), &handler);
  if (!is_read) return handler.error;
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    if (seen_[field] == rows_) return {};
  }
  return "expected an object with columns of the stream, got none of them";
}

}  // namespace gaia
