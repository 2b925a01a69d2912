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
#include <memory>
#include <set>
#include <system_error>

#include "../../core/error.h"
#include "../../core/text.h"
#include "matlab_numbers.h"

namespace gaia::hdf5 {
namespace {

constexpr std::string_view kSignature = "MATLAB 5.0 MAT-file";
constexpr std::int64_t kFileHeader = 128;
/// Numbers that are not packed are held in memory up to so many bytes; of others what is asked for.
constexpr std::int64_t kMostHeld = std::int64_t{256} << 20;

/// A vector has one axis, a scalar none.
std::vector<std::int64_t> shape_of(const std::vector<std::int64_t>& lengths) {
  if (lengths.size() != 2) return lengths;
  if (lengths[0] == 1 && lengths[1] == 1) return {};
  if (lengths[0] == 1) return {lengths[1]};
  if (lengths[1] == 1) return {lengths[0]};
  return lengths;
}

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
           matlab::in_quotes(std::string(told)));
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
    if (got == 0)
      fail(at + done, fmt::format("{} bytes more", count - done), "the end of the file");
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
      std::min(variable.bytes, is_whole ? std::int64_t{1} << 20 : 2 * matlab::kMostHead)));
  std::int64_t taken = 0;
  std::size_t done = 0;
  while (done < unpacked.size() && state->block_state != ISAL_BLOCK_FINISH) {
    if (state->avail_in == 0) {
      const std::int64_t count =
          std::min(variable.bytes - taken, static_cast<std::int64_t>(packed.size()));
      if (count == 0) break;
      read(variable.at + matlab::kTag + taken, packed.data(), count);
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

Contents MatlabFile::contents(const ContentsLimits& limits, const std::function<void()>& tell) {
  Contents contents;
  contents.file_bytes = bytes_;
  contents.groups.emplace_back().path = "/";
  variables_.clear();
  held_ = nullptr;
  std::set<std::string> names;
  for (std::int64_t at = kFileHeader; at < bytes_;) {
    Variable variable = read_variable(at);
    at += matlab::kTag + variable.bytes;
    if (variables_.size() >= limits.objects) {
      throw DataError(fmt::format("{}: expected at most {} variables in a file, got more", path(),
                                  limits.objects));
    }
    if (tell && (variables_.size() + 1) % kObjectsPerTelling == 0) tell();
    // What objects of the file refer to has no name.
    if (variable.name.empty()) continue;
    if (!names.insert(variable.name).second) {
      fail(variable.at, "variables of different names",
           matlab::in_quotes(variable.name) + " again");
    }
    variables_.push_back(std::move(variable));
  }
  for (const Variable& variable : variables_) {
    DatasetDescription& dataset = contents.datasets.emplace_back();
    dataset.path = "/" + variable.name;
    dataset.refusal = refusal_of(variable);
    if (dataset.refusal.empty()) {
      dataset.type = matlab::type_of_class(variable.kind);
      dataset.element_bytes = matlab::stored_size(variable.stored);
    }
    dataset.shape = shape_of(variable.lengths);
    dataset.scales.resize(dataset.shape.size());
    dataset.stored_bytes = variable.bytes;
  }
  return contents;
}

const char* MatlabFile::numbers_of(const Variable& variable, std::int64_t first,
                                   std::int64_t count) {
  const std::int64_t size = matlab::stored_size(variable.stored);
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
      memory_ = unpack(variable, variable.inner_bytes + matlab::kTag, true);
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
  std::int64_t runs = 1;  // stretches along the first axis, which lie side by side in the file
  for (std::size_t axis = 1; axis < shape.size(); ++axis) runs *= shape[axis];
  std::vector<std::int64_t> index(shape.size(), 0);  // place of one; the second axis is innermost
  for (std::int64_t run = 0; run < runs && rows > 0; ++run) {
    std::int64_t place = 0;  // place of it in a row, whose innermost axis is the last
    for (std::size_t axis = 1; axis < shape.size(); ++axis)
      place = place * shape[axis] + index[axis];
    const char* const from = numbers_of(*found, run * length + first, rows);
    matlab::convert(found->stored, from, rows, is_swapped_, type, to + place * size_of(type), runs);
    for (std::size_t axis = 1; axis < shape.size(); ++axis) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

}  // namespace gaia::hdf5
