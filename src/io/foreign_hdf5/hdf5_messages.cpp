// SPDX-License-Identifier: MIT
#include "hdf5_messages.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "../../core/error.h"

namespace gaia::hdf5 {
namespace {

/// Both ends run on one machine, so numbers go as they lie in memory.
class Packer {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    packed_.append(bytes, sizeof(T));
  }

  void text(const std::string& value) {
    number(static_cast<std::uint64_t>(value.size()));
    packed_ += value;
  }

  template <class T, class Each>
  void list(const std::vector<T>& values, const Each& each) {
    number(static_cast<std::uint64_t>(values.size()));
    for (const T& value : values) each(value);
  }

  std::string take() { return std::move(packed_); }

 private:
  std::string packed_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, next(sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::string text() { return std::string(next(number<std::uint64_t>())); }

  template <class Enum>
  Enum choice(Enum last) {
    const auto value = number<std::uint8_t>();
    if (value > static_cast<std::uint8_t>(last)) fail();
    return static_cast<Enum>(value);
  }

  /// Calls `each` as often as a list is long; every element takes a byte at least.
  template <class Each>
  void list(const Each& each) {
    const auto count = number<std::uint64_t>();
    if (count > bytes_.size()) fail();
    for (std::uint64_t i = 0; i < count; ++i) each();
  }

  template <class T>
  std::vector<T> numbers() {
    std::vector<T> values;
    list([&] { values.push_back(number<T>()); });
    return values;
  }

  void end() const {
    if (!bytes_.empty()) fail();
  }

  [[noreturn]] static void fail() { throw DataError("a message that is none"); }

 private:
  std::string_view next(std::uint64_t count) {
    if (count > bytes_.size()) fail();
    const std::string_view taken = bytes_.substr(0, static_cast<std::size_t>(count));
    bytes_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view bytes_;
};

void pack_description(Packer& packer, const Description& description) {
  packer.text(description.path);
  packer.list(description.attributes, [&](const auto& attribute) {
    packer.text(attribute.first);
    packer.number(static_cast<std::uint8_t>(attribute.second.index()));
    if (const auto* text = std::get_if<std::string>(&attribute.second)) packer.text(*text);
    if (const auto* integer = std::get_if<std::int64_t>(&attribute.second)) packer.number(*integer);
    if (const auto* number = std::get_if<double>(&attribute.second)) packer.number(*number);
    if (const auto* texts = std::get_if<std::vector<std::string>>(&attribute.second)) {
      packer.list(*texts, [&](const std::string& text) { packer.text(text); });
    }
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&attribute.second)) {
      packer.list(*integers, [&](std::int64_t integer) { packer.number(integer); });
    }
    if (const auto* numbers = std::get_if<std::vector<double>>(&attribute.second)) {
      packer.list(*numbers, [&](double number) { packer.number(number); });
    }
  });
}

void unpack_description(Unpacker& unpacker, Description& description) {
  description.path = unpacker.text();
  unpacker.list([&] {
    auto& [name, value] = description.attributes.emplace_back();
    name = unpacker.text();
    switch (unpacker.number<std::uint8_t>()) {
      case 0:
        value = unpacker.text();
        break;
      case 1:
        value = unpacker.number<std::int64_t>();
        break;
      case 2:
        value = unpacker.number<double>();
        break;
      case 3: {
        std::vector<std::string> texts;
        unpacker.list([&] { texts.push_back(unpacker.text()); });
        value = std::move(texts);
        break;
      }
      case 4:
        value = unpacker.numbers<std::int64_t>();
        break;
      case 5:
        value = unpacker.numbers<double>();
        break;
      case 6:
        value = std::monostate();
        break;
      default:
        Unpacker::fail();
    }
  });
}

}  // namespace

std::string pack(const MessageHeader& header) {
  Packer packer;
  packer.number(static_cast<std::uint8_t>(header.kind));
  packer.number(header.bytes);
  return packer.take();
}

MessageHeader unpack_header(std::string_view bytes) {
  Unpacker unpacker(bytes);
  MessageHeader header;
  header.kind = unpacker.choice(MessageKind::progress);
  header.bytes = unpacker.number<std::uint64_t>();
  unpacker.end();
  return header;
}

std::string pack(const ReadRequest& request) {
  Packer packer;
  packer.text(request.path);
  packer.number(static_cast<std::uint8_t>(request.type));
  packer.number(request.first);
  packer.number(request.rows);
  return packer.take();
}

ReadRequest unpack_read_request(std::string_view bytes) {
  Unpacker unpacker(bytes);
  ReadRequest request;
  request.path = unpacker.text();
  request.type = unpacker.choice(Type::text);
  if (request.type == Type::other) Unpacker::fail();
  request.first = unpacker.number<std::int64_t>();
  request.rows = unpacker.number<std::int64_t>();
  unpacker.end();
  return request;
}

std::string pack(const Contents& contents) {
  Packer packer;
  packer.number(contents.file_bytes);
  packer.list(contents.groups, [&](const Description& group) { pack_description(packer, group); });
  packer.list(contents.datasets, [&](const DatasetDescription& dataset) {
    pack_description(packer, dataset);
    packer.number(static_cast<std::uint8_t>(dataset.type));
    packer.number(dataset.element_bytes);
    packer.list(dataset.shape, [&](std::int64_t length) { packer.number(length); });
    packer.list(dataset.scales, [&](const std::string& name) { packer.text(name); });
    packer.list(dataset.other_paths, [&](const std::string& path) { packer.text(path); });
    packer.number(dataset.stored_bytes);
    packer.text(dataset.refusal);
    packer.number(static_cast<std::uint8_t>(dataset.holds_texts));
  });
  packer.list(contents.links, [&](const std::string& path) { packer.text(path); });
  return packer.take();
}

Contents unpack_contents(std::string_view bytes) {
  Unpacker unpacker(bytes);
  Contents contents;
  contents.file_bytes = unpacker.number<std::int64_t>();
  unpacker.list([&] { unpack_description(unpacker, contents.groups.emplace_back()); });
  unpacker.list([&] {
    DatasetDescription& dataset = contents.datasets.emplace_back();
    unpack_description(unpacker, dataset);
    dataset.type = unpacker.choice(Type::other);
    dataset.element_bytes = unpacker.number<std::int64_t>();
    dataset.shape = unpacker.numbers<std::int64_t>();
    unpacker.list([&] { dataset.scales.push_back(unpacker.text()); });
    unpacker.list([&] { dataset.other_paths.push_back(unpacker.text()); });
    dataset.stored_bytes = unpacker.number<std::int64_t>();
    dataset.refusal = unpacker.text();
    dataset.holds_texts = unpacker.number<std::uint8_t>() != 0;
    const bool has_negative = std::any_of(dataset.shape.begin(), dataset.shape.end(),
                                          [](std::int64_t length) { return length < 0; });
    if (has_negative || dataset.scales.size() != dataset.shape.size()) Unpacker::fail();
    if (dataset.holds_texts && dataset.shape.size() != 1) Unpacker::fail();
  });
  unpacker.list([&] { contents.links.push_back(unpacker.text()); });
  unpacker.end();
  if (contents.groups.empty()) Unpacker::fail();
  return contents;
}

}  // namespace gaia::hdf5
