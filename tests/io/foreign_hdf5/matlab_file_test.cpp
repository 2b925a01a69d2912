// SPDX-License-Identifier: MIT
#include "../../../src/io/foreign_hdf5/matlab_file.h"

#include <zlib.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "../../../src/core/error.h"
#include "../../../src/io/foreign_hdf5/hdf5_reader.h"
#include "../../../src/io/formats/file_format.h"
#include "../../../src/io/hdf5_series.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/temp_dir.h"
#include "../recordings/recorded.h"

namespace gaia {
namespace {

using namespace test;
using Values = std::vector<double>;

template <class T>
std::string raw(T number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

std::string element(std::uint32_t type, const std::string& content) {
  std::string bytes = raw(type) + raw(static_cast<std::uint32_t>(content.size())) + content;
  bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
  return bytes;
}

std::string numbers(const std::vector<double>& values) {
  std::string bytes;
  for (const double value : values) bytes += raw(value);
  return bytes;
}

/// An array of a class (6: double), whose numbers are stored as `stored`.
std::string array(std::uint32_t kind, const std::vector<std::int32_t>& lengths,
                  const std::string& name, std::uint32_t stored, const std::string& content) {
  std::string axes;
  for (const std::int32_t length : lengths) axes += raw(length);
  return element(14, element(6, raw(kind) + raw(0u)) + element(5, axes) + element(1, name) +
                         element(stored, content));
}

std::string file_of(const std::string& variables) {
  std::string header = "MATLAB 5.0 MAT-file";
  header.resize(124, ' ');
  return header + raw(std::uint16_t{0x0100}) + "IM" + variables;
}

std::string packed(const std::string& variable) {
  std::string to(compressBound(variable.size()), '\0');
  uLongf length = to.size();
  REQUIRE(compress(reinterpret_cast<Bytef*>(to.data()), &length,
                   reinterpret_cast<const Bytef*>(variable.data()), variable.size()) == Z_OK);
  to.resize(length);
  return raw(15u) + raw(static_cast<std::uint32_t>(to.size())) + to;
}

std::string error_of(const std::string& content, const FileOptions& options = {}) {
  const test::TempDir folder;
  const std::string path = folder.write("a.mat", content);
  std::string told;
  // The same of the process of its own, and within this one.
  for (const bool trusted : {true, false}) {
    FileOptions asked = options;
    asked.reader.trusted = trusted;
    const std::string here =
        test::complaint_about<Error>(path, [&] { read_all(*open_hdf5(path, asked)); });
    if (trusted) told = here;
    CHECK(here == told);
  }
  return told;
}

TEST_CASE("MATLAB 5: the values that scipy reads, to the bit, packed or not, trusted or not") {
  for (const char* name : {"plain.mat", "packed.mat"}) {
    for (const bool trusted : {false, true}) {
      INFO(name << (trusted ? ", trusted" : ""));
      FileOptions options = {.dataset = "x", .reader = {.trusted = trusted}};
      const auto x = open_hdf5(recorded(name), options);
      CHECK(x->rows() == 60);
      CHECK(x->channels() == 3);
      CHECK(read_all(*x) == values_of_others("plain_mat_x.npy"));
      CHECK_FALSE(x->sample_rate());
      options.axes.transpose = true;
      CHECK(open_hdf5(recorded(name), options)->channels() == 60);
      options = {
          .dataset = "trials", .reader = {.trusted = trusted}, .axes = {.trials = {{0, 1, 2}}}};
      const auto trials = open_hdf5(recorded(name), options);
      CHECK(trials->trial_starts() == std::vector<std::int64_t>{0, 10, 20, 30});
      CHECK(read_all(*trials) == read_all(*open_npy(recorded("plain_mat_trials.npy"),
                                                    {.axes = {.trials = {{0, 1, 2}}}})));
      test::check_any_cut([&] {
        return open_hdf5(recorded(name), {.dataset = "x", .reader = {.trusted = trusted}});
      });
    }
  }
}

TEST_CASE("MATLAB 5: every class of numbers") {
  for (const char* name : {"plain.mat", "packed.mat"}) {
    const auto reader = hdf5::open_reader(recorded(name));
    const auto check = [&](const char* variable, hdf5::Type type, const auto& value) {
      INFO(name << " " << variable);
      const hdf5::DatasetDescription* dataset = reader->contents().dataset(variable);
      REQUIRE(dataset != nullptr);
      CHECK(dataset->refusal.empty());
      CHECK(dataset->type == type);
      CHECK(dataset->shape == std::vector<std::int64_t>{60});
      const Values values = reader->read<double>(*dataset);
      for (int i = 0; i < 60; ++i) CHECK(values[static_cast<std::size_t>(i)] == value(i));
    };
    check("/whole", hdf5::Type::float64, [](int i) { return i * i; });
    check("/i8", hdf5::Type::int32, [](int i) { return i - 20; });
    check("/u8", hdf5::Type::uint8, [](int i) { return i + 190; });
    check("/i16", hdf5::Type::int32, [](int i) { return i * 1000 - 30000; });
    check("/u16", hdf5::Type::int32, [](int i) { return i * 1000; });
    check("/i32", hdf5::Type::int32, [](int i) { return i * 7e7 - 2e9; });
    check("/u32", hdf5::Type::int64, [](int i) { return i * 7e7; });
    check("/truth", hdf5::Type::uint8, [](int i) { return i % 3 == 0 ? 1 : 0; });
    const auto& contents = reader->contents();
    const auto whole = [&](const char* variable) {
      return reader->read<std::int64_t>(*contents.dataset(variable));
    };
    CHECK(whole("/i64")[59] == 59 - (std::int64_t{1} << 53));
    CHECK(whole("/u64")[59] == 59 + (std::int64_t{1} << 53));
    CHECK(contents.dataset("/single_row")->type == hdf5::Type::float32);
    CHECK(reader->read<float>(*contents.dataset("/single_row"))[59] == 1.0f);
    CHECK(contents.dataset("/one")->shape.empty());
    CHECK(reader->read<double>(*contents.dataset("/one")) == Values{7.5});
    CHECK(contents.dataset("/none")->shape == std::vector<std::int64_t>{0, 3});
  }
}

TEST_CASE("MATLAB 5: labels, targets and times are variables beside the one that is read") {
  const auto series =
      open_hdf5(recorded("packed.mat"),
                {.dataset = "x", .side = {.time = "whole", .targets = {"i16"}, .labels = "truth"}});
  CHECK(series->classes() == std::vector<std::string>{"0", "1"});
  CHECK(std::get<Values>(*series->take_times())[59] == 59.0 * 59.0);
  CHECK(series->channels() == 3);
}

TEST_CASE("MATLAB 5: what holds no real numbers is refused by its class, with the way out") {
  for (const char* name : {"plain.mat", "packed.mat"}) {
    const auto told = [&](const char* variable) {
      return test::complaint_about<Error>(
          recorded(name), [&] { open_hdf5(recorded(name), {.dataset = variable}); });
    };
    CHECK(told("wave_of_z") ==
          ": /wave_of_z: is a complex double array, expected an array of real numbers; save "
          "real(wave_of_z), imag(wave_of_z) or abs(wave_of_z)");
    CHECK(told("sparse_one")
              .find("is a sparse array, expected an array of real numbers; save "
                    "full(sparse_one)") != std::string::npos);
    CHECK(told("cells").find("is a cell array") != std::string::npos);
    CHECK(told("fields").find("is a struct, expected an array of real numbers; save its fields as "
                              "variables, by save('NEW.mat', '-struct', 'fields')") !=
          std::string::npos);
    CHECK(told("text").find("is a char array") != std::string::npos);
    CHECK(told("none").find("expected shape [rows] or [rows, columns], got [0, 3]") !=
          std::string::npos);
    CHECK(told("absent").find("has no dataset 'absent'") != std::string::npos);
    CHECK(told("").find("holds several datasets; say which one: ") != std::string::npos);
  }
}

TEST_CASE("MATLAB 5: both orders of bytes") {
  std::string swapped = "MATLAB 5.0 MAT-file";
  swapped.resize(124, ' ');
  swapped += std::string("\x01\x00", 2) + "MI";
  const auto put = [](auto number) {
    std::string bytes = raw(number);
    return std::string(bytes.rbegin(), bytes.rend());
  };
  const auto tag = [&](std::uint32_t type, std::uint32_t bytes) { return put(type) + put(bytes); };
  std::string inner = tag(6, 8) + put(6u) + put(0u) + tag(5, 8) + put(2u) + put(2u) +
                      put(0x00010001u) + "x" + std::string(3, '\0') + tag(9, 32);
  for (const double value : {1.0, 2.0, -3.5, 4e100}) inner += put(value);
  swapped += tag(14, static_cast<std::uint32_t>(inner.size())) + inner;
  const test::TempDir folder;
  CHECK(read_all(*open_hdf5(folder.write("a.mat", swapped))) == Values{1.0, -3.5, 2.0, 4e100});
}

TEST_CASE("MATLAB 5: variables that lie are told, with the byte at which they begin") {
  const auto of = [](const std::string& variables) { return error_of(file_of(variables)); };
  const std::string good = array(6, {2, 2}, "x", 9, numbers({1, 2, 3, 4}));
  REQUIRE(of(good).empty());
  REQUIRE(of(packed(good)).empty());
  // libmatio 1.5 hands out memory that nobody has written for this one.
  CHECK(of(array(6, {6, 2}, "x", 9, numbers({1, 2, 3, 4}))) ==
        ": byte 128: expected 96 bytes of numbers of variable 'x', whose axes are [6, 2], got 32");
  CHECK(of(packed(array(6, {6, 2}, "x", 9, numbers({1, 2, 3, 4})))) ==
        ": byte 128: expected 96 bytes of numbers of variable 'x', whose axes are [6, 2], got 32");
  CHECK(of(array(6, {1, 2}, "x", 9, numbers({1, 2, 3, 4}))).find("got 32") != std::string::npos);
  CHECK(of(array(6, {-2, 2}, "x", 9, numbers({1, 2, 3, 4}))) ==
        ": byte 128: expected lengths of axes of a variable, 0 or more, got -2");
  const std::int32_t most = std::numeric_limits<std::int32_t>::max();
  CHECK(of(array(6, {most, most, most}, "x", 9, numbers({1, 2, 3, 4})))
            .find("expected more than 2^63 bytes of numbers of variable 'x'") != std::string::npos);
  CHECK(of(array(6, {most, 2}, "x", 9, numbers({1, 2, 3, 4})))
            .find("expected 34359738352 bytes of numbers") != std::string::npos);
  CHECK(of(array(6, {4}, "x", 9, numbers({1, 2, 3, 4}))).find("2 to 32 lengths of axes") !=
        std::string::npos);
  CHECK(of(array(6, std::vector<std::int32_t>(40, 1), "x", 9, numbers({1})))
            .find("2 to 32 lengths of axes") != std::string::npos);
  CHECK(of(array(6, {2, 2}, "x", 99, numbers({1, 2, 3, 4}))) ==
        ": byte 128: expected numbers of variable 'x', got an element of type 99");
  CHECK(of(array(77, {2, 2}, "x", 9, numbers({1, 2, 3, 4})))
            .find("is of a class that is not known (77)") != std::string::npos);
  CHECK(of(array(6, {2, 2}, "x\n", 9, numbers({1, 2, 3, 4}))).find("expected a name") ==
        std::string::npos);  // an end of a line stays printable
  CHECK(of(array(6, {2, 2}, "\xff", 9, numbers({1, 2, 3, 4})))
            .find("expected a name of a variable in UTF-8") != std::string::npos);
  CHECK(of(good + good) == ": byte 224: expected variables of different names, got 'x' again");
  CHECK(of(raw(9u) + raw(8u) + numbers({1})) ==
        ": byte 128: expected a variable, an element of type 14 or 15, got one of type 9");
  CHECK(of(raw(14u) + raw(0xffffffffu) + good) ==
        ": byte 132: expected a variable of 96 bytes at most, where the file ends, got 4294967295");
  CHECK(of(with(good, 8, raw(6u) + raw(0xfffffff0u)))
            .find(": byte 128: expected the flags of a variable of 88 bytes that end within it") ==
        0);
  CHECK(of(raw(15u) + raw(8u) + "no zlib!").find("a variable that is packed by zlib") !=
        std::string::npos);
  CHECK(of(packed(element(9, numbers({1})))).find("an array that is packed") != std::string::npos);
  CHECK(of("").find("holds no dataset") != std::string::npos);
  CHECK(of("1234567").find("expected 1 bytes more, got the end of the file") != std::string::npos);
  std::string order = file_of(good);
  CHECK(error_of(with(order, 126, "XX")) ==
        ": byte 126: expected the order of bytes, 'IM' or 'MI', got 'XX'");
}

TEST_CASE("MATLAB 5: what is packed claims no more than it can hold, and is whole") {
  // 2 GiB of zeros in an array whose packed bytes are few.
  std::string claim = array(6, {2, 2}, "x", 9, numbers({1, 2, 3, 4}));
  claim = with(claim, 4, raw(0x7ffffff0u));
  const std::string told = error_of(file_of(packed(claim)));
  CHECK(told.find(": byte 128: expected at most ") == 0);
  CHECK(told.find("bytes of an array in ") != std::string::npos);
  Values many(100000);
  std::iota(many.begin(), many.end(), 0.0);
  const std::string good = packed(array(6, {100000, 1}, "x", 9, numbers(many)));
  REQUIRE(error_of(file_of(good)).empty());
  // A byte in the middle, and the sum at the end.
  for (const std::size_t back : {std::size_t{1}, good.size() / 2}) {
    std::string damaged = good;
    damaged[damaged.size() - back] = static_cast<char>(damaged[damaged.size() - back] ^ 0x55);
    CHECK(error_of(file_of(damaged)).find(": byte 128: expected ") == 0);
  }
  // More than the tag says, and less.
  for (const int by : {8, -8}) {
    std::string array_of_it = array(6, {100000, 1}, "x", 9, numbers(many));
    const auto length = static_cast<std::uint32_t>(array_of_it.size() - 8);
    array_of_it = with(array_of_it, 4, raw(length + static_cast<std::uint32_t>(by)));
    CHECK(error_of(file_of(packed(array_of_it))).find(": byte 128: expected ") == 0);
  }
}

TEST_CASE("MATLAB 5: a file that is cut anywhere is told, but where a variable ends") {
  for (const char* name : {"plain.mat", "packed.mat"}) {
    const std::string good = bytes_of_recorded(name);
    std::vector<std::size_t> ends = {128};
    while (ends.back() < good.size()) {
      std::uint32_t length = 0;
      std::memcpy(&length, good.data() + ends.back() + 4, 4);
      ends.push_back(ends.back() + 8 + length);
    }
    REQUIRE(ends.back() == good.size());
    const test::TempDir folder;
    const std::string path = folder.path("a.mat");
    for (std::size_t length = 0; length < good.size(); length += 3) {
      INFO(name << " " << length);
      folder.write("a.mat", good.substr(0, length));
      const bool is_end = std::find(ends.begin(), ends.end(), length) != ends.end();
      const std::string told =
          test::complaint_about<Error>(path, [&] { hdf5::open_reader(path, {.trusted = true}); });
      CHECK(told.empty() == is_end);
    }
  }
}

FOLDER_TEST_CASE("MATLAB 5: the format is known by its bytes, and another one is told") {
  const std::string path = folder.write("a.mat", std::string(200, '\0'));
  const FileFormat* const format = format_of_file(path);
  REQUIRE(format != nullptr);
  CHECK(format->endings() == std::vector<std::string>{".mat"});
  CHECK(test::complaint_about(path, [&] { format->open(path, {}); }) ==
        ": is not a MATLAB file of version 5 to 7.3 by its first bytes; save it with '-v7' or "
        "'-v7.3'");
  CHECK(format_of_file(recorded("plain.mat")) == format);
  const FileSurvey survey = format->survey({recorded("packed.mat")});
  CHECK(survey.options.dataset == "/x");
}

}  // namespace
}  // namespace gaia
