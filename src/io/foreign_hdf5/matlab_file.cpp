// SPDX-License-Identifier: MIT
#include "matlab_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <set>
#include <system_error>
#include <type_traits>

#include "../../core/checked.h"
#include "../../core/error.h"
#include "../../core/text.h"

namespace gaia::hdf5 {
namespace {

constexpr std::string_view kSignature = "MATLAB 5.0 MAT-file";
constexpr std::int64_t kFileHeader = 128;
constexpr std::int64_t kTag = 8;
/// What an array tells of itself before its numbers is no longer.
constexpr std::int64_t kMostHead = 4096;
/// Numbers that are not packed are held in memory up to so many bytes; of others what is asked for.
constexpr std::int64_t kMostHeld = std::int64_t{256} << 20;
/// deflate packs no tighter than 1032 to 1.
constexpr std::int64_t kTightestPacking = 1032;

// Types of elements.
constexpr int kInt8 = 1;
constexpr int kUint8 = 2;
constexpr int kInt16 = 3;
constexpr int kUint16 = 4;
constexpr int kInt32 = 5;
constexpr int kUint32 = 6;
constexpr int kSingle = 7;
constexpr int kDouble = 9;
constexpr int kInt64 = 12;
constexpr int kUint64 = 13;
constexpr int kMatrix = 14;
constexpr int kPacked = 15;

// Classes of arrays.
constexpr int kDoubleClass = 6;
constexpr int kUint64Class = 15;
constexpr int kOpaqueClass = 17;

const char* class_name(int kind) {
  constexpr const char* names[] = {"",      "cell",   "struct", "object", "char",     "sparse",
                                   "double", "single", "int8",   "uint8",  "int16",    "uint16",
                                   "int32",  "uint32", "int64",  "uint64", "function", "object"};
  return kind >= 1 && kind <= kOpaqueClass ? names[kind] : "an unknown class";
}

/// Bytes of a number that is stored so; 0 for what is none.
std::int64_t stored_size(int type) {
  switch (type) {
    case kInt8:
    case kUint8:
      return 1;
    case kInt16:
    case kUint16:
      return 2;
    case kInt32:
    case kUint32:
    case kSingle:
      return 4;
    case kDouble:
    case kInt64:
    case kUint64:
      return 8;
    default:
      return 0;
  }
}

/// What numbers of a class are handed over as.
Type type_of_class(int kind) {
  constexpr Type types[] = {Type::float64, Type::float32, Type::int32, Type::uint8, Type::int32,
                            Type::int32,   Type::int32,   Type::int64, Type::int64, Type::int64};
  return kind >= kDoubleClass && kind <= kUint64Class ? types[kind - kDoubleClass] : Type::other;
}

template <class T>
T swapped_if(T value, bool is_swapped) {
  if (!is_swapped || sizeof(T) == 1) return value;
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  std::reverse(bytes, bytes + sizeof(T));
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

template <class T>
T load(const char* from, bool is_swapped) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return swapped_if(value, is_swapped);
}

/// The nearest number that `To` has, as HDF5 converts.
template <class To, class From>
To converted(From value) {
  if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_floating_point_v<From>) {
    if (!(value > static_cast<From>(std::numeric_limits<To>::lowest()))) {
      return std::numeric_limits<To>::lowest();
    }
    if (value >= static_cast<From>(std::numeric_limits<To>::max())) {
      return std::numeric_limits<To>::max();
    }
    return static_cast<To>(value);
  } else {
    if (std::cmp_less(value, std::numeric_limits<To>::lowest())) {
      return std::numeric_limits<To>::lowest();
    }
    if (std::cmp_greater(value, std::numeric_limits<To>::max())) {
      return std::numeric_limits<To>::max();
    }
    return static_cast<To>(value);
  }
}

/// to[i * stride] = number i, for `count` of them.
template <class To, class From>
void convert_run(const char* from, std::int64_t count, bool is_swapped, char* to,
                 std::int64_t stride) {
  for (std::int64_t i = 0; i < count; ++i) {
    const To value =
        converted<To>(load<From>(from + i * static_cast<std::int64_t>(sizeof(From)), is_swapped));
    std::memcpy(to + i * stride * static_cast<std::int64_t>(sizeof(To)), &value, sizeof value);
  }
}

template <class To>
void convert_stored(int stored, const char* from, std::int64_t count, bool is_swapped, char* to,
                    std::int64_t stride) {
  const auto as = [&]<class From>(From /*type*/) {
    convert_run<To, From>(from, count, is_swapped, to, stride);
  };
  switch (stored) {
    case kInt8:
      return as(std::int8_t{});
    case kUint8:
      return as(std::uint8_t{});
    case kInt16:
      return as(std::int16_t{});
    case kUint16:
      return as(std::uint16_t{});
    case kInt32:
      return as(std::int32_t{});
    case kUint32:
      return as(std::uint32_t{});
    case kSingle:
      return as(float{});
    case kInt64:
      return as(std::int64_t{});
    case kUint64:
      return as(std::uint64_t{});
    default:
      return as(double{});
  }
}

/// An element within an array: its tag, and where what it holds begins.
struct Element {
  int type = 0;
  std::int64_t bytes = 0;
  std::int64_t begin = 0;
  std::int64_t next = 0;  // offset of the element behind it
};

Element element_at(const std::string& head, std::int64_t at, bool is_swapped) {
  const auto type = load<std::uint32_t>(head.data() + at, is_swapped);
  if (type >> 16 != 0) {  // up to 4 bytes stand in the tag itself
    return {static_cast<int>(type & 0xffff), static_cast<std::int64_t>(type >> 16), at + 4,
            at + kTag};
  }
  const auto bytes =
      static_cast<std::int64_t>(load<std::uint32_t>(head.data() + at + 4, is_swapped));
  return {static_cast<int>(type), bytes, at + kTag, at + kTag + (bytes + 7) / 8 * 8};
}

/// A vector has one axis, a scalar none.
std::vector<std::int64_t> shape_of(const std::vector<std::int64_t>& lengths) {
  if (lengths.size() != 2) return lengths;
  if (lengths[0] == 1 && lengths[1] == 1) return {};
  if (lengths[0] == 1) return {lengths[1]};
  if (lengths[1] == 1) return {lengths[0]};
  return lengths;
}

std::string name_in_quotes(const std::string& name) { return "'" + printable(name) + "'"; }

}  // namespace

bool is_matlab5(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    throw DataError(path + ": cannot be opened: " + std::generic_category().message(errno));
  }
  char start[kSignature.size()];
  const ssize_t got = ::pread(descriptor, start, sizeof start, 0);
  ::close(descriptor);
  return got == static_cast<ssize_t>(sizeof start) &&
         std::string_view(start, sizeof start) == kSignature;
}

MatlabFile::MatlabFile(const std::string& path) : ForeignFile(path) {
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) {
    const int reason = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw DataError(path + ": cannot be opened: " + std::generic_category().message(reason));
  }
  bytes_ = status.st_size;
  try {
    char order[2];
    read(kFileHeader - 2, order, 2);
    const std::string_view told(order, 2);
    if (told != "IM" && told != "MI") {
      fail(kFileHeader - 2, "the order of bytes, 'IM' or 'MI'",
           name_in_quotes(std::string(told)));
    }
    is_swapped_ = (told == "MI") == (std::endian::native == std::endian::little);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

MatlabFile::~MatlabFile() { ::close(descriptor_); }

void MatlabFile::fail(std::int64_t at, const std::string& expected, const std::string& got) const {
  throw DataError(fmt::format("{}: byte {}: expected {}, got {}", path(), at, expected, got));
}

void MatlabFile::read(std::int64_t at, char* to, std::int64_t count) const {
  for (std::int64_t done = 0; done < count;) {
    const ssize_t got = ::pread(descriptor_, to + done, static_cast<std::size_t>(count - done),
                                static_cast<off_t>(at + done));
    if (got == 0) fail(at + done, fmt::format("{} bytes more", count - done), "the end of the file");
    if (got > 0) {
      done += got;
    } else if (errno != EINTR) {
      throw DataError(path() + ": cannot be read: " + std::generic_category().message(errno));
    }
  }
}

std::string MatlabFile::unpack(const Variable& variable, std::int64_t most, bool is_whole) const {
  // A byte more than there is to be, by which more would show.
  std::string unpacked(static_cast<std::size_t>(most + (is_whole ? 1 : 0)), '\0');
  const auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  state->crc_flag = ISAL_ZLIB;
  std::vector<char> packed(static_cast<std::size_t>(
      std::min(variable.bytes, is_whole ? std::int64_t{1} << 20 : 2 * kMostHead)));
  std::int64_t taken = 0;
  std::size_t done = 0;
  while (done < unpacked.size() && state->block_state != ISAL_BLOCK_FINISH) {
    if (state->avail_in == 0) {
      const std::int64_t count =
          std::min(variable.bytes - taken, static_cast<std::int64_t>(packed.size()));
      if (count == 0) break;
      read(variable.at + kTag + taken, packed.data(), count);
      taken += count;
      state->next_in = reinterpret_cast<std::uint8_t*>(packed.data());
      state->avail_in = static_cast<std::uint32_t>(count);
    }
    constexpr std::size_t most_at_once = std::size_t{1} << 30;
    const std::size_t room = std::min(unpacked.size() - done, most_at_once);
    state->next_out = reinterpret_cast<std::uint8_t*>(unpacked.data() + done);
    state->avail_out = static_cast<std::uint32_t>(room);
    const int error = isal_inflate(state.get());
    const std::size_t got = room - state->avail_out;
    done += got;
    if (error != ISAL_DECOMP_OK && error != ISAL_END_INPUT && error != ISAL_OUT_OVERFLOW) {
      fail(variable.at, "a variable that is packed by zlib", "bytes that are damaged");
    }
    if (got == 0 && state->avail_in > 0 && state->block_state != ISAL_BLOCK_FINISH) {
      fail(variable.at, "a variable that is packed by zlib", "bytes that unpack to nothing");
    }
  }
  if (is_whole && (state->block_state != ISAL_BLOCK_FINISH || done + 1 != unpacked.size())) {
    fail(variable.at, fmt::format("a packed variable of {} bytes", most),
         done + 1 == unpacked.size() ? std::string("a packed one without an end")
         : done < unpacked.size()    ? std::to_string(done)
                                     : std::string("more"));
  }
  unpacked.resize(is_whole ? static_cast<std::size_t>(most) : done);
  return unpacked;
}

MatlabFile::Variable MatlabFile::read_variable(std::int64_t at) const {
  char tag[kTag];
  read(at, tag, kTag);
  const auto type = load<std::uint32_t>(tag, is_swapped_);
  Variable variable;
  variable.at = at;
  variable.bytes = load<std::uint32_t>(tag + 4, is_swapped_);
  variable.is_packed = type == kPacked;
  if (type != kMatrix && type != kPacked) {
    fail(at, "a variable, an element of type 14 or 15", fmt::format("one of type {}", type));
  }
  const std::int64_t room = bytes_ - at - kTag;
  if (variable.bytes > room) {
    fail(at + 4, fmt::format("a variable of {} bytes at most, where the file ends", room),
         std::to_string(variable.bytes));
  }
  std::string head;
  if (!variable.is_packed) {
    variable.inner_bytes = variable.bytes;
    head.resize(static_cast<std::size_t>(std::min(variable.bytes, kMostHead)));
    read(at + kTag, head.data(), static_cast<std::int64_t>(head.size()));
    read_header(variable, head, at + kTag);
    return variable;
  }
  head = unpack(variable, kMostHead, false);
  if (head.size() < static_cast<std::size_t>(kTag) ||
      load<std::uint32_t>(head.data(), is_swapped_) != kMatrix) {
    fail(at, "an array that is packed, an element of type 14", "something else");
  }
  variable.inner_bytes = load<std::uint32_t>(head.data() + 4, is_swapped_);
  const std::int64_t whole = variable.inner_bytes + kTag;
  if ((whole - kMostHead) / kTightestPacking > variable.bytes) {
    fail(at, fmt::format("at most {} bytes of an array in {} that are packed",
                         variable.bytes * kTightestPacking + kMostHead, variable.bytes),
         std::to_string(whole));
  }
  if (static_cast<std::int64_t>(head.size()) > whole) head.resize(static_cast<std::size_t>(whole));
  head.erase(0, static_cast<std::size_t>(kTag));
  read_header(variable, head, kTag);
  return variable;
}

/// `head` begins with what is behind the tag of an array, which stands at `head_at`.
void MatlabFile::read_header(Variable& variable, const std::string& head,
                             std::int64_t head_at) const {
  const auto length = static_cast<std::int64_t>(head.size());
  std::int64_t at = 0;
  const auto next = [&](const char* what, bool holds_all) {
    if (at > length - kTag) {
      fail(variable.at, fmt::format("{} of a variable in its first {} bytes", what, length), "none");
    }
    const Element element = element_at(head, at, is_swapped_);
    const bool is_in_tag = element.begin == at + 4;
    const std::int64_t end = element.begin + element.bytes;
    if ((is_in_tag && element.bytes > 4) || (holds_all && end > length) ||
        end > variable.inner_bytes) {
      fail(variable.at,
           fmt::format("{} of a variable of {} bytes that end within it", what,
                       variable.inner_bytes),
           fmt::format("{} bytes after {}", element.bytes, element.begin));
    }
    at = std::min(element.next, length + 1);
    return element;
  };
  const Element flags = next("the flags", true);
  if (flags.type != kUint32 || flags.bytes != 8) {
    fail(variable.at, "flags of a variable, two integers of 32 bits",
         fmt::format("type {} of {} bytes", flags.type, flags.bytes));
  }
  const auto bits = load<std::uint32_t>(head.data() + flags.begin, is_swapped_);
  variable.kind = static_cast<int>(bits & 0xff);
  variable.is_complex = (bits & 0x0800) != 0;
  if (variable.kind != kOpaqueClass) {
    const Element axes = next("the lengths of the axes", true);
    if (axes.type != kInt32 || axes.bytes % 4 != 0 || axes.bytes < 8 || axes.bytes > 4 * 32) {
      fail(variable.at, "2 to 32 lengths of axes of a variable, integers of 32 bits",
           fmt::format("type {} of {} bytes", axes.type, axes.bytes));
    }
    for (std::int64_t i = 0; i < axes.bytes; i += 4) {
      const auto axis = load<std::int32_t>(head.data() + axes.begin + i, is_swapped_);
      if (axis < 0) {
        fail(variable.at, "lengths of axes of a variable, 0 or more", std::to_string(axis));
      }
      variable.lengths.push_back(axis);
    }
  }
  const Element name = next("the name", true);
  if (name.type != kInt8 && name.type != 16) {
    fail(variable.at, "the name of a variable", fmt::format("an element of type {}", name.type));
  }
  variable.name = head.substr(static_cast<std::size_t>(name.begin),
                              static_cast<std::size_t>(name.bytes));
  if (!is_utf8(variable.name) || printable(variable.name) != variable.name) {
    fail(variable.at, "a name of a variable in UTF-8", name_in_quotes(variable.name));
  }
  if (type_of_class(variable.kind) == Type::other || variable.is_complex) return;
  const Element numbers = next("the numbers", false);
  variable.stored = numbers.type;
  variable.stored_bytes = numbers.bytes;
  variable.numbers_at = head_at + numbers.begin;
  check_numbers(variable);
}

/// That there are as many numbers as the axes say.
void MatlabFile::check_numbers(const Variable& variable) const {
  const std::int64_t size = stored_size(variable.stored);
  if (size == 0) {
    fail(variable.at, "numbers of variable " + name_in_quotes(variable.name),
         fmt::format("an element of type {}", variable.stored));
  }
  std::optional<std::int64_t> bytes = size;
  for (const std::int64_t length : variable.lengths) {
    if (bytes) bytes = checked_multiply(*bytes, length);
  }
  if (bytes && *bytes == variable.stored_bytes) return;
  fail(variable.at,
       fmt::format("{} bytes of numbers of variable {}, whose axes are [{}]",
                   bytes ? std::to_string(*bytes) : std::string("more than 2^63"),
                   name_in_quotes(variable.name), fmt::join(variable.lengths, ", ")),
       std::to_string(variable.stored_bytes));
}

std::string MatlabFile::refusal_of(const Variable& variable) const {
  const std::string& name = variable.name;
  const auto is = [&](const std::string& what, const std::string& way_out) {
    return fmt::format("is {}, expected an array of real numbers; {}", what, way_out);
  };
  switch (variable.kind) {
    case 1:
      return is("a cell array", fmt::format("save cell2mat({0}), or what it holds as variables", name));
    case 2:
      return is("a struct",
                fmt::format("save its fields as variables, by save('NEW.mat', '-struct', '{}')", name));
    case 4:
      return is("a char array", "save numbers, as those of classes are");
    case 5:
      return is("a sparse array", fmt::format("save full({})", name));
    case 16:
      return is("a function", "save what it gives");
    case 3:
    case kOpaqueClass:
      return is("an object", "save its numbers as a variable, as table2array gives those of a table");
    default:
      break;
  }
  if (type_of_class(variable.kind) == Type::other) {
    return is(fmt::format("of a class that is not known ({})", variable.kind), "save it by '-v7'");
  }
  if (variable.is_complex) {
    return is(fmt::format("a complex {} array", class_name(variable.kind)),
              fmt::format("save real({0}), imag({0}) or abs({0})", name));
  }
  return {};
}

Contents MatlabFile::contents(const ContentsLimits& limits, const std::function<void()>& tell) {
  Contents contents;
  contents.file_bytes = bytes_;
  contents.groups.emplace_back().path = "/";
  variables_.clear();
  held_ = nullptr;
  std::set<std::string> names;
  for (std::int64_t at = kFileHeader; at < bytes_;) {
    Variable variable = read_variable(at);
    at += kTag + variable.bytes;
    if (variables_.size() >= limits.objects) {
      throw DataError(fmt::format("{}: expected at most {} variables in a file, got more", path(),
                                  limits.objects));
    }
    if (tell && (variables_.size() + 1) % kObjectsPerTelling == 0) tell();
    // What objects of the file refer to has no name.
    if (variable.name.empty()) continue;
    if (!names.insert(variable.name).second) {
      fail(variable.at, "variables of different names", name_in_quotes(variable.name) + " again");
    }
    variables_.push_back(std::move(variable));
  }
  for (const Variable& variable : variables_) {
    DatasetDescription& dataset = contents.datasets.emplace_back();
    dataset.path = "/" + variable.name;
    dataset.refusal = refusal_of(variable);
    if (dataset.refusal.empty()) {
      dataset.type = type_of_class(variable.kind);
      dataset.element_bytes = stored_size(variable.stored);
    }
    dataset.shape = shape_of(variable.lengths);
    dataset.scales.resize(dataset.shape.size());
    dataset.stored_bytes = variable.bytes;
  }
  return contents;
}

const char* MatlabFile::numbers_of(const Variable& variable, std::int64_t first,
                                   std::int64_t count) {
  const std::int64_t size = stored_size(variable.stored);
  const bool holds = variable.is_packed || variable.stored_bytes <= kMostHeld;
  if (!holds) {
    piece_.resize(static_cast<std::size_t>(count * size));
    read(variable.numbers_at + first * size, piece_.data(), count * size);
    return piece_.data();
  }
  if (held_ != &variable) {
    held_ = nullptr;
    memory_.clear();
    memory_.shrink_to_fit();
    if (variable.is_packed) {
      memory_ = unpack(variable, variable.inner_bytes + kTag, true);
    } else {
      memory_.resize(static_cast<std::size_t>(variable.stored_bytes));
      read(variable.numbers_at, memory_.data(), variable.stored_bytes);
    }
    held_ = &variable;
  }
  return memory_.data() + (variable.is_packed ? variable.numbers_at : 0) + first * size;
}

void MatlabFile::read_rows(const DatasetDescription& dataset, Type type, std::int64_t first,
                           std::int64_t rows, char* to) {
  const auto found = std::find_if(variables_.begin(), variables_.end(), [&](const auto& variable) {
    return dataset.path.compare(1, std::string::npos, variable.name) == 0;
  });
  if (found == variables_.end() || !dataset.refusal.empty()) {
    throw DataError(path() + ": " + printable(dataset.path) + ": has no numbers that are read");
  }
  const std::vector<std::int64_t>& shape = dataset.shape;
  const std::int64_t length = shape.empty() ? 1 : shape.front();
  if (first < 0 || rows < 0 || rows > length - first) {
    throw ArgumentError(fmt::format("[read_rows] {} rows from {} on, of {}", rows, first, length));
  }
  std::int64_t runs = 1;  // of numbers along the first axis, which lie side by side in the file
  for (std::size_t axis = 1; axis < shape.size(); ++axis) runs *= shape[axis];
  std::vector<std::int64_t> index(shape.size(), 0);  // of a run; the second axis is the innermost
  for (std::int64_t run = 0; run < runs && rows > 0; ++run) {
    std::int64_t place = 0;  // of it in a row, whose innermost axis is the last
    for (std::size_t axis = 1; axis < shape.size(); ++axis) place = place * shape[axis] + index[axis];
    const char* const from = numbers_of(*found, run * length + first, rows);
    char* const begin = to + place * size_of(type);
    switch (type) {
      case Type::int32:
        convert_stored<std::int32_t>(found->stored, from, rows, is_swapped_, begin, runs);
        break;
      case Type::int64:
        convert_stored<std::int64_t>(found->stored, from, rows, is_swapped_, begin, runs);
        break;
      case Type::uint8:
        convert_stored<std::uint8_t>(found->stored, from, rows, is_swapped_, begin, runs);
        break;
      case Type::float32:
        convert_stored<float>(found->stored, from, rows, is_swapped_, begin, runs);
        break;
      default:
        convert_stored<double>(found->stored, from, rows, is_swapped_, begin, runs);
    }
    for (std::size_t axis = 1; axis < shape.size(); ++axis) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

}  // namespace gaia::hdf5
