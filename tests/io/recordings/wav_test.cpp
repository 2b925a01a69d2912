// SPDX-License-Identifier: MIT
#include "../../../src/io/recordings/wav.h"

#include <cstring>
#include <limits>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/temp_dir.h"
#include "recorded.h"

namespace gaia {
namespace {

using namespace test;
using Values = std::vector<double>;

std::string wav_error(const std::string& content, const FileOptions& options = {}) {
  const test::TempDir folder;
  const std::string path = folder.write("a.wav", content);
  return test::complaint_about<Error>(path, [&] { open_wav(path, options); });
}

template <class T>
std::string raw(T number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

TEST_CASE("WAV: the values that libsndfile reads, to the bit, of all kinds of samples") {
  struct Case {
    const char* name;
    std::int64_t channels;
    double rate;
  };
  for (const Case& one :
       {Case{"pcm8", 1, 11025}, Case{"pcm16", 2, 8000}, Case{"pcm24", 3, 44100},
        Case{"pcm32", 3, 44100}, Case{"float32", 3, 44100}, Case{"float64", 3, 44100},
        Case{"extensible", 3, 44100}, Case{"long", 3, 44100}}) {
    INFO(one.name);
    const std::string path = recorded(std::string(one.name) + ".wav");
    const auto series = open_wav(path);
    CHECK(series->channels() == one.channels);
    CHECK(series->channel_names().back() == std::to_string(one.channels - 1));
    CHECK(series->sample_rate() == one.rate);
    CHECK(read_all(*series) == values_of_others(std::string(one.name) + "_wav.npy"));
    test::check_any_cut([&] { return open_wav(path); });
  }
}

TEST_CASE("WAV: the integers that Python's wave reads are multiples of the smallest step") {
  const std::string file = bytes_of_recorded("pcm16.wav");
  const Values rows = read_all(*open_wav(recorded("pcm16.wav")));
  REQUIRE(rows.size() == 120);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::int16_t digital = 0;
    std::memcpy(&digital, file.data() + 44 + 2 * i, 2);
    CHECK(rows[i] * 32768.0 == digital);
  }
}

TEST_CASE("WAV: columns, targets, times and trials") {
  const auto series = open_wav(
      recorded("pcm24.wav"),
      {.columns = {"2", "0"}, .side = {.time = "time", .targets = {"1"}, .trial_length = 25}});
  CHECK(series->channel_names() == std::vector<std::string>{"2", "0"});
  CHECK(series->trial_starts() == std::vector<std::int64_t>{0, 25, 50});
  const Values times = std::get<Values>(*series->take_times());
  CHECK(times[59] == 59 / 44100.0);
  CHECK_THROWS_AS(open_wav(recorded("pcm24.wav"), {.columns = {"3"}}), ArgumentError);
  CHECK_THROWS_AS(open_wav(recorded("pcm24.wav"), {.axes = {.transpose = true}}), DataKeyError);
}

TEST_CASE("WAV: what stands before and behind the samples is left out") {
  const std::string good = bytes_of_recorded("pcm16.wav");
  // A chunk of an odd length, which is padded, before 'fmt '; another one behind the samples.
  const std::string more = good.substr(0, 12) + "LIST" + raw<std::uint32_t>(3) + "abc" + '\0' +
                           good.substr(12) + "id3 " + raw<std::uint32_t>(4) + "name";
  const test::TempDir folder;
  CHECK(read_all(*open_wav(folder.write("a.wav", more))) == values_of_others("pcm16_wav.npy"));
}

TEST_CASE("WAV: headers that lie are told, with the byte") {
  const std::string good = bytes_of_recorded("pcm16.wav");
  REQUIRE(good.substr(36, 4) == "data");
  REQUIRE(wav_error(good).empty());
  const auto at = [&](std::size_t where, const std::string& text) {
    return wav_error(with(good, where, text));
  };
  const auto u16 = [](int number) { return raw(static_cast<std::uint16_t>(number)); };
  const auto u32 = [](std::uint32_t number) { return raw(number); };
  CHECK(at(0, "RAFF") == ": byte 0: expected RIFF or RF64, and WAVE at byte 8, got something else");
  CHECK(at(8, "AVI ").substr(0, 8) == ": byte 0");
  CHECK(at(16, u32(15)) == ": byte 16: expected a chunk 'fmt ' of 16 bytes or more, got 15");
  CHECK(at(16, u32(0xfffffff0)) ==
        ": byte 16: expected a chunk 'fmt ' of at most 264 bytes, which the file has room for, got "
        "4294967280");
  CHECK(at(20, u16(2)).find("its samples are packed by ADPCM (0x0002), which is not read") !=
        std::string::npos);
  CHECK(at(20, u16(99)).find("a kind that is not known (0x0063)") != std::string::npos);
  CHECK(at(20, u16(3)) == ": byte 34: expected floating numbers of 32 or 64 bits, got 16");
  CHECK(at(20, u16(0xfffe)).find("an extensible chunk 'fmt ' of 40 bytes or more, got 16") !=
        std::string::npos);
  CHECK(at(22, u16(0)) == ": byte 22: expected 1 channel or more, got 0");
  CHECK(at(22, u16(3)) ==
        ": byte 32: expected frames of 6 bytes, for 3 channels of 16 bits, got 4");
  CHECK(at(22, u16(65535)).substr(0, 9) == ": byte 32");
  CHECK(at(24, u32(0)) == ": byte 24: expected a rate of 1 Hz or more, got 0");
  CHECK(at(34, u16(12)) == ": byte 34: expected integers of 8, 16, 24 or 32 bits, got 12");
  CHECK(at(36, "none").find("a chunk 'data', got the end of the file") != std::string::npos);
  CHECK(at(12, "none") == ": byte 36: expected a chunk 'fmt ' before the samples, got 'data'");
  CHECK(at(40, u32(241))
            .find(": byte 40: expected samples of 241 bytes, got 240, where the file "
                  "ends") == 0);
  CHECK(at(40, u32(239)) ==
        ": byte 40: expected samples of a multiple of 4 bytes, at least one frame, got 239");
  CHECK(at(40, u32(0)).substr(0, 9) == ": byte 40");
  CHECK(at(40, u32(0xffffffff)).find("its length is not known (0xffffffff)") != std::string::npos);
  // The long form, whose length is a number of 64 bits.
  const std::string wide = bytes_of_recorded("long.wav");
  REQUIRE(wide.substr(12, 4) == "ds64");
  REQUIRE(wav_error(wide).empty());
  CHECK(wav_error(with(wide, 28, raw<std::uint64_t>(~0ull)))
            .find(": byte 28: expected samples of 18446744073709551615 bytes") == 0);
  CHECK(wav_error(with(wide, 16, u32(8))).find("'ds64' of 24 bytes or more") != std::string::npos);
  const std::string guid = bytes_of_recorded("extensible.wav");
  CHECK(wav_error(with(guid, guid.find("fmt ") + 8 + 30, "x"))
            .find("the identifier of PCM or of floating numbers, got another one") !=
        std::string::npos);
}

TEST_CASE("WAV: a file that is cut anywhere is told") {
  for (const char* name : {"pcm16.wav", "long.wav", "extensible.wav"}) {
    const std::string good = bytes_of_recorded(name);
    const WavHeader header = read_wav_header(InputFile(recorded(name)));
    const std::int64_t end = header.data + header.frames * header.channels * header.sample_bytes;
    for (std::size_t length = 0; length < static_cast<std::size_t>(end); ++length) {
      INFO(name << " " << length);
      CHECK_FALSE(wav_error(good.substr(0, length)).empty());
    }
  }
}

TEST_CASE("WAV: more chunks than any file has are refused") {
  std::string many = "RIFF" + raw<std::uint32_t>(0) + "WAVE";
  for (int i = 0; i < 10001; ++i) many += "none" + raw<std::uint32_t>(0);
  CHECK(wav_error(many).find("a chunk 'data' among the first 10000") != std::string::npos);
}

TEST_CASE("WAV: floating samples may be missing, and are not infinite") {
  const std::string good = bytes_of_recorded("float32.wav");
  const std::size_t data = good.find("data") + 8;
  const std::string gap = with(good, data + 12 * 5, raw(std::nanf("")));
  CHECK(wav_error(gap).find("row 5") != std::string::npos);
  CHECK(wav_error(gap, {.missing = MissingPolicy::hold}).empty());
  CHECK(wav_error(with(good, data, raw(std::numeric_limits<float>::infinity()))).find("row 0") !=
        std::string::npos);
}

}  // namespace
}  // namespace gaia
