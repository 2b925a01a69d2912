// SPDX-License-Identifier: MIT
#include "npy_header.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "../core/error.h"
#include "../core/names.h"
#include "columns.h"

namespace gaia {
namespace {

constexpr NameTable<NpyType, 11> kTypes = {{{"b1", NpyType::bool8},
                                            {"i1", NpyType::int8},
                                            {"i2", NpyType::int16},
                                            {"i4", NpyType::int32},
                                            {"i8", NpyType::int64},
                                            {"u1", NpyType::uint8},
                                            {"u2", NpyType::uint16},
                                            {"u4", NpyType::uint32},
                                            {"u8", NpyType::uint64},
                                            {"f4", NpyType::float32},
                                            {"f8", NpyType::float64}}};

/// A parser for the few Python literals that a header consists of.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      const std::string key(string());
      expect(':');
      if (key == "descr" && !descr_) {
        descr_ = type(string());
      } else if (key == "fortran_order" && !order_) {
        order_ = boolean();
      } else if (key == "shape" && !shape_) {
        shape_ = tuple();
      } else {
        fail("keys descr, fortran_order and shape, each once", in_quotes(key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (at_ < text_.size()) fail("nothing after the dictionary", in_quotes(text_.substr(at_)));
    if (!descr_ || !order_ || !shape_) {
      fail("keys descr, fortran_order and shape", "only some of them");
    }
    return {*descr_, *order_, *shape_, length_};
  }

 private:
  [[noreturn]] void fail(const std::string& expected, const std::string& got) const {
    throw DataError(fmt::format("{}: header: expected {}, got {}", file_, expected, got));
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  std::string rest() const {
    return at_ < text_.size() ? in_quotes(text_.substr(at_)) : std::string("its end");
  }

  bool accept(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}'", c), rest());
  }

  std::string_view string() {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    if (quote != '\'' && quote != '"') fail("a string", rest());
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a string", rest());
    const std::string_view content = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return content;
  }

  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return word == "True";
    }
    fail("True or False", rest());
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> sizes;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      std::int64_t size = 0;
      const char* const end = text_.data() + text_.size();
      const auto [stop, error] = std::from_chars(text_.data() + at_, end, size);
      if (error != std::errc() || size < 0) fail("a size that fits 64 bits", rest());
      at_ = static_cast<std::size_t>(stop - text_.data());
      sizes.push_back(size);
      if (!accept(',')) {
        if (sizes.size() == 1) fail("','", rest());
        expect(')');
        break;
      }
    }
    return sizes;
  }

  /// "<U10" or "|S10": length_ characters.
  std::optional<NpyType> text_type(std::string_view descr) {
    if (!descr.starts_with("<U") && !descr.starts_with("|S")) return std::nullopt;
    constexpr std::int64_t longest = std::int64_t{1} << 28;
    std::int64_t length = 0;
    const char* const end = descr.data() + descr.size();
    const auto [stop, error] = std::from_chars(descr.data() + 2, end, length);
    if (error != std::errc() || stop != end || length < 1 || length > longest) {
      return std::nullopt;
    }
    length_ = length;
    return descr[1] == 'U' ? NpyType::unicode : NpyType::bytes;
  }

  NpyType type(std::string_view descr) {
    if (const auto text = text_type(descr)) return *text;
    const std::string name(descr.empty() ? descr : descr.substr(1));
    for (const auto& [known, value] : kTypes) {
      if (name != known) continue;
      if (descr[0] == '<' || (descr[0] == '|' && size_of(value) == 1)) return value;
      if (descr[0] == '>' || descr[0] == '!') {
        fail("numbers in little-endian order",
             fmt::format("big-endian {}; convert with astype('<{}')", in_quotes(descr), known));
      }
    }
    const std::vector<std::string> known = names_of(kTypes);
    fail(fmt::format("a type out of {}, little-endian", join(known)), in_quotes(descr));
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::optional<NpyType> descr_;
  std::int64_t length_ = 1;
  std::optional<bool> order_;
  std::optional<std::vector<std::int64_t>> shape_;
};

}  // namespace

std::int64_t size_of(NpyType type) {
  switch (type) {
    case NpyType::bool8:
    case NpyType::int8:
    case NpyType::uint8:
    case NpyType::bytes:
      return 1;
    case NpyType::int16:
    case NpyType::uint16:
      return 2;
    case NpyType::int32:
    case NpyType::uint32:
    case NpyType::float32:
    case NpyType::unicode:
      return 4;
    case NpyType::int64:
    case NpyType::uint64:
    case NpyType::float64:
      break;
  }
  return 8;
}

NpyHeader parse_npy_header(std::string_view text, const std::string& file) {
  return HeaderParser(text, file).parse();
}

std::string npy_header_text(std::string_view descr, std::span<const std::int64_t> shape) {
  std::string lengths;
  for (const std::int64_t length : shape) lengths += std::to_string(length) + ", ";
  if (shape.size() > 1) lengths.resize(lengths.size() - 2);
  if (shape.size() == 1) lengths.resize(lengths.size() - 1);
  std::string told = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (" +
                     lengths + "), }";
  // What NumPy maps begins at a multiple of 64.
  const bool is_long = told.size() > 65000;
  const std::size_t before = is_long ? 12 : 10;
  while ((before + told.size() + 1) % 64 != 0) told += ' ';
  told += '\n';
  std::string header("\x93NUMPY", 6);
  header += static_cast<char>(is_long ? 2 : 1);
  header += '\0';
  for (std::size_t i = 0; i < before - 8; ++i) {
    header += static_cast<char>((told.size() >> (8 * i)) & 0xFF);
  }
  return header + told;
}

}  // namespace gaia
