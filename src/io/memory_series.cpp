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

class MemorySeries final : public TableSeries {
 public:
  MemorySeries(std::shared_ptr<const MemoryRows> rows, const MemoryOptions& options)
      : rows_(std::move(rows)) {
    check_table();
    BesideTable beside;
    SideOptions in_table = options.side;
    SideOptions all = options.side;
    take_times(beside, in_table, all);
    take_texts(beside, in_table);
    if (options.columns.empty()) warn_of_texts(options.side.labels);
    const std::int64_t width = rows_->table.shape(1);
    const std::vector<std::string> names =
        rows_->columns.empty() ? numbered_names(width) : rows_->columns;
    open_table(rows_->table.shape(0), names, 0, true,
               {options.columns, options.missing, options.measured, in_table, options.before}, all,
               std::move(beside));
    if (options.columns.empty()) {
      warn_of_transposed(source(), this->rows(), width, "transpose the array before it is given");
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

  void check_table() const {
    const Array& table = rows_->table;
    if (table.rank() != 2 || table.shape(0) < 1 || table.shape(1) < 1) {
      fail("a table of at least one row and one column", "shape " + to_string(table.shape()));
    }
    if (table.dtype() != DType::float32 && table.dtype() != DType::float64) {
      fail("float32 or float64", to_string(table.dtype()));
    }
    if (!table.device().is_cpu()) fail("rows on the CPU", to_string(table.device()));
    const auto width = static_cast<std::size_t>(table.shape(1));
    if (!rows_->columns.empty() && rows_->columns.size() != width) {
      fail(fmt::format("a name for each of {} columns", width),
           fmt::format("{} names", rows_->columns.size()));
    }
    const auto count = static_cast<std::size_t>(table.shape(0));
    if (rows_->times) {
      const std::size_t got = std::visit([](const auto& v) { return v.size(); }, *rows_->times);
      if (got != count) fail(fmt::format("a time for each of {} rows", count), std::to_string(got));
    }
    for (const auto& [name, values] : rows_->texts) {
      if (values.size() == count) continue;
      fail(fmt::format("a text for each of {} rows in column {}", count, in_quotes(name)),
           std::to_string(values.size()));
    }
  }

  /// Times that came with the rows are those of data.time, unless that names another column.
  void take_times(BesideTable& beside, SideOptions& in_table, SideOptions& all) const {
    if (!rows_->times) return;
    if (!all.time.empty() && all.time != rows_->times_name) return;
    all.time = rows_->times_name;
    in_table.time.clear();
    beside.times = rows_->times;
  }

  void take_texts(BesideTable& beside, SideOptions& in_table) const {
    for (const auto& [name, values] : rows_->texts) {
      if (name != in_table.labels) continue;
      beside.labels = values;
      beside.labels_source = fmt::format("{}: column {}", source(), in_quotes(name));
      in_table.labels.clear();
      return;
    }
  }

  /// As of a CSV file: of texts that nothing reads.
  void warn_of_texts(const std::string& labels) const {
    std::string left_out;
    for (const auto& [name, values] : rows_->texts) {
      if (name == labels) continue;
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

  template <class T>
  static void read_as(const View& view, std::int64_t first, std::int64_t count,
                      std::span<const std::size_t> columns, double* out) {
    const T* row = view.as<T>() + first * view.strides[0];
    for (std::int64_t r = 0; r < count; ++r, row += view.strides[0]) {
      for (const std::size_t column : columns) {
        *out++ = static_cast<double>(row[static_cast<std::int64_t>(column) * view.strides[1]]);
      }
    }
  }

  std::string hash_of_table() const {
    const Array& table = rows_->table;
    std::string header =
        fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                    size_of(table.dtype()), table.shape(0), table.shape(1));
    // As NumPy writes it: magic, version and length take ten bytes, a line feed ends the header.
    while ((header.size() + 11) % 64 != 0) header += ' ';
    header += '\n';
    std::string begin("\x93NUMPY\x01\x00", 8);
    begin += static_cast<char>(header.size() & 0xff);
    begin += static_cast<char>(header.size() >> 8);
    Sha256 hash;
    hash.add(begin);
    hash.add(header);
    constexpr std::int64_t block = 4096;
    for (std::int64_t first = 0; first < rows(); first += block) {
      const Array piece = table.slice(0, first, std::min(first + block, rows())).contiguous();
      hash.add(
          {static_cast<const char*>(piece.view().data), static_cast<std::size_t>(piece.bytes())});
    }
    return hash.text();
  }

  std::shared_ptr<const MemoryRows> rows_;
  std::string hash_;
};

}  // namespace

std::unique_ptr<FileSeries> open_memory(std::shared_ptr<const MemoryRows> rows,
                                        const MemoryOptions& options) {
  return std::make_unique<MemorySeries>(std::move(rows), options);
}

}  // namespace gaia
