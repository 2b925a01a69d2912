// SPDX-License-Identifier: MIT
#include "../../src/io/idx.h"

#include <zlib.h>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../support/complaint.h"
#include "../support/devices.h"
#include "../support/temp_dir.h"

using namespace gaia;
using gaia::test::TempDir;

namespace {

/// A header of `type` with big-endian lengths.
std::string header(int type, const std::vector<std::uint32_t>& lengths) {
  std::string bytes = {'\0', '\0', static_cast<char>(type), static_cast<char>(lengths.size())};
  for (const std::uint32_t length : lengths) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(length >> shift);
  }
  return bytes;
}

std::string gzip(const std::string& bytes) {
  std::string packed(compressBound(static_cast<uLong>(bytes.size())) + 64, '\0');
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string input = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

Array read(const std::string& bytes, std::optional<DType> dtype = {}) {
  const TempDir folder;
  return io::read_idx(folder.write("a", bytes), dtype);
}

/// The message without the name of the file.
std::string idx_error(const std::string& bytes) {
  const TempDir folder;
  const std::string path = folder.write("a", bytes);
  return gaia::test::complaint_about(path, [&] { io::read_idx(path); });
}

}  // namespace

TEST_CASE("read_idx reads every type of the format") {
  test::on_each_device([] {
    const Array bytes = read(header(0x08, {2, 3}) + std::string("\x00\x01\x02\x7f\x80\xff", 6));
    CHECK(bytes.dtype() == DType::int32);
    CHECK(bytes.device() == current_device());
    CHECK(bytes.shape() == Shape{2, 3});
    CHECK(bytes.to_vector<double>() == std::vector<double>{0, 1, 2, 127, 128, 255});
  });
  CHECK(read(header(0x09, {2}) + "\x7f\x80").to_vector<double>() == std::vector<double>{127, -128});
  CHECK(read(header(0x0b, {2}) + "\x01\x02\xff\xfe").to_vector<double>() ==
        std::vector<double>{258, -2});
  CHECK(read(header(0x0c, {1}) + "\x01\x02\x03\x04").to_vector<double>() ==
        std::vector<double>{16909060});
  const Array single = read(header(0x0d, {1}) + std::string("\x3f\xc0\x00\x00", 4));
  CHECK(single.dtype() == DType::float32);
  CHECK(single.item() == 1.5);
  const Array wide = read(header(0x0e, {1}) + std::string("\xc0\x04\x00\x00\x00\x00\x00\x00", 8));
  CHECK(wide.dtype() == DType::float64);
  CHECK(wide.item() == -2.5);
}

TEST_CASE("read_idx casts to the dtype asked for") {
  const std::string bytes = header(0x08, {2}) + "\x05\xff";
  for (const DType dtype : {DType::int32, DType::int64, DType::float32, DType::float64}) {
    const Array array = read(bytes, dtype);
    CHECK(array.dtype() == dtype);
    CHECK(array.to_vector<double>() == std::vector<double>{5, 255});
  }
  CHECK_THROWS_AS(read(bytes, DType::boolean), DTypeError);
}

TEST_CASE("read_idx unpacks gzip, also several streams behind each other") {
  std::string numbers(1000003, '\0');
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<char>(i * i % 251);
  const std::string bytes = header(0x08, {1000003}) + numbers;
  const std::vector<double> expected = read(bytes).to_vector<double>();
  CHECK(expected[7] == 49.0);
  CHECK(read(gzip(bytes)).to_vector<double>() == expected);
  CHECK(read(gzip(bytes.substr(0, 500)) + gzip(bytes.substr(500))).to_vector<double>() == expected);
}

TEST_CASE("read_idx takes sizes as they are in the file, or refuses") {
  const std::string good = header(0x08, {2, 2}) + "abcd";
  CHECK(read(header(0x08, {0, 3})).shape() == Shape{0, 3});
  CHECK(idx_error(good + "e") == ": expected 4 numbers, got more");
  CHECK(idx_error(gzip(good + "e")) == ": expected 4 numbers, got more");
  CHECK(idx_error(gzip(header(0x08, {2, 3}) + "abcd")) == ": expected 6 numbers, got 4");
  for (std::size_t length = 0; length < good.size(); ++length) {
    CHECK(idx_error(good.substr(0, length)) != "");
  }
  const std::string packed = gzip(good);
  for (std::size_t length = 0; length < packed.size(); ++length) {
    CHECK(idx_error(packed.substr(0, length)) != "");
  }
  std::string damaged = packed;
  damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] ^ 1);  // the checksum
  CHECK(idx_error(damaged) == ": expected gzip data, got incorrect data check");
  CHECK(idx_error("\x1f\x8b") != "");
  CHECK(idx_error("PNG") == ": expected an IDX file, got one that does not begin like it");
  CHECK(idx_error(header(0x0a, {1}) + "a") ==
        ": expected type 0x08, 0x09 or 0x0b to 0x0e, got 0x0a");
  CHECK(idx_error(header(0x08, {})) == ": expected 1 to 8 axes, got 0");
  CHECK(idx_error(header(0x08, std::vector<std::uint32_t>(9, 1))) ==
        ": expected 1 to 8 axes, got 9");
  // 2^96 numbers, and 4 GB, in a file of some bytes.
  CHECK(idx_error(header(0x08, {0xffffffff, 0xffffffff, 0xffffffff})).find("that can hold shape") !=
        std::string::npos);
  CHECK(idx_error(gzip(header(0x08, {0xffffffff}))).find("that can hold shape") !=
        std::string::npos);
}

FOLDER_TEST_CASE("fashion_mnist scales pixels, pairs them with labels, and names the package") {
  const std::string path = std::filesystem::path(folder.path("x")).parent_path().string();
  CHECK_THROWS_WITH_TEXT(io::fashion_mnist(path), DataError,
                         "apt-get install dataset-fashion-mnist");
  folder.write("train-images-idx3-ubyte",
               header(0x08, {2, 1, 2}) + std::string("\x00\xff\x33\x00", 4));
  folder.write("train-labels-idx1-ubyte", header(0x08, {2}) + "\x07\x09");
  folder.write("t10k-images-idx3-ubyte.gz", gzip(header(0x08, {1, 1, 2}) + "\xff\xff"));
  folder.write("t10k-labels-idx1-ubyte.gz", gzip(header(0x08, {1}) + "\x03"));
  const io::LabelledImages images = io::fashion_mnist(path);
  CHECK(images.train_images.dtype() == DType::float32);
  CHECK(images.train_images.shape() == Shape{2, 1, 2});
  CHECK(all_close(images.train_images.reshape({4}), array({0.0, 1.0, 0.2, 0.0})));
  const io::LabelledImages exact = io::fashion_mnist(path, DType::float64);
  CHECK(exact.train_images.to_vector<double>() == std::vector<double>{0.0, 1.0, 51.0 / 255.0, 0.0});
  CHECK_THROWS_AS(io::fashion_mnist(path, DType::int32), DTypeError);
  CHECK(images.train_labels.dtype() == DType::int64);
  CHECK(images.train_labels.to_vector<double>() == std::vector<double>{7, 9});
  CHECK(images.test_labels.item() == 3.0);
  folder.write("t10k-labels-idx1-ubyte.gz", gzip(header(0x08, {2}) + "\x03\x04"));
  CHECK_THROWS_WITH_TEXT(io::fashion_mnist(path), DataError, "got [2] for [1, 1, 2]");
  folder.write("t10k-labels-idx1-ubyte.gz", gzip(header(0x08, {1}) + "\x03"));
  folder.write("t10k-images-idx3-ubyte.gz", gzip(header(0x08, {1, 2, 1}) + "\xff\xff"));
  CHECK_THROWS_WITH_TEXT(io::fashion_mnist(path), DataError, "expected images of 1 x 2");
  folder.write("train-images-idx3-ubyte", header(0x08, {0, 1, 2}));
  folder.write("train-labels-idx1-ubyte", header(0x08, {0}));
  CHECK_THROWS_WITH_TEXT(io::fashion_mnist(path), DataError, "expected images, got none");
}
