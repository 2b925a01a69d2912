// SPDX-License-Identifier: MIT
#include "console.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include "../../src/core/error.h"

namespace gaia::app {

void tell(std::string_view text) noexcept {
  const auto write = [](std::string_view bytes) {
    std::fwrite(bytes.data(), 1, bytes.size(), stderr);
    std::fflush(stderr);
  };
  try {
    write(printable(text));
  } catch (const std::bad_alloc&) {
    write("a message is left out for want of memory\n");
  }
}

void answer(const std::string& text) {
  static bool has_no_reader = false;
  if (has_no_reader) return;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    has_no_reader = errno == EPIPE;
    if (has_no_reader) return;
    throw OutputError(std::string("the standard output cannot be written: ") +
                      std::strerror(errno));
  }
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json as_json(const FieldValue& value) {
  using Json = nlohmann::ordered_json;
  return std::visit(
      []<class T>(const T& held) -> Json {
        if constexpr (std::is_same_v<T, Fields>) {
          Json made = Json::object();
          for (const auto& [name, one] : held) made[name] = as_json(one);
          return made;
        } else if constexpr (std::is_same_v<T, FieldList>) {
          Json made = Json::array();
          for (const FieldValue& one : held) made.push_back(as_json(one));
          return made;
        } else {
          return held;
        }
      },
      value.held);
}

void prepare_streams() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  // open() gives the lowest free number, so this fills those that are closed.
  int opened = 0;
  do {
    opened = ::open("/dev/null", O_RDWR);
  } while (opened >= 0 && opened <= STDERR_FILENO);
  if (opened >= 0) ::close(opened);
}

}  // namespace gaia::app
