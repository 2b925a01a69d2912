// SPDX-License-Identifier: MIT
#include "line_cutter.h"

#include <cstring>

namespace gaia {

void LineCutter::feed(std::string_view bytes) {
  buffer_.erase(0, begin_);
  scanned_ -= begin_;
  begin_ = 0;
  buffer_ += bytes;
}

std::optional<LineCutter::Line> LineCutter::next() {
  const void* const found = std::memchr(buffer_.data() + scanned_, '\n', buffer_.size() - scanned_);
  if (found != nullptr) {
    const auto end = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
    const Line line = line_until(end);
    begin_ = scanned_ = end + 1;
    return line;
  }
  if (buffer_.size() - begin_ > longest_) {
    is_skipping_ = true;
    begin_ = buffer_.size();
  }
  scanned_ = buffer_.size();
  if (!is_finished_ || (begin_ == buffer_.size() && !is_skipping_)) return std::nullopt;
  const Line line = line_until(buffer_.size());
  begin_ = buffer_.size();
  return line;
}

LineCutter::Line LineCutter::line_until(std::size_t end) {
  std::string_view text(buffer_.data() + begin_, end - begin_);
  const bool is_too_long = is_skipping_ || text.size() > longest_;
  is_skipping_ = false;
  if (is_too_long) return {{}, true};
  if (text.ends_with('\r')) text.remove_suffix(1);
  return {text};
}

}  // namespace gaia
