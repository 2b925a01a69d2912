// SPDX-License-Identifier: MIT
/// \file
/// What gaia and the process that reads foreign HDF5 and MATLAB files for it say to each other.
///
/// The reader begins with a `progress` for every kObjectsPerTelling objects that it has listed and
/// `contents` at last, or `failure`.  Then requests and replies alternate: `read` is replied to by
/// pieces of `numbers` until all have come, `walk` by a `progress` for every piece and `done` at
/// last, any of them by `failure`.
/// Anyone who reads a message checks it: a file may have taken over the process that it comes from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hdf5_contents.h"

namespace gaia::hdf5 {

enum class MessageKind : std::uint8_t { contents, numbers, done, failure, read, walk, progress };

/// Names what is said here, and changes with it.  The reader is told what gaia speaks when it
/// starts, and ends with kOtherBuild if that is not what it speaks.
constexpr const char* kLanguage = "6";
constexpr int kOtherBuild = 2;

/// Goes ahead of every message.
struct MessageHeader {
  MessageKind kind = MessageKind::failure;
  std::uint64_t bytes = 0;  ///< Bytes of what follows.
};

constexpr std::size_t kHeaderBytes = 9;
/// Longest message that is not numbers.
constexpr std::uint64_t kMostMessageBytes = std::uint64_t{256} << 20;
/// Longest piece of numbers.
constexpr std::uint64_t kMostPieceBytes = std::uint64_t{4} << 20;

std::string pack(const MessageHeader& header);
/// \throws DataError for a kind that there is none of.
MessageHeader unpack_header(std::string_view bytes);

/// Rows [first, first + rows) of a dataset, converted to `type`; of type `text` in cells.
struct ReadRequest {
  std::string path;
  Type type = Type::float64;
  std::int64_t first = 0;
  std::int64_t rows = 0;

  bool operator==(const ReadRequest&) const = default;
};

std::string pack(const ReadRequest& request);
ReadRequest unpack_read_request(std::string_view bytes);

std::string pack(const Contents& contents);
/// \throws DataError for bytes that pack() does not make.
Contents unpack_contents(std::string_view bytes);

}  // namespace gaia::hdf5
