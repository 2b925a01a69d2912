// SPDX-License-Identifier: MIT
#include "../../../src/io/recordings/edf_series.h"

#include <cmath>
#include <cstring>

#include "../../../src/core/error.h"
#include "../../../src/io/joined_series.h"
#include "../../../src/io/recordings/edf_annotations.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/log_capture.h"
#include "../../support/temp_dir.h"
#include "recorded.h"

namespace gaia {
namespace {

using namespace test;
using Values = std::vector<double>;
using Names = std::vector<std::string>;

std::string edf_error(const std::string& content, const FileOptions& options = {}) {
  const test::TempDir folder;
  const std::string path = folder.write("a.edf", content);
  return test::complaint_about<Error>(path, [&] { open_edf(path, options); });
}

/// Offset of a field of a signal: so many bytes of every signal stand before it.
std::size_t field_of(const std::string& file, std::size_t before, std::size_t width,
                     std::size_t signal) {
  const auto count = static_cast<std::size_t>(std::stoi(file.substr(252, 4)));
  return 256 + before * count + width * signal;
}

Values times_of(FileSeries& series) { return std::get<Values>(*series.take_times()); }

/// The name of the class of each row, "" where there is none.
Names labels_of(FileSeries& series) {
  const auto count = static_cast<std::size_t>(series.rows());
  Values rows(count * static_cast<std::size_t>(series.channels()));
  std::vector<SideValues> side(1);
  const std::vector<std::size_t> wanted = {series.side_columns().size() - 1};
  series.read_with_side(0, series.rows(), rows, wanted, side);
  Names names;
  for (const std::int64_t code : std::get<std::vector<std::int64_t>>(side[0])) {
    names.push_back(code < 0 ? "" : series.classes()[static_cast<std::size_t>(code)]);
  }
  return names;
}

TEST_CASE("EDF and BDF: the physical values that pyedflib reads, to the bit") {
  const auto plain = open_edf(recorded("plain.edf"));
  CHECK(plain->channel_names() == Names{"EEG Fpz-Cz", "EEG Pz-Oz", "EOG"});
  CHECK(plain->rows() == 64);
  CHECK(plain->sample_rate() == 16.0);
  CHECK(read_all(*plain) == values_of_others("plain_edf.npy"));
  const auto plus = open_edf(recorded("plus.edf"), {.columns = {"C3", "C4"}});
  CHECK(read_all(*plus) == values_of_others("plus_edf.npy"));
  const auto bdf = open_edf(recorded("plain.bdf"));
  CHECK(bdf->channel_names() == Names{"A1", "Status"});
  CHECK(read_all(*bdf) == values_of_others("plain_bdf.npy"));
  test::check_any_cut([] { return open_edf(recorded("plain.edf")); });
  test::check_any_cut([] { return open_edf(recorded("plain.bdf")); });
}

TEST_CASE("EDF: records that are longer than what is held at once") {
  // One signal of 600 000 samples in a record of 1.2 MB, by a header of our own.
  const std::string one = bytes_of_recorded("plain.edf");
  std::string file = one.substr(0, 256);
  file = with(file, 184, "512     ");
  file = with(file, 236, "2       ");
  file = with(file, 252, "1   ");
  for (const auto& [before, width] : std::vector<std::pair<std::size_t, std::size_t>>{
           {0, 16}, {16, 80}, {96, 8}, {104, 8}, {112, 8}, {120, 8}, {128, 8}, {136, 80}}) {
    file += one.substr(field_of(one, before, width, 0), width);
  }
  file += "600000  " + std::string(32, ' ');
  REQUIRE(file.size() == 512);
  for (int i = 0; i < 1200000; ++i) {
    const auto number = static_cast<std::int16_t>(i * 7);
    file.append(reinterpret_cast<const char*>(&number), 2);
  }
  const test::TempDir folder;
  const auto series = open_edf(folder.write("a.edf", file));
  REQUIRE(series->rows() == 1200000);
  CHECK(series->sample_rate() == 600000.0);
  const EdfSignal scale = read_edf_header(InputFile(folder.path("a.edf"))).signals.front();
  const Values rows = test::read_rows(*series, 599998, 5);
  for (int i = 0; i < 5; ++i) {
    const auto digital = static_cast<std::int16_t>((599998 + i) * 7);
    CHECK(rows[static_cast<std::size_t>(i)] == scale.gain * (scale.shift + digital));
  }
}

TEST_CASE("EDF: signals of several rates are an error that names them, and columns choose") {
  const std::string told = test::complaint_about<DataKeyError>(
      recorded("plus.edf"), [] { open_edf(recorded("plus.edf")); });
  CHECK(told ==
        ": expected signals of one rate, got 16 Hz ('C3' and 1 more), 2 Hz ('Temp'); data.columns "
        "names those of one of them");
  const auto slow = open_edf(recorded("plus.edf"), {.columns = {"Temp"}});
  CHECK(slow->rows() == 8);
  CHECK(slow->sample_rate() == 2.0);
  CHECK_THROWS_AS(
      open_edf(recorded("plus.edf"), {.columns = {"C3"}, .side = {.targets = {"Temp"}}}),
      DataKeyError);
  CHECK_THROWS_WITH_TEXT(open_edf(recorded("plus.edf"), {.columns = {"C9"}}), ArgumentError,
                         "unknown column 'C9'");
  const auto target =
      open_edf(recorded("plus.edf"), {.columns = {"C3"}, .side = {.targets = {"C4"}}});
  CHECK(target->channels() == 1);
  const EdfHeader header = read_edf_header(InputFile(recorded("plus.edf")));
  CHECK(signals_of_most_common_rate(header) == std::vector<std::size_t>{0, 2});
}

TEST_CASE("EDF+: annotations are labels of the rows in which they hold") {
  const auto series =
      open_edf(recorded("plus.edf"), {.columns = {"C3", "C4"}, .side = {.labels = "annotations"}});
  CHECK(series->classes() == Names{"click", "left", "rest"});
  Names expected;
  for (int row = 0; row < 64; ++row) {
    const double time = row / 16.0;
    expected.push_back(row == 36     ? "click"  // at 2.25 s, without a duration
                       : time < 1.5  ? "rest"
                       : time < 2.5  ? "left"
                       : time >= 3.0 ? "rest"
                                     : "");
  }
  CHECK(labels_of(*series) == expected);
  CHECK_THROWS_WITH_TEXT(open_edf(recorded("plain.edf"), {.side = {.labels = "annotations"}}),
                         DataKeyError, "holds no annotations with a text");
}

TEST_CASE("EDF+: of annotations that hold at once the last one counts, however many there are") {
  EdfHeader header;
  header.records = 1000;
  header.record_seconds = 1.0;
  std::vector<EdfAnnotation> annotations;
  // 200 000 that hold in all rows would take hours, were they written out one by one.
  for (int i = 0; i < 200000; ++i) annotations.push_back({0.0, 1e9, "all"});
  annotations.push_back({10.0, 5.0, "some"});
  annotations.push_back({-3.0, 4.0, "before"});
  annotations.push_back({1e6, 1.0, "after"});
  const Names labels = edf_labels(header, annotations, {{0, 0.0}}, 100);
  REQUIRE(labels.size() == 100000);
  CHECK(labels[0] == "before");
  CHECK(labels[99] == "before");
  CHECK(labels[100] == "all");
  CHECK(labels[999] == "all");
  CHECK(labels[1000] == "some");
  CHECK(labels[1499] == "some");
  CHECK(labels[1500] == "all");
  CHECK(labels.back() == "all");
}

TEST_CASE("EDF+D: trials begin after gaps, and times and annotations know of them") {
  const FileOptions options = {.columns = {"C3", "C4"},
                               .side = {.time = "time", .labels = "annotations"}};
  const auto series = open_edf(recorded("gaps.edf"), options);
  CHECK(series->trial_starts() == std::vector<std::int64_t>{0, 32});
  const Values times = times_of(*series);
  REQUIRE(times.size() == 64);
  CHECK(times[31] == 31 / 16.0);
  CHECK(times[32] == 5.0);
  CHECK(times[63] == 6.0 + 15 / 16.0);
  // "rest" from 3 s to 4 s is in the gap; "click" at 2.25 s is too, and is that of the first row
  // behind it.
  const Names labels = labels_of(*series);
  CHECK(labels[31] == "left");
  CHECK(labels[32] == "click");
  CHECK(labels[33].empty());
  CHECK(read_all(*series) == values_of_others("plus_edf.npy"));
  CHECK_THROWS_WITH_TEXT(
      open_edf(recorded("gaps.edf"), {.columns = {"C3"}, .side = {.trial_length = 10}}),
      DataKeyError, "has 1 gaps (EDF+D)");
  const auto split = open_files({recorded("gaps.edf")}, options, open_edf, GapPolicy::error);
  CHECK(split->trial_starts() == std::vector<std::int64_t>{0, 32});
}

TEST_CASE("EDF: seconds since the start as times, in one piece") {
  const auto series = open_edf(recorded("plain.edf"), {.side = {.time = "time"}});
  const Values times = times_of(*series);
  REQUIRE(times.size() == 64);
  CHECK(times[0] == 0.0);
  CHECK(times[63] == 63 / 16.0);
  CHECK(series->side_columns().front().name == "time");
  CHECK_THROWS_AS(open_edf(recorded("plain.edf"), {.side = {.time = "when"}}), DataKeyError);
}

TEST_CASE("EDF: the same rate of all files is that of the series, another one is not") {
  const FileOptions slow = {.columns = {"C3"}};
  const test::LogCapture log;
  const auto same = open_files({recorded("plus.edf"), recorded("gaps.edf")}, slow, open_edf);
  CHECK(same->sample_rate() == 16.0);
  CHECK(same->trial_starts() == std::vector<std::int64_t>{0, 64, 96});
  CHECK(log.lines.empty());
  const test::TempDir folder;
  const std::string other =
      folder.write("b.edf", with(bytes_of_recorded("plus.edf"), 244, "2       "));
  CHECK_FALSE(open_files({recorded("plus.edf"), other}, slow, open_edf)->sample_rate());
  CHECK(log.count(LogLevel::warning, "b.edf: its rate is 8 Hz, and that of ") == 1);
}

TEST_CASE("EDF: headers that lie are told, with the byte") {
  const std::string good = bytes_of_recorded("plain.edf");
  REQUIRE(edf_error(good).empty());
  const auto at = [&](std::size_t where, const std::string& text) {
    return edf_error(with(good, where, text));
  };
  CHECK(at(0, "1       ") == ": byte 0: expected the signature of EDF or BDF, got another");
  CHECK(at(184, "999     ") ==
        ": byte 184: expected a header of 1024 bytes for 3 signals, got 999");
  CHECK(at(184, "-1024   ") ==
        ": byte 184: expected a header of 1024 bytes for 3 signals, got -1024");
  CHECK(at(236, "0       ") ==
        ": byte 236: expected the number of data records, 1 or more, or -1 if it is not known, got "
        "0");
  CHECK(at(236, "many    ").substr(0, 12) == ": byte 236: ");
  CHECK(at(236, "-2      ").substr(0, 12) == ": byte 236: ");
  CHECK(at(236, "9999999 ") ==
        ": record 4: the file ends at byte 1408, expected 960000928 bytes: a header of 1024 and "
        "9999999 records of 96; with -1 as its number of records, at byte 236, the 4 whole ones "
        "are read");
  CHECK(at(236, "3       ") ==
        ": byte 1312: expected the end of the file after a header of 1024 bytes and 3 records of "
        "96, got 96 bytes more");
  for (const char* seconds : {"0       ", "-1      ", "nan     ", "inf     ", "1e-30   ",
                              "1e30    ", "        ", "1.0.0   "}) {
    INFO(seconds);
    CHECK(at(244, seconds).substr(0, 67) ==
          ": byte 244: expected the duration of a data record, 1e-9 s to 1e9 s");
  }
  CHECK(at(252, "0   ") == ": byte 252: expected the number of signals, 1 or more, got 0");
  CHECK(at(252, "9999").substr(0, 12) == ": byte 184: ");
  const auto field = [&](std::size_t before, std::size_t signal, const std::string& text) {
    return at(field_of(good, before, 8, signal), text);
  };
  CHECK(field(104, 0, "nan     ").find("the physical minimum of signal 0 ('EEG Fpz-Cz')") !=
        std::string::npos);
  CHECK(field(104, 1, good.substr(field_of(good, 112, 8, 1), 8))
            .find("a physical maximum of signal 1 ('EEG Pz-Oz') other than its minimum") !=
        std::string::npos);
  CHECK(field(120, 2, "101     ").find("a digital maximum of signal 2 ('EOG') above its minimum") !=
        std::string::npos);
  CHECK(field(120, 0, "32767   ").find(": byte ") == 0);  // digital minimum = maximum
  CHECK(field(120, 0, "-40000  ").find("of -32768 to 32767, got -40000") != std::string::npos);
  CHECK(field(128, 0, "32768   ").find(", got 32768") != std::string::npos);
  CHECK(field(112, 0, "1e308   ").empty());
  CHECK(edf_error(with(with(good, field_of(good, 104, 8, 0), "-1e308  "), field_of(good, 112, 8, 0),
                       "1e308   "))
            .find("between which numbers of 64 bits lie") != std::string::npos);
  for (const char* samples : {"0       ", "-5      ", "x       ", "1e3     "}) {
    INFO(samples);
    CHECK(field(216, 1, samples).find("the number of samples in a record of signal 1") !=
          std::string::npos);
  }
  CHECK(field(216, 1, "99999999").find(": record 0: the file ends at byte 1408") == 0);
  // More records of more bytes than 64 bits can count.
  std::string huge = good.substr(0, 256);
  huge = with(huge, 184, "2560000 ");
  huge = with(huge, 236, "99999999");
  huge = with(huge, 252, "9999");
  const std::vector<std::pair<std::size_t, std::string>> fields = {
      {16, "x"}, {80, ""}, {8, "uV"}, {8, "0"},        {8, "1"},
      {8, "0"},  {8, "1"}, {80, ""},  {8, "99999999"}, {32, ""}};
  for (const auto& [width, text] : fields) {
    for (int i = 0; i < 9999; ++i) huge += text + std::string(width - text.size(), ' ');
  }
  CHECK(edf_error(huge).find("are more than 64 bits can count") != std::string::npos);
}

TEST_CASE("EDF: a file that is cut anywhere is told, and one that does not know its end is read") {
  const std::string good = bytes_of_recorded("plain.edf");
  for (std::size_t length = 0; length < good.size(); ++length) {
    INFO(length);
    CHECK_FALSE(edf_error(good.substr(0, length)).empty());
  }
  const test::TempDir folder;
  const test::LogCapture log;
  const std::string cut = with(good, 236, "-1      ").substr(0, good.size() - 5);
  const auto series = open_edf(folder.write("a.edf", cut));
  CHECK(series->rows() == 48);
  CHECK(log.count(LogLevel::warning, "the 3 whole ones that it has are read") == 1);
  const Values expected = values_of_others("plain_edf.npy");
  CHECK(read_all(*series) == Values(expected.begin(), expected.begin() + 48 * 3));
}

TEST_CASE("EDF+: records and annotations that are damaged are told, with record and byte") {
  const std::string good = bytes_of_recorded("gaps.edf");
  const EdfHeader header = read_edf_header(InputFile(recorded("gaps.edf")));
  const EdfSignal& lists = header.signals.back();
  REQUIRE(lists.is_annotations);
  const auto place = [&](std::int64_t record) {
    return static_cast<std::size_t>(header.record_at(record) + lists.offset);
  };
  const FileOptions options = {.columns = {"C3"}, .side = {.labels = "annotations"}};
  const auto told = [&](std::int64_t record, std::size_t at, const std::string& text) {
    return edf_error(with(good, place(record) + at, text), options);
  };
  CHECK(told(1, 0, std::string(4, '\0')).find(": record 1: byte ") == 0);
  CHECK(told(1, 0, "1").find("expected an onset, +SECONDS or -SECONDS") != std::string::npos);
  CHECK(told(3, 1, "4").find(": record 3: expected it to begin at 6 s or later") == 0);
  CHECK(told(2, 1, "x").find(": record 2: byte ") == 0);
  CHECK(told(2, 2, "\x15-").find("a duration in seconds of an annotation") != std::string::npos);
  const auto whole = static_cast<std::size_t>(2 * lists.samples);
  CHECK(told(1, 0, "+1\x14" + std::string(whole - 3, 'a')).find("the byte 0x14 after a text") !=
        std::string::npos);
  CHECK(told(1, 0, "+1" + std::string(whole - 2, '\0')).find("the byte 0x14 after an onset") !=
        std::string::npos);
  CHECK(told(0, 0, "+1e9").find("expected an onset") != std::string::npos);
  // Without the signal of annotations nobody knows where the gaps are.
  std::string renamed = with(good, field_of(good, 0, 16, 3), "Something else  ");
  CHECK(edf_error(renamed, {.columns = {"C3"}}).find("has no signal of annotations") !=
        std::string::npos);
}

TEST_CASE("EDF: axes are those of a recording") {
  const FileOptions transposed = {.axes = {.transpose = true}};
  CHECK_THROWS_AS(open_edf(recorded("plain.edf"), transposed), DataKeyError);
}

}  // namespace
}  // namespace gaia
