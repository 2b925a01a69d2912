// SPDX-License-Identifier: MIT
#include "picture_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>

#include "../../core/error.h"
#include "../../core/log.h"
#include "../../core/text.h"
#include "../class_table.h"
#include "../sha256.h"

namespace gaia::io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPngStart = "\x89PNG\r\n\x1a\n";
constexpr std::string_view kJpegStart = "\xff\xd8\xff";
constexpr std::int64_t kMostFileBytes = std::int64_t{1} << 30;

std::string ending_of(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return ending;
}

bool is_picture_name(const fs::path& path) {
  const std::string ending = ending_of(path);
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

bool is_other_picture(const fs::path& path) {
  static constexpr std::array kOthers = {".gif", ".bmp", ".tif", ".tiff", ".webp", ".ppm", ".pgm"};
  return std::ranges::find(kOthers, ending_of(path)) != kOthers.end();
}

/// What stands in a folder, sorted.
struct FolderContent {
  std::vector<std::string> pictures;
  std::vector<std::string> folders;
};

FolderContent content_of(const fs::path& folder) {
  FolderContent content;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.')) continue;
    std::error_code unknown;
    if (entry->is_directory(unknown)) {
      content.folders.push_back(name);
    } else if (is_picture_name(name)) {
      content.pictures.push_back(name);
    } else if (is_other_picture(name)) {
      throw DataError(fmt::format("{}: expected PNG or JPEG; convert it, or take it away",
                                  printable(entry->path().string())));
    }
  }
  if (error) throw DataError(fmt::format("{}: {}", folder.string(), error.message()));
  std::ranges::sort(content.pictures);
  std::ranges::sort(content.folders);
  return content;
}

/// The bytes of a whole file.
std::vector<char> bytes_of_file(const std::string& path) {
  const InputFile file(path);
  if (file.size() > kMostFileBytes) {
    throw DataError(fmt::format("{}: expected a picture of at most {} bytes, got {}", path,
                                kMostFileBytes, file.size()));
  }
  std::vector<char> bytes(static_cast<std::size_t>(file.size()));
  bytes.resize(file.read(0, bytes));
  file.check_unchanged();
  return bytes;
}

DecodedPicture decode(std::span<const char> bytes, const std::string& path) {
  const std::string_view start(bytes.data(), std::min<std::size_t>(bytes.size(), 8));
  if (start == kPngStart) return decode_png(bytes, path);
  if (start.starts_with(kJpegStart)) return decode_jpeg(bytes, path);
  throw DataError(path + ": expected a PNG or JPEG file, got one that does not begin like one");
}

/// What was read lies on its side or its head.
void warn_of_orientation(const std::string& path, int orientation, std::int64_t count) {
  log_warning(fmt::format(
      "{}: has the EXIF orientation {}, which is not applied{}; turn pictures before they are read "
      "(exiftran -ai, mogrify -auto-orient)",
      path, orientation,
      count > 1 ? fmt::format(", as have {} more pictures", count - 1) : std::string()));
}

/// "HASH  NAME\n" for each name.
std::string sha256_of_lines(const std::map<std::string, std::string>& hashes) {
  Sha256 all;
  for (const auto& [name, hash] : hashes) {
    const std::string line = hash + "  " + name + "\n";
    all.add(line);
  }
  return all.text();
}

}  // namespace

bool is_decodable(const InputFile& file) {
  return file.has_at(0, kPngStart) || file.has_at(0, kJpegStart);
}

Pictures read_one_picture(const std::string& path) {
  const std::vector<char> bytes = bytes_of_file(path);
  Pictures pictures;
  DecodedPicture picture = decode(bytes, path);
  if (picture.orientation != 1) warn_of_orientation(path, picture.orientation, 1);
  pictures.add(std::move(picture), path);
  pictures.set_sha256(sha256_of(bytes));
  return pictures;
}

PictureList list_pictures(const std::string& folder) {
  FolderContent content = content_of(folder);
  if (content.folders.empty()) {
    if (content.pictures.empty()) {
      throw DataError(
          folder +
          ": expected PNG or JPEG files (.png, .jpg, .jpeg), or subfolders of them, got "
          "none");
    }
    return {.names = std::move(content.pictures), .labels = {}};
  }
  if (!content.pictures.empty()) {
    throw DataError(fmt::format(
        "{}: expected pictures, or subfolders with those of a class each, got both, as '{}' and "
        "the "
        "folder '{}'",
        folder, printable(content.pictures.front()), printable(content.folders.front())));
  }
  std::vector<std::vector<std::string>> classes;
  std::size_t most = 0;
  for (const std::string& name : content.folders) {
    if (const std::string why = why_no_class(name); !why.empty()) {
      throw DataError(fmt::format("{}: the name of a subfolder is no class: {}", folder, why));
    }
    FolderContent inner = content_of(fs::path(folder) / name);
    const std::string path = (fs::path(folder) / name).string();
    if (!inner.folders.empty()) {
      throw DataError(fmt::format(
          "{}: expected the pictures of a class, got a folder '{}' in it; name the folder that has "
          "the classes",
          path, printable(inner.folders.front())));
    }
    if (inner.pictures.empty()) {
      throw DataError(path + ": expected PNG or JPEG files of a class, got none");
    }
    most = std::max(most, inner.pictures.size());
    classes.push_back(std::move(inner.pictures));
  }
  PictureList list;
  for (std::size_t turn = 0; turn < most; ++turn) {
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (turn >= classes[i].size()) continue;
      list.names.push_back(content.folders[i] + "/" + classes[i][turn]);
      list.labels.push_back(content.folders[i]);
    }
  }
  return list;
}

bool has_pictures(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return false;
  const FolderContent content = content_of(folder);
  return !content.pictures.empty() ||
         std::ranges::any_of(content.folders, [&](const std::string& name) {
           return !content_of(fs::path(folder) / name).pictures.empty();
         });
}

Pictures read_picture_folder(const std::string& folder, const PictureOptions& options) {
  PictureList list = list_pictures(folder);
  const std::size_t all = list.names.size();
  const auto used = static_cast<std::size_t>(
      std::min(options.first.value_or(std::ssize(list.names)), std::ssize(list.names)));
  Pictures pictures;
  std::map<std::string, std::string> hashes;
  std::int64_t turned = 0;
  std::string first_turned;
  int orientation = 1;
  for (std::size_t i = 0; i < all; ++i) {
    const std::string path = (fs::path(folder) / list.names[i]).string();
    const std::vector<char> bytes = bytes_of_file(path);
    hashes.emplace(list.names[i], sha256_of(bytes));
    if (i >= used) continue;
    DecodedPicture picture = decode(bytes, path);
    if (picture.orientation != 1 && turned++ == 0) {
      first_turned = path;
      orientation = picture.orientation;
    }
    pictures.add(std::move(picture), path);
  }
  if (turned > 0) warn_of_orientation(first_turned, orientation, turned);
  if (!list.labels.empty()) list.labels.resize(used);
  pictures.set_labels(std::move(list.labels));
  pictures.set_sha256(sha256_of_lines(hashes));
  return pictures;
}

std::string sha256_of_input(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return sha256_of_file(path);
  std::map<std::string, std::string> hashes;
  for (const std::string& name : list_pictures(path).names) {
    hashes.emplace(name, sha256_of_file((fs::path(path) / name).string()));
  }
  return sha256_of_lines(hashes);
}

}  // namespace gaia::io
