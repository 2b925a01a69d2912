// SPDX-License-Identifier: MIT
#include "compare_results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../../core/text.h"

namespace gaia {
namespace {

/// What the clock says, of datasets and of attributes.
bool is_of_the_clock(const std::string& path) {
  return path == "/metrics/steps_per_second" || path == "/metrics/seconds" ||
         path == "/history/samples_per_second";
}
bool is_time(const std::string& attribute) { return attribute.starts_with("seconds_per_"); }

/// Attributes of the root that tell where, when and from what text a run was created.
constexpr std::array<std::string_view, 20> kOfTheRun = {
    "applied_from", "command_line", "config",         "config_file",  "config_path",
    "created_utc",  "device",       "finished_utc",   "gaia_version", "git_commit",
    "hostname",     "input_files",  "included_files", "input_sha256", "recovered_from",
    "resumed_at",   "run_id",       "settings",       "threads",      "wall_seconds"};

/// Whether an attribute says where a file lies.
bool names_a_file(const hdf5::Object& object, const std::string& name) {
  return (name == "from" || name == "path") && object.text_attribute(name).has_value();
}

/// An attribute as it is compared and shown; of others than gaia's own only that it is there.
std::string value_text(const hdf5::Object& object, const std::string& name) {
  if (const auto text = object.text_attribute(name)) return "'" + printable(*text) + "'";
  if (const auto texts = object.texts_attribute(name)) {
    return texts->empty()
               ? "[]"
               : fmt::format("['{}']", printable(fmt::format("{}", fmt::join(*texts, "', '"))));
  }
  if (const auto integer = object.integer_attribute(name)) return fmt::format("{}", *integer);
  if (const auto number = object.number_attribute(name)) return fmt::format("{}", *number);
  if (const auto integers = object.list_attribute<std::int64_t>(name)) {
    return fmt::format("[{}]", fmt::join(*integers, ", "));
  }
  if (const auto numbers = object.list_attribute<double>(name)) {
    return fmt::format("[{}]", fmt::join(*numbers, ", "));
  }
  return "";
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

template <class T>
bool are_same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a == b ? std::signbit(a) == std::signbit(b) : std::isnan(a) && std::isnan(b);
  } else {
    return a == b;
  }
}

std::vector<std::int64_t> indices_of(std::int64_t flat, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> indices(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    indices[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return indices;
}

class Comparer {
 public:
  Comparer(double tolerance, ResultComparison& found) : tolerance_(tolerance), found_(found) {}

  void groups(const hdf5::Group& one, const hdf5::Group& other, const std::string& path) {
    attributes(one, other, path.empty() ? "/" : path);
    names(one.datasets(), other.datasets(), path, [&](const std::string& name) {
      const std::string at = path + "/" + name;
      const hdf5::Dataset a = one.open_dataset(name);
      const hdf5::Dataset b = other.open_dataset(name);
      attributes(a, b, at);
      if (!is_of_the_clock(at)) datasets(a, b, at);
    });
    names(one.groups(), other.groups(), path, [&](const std::string& name) {
      if (tolerance_ > 0.0 && path.empty() && name == "metrics") return;
      groups(one.open_group(name), other.open_group(name), path + "/" + name);
    });
  }

 private:
  void tell(const std::string& path, const std::string& attribute, const std::string& text) {
    found_.differences.push_back({.path = path, .attribute = attribute, .text = text});
  }

  /// Calls `both` for the names that both have, and tells of those that one has alone.
  template <class Both>
  void names(const std::vector<std::string>& one, const std::vector<std::string>& other,
             const std::string& path, const Both& both) {
    const auto has = [](const std::vector<std::string>& all, const std::string& name) {
      return std::find(all.begin(), all.end(), name) != all.end();
    };
    for (const std::string& name : one) {
      if (has(other, name)) {
        both(name);
      } else {
        tell(path + "/" + name, "", "is missing in the other");
      }
    }
    for (const std::string& name : other) {
      if (!has(one, name)) tell(path + "/" + name, "", "is in the other alone");
    }
  }

  void attributes(const hdf5::Object& one, const hdf5::Object& other, const std::string& path) {
    if (tolerance_ > 0.0) return;
    std::vector<std::string> all = one.attribute_names();
    for (const std::string& name : other.attribute_names()) {
      if (!one.has_attribute(name)) all.push_back(name);
    }
    for (const std::string& name : all) {
      if (path == "/" && std::find(kOfTheRun.begin(), kOfTheRun.end(), name) != kOfTheRun.end()) {
        continue;
      }
      if (is_time(name)) continue;
      ++found_.attributes;
      if (!other.has_attribute(name)) {
        tell(path, name, "is missing in the other");
      } else if (!one.has_attribute(name)) {
        tell(path, name, "is in the other alone");
      } else if (!names_a_file(one, name)) {
        const std::string a = value_text(one, name);
        const std::string b = value_text(other, name);
        if (a != b) tell(path, name, fmt::format("{} here, {} in the other", a, b));
      }
    }
  }

  void datasets(const hdf5::Dataset& one, const hdf5::Dataset& other, const std::string& path) {
    const bool is_floating = one.type() == hdf5::Type::float32 || one.type() == hdf5::Type::float64;
    if (tolerance_ > 0.0 && !is_floating) return;
    ++found_.datasets;
    if (one.type() != other.type() || one.element_bytes() != other.element_bytes()) {
      tell(path, "", "is of another type in the other");
    } else if (one.shape() != other.shape()) {
      tell(path, "",
           fmt::format("{} here, {} in the other", shape_text(one.shape()),
                       shape_text(other.shape())));
    } else if (one.holds_texts() || one.type() == hdf5::Type::other) {
      texts(one, other, path);
    } else if (one.type() == hdf5::Type::float32) {
      numbers<float>(one, other, path);
    } else if (one.type() == hdf5::Type::float64) {
      numbers<double>(one, other, path);
    } else {
      numbers<std::int64_t>(one, other, path);
    }
  }

  void texts(const hdf5::Dataset& one, const hdf5::Dataset& other, const std::string& path) {
    const std::int64_t rows = one.shape().empty() ? 1 : one.shape().front();
    std::vector<char> a(hdf5::kTextCell);
    std::vector<char> b(hdf5::kTextCell);
    if (!one.holds_texts()) return;
    for (std::int64_t row = 0; row < rows; ++row) {
      std::fill(a.begin(), a.end(), '\0');
      std::fill(b.begin(), b.end(), '\0');
      one.read_texts(row, 1, a.data());
      other.read_texts(row, 1, b.data());
      if (a == b) continue;
      tell(path, "", fmt::format("[{}] is another text in the other", row));
      return;
    }
  }

  template <class T>
  void numbers(const hdf5::Dataset& one, const hdf5::Dataset& other, const std::string& path) {
    const std::vector<std::int64_t> shape = one.shape();
    const std::int64_t rows = shape.empty() ? 1 : shape.front();
    std::int64_t width = 1;
    for (std::size_t axis = 1; axis < shape.size(); ++axis) width *= shape[axis];
    if (rows == 0 || width == 0) return;
    // Datasets grow with the series, and are not held as a whole.
    constexpr std::int64_t most_numbers = std::int64_t{1} << 18;
    const std::int64_t block = std::max<std::int64_t>(1, most_numbers / width);
    std::vector<T> a(static_cast<std::size_t>(std::min(block, rows) * width));
    std::vector<T> b(a.size());
    ResultDifference found{.path = path, .attribute = {}, .text = {}, .size = rows * width};
    double largest_number = 0.0;
    std::string values;
    for (std::int64_t row = 0; row < rows; row += block) {
      const std::int64_t count = std::min(block, rows - row);
      one.read_rows<T>(row, count, a.data());
      other.read_rows<T>(row, count, b.data());
      for (std::int64_t i = 0; i < count * width; ++i) {
        const T x = a[static_cast<std::size_t>(i)];
        const T y = b[static_cast<std::size_t>(i)];
        const auto expected = static_cast<double>(x);
        const auto got = static_cast<double>(y);
        if (std::isfinite(expected)) largest_number = std::max(largest_number, std::abs(expected));
        if (are_same(x, y)) continue;
        if (found.count++ == 0) {
          found.first = indices_of(row * width + i, shape);
          found.expected = expected;
          found.got = got;
          values = fmt::format("{} here, {} in the other", x, y);
        }
        const double apart = std::abs(expected - got);
        found.largest = std::max(
            found.largest, std::isfinite(apart) ? apart : std::numeric_limits<double>::infinity());
      }
    }
    if (found.count == 0) return;
    found.relative = found.largest == 0.0   ? 0.0
                     : largest_number > 0.0 ? found.largest / largest_number
                                            : std::numeric_limits<double>::infinity();
    if constexpr (std::is_floating_point_v<T>) {
      found_.largest = std::max(found_.largest, found.relative);
    }
    if (tolerance_ > 0.0 && found.relative <= tolerance_) return;
    found.text =
        fmt::format("{}: {}; {} of {} {}, by at most {:.3g}, {:.3g} of the largest",
                    shape_text(found.first), values, found.count, found.size,
                    found.count == 1 ? "differs" : "differ", found.largest, found.relative);
    found_.differences.push_back(std::move(found));
  }

  double tolerance_;
  ResultComparison& found_;
};

}  // namespace

ResultComparison compare_results(const hdf5::File& one, const hdf5::File& other, double tolerance) {
  ResultComparison found;
  Comparer(tolerance, found).groups(one, other, "");
  return found;
}

}  // namespace gaia
