// SPDX-License-Identifier: MIT
#include "memory_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "../core/error.h"
#include "../core/log.h"
#include "columns.h"
#include "sha256.h"

namespace gaia {
namespace {

/// Values of the rows of one trial, for `count` rows of every trial.
template <class T>
std::vector<T> repeated(const std::vector<T>& values, std::int64_t count) {
  std::vector<T> all(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = values[i % values.size()];
  return all;
}

class MemorySeries final : public TableSeries {
 public:
  MemorySeries(std::shared_ptr<const MemoryRows> rows, const FileOptions& options)
      : rows_(std::move(rows)) {
    check_table();
    take_axes(options.axes);
    check_beside();
    BesideTable beside;
    FileOptions asked = options;
    SideOptions in_table = options.side;
    take_times(beside, in_table, asked.side);
    take_texts(beside, in_table);
    take_numbers(beside, in_table);
    if (options.columns.empty()) warn_of_texts(options.side);
    const std::vector<std::string> names =
        rows_->columns.empty() ? numbered_names(width_) : rows_->columns;
    open_table(count_, names, has_trials() ? times_each_ : 0, true, asked, in_table,
               std::move(beside));
    if (options.columns.empty() && !has_trials()) {
      warn_of_transposed(source(), this->rows(), width_, "transpose the array before it is given");
    }
  }

  std::string sha256() override {
    if (hash_.empty()) hash_ = hash_of_table();
    return hash_;
  }
  std::vector<std::string> paths() const override { return {rows_->name}; }
  std::vector<std::string> hashes() override { return {sha256()}; }

 private:
  void check_unchanged() const override {}
  std::string source() const override { return rows_->name; }

  [[noreturn]] void fail(const std::string& expected, const std::string& got) const {
    throw DataError(fmt::format("{}: expected {}, got {}", source(), expected, got));
  }

  bool has_trials() const { return rows_->table.rank() == 3; }

  void check_table() const {
    const Array& table = rows_->table;
    if ((table.rank() != 2 && table.rank() != 3) || table.size() < 1) {
      fail("a table of at least one row and one column, or an array of trials",
           "shape " + to_string(table.shape()));
    }
    if (table.dtype() != DType::float32 && table.dtype() != DType::float64) {
      fail("float32 or float64", to_string(table.dtype()));
    }
    if (!table.device().is_cpu()) fail("rows on the CPU", to_string(table.device()));
  }

  void take_axes(const ArrayAxes& axes) {
    const Array& table = rows_->table;
    const auto strides = table.view().strides;
    if (!has_trials()) {
      times_each_ = count_ = table.shape(0);
      width_ = table.shape(1);
      time_stride_ = strides[0];
      channel_stride_ = strides[1];
      return;
    }
    const auto [trial, time, channel] = axes.trials.value_or(std::array<std::size_t, 3>{0, 1, 2});
    const auto length = [&](std::size_t axis) { return table.shape(static_cast<int>(axis)); };
    times_each_ = length(time);
    count_ = length(trial) * times_each_;
    width_ = length(channel);
    trial_stride_ = strides[static_cast<int>(trial)];
    time_stride_ = strides[static_cast<int>(time)];
    channel_stride_ = strides[static_cast<int>(channel)];
  }

  void check_beside() const {
    const auto width = static_cast<std::size_t>(width_);
    if (!rows_->columns.empty() && rows_->columns.size() != width) {
      fail(fmt::format("a name for each of {} columns", width),
           fmt::format("{} names", rows_->columns.size()));
    }
    const auto count = static_cast<std::size_t>(count_);
    const auto trials = static_cast<std::size_t>(count_ / times_each_);
    for (const WideColumn& one : rows_->wide) {
      if (one.column < width && one.values.size() == count) continue;
      fail(fmt::format("integers for each of {} rows of one of {} columns", count, width),
           fmt::format("{} of column {}", one.values.size(), one.column));
    }
    if (rows_->times) {
      const std::size_t got = std::visit([](const auto& v) { return v.size(); }, *rows_->times);
      if (got != count && (!has_trials() || got != static_cast<std::size_t>(times_each_))) {
        fail(fmt::format("a time for each of {} rows{}", count,
                         has_trials() ? fmt::format(", or of {} of a trial", times_each_) : ""),
             std::to_string(got));
      }
    }
    for (const auto& [name, values] : rows_->texts) {
      if (values.size() == count || (has_trials() && values.size() == trials)) continue;
      fail(fmt::format("a text for each of {} rows{} in column {}", count,
                       has_trials() ? fmt::format(" or {} trials", trials) : "", in_quotes(name)),
           std::to_string(values.size()));
    }
    for (const auto& [name, values] : rows_->of_trials) {
      if (has_trials() && values.size() == trials) continue;
      fail(fmt::format("a number for each of {} trials in column {}", trials, in_quotes(name)),
           std::to_string(values.size()));
    }
  }

  /// Times that came with the rows are those of data.time, unless that names another column.
  void take_times(BesideTable& beside, SideOptions& in_table, SideOptions& all) const {
    if (!rows_->times) return;
    if (!all.time.empty() && all.time != rows_->times_name) return;
    all.time = rows_->times_name;
    in_table.time.clear();
    beside.times = std::visit(
        [&](const auto& values) -> SideValues { return repeated(values, count_); }, *rows_->times);
    beside.times_count = rows_->times_count;
  }

  void take_texts(BesideTable& beside, SideOptions& in_table) const {
    for (const auto& [name, values] : rows_->texts) {
      if (name == in_table.trial) {
        check_trials(name, values);
        beside.trials = values;
        in_table.trial.clear();
      }
      if (name == in_table.group) {
        beside.groups = values;
        beside.groups_source = fmt::format("{}: {}", source(), side_name(name, "groups"));
        in_table.group.clear();
      }
      if (name == in_table.labels) {
        beside.labels = values;
        beside.labels_source = fmt::format("{}: column {}", source(), in_quotes(name));
        in_table.labels.clear();
      }
    }
  }

  /// Targets that each trial has one of, for all of its rows.
  void take_numbers(BesideTable& beside, SideOptions& in_table) const {
    for (const auto& [name, values] : rows_->of_trials) {
      if (std::erase(in_table.targets, name) == 0) continue;
      std::vector<double> of_rows;
      for (const double value : values) {
        of_rows.insert(of_rows.end(), static_cast<std::size_t>(times_each_), value);
      }
      beside.targets.emplace_back(name, std::move(of_rows));
    }
  }

  void check_trials(const std::string& name, const std::vector<std::string>& values) const {
    const auto missing = std::find(values.begin(), values.end(), "");
    if (missing == values.end()) return;
    throw DataError(
        fmt::format("{}: row {}: expected what tells trials apart in {}, got a missing value",
                    source(), missing - values.begin(), side_name(name, "trials")));
  }

  /// Warns of texts that nothing reads, as for a CSV file.
  void warn_of_texts(const SideOptions& side) const {
    std::string left_out;
    for (const auto& [name, values] : rows_->texts) {
      if (name == side.labels || name == side.trial || name == side.group) continue;
      left_out += (left_out.empty() ? "" : ", ") + in_quotes(name);
    }
    if (left_out.empty()) return;
    log_warning(
        fmt::format("{}: left out, since they hold text: {}; name the columns to read "
                    "with data.columns, or one of texts with data.labels",
                    source(), left_out));
  }

  void read_table(std::int64_t first, std::int64_t count, std::span<const std::size_t> columns,
                  double* out) override {
    const View view = rows_->table.view();
    if (view.dtype == DType::float32) {
      read_as<float>(view, first, count, columns, out);
    } else {
      read_as<double>(view, first, count, columns, out);
    }
  }

  const WideColumn* wide_column(std::size_t column) const {
    const auto found = std::find_if(rows_->wide.begin(), rows_->wide.end(),
                                    [&](const WideColumn& one) { return one.column == column; });
    return found == rows_->wide.end() ? nullptr : &*found;
  }
  Wide wide(std::size_t column) const override {
    const WideColumn* const found = wide_column(column);
    return found == nullptr ? Wide::no : found->kind;
  }
  void read_wide(std::int64_t first, std::int64_t count, std::size_t column,
                 std::int64_t* out) override {
    std::copy_n(wide_column(column)->values.begin() + first, count, out);
  }

  template <class T>
  void read_as(const View& view, std::int64_t first, std::int64_t count,
               std::span<const std::size_t> columns, double* out) const {
    for (std::int64_t r = first; r < first + count; ++r) {
      const T* const row =
          view.as<T>() + r / times_each_ * trial_stride_ + r % times_each_ * time_stride_;
      for (const std::size_t column : columns) {
        *out++ = static_cast<double>(row[static_cast<std::int64_t>(column) * channel_stride_]);
      }
    }
  }

  std::string hash_of_table() const {
    const Array& table = rows_->table;
    std::string header = fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}), }}",
                                     size_of(table.dtype()), fmt::join(table.shape(), ", "));
    // NumPy's own layout: magic, version and length take ten bytes, a line feed ends the header.
    while ((header.size() + 11) % 64 != 0) header += ' ';
    header += '\n';
    std::string begin("\x93NUMPY\x01\x00", 8);
    begin += static_cast<char>(header.size() & 0xff);
    begin += static_cast<char>(header.size() >> 8);
    Sha256 hash;
    hash.add(begin);
    hash.add(header);
    const std::int64_t length = table.shape(0);
    const std::int64_t block = std::max<std::int64_t>(1, 4096 * length / count_);
    for (std::int64_t first = 0; first < length; first += block) {
      const Array piece = table.slice(0, first, std::min(first + block, length)).contiguous();
      hash.add(
          {static_cast<const char*>(piece.view().data), static_cast<std::size_t>(piece.bytes())});
    }
    for (const WideColumn& one : rows_->wide) {
      hash.add({reinterpret_cast<const char*>(one.values.data()),
                one.values.size() * sizeof one.values.front()});
    }
    return hash.text();
  }

  std::shared_ptr<const MemoryRows> rows_;
  std::int64_t count_ = 0;       // rows of all trials
  std::int64_t times_each_ = 1;  // rows of one, or all where there are none
  std::int64_t width_ = 1;
  std::int64_t trial_stride_ = 0;
  std::int64_t time_stride_ = 1;
  std::int64_t channel_stride_ = 1;
  std::string hash_;
};

}  // namespace

std::unique_ptr<FileSeries> open_memory(std::shared_ptr<const MemoryRows> rows,
                                        const FileOptions& options) {
  return std::make_unique<MemorySeries>(std::move(rows), options);
}

}  // namespace gaia
