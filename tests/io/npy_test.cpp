// SPDX-License-Identifier: MIT
#include "../../src/io/npy.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/log_capture.h"
#include "../support/special_numbers.h"
#include "../support/temp_dir.h"
#include "read_series.h"
#include "write_npy.h"

namespace gaia {
namespace {

using namespace test;
using Values = std::vector<double>;

Values values_of(const std::string& content, const FileOptions& options = {}) {
  const test::TempDir folder;
  return read_all(*open_npy(folder.write("a.npy", content), options));
}

/// What is said when a file is opened, after its name.
template <class Kind = DataError>
std::string error_of(const std::string& content, const FileOptions& options = {}) {
  const test::TempDir folder;
  const std::string path = folder.write("a.npy", content);
  return test::complaint_about<Kind>(path, [&] { open_npy(path, options); });
}

template <class T>
void check_type(const std::string& descr) {
  INFO(descr);
  const std::vector<T> numbers = {T(0), T(1), std::numeric_limits<T>::lowest(),
                                  std::numeric_limits<T>::max()};
  Values expected;
  for (const T number : numbers) expected.push_back(static_cast<double>(number));
  const bool is_rounded = std::is_integral_v<T> && sizeof(T) == 8;
  const test::LogCapture log;
  CHECK(values_of(npy(descr, "(4,)", numbers)) == expected);
  CHECK(values_of(npy(descr, "(2, 2)", numbers)) == expected);
  CHECK(log.count(LogLevel::warning, "beyond 2^53 are rounded") == (is_rounded ? 2 : 0));
  CHECK(log.lines.size() == (is_rounded ? 2 : 0));
}

TEST_CASE("open_npy reads numbers of every type") {
  check_type<std::int8_t>("|i1");
  check_type<std::int16_t>("<i2");
  check_type<std::int32_t>("<i4");
  check_type<std::int64_t>("<i8");
  check_type<std::uint8_t>("|u1");
  check_type<std::uint16_t>("<u2");
  check_type<std::uint32_t>("<u4");
  check_type<std::uint64_t>("<u8");
  check_type<float>("<f4");
  check_type<double>("<f8");
  CHECK(values_of(npy<std::uint8_t>("|b1", "(3,)", {0, 1, 255})) == Values{0.0, 1.0, 1.0});
}

TEST_CASE("open_npy reads one and two dimensions, in both orders") {
  const std::vector<double> numbers = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  const test::TempDir folder;
  const auto line = open_npy(folder.write("line.npy", npy("<f8", "(6,)", numbers)));
  CHECK(line->rows() == 6);
  CHECK(line->channel_names() == std::vector<std::string>{"0"});
  const auto table = open_npy(folder.write("table.npy", npy("<f8", "(2, 3)", numbers)));
  CHECK(table->rows() == 2);
  CHECK(table->channel_names() == std::vector<std::string>{"0", "1", "2"});
  CHECK(read_all(*table) == numbers);
  CHECK(values_of(npy("<f8", "(2, 3)", numbers, "True")) == Values{1.0, 3.0, 5.0, 2.0, 4.0, 6.0});
  CHECK(values_of(npy("<f8", "(6,)", numbers, "True")) == numbers);
  CHECK(values_of(npy("<f8", "(6, 1)", numbers, "True")) == numbers);
}

TEST_CASE("open_npy reads all versions of the format") {
  const std::vector<float> numbers = {1.0f, 2.0f};
  for (const int major : {1, 2, 3}) {
    CHECK(values_of(npy("<f4", "(2,)", numbers, "False", major)) == Values{1.0, 2.0});
  }
  CHECK(error_of(npy("<f4", "(2,)", numbers, "False", 4)) ==
        ": expected version 1.0, 2.0 or 3.0 of the NPY format, got 4.0");
}

TEST_CASE("open_npy selects columns by index, in the order asked for") {
  const std::vector<std::int16_t> numbers = {1, 2, 3, 4, 5, 6};
  for (const char* fortran : {"False", "True"}) {
    const std::string content =
        npy("<i2", "(2, 3)",
            std::string(fortran) == "True" ? std::vector<std::int16_t>{1, 4, 2, 5, 3, 6} : numbers,
            fortran);
    CHECK(values_of(content, {.columns = {"2", "0"}}) == Values{3.0, 1.0, 6.0, 4.0});
  }
  CHECK(error_of<ArgumentError>(npy("<i2", "(2, 3)", numbers), {.columns = {"3"}}) ==
        ": unknown column 3; the file has columns 0 to 2: '0', '1', '2'");
  CHECK(error_of<ArgumentError>(npy("<i2", "(2, 3)", numbers), {.columns = {"signal"}}) ==
        ": unknown column 'signal'; known: '0', '1', '2'");
  CHECK(error_of<ArgumentError>(npy("<i2", "(2, 3)", numbers), {.columns = {"1", "1"}}) ==
        ": column '1' is asked for twice");
}

/// [rows, 3] with gaps in two columns.
std::vector<double> with_gaps(std::size_t rows) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < rows; ++i) {
    numbers.push_back(static_cast<double>(i));
    numbers.push_back(i % 7 < 3 ? kNaN : 2.0 * static_cast<double>(i));
    numbers.push_back(i % 50 > 30 ? kNaN : std::sin(static_cast<double>(i)));
  }
  return numbers;
}

FOLDER_TEST_CASE("open_npy gives the same numbers however they are cut into blocks") {
  const std::string content = npy("<f8", "(200, 3)", with_gaps(200));
  const std::string path = folder.write("a.npy", content);
  test::check_any_cut([&] { return open_npy(path, {.missing = MissingPolicy::interpolate}); });
  const std::string fortran = folder.write("f.npy", npy("<f8", "(200, 3)", with_gaps(200), "True"));
  test::check_any_cut([&] { return open_npy(fortran, {.missing = MissingPolicy::interpolate}); });
}

TEST_CASE("open_npy reads more than is held at once") {
  constexpr std::size_t kRows = 300000;
  std::vector<std::int32_t> numbers(2 * kRows);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(7 * i);
  bool is_same = true;
  const Values c_order = values_of(npy("<i4", "(300000, 2)", numbers));
  const Values fortran_order = values_of(npy("<i4", "(300000, 2)", numbers, "True"));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    is_same = is_same && c_order[i] == static_cast<double>(numbers[i]) &&
              fortran_order[i] == static_cast<double>(numbers[i % 2 * kRows + i / 2]);
  }
  CHECK(is_same);
}

/// Columns of rows of three, each gap with the value before it.
Values held_columns(const std::vector<double>& rows, const std::vector<std::size_t>& columns) {
  Values held;
  for (std::size_t first = 0; first < rows.size(); first += 3) {
    for (const std::size_t column : columns) {
      std::size_t at = first + column;
      while (std::isnan(rows[at])) at -= 3;
      held.push_back(rows[at]);
    }
  }
  return held;
}

TEST_CASE("open_npy reads columns that follow each other, and all, over many pieces") {
  // Some pieces of the bytes, and of what is looked through; without the gaps that begin it.
  std::vector<double> rows = with_gaps(90003);
  rows.erase(rows.begin(), rows.begin() + 9);
  const std::string content = npy("<f8", "(90000, 3)", rows);
  const auto read = [&](std::vector<std::string> columns) {
    return values_of(content, {.columns = std::move(columns), .missing = MissingPolicy::hold});
  };
  CHECK((read({}) == held_columns(rows, {0, 1, 2})));
  CHECK((read({"1", "2"}) == held_columns(rows, {1, 2})));
  CHECK((read({"0", "1"}) == held_columns(rows, {0, 1})));
  CHECK((read({"2", "1"}) == held_columns(rows, {2, 1})));
}

TEST_CASE("open_npy takes NaN for a missing value") {
  const std::vector<float> numbers = {1.0f, NAN, 3.0f, NAN, NAN};
  CHECK(values_of(npy("<f4", "(5,)", numbers), {.missing = MissingPolicy::interpolate}) ==
        Values{1.0, 2.0, 3.0, 3.0, 3.0});
  CHECK(error_of(npy("<f4", "(5,)", numbers)) ==
        ": expected no missing values, got 3, the first in row 1, column '0'; data.missing: "
        "hold fills them (for gaia apply: --missing hold)");
  CHECK(error_of(npy("<f8", "(2, 2)", Values{1.0, kNaN, 2.0, kNaN}),
                 {.missing = MissingPolicy::interpolate}) == ": column '1' has no values at all");
  // A column that is not asked for may miss what it likes.
  CHECK(values_of(npy("<f8", "(2, 2)", Values{1.0, kNaN, 2.0, kNaN}), {.columns = {"0"}}) ==
        Values{1.0, 2.0});
}

TEST_CASE("open_npy refuses infinite values") {
  CHECK(error_of(npy("<f8", "(2, 2)", Values{1.0, 2.0, 3.0, -INFINITY})) ==
        ": row 1, column '1': expected a finite number, got -inf");
}

TEST_CASE("open_npy refuses shapes that are no series") {
  const std::vector<double> numbers(6);
  CHECK(error_of(npy("<f8", "()", Values{1.0})) ==
        ": expected shape [rows] or [rows, columns], got []");
  CHECK(error_of(npy("<f8", "(1, 2, 3)", numbers)) ==
        ": expected shape [rows] or [rows, columns], got [1, 2, 3]; data.trials: {axes: [trial, "
        "time, channel]} reads three axes");
  CHECK(error_of(npy("<f8", "(0,)", Values{})) ==
        ": expected at least one row and 1 to 100000 columns, got shape [0]");
  CHECK(error_of(npy("<f8", "(3, 0)", Values{})) ==
        ": expected at least one row and 1 to 100000 columns, got shape [3, 0]");
  CHECK(error_of(npy("<f8", "(1, 100001)", Values(100001))) ==
        ": expected at least one row and 1 to 100000 columns, got shape [1, 100001]");
}

TEST_CASE("open_npy does not trust a shape") {
  const std::vector<double> numbers(6);
  CHECK(error_of(npy("<f8", "(7,)", numbers)) ==
        ": expected 56 bytes of numbers for shape [7], got 48");
  CHECK(error_of(npy("<f8", "(5,)", numbers)) ==
        ": expected 40 bytes of numbers for shape [5], got 48");
  CHECK(error_of(npy("<f8", "(1152921504606846976, 2)", numbers)) ==
        ": expected a shape that 64 bits can count, got [1152921504606846976, 2]");
  CHECK(error_of(npy("<f8", "(4611686018427387904, 4)", numbers)) ==
        ": expected a shape that 64 bits can count, got [4611686018427387904, 4]");
  // 2^61 * 8 = 2^64, which would be 0.
  CHECK(error_of(npy("<f8", "(2305843009213693952,)", Values{})) ==
        ": expected a shape that 64 bits can count, got [2305843009213693952]");
}

TEST_CASE("open_npy refuses what is no NPY file") {
  const std::string foreign = ": expected an NPY file, got one that does not begin like it";
  CHECK(error_of("") == foreign);
  CHECK(error_of("\x93NUMPY") == foreign);
  CHECK(error_of("PK\x03\x04 a zip file of arrays") == foreign);
  const std::string good = npy("<f8", "(2,)", Values{1.0, 2.0});
  for (std::size_t length = 0; length < good.size(); ++length) {
    CHECK(error_of(good.substr(0, length)) != "");
  }
  CHECK(error_of(good.substr(0, 40)) == ": expected more bytes, got the end of the file");
  std::string huge = npy("<f8", "(2,)", Values{1.0, 2.0}, "False", 2);
  huge[8] = huge[9] = huge[10] = huge[11] = '\xff';
  CHECK(error_of(huge) == ": expected a header of at most 65536 bytes, got 4294967295");
}

TEST_CASE("open_npy survives any byte anywhere in its header") {
  const std::string good = npy("<f8", "(2, 2)", Values{1.0, 2.0, 3.0, 4.0});
  int read = 0;
  for (std::size_t i = 0; i < 128; ++i) {
    for (const char c : std::string("\0\xff{}()',:1 9TF<>", 16)) {
      std::string content = good;
      content[i] = c;
      try {
        if (values_of(content).size() == 4) ++read;
      } catch (const DataError&) {
      }
    }
  }
  CHECK(read > 100);
}

FOLDER_TEST_CASE("open_npy notices a file that changes") {
  const std::string path = folder.write("a.npy", npy("<f8", "(4,)", Values(4)));
  const auto series = open_npy(path);
  CHECK(read_rows(*series, 0, 2) == Values(2));
  folder.write("a.npy", npy("<f8", "(2,)", Values(2)));
  CHECK_THROWS_WITH(read_rows(*series, 2, 2), path + ": the file changed while it was read");
}

FOLDER_TEST_CASE("open_npy refuses rows that do not exist and files that do not") {
  const auto series = open_npy(folder.write("a.npy", npy("<f8", "(4,)", Values(4))));
  Values block(8);
  CHECK_THROWS_AS(series->read(3, 2, block), ArgumentError);
  CHECK_THROWS_AS(series->read(-1, 1, block), ArgumentError);
  CHECK_THROWS_AS(series->read_latents(0, 1, block), ArgumentError);
  CHECK_THROWS_WITH(open_npy(folder.path("absent.npy")),
                    folder.path("absent.npy") + ": cannot be opened: No such file or directory");
}

}  // namespace
}  // namespace gaia
