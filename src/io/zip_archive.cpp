// SPDX-License-Identifier: MIT
#include "zip_archive.h"

#include <libdeflate.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "../array/device.h"
#include "../core/message.h"

namespace gaia {
namespace {

constexpr std::uint64_t kElsewhere = 0xFFFFFFFF;  // the number stands in 64 bits behind the name
constexpr int kZip64 = 45;                        // version that is needed
constexpr std::uint64_t kUtf8Names = 1U << 11;
constexpr std::uint64_t kFirstDay = (1U << 5) | 1U;  // 1980-01-01: the same bytes whenever

/// Bytes of a record of a ZIP archive, little-endian.
class ZipRecord {
 public:
  ZipRecord& put(int bytes, std::uint64_t value) {
    for (int i = 0; i < bytes; ++i) text_ += static_cast<char>((value >> (8 * i)) & 0xFF);
    return *this;
  }
  ZipRecord& put(const std::string& text) {
    text_ += text;
    return *this;
  }
  /// Fields that both headers of a member have, from the version that is needed to the length of
  /// what stands behind the name.
  ZipRecord& put(const ZipMember& member, std::uint64_t behind_name) {
    return put(2, kZip64)
        .put(2, kUtf8Names)
        .put(2, 0)
        .put(2, 0)
        .put(2, kFirstDay)
        .put(4, member.crc)
        .put(4, kElsewhere)
        .put(4, kElsewhere)
        .put(2, member.name.size())
        .put(2, behind_name);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string local_header(const ZipMember& member) {
  return ZipRecord()
      .put(4, 0x04034b50)
      .put(member, 20)
      .put(member.name)
      .put(2, 1)
      .put(2, 16)
      .put(8, member.bytes)
      .put(8, member.bytes)
      .text();
}

std::string central_header(const ZipMember& member) {
  constexpr std::uint64_t regular_file = 0100644;
  return ZipRecord()
      .put(4, 0x02014b50)
      .put(2, (3U << 8) | kZip64)  // by a Unix
      .put(member, 28)
      .put(2, 0)
      .put(2, 0)
      .put(2, 0)
      .put(4, regular_file << 16)
      .put(4, kElsewhere)
      .put(member.name)
      .put(2, 1)
      .put(2, 24)
      .put(8, member.bytes)
      .put(8, member.bytes)
      .put(8, member.place)
      .text();
}

std::string end_of_archive(std::uint64_t members, std::uint64_t place, std::uint64_t bytes) {
  return ZipRecord()
      .put(4, 0x06064b50)
      .put(8, 44)
      .put(2, (3U << 8) | kZip64)
      .put(2, kZip64)
      .put(4, 0)
      .put(4, 0)
      .put(8, members)
      .put(8, members)
      .put(8, bytes)
      .put(8, place)
      .put(4, 0x07064b50)
      .put(4, 0)
      .put(8, place + bytes)
      .put(4, 1)
      .put(4, 0x06054b50)
      .put(2, 0)
      .put(2, 0)
      .put(2, 0xFFFF)
      .put(2, 0xFFFF)
      .put(4, kElsewhere)
      .put(4, kElsewhere)
      .put(2, 0)
      .text();
}

// Reading

/// The number of `count` bytes, little-endian, at a place of a text that is long enough.
std::uint64_t number_at(std::string_view text, std::size_t place, int count) {
  std::uint64_t value = 0;
  for (int i = count; i-- > 0;) {
    value = (value << 8) | static_cast<unsigned char>(text[place + static_cast<std::size_t>(i)]);
  }
  return value;
}

[[noreturn]] void damaged(const InputFile& file, const char* what) {
  fail<DataError>("{}: expected a ZIP archive, got {}", file.path(), what);
}

/// Bytes that the file has to have.
std::string bytes_at(const InputFile& file, std::uint64_t place, std::uint64_t count,
                     const char* what) {
  const auto size = static_cast<std::uint64_t>(file.size());
  if (place > size || count > size - place) damaged(file, what);
  std::string bytes(static_cast<std::size_t>(count), '\0');
  if (file.read(static_cast<std::int64_t>(place), bytes) != bytes.size()) damaged(file, what);
  return bytes;
}

struct Directory {
  std::uint64_t members = 0;
  std::uint64_t place = 0;
  std::uint64_t bytes = 0;
};

constexpr std::uint64_t kEnd = 0x06054b50;
constexpr std::uint64_t kEnd64 = 0x06064b50;
constexpr std::uint64_t kEnd64Locator = 0x07064b50;

/// What the record at the end says of the directory, in 64 bits where the 32 are full.
Directory directory_of(const InputFile& file) {
  constexpr std::uint64_t record = 22;
  constexpr std::uint64_t longest_comment = 0xFFFF;
  const auto size = static_cast<std::uint64_t>(file.size());
  if (size < record) damaged(file, "a file that is shorter than one");
  const std::uint64_t tail = std::min(size, record + longest_comment);
  const std::string text = bytes_at(file, size - tail, tail, "a file that ends too early");
  std::size_t at = text.size() - record;
  while (number_at(text, at, 4) != kEnd ||
         number_at(text, at + 20, 2) != text.size() - at - record) {
    if (at == 0) damaged(file, "a file without the record at its end");
    --at;
  }
  if (number_at(text, at + 4, 2) % 0xFFFF != 0) damaged(file, "a part of several");
  Directory found = {number_at(text, at + 10, 2), number_at(text, at + 16, 4),
                     number_at(text, at + 12, 4)};
  const std::uint64_t end = size - tail + at;
  if (end < 20) return found;
  const std::string locator = bytes_at(file, end - 20, 20, "a file that ends too early");
  if (number_at(locator, 0, 4) != kEnd64Locator) return found;
  const std::string end64 =
      bytes_at(file, number_at(locator, 8, 8), 56, "a locator that leads outside");
  if (number_at(end64, 0, 4) != kEnd64) damaged(file, "a locator that leads elsewhere");
  return {number_at(end64, 32, 8), number_at(end64, 48, 8), number_at(end64, 40, 8)};
}

/// Takes the numbers that stand in 64 bits behind the name.
void read_wide_numbers(const InputFile& file, std::string_view extra, ZipMember& member) {
  while (extra.size() >= 4) {
    const std::uint64_t kind = number_at(extra, 0, 2);
    const std::uint64_t length = number_at(extra, 2, 2);
    extra.remove_prefix(4);
    if (length > extra.size()) damaged(file, "a field that is longer than its header");
    std::string_view field = extra.substr(0, static_cast<std::size_t>(length));
    extra.remove_prefix(static_cast<std::size_t>(length));
    if (kind != 1) continue;
    for (std::uint64_t* number : {&member.bytes, &member.packed, &member.place}) {
      if (*number != kElsewhere) continue;
      if (field.size() < 8) damaged(file, "a field that is too short");
      *number = number_at(field, 0, 8);
      field.remove_prefix(8);
    }
  }
}

}  // namespace

void ZipWriter::begin(std::string name, std::int64_t bytes) {
  finish_member();
  if (name.size() > std::numeric_limits<std::uint16_t>::max()) {
    fail<DataError>("a name of {} bytes is too long for an archive; export it to NPY", name.size());
  }
  ZipMember& member = members_.emplace_back();
  member.name = std::move(name);
  member.bytes = static_cast<std::uint64_t>(bytes);
  member.place = static_cast<std::uint64_t>(file_.size());
  file_.write(local_header(member));
  is_open_ = true;
}

void ZipWriter::write(std::string_view bytes) {
  ZipMember& member = members_.back();
  member.crc = libdeflate_crc32(member.crc, bytes.data(), bytes.size());
  file_.write(bytes);
}

void ZipWriter::finish_member() {
  // The sum is known only now.
  if (std::exchange(is_open_, false)) {
    file_.write_at(static_cast<std::int64_t>(members_.back().place), local_header(members_.back()));
  }
}

void ZipWriter::end() {
  finish_member();
  const auto place = static_cast<std::uint64_t>(file_.size());
  for (const ZipMember& member : members_) file_.write(central_header(member));
  file_.write(
      end_of_archive(members_.size(), place, static_cast<std::uint64_t>(file_.size()) - place));
}

std::vector<ZipMember> zip_members(const InputFile& file) {
  const Directory directory = directory_of(file);
  const std::string text =
      bytes_at(file, directory.place, directory.bytes, "a directory that leads outside");
  std::vector<ZipMember> members;
  std::size_t at = 0;
  constexpr std::size_t fixed = 46;
  for (std::uint64_t i = 0; i < directory.members; ++i) {
    if (text.size() - at < fixed || number_at(text, at, 4) != 0x02014b50) {
      damaged(file, "a directory that ends too early");
    }
    const auto name = static_cast<std::size_t>(number_at(text, at + 28, 2));
    const auto extra = static_cast<std::size_t>(number_at(text, at + 30, 2));
    const auto comment = static_cast<std::size_t>(number_at(text, at + 32, 2));
    if (text.size() - at - fixed < name + extra + comment) {
      damaged(file, "a directory that ends too early");
    }
    ZipMember& member = members.emplace_back();
    member.name = text.substr(at + fixed, name);
    member.method = static_cast<int>(number_at(text, at + 10, 2));
    member.crc = static_cast<std::uint32_t>(number_at(text, at + 16, 4));
    member.packed = number_at(text, at + 20, 4);
    member.bytes = number_at(text, at + 24, 4);
    member.place = number_at(text, at + 42, 4);
    read_wide_numbers(file, std::string_view(text).substr(at + fixed + name, extra), member);
    if ((number_at(text, at + 8, 2) & 1U) != 0) {
      fail<DataError>("{}: {} is encrypted, which is not read", file.path(),
                      printable(member.name));
    }
    if (member.method != 0 && member.method != 8) {
      fail<DataError>("{}: {} is packed by method {}; methods 0 and 8 are read", file.path(),
                      printable(member.name), member.method);
    }
    at += fixed + name + extra + comment;
  }
  return members;
}

std::string zip_read(const InputFile& file, const ZipMember& member) {
  constexpr std::uint64_t fixed = 30;
  const std::string header = bytes_at(file, member.place, fixed, "a member that lies outside");
  if (number_at(header, 0, 4) != 0x04034b50) damaged(file, "a member without its header");
  const std::uint64_t place =
      member.place + fixed + number_at(header, 26, 2) + number_at(header, 28, 2);
  const std::string packed = bytes_at(file, place, member.packed, "a member that ends too early");
  std::string bytes;
  if (member.method == 0) {
    bytes = packed;
  } else {
    // Deflate packs at most 1032 to 1: more is claimed only by a file that lies.
    if (member.bytes / 1032 > member.packed + 1) damaged(file, "a member that claims too much");
    const auto memory = static_cast<std::uint64_t>(device_info(Device::cpu()).total_memory);
    if (member.bytes > memory) {
      fail<OutOfMemory>("{}: {} has {} bytes, more than this machine's memory", file.path(),
                        printable(member.name), member.bytes);
    }
    bytes.resize(static_cast<std::size_t>(member.bytes));
    const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> unpack(
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    std::size_t made = 0;
    if (libdeflate_deflate_decompress(unpack.get(), packed.data(), packed.size(), bytes.data(),
                                      bytes.size(), &made) != LIBDEFLATE_SUCCESS ||
        made != bytes.size()) {
      damaged(file, "a member that cannot be unpacked");
    }
  }
  if (bytes.size() != member.bytes ||
      libdeflate_crc32(0, bytes.data(), bytes.size()) != member.crc) {
    damaged(file, "a member whose sum is another");
  }
  return bytes;
}

}  // namespace gaia
