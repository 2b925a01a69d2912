// SPDX-License-Identifier: MIT
#include "edf_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "../../core/checked.h"
#include "../columns.h"
#include "../table_series.h"
#include "edf_annotations.h"
#include "recording.h"

namespace gaia {
namespace {

/// Records are read together up to so many bytes; of longer ones only what is asked for.
constexpr std::int64_t kHeldBytes = std::int64_t{1} << 20;

std::vector<EdfSignal> without_annotations(const EdfHeader& header) {
  std::vector<EdfSignal> signals;
  for (const EdfSignal& signal : header.signals) {
    if (!signal.is_annotations) signals.push_back(signal);
  }
  return signals;
}

std::vector<std::string> labels_of(const std::vector<EdfSignal>& signals) {
  std::vector<std::string> labels;
  for (const EdfSignal& signal : signals) labels.push_back(signal.label);
  return labels;
}

class EdfSeries final : public TableSeries {
 public:
  EdfSeries(const std::string& path, const FileOptions& options)
      : file_(path, true), header_(read_edf_header(file_)), signals_(without_annotations(header_)) {
    if (signals_.empty()) {
      throw DataError(path + ": has no signals but annotations");
    }
    const std::vector<std::string> names = labels_of(signals_);
    SideOptions in_table = options.side;
    const bool makes_times = takes_name(in_table.time, kRecordingTime, names);
    const bool makes_labels = takes_name(in_table.labels, "annotations", names);
    choose_rate(options, in_table, names);
    const auto rows = checked_multiply(header_.records, per_record_);
    if (!rows) throw DataError(path + ": claims more samples than 64 bits can count");
    BesideTable beside;
    if (header_.has_gaps || makes_times || makes_labels) {
      const std::vector<EdfStretch> stretches = read_edf_stretches(file_, header_);
      for (const EdfStretch& stretch : stretches) {
        beside.trial_starts.push_back(stretch.record * per_record_);
      }
      if (makes_times) beside.times = edf_times(header_, stretches, per_record_);
      if (makes_labels) take_annotations(stretches, beside);
    }
    const bool asks_trials = options.side.trial_length > 0 || !options.side.trial.empty();
    if (beside.trial_starts.size() > 1 && asks_trials) {
      throw DataKeyError("trials", options.side.trial,
                         fmt::format("{}: has {} gaps (EDF+D), after each of which a trial begins; "
                                     "take data.trials out",
                                     path, beside.trial_starts.size() - 1));
    }
    open_table(*rows, names, 0, false, options, in_table, std::move(beside));
    file_.check_unchanged();
  }

  std::optional<double> sample_rate() const override { return rate_; }
  std::string sha256() override { return file_.sha256(); }
  std::vector<std::string> paths() const override { return {file_.path()}; }

 private:
  std::string source() const override { return file_.path(); }
  void check_unchanged() const override { file_.check_unchanged(); }

  /// Those that are read have one rate.
  void choose_rate(const FileOptions& options, const SideOptions& in_table,
                   const std::vector<std::string>& names) {
    const SidePlaces places = find_side_columns(file_.path(), in_table, names);
    std::vector<std::size_t> chosen;
    if (!options.columns.empty()) {
      chosen = select_columns(file_.path(), options.columns, names);
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (options.columns.empty() || places.has(i)) chosen.push_back(i);
    }
    per_record_ = signals_[chosen.front()].samples;
    rate_ = header_.rate(signals_[chosen.front()]);
    std::map<std::int64_t, std::vector<std::size_t>, std::greater<>> by_samples;
    for (const std::size_t i : chosen) by_samples[signals_[i].samples].push_back(i);
    if (by_samples.size() == 1) return;
    std::string rates;
    for (const auto& [samples, of_rate] : by_samples) {
      rates += fmt::format(
          "{}{} Hz ({}{})", rates.empty() ? "" : ", ",
          static_cast<double>(samples) / header_.record_seconds, in_quotes(names[of_rate.front()]),
          of_rate.size() == 1 ? std::string() : fmt::format(" and {} more", of_rate.size() - 1));
    }
    throw DataKeyError("columns", names[chosen.front()],
                       fmt::format("{}: expected signals of one rate, got {}; data.columns names "
                                   "those of one of them",
                                   file_.path(), rates));
  }

  void take_annotations(const std::vector<EdfStretch>& stretches, BesideTable& beside) const {
    const std::vector<EdfAnnotation> annotations = read_edf_annotations(file_, header_);
    if (annotations.empty()) {
      throw DataKeyError("labels", "annotations",
                         file_.path() + ": holds no annotations with a text (data.labels)");
    }
    beside.labels = edf_labels(header_, annotations, stretches, per_record_);
    beside.labels_source = file_.path() + ": annotations";
  }

  void read_table(std::int64_t first, std::int64_t count, std::span<const std::size_t> columns,
                  double* out) override {
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t record = (first + done) / per_record_;
      const std::int64_t within = (first + done) % per_record_;
      const std::int64_t rows = std::min(count - done, per_record_ - within);
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const EdfSignal& signal = signals_[columns[c]];
        const char* const bytes = samples_of(signal, record, within, rows);
        double* const to = out + static_cast<std::size_t>(done) * columns.size() + c;
        if (header_.is_bdf) {
          convert<3>(signal, bytes, rows, to, columns.size());
        } else {
          convert<2>(signal, bytes, rows, to, columns.size());
        }
      }
      done += rows;
    }
  }

  template <int kBytes>
  static void convert(const EdfSignal& signal, const char* bytes, std::int64_t count, double* out,
                      std::size_t stride) {
    for (std::int64_t i = 0; i < count; ++i, bytes += kBytes, out += stride) {
      const double digital = static_cast<double>(little_endian<kBytes>(bytes));
      *out = signal.gain * (signal.shift + digital);
    }
  }

  /// `rows` samples of a signal, from one within a record on.
  const char* samples_of(const EdfSignal& signal, std::int64_t record, std::int64_t within,
                         std::int64_t rows) {
    const std::int64_t at = signal.offset + within * header_.sample_bytes();
    if (header_.record_bytes > kHeldBytes) {
      hold(header_.record_at(record) + at, rows * header_.sample_bytes(), record);
      return held_.data();
    }
    if (record < held_record_ || record >= held_record_ + held_count_) {
      held_count_ = 0;
      const std::int64_t records =
          std::min(kHeldBytes / header_.record_bytes, header_.records - record);
      hold(header_.record_at(record), records * header_.record_bytes, record);
      held_record_ = record;
      held_count_ = records;
    }
    return held_.data() + (record - held_record_) * header_.record_bytes + at;
  }

  void hold(std::int64_t offset, std::int64_t bytes, std::int64_t record) {
    held_.resize(static_cast<std::size_t>(bytes));
    if (file_.read(offset, held_) == held_.size()) return;
    throw DataError(fmt::format("{}: record {}: the file ends within it", file_.path(), record));
  }

  InputFile file_;
  EdfHeader header_;
  std::vector<EdfSignal> signals_;
  std::int64_t per_record_ = 1;  // samples of those that are read
  double rate_ = 1.0;            // Hz
  std::vector<char> held_;
  std::int64_t held_record_ = 0;  // the first that is held
  std::int64_t held_count_ = 0;
};

}  // namespace

std::unique_ptr<FileSeries> open_edf(const std::string& path, const FileOptions& options) {
  refuse_axes_of_recording(path, options.axes);
  return std::make_unique<EdfSeries>(path, options);
}

std::vector<std::size_t> signals_of_most_common_rate(const EdfHeader& header) {
  std::map<std::int64_t, std::vector<std::size_t>> by_samples;
  const std::vector<EdfSignal> signals = without_annotations(header);
  for (std::size_t i = 0; i < signals.size(); ++i) by_samples[signals[i].samples].push_back(i);
  std::vector<std::size_t> most;
  for (auto& [samples, of_rate] : by_samples) {
    if (of_rate.size() >= most.size()) most = std::move(of_rate);
  }
  return most;
}

}  // namespace gaia
