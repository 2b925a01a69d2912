// SPDX-License-Identifier: MIT
#include "hdf5_reader.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "../../core/checked.h"
#include "../../core/message.h"
#include "../../core/text.h"
#include "../input_file.h"
#include "foreign_file.h"
#include "hdf5_messages.h"

namespace gaia::hdf5 {
namespace {

template <class T>
constexpr Type type_for() {
  if constexpr (std::is_same_v<T, std::int32_t>) return Type::int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return Type::int64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return Type::uint8;
  if constexpr (std::is_same_v<T, float>) return Type::float32;
  return Type::float64;
}

/// Reads in this process.
class TrustingReader final : public Reader {
 public:
  explicit TrustingReader(const std::string& path)
      : Reader(path), opened_(open_foreign_file(path)) {
    constexpr ContentsLimits none{.objects = SIZE_MAX,
                                  .attributes = SIZE_MAX,
                                  .chunk_bytes = std::numeric_limits<std::int64_t>::max()};
    contents_ = opened_->contents(none, {});
  }

 private:
  void read_bytes(const DatasetDescription& dataset, Type type, std::int64_t first,
                  std::int64_t rows, std::span<char> bytes) override {
    opened_->read_rows(dataset, type, first, rows, bytes.data());
  }

  std::unique_ptr<ForeignFile> opened_;
};

/// Lets a process of its own read.
class ForeignReader final : public Reader {
 public:
  ForeignReader(const std::string& path, const ReaderLimits& limits)
      : Reader(path), limits_(limits), process_(path, limits) {
    const std::string packed = receive_contents();
    try {
      contents_ = unpack_contents(packed);
    } catch (const DataError&) {
      talks_nonsense();
    }
  }

  void walk() {
    process_.send(pack(MessageHeader{MessageKind::walk, 0}));
    for (;;) {
      const MessageHeader header = next_header();
      if (header.bytes != 0) talks_nonsense();
      if (header.kind == MessageKind::done) return;
      if (header.kind != MessageKind::progress) talks_nonsense();
    }
  }

 private:
  void read_bytes(const DatasetDescription& dataset, Type type, std::int64_t first,
                  std::int64_t rows, std::span<char> bytes) override {
    const std::string request = pack(ReadRequest{dataset.path, type, first, rows});
    process_.send(pack(MessageHeader{MessageKind::read, request.size()}) + request);
    while (!bytes.empty()) {
      const MessageHeader header = receive_header(MessageKind::numbers);
      if (header.bytes == 0 || header.bytes > bytes.size()) talks_nonsense();
      process_.receive(bytes.first(header.bytes));
      bytes = bytes.subspan(header.bytes);
    }
  }

  [[noreturn]] void talks_nonsense() { process_.fail("talks nonsense"); }

  /// The header of any message but a failure, which is thrown.
  MessageHeader next_header() {
    char bytes[kHeaderBytes];
    process_.receive(bytes);
    MessageHeader header;
    try {
      header = unpack_header({bytes, sizeof bytes});
    } catch (const DataError&) {
      talks_nonsense();
    }
    if (header.kind == MessageKind::failure) {
      constexpr std::uint64_t longest = 1 << 16;
      if (header.bytes > longest) talks_nonsense();
      std::string message(header.bytes, '\0');
      process_.receive(message);
      throw DataError(printable(message));
    }
    return header;
  }

  MessageHeader receive_header(MessageKind kind) {
    const MessageHeader header = next_header();
    if (header.kind != kind) talks_nonsense();
    return header;
  }

  std::string receive_contents() {
    MessageHeader header = next_header();
    // One that was taken over could go on for ever.
    for (std::size_t told = 0; header.kind == MessageKind::progress; header = next_header()) {
      if (header.bytes != 0 || ++told > ContentsLimits().objects / kObjectsPerTelling) {
        talks_nonsense();
      }
    }
    if (header.kind != MessageKind::contents || header.bytes > kMostMessageBytes) talks_nonsense();
    std::string message(header.bytes, '\0');
    process_.receive(message);
    return message;
  }

  ReaderLimits limits_;
  ReaderProcess process_;
};

}  // namespace

void Reader::refuse(const DatasetDescription& dataset, const std::string& why) const {
  fail<DataError>("{}: {}: {}", file_, printable(dataset.path), why);
}

template <class T>
void Reader::read_rows(const DatasetDescription& dataset, std::int64_t first, std::int64_t rows,
                       T* values) {
  if (!dataset.refusal.empty()) refuse(dataset, dataset.refusal);
  const std::int64_t length = dataset.shape.empty() ? 1 : dataset.shape.front();
  if (first < 0 || rows < 0 || rows > length - first) {
    fail<ArgumentError>("[read_rows] {} rows from {} on, of {}", rows, first, length);
  }
  std::int64_t numbers = rows;
  for (std::size_t axis = 1; axis < dataset.shape.size(); ++axis) {
    numbers = checked_multiply(numbers, dataset.shape[axis]).value_or(-1);
  }
  const auto bytes = checked_multiply(numbers, static_cast<std::int64_t>(sizeof(T)));
  if (!bytes || *bytes < 0) refuse(dataset, "claims more numbers than 64 bits can count");
  if (*bytes == 0) return;
  read_bytes(dataset, type_for<T>(), first, rows,
             {reinterpret_cast<char*>(values), static_cast<std::size_t>(*bytes)});
}

template <class T>
std::vector<T> Reader::read(const DatasetDescription& dataset) {
  if (!dataset.refusal.empty()) refuse(dataset, dataset.refusal);
  const std::optional<std::int64_t> bytes = dataset.bytes();
  if (!bytes) refuse(dataset, "claims more numbers than 64 bits can count");
  std::vector<T> values(static_cast<std::size_t>(*bytes / size_of(dataset.type)));
  read_rows(dataset, 0, dataset.shape.empty() ? 1 : dataset.shape.front(), values.data());
  return values;
}

std::vector<std::string> Reader::read_texts(const DatasetDescription& dataset) {
  if (!dataset.holds_texts) refuse(dataset, "expected texts of one axis");
  constexpr std::int64_t piece = 4096;
  std::vector<std::string> texts;
  std::vector<char> cells;
  for (std::int64_t first = 0; first < dataset.shape.front(); first += piece) {
    const std::int64_t rows = std::min(piece, dataset.shape.front() - first);
    cells.resize(static_cast<std::size_t>(rows) * kTextCell);
    read_bytes(dataset, Type::text, first, rows, cells);
    for (std::int64_t i = 0; i < rows; ++i) {
      const char* const cell = cells.data() + static_cast<std::size_t>(i) * kTextCell;
      std::uint64_t length = 0;
      std::memcpy(&length, cell, sizeof length);
      constexpr std::size_t room = kTextCell - sizeof length;
      if (length > room) {
        refuse(dataset, message("expected texts of at most {} bytes, got {} in row {}", room,
                                length, first + i));
      }
      texts.emplace_back(cell + sizeof length, static_cast<std::size_t>(length));
    }
  }
  return texts;
}

#define GAIA_INSTANTIATE(T)                                                                   \
  template void Reader::read_rows(const DatasetDescription&, std::int64_t, std::int64_t, T*); \
  template std::vector<T> Reader::read(const DatasetDescription&);
GAIA_INSTANTIATE(std::int32_t)
GAIA_INSTANTIATE(std::int64_t)
GAIA_INSTANTIATE(std::uint8_t)
GAIA_INSTANTIATE(float)
GAIA_INSTANTIATE(double)
#undef GAIA_INSTANTIATE

std::unique_ptr<Reader> open_reader(const std::string& path, const ReaderOptions& options) {
  const InputFile regular(path);
  if (options.trusted) return std::make_unique<TrustingReader>(path);
  return std::make_unique<ForeignReader>(path, options.limits);
}

void probe(const std::string& path, const ReaderLimits& limits) {
  const InputFile regular(path);
  ForeignReader(path, limits).walk();
}

}  // namespace gaia::hdf5
