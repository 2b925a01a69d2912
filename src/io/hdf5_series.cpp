// SPDX-License-Identifier: MIT
#include "hdf5_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "../core/checked.h"
#include "../core/error.h"
#include "../core/log.h"
#include "../core/platform.h"
#include "../core/text.h"
#include "cf_packing.h"
#include "columns.h"
#include "hdf5_beside.h"
#include "input_file.h"
#include "table_series.h"

namespace gaia {
namespace {

constexpr std::int64_t kMostColumns = 100000;

/// Without blanks around it.
std::string trimmed(const std::string& text) {
  constexpr const char* blanks = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

/// Numbers of the first axis that are in memory, as they are stored.
template <class T>
struct Slab {
  std::int64_t first = -1;
  std::int64_t count = 0;
  std::vector<T> numbers;
};

class Hdf5Series final : public TableSeries {
 public:
  Hdf5Series(const std::string& path, const FileOptions& options)
      : path_(path),
        file_(path, true),
        reader_(hdf5::open_reader(path, options.reader)),
        dataset_(choose_dataset(reader_->contents(), path, options.dataset, options.side)),
        packing_(dataset_, place(), reader_->contents().root()) {
    file_.check_in_place();
    warn_of_channel_conversion();
    take_axes(options.axes);
    const std::int64_t trial_rows = has_trials_ ? times_each_ : 0;
    SideOptions in_table = options.side;
    BesideTable beside =
        Hdf5Beside(path, *reader_, dataset_).read(in_table, trials_ * times_each_, trial_rows);
    open_table(trials_ * times_each_, names_of_columns(), trial_rows, true, options, in_table,
               std::move(beside));
    if (options.columns.empty() && !options.axes.transpose && !has_trials_) {
      warn_of_transposed(place(), rows(), width_, "data.transpose: true takes them so");
    }
    file_.check_unchanged();
  }

  std::optional<double> sample_rate() const override {
    return hdf5_rate(reader_->contents(), dataset_);
  }
  std::string sha256() override { return file_.sha256(); }
  std::vector<std::string> paths() const override { return {path_}; }

 private:
  std::string place() const { return path_ + ": " + printable(dataset_.path); }
  std::string source() const override { return place(); }
  void check_unchanged() const override { file_.check_unchanged(); }

  void take_axes(const ArrayAxes& axes) {
    const std::vector<std::int64_t>& shape = dataset_.shape;
    if (!dataset_.refusal.empty()) throw DataError(place() + ": " + dataset_.refusal);
    const auto fail = [&](const char* expected, const char* way_out = "") {
      throw DataError(fmt::format("{}: expected {}, got [{}]{}", place(), expected,
                                  fmt::join(shape, ", "), way_out));
    };
    std::int64_t numbers = 1;
    for (const std::int64_t length : shape) {
      const auto product = checked_multiply(numbers, length);
      const auto bytes = product ? checked_multiply(*product, sizeof(double)) : std::nullopt;
      if (!bytes) throw DataError(place() + ": claims more numbers than 64 bits can count");
      numbers = *product;
    }
    std::size_t trial = 3;
    std::size_t time = axes.transpose ? 1 : 0;
    std::size_t channel = axes.transpose ? 0 : 1;
    if (axes.trials) {
      if (shape.size() != 3) fail("shape of three axes (data.trials.axes)");
      std::tie(trial, time, channel) =
          std::tuple((*axes.trials)[0], (*axes.trials)[1], (*axes.trials)[2]);
      has_trials_ = true;
    } else if (axes.transpose) {
      if (shape.size() != 2) fail("shape of two axes to be transposed (data.transpose)");
    } else if (shape.size() == 3) {
      fail("shape [rows] or [rows, columns]",
           "; data.trials: {axes: [trial, time, channel]} reads three axes");
    }
    const bool fits = !shape.empty() && shape.size() <= 3 && numbers > 0 &&
                      (shape.size() == 1 || shape[channel] <= kMostColumns);
    if (!fits) fail("shape [rows] or [rows, columns]");
    const auto stride = [&](std::size_t axis) {
      std::int64_t product = 1;
      for (std::size_t i = axis + 1; i < shape.size(); ++i) product *= shape[i];
      return product;
    };
    times_each_ = shape[time];
    time_stride_ = stride(time);
    if (shape.size() > 1) {
      width_ = shape[channel];
      channel_stride_ = stride(channel);
      channel_axis_ = channel;
    }
    if (has_trials_) {
      trials_ = shape[trial];
      trial_stride_ = stride(trial);
    }
    first_stride_ = stride(0);
    if (shape.size() == 2 && !axes.transpose && dataset_.has("MATLAB_class")) {
      log_warning(
          fmt::format("{}: MATLAB stores a matrix with its axes in reverse, so that its {} columns "
                      "are the rows here; data.transpose: true takes its rows as samples",
                      place(), shape[0]));
    }
    // Rows of the file are samples, or trials that are read one at a time; else it is held.
    holds_all_ = axes.transpose || (has_trials_ && trial != 0);
    if (holds_all_) check_memory(numbers);
  }

  /// A factor for each channel, which NWB has beside that of the whole.
  void warn_of_channel_conversion() const {
    const std::string folder = dataset_.path.substr(0, dataset_.path.rfind('/'));
    const bool has_factors = reader_->contents().root().has("nwb_version") &&
                             reader_->contents().dataset(folder + "/channel_conversion") != nullptr;
    if (!has_factors) return;
    log_warning(place() +
                ": channel_conversion, which stands beside it, is not applied: its channels are in "
                "units of their own");
  }

  /// What is read across its layout has to fit into memory.
  void check_memory(std::int64_t numbers) const {
    const double needed = static_cast<double>(numbers) * static_cast<double>(sizeof(double));
    const auto there = static_cast<double>(platform::installed_memory());
    if (needed < 0.8 * there) return;
    throw DataError(fmt::format(
        "{}: takes {} of memory to be read across its layout, of {} that there are; store it with "
        "time (or the trial) as its first axis",
        place(), bytes_text(needed), bytes_text(there)));
  }

  /// Names that the attribute `columns` gives; a column without a name there is called by its
  /// index.
  std::vector<std::string> names_of_columns() const {
    std::vector<std::string> names = numbered_names(width_);
    if (!dataset_.has("columns")) return names_of_coordinate().value_or(names);
    const auto ignore = [&](const std::string& got) {
      log_warning(
          fmt::format("{}: its columns are called by their indices, since the attribute columns is "
                      "to hold {} name{}, separated by commas or as a list of texts, and holds {}",
                      place(), width_, width_ == 1 ? "" : "s", got));
    };
    std::optional<std::vector<std::string>> named = dataset_.texts("columns");
    if (const auto text = dataset_.text("columns")) named = split_names(*text);
    if (!named) {
      ignore("something else");
    } else if (named->size() != names.size()) {
      ignore(fmt::format("{}", named->size()));
    } else if (!std::all_of(named->begin(), named->end(), is_utf8)) {
      ignore("text that is not UTF-8");
    } else {
      std::vector<std::string> found = names;
      for (std::size_t i = 0; i < found.size(); ++i) {
        const std::string name = trimmed((*named)[i]);
        if (!name.empty()) found[i] = name;
      }
      if (std::set<std::string>(found.begin(), found.end()).size() == found.size()) return found;
      ignore("a name twice");
    }
    return names;
  }

  /// Names from a coordinate of texts along the channels, which xarray writes.
  std::optional<std::vector<std::string>> names_of_coordinate() const {
    if (channel_axis_ >= dataset_.scales.size()) return std::nullopt;
    const hdf5::DatasetDescription* const scale =
        reader_->contents().dataset(dataset_.scales[channel_axis_]);
    if (scale == nullptr || !scale->holds_texts || scale->shape.front() != width_) {
      return std::nullopt;
    }
    const std::vector<std::string> names = reader_->read_texts(*scale);
    const bool are_names = std::all_of(names.begin(), names.end(), [](const std::string& name) {
      return !name.empty() && is_utf8(name);
    });
    const bool are_different =
        std::set<std::string>(names.begin(), names.end()).size() == names.size();
    return are_names && are_different ? std::optional(names) : std::nullopt;
  }

  void read_table(std::int64_t first, std::int64_t count, std::span<const std::size_t> columns,
                  double* out) override {
    // They are read as they are stored, since that is less to unpack and to pass on than doubles.
    switch (dataset_.type) {
      case hdf5::Type::float32:
        return read_as(floats_, first, count, columns, out);
      case hdf5::Type::int32:
        return read_as(integers_, first, count, columns, out);
      case hdf5::Type::uint8:
        return read_as(bytes_, first, count, columns, out);
      default:
        has_beyond_ = false;
        read_as(doubles_, first, count, columns, out);
        if (has_beyond_ && wide(0) != Wide::no) mark_missing(first, count, columns, out);
    }
  }

  /// Marks which integers beyond 2^53 whose doubles are those of a fill value are missing.
  void mark_missing(std::int64_t first, std::int64_t count, std::span<const std::size_t> columns,
                    double* out) {
    read_as(wide_, first, count, columns, [&](std::int64_t whole) {
      const auto number = static_cast<double>(whole);
      const bool is_clipped = whole == std::numeric_limits<std::int64_t>::max();
      if (is_beyond_exact(number) && !is_clipped) {
        *out = packing_.is_missing(whole) ? std::numeric_limits<double>::quiet_NaN() : number;
      }
      ++out;
    });
  }

  Wide wide(std::size_t /*column*/) const override {
    const bool is_wide = dataset_.type == hdf5::Type::int64 && packing_.keeps_integers();
    return is_wide ? Wide::signed64 : Wide::no;
  }

  void read_wide(std::int64_t first, std::int64_t count, std::size_t column,
                 std::int64_t* out) override {
    std::int64_t* to = out;
    read_as(wide_, first, count, {&column, 1}, [&](std::int64_t stored) { *to++ = stored; });
    // HDF5 makes what is beyond 64 bits with a sign the last of them.
    const auto last = std::find_if(out, out + count, [&](std::int64_t number) {
      return number == std::numeric_limits<std::int64_t>::max() && !packing_.is_missing(number);
    });
    if (last == out + count) return;
    throw DataError(
        fmt::format("{}: expected a whole number below 2^63 - 1 in column {}, got one "
                    "beyond; store what tells rows apart as texts, or as int64",
                    place_of(first + (last - out)), in_quotes(file_columns()[column])));
  }

  /// Takes what stands in the rows asked for as doubles, by what it means.
  template <class T>
  void read_as(Slab<T>& slab, std::int64_t first, std::int64_t count,
               std::span<const std::size_t> columns, double* out) {
    if (packing_.keeps_all()) {
      read_as(slab, first, count, columns, [&](T stored) { *out++ = static_cast<double>(stored); });
    } else {
      read_as(slab, first, count, columns, [&](T stored) {
        const auto number = static_cast<double>(stored);
        has_beyond_ = has_beyond_ || is_beyond_exact(number);
        *out++ = packing_(number);
      });
    }
  }

  /// Hands each number that is stored to `take`, row by row.
  template <class T, class Take>
    requires std::invocable<Take, T>
  void read_as(Slab<T>& slab, std::int64_t first, std::int64_t count,
               std::span<const std::size_t> columns, const Take& take) {
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t trial = (first + done) / times_each_;
      const std::int64_t time = (first + done) % times_each_;
      std::int64_t rows = std::min(count - done, times_each_ - time);
      std::int64_t begin = 0;  // begin of what is needed of the first axis
      if (holds_all_) {
        load(slab, 0, dataset_.shape.front());
      } else if (has_trials_) {
        load(slab, trial, 1);
        begin = trial;
      } else {
        // Piece by piece, so that wide files need little memory.
        rows = std::min(rows, std::max<std::int64_t>(1, (1 << 20) / width_));
        read_rows(time, rows, slab.numbers);
        begin = time;
      }
      const T* const from = slab.numbers.data() +
                            (trial * trial_stride_ + time * time_stride_ - begin * first_stride_);
      for (std::int64_t r = 0; r < rows; ++r) {
        for (const std::size_t column : columns) {
          take(from[r * time_stride_ + static_cast<std::int64_t>(column) * channel_stride_]);
        }
      }
      done += rows;
    }
  }

  /// Makes the slab hold these of the first axis.
  template <class T>
  void load(Slab<T>& slab, std::int64_t first, std::int64_t count) {
    if (slab.first == first && slab.count == count) return;
    slab.first = -1;
    slab.numbers.resize(static_cast<std::size_t>(count * first_stride_));
    const std::int64_t piece = std::max<std::int64_t>(1, (1 << 20) / first_stride_);
    for (std::int64_t done = 0; done < count; done += piece) {
      const std::int64_t now = std::min(piece, count - done);
      reader_->read_rows(dataset_, first + done, now, slab.numbers.data() + done * first_stride_);
    }
    slab.first = first;
    slab.count = count;
  }

  template <class T>
  void read_rows(std::int64_t first, std::int64_t rows, std::vector<T>& numbers) {
    numbers.resize(static_cast<std::size_t>(rows * first_stride_));
    reader_->read_rows(dataset_, first, rows, numbers.data());
  }

  std::string path_;
  InputFile file_;  // the same as the reader's, which has opened it for itself
  std::unique_ptr<hdf5::Reader> reader_;
  const hdf5::DatasetDescription& dataset_;  // dataset of the reader's contents
  CfPacking packing_;
  bool has_trials_ = false;
  bool holds_all_ = false;
  std::int64_t trials_ = 1;
  std::int64_t times_each_ = 1;  // rows of a trial
  std::int64_t width_ = 1;
  std::size_t channel_axis_ = 1;
  // Numbers from one trial, time, channel and element of the first axis to the next:
  std::int64_t trial_stride_ = 0;
  std::int64_t time_stride_ = 1;
  std::int64_t channel_stride_ = 1;
  std::int64_t first_stride_ = 1;
  Slab<double> doubles_;  // one of the slabs is used
  Slab<float> floats_;
  Slab<std::int32_t> integers_;
  Slab<std::uint8_t> bytes_;
  Slab<std::int64_t> wide_;  // for what a double rounds
  bool has_beyond_ = false;  // such a number was read, and may be a fill value
};

}  // namespace

std::unique_ptr<FileSeries> open_hdf5(const std::string& path, const FileOptions& options) {
  return std::make_unique<Hdf5Series>(path, options);
}

}  // namespace gaia
