// SPDX-License-Identifier: MIT
/// \file
/// Lines of bytes that come in pieces.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gaia {

/// Cuts bytes into lines, the same ones however the bytes come.  Holds what has been fed and not
/// read, and of a line that is too long nothing.
class LineCutter {
 public:
  struct Line {
    std::string_view text;     ///< Without LF or CRLF; valid until the next call.
    bool is_too_long = false;  ///< The text is left out.
  };

  /// `longest`: most bytes of a line, without its LF.
  explicit LineCutter(std::size_t longest) : longest_(longest) {}

  void feed(std::string_view bytes);
  /// No bytes come any more: what has no end of line is the last line.
  void finish() { is_finished_ = true; }
  /// Nothing where bytes are wanting.
  std::optional<Line> next();

 private:
  Line line_until(std::size_t end);

  std::size_t longest_;
  std::string buffer_;
  std::size_t begin_ = 0;    // beginning of the line
  std::size_t scanned_ = 0;  // no end of line before it
  bool is_skipping_ = false;
  bool is_finished_ = false;
};

}  // namespace gaia
