// SPDX-License-Identifier: MIT
/// \file
/// ZIP archives, as NumPy's NPZ files are (PKWARE's APPNOTE 6.3.3).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "input_file.h"
#include "new_file.h"

namespace gaia {

struct ZipMember {
  std::string name;
  std::uint32_t crc = 0;
  std::uint64_t bytes = 0;   ///< Length once unpacked.
  std::uint64_t packed = 0;  ///< Length in the archive.
  std::uint64_t place = 0;   ///< First byte of its header.
  int method = 0;            ///< 0: as it is; 8: deflated.
};

/// Writes an archive with the extensions for 64 bits, nothing packed.
class ZipWriter {
 public:
  explicit ZipWriter(NewFile& file) : file_(file) {}

  /// Begins a member of so many bytes, which `write` passes.
  /// \throws DataError for a name that is too long for an archive.
  void begin(std::string name, std::int64_t bytes);
  void write(std::string_view bytes);
  /// Writes the directory behind the last member.
  void end();

 private:
  void finish_member();

  NewFile& file_;
  std::vector<ZipMember> members_;
  bool is_open_ = false;
};

/// The members of an archive, from its directory at the end.
/// \throws DataError "file: ..." for what is no archive, is damaged, spans several files, or has
/// members that are encrypted or packed by other methods.
std::vector<ZipMember> zip_members(const InputFile& file);

/// The bytes of a member, checked against its sum.
/// \throws DataError "file: ..." where they are damaged, OutOfMemory for more than this machine
/// has.
std::string zip_read(const InputFile& file, const ZipMember& member);

}  // namespace gaia
