// SPDX-License-Identifier: MIT
#include "reader_process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <vector>

#include "../../core/error.h"
#include "../../core/names.h"
#include "../../core/platform.h"
#include "hdf5_messages.h"

namespace gaia::hdf5 {
namespace {

namespace fs = std::filesystem;

/// Whether a program is there that nobody could have put there but who installed the library, the
/// user, or root.
bool may_be_run(const std::string& program, uid_t library_owner) {
  struct stat status {};
  if (::stat(program.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const bool owned =
      status.st_uid == 0 || status.st_uid == ::geteuid() || status.st_uid == library_owner;
  return owned && (status.st_mode & S_IWOTH) == 0 && ::access(program.c_str(), X_OK) == 0;
}

std::vector<std::string> places_beside_library(uid_t& owner) {
  Dl_info info{};
  struct stat status {};
  const bool known = ::dladdr(reinterpret_cast<const void*>(&reader_program), &info) != 0 &&
                     info.dli_fname != nullptr && ::stat(info.dli_fname, &status) == 0;
  if (!known) return {};
  owner = status.st_uid;
  std::error_code error;
  const fs::path folder = fs::absolute(info.dli_fname, error).parent_path();
  std::vector<std::string> places;
  // From lib/ as installed; from the root of the build tree; from a program's bin/, which a static
  // library is part of.
  for (const char* way : {GAIA_LIB_TO_LIBEXEC, "libexec", "../libexec"}) {
    places.push_back((folder / way / "gaia-hdf5-reader").lexically_normal().string());
  }
  return places;
}

/// Sends and receives go through a socket that no other child of this process inherits.
struct SocketPair {
  int ours = -1;
  int theirs = -1;
};

SocketPair make_sockets(const std::string& path) {
  std::array<int, 2> ends{};
  if (!platform::make_socket_pair(ends)) {
    throw Error(path + ": no socket to a reader: " + std::strerror(errno));
  }
  return {ends[0], ends[1]};
}

pid_t start(const std::string& program, const std::vector<std::string>& arguments, int socket) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
  }
  // Ctrl-C and the like are for gaia, which may have to read on until its block is done; the reader
  // ends when its socket does.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t blocked;
  sigemptyset(&blocked);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP}) {
    sigaddset(&blocked, signal);
  }
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t process = -1;
  const int error = posix_spawn(&process, program.c_str(), &actions, &attributes, argv.data(),
                                platform::environment());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  errno = error;
  return error == 0 ? process : -1;
}

}  // namespace

std::string reader_program() {
  uid_t owner = ::geteuid();
  std::vector<std::string> places = places_beside_library(owner);
  places.emplace_back(GAIA_LIBEXEC "/gaia-hdf5-reader");
  const char* const named = std::getenv("GAIA_HDF5_READER");
  if (named != nullptr && *named != '\0') places = {named};
  for (const std::string& place : places) {
    if (may_be_run(place, owner)) return place;
  }
  throw Error(
      "gaia-hdf5-reader, the program that reads HDF5 files of others, was not found; looked for " +
      join(places) +
      "; install gaia as a whole, or trust the file (data.trusted: true, or the option "
      "`trusted` of a function)");
}

ReaderProcess::ReaderProcess(const std::string& path, const ReaderLimits& limits)
    : path_(path), limits_(limits) {
  const std::string program = reader_program();
  const SocketPair sockets = make_sockets(path);
  socket_ = sockets.ours;
  process_ = start(
      program,
      {program, path, std::to_string(limits.memory), std::to_string(limits.patience), kLanguage},
      sockets.theirs);
  const int reason = errno;
  ::close(sockets.theirs);
  if (process_ < 0) {
    ::close(socket_);
    throw Error(program + ": cannot be started: " + std::strerror(reason));
  }
}

ReaderProcess::~ReaderProcess() { end(); }

void ReaderProcess::wait_for(int events) {
  // Slices are counted and not time, so that a process that was stopped for a while does not take
  // its own sleep for the reader's.
  for (int seconds = 0; seconds < limits_.patience; ++seconds) {
    pollfd waiting{socket_, static_cast<short>(events), 0};
    const int ready = ::poll(&waiting, 1, 1000);
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) break;
  }
  is_out_of_time_ = true;
  fail("gave no answer for " + std::to_string(limits_.patience) + " s");
}

void ReaderProcess::send(const std::string& bytes) {
  if (process_ < 0) fail("has ended before");
  for (std::size_t done = 0; done < bytes.size();) {
    wait_for(POLLOUT);
    const ssize_t sent =
        platform::send_silently(socket_, std::string_view(bytes).substr(done), MSG_DONTWAIT);
    if (sent > 0) done += static_cast<std::size_t>(sent);
    if (sent < 0 && errno != EINTR && errno != EAGAIN) fail(end());
  }
}

void ReaderProcess::receive(std::span<char> bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t got = ::recv(socket_, bytes.data() + done, bytes.size() - done, MSG_DONTWAIT);
    if (got > 0) {
      done += static_cast<std::size_t>(got);
    } else if (got < 0 && errno == EAGAIN) {
      wait_for(POLLIN);
    } else if (got == 0 || errno != EINTR) {
      fail(end());
    }
  }
}

void ReaderProcess::fail(const std::string& what) {
  end();
  if (is_of_other_build_) {
    throw Error(reader_program() + ": of another build than this gaia, which cannot read " + path_ +
                " with it; install gaia as a whole, or trust the file (data.trusted: true, or the "
                "option `trusted` of a function)");
  }
  throw DataError(path_ +
                  (is_out_of_time_ ? ": too slow, damaged or hostile" : ": damaged or hostile") +
                  " (reader " + what + ")");
}

std::string ReaderProcess::end() {
  // Without one, kill(-1) would end every process of the user.
  if (process_ <= 0) return "has ended before";
  ::close(socket_);
  // One that is dying already keeps its own cause of death.
  ::kill(process_, SIGKILL);
  int status = 0;
  pid_t ended = 0;
  // A process that hangs within the kernel does not end even so; it is left alone then.
  for (int i = 0; i < 1000 && ended == 0; ++i) {
    ended = ::waitpid(process_, &status, WNOHANG);
    if (ended < 0 && errno == EINTR) ended = 0;
    const timespec pause{0, i < 50 ? 100000 : 5000000};
    if (ended == 0) ::nanosleep(&pause, nullptr);
  }
  const bool known = ended == process_;
  process_ = -1;
  socket_ = -1;
  if (known && WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
    is_out_of_time_ = true;
    return "took more than " + std::to_string(limits_.patience) + " s of processor time";
  }
  if (known && WIFSIGNALED(status)) return "crashed: signal " + std::to_string(WTERMSIG(status));
  if (known && WIFEXITED(status)) {
    is_of_other_build_ = WEXITSTATUS(status) == kOtherBuild;
    return "ended with code " + std::to_string(WEXITSTATUS(status));
  }
  return "ended";
}

}  // namespace gaia::hdf5
