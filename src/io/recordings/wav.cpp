// SPDX-License-Identifier: MIT
#include "wav.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string_view>

#include "../columns.h"
#include "../table_series.h"
#include "recording.h"

namespace gaia {
namespace {

using std::string_view_literals::operator""sv;

static_assert(std::endian::native == std::endian::little, "samples are used as they are read");

constexpr int kMostChunks = 10000;
constexpr std::uint32_t kUnknownLength = 0xffffffff;

constexpr std::uint16_t kPcm = 1;
constexpr std::uint16_t kFloat = 3;
constexpr std::uint16_t kExtensible = 0xfffe;
/// What follows the two bytes of the kind in the identifier of an extensible one.
constexpr std::string_view kGuidTail = "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"sv;

/// What samples are packed by, as far as it has a name.
std::string kind_name(std::uint16_t kind) {
  const char* const name = kind == 2      ? "ADPCM"
                           : kind == 6    ? "A-law"
                           : kind == 7    ? "mu-law"
                           : kind == 0x11 ? "IMA ADPCM"
                           : kind == 0x31 ? "GSM 6.10"
                           : kind == 0x50 ? "MPEG"
                           : kind == 0x55 ? "MP3"
                                          : "a kind that is not known";
  return fmt::format("{} (0x{:04x})", name, kind);
}

/// Goes over the chunks of a file up to that of the samples.
class WavParser {
 public:
  explicit WavParser(const InputFile& file) : file_(file) {}

  WavHeader parse() {
    if (!is_wav(file_)) fail(0, "RIFF or RF64, and WAVE at byte 8", "something else");
    is_long_ = !file_.has_at(0, "RIFF");
    std::int64_t at = 12;
    for (int chunk = 0; chunk < kMostChunks; ++chunk) {
      if (at == file_.size()) fail(at, "a chunk 'data'", "the end of the file");
      const std::string name = bytes(at, 4);
      const auto told = number<std::uint32_t>(at + 4);
      const std::int64_t begin = at + 8;
      if (name == "data") return take_data(begin, told);
      if (told > file_.size() - begin) {
        fail(at + 4,
             fmt::format("a chunk {} of at most {} bytes, which the file has room for",
                         in_quotes(name), file_.size() - begin),
             std::to_string(told));
      }
      if (name == "fmt ") take_format(begin, told);
      if (name == "ds64") take_long_length(begin, told);
      at = std::min<std::int64_t>(begin + told + told % 2, file_.size());
    }
    fail(at, fmt::format("a chunk 'data' among the first {}", kMostChunks), "none");
  }

 private:
  [[noreturn]] void fail(std::int64_t at, const std::string& expected,
                         const std::string& got) const {
    throw DataError(
        fmt::format("{}: byte {}: expected {}, got {}", file_.path(), at, expected, got));
  }

  std::string bytes(std::int64_t at, std::size_t count) const {
    std::string found(count, '\0');
    if (file_.read(at, found) != count) {
      fail(at, fmt::format("{} bytes", count), "the end of the file");
    }
    return found;
  }

  template <class T>
  T number(std::int64_t at) const {
    T value;
    std::memcpy(&value, bytes(at, sizeof value).data(), sizeof value);
    return value;
  }

  void take_format(std::int64_t at, std::uint32_t length) {
    if (length < 16) fail(at - 4, "a chunk 'fmt ' of 16 bytes or more", std::to_string(length));
    auto kind = number<std::uint16_t>(at);
    header_.channels = number<std::uint16_t>(at + 2);
    header_.rate = number<std::uint32_t>(at + 4);
    const auto frame = number<std::uint16_t>(at + 12);
    const auto bits = number<std::uint16_t>(at + 14);
    if (kind == kExtensible) {
      if (length < 40) {
        fail(at - 4, "an extensible chunk 'fmt ' of 40 bytes or more", std::to_string(length));
      }
      kind = number<std::uint16_t>(at + 24);
      if (!file_.has_at(at + 26, kGuidTail)) {
        fail(at + 24, "the identifier of PCM or of floating numbers", "another one");
      }
    }
    if (kind != kPcm && kind != kFloat) {
      throw DataError(fmt::format(
          "{}: byte {}: its samples are packed by {}, which is not read, but PCM of 8, 16, 24 and "
          "32 bits and floating numbers of 32 and 64 are; `ffmpeg -i FILE -c:a pcm_s16le NEW.wav` "
          "unpacks them",
          file_.path(), at, kind_name(kind)));
    }
    header_.is_float = kind == kFloat;
    const bool fits = header_.is_float ? bits == 32 || bits == 64
                                       : bits == 8 || bits == 16 || bits == 24 || bits == 32;
    if (!fits) {
      fail(at + 14,
           header_.is_float ? "floating numbers of 32 or 64 bits"
                            : "integers of 8, 16, 24 or 32 bits",
           std::to_string(bits));
    }
    header_.sample_bytes = bits / 8;
    if (header_.channels < 1) fail(at + 2, "1 channel or more", std::to_string(header_.channels));
    if (header_.rate < 1) fail(at + 4, "a rate of 1 Hz or more", std::to_string(header_.rate));
    if (frame != header_.channels * header_.sample_bytes) {
      fail(at + 12,
           fmt::format("frames of {} bytes, for {} channels of {} bits",
                       header_.channels * header_.sample_bytes, header_.channels, bits),
           std::to_string(frame));
    }
    has_format_ = true;
  }

  void take_long_length(std::int64_t at, std::uint32_t length) {
    if (length < 24) fail(at - 4, "a chunk 'ds64' of 24 bytes or more", std::to_string(length));
    const auto told = number<std::uint64_t>(at + 8);
    long_length_at_ = at + 8;
    long_length_ = told;
  }

  WavHeader take_data(std::int64_t begin, std::uint32_t told) {
    if (!has_format_) fail(begin - 8, "a chunk 'fmt ' before the samples", "'data'");
    std::uint64_t length = told;
    std::int64_t told_at = begin - 4;
    if (told == kUnknownLength && is_long_ && long_length_) {
      length = *long_length_;
      told_at = long_length_at_;
    } else if (told == kUnknownLength) {
      throw DataError(fmt::format(
          "{}: byte {}: its length is not known (0xffffffff), as where a program wrote it into a "
          "pipe; write it to a file, e.g. by `ffmpeg -i FILE -c:a copy NEW.wav`",
          file_.path(), told_at));
    }
    const auto room = static_cast<std::uint64_t>(file_.size() - begin);
    if (length > room) {
      fail(told_at, fmt::format("samples of {} bytes", length),
           fmt::format("{}, where the file ends; `ffmpeg -i FILE -c:a copy NEW.wav` keeps what it "
                       "has",
                       room));
    }
    const auto frame = static_cast<std::uint64_t>(header_.channels * header_.sample_bytes);
    if (length % frame != 0 || length == 0) {
      fail(told_at, fmt::format("samples of a multiple of {} bytes, at least one frame", frame),
           std::to_string(length));
    }
    header_.data = begin;
    header_.frames = static_cast<std::int64_t>(length / frame);
    return header_;
  }

  const InputFile& file_;
  WavHeader header_;
  bool is_long_ = false;
  bool has_format_ = false;
  std::optional<std::uint64_t> long_length_;
  std::int64_t long_length_at_ = 0;
};

class WavSeries final : public TableSeries {
 public:
  WavSeries(const std::string& path, const FileOptions& options)
      : file_(path, true), header_(read_wav_header(file_)) {
    const std::vector<std::string> names = numbered_names(header_.channels);
    SideOptions in_table = options.side;
    BesideTable beside;
    if (takes_name(in_table.time, kRecordingTime, names)) {
      std::vector<double> times(static_cast<std::size_t>(header_.frames));
      for (std::size_t i = 0; i < times.size(); ++i) {
        times[i] = static_cast<double>(i) / static_cast<double>(header_.rate);
      }
      beside.times = std::move(times);
    }
    open_table(header_.frames, names, 0, header_.is_float, options, in_table, std::move(beside));
    file_.check_unchanged();
  }

  std::optional<double> sample_rate() const override { return static_cast<double>(header_.rate); }
  std::string sha256() override { return file_.sha256(); }
  std::vector<std::string> paths() const override { return {file_.path()}; }

 private:
  std::string source() const override { return file_.path(); }
  void check_unchanged() const override { file_.check_unchanged(); }

  void read_table(std::int64_t first, std::int64_t count, std::span<const std::size_t> columns,
                  double* out) override {
    const std::int64_t frame = header_.channels * header_.sample_bytes;
    const std::int64_t piece = std::max<std::int64_t>(1, (std::int64_t{1} << 20) / frame);
    for (std::int64_t done = 0; done < count; done += piece) {
      const std::int64_t frames = std::min(piece, count - done);
      bytes_.resize(static_cast<std::size_t>(frames * frame));
      const std::int64_t at = header_.data + (first + done) * frame;
      if (file_.read(at, bytes_) != bytes_.size()) {
        throw DataError(fmt::format("{}: byte {}: the file ends within the samples", file_.path(),
                                    file_.size()));
      }
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const char* const from =
            bytes_.data() + static_cast<std::int64_t>(columns[c]) * header_.sample_bytes;
        convert(from, frames, out + static_cast<std::size_t>(done) * columns.size() + c,
                columns.size());
      }
    }
  }

  void convert(const char* from, std::int64_t frames, double* out, std::size_t stride) const {
    const auto each = [&](const auto& value) {
      const std::int64_t frame = header_.channels * header_.sample_bytes;
      for (std::int64_t i = 0; i < frames; ++i, from += frame, out += stride) *out = value(from);
    };
    const auto floating = [&]<class T>(T /*type*/) {
      each([](const char* bytes) {
        T value;
        std::memcpy(&value, bytes, sizeof value);
        return static_cast<double>(value);
      });
    };
    if (header_.is_float) return header_.sample_bytes == 4 ? floating(0.0f) : floating(0.0);
    switch (header_.sample_bytes) {
      case 1:
        return each([](const char* bytes) {
          return (static_cast<double>(static_cast<unsigned char>(*bytes)) - 128.0) / 0x1p7;
        });
      case 2:
        return each([](const char* bytes) { return little_endian<2>(bytes) / 0x1p15; });
      case 3:
        return each([](const char* bytes) { return little_endian<3>(bytes) / 0x1p23; });
      default:
        return each([](const char* bytes) { return little_endian<4>(bytes) / 0x1p31; });
    }
  }

  InputFile file_;
  WavHeader header_;
  std::vector<char> bytes_;
};

}  // namespace

bool is_wav(const InputFile& file) {
  return (file.has_at(0, "RIFF") || file.has_at(0, "RF64") || file.has_at(0, "BW64")) &&
         file.has_at(8, "WAVE");
}

WavHeader read_wav_header(const InputFile& file) { return WavParser(file).parse(); }

std::unique_ptr<FileSeries> open_wav(const std::string& path, const FileOptions& options) {
  refuse_axes_of_recording(path, options.axes);
  return std::make_unique<WavSeries>(path, options);
}

}  // namespace gaia
