// SPDX-License-Identifier: MIT
// platform_posix_test.cpp has these tests once more, of the ways that are POSIX alone.
#include "../../src/core/platform.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "../support/catch.h"
#include "../support/temp_dir.h"

#ifndef GAIA_WAY
#define GAIA_WAY ""
#endif

using namespace gaia;

namespace {

namespace way = gaia::GAIA_PLATFORM;

bool is_inherited(int descriptor) { return (::fcntl(descriptor, F_GETFD) & FD_CLOEXEC) == 0; }

/// How a child ends that does f.
template <class F>
int status_of_child(const F& f) {
  const pid_t child = ::fork();
  if (child == 0) {
    f();
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("The machine has processors, a name and memory" GAIA_WAY) {
  CHECK(way::usable_processors() >= 1);
  CHECK(way::usable_processors() <= 1 << 16);
  CHECK_FALSE(way::processor_name().empty());
  CHECK(way::installed_memory() > std::int64_t{1} << 24);
  CHECK(way::available_memory() >= 0);
  CHECK(way::available_memory() <= way::installed_memory());
}

TEST_CASE("The program is found again, and has its environment" GAIA_WAY) {
  const std::string path = way::program_path();
  if (path != "gaia") CHECK(std::filesystem::exists(path));
  ::setenv("GAIA_TEST_OF_PLATFORM", "17", 1);
  bool is_there = false;
  for (char** entry = way::environment(); *entry != nullptr; ++entry) {
    is_there = is_there || std::string(*entry) == "GAIA_TEST_OF_PLATFORM=17";
  }
  ::unsetenv("GAIA_TEST_OF_PLATFORM");
  CHECK(is_there);
}

TEST_CASE("Memory that is written counts as the process's" GAIA_WAY) {
  constexpr std::size_t size = 64 << 20;
  std::vector<char> block(size);
  way::prefer_large_pages(block.data(), size);
  for (std::size_t i = 0; i < size; i += 1024) block[i] = static_cast<char>(i);
  const double now = way::resident_bytes(::getpid());
  if (now != 0.0) CHECK(now >= 64.0 * (1 << 20));
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  CHECK(way::peak_bytes(usage) >= 64.0 * (1 << 20));
  CHECK(way::peak_bytes(usage) < 1e12);
  CHECK(block[1024] == static_cast<char>(1024));
}

TEST_CASE("Pipes and sockets carry bytes, and no program inherits them" GAIA_WAY) {
  std::array<int, 2> ends{};
  REQUIRE(way::make_pipe(ends));
  CHECK_FALSE(is_inherited(ends[0]));
  CHECK_FALSE(is_inherited(ends[1]));
  char got[3] = {};
  CHECK(::write(ends[1], "abc", 3) == 3);
  CHECK(::read(ends[0], got, 3) == 3);
  CHECK(std::string(got, 3) == "abc");
  for (const int end : ends) ::close(end);

  REQUIRE(way::make_socket_pair(ends));
  CHECK_FALSE(is_inherited(ends[0]));
  CHECK_FALSE(is_inherited(ends[1]));
  for (const int from : {0, 1}) {
    CHECK(way::send_silently(ends[static_cast<std::size_t>(from)], "xyz", 0) == 3);
    CHECK(::recv(ends[static_cast<std::size_t>(1 - from)], got, 3, 0) == 3);
    CHECK(std::string(got, 3) == "xyz");
  }
  ::close(ends[1]);
  CHECK(way::send_silently(ends[0], "x", 0) == -1);  // and no SIGPIPE ends the program
  CHECK(errno == EPIPE);
  ::close(ends[0]);
}

TEST_CASE("Descriptors are closed from one on" GAIA_WAY) {
  const int status = status_of_child([] {
    const int kept = ::dup(0);
    const int first = ::dup(0);
    const int second = ::fcntl(0, F_DUPFD, first + 100);
    way::close_from(first);
    const bool right = ::fcntl(kept, F_GETFD) != -1 && ::fcntl(first, F_GETFD) == -1 &&
                       ::fcntl(second, F_GETFD) == -1;
    ::_exit(right ? 7 : 1);
  });
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 7));
}

TEST_CASE("A process ends with the one that started it" GAIA_WAY) {
  std::array<int, 2> ends{};
  REQUIRE(way::make_pipe(ends));
  // The end of the pipe that is written to is closed when the last process that has it is gone.
  const int status = status_of_child([&] {
    const pid_t parent = ::getpid();
    std::array<int, 2> begun{};
    if (!way::make_pipe(begun)) ::_exit(1);
    if (::fork() == 0) {
      ::signal(SIGTERM, SIG_DFL);
      way::end_with(parent);
      (void)!::write(begun[1], "", 1);
      for (;;) ::pause();
    }
    char byte = 0;
    (void)!::read(begun[0], &byte, 1);
  });
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  ::close(ends[1]);
  char byte = 0;
  CHECK(::read(ends[0], &byte, 1) == 0);
  ::close(ends[0]);
}

TEST_CASE("One whose parent is gone already ends at once" GAIA_WAY) {
  const int status = status_of_child([] {
    ::signal(SIGTERM, SIG_DFL);
    way::end_with(::getppid() + 1);
    ::_exit(3);
  });
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM));
}

TEST_CASE("The code of the end is told where the system tells it" GAIA_WAY) {
  const int status = status_of_child([] {
    way::at_exit([](int code) { ::_exit(code + 1); });
    std::exit(40);
  });
  REQUIRE(WIFEXITED(status));
  CHECK((WEXITSTATUS(status) == 41 || WEXITSTATUS(status) == 40));
}

TEST_CASE("Nothing is lost by giving up new rights, or by one arena" GAIA_WAY) {
  const int status = status_of_child([] {
    way::give_up_new_rights();
    way::use_one_arena();
    std::vector<std::vector<char>> blocks;
    for (int i = 0; i < 100; ++i) blocks.emplace_back(10000, 'x');
    ::_exit(blocks[99][9999] == 'x' ? 5 : 1);
  });
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 5));
}

FOLDER_TEST_CASE(
    "The time of a change is that of the file, and contents are copied or refused" GAIA_WAY) {
  const std::string from = folder.write("from", "0123456789");
  const std::string to = folder.path("to");
  struct stat status {};
  REQUIRE(::stat(from.c_str(), &status) == 0);
  using namespace std::chrono;
  const std::int64_t now =
      duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
  const std::int64_t changed = way::modification_time(status);
  CHECK(changed / 1000000000 == static_cast<std::int64_t>(status.st_mtime));
  CHECK(changed <= now + 1000000000);
  CHECK(changed >= now - std::int64_t{600} * 1000000000);

  const int source = ::open(from.c_str(), O_RDONLY);
  const int target = ::open(to.c_str(), O_WRONLY | O_CREAT, 0600);
  const ssize_t first = way::copy_between(source, target, 4);
  if (first == -1) {
    CHECK(errno != 0);
  } else {
    CHECK(first == 4);
    CHECK(way::copy_between(source, target, 100) == 6);
    CHECK(way::copy_between(source, target, 100) == 0);
    std::string text;
    std::ifstream(to) >> text;
    CHECK(text == "0123456789");
  }
  ::close(source);
  ::close(target);
}
