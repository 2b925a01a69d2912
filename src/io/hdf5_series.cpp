// SPDX-License-Identifier: MIT
#include "hdf5_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "../core/checked.h"
#include "../core/error.h"
#include "../core/log.h"
#include "../core/names.h"
#include "../core/text.h"
#include "columns.h"
#include "input_file.h"

namespace gaia {
namespace {

constexpr std::int64_t kMostColumns = 100000;
/// Datasets that a message names.
constexpr std::size_t kMostShown = 30;

/// What a message says of links, after it has named them.
constexpr const char* kWayAroundLinks =
    "which is not followed; name the dataset that a soft link leads to, and copy in what lies in "
    "another file by `h5repack --merge FILE COPY`";

/// The link at this path, or on the way to it, if there is one.
std::optional<std::string> link_to(const hdf5::Contents& contents, const std::string& path) {
  for (const std::string& link : contents.links) {
    if (path == link || path.rfind(link + "/", 0) == 0) return link;
  }
  return std::nullopt;
}

/// The dataset asked for, or the only one.
const hdf5::DatasetDescription& choose_dataset(const hdf5::Contents& contents,
                                               const std::string& path, const std::string& asked) {
  std::vector<std::string> known;
  for (const hdf5::DatasetDescription& dataset : contents.datasets) known.push_back(dataset.path);
  if (known.empty()) {
    throw DataError(path + ": holds no dataset" +
                    (contents.links.empty()
                         ? std::string()
                         : fmt::format(" of its own; {} is a link, {}",
                                       printable(contents.links.front()), kWayAroundLinks)));
  }
  const auto shown = [&] {
    const std::vector<std::string> first(
        known.begin(),
        known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), kMostShown)));
    return join(first) + (known.size() > kMostShown
                              ? fmt::format(" and {} more", known.size() - kMostShown)
                              : std::string());
  };
  if (asked.empty()) {
    if (known.size() == 1) return contents.datasets.front();
    throw ArgumentError(path + " holds several datasets; say which one: " + shown());
  }
  const std::string full = asked.front() == '/' ? asked : "/" + asked;
  const hdf5::DatasetDescription* found = contents.dataset(full);
  if (found == nullptr) {
    if (const auto link = link_to(contents, full)) {
      throw ArgumentError(
          fmt::format("{}: {} is a link, {}", path, printable(*link), kWayAroundLinks));
    }
    throw ArgumentError(path + " has no dataset " + in_quotes(asked) + did_you_mean(full, known) +
                        "; known: " + shown());
  }
  return *found;
}

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

/// What numbers mean by the attributes of the CF conventions and of netCDF, as xarray and netCDF
/// write them: scale_factor x + add_offset, without a sign where _Unsigned says so, but missing
/// where they are _FillValue or missing_value, or outside valid_range or valid_min and valid_max.
class Packing {
 public:
  Packing(const hdf5::DatasetDescription& dataset, const std::string& place) : place_(place) {
    is_float32_ = dataset.type == hdf5::Type::float32;
    const bool is_integer = !is_float32_ && dataset.type != hdf5::Type::float64;
    const std::string sign = dataset.text("_Unsigned").value_or("");
    if (is_integer && (sign == "true" || sign == "false")) {
      const double values = std::ldexp(1.0, static_cast<int>(8 * dataset.element_bytes));
      least_stored_ = sign == "true" ? 0.0 : -values / 2.0;
      values_ = values;
    }
    const auto one = [&](const char* name) { return numbers_of(dataset, name, 1); };
    if (const auto scale = one("scale_factor")) scale_ = scale->front();
    if (const auto offset = one("add_offset")) offset_ = offset->front();
    is_packed_ = scale_ != 1.0 || offset_ != 0.0;
    for (const char* name : {"_FillValue", "missing_value"}) {
      const auto numbers = numbers_of(dataset, name, 0);
      for (const double number : numbers ? numbers->values : std::vector<double>()) {
        missing_.push_back(stored(number));
      }
    }
    read_range(dataset, is_integer);
  }

  double operator()(double x) const {
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    x = stored(x);
    for (const double missing : missing_) {
      if (x == missing) return nothing;
    }
    const double meant = is_packed_ ? scale_ * x + offset_ : x;
    const double ranged = range_is_unpacked_ ? meant : x;
    if (ranged >= least_ && ranged <= most_) return meant;
    if (!std::isnan(x)) tell_of_range();
    return nothing;
  }

 private:
  struct Numbers {
    std::vector<double> values;
    bool are_integers = false;
    double front() const { return values.front(); }
  };

  /// So many numbers (0: any) of an attribute, nothing if there is none.
  std::optional<Numbers> numbers_of(const hdf5::DatasetDescription& dataset, const char* name,
                                    std::size_t count) const {
    for (const auto& [key, value] : dataset.attributes) {
      if (key != name) continue;
      const Numbers numbers = std::visit(
          [](const auto& held) -> Numbers {
            using Held = std::decay_t<decltype(held)>;
            using Integers = std::vector<std::int64_t>;
            if constexpr (std::is_arithmetic_v<Held>) {
              return {{static_cast<double>(held)}, std::is_integral_v<Held>};
            } else if constexpr (std::is_same_v<Held, Integers> ||
                                 std::is_same_v<Held, std::vector<double>>) {
              return {{held.begin(), held.end()}, std::is_same_v<Held, Integers>};
            } else {
              return {};
            }
          },
          value);
      if (!numbers.values.empty() && (count == 0 || numbers.values.size() == count)) return numbers;
      throw DataError(fmt::format(
          "{}: its attribute {} is expected to hold {}, by which its numbers are read; correct it "
          "or take it out",
          place_, name,
          count == 2   ? "two numbers"
          : count == 1 ? "one number"
                       : "numbers"));
    }
    return std::nullopt;
  }

  void read_range(const hdf5::DatasetDescription& dataset, bool is_integer) {
    bool has_integers = true;
    const auto limit = [&](double& to, const Numbers& numbers, std::size_t i) {
      to = numbers.values[i];
      has_integers = has_integers && numbers.are_integers;
    };
    if (const auto least = numbers_of(dataset, "valid_min", 1)) limit(least_, *least, 0);
    if (const auto most = numbers_of(dataset, "valid_max", 1)) limit(most_, *most, 0);
    if (const auto range = numbers_of(dataset, "valid_range", 2)) {
      limit(least_, *range, 0);
      limit(most_, *range, 1);
    }
    // Of integers that are packed, a range of floating numbers is one of what they mean.
    range_is_unpacked_ = is_packed_ && is_integer && !has_integers;
    if (range_is_unpacked_) return;
    least_ = stored(least_);
    most_ = stored(most_);
  }

  /// A number as the type that is stored holds it: with or without a sign, or of 32 bits.
  double stored(double x) const {
    if (is_float32_) return static_cast<double>(static_cast<float>(x));
    if (values_ == 0.0 || std::isinf(x)) return x;
    if (x < least_stored_) return x + values_;
    return x >= least_stored_ + values_ ? x - values_ : x;
  }

  void tell_of_range() const {
    if (std::exchange(has_told_, true)) return;
    log_warning(fmt::format(
        "{}: numbers outside {} to {}, as its attributes valid_range, valid_min and valid_max have "
        "it, count as missing",
        place_, least_, most_));
  }

  std::string place_;
  bool is_float32_ = false;
  double least_stored_ = 0.0;  // of integers that _Unsigned tells of,
  double values_ = 0.0;        // and how many values they can have; 0 for others
  double scale_ = 1.0;
  double offset_ = 0.0;
  bool is_packed_ = false;
  std::vector<double> missing_;
  double least_ = -std::numeric_limits<double>::infinity();
  double most_ = std::numeric_limits<double>::infinity();
  bool range_is_unpacked_ = false;
  mutable bool has_told_ = false;
};

class Hdf5Series final : public Series {
 public:
  Hdf5Series(const std::string& path, const Hdf5Options& options)
      : path_(path),
        file_(path, true),
        reader_(hdf5::open_reader(path, options.reader)),
        dataset_(choose_dataset(reader_->contents(), path, options.dataset)),
        packing_(dataset_, place()) {
    file_.check_in_place();
    check_dataset();
    const std::vector<std::string> all_names = names_of_columns();
    if (options.columns.empty()) {
      columns_.resize(all_names.size());
      std::iota(columns_.begin(), columns_.end(), std::size_t{0});
    } else {
      columns_ = select_columns(path, options.columns, all_names);
    }
    for (const std::size_t column : columns_) names_.push_back(all_names[column]);
    gaps_ = find_gaps(
        place(), names_, rows_, options.missing,
        [this](std::int64_t first, std::int64_t count, std::span<double> block) {
          read_raw(first, count, block);
        },
        options.measured);
    file_.check_unchanged();
    keep_moments(std::min(options.measured, rows_), moments_of(gaps_));
  }

  std::int64_t rows() const override { return rows_; }
  const std::vector<std::string>& channel_names() const override { return names_; }

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    file_.check_unchanged();
    read_raw(first, count, out);
    file_.check_unchanged();
    fill_gaps(place(), gaps_, first, count, out);
  }

  std::string sha256() override { return file_.sha256(); }

 private:
  std::string place() const { return path_ + ": " + printable(dataset_.path); }

  void check_dataset() {
    const std::vector<std::int64_t>& shape = dataset_.shape;
    if (!dataset_.refusal.empty()) throw DataError(place() + ": " + dataset_.refusal);
    const bool fits = (shape.size() == 1 || shape.size() == 2) && shape[0] >= 1 &&
                      (shape.size() == 1 || (shape[1] >= 1 && shape[1] <= kMostColumns));
    if (!fits) {
      throw DataError(fmt::format("{}: expected shape [rows] or [rows, columns], got [{}]", place(),
                                  fmt::join(shape, ", ")));
    }
    if (shape.size() == 2 && dataset_.has("MATLAB_class")) {
      log_warning(
          fmt::format("{}: MATLAB stores a matrix with its axes in reverse, so that its {} columns "
                      "are the rows "
                      "here; store the transpose if its rows are the samples",
                      place(), shape[0]));
    }
    rows_ = shape[0];
    width_ = shape.size() == 2 ? shape[1] : 1;
    const auto bytes = checked_multiply(rows_, width_ * static_cast<std::int64_t>(sizeof(double)));
    if (!bytes) throw DataError(place() + ": claims more numbers than 64 bits can count");
  }

  /// As the attribute `columns` has them; a column that has no name there is called by its index.
  std::vector<std::string> names_of_columns() const {
    std::vector<std::string> names = numbered_names(width_);
    if (!dataset_.has("columns")) return names;
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

  /// Rows as they stand in the file.
  void read_raw(std::int64_t first, std::int64_t count, std::span<double> out) {
    // As they are stored, since that is less to unpack and to hand over than doubles are.
    switch (dataset_.type) {
      case hdf5::Type::float32:
        return read_as(floats_, first, count, out);
      case hdf5::Type::int32:
        return read_as(integers_, first, count, out);
      case hdf5::Type::uint8:
        return read_as(bytes_, first, count, out);
      default:
        return read_as(doubles_, first, count, out);
    }
  }

  /// Piece by piece, so that wide files need little memory.
  template <class T>
  void read_as(std::vector<T>& buffer, std::int64_t first, std::int64_t count,
               std::span<double> out) {
    const std::int64_t piece = std::max<std::int64_t>(1, (1 << 20) / width_);
    const auto width = static_cast<std::size_t>(width_);
    double* to = out.data();
    for (std::int64_t done = 0; done < count; done += piece) {
      const std::int64_t rows = std::min(piece, count - done);
      buffer.resize(static_cast<std::size_t>(rows) * width);
      reader_->read_rows(dataset_, first + done, rows, buffer.data());
      for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
        for (const std::size_t column : columns_) {
          *to++ = packing_(static_cast<double>(buffer[r * width + column]));
        }
      }
    }
  }

  std::string path_;
  InputFile file_;  // the same as the reader's, which has opened it for itself
  std::unique_ptr<hdf5::Reader> reader_;
  const hdf5::DatasetDescription& dataset_;  // of the reader's contents
  Packing packing_;
  std::int64_t rows_ = 0;
  std::int64_t width_ = 1;
  std::vector<std::size_t> columns_;
  std::vector<std::string> names_;
  std::vector<Gaps> gaps_;
  std::vector<double> doubles_;  // buffers, of which one is used
  std::vector<float> floats_;
  std::vector<std::int32_t> integers_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace

std::unique_ptr<Series> open_hdf5(const std::string& path, const Hdf5Options& options) {
  return std::make_unique<Hdf5Series>(path, options);
}

}  // namespace gaia
