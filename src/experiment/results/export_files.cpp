// SPDX-License-Identifier: MIT
#include "export_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "../../core/message.h"
#include "../../io/output_files.h"

namespace gaia {

void refuse_export_over(const std::string& path, bool overwrite) {
  struct stat known {};
  if (::lstat(path.c_str(), &known) != 0) return;
  if (S_ISDIR(known.st_mode)) fail<OutputError>("{}: is a folder; give another name", path);
  if (overwrite) return;
  fail<OutputError>("{}: exists; use --overwrite to replace it, or --output for another name",
                    path);
}

ExportFile::ExportFile(std::string path, bool overwrite)
    : path_(std::move(path)), aside_(path_ + ".writing"), overwrite_(overwrite) {
  refuse_export_over(path_, overwrite_);
  make_folder_of(path_);
  descriptor_ = ::open(aside_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (descriptor_ < 0) fail_to("created");
}

ExportFile::~ExportFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!aside_.empty()) ::unlink(aside_.c_str());
}

void ExportFile::fail_to(const char* what) const {
  fail<OutputError>("{}: cannot be {} ({})", aside_, what, std::strerror(errno));
}

void ExportFile::write_bytes(std::string_view bytes, std::int64_t place) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(descriptor_, bytes.data(), bytes.size(), place);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail_to("written");
    bytes.remove_prefix(static_cast<std::size_t>(put));
    place += put;
  }
}

void ExportFile::write(std::string_view bytes) {
  write_bytes(bytes, size_);
  size_ += static_cast<std::int64_t>(bytes.size());
}

void ExportFile::write_at(std::int64_t place, std::string_view bytes) { write_bytes(bytes, place); }

void ExportFile::publish() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) fail_to("written");
  refuse_export_over(path_, overwrite_);  // writing may have taken a while
  gaia::publish(aside_, path_);
  aside_.clear();
}

}  // namespace gaia
