// SPDX-License-Identifier: MIT
#include "results_rows.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "../../core/error.h"
#include "../../io/output_files.h"

namespace gaia {
namespace {

constexpr std::int64_t kBytesAtOnce = 4 << 20;

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::int64_t numbers_in_row(const std::vector<std::int64_t>& shape) {
  std::int64_t numbers = 1;
  for (std::size_t axis = 1; axis < shape.size(); ++axis) numbers *= shape[axis];
  return numbers;
}

template <class T>
void copy_rows(hdf5::Dataset& to, const hdf5::Dataset& from, std::int64_t rows) {
  const std::int64_t width = numbers_in_row(to.shape());
  const std::int64_t row_bytes = width * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t at_once =
      std::max<std::int64_t>(1, kBytesAtOnce / std::max<std::int64_t>(1, row_bytes));
  std::vector<T> numbers;
  for (std::int64_t first = 0; first < rows; first += at_once) {
    const std::int64_t count = std::min(at_once, rows - first);
    numbers.resize(static_cast<std::size_t>(count * width));
    from.read_rows(first, count, numbers.data());
    to.write_rows(first, count, numbers.data());
  }
}

/// \throws DataError unless `rows` rows of `from` fit into `to`.
void check_fits(const hdf5::Dataset& to, const hdf5::Dataset& from, std::int64_t rows) {
  const auto fail = [&](const char* what) {
    throw DataError(from.place().file + ": " + from.place().path + " " + what +
                    "; the file is damaged");
  };
  const std::vector<std::int64_t> wanted = to.shape();
  const std::vector<std::int64_t> got = from.shape();
  if (from.type() != to.type()) fail("is of another type than this run writes");
  if (!from.foreign_storage().empty()) fail("has its numbers in other files");
  const bool same_rows =
      wanted.size() == got.size() &&
      (wanted.empty() || std::equal(wanted.begin() + 1, wanted.end(), got.begin() + 1));
  if (!same_rows) fail("is of another shape than this run writes");
  if (!got.empty() && got.front() < rows) fail("ends too early");
}

}  // namespace

hdf5::File create_partial(const std::string& result, const Recorded& recorded) {
  const std::string partial = partial_path(result);
  return hdf5::File::create(recorded.file == nullptr ? partial : resuming_path(result), partial);
}

void open_to_readers(hdf5::File& file, const std::string& result, const Recorded& recorded,
                     const std::function<void()>& fill) {
  if (recorded.file == nullptr) return file.start_swmr();
  const std::string beside = resuming_path(result);
  try {
    fill();
    // Before it gets the name: a process that is killed leaves a file that nobody can open until
    // this is done.
    file.start_swmr();
    publish(beside, partial_path(result));
  } catch (...) {
    discard(beside);
    throw;
  }
}

StepsDone steps_done(const hdf5::File& file, std::int64_t committed) {
  std::int64_t before_last = 0;
  if (file.has_group("levels")) {
    const std::int64_t epochs = std::max<std::int64_t>(
        1, file.open_group("levels").integer_attribute("epochs").value_or(1));
    before_last = file.integer_attribute("steps").value_or(0) / epochs * (epochs - 1);
  }
  return {committed, std::max<std::int64_t>(0, committed - before_last)};
}

std::int64_t rows_below(const hdf5::Dataset& coordinate, std::int64_t limit) {
  std::int64_t first = 0;
  std::int64_t last = coordinate.shape().front();
  while (first < last) {
    const std::int64_t middle = first + (last - first) / 2;
    std::int64_t value = 0;
    coordinate.read_rows(middle, 1, &value);
    if (value < limit) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

std::int64_t rows_within(const hdf5::Group& group, const StepsDone& done) {
  const std::string& path = group.place().path;
  for (const char* const name : {"step", "epoch"}) {
    if (!group.has_dataset(name)) continue;
    const hdf5::Dataset coordinate = group.open_dataset(name);
    if (coordinate.shape().size() != 1) continue;
    const bool counts_done = std::string_view(name) == "step" &&
                             (ends_with(path, "/metrics") || ends_with(path, "/history"));
    if (counts_done) return rows_below(coordinate, done.steps + 1);
    const bool is_epoch = std::string_view(name) == "epoch";
    return rows_below(coordinate, is_epoch ? done.steps : done.in_last);
  }
  // Episodes of an agent say themselves after how many steps they had ended.
  if (group.has_dataset("steps_done")) {
    const hdf5::Dataset ends = group.open_dataset("steps_done");
    if (ends.shape().size() == 1) return rows_below(ends, done.steps + 1);
  }
  return 0;
}

void take_rows(hdf5::Dataset& to, const hdf5::Dataset& from, std::int64_t rows) {
  check_fits(to, from, rows);
  if (!to.shape().empty() && to.shape().front() < rows) to.resize(rows);
  switch (to.type()) {
    case hdf5::Type::int32:
      return copy_rows<std::int32_t>(to, from, rows);
    case hdf5::Type::int64:
      return copy_rows<std::int64_t>(to, from, rows);
    case hdf5::Type::uint8:
      return copy_rows<std::uint8_t>(to, from, rows);
    case hdf5::Type::float32:
      return copy_rows<float>(to, from, rows);
    case hdf5::Type::float64:
      return copy_rows<double>(to, from, rows);
    case hdf5::Type::other:
    case hdf5::Type::text:
      break;
  }
  throw InternalError("[take_rows] a dataset of no numbers");
}

void take_whole(hdf5::Dataset& to, const hdf5::Dataset& from) {
  const std::vector<std::int64_t> shape = to.shape();
  take_rows(to, from, shape.empty() ? 1 : shape.front());
}

}  // namespace gaia
