// SPDX-License-Identifier: MIT
#include "npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "../core/error.h"
#include "columns.h"
#include "npy_file.h"
#include "table_series.h"

namespace gaia {
namespace {

class NpySeries final : public TableSeries {
 public:
  NpySeries(const std::string& path, const FileOptions& options) : file_(path) {
    check_type();
    take_axes(options.axes);
    BesideTable beside;
    SideOptions in_table = options.side;
    if (!options.label_file.empty()) {
      labels_.emplace(options.label_file);
      beside.labels = read_npy_labels(*labels_);
      beside.labels_source = options.label_file;
      in_table.labels.clear();
    }
    if (!options.group_file.empty()) {
      groups_file_.emplace(options.group_file);
      beside.groups = read_npy_labels(*groups_file_);
      beside.groups_source = options.group_file;
      in_table.group.clear();
    }
    const NpyType type = file_.header().type;
    const bool can_miss = type == NpyType::float32 || type == NpyType::float64;
    open_table(trials_ * times_each_, numbered_names(width_), has_trials_ ? times_each_ : 0,
               can_miss, options, in_table, std::move(beside));
    if (options.columns.empty() && !options.axes.transpose && !has_trials_) {
      warn_of_transposed(path, rows(), width_, "data.transpose: true takes them so");
    }
    file_.file().check_unchanged();
  }

  std::string sha256() override { return file_.file().sha256(); }
  std::vector<std::string> paths() const override {
    std::vector<std::string> paths = {file_.path()};
    if (labels_) paths.push_back(labels_->path());
    if (groups_file_) paths.push_back(groups_file_->path());
    return paths;
  }
  std::vector<std::string> hashes() override {
    std::vector<std::string> hashes = {sha256()};
    if (labels_) hashes.push_back(labels_->file().sha256());
    if (groups_file_) hashes.push_back(groups_file_->file().sha256());
    return hashes;
  }

 private:
  void check_unchanged() const override { file_.file().check_unchanged(); }
  std::string source() const override { return file_.path(); }

  void check_type() const {
    const NpyType type = file_.header().type;
    if (type == NpyType::unicode || type == NpyType::bytes) {
      file_.fail("numbers", "texts (dtype U or S)");
    }
  }

  void take_axes(const ArrayAxes& axes);
  void read_table(std::int64_t first, std::int64_t count, std::span<const std::size_t> columns,
                  double* out) override;
  Wide wide(std::size_t /*column*/) const override { return wide_of(file_.header().type); }
  void read_wide(std::int64_t first, std::int64_t count, std::size_t column,
                 std::int64_t* out) override;

  /// Takes so many numbers that stand `stride` bytes apart to number `at` of the block [rows,
  /// columns] and to those that follow `step` numbers apart.
  using Take = std::function<void(const char* bytes, std::int64_t count, std::size_t stride,
                                  std::size_t at, std::size_t step)>;
  void read_numbers(std::int64_t first, std::int64_t count, std::span<const std::size_t> columns,
                    const Take& take);
  /// Reads rows of one trial, whose first number has this index in the file.
  void read_piece(std::int64_t index, std::int64_t count, std::span<const std::size_t> columns,
                  std::size_t place, const Take& take);
  void hold();

  NpyFile file_;
  std::optional<NpyFile> labels_;
  std::optional<NpyFile> groups_file_;
  bool has_trials_ = false;
  std::int64_t trials_ = 1;
  std::int64_t times_each_ = 1;  // rows of a trial
  std::int64_t width_ = 1;       // columns of the file
  // Numbers from one trial, time and channel to the next:
  std::int64_t trial_stride_ = 0;
  std::int64_t time_stride_ = 1;
  std::int64_t channel_stride_ = 1;
  std::vector<char> bytes_;
  std::vector<char> held_;  // the whole, where numbers of a row or of a column lie apart
};

void NpySeries::take_axes(const ArrayAxes& axes) {
  const std::vector<std::int64_t>& shape = file_.header().shape;
  const std::string shown = file_.shape_text();
  constexpr std::int64_t most_columns = 100000;
  const std::string sizes = fmt::format("at least one row and 1 to {} columns", most_columns);
  // The strides of an empty array may be more than 64 bits can count.
  const bool is_empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  if (is_empty) file_.fail(sizes, "shape " + shown);
  std::vector<std::int64_t> strides(shape.size(), 1);
  if (file_.header().fortran_order) {
    for (std::size_t i = 1; i < shape.size(); ++i) strides[i] = strides[i - 1] * shape[i - 1];
  } else {
    for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  }
  if (axes.trials) {
    if (shape.size() != 3) file_.fail("three axes (data.trials.axes)", "shape " + shown);
    const auto [trial, time, channel] = *axes.trials;
    has_trials_ = true;
    trials_ = shape[trial];
    times_each_ = shape[time];
    width_ = shape[channel];
    trial_stride_ = strides[trial];
    time_stride_ = strides[time];
    channel_stride_ = strides[channel];
  } else {
    if (shape.size() == 3) {
      file_.fail("shape [rows] or [rows, columns]",
                 shown + "; data.trials: {axes: [trial, time, channel]} reads three axes");
    }
    if (shape.empty() || shape.size() > 2) file_.fail("shape [rows] or [rows, columns]", shown);
    if (axes.transpose && shape.size() != 2) {
      file_.fail("two axes to be transposed (data.transpose)", "shape " + shown);
    }
    const std::size_t time = axes.transpose ? 1 : 0;
    times_each_ = shape[time];
    time_stride_ = strides[time];
    if (shape.size() == 2) {
      width_ = shape[1 - time];
      channel_stride_ = strides[1 - time];
    }
  }
  if (width_ > most_columns) file_.fail(sizes, "shape " + shown);
  const bool lies_apart =
      time_stride_ != 1 && channel_stride_ != 1 && width_ > 1 && times_each_ > 1;
  if (lies_apart) hold();
}

void NpySeries::hold() {
  held_.resize(static_cast<std::size_t>(file_.bytes()));
  constexpr std::size_t piece = std::size_t{1} << 24;
  for (std::size_t done = 0; done < held_.size(); done += piece) {
    file_.read(static_cast<std::int64_t>(done),
               std::span(held_).subspan(done, std::min(piece, held_.size() - done)));
  }
}

void NpySeries::read_table(std::int64_t first, std::int64_t count,
                           std::span<const std::size_t> columns, double* out) {
  read_numbers(first, count, columns,
               [&](const char* bytes, std::int64_t numbers, std::size_t stride, std::size_t at,
                   std::size_t step) {
                 convert_npy(file_.header().type, bytes, numbers, stride, out + at, step);
               });
}

void NpySeries::read_wide(std::int64_t first, std::int64_t count, std::size_t column,
                          std::int64_t* out) {
  read_numbers(first, count, {&column, 1},
               [&](const char* bytes, std::int64_t rows, std::size_t stride, std::size_t at,
                   std::size_t /*step*/) { copy_npy_integers(bytes, rows, stride, out + at); });
}

void NpySeries::read_numbers(std::int64_t first, std::int64_t count,
                             std::span<const std::size_t> columns, const Take& take) {
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t trial = (first + done) / times_each_;
    const std::int64_t time = (first + done) % times_each_;
    const std::int64_t now = std::min(count - done, times_each_ - time);
    read_piece(trial * trial_stride_ + time * time_stride_, now, columns,
               static_cast<std::size_t>(done) * columns.size(), take);
    done += now;
  }
}

void NpySeries::read_piece(std::int64_t index, std::int64_t count,
                           std::span<const std::size_t> columns, std::size_t place,
                           const Take& take) {
  constexpr std::int64_t kPiece = std::int64_t{1} << 20;  // bytes
  const std::int64_t size = size_of(file_.header().type);
  const std::size_t width = columns.size();
  const auto bytes_between = [&](std::int64_t stride) {
    return static_cast<std::size_t>(stride * size);
  };
  if (!held_.empty()) {
    for (std::size_t c = 0; c < width; ++c) {
      const std::int64_t from = index + static_cast<std::int64_t>(columns[c]) * channel_stride_;
      take(held_.data() + from * size, count, bytes_between(time_stride_), place + c, width);
    }
    return;
  }
  const bool by_column = channel_stride_ != 1 && width_ > 1;
  const bool rows_touch = time_stride_ == width_;
  const std::int64_t row_bytes = by_column ? size : size * width_;
  // Columns that follow each other are taken row by row, as they lie in both places; all of them at
  // once.
  const bool are_neighbours =
      std::adjacent_find(columns.begin(), columns.end(), [](std::size_t one, std::size_t next) {
        return next != one + 1;
      }) == columns.end();
  const bool by_row = !by_column && are_neighbours && width > 1;
  // Rows that lie apart are read one by one.
  const std::int64_t piece =
      by_column || rows_touch ? std::max<std::int64_t>(1, kPiece / row_bytes) : 1;
  for (std::int64_t done = 0; done < count; done += piece) {
    const std::int64_t rows = std::min(piece, count - done);
    const std::size_t to = place + static_cast<std::size_t>(done) * width;
    bytes_.resize(static_cast<std::size_t>(rows * row_bytes));
    const std::int64_t from = index + done * time_stride_;
    if (!by_column) file_.read(from * size, bytes_);
    const std::int64_t at_once = std::ssize(columns) == width_ ? rows : 1;
    for (std::int64_t r = 0; by_row && r < rows; r += at_once) {
      const char* const row = bytes_.data() + r * row_bytes;
      take(row + bytes_between(static_cast<std::int64_t>(columns.front())),
           at_once * std::ssize(columns), bytes_between(1),
           to + static_cast<std::size_t>(r) * width, 1);
    }
    if (by_row) continue;
    for (std::size_t c = 0; c < width; ++c) {
      const auto column = static_cast<std::int64_t>(columns[c]);
      if (by_column) file_.read((from + column * channel_stride_) * size, bytes_);
      const char* const at = by_column ? bytes_.data() : bytes_.data() + column * size;
      take(at, rows, by_column ? bytes_between(1) : bytes_between(width_), to + c, width);
    }
  }
}

}  // namespace

std::unique_ptr<FileSeries> open_npy(const std::string& path, const FileOptions& options) {
  return std::make_unique<NpySeries>(path, options);
}

}  // namespace gaia
