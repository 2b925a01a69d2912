// SPDX-License-Identifier: MIT
#include "output_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "../core/message.h"
#include "../core/platform.h"
#include "diverged.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

std::string because() { return std::string(": ") + std::strerror(errno); }

std::string folder_of(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

void sync_path(const std::string& path, int flags) {
  const Descriptor file(::open(path.c_str(), flags | O_CLOEXEC));
  const auto sync = [&] {
    int failed = 0;
    do {
      failed = ::fsync(file.get());
    } while (failed != 0 && errno == EINTR);
    return failed == 0;
  };
  if (file.get() < 0 || !sync()) {
    fail<OutputError>("{}: cannot be brought to the disk{}", path, because());
  }
}

std::string this_host() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

/// Whether the path still names the file that the descriptor is open on: another process may have
/// removed it between our open and our lock.
bool is_current(const std::string& path, int descriptor) {
  struct stat by_name {};
  struct stat by_descriptor {};
  return ::stat(path.c_str(), &by_name) == 0 && ::fstat(descriptor, &by_descriptor) == 0 &&
         by_name.st_ino == by_descriptor.st_ino && by_name.st_dev == by_descriptor.st_dev;
}

/// The path at which a file is written before it gets its name.
std::string beside(const std::string& path) { return path + ".writing"; }

bool write_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(to, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

/// Copies all bytes through memory.
bool copy_through_memory(int from, int to) {
  std::vector<char> block(1 << 20);
  for (;;) {
    const ssize_t got = ::read(from, block.data(), block.size());
    if (got == 0) return true;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 || !write_all(to, {block.data(), static_cast<std::size_t>(got)})) return false;
  }
}

bool copy_contents(int from, int to) {
  constexpr std::size_t most = std::size_t{1} << 30;
  bool any = false;
  for (;;) {
    const ssize_t copied = platform::copy_between(from, to, most);
    if (copied == 0) return true;
    if (copied < 0 && errno == EINTR) continue;
    if (copied < 0) {
      const bool cannot = errno == EXDEV || errno == ENOSYS || errno == EINVAL ||
                          errno == EOPNOTSUPP || errno == EPERM;
      return !any && cannot && copy_through_memory(from, to);
    }
    any = true;
  }
}

}  // namespace

OutputLock::OutputLock(const std::string& result_path) : path_(result_path + ".lock") {
  for (;;) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (descriptor_ < 0) fail<OutputError>("{}: cannot be created{}", path_, because());
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      std::array<char, 256> holder{};
      const ssize_t length = ::pread(descriptor_, holder.data(), holder.size() - 1, 0);
      ::close(descriptor_);
      fail<LockedError>(
          "{} is being written by another run{}; wait for it, or choose another output.path",
          result_path, length > 0 ? " (" + std::string(holder.data()) + ")" : "");
    }
    if (is_current(path_, descriptor_)) break;
    ::close(descriptor_);
  }
  const std::string holder = message("process {} on {}", ::getpid(), this_host());
  // The text only helps to find the holder; the lock itself stands already.
  if (::ftruncate(descriptor_, 0) == 0) {
    (void)!::pwrite(descriptor_, holder.data(), holder.size(), 0);
  }
}

OutputLock::~OutputLock() {
  ::unlink(path_.c_str());
  ::close(descriptor_);
}

std::string partial_path(const std::string& result_path) { return result_path + ".partial"; }

std::string checkpoint_path(const std::string& result_path, int number) {
  return result_path + ".checkpoint." + std::to_string(number);
}

std::string resuming_path(const std::string& result_path) { return result_path + ".resuming"; }

void remove_leftovers(const std::string& result_path) {
  ::unlink(resuming_path(result_path).c_str());
  for (int number = 0; number < kCheckpoints; ++number) {
    const std::string checkpoint = checkpoint_path(result_path, number);
    ::unlink(checkpoint.c_str());
    ::unlink(beside(checkpoint).c_str());
  }
}

void make_folder_of(const std::string& path) {
  std::error_code error;
  fs::create_directories(folder_of(path), error);
  if (error) {
    fail<OutputError>("{}: the folder for the results cannot be made: {}", folder_of(path),
                      error.message());
  }
}

void clear_the_way(const std::string& result_path, bool overwrite, const WayOut& way_out) {
  const auto advice = [&](const char* what) {
    return message("; use {} to {} it, or {}", way_out.replace, what, way_out.rename);
  };
  const std::string partial = partial_path(result_path);
  struct stat found {};
  const bool has_result = ::lstat(result_path.c_str(), &found) == 0;
  const bool result_is_file = !has_result || S_ISREG(found.st_mode);
  const bool has_partial = ::lstat(partial.c_str(), &found) == 0;
  if (!result_is_file) throw OutputError(result_path + " exists and is not a regular file");
  if (has_partial && !S_ISREG(found.st_mode)) {
    throw OutputError(partial + " exists and is not a regular file");
  }
  if (has_result && !overwrite) fail<OutputError>("{} exists{}", result_path, advice("replace"));
  if (has_partial && !overwrite && !has_diverged(partial)) {
    fail<OutputError>("{} is left from a run that did not end; `gaia resume` goes on with it{}",
                      partial, advice("drop"));
  }
  if (has_partial && ::unlink(partial.c_str()) != 0) {
    fail<OutputError>("{}: cannot be removed{}", partial, because());
  }
  remove_leftovers(result_path);
}

std::unique_ptr<OutputLock> claim_output(const std::string& path, bool overwrite) {
  make_folder_of(path);
  auto lock = std::make_unique<OutputLock>(path);
  clear_the_way(path, overwrite);
  return lock;
}

namespace {

/// Fills a file by `fill(descriptor)`; where that fails, the file is removed.
template <class Fill>
void fill_file(const std::string& path, const Fill& fill) {
  const Descriptor target(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (target.get() < 0) fail<OutputError>("{}: cannot be created{}", path, because());
  if (!fill(target.get())) {
    const std::string reason = because();
    ::unlink(path.c_str());
    fail<OutputError>("{}: cannot be written{}", path, reason);
  }
}

}  // namespace

void copy_file(const std::string& from, const std::string& to) {
  const Descriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (source.get() < 0) fail<OutputError>("{}: cannot be opened{}", from, because());
  fill_file(to, [&](int target) { return copy_contents(source.get(), target); });
}

void discard(const std::string& path) noexcept {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() >= 0) (void)!::ftruncate(file.get(), 0);
  ::unlink(path.c_str());
}

void sync_file(const std::string& path) { sync_path(path, O_RDONLY); }

void write_file(const std::string& path, std::initializer_list<std::string_view> parts) {
  const std::string unnamed = beside(path);
  fill_file(unnamed, [&](int target) {
    return std::all_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return write_all(target, part); });
  });
  try {
    publish(unnamed, path);
  } catch (...) {
    ::unlink(unnamed.c_str());
    throw;
  }
}

void publish(const std::string& from, const std::string& to) {
  sync_file(from);
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    fail<OutputError>("{}: cannot be renamed to {}{}", from, to, because());
  }
  sync_path(folder_of(to), O_RDONLY | O_DIRECTORY);
}

double free_space(const std::string& path) {
  std::error_code error;
  fs::path folder = fs::absolute(folder_of(path), error);
  while (!fs::exists(folder, error) && folder.has_parent_path() && folder != folder.parent_path()) {
    folder = folder.parent_path();
  }
  const fs::space_info space = fs::space(folder, error);
  return error ? 0.0 : static_cast<double>(space.available);
}

}  // namespace gaia
