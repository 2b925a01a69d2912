// SPDX-License-Identifier: MIT
/// \file
/// A library for LD_PRELOAD that makes calls to the system, or allocations, fail on request.
///
/// GAIA_FAULT=CALL:K:HOW     the K-th call of a kind fails; CALL is open, write, sync, rename,
///                           truncate, copy, remove or alloc; HOW an error (ENOSPC, EIO, EINTR,
///                           EACCES, ENOMEM) or short, a write of half the bytes; or torn: the
///                           process is killed (SIGKILL) in the middle of a write, which ends
///                           where its first page of memory does, or is not begun; or right
///                           after a rename
/// GAIA_FAULT=CALL:K+:HOW    the K-th and all after it
/// GAIA_FAULT_PROGRAM=NAME   only in the program of this name
/// GAIA_FAULT_COUNTS=FILE    at the end: how many calls of each kind there were
/// GAIA_FAULT_LIST=FILE      the numbers of those allocations that come by a way no earlier one
/// came
///
/// Calls count from the start of main on.  Standard streams are left alone.
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace {

enum Call { kOpen, kWrite, kSync, kRename, kTruncate, kCopy, kRemove, kAlloc, kCalls };
constexpr const char* kNames[kCalls] = {"open",     "write", "sync",   "rename",
                                        "truncate", "copy",  "remove", "alloc"};

struct Error {
  const char* name;
  int number;
};
constexpr Error kErrors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EINTR", EINTR}, {"EACCES", EACCES},
                             {"ENOMEM", ENOMEM}, {"short", 0}, {"torn", -1}};

std::atomic<bool> g_active{false};
std::atomic<long> g_counts[kCalls];
Call g_call = kCalls;
long g_first = 0;
long g_last = 0;
int g_error = 0;

/// The stacks that allocations came by, as a set of hashes.
constexpr std::size_t kMostStacks = 1 << 16;
std::uint64_t g_stacks[kMostStacks];
int g_list = -1;
const char* g_spare = nullptr;
thread_local bool t_inside = false;

void write_number(int file, long number) {
  char line[32];
  const int length = snprintf(line, sizeof line, "%ld\n", number);
  syscall(SYS_write, file, line, length);
}

/// Segments of the libraries whose file has this in its name, as they lie in memory; those loaded
/// at the start. (dladdr would look for the symbol, too, which takes a thousand times as long.)
class Segments {
 public:
  explicit Segments(const char* name) : name_(name) { dl_iterate_phdr(add, this); }

  bool hold(const void* address) const {
    const auto at = reinterpret_cast<ElfW(Addr)>(address);
    for (int i = 0; i < count_; ++i) {
      if (at >= begin_[i] && at < end_[i]) return true;
    }
    return false;
  }

 private:
  static int add(dl_phdr_info* info, size_t, void* self) {
    auto& own = *static_cast<Segments*>(self);
    if (strstr(info->dlpi_name, own.name_) == nullptr) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& header = info->dlpi_phdr[i];
      if (header.p_type != PT_LOAD) continue;
      if (own.count_ == kMost) abort();
      own.begin_[own.count_] = info->dlpi_addr + header.p_vaddr;
      own.end_[own.count_] = own.begin_[own.count_] + header.p_memsz;
      ++own.count_;
    }
    return 0;
  }

  static constexpr int kMost = 64;
  const char* name_;
  int count_ = 0;
  ElfW(Addr) begin_[kMost];
  ElfW(Addr) end_[kMost];
};

/// Who called for an allocation, the innermost first.
struct Stack {
  void* frames[48];
  int depth = 0;

  Stack() {
    t_inside = true;
    depth = backtrace(frames, 48);
    t_inside = false;
  }

  bool is_new() const {
    std::uint64_t hash = 1469598103934665603u;
    for (int i = 3; i < depth; ++i) {
      hash = (hash ^ reinterpret_cast<std::uint64_t>(frames[i])) * 1099511628211u;
    }
    for (std::size_t at = hash % kMostStacks, i = 0; i < kMostStacks; ++i) {
      std::uint64_t& slot = g_stacks[(at + i) % kMostStacks];
      if (slot == hash) return false;
      if (slot == 0) {
        slot = hash;
        return true;
      }
    }
    return false;
  }

  bool is_for(const char* library) const {
    static const Segments segments(library);
    for (int i = 0; i < depth; ++i) {
      if (segments.hold(frames[i])) return true;
    }
    return false;
  }
};

/// Whether this call is one that fails.
bool fails(Call call) {
  if (!g_active.load(std::memory_order_relaxed)) return false;
  if (call == kAlloc && (g_list >= 0 || g_spare != nullptr)) {
    if (t_inside) return false;
    const Stack stack;
    if (g_spare != nullptr && stack.is_for(g_spare)) return false;
    const long number = g_counts[call] + 1;
    if (g_list >= 0 && stack.is_new()) write_number(g_list, number);
  }
  const long number = ++g_counts[call];
  if (call != g_call || number < g_first || number > g_last) return false;
  errno = g_error;
  return true;
}

void read_fault(const char* text) {
  char call[16];
  char number[24];
  char how[16];
  if (sscanf(text, "%15[^:]:%23[^:]:%15s", call, number, how) != 3) abort();
  for (int i = 0; i < kCalls; ++i) {
    if (strcmp(call, kNames[i]) == 0) g_call = static_cast<Call>(i);
  }
  g_first = atol(number);
  g_last = strchr(number, '+') != nullptr ? __LONG_MAX__ : g_first;
  for (const Error& error : kErrors) {
    if (strcmp(how, error.name) == 0) g_error = error.number;
  }
}

void tell_counts() {
  const char* path = getenv("GAIA_FAULT_COUNTS");
  if (path == nullptr) return;
  g_active = false;
  FILE* file = fopen(path, "w");
  if (file == nullptr) return;
  for (int i = 0; i < kCalls; ++i) fprintf(file, "%s %ld\n", kNames[i], g_counts[i].load());
  fclose(file);
}

using Main = int (*)(int, char**, char**);
Main g_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  const char* program = getenv("GAIA_FAULT_PROGRAM");
  if (program == nullptr || strcmp(program, program_invocation_short_name) == 0) {
    if (const char* fault = getenv("GAIA_FAULT")) read_fault(fault);
    g_spare = getenv("GAIA_FAULT_SPARE");
    const Stack first;  // the first one allocates
    if (const char* list = getenv("GAIA_FAULT_LIST")) {
      g_list = open(list, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    }
    atexit(tell_counts);
    g_active = true;
  }
  return g_main(argc, argv, environment);
}

template <class F>
F next(F, const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

bool is_stream(int file) { return file >= 0 && file <= 2; }

}  // namespace

extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  g_main = main;
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

// Opening

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  if (fails(kOpen)) return -1;
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  if (fails(kOpen)) return -1;
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode));
}

FILE* fopen(const char* path, const char* mode) {
  if (fails(kOpen)) return nullptr;
  static const auto real = next(&fopen, "fopen");
  return real(path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  if (fails(kOpen)) return nullptr;
  static const auto real = next(&fopen64, "fopen64");
  return real(path, mode);
}

// Writing

/// The kernel looks for a SIGKILL between the pages that it writes, and goes no further.
void die_between_pages(int file, const void* bytes, size_t count, off64_t at) {
  constexpr size_t page = 4096;
  const size_t first = page - static_cast<size_t>(at) % page;
  if (first < count) syscall(SYS_pwrite64, file, bytes, first, at);
  kill(getpid(), SIGKILL);
}

ssize_t write(int file, const void* bytes, size_t count) {
  if (!is_stream(file) && fails(kWrite)) {
    if (g_error < 0) die_between_pages(file, bytes, count, lseek64(file, 0, SEEK_CUR));
    if (g_error != 0) return -1;
    count = (count + 1) / 2;
  }
  return syscall(SYS_write, file, bytes, count);
}

ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t at) {
  if (fails(kWrite)) {
    if (g_error < 0) die_between_pages(file, bytes, count, at);
    if (g_error != 0) return -1;
    count = (count + 1) / 2;
  }
  return syscall(SYS_pwrite64, file, bytes, count, at);
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) {
  return pwrite64(file, bytes, count, at);
}

ssize_t writev(int file, const iovec* pieces, int count) {
  if (!is_stream(file) && fails(kWrite)) {
    if (g_error != 0) return -1;
    count = (count + 1) / 2;
  }
  return syscall(SYS_writev, file, pieces, count);
}

ssize_t copy_file_range(int from, off64_t* from_at, int to, off64_t* to_at, size_t count,
                        unsigned flags) {
  if (fails(kCopy)) {
    if (g_error != 0) return -1;
    count = (count + 1) / 2;
  }
  return syscall(SYS_copy_file_range, from, from_at, to, to_at, count, flags);
}

// Files as a whole

int fsync(int file) {
  if (fails(kSync)) return -1;
  return static_cast<int>(syscall(SYS_fsync, file));
}

int fdatasync(int file) {
  if (fails(kSync)) return -1;
  return static_cast<int>(syscall(SYS_fdatasync, file));
}

int rename(const char* from, const char* to) {
  const bool faulty = fails(kRename);
  if (faulty && g_error >= 0) return -1;
  const long done = syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  if (faulty) kill(getpid(), SIGKILL);
  return static_cast<int>(done);
}

int ftruncate64(int file, off64_t length) {
  if (fails(kTruncate)) return -1;
  return static_cast<int>(syscall(SYS_ftruncate, file, length));
}

int ftruncate(int file, off_t length) { return ftruncate64(file, length); }

int unlink(const char* path) {
  if (fails(kRemove)) return -1;
  return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}

int remove(const char* path) { return unlink(path); }

// Memory.  operator new comes by here too.

void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* old, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) { return fails(kAlloc) ? nullptr : __libc_malloc(bytes); }

void* calloc(size_t count, size_t bytes) {
  return fails(kAlloc) ? nullptr : __libc_calloc(count, bytes);
}

void* realloc(void* old, size_t bytes) {
  return fails(kAlloc) ? nullptr : __libc_realloc(old, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) {
  return fails(kAlloc) ? nullptr : __libc_memalign(alignment, bytes);
}

void* memalign(size_t alignment, size_t bytes) {
  return fails(kAlloc) ? nullptr : __libc_memalign(alignment, bytes);
}

int posix_memalign(void** result, size_t alignment, size_t bytes) {
  void* const memory = fails(kAlloc) ? nullptr : __libc_memalign(alignment, bytes);
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}

}  // extern "C"
