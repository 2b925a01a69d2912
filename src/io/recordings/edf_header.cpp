// SPDX-License-Identifier: MIT
#include "edf_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "../../core/checked.h"
#include "../../core/error.h"
#include "../../core/log.h"
#include "../../core/number_from_chars.h"
#include "../columns.h"

namespace gaia {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kEdfStart = "0       "sv;
constexpr std::string_view kBdfStart =
    "\xff"
    "BIOSEMI"sv;
constexpr std::int64_t kFixedBytes = 256;

/// Without blanks around it; some writers fill what is left with NUL.
std::string_view without_padding(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\0')) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

/// Fields of a header, one after the other.
class EdfFields {
 public:
  EdfFields(const InputFile& file, std::int64_t at) : file_(file), at_(at) {}

  /// The next so many bytes.
  std::string_view next(std::size_t width) {
    field_.assign(width, '\0');
    field_at_ = at_;
    if (file_.read(at_, field_) != width) {
      throw DataError(fmt::format("{}: byte {}: expected {} bytes of a header, got {}",
                                  file_.path(), at_, width,
                                  file_.size() - std::min(at_, file_.size())));
    }
    at_ += static_cast<std::int64_t>(width);
    return without_padding(field_);
  }

  void skip(std::int64_t bytes) { at_ += bytes; }

  template <class T>
  T number(std::size_t width, const std::string& what) {
    std::string_view text = next(width);
    const std::string shown = in_quotes(text);
    if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
    T value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = number_from_chars(text.data(), end, value);
    bool fits = error == std::errc() && stop == end;
    if constexpr (std::is_floating_point_v<T>) fits = fits && std::isfinite(value);
    if (!fits) fail(what, shown);
    return value;
  }

  /// Fails for the field that was read last.
  [[noreturn]] void fail(const std::string& expected, const std::string& got) const {
    throw DataError(
        fmt::format("{}: byte {}: expected {}, got {}", file_.path(), field_at_, expected, got));
  }

 private:
  const InputFile& file_;
  std::int64_t at_ = 0;
  std::int64_t field_at_ = 0;
  std::string field_;
};

/// The field as UTF-8: the standard has ASCII, and what is beyond is Latin-1 where it is met.
std::string ascii_or_latin(std::string_view field) {
  std::string text;
  for (const char letter : field) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x20 || byte == 0x7f) {
      text += ' ';
    } else if (byte < 0x80) {
      text += letter;
    } else {
      text += static_cast<char>(0xc0 | (byte >> 6));
      text += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return std::string(without_padding(text));
}

/// What the fields of signals hold: every field of all signals, then the next field.
class EdfSignalFields {
 public:
  EdfSignalFields(const InputFile& file, EdfHeader& header, std::size_t count)
      : file_(file), header_(header), count_(count) {}

  void read() {
    header_.signals.resize(count_);
    EdfFields labels = at(0);
    for (std::size_t i = 0; i < count_; ++i) {
      EdfSignal& signal = header_.signals[i];
      const std::string_view label = labels.next(16);
      signal.is_annotations = label == (header_.is_bdf ? "BDF Annotations" : "EDF Annotations");
      signal.label = ascii_or_latin(label);
      if (signal.label.empty()) signal.label = std::to_string(i);
    }
    EdfFields units = at(96);
    for (EdfSignal& signal : header_.signals) signal.unit = ascii_or_latin(units.next(8));
    read_scales();
    read_samples();
  }

 private:
  /// Fields that begin after so many bytes of each signal.
  EdfFields at(std::int64_t before) const {
    return {file_, kFixedBytes + before * static_cast<std::int64_t>(count_)};
  }

  std::string name(std::size_t i) const {
    return fmt::format("of signal {} ({})", i, in_quotes(header_.signals[i].label));
  }

  void read_scales() {
    EdfFields physical_mins = at(104);
    EdfFields physical_maxs = at(112);
    EdfFields digital_mins = at(120);
    EdfFields digital_maxs = at(128);
    const std::int64_t half = header_.is_bdf ? std::int64_t{1} << 23 : std::int64_t{1} << 15;
    for (std::size_t i = 0; i < count_; ++i) {
      const auto pmin = physical_mins.number<double>(8, "the physical minimum " + name(i));
      const auto pmax = physical_maxs.number<double>(8, "the physical maximum " + name(i));
      const auto dmin = digital_mins.number<std::int64_t>(8, "the digital minimum " + name(i));
      const auto dmax = digital_maxs.number<std::int64_t>(8, "the digital maximum " + name(i));
      EdfSignal& signal = header_.signals[i];
      if (signal.is_annotations) continue;
      const std::string range = fmt::format("{} to {}", -half, half - 1);
      if (dmin < -half || dmin >= half) {
        digital_mins.fail(fmt::format("a digital minimum {} of {}", name(i), range),
                          std::to_string(dmin));
      }
      if (dmax < -half || dmax >= half || dmax <= dmin) {
        digital_maxs.fail(
            fmt::format("a digital maximum {} above its minimum, {}, of {}", name(i), dmin, range),
            std::to_string(dmax));
      }
      if (pmin == pmax) {
        physical_maxs.fail(fmt::format("a physical maximum {} other than its minimum", name(i)),
                           fmt::format("{} for both", pmax));
      }
      signal.gain = (pmax - pmin) / static_cast<double>(dmax - dmin);
      signal.shift = pmax / signal.gain - static_cast<double>(dmax);
      const auto is_usable = [&](std::int64_t digital) {
        return std::isfinite(signal.gain * (signal.shift + static_cast<double>(digital)));
      };
      if (signal.gain == 0.0 || !is_usable(-half) || !is_usable(half - 1)) {
        physical_maxs.fail(
            fmt::format("physical limits {} between which numbers of 64 bits lie", name(i)),
            fmt::format("{} and {}", pmin, pmax));
      }
    }
  }

  void read_samples() {
    EdfFields fields = at(216);
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      EdfSignal& signal = header_.signals[i];
      const std::string what = "the number of samples in a record " + name(i) + ", 1 or more";
      signal.samples = fields.number<std::int64_t>(8, what);
      if (signal.samples < 1) fields.fail(what, std::to_string(signal.samples));
      signal.offset = offset;
      // 8 digits and 4 digits of signals: far below 64 bits.
      offset += signal.samples * header_.sample_bytes();
    }
    header_.record_bytes = offset;
  }

  const InputFile& file_;
  EdfHeader& header_;
  std::size_t count_;
};

void check_length(const InputFile& file, EdfHeader& header) {
  const std::int64_t room = (file.size() - header.bytes) / header.record_bytes;
  if (header.records == -1) {
    log_warning(
        fmt::format("{}: its header does not say how many data records there are (-1), as where a "
                    "recording was "
                    "cut off; the {} whole ones that it has are read",
                    file.path(), room));
    header.records = room;
    if (room == 0) throw DataError(file.path() + ": expected a data record, got none");
    return;
  }
  const auto records = checked_multiply(header.records, header.record_bytes);
  const auto end = records ? checked_add(header.bytes, *records) : std::nullopt;
  if (!end) {
    throw DataError(
        fmt::format("{}: byte 236: {} records of {} bytes are more than 64 bits can count",
                    file.path(), header.records, header.record_bytes));
  }
  const std::int64_t expected = *end;
  if (file.size() == expected) return;
  if (file.size() < expected) {
    throw DataError(fmt::format(
        "{}: record {}: the file ends at byte {}, expected {} bytes: a header of {} and {} records "
        "of {}; with -1 as its number of records, at byte 236, the {} whole ones are read",
        file.path(), room, file.size(), expected, header.bytes, header.records, header.record_bytes,
        room));
  }
  throw DataError(fmt::format(
      "{}: byte {}: expected the end of the file after a header of {} bytes and {} records of {}, "
      "got {} bytes more",
      file.path(), expected, header.bytes, header.records, header.record_bytes,
      file.size() - expected));
}

}  // namespace

bool is_edf(const InputFile& file) {
  return file.has_at(0, kEdfStart) || file.has_at(0, kBdfStart);
}

EdfHeader read_edf_header(const InputFile& file) {
  EdfHeader header;
  header.is_bdf = file.has_at(0, kBdfStart);
  if (!is_edf(file)) {
    throw DataError(file.path() + ": byte 0: expected the signature of EDF or BDF, got another");
  }
  EdfFields fields(file, 184);
  header.bytes = fields.number<std::int64_t>(8, "the length of the header");
  const std::int64_t told = header.bytes;
  const std::string kind(fields.next(44).substr(0, 5));
  header.has_gaps = kind == (header.is_bdf ? "BDF+D" : "EDF+D");
  const char* const records = "the number of data records, 1 or more, or -1 if it is not known";
  header.records = fields.number<std::int64_t>(8, records);
  if (header.records < 1 && header.records != -1) {
    fields.fail(records, std::to_string(header.records));
  }
  const char* const seconds = "the duration of a data record, 1e-9 s to 1e9 s";
  header.record_seconds = fields.number<double>(8, seconds);
  if (header.record_seconds < 1e-9 || header.record_seconds > 1e9) {
    fields.fail(seconds, fmt::format("{}", header.record_seconds));
  }
  const char* const signals = "the number of signals, 1 or more";
  const auto count = fields.number<std::int64_t>(4, signals);
  if (count < 1) fields.fail(signals, std::to_string(count));
  if (told != kFixedBytes * (count + 1)) {
    throw DataError(
        fmt::format("{}: byte 184: expected a header of {} bytes for {} signals, got {}",
                    file.path(), kFixedBytes * (count + 1), count, told));
  }
  if (file.size() < told) {
    throw DataError(fmt::format("{}: the file ends at byte {}, within its header of {} bytes",
                                file.path(), file.size(), told));
  }
  EdfSignalFields(file, header, static_cast<std::size_t>(count)).read();
  check_length(file, header);
  return header;
}

}  // namespace gaia
