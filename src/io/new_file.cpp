// SPDX-License-Identifier: MIT
#include "new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "../core/message.h"

namespace gaia {

void refuse_over(const std::string& path, bool overwrite, const WayOut& way_out) {
  struct stat known {};
  if (::lstat(path.c_str(), &known) != 0) return;
  if (S_ISDIR(known.st_mode)) fail<OutputError>("{}: is a folder; give another name", path);
  if (overwrite) return;
  fail<OutputError>("{}: exists; use {} to replace it, or {}", path, way_out.replace,
                    way_out.rename);
}

NewFile::NewFile(std::string path, bool overwrite, const WayOut& way_out)
    : path_(std::move(path)), aside_(path_ + ".writing"), overwrite_(overwrite), way_out_(way_out) {
  refuse_over(path_, overwrite_, way_out_);
  make_folder_of(path_);
  descriptor_ = ::open(aside_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (descriptor_ < 0) fail_to("created");
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!aside_.empty()) ::unlink(aside_.c_str());
}

void NewFile::fail_to(const char* what) const {
  fail<OutputError>("{}: cannot be {} ({})", aside_, what, std::strerror(errno));
}

void NewFile::write_bytes(std::string_view bytes, std::int64_t place) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(descriptor_, bytes.data(), bytes.size(), place);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail_to("written");
    bytes.remove_prefix(static_cast<std::size_t>(put));
    place += put;
  }
}

void NewFile::write(std::string_view bytes) {
  write_bytes(bytes, size_);
  size_ += static_cast<std::int64_t>(bytes.size());
}

void NewFile::write_at(std::int64_t place, std::string_view bytes) { write_bytes(bytes, place); }

void NewFile::publish() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) fail_to("written");
  refuse_over(path_, overwrite_, way_out_);  // writing may have taken a while
  gaia::publish(aside_, path_);
  aside_.clear();
}

}  // namespace gaia
