// SPDX-License-Identifier: MIT
#include "row_pipes.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "../../src/core/message.h"
#include "../../src/core/platform.h"
#include "signals.h"

namespace gaia::app {
namespace {

std::atomic<bool> g_end{false};
std::atomic<bool> g_state{false};
std::array<int, 2> g_wake = {-1, -1};  // a pipe by which a signal wakes who waits, in any thread

void wake() {
  const int before = errno;
  static_cast<void>(!::write(g_wake[1], "", 1));
  errno = before;
}

extern "C" void on_end_of_rows(int signal) {
  if (g_end.exchange(true)) _exit(128 + signal);
  wake();
}

extern "C" void on_state_of_rows(int /*signal*/) {
  g_state = true;
  wake();
}

}  // namespace

RowPipes::RowPipes() {
  if (!platform::make_pipe(g_wake)) {
    fail<OutputError>("no pipe for signals: {}", std::strerror(errno));
  }
  for (const int end : g_wake) ::fcntl(end, F_SETFL, O_NONBLOCK);
  handle_signals(on_end_of_rows, on_state_of_rows);
}

RowPipes::~RowPipes() {
  handle_signals(SIG_DFL, SIG_IGN);
  for (int& end : g_wake) ::close(std::exchange(end, -1));
}

bool RowPipes::is_stopped() const { return g_end; }

bool RowPipes::take_checkpoint() { return g_state && g_state.exchange(false); }

/// Waits for one of `events` or a signal, a negative time without end.  A signal wakes once: who
/// waits without end looks at what it has asked for first.
bool RowPipes::is_ready(int descriptor, short events, int milliseconds) const {
  std::array<pollfd, 2> waiting = {{{descriptor, events, 0}, {g_wake[0], POLLIN, 0}}};
  if (::poll(waiting.data(), waiting.size(), milliseconds) <= 0) return false;
  if (waiting[1].revents != 0) {
    std::array<char, 64> signals;
    while (::read(g_wake[0], signals.data(), signals.size()) > 0) {
    }
  }
  return waiting[0].revents != 0;
}

bool RowPipes::has_waiting() const { return is_ready(STDIN_FILENO, POLLIN, 0); }

std::string_view RowPipes::read() {
  if (g_end || g_state) return {};
  if (!is_ready(STDIN_FILENO, POLLIN, -1)) return {};
  const ssize_t got = ::read(STDIN_FILENO, buffer_.data(), buffer_.size());
  if (got >= 0) {
    has_ended_ = got == 0;
    return {buffer_.data(), static_cast<std::size_t>(got)};
  }
  if (errno == EINTR || errno == EAGAIN) return {};
  fail<DataError>("the standard input cannot be read: {}", std::strerror(errno));
}

void RowPipes::write(std::string_view bytes) {
  using Clock = std::chrono::steady_clock;
  // A pipe that is ready takes so much without waiting.
  constexpr std::size_t piece = 4096;
  constexpr auto patience = std::chrono::seconds(1);
  auto end = Clock::time_point::max();
  while (!bytes.empty()) {
    if (is_stopped() && end == Clock::time_point::max()) end = Clock::now() + patience;
    if (Clock::now() > end) fail<OutputError>("nobody reads the standard output");
    if (!is_ready(STDOUT_FILENO, POLLOUT, is_stopped() ? 100 : -1)) continue;
    const ssize_t put = ::write(STDOUT_FILENO, bytes.data(), std::min(bytes.size(), piece));
    if (put >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno == EPIPE) {
      fail<OutputError>("nobody reads the standard output any more");
    } else if (errno != EINTR && errno != EAGAIN) {
      fail<OutputError>("the standard output cannot be written: {}", std::strerror(errno));
    }
  }
}

}  // namespace gaia::app
