// SPDX-License-Identifier: MIT
#include "idx.h"

#include <fmt/format.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "../array/ops.h"
#include "../core/checked.h"
#include "../core/message.h"
#include "input_file.h"

namespace gaia::io {
namespace {

/// The bytes of a file one after the other, unpacked if gzip packed them.
class ByteReader {
 public:
  explicit ByteReader(const std::string& path, bool hashes = false)
      : file_(path, hashes), input_(std::size_t{1} << 16) {
    char start[2] = {};
    if (file_.read(0, start) != 2 || start[0] != '\x1f' || start[1] != '\x8b') return;
    stream_ = std::make_unique<inflate_state>();
    isal_inflate_init(stream_.get());
    stream_->crc_flag = ISAL_GZIP;
  }

  /// How many bytes there can be at most: deflate packs no tighter than 1032 to 1.
  std::int64_t most_bytes() const {
    const auto most = checked_multiply(file_.size(), stream_ ? 1032 : 1);
    return most.value_or(std::numeric_limits<std::int64_t>::max());
  }

  /// Fills `out` as far as there are bytes; returns how many there were.
  std::size_t read(std::span<char> out) {
    if (stream_) return unpack(out);
    const std::size_t got = file_.read(position_, out);
    position_ += static_cast<std::int64_t>(got);
    return got;
  }

  /// Hash of the file, if it was opened to be hashed.
  std::string sha256() const { return file_.sha256(); }

  [[noreturn]] void fail(const std::string& expected, const std::string& got) const {
    throw DataError(fmt::format("{}: expected {}, got {}", file_.path(), expected, got));
  }

 private:
  bool refill() {
    if (stream_->avail_in > 0) return true;
    const std::size_t got = file_.read(position_, input_);
    position_ += static_cast<std::int64_t>(got);
    stream_->next_in = reinterpret_cast<std::uint8_t*>(input_.data());
    stream_->avail_in = static_cast<std::uint32_t>(got);
    return got > 0;
  }

  std::size_t unpack(std::span<char> out) {
    stream_->next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_->avail_out = static_cast<std::uint32_t>(out.size());
    while (stream_->avail_out > 0) {
      const bool has_more = refill();
      if (ended_ && !has_more) break;
      // A gzip file may be several, one behind the other.
      if (ended_) isal_inflate_reset(stream_.get());
      // It may hold numbers back although it has taken all bytes.
      const std::uint32_t room = stream_->avail_out;
      const int status = isal_inflate(stream_.get());
      if (status != ISAL_DECOMP_OK) {
        fail("gzip data", status == ISAL_INCORRECT_CHECKSUM ? "incorrect data check"
                                                            : "what cannot be unpacked");
      }
      ended_ = stream_->block_state == ISAL_BLOCK_FINISH;
      if (!has_more && !ended_ && stream_->avail_out == room) {
        fail("more bytes", "the end of the file within its gzip stream");
      }
    }
    return out.size() - stream_->avail_out;
  }

  InputFile file_;
  std::unique_ptr<inflate_state> stream_;  // null: it is not packed
  bool ended_ = false;
  std::int64_t position_ = 0;  // in the file
  std::vector<char> input_;
};

struct IdxHeader {
  int type = 0;
  Shape shape;
};

std::uint32_t big_endian(const char* bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

IdxHeader read_header(ByteReader& reader) {
  char magic[4];
  if (reader.read(magic) != 4 || magic[0] != 0 || magic[1] != 0) {
    reader.fail("an IDX file", "one that does not begin like it");
  }
  const int rank = static_cast<unsigned char>(magic[3]);
  if (rank < 1 || rank > kMaxRank) {
    reader.fail(fmt::format("1 to {} axes", kMaxRank), std::to_string(rank));
  }
  std::vector<char> lengths(static_cast<std::size_t>(4 * rank));
  if (reader.read(lengths) != lengths.size()) {
    reader.fail("a length per axis", "the end of the file");
  }
  IdxHeader header;
  header.type = static_cast<unsigned char>(magic[2]);
  for (int axis = 0; axis < rank; ++axis) {
    header.shape.push_back(big_endian(lengths.data() + 4 * axis));
  }
  return header;
}

template <class From>
From from_big_endian(const char* bytes) {
  char reversed[sizeof(From)];
  std::reverse_copy(bytes, bytes + sizeof(From), reversed);
  From value;
  std::memcpy(&value, reversed, sizeof value);
  return value;
}

template <class From, class To>
void read_numbers(ByteReader& reader, std::span<To> out) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::size_t kPiece = std::size_t{1} << 18;  // numbers
  std::vector<char> bytes(std::min(out.size(), kPiece) * sizeof(From));
  for (std::size_t done = 0; done < out.size(); done += kPiece) {
    const std::size_t now = std::min(kPiece, out.size() - done);
    const std::span<char> piece = std::span(bytes).first(now * sizeof(From));
    const std::size_t got = reader.read(piece);
    if (got != piece.size()) {
      reader.fail(fmt::format("{} numbers", out.size()), std::to_string(done + got / sizeof(From)));
    }
    for (std::size_t i = 0; i < now; ++i) {
      out[done + i] = static_cast<To>(from_big_endian<From>(piece.data() + i * sizeof(From)));
    }
  }
  char beyond[1];
  if (reader.read(beyond) != 0) reader.fail(fmt::format("{} numbers", out.size()), "more");
}

/// The bytes of so many numbers, if the file can hold them.
std::int64_t bytes_of(const ByteReader& reader, const Shape& shape, std::int64_t size) {
  std::optional<std::int64_t> bytes = size;
  for (const std::int64_t length : shape) {
    if (bytes) bytes = checked_multiply(*bytes, length);
  }
  if (!bytes || *bytes > reader.most_bytes()) {
    reader.fail(message("a file that can hold shape {}", shape),
                message("{} bytes at most", reader.most_bytes()));
  }
  return *bytes;
}

template <class From>
Array read_array(ByteReader& reader, const Shape& shape, DType dtype) {
  bytes_of(reader, shape, sizeof(From));
  Array result;
  {
    const GPUContext host(Device::cpu());
    result = Array::uninitialized(shape, dtype);
    dispatch(dtype, [&](auto tag) {
      using To = typename decltype(tag)::type;
      if constexpr (std::is_same_v<To, bool> || std::is_same_v<To, bfloat16>) {
        fail<DTypeError>("[read_idx] expected int32, int64, float32 or float64, got {}", dtype);
      } else {
        read_numbers<From>(reader, result.elements<To>());
      }
    });
  }
  return result.to(current_device());
}

}  // namespace

Array read_idx(const std::string& path, std::optional<DType> dtype) {
  ByteReader reader(path);
  const IdxHeader header = read_header(reader);
  switch (header.type) {
    case 0x08:
      return read_array<std::uint8_t>(reader, header.shape, dtype.value_or(DType::int32));
    case 0x09:
      return read_array<std::int8_t>(reader, header.shape, dtype.value_or(DType::int32));
    case 0x0b:
      return read_array<std::int16_t>(reader, header.shape, dtype.value_or(DType::int32));
    case 0x0c:
      return read_array<std::int32_t>(reader, header.shape, dtype.value_or(DType::int32));
    case 0x0d:
      return read_array<float>(reader, header.shape, dtype.value_or(DType::float32));
    case 0x0e:
      return read_array<double>(reader, header.shape, dtype.value_or(DType::float64));
    default:
      break;
  }
  reader.fail("type 0x08, 0x09 or 0x0b to 0x0e", fmt::format("{:#04x}", header.type));
}

BytePictures read_idx_pictures(const std::string& path) {
  ByteReader reader(path, true);
  const IdxHeader header = read_header(reader);
  if (header.type != 0x08) {
    reader.fail("pictures of bytes (type 0x08)", fmt::format("type {:#04x}", header.type));
  }
  const Shape& shape = header.shape;
  constexpr std::int64_t kMostPixels = std::int64_t{1} << 24;
  if (shape.rank() != 3 || shape[0] < 1 || shape[1] < 1 || shape[2] < 1 ||
      shape[1] > kMostPixels / shape[2]) {
    reader.fail(fmt::format("pictures [n, height, width], of at most {} pixels", kMostPixels),
                message("shape {}", shape));
  }
  BytePictures pictures{
      .count = shape[0], .height = shape[1], .width = shape[2], .pixels = {}, .sha256 = {}};
  pictures.pixels.resize(static_cast<std::size_t>(bytes_of(reader, shape, 1)));
  read_numbers<std::uint8_t>(reader, std::span(pictures.pixels));
  pictures.sha256 = reader.sha256();
  return pictures;
}

std::optional<std::string> find_idx(const std::string& folder, const std::string& name) {
  const std::string plain = (std::filesystem::path(folder) / name).string();
  for (const std::string& path : {plain, plain + ".gz"}) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return std::nullopt;
}

namespace {

/// The file `name` or `name`.gz of a folder.
std::string find_file(const std::string& folder, const std::string& name) {
  if (const auto found = find_idx(folder, name)) return *found;
  const std::string plain = (std::filesystem::path(folder) / name).string();
  throw DataError(plain +
                  " (or .gz) does not exist; on Debian or Ubuntu Fashion-MNIST comes with "
                  "apt-get install dataset-fashion-mnist");
}

void read_pair(const std::string& folder, const std::string& prefix, DType dtype, Array& images,
               Array& labels, std::vector<std::string>& files) {
  const std::string image_file = find_file(folder, prefix + "-images-idx3-ubyte");
  const std::string label_file = find_file(folder, prefix + "-labels-idx1-ubyte");
  images = read_idx(image_file, dtype);
  labels = read_idx(label_file, DType::int64);
  if (images.rank() != 3 || labels.rank() != 1 || images.shape(0) != labels.shape(0)) {
    throw DataError(
        fmt::format("{}: expected labels [n] for images [n, height, width], got {} for "
                    "{}",
                    label_file, to_string(labels.shape()), to_string(images.shape())));
  }
  if (images.size() == 0) {
    throw DataError(fmt::format("{}: expected images, got none in shape {}", image_file,
                                to_string(images.shape())));
  }
  images = images / 255.0;
  files.insert(files.end(), {image_file, label_file});
}

}  // namespace

LabelledImages fashion_mnist(const std::string& folder, DType dtype) {
  if (dtype != DType::float32 && dtype != DType::float64) {
    fail<DTypeError>("fashion_mnist: expected float32 or float64, got {}", dtype);
  }
  LabelledImages images;
  read_pair(folder, "train", dtype, images.train_images, images.train_labels, images.files);
  read_pair(folder, "t10k", dtype, images.test_images, images.test_labels, images.files);
  const Shape& train = images.train_images.shape();
  const Shape& test = images.test_images.shape();
  if (test[1] != train[1] || test[2] != train[2]) {
    throw DataError(fmt::format("{}: expected images of {} x {}, as in {}, got {} x {}",
                                images.files[2], train[1], train[2], images.files[0], test[1],
                                test[2]));
  }
  return images;
}

}  // namespace gaia::io
