// SPDX-License-Identifier: MIT
#include "platform.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#if defined(GAIA_ONLY_POSIX)
#elif defined(__linux__)
#define GAIA_LINUX
#include <sched.h>
#include <sys/prctl.h>
#elif defined(__APPLE__)
#define GAIA_MACOS
#include <crt_externs.h>
#include <mach-o/dyld.h>
#include <mach/mach.h>
#include <sys/sysctl.h>
#endif
#if defined(GAIA_LINUX) && defined(__GLIBC__)
#define GAIA_GLIBC
#include <malloc.h>
#endif
#ifndef GAIA_MACOS
extern char** environ;
#endif

namespace gaia::GAIA_PLATFORM {
namespace {

#ifndef GAIA_LINUX
/// No program that another thread starts between the call that created it and this one is kept from
/// it; Linux sets both at once.
bool close_at_start_of_program(const std::array<int, 2>& ends) {
  bool done = true;
  for (const int end : ends) done = ::fcntl(end, F_SETFD, FD_CLOEXEC) == 0 && done;
  if (done) return true;
  const int reason = errno;
  for (const int end : ends) ::close(end);
  errno = reason;
  return false;
}
#endif

#if defined(GAIA_MACOS)
template <class T>
T told_by_system(const char* name) {
  T value = 0;
  std::size_t size = sizeof value;
  return ::sysctlbyname(name, &value, &size, nullptr, 0) == 0 ? value : T{};
}
#endif

}  // namespace

int usable_processors() {
#if defined(GAIA_LINUX)
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::string processor_name() {
#if defined(GAIA_LINUX)
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
#elif defined(GAIA_MACOS)
  std::array<char, 256> name{};
  std::size_t size = name.size() - 1;
  if (::sysctlbyname("machdep.cpu.brand_string", name.data(), &size, nullptr, 0) == 0) {
    return name.data();
  }
#endif
  return "CPU";
}

std::int64_t installed_memory() {
#if defined(GAIA_MACOS)
  return told_by_system<std::int64_t>("hw.memsize");
#else
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
#endif
}

std::int64_t available_memory() {
#if defined(GAIA_LINUX)
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    if (word == "MemAvailable:") {
      std::int64_t kibibytes = 0;
      file >> kibibytes;
      return kibibytes * 1024;
    }
  }
#elif defined(GAIA_MACOS)
  vm_statistics64_data_t pages{};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  if (::host_statistics64(::mach_host_self(), HOST_VM_INFO64,
                          reinterpret_cast<host_info64_t>(&pages), &count) == KERN_SUCCESS) {
    return (static_cast<std::int64_t>(pages.free_count) + pages.inactive_count) *
           static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
  }
#endif
  return 0;
}

void prefer_large_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#if defined(GAIA_LINUX) && defined(MADV_HUGEPAGE)
  ::madvise(data, bytes, MADV_HUGEPAGE);
#endif
}

void use_one_arena() {
#if defined(GAIA_GLIBC)
  ::mallopt(M_ARENA_MAX, 1);
#endif
}

void keep_freed_memory() {
#if defined(GAIA_GLIBC)
  ::mallopt(M_MMAP_THRESHOLD, 4 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 16 << 20);
#endif
}

std::string program_path() {
#if defined(GAIA_LINUX)
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) return path.string();
#elif defined(GAIA_MACOS)
  std::uint32_t size = 0;
  ::_NSGetExecutablePath(nullptr, &size);
  std::string path(size, '\0');
  if (::_NSGetExecutablePath(path.data(), &size) == 0) return path.c_str();
#endif
  return "gaia";
}

char** environment() {
#if defined(GAIA_MACOS)  // whose libraries have no environ
  return *::_NSGetEnviron();
#else
  return environ;
#endif
}

double resident_bytes([[maybe_unused]] int process) {
#if defined(GAIA_LINUX)
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  double all = 0.0;
  double resident = 0.0;
  if (file >> all >> resident) return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
#endif
  return 0.0;
}

double peak_bytes(const rusage& usage) {
#if defined(GAIA_MACOS)
  constexpr double unit = 1.0;
#else
  constexpr double unit = 1024.0;
#endif
  return unit * static_cast<double>(usage.ru_maxrss);
}

void end_with(int parent) {
#if defined(GAIA_LINUX)
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
#else
  std::thread([parent] {
    while (::getppid() == parent) std::this_thread::sleep_for(std::chrono::seconds(1));
    ::kill(::getpid(), SIGTERM);
  }).detach();
#endif
  // It may have died before it was asked.
  if (::getppid() != parent) ::raise(SIGTERM);
}

void at_exit([[maybe_unused]] void (*f)(int code)) {
#if defined(GAIA_GLIBC)
  ::on_exit([](int code, void* called) { reinterpret_cast<void (*)(int)>(called)(code); },
            reinterpret_cast<void*>(f));
#endif
}

void give_up_new_rights() {
#if defined(GAIA_LINUX)
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#endif
}

bool make_pipe(std::array<int, 2>& ends) {
#if defined(GAIA_LINUX)
  return ::pipe2(ends.data(), O_CLOEXEC) == 0;
#else
  return ::pipe(ends.data()) == 0 && close_at_start_of_program(ends);
#endif
}

bool make_socket_pair(std::array<int, 2>& ends) {
#if defined(GAIA_LINUX)
  return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0;
#else
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) return false;
#if defined(SO_NOSIGPIPE)
  const int on = 1;
  for (const int end : ends) ::setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  return close_at_start_of_program(ends);
#endif
}

std::ptrdiff_t send_silently(int socket, std::string_view bytes, int flags) {
#if defined(MSG_NOSIGNAL)  // POSIX has it, macOS has SO_NOSIGPIPE
  flags |= MSG_NOSIGNAL;
#endif
  return ::send(socket, bytes.data(), bytes.size(), flags);
}

void close_from(int first) {
#if defined(GAIA_GLIBC) && __GLIBC_PREREQ(2, 34)
  if (::close_range(static_cast<unsigned>(first), ~0u, 0) == 0) return;
#endif
  const long most = ::sysconf(_SC_OPEN_MAX);
  for (long i = first; i < most; ++i) ::close(static_cast<int>(i));
}

std::int64_t modification_time(const struct stat& status) {
#if defined(GAIA_MACOS)
  const timespec& time = status.st_mtimespec;
#else
  const timespec& time = status.st_mtim;
#endif
  return static_cast<std::int64_t>(time.tv_sec) * 1000000000 + time.tv_nsec;
}

std::ptrdiff_t copy_between([[maybe_unused]] int from, [[maybe_unused]] int to,
                            [[maybe_unused]] std::size_t most) {
#if defined(GAIA_LINUX)
  return ::copy_file_range(from, nullptr, to, nullptr, most, 0);
#else
  errno = ENOSYS;
  return -1;
#endif
}

}  // namespace gaia::GAIA_PLATFORM
