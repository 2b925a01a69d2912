// SPDX-License-Identifier: MIT
#include "input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

#include "../core/error.h"
#include "../core/parallel.h"
#include "../core/platform.h"

namespace gaia {
namespace {

const char* kind_of(mode_t mode) {
  return S_ISDIR(mode)                    ? "a directory"
         : S_ISFIFO(mode)                 ? "a pipe"
         : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                                          : "something else";
}

}  // namespace

InputFile::InputFile(const std::string& path, bool hashes) : path_(path) {
  // Opening a pipe would otherwise wait for a writer.
  descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) fail("cannot be opened");
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) {
    const int reason = errno;
    close(descriptor_);
    errno = reason;
    fail("cannot be examined");
  }
  if (!S_ISREG(status.st_mode)) {
    close(descriptor_);
    throw DataError(
        fmt::format("{}: expected a regular file, got {}", path_, kind_of(status.st_mode)));
  }
  size_ = status.st_size;
  modified_ = platform::modification_time(status);
  if (!hashes) return;
  hash_.emplace();
  // Bytes whose hash takes much longer than a thread needs to start.
  constexpr std::int64_t kLarge = std::int64_t{1} << 22;
  if (size_ >= kLarge && num_threads() > 1 && !inside_parallel_task()) hashing_.emplace(true);
}

InputFile::~InputFile() { close(descriptor_); }

std::size_t InputFile::read(std::int64_t offset, std::span<char> bytes) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = pread(descriptor_, bytes.data() + done, bytes.size() - done,
                              static_cast<off_t>(offset + static_cast<std::int64_t>(done)));
    if (got == 0) break;
    if (got > 0) {
      done += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      fail("cannot be read");
    }
  }
  const std::int64_t end = offset + static_cast<std::int64_t>(done);
  if (hash_ && offset <= hashed_ && hashed_ < end) {
    const std::span<char> fresh = bytes.subspan(static_cast<std::size_t>(hashed_ - offset),
                                                static_cast<std::size_t>(end - hashed_));
    if (hashing_) {
      hashing_->push(
          [this, held = std::vector<char>(fresh.begin(), fresh.end())] { hash_->add(held); });
    } else {
      hash_->add(fresh);
    }
    hashed_ = end;
  }
  return done;
}

bool InputFile::has_at(std::int64_t offset, std::string_view bytes) const {
  std::string found(bytes.size(), '\0');
  return read(offset, found) == bytes.size() && found == bytes;
}

std::string InputFile::sha256() const {
  if (!sha256_.empty()) return sha256_;
  std::vector<char> block(std::size_t{1} << 16);
  while (read(hashed_, block) > 0) {
  }
  check_unchanged();
  if (hashing_) hashing_->drain();
  hashing_.reset();
  const std::string text = hash_->text();
  if (text.empty()) fail("cannot be read for its SHA-256");
  sha256_ = text;
  return sha256_;
}

void InputFile::check_in_place() const {
  struct stat opened {};
  struct stat there {};
  if (fstat(descriptor_, &opened) != 0 || stat(path_.c_str(), &there) != 0) {
    fail("cannot be examined");
  }
  if (opened.st_dev != there.st_dev || opened.st_ino != there.st_ino) {
    throw DataError(fmt::format("{}: the file was replaced while it was read", path_));
  }
}

void InputFile::check_unchanged() const {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) fail("cannot be examined");
  if (status.st_size != size_ || platform::modification_time(status) != modified_) {
    throw DataError(fmt::format("{}: the file changed while it was read", path_));
  }
}

void InputFile::fail(const char* what) const {
  throw DataError(fmt::format("{}: {}: {}", path_, what, std::generic_category().message(errno)));
}

}  // namespace gaia
