// SPDX-License-Identifier: MIT
#include "kept_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "../io/sha256.h"
#include "log.h"
#include "message.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSignature = "gaia keeps this 1";
constexpr std::string_view kUnfinished = ".part";

/// What stands before a content: whose it is, how long it is, and its hash.
std::string head_of(const std::string& key, std::string_view content) {
  return message("{}\n{}\n{}\n{}\n", kSignature, key, content.size(),
                 sha256_of({content.data(), content.size()}));
}

class OpenFile {
 public:
  OpenFile(const fs::path& path, int flags)
      : number_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~OpenFile() {
    if (number_ >= 0) ::close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

  bool write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t count = ::write(number_, text.data(), text.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  /// Whether all that was written has reached the file system.
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// The content of a file that this user alone may write.
std::optional<std::string> read_own(const fs::path& path, std::int64_t most_bytes) {
  const OpenFile file(path, O_RDONLY | O_NOFOLLOW);
  struct stat facts {};
  if (!file.is_open() || ::fstat(file.number(), &facts) != 0 || !S_ISREG(facts.st_mode) ||
      facts.st_uid != ::geteuid() || (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0 ||
      facts.st_size > most_bytes) {
    return std::nullopt;
  }
  std::string text(static_cast<std::size_t>(facts.st_size), '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const ssize_t count = ::read(file.number(), text.data() + length, text.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    length += static_cast<std::size_t>(count);
  }
  return text;
}

/// A name that no other thread or process takes.
std::string unfinished_name(const std::string& key) {
  static std::atomic<int> next{0};
  return message("{}.{}.{}{}", key, static_cast<std::int64_t>(::getpid()), next++, kUnfinished);
}

}  // namespace

KeptFiles::KeptFiles(fs::path folder, std::int64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {}

std::optional<std::string> KeptFiles::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  std::optional<std::string> text = read_own(folder_ / key, most_bytes_);
  if (!text) return std::nullopt;
  std::size_t head = 0;
  for (int lines = 0; lines < 4 && head != std::string::npos; ++lines) {
    head = text->find('\n', head);
    if (head != std::string::npos) ++head;
  }
  if (head == std::string::npos) return std::nullopt;
  const std::string_view content = std::string_view(*text).substr(head);
  if (std::string_view(*text).substr(0, head) != head_of(key, content)) return std::nullopt;
  text->erase(0, head);
  std::error_code ignored;  // it may be gone
  fs::last_write_time(folder_ / key, fs::file_time_type::clock::now(), ignored);
  return text;
}

void KeptFiles::keep(const std::string& key, std::string_view content) const {
  const std::string head = head_of(key, content);
  if (folder_.empty() || std::cmp_greater(head.size() + content.size(), most_bytes_)) return;
  const fs::path unfinished = folder_ / unfinished_name(key);
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!error) {
    OpenFile file(unfinished, O_WRONLY | O_CREAT | O_EXCL);
    if (file.is_open() && file.write(head) && file.write(content) && file.close()) {
      fs::rename(unfinished, folder_ / key, error);
    } else {
      error = std::error_code(errno, std::generic_category());
    }
  }
  if (!error) return trim();
  std::error_code ignored;
  fs::remove(unfinished, ignored);
  log_once(LogLevel::info, "kept files in " + folder_.string(),
           message("nothing can be kept in {} ({}), so it is made anew by each process",
                   folder_.string(), error.message()));
}

void KeptFiles::trim() const {
  struct Kept {
    fs::path path;
    fs::file_time_type time;
    std::int64_t bytes;
  };
  std::vector<Kept> all;
  std::int64_t bytes = 0;
  std::error_code error;
  const fs::file_time_type now = fs::file_time_type::clock::now();
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;  // another process may have been faster, here and below
    const fs::file_time_type time = entry->last_write_time(gone);
    const auto size =
        static_cast<std::int64_t>(entry->is_regular_file(gone) ? entry->file_size(gone) : 0);
    if (gone) continue;
    if (entry->path().extension() == kUnfinished) {
      if (now - time > std::chrono::hours(1)) fs::remove(entry->path(), gone);  // its writer died
      continue;
    }
    all.push_back({entry->path(), time, size});
    bytes += size;
  }
  std::ranges::sort(all, {}, &Kept::time);
  for (const Kept& kept : all) {
    if (bytes <= most_bytes_) break;
    fs::remove(kept.path, error);
    bytes -= kept.bytes;
  }
}

fs::path user_cache_folder() {
  for (const auto& [variable, below] : {std::pair{"XDG_CACHE_HOME", ""}, {"HOME", ".cache"}}) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && fs::path(value).is_absolute()) return fs::path(value) / below / "gaia";
  }
  return {};
}

}  // namespace gaia
