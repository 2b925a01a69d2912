// SPDX-License-Identifier: MIT
#include "edf_annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string_view>

#include "../../core/error.h"
#include "../../core/number_from_chars.h"
#include "../columns.h"

namespace gaia {
namespace {

constexpr char kDurationFollows = 0x15;
constexpr char kEnd = 0x14;

/// Takes lists apart, as the standard writes them and not otherwise.
class AnnotationParser {
 public:
  AnnotationParser(const InputFile& file, std::int64_t record, std::int64_t at,
                   std::string_view bytes)
      : file_(file), record_(record), at_(at), bytes_(bytes), left_(bytes) {}

  /// Whether there is another list; what is not used is NUL.
  bool next() {
    while (!left_.empty() && left_.front() == '\0') left_.remove_prefix(1);
    if (left_.empty()) return false;
    onset = seconds("an onset, +SECONDS or -SECONDS", true);
    duration = 0.0;
    if (!left_.empty() && left_.front() == kDurationFollows) {
      left_.remove_prefix(1);
      duration = seconds("a duration in seconds", false);
    }
    if (left_.empty() || left_.front() != kEnd) fail("the byte 0x14 after an onset or a duration");
    left_.remove_prefix(1);
    texts.clear();
    while (!left_.empty() && left_.front() != '\0') {
      const std::size_t end = left_.find(kEnd);
      if (end == std::string_view::npos) fail("the byte 0x14 after a text");
      texts.push_back(left_.substr(0, end));
      left_.remove_prefix(end + 1);
    }
    return true;
  }

  [[noreturn]] void fail(const std::string& expected) const {
    const auto byte = at_ + static_cast<std::int64_t>(bytes_.size() - left_.size());
    throw DataError(fmt::format(
        "{}: record {}: byte {}: expected {} of an annotation, got {}", file_.path(), record_, byte,
        expected,
        left_.empty() ? std::string("the end of its record") : in_quotes(left_.substr(0, 20))));
  }

  double onset = 0.0;
  double duration = 0.0;
  std::vector<std::string_view> texts;

 private:
  double seconds(const char* what, bool is_signed) {
    const std::size_t end =
        std::min(left_.find_first_of(std::string_view("\x14\x15\0", 3)), left_.size());
    std::string_view number = left_.substr(0, end);
    if (is_signed) {
      if (number.empty() || (number[0] != '+' && number[0] != '-')) fail(what);
      if (number[0] == '+') number.remove_prefix(1);
      if (!number.empty() && number[0] == '+') fail(what);
    }
    double value = 0.0;
    const char* const last = number.data() + number.size();
    const auto [stop, error] = number_from_chars(number.data(), last, value, false);
    constexpr double most = 1e12;  // s, where a double still tells milliseconds apart
    const bool fits = error == std::errc() && stop == last && std::abs(value) <= most &&
                      (is_signed || value >= 0.0);
    if (!fits) fail(what);
    left_.remove_prefix(end);
    return value;
  }

  const InputFile& file_;
  std::int64_t record_;
  std::int64_t at_;
  std::string_view bytes_;
  std::string_view left_;
};

/// Reads the annotation signals of records.
class AnnotationReader {
 public:
  AnnotationReader(const InputFile& file, const EdfHeader& header) : file_(file), header_(header) {
    for (const EdfSignal& signal : header.signals) {
      if (signal.is_annotations) signals_.push_back(&signal);
    }
  }

  bool has_annotations() const { return !signals_.empty(); }

  double onset_of(std::int64_t record) {
    AnnotationParser lists = open(record, *signals_.front());
    const bool has_list = lists.next();
    if (has_list && !lists.texts.empty() && lists.texts.front().empty()) return lists.onset;
    throw DataError(fmt::format(
        "{}: record {}: byte {}: expected the time at which the record begins, an annotation whose "
        "first text is empty, got {}",
        file_.path(), record, header_.record_at(record) + signals_.front()->offset,
        has_list ? "another annotation" : "none"));
  }

  void read(std::int64_t record, const std::function<void(const AnnotationParser&)>& take) {
    for (const EdfSignal* const signal : signals_) {
      AnnotationParser lists = open(record, *signal);
      while (lists.next()) take(lists);
    }
  }

 private:
  AnnotationParser open(std::int64_t record, const EdfSignal& signal) {
    const std::int64_t at = header_.record_at(record) + signal.offset;
    bytes_.resize(static_cast<std::size_t>(signal.samples * header_.sample_bytes()));
    if (file_.read(at, bytes_) != bytes_.size()) {
      throw DataError(fmt::format("{}: record {}: the file ends within it", file_.path(), record));
    }
    return {file_, record, at, {bytes_.data(), bytes_.size()}};
  }

  const InputFile& file_;
  const EdfHeader& header_;
  std::vector<const EdfSignal*> signals_;
  std::vector<char> bytes_;
};

/// The rows of a stretch.
struct StretchRows {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  double onset = 0.0;
};

std::vector<StretchRows> rows_of(const EdfHeader& header, const std::vector<EdfStretch>& stretches,
                                 std::int64_t per_record) {
  std::vector<StretchRows> rows;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const std::int64_t next = i + 1 < stretches.size() ? stretches[i + 1].record : header.records;
    rows.push_back({stretches[i].record * per_record, next * per_record, stretches[i].onset});
  }
  return rows;
}

/// Row at which an annotation begins to hold, or ceases to.
struct Border {
  std::int64_t row = 0;
  std::size_t annotation = 0;
  bool begins = false;
};

}  // namespace

std::vector<EdfStretch> read_edf_stretches(const InputFile& file, const EdfHeader& header) {
  AnnotationReader reader(file, header);
  if (!reader.has_annotations()) {
    if (!header.has_gaps) return {EdfStretch{}};
    throw DataError(file.path() +
                    ": says that it has gaps (EDF+D) and has no signal of annotations, which would "
                    "tell where");
  }
  std::vector<EdfStretch> stretches = {{0, reader.onset_of(0)}};
  if (!header.has_gaps) return stretches;
  std::int64_t most = 0;  // samples of a signal in a record
  for (const EdfSignal& signal : header.signals) {
    if (!signal.is_annotations) most = std::max(most, signal.samples);
  }
  // A record goes on from the one before it where it begins within half a sample of its end.
  const double half =
      0.5 * header.record_seconds / static_cast<double>(std::max<std::int64_t>(most, 1));
  for (std::int64_t record = 1; record < header.records; ++record) {
    const double onset = reader.onset_of(record);
    const EdfStretch& last = stretches.back();
    const double end =
        last.onset + static_cast<double>(record - last.record) * header.record_seconds;
    if (onset < end - half) {
      throw DataError(fmt::format(
          "{}: record {}: expected it to begin at {} s or later, where the one before it ends, got "
          "{} s",
          file.path(), record, end, onset));
    }
    if (onset > end + half) stretches.push_back({record, onset});
  }
  return stretches;
}

std::vector<EdfAnnotation> read_edf_annotations(const InputFile& file, const EdfHeader& header) {
  AnnotationReader reader(file, header);
  std::vector<EdfAnnotation> annotations;
  for (std::int64_t record = 0; record < header.records && reader.has_annotations(); ++record) {
    reader.read(record, [&](const AnnotationParser& list) {
      for (const std::string_view text : list.texts) {
        if (!text.empty()) annotations.push_back({list.onset, list.duration, std::string(text)});
      }
    });
  }
  return annotations;
}

std::vector<std::string> edf_labels(const EdfHeader& header,
                                    const std::vector<EdfAnnotation>& annotations,
                                    const std::vector<EdfStretch>& stretches,
                                    std::int64_t per_record) {
  const double rate = static_cast<double>(per_record) / header.record_seconds;
  std::vector<std::string> labels(static_cast<std::size_t>(header.records * per_record));
  const std::vector<StretchRows> all = rows_of(header, stretches, per_record);
  // The first row at a time or after it, if none is within a millionth of a step before it.
  const auto row_at = [&](double time) {
    auto rows = std::upper_bound(
        all.begin(), all.end(), time,
        [](double asked, const StretchRows& stretch) { return asked < stretch.onset; });
    if (rows != all.begin()) --rows;
    const auto length = static_cast<double>(rows->end - rows->begin);
    const double row = std::ceil((time - rows->onset) * rate - 1e-6);
    return rows->begin + static_cast<std::int64_t>(std::clamp(row, 0.0, length));
  };
  std::vector<Border> borders;
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    const EdfAnnotation& annotation = annotations[i];
    const std::int64_t begin = row_at(annotation.onset);
    const std::int64_t end = annotation.duration == 0.0
                                 ? std::min(begin + 1, all.back().end)
                                 : row_at(annotation.onset + annotation.duration);
    if (begin >= end) continue;
    borders.push_back({begin, i, true});
    borders.push_back({end, i, false});
  }
  std::sort(borders.begin(), borders.end(),
            [](const Border& a, const Border& b) { return a.row < b.row; });
  std::set<std::size_t> holding;
  for (std::size_t i = 0; i < borders.size(); ++i) {
    if (borders[i].begins) {
      holding.insert(borders[i].annotation);
    } else {
      holding.erase(borders[i].annotation);
    }
    const std::int64_t next = i + 1 < borders.size() ? borders[i + 1].row : borders[i].row;
    if (holding.empty() || next == borders[i].row) continue;
    std::fill(labels.begin() + borders[i].row, labels.begin() + next,
              annotations[*holding.rbegin()].text);
  }
  return labels;
}

std::vector<double> edf_times(const EdfHeader& header, const std::vector<EdfStretch>& stretches,
                              std::int64_t per_record) {
  const double rate = static_cast<double>(per_record) / header.record_seconds;
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(header.records * per_record));
  for (const StretchRows& rows : rows_of(header, stretches, per_record)) {
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      times.push_back(rows.onset + static_cast<double>(row - rows.begin) / rate);
    }
  }
  return times;
}

}  // namespace gaia
