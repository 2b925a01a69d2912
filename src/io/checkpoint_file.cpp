// SPDX-License-Identifier: MIT
#include "checkpoint_file.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <span>
#include <vector>

#include "../array/create.h"
#include "../core/checked.h"
#include "../core/error.h"
#include "output_files.h"
#include "sha256.h"

namespace gaia {
namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian");

constexpr std::string_view kTitle = "gaia checkpoint ";
constexpr std::int64_t kVersion = 1;
constexpr std::size_t kHashLength = 64;
/// "gaia checkpoint 1\n", the hash and a line end.
constexpr std::size_t kHeadLength = kTitle.size() + 2 + kHashLength + 1;

constexpr DType kDTypes[] = {DType::boolean,  DType::int32,   DType::int64,
                             DType::bfloat16, DType::float32, DType::float64};

// Writing

void put(std::string& bytes, std::int64_t value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put(std::string& bytes, const std::string& text) {
  put(bytes, static_cast<std::int64_t>(text.size()));
  bytes += text;
}

void put(std::string& bytes, const Array& array) {
  put(bytes, to_string(array.dtype()));
  put(bytes, std::int64_t{array.rank()});
  for (const std::int64_t length : array.shape()) put(bytes, length);
  const GPUContext on_host(Device::cpu());
  const Array here = array.to(Device::cpu()).contiguous();
  dispatch(here.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::span<T> elements = here.elements<T>();
    bytes.append(reinterpret_cast<const char*>(elements.data()), elements.size_bytes());
  });
}

// Reading

/// Takes values from bytes, whatever these are.
class Reader {
 public:
  Reader(const std::string& path, std::span<const char> bytes) : path_(path), bytes_(bytes) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(path_ + ": the checkpoint is damaged: " + what);
  }

  std::span<const char> take(std::int64_t count) {
    if (count < 0 || static_cast<std::uint64_t>(count) > bytes_.size()) {
      fail("it ends too early");
    }
    const std::span<const char> taken = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }

  std::int64_t integer() {
    std::int64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::string text() {
    const std::span<const char> taken = take(integer());
    return {taken.begin(), taken.end()};
  }

  Array array() {
    const std::string name = text();
    const auto dtype = std::find_if(std::begin(kDTypes), std::end(kDTypes),
                                    [&](DType candidate) { return to_string(candidate) == name; });
    if (dtype == std::end(kDTypes)) fail("an array of no known dtype");
    const std::int64_t rank = integer();
    if (rank < 0 || rank > kMaxRank) fail("an array of impossible shape");
    std::vector<std::int64_t> lengths;
    std::int64_t size = 1;
    for (std::int64_t axis = 0; axis < rank; ++axis) {
      const std::int64_t length = lengths.emplace_back(integer());
      const auto product = length < 0 ? std::nullopt : checked_multiply(size, length);
      if (!product) fail("an array of impossible shape");
      size = *product;
    }
    const auto byte_count = checked_multiply(size, size_of(*dtype));
    if (!byte_count) fail("an array of impossible shape");
    const std::span<const char> content = take(*byte_count);
    if (*dtype == DType::boolean && std::any_of(content.begin(), content.end(),
                                                [](char byte) { return byte != 0 && byte != 1; })) {
      fail("what is neither true nor false");
    }
    Array array = Array::uninitialized(Shape{std::span<const std::int64_t>(lengths)}, *dtype);
    dispatch(*dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const std::span<T> elements = array.elements<T>();
      if (!content.empty()) std::memcpy(elements.data(), content.data(), content.size());
    });
    return array;
  }

  bool at_end() const { return bytes_.empty(); }

 private:
  const std::string& path_;
  std::span<const char> bytes_;
};

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.good() && !file.eof()) throw DataError(path + ": cannot be read");
  return content;
}

}  // namespace

void put_numbers(ArrayMap& arrays, const std::string& name, const std::vector<double>& numbers) {
  const GPUContext on_host(Device::cpu());
  arrays[name] = from_values(numbers, {static_cast<std::int64_t>(numbers.size())});
}

std::vector<double> numbers_of(const ArrayMap& arrays, const std::string& name,
                               std::optional<std::size_t> count) {
  const auto found = arrays.find(name);
  if (found == arrays.end()) {
    throw ArgumentError("[checkpoint] expected an array '" + name + "' in the state, got none");
  }
  std::vector<double> numbers = found->second.to_vector<double>();
  if (count && numbers.size() != *count) {
    throw ShapeError("[checkpoint] expected " + std::to_string(*count) + " numbers " + name +
                     ", got " + std::to_string(numbers.size()));
  }
  return numbers;
}

void write_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  std::string payload;
  put(payload, checkpoint.run);
  put(payload, checkpoint.step);
  put(payload, static_cast<std::int64_t>(checkpoint.arrays.size()));
  for (const auto& [name, array] : checkpoint.arrays) {
    put(payload, name);
    put(payload, array);
  }
  const std::string head =
      std::string(kTitle) + std::to_string(kVersion) + "\n" + sha256_of(payload) + "\n";
  write_file(path, {head, payload});
}

Checkpoint read_checkpoint(const std::string& path) {
  const std::string content = read_all(path);
  const std::string_view text = content;
  if (text.substr(0, kTitle.size()) != kTitle || content.size() < kHeadLength) {
    throw DataError(path + ": is not a checkpoint of gaia");
  }
  if (text.substr(kTitle.size(), 2) != std::to_string(kVersion) + "\n") {
    throw DataError(path + ": expected a checkpoint of format " + std::to_string(kVersion) +
                    "; another gaia wrote it");
  }
  const std::span<const char> payload = std::span<const char>(content).subspan(kHeadLength);
  Reader reader(path, payload);
  if (text.substr(kTitle.size() + 2, kHashLength + 1) != sha256_of(payload) + "\n") {
    reader.fail("its hash is not that of its content");
  }
  const GPUContext on_host(Device::cpu());
  Checkpoint checkpoint;
  checkpoint.run = reader.text();
  checkpoint.step = reader.integer();
  const std::int64_t count = reader.integer();
  for (std::int64_t i = 0; i < count; ++i) {
    std::string name = reader.text();
    checkpoint.arrays.emplace(std::move(name), reader.array());
  }
  if (!reader.at_end()) reader.fail("it goes on after its end");
  return checkpoint;
}

}  // namespace gaia
