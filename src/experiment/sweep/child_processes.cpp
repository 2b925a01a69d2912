// SPDX-License-Identifier: MIT
#include "child_processes.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "../../core/error.h"
#include "../../core/platform.h"
#include "../../core/text.h"

namespace gaia {
namespace {

/// Bytes that are kept of what a child says; the end tells why it failed.
constexpr std::size_t kMostText = 16 << 10;

/// From the end of a child's stderr to its own.
constexpr std::chrono::milliseconds kUntilItEnds{2};

/// In the environment of a child: the process that started it.
constexpr const char* kParent = "GAIA_PARENT_PROCESS";

/// Our environment with additions, as "NAME=value".
std::vector<std::string> environment_with(const ChildProcesses::Environment& additions) {
  std::vector<std::string> all;
  for (char** entry = platform::environment(); *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [added, value] : additions) replaced = replaced || name == added;
    if (!replaced) all.emplace_back(text);
  }
  for (const auto& [name, value] : additions) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// How a child starts: with the signals and the stderr that it should have.
class Start {
 public:
  explicit Start(int errors) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, errors, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    // By SIGTERM a child is stopped, also where we ourselves were started so that we ignore it.
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    posix_spawnattr_setsigdefault(&attributes_, &stop);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Start() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;

  int run(pid_t& process, char* const* arguments, char* const* environment) {
    return posix_spawn(&process, arguments[0], &files_, &attributes_, arguments, environment);
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

}  // namespace

std::string signal_text(int code) {
  constexpr int kSignals = 128;
  if (code <= kSignals) return {};
  const int signal = code - kSignals;
  const char* const name = strsignal(signal);
  return "killed by signal " + std::to_string(signal) + " (" +
         (name == nullptr ? "unknown" : name) + ")" +
         (signal == SIGKILL ? ", as where memory runs out" : "");
}

ChildProcesses::~ChildProcesses() {
  signal_all(SIGKILL);
  for (Child& child : children_) {
    waitpid(child.process, nullptr, 0);
    ::close(child.errors);
  }
}

void ChildProcesses::start(std::int64_t id, const std::vector<std::string>& command,
                           const Environment& environment) {
  const auto fail = [&](int reason) {
    throw Error(command.front() + ": cannot be started: " + std::strerror(reason));
  };
  std::array<int, 2> ends{};
  if (!platform::make_pipe(ends)) fail(errno);
  Environment all = environment;
  all.emplace_back(kParent, std::to_string(::getpid()));
  std::vector<std::string> words = command;
  std::vector<std::string> variables = environment_with(all);
  pid_t process = 0;
  const int error =
      Start(ends[1]).run(process, pointers_to(words).data(), pointers_to(variables).data());
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    fail(error);
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  children_.push_back({id, process, ends[0], {}, std::chrono::steady_clock::now()});
}

void ChildProcesses::read_errors(Child& child) {
  std::array<char, 4096> block{};
  for (;;) {
    const ssize_t got = ::read(child.errors, block.data(), block.size());
    if (got <= 0) {
      child.is_silent = got == 0;
      return;
    }
    child.text.append(block.data(), static_cast<std::size_t>(got));
    if (child.text.size() > 2 * kMostText) child.text.erase(0, child.text.size() - kMostText);
  }
}

bool ChildProcesses::has_ended(Child& child, EndedChild& ended) {
  read_errors(child);
  int status = 0;
  rusage usage{};
  if (wait4(child.process, &status, WNOHANG, &usage) != child.process) return false;
  read_errors(child);
  ::close(child.errors);
  ended.id = child.id;
  ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ended.code = ended.signal != 0 ? 128 + ended.signal : WEXITSTATUS(status);
  ended.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - child.start).count();
  ended.peak_bytes = platform::peak_bytes(usage);
  if (child.text.size() > kMostText) child.text.erase(0, child.text.size() - kMostText);
  ended.errors = std::move(child.text);
  return true;
}

std::vector<EndedChild> ChildProcesses::wait(std::chrono::milliseconds at_most) {
  std::vector<pollfd> polled;
  for (const Child& child : children_) {
    if (child.is_silent) {
      at_most = std::min(at_most, kUntilItEnds);
    } else {
      polled.push_back({child.errors, POLLIN, 0});
    }
  }
  ::poll(polled.data(), polled.size(), static_cast<int>(at_most.count()));
  std::vector<EndedChild> all;
  std::erase_if(children_, [&](Child& child) {
    EndedChild ended;
    if (!has_ended(child, ended)) return false;
    all.push_back(std::move(ended));
    return true;
  });
  return all;
}

double ChildProcesses::bytes_of(std::int64_t id) const {
  const auto child = std::find_if(children_.begin(), children_.end(),
                                  [&](const Child& one) { return one.id == id; });
  return child == children_.end() ? 0.0 : platform::resident_bytes(child->process);
}

void ChildProcesses::signal_all(int signal) const {
  for (const Child& child : children_) ::kill(-child.process, signal);
}

void end_with_parent() {
  const char* parent = std::getenv(kParent);
  const auto process = parse_integer(parent == nullptr ? "" : parent);
  if (process) platform::end_with(static_cast<pid_t>(*process));
}

}  // namespace gaia
