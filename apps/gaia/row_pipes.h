// SPDX-License-Identifier: MIT
/// \file
/// Standard input and output of a program that answers row by row, and the signals that it listens
/// to meanwhile.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace gaia::app {

/// Reads and writes as signals allow: anyone who waits for bytes, or for somebody to take some,
/// hears of a signal at once.  SIGINT, SIGTERM and SIGHUP ask for the end, the second one ends the
/// program at once; SIGUSR1 asks for the state.  There is one of it.
class RowPipes {
 public:
  RowPipes();
  ~RowPipes();
  RowPipes(const RowPipes&) = delete;
  RowPipes& operator=(const RowPipes&) = delete;

  bool is_stopped() const;
  /// Whether the state has been asked for since the last call.
  bool take_checkpoint();

  /// Whether bytes, or the end, can be read without waiting.
  bool has_waiting() const;
  /// Waits for bytes, the end or a signal.  Empty, but not the end: a signal has come.
  /// \throws DataError where they cannot be read.
  std::string_view read();
  bool has_ended() const { return has_ended_; }

  /// Writes all, as slowly as it is taken.  Once the end has been asked for it waits a second.
  /// \throws OutputError where it cannot be written.
  void write(std::string_view bytes);

 private:
  bool is_ready(int descriptor, short events, int milliseconds) const;

  std::array<char, std::size_t{1} << 16> buffer_;
  bool has_ended_ = false;
};

}  // namespace gaia::app
