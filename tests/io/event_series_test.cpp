// SPDX-License-Identifier: MIT
#include "../../src/io/event_series.h"

#include <cmath>
#include <random>
#include <string>

#include "../../src/core/error.h"
#include "../../src/io/hdf5.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/temp_dir.h"
#include "read_series.h"
#include "side_values.h"

namespace gaia {
namespace {

using Names = std::vector<std::string>;
using Values = std::vector<double>;
using Codes = std::vector<std::int64_t>;
using Starts = std::vector<std::int64_t>;
using test::read_all;

class Events {
 public:
  explicit Events(const std::string& text) : path_(dir_.write("events.csv", text)) {}

  EventSeries open(const EventOptions& options = {}) const { return {path_, options}; }
  template <class Error>
  std::string refused(const EventOptions& options = {}) const {
    return test::complaint_of<Error>([&] { open(options); });
  }

 private:
  test::TempDir dir_;
  std::string path_;
};

TEST_CASE("events are counted in bins, in whatever order they come") {
  EventSeries series = Events("time,channel\n2.5,1\n0.2,0\n0.9,0\n5.0,2\n2.1,1\n2.9,0\n").open();
  CHECK(series.channel_names() == Names{"0", "1", "2"});
  CHECK(series.events() == 6);
  CHECK(series.left_out() == 0);
  CHECK(read_all(series) ==
        Values{2, 0, 0, /**/ 0, 0, 0, /**/ 1, 2, 0, /**/ 0, 0, 0, /**/ 0, 0, 0, /**/ 0, 0, 1});
  Values two(6);
  series.read(2, 2, two);
  CHECK(two == Values{1, 2, 0, 0, 0, 0});
}

TEST_CASE("a time that is rounded down from the edge of a bin is in the bin that it begins") {
  // 0.3 / 0.1 and 0.7 / 0.1 are below 3 and 7 in float64.
  EventSeries series = Events("time,channel\n0.3,0\n0.7,0\n").open({.dt = 0.1});
  CHECK(read_all(series) == Values{0, 0, 0, 1, 0, 0, 0, 1});
}

FOLDER_TEST_CASE("times and channels may be datasets beside each other") {
  const std::string path = folder.path("events.h5");
  hdf5::File file = hdf5::File::create(path);
  const auto write = [&](const char* name, const Values& numbers) {
    const std::int64_t length = std::ssize(numbers);
    file.create_dataset(name, {.shape = {length}}).write(std::span<const double>(numbers));
  };
  write("time", {2.5, 0.2, 0.9});
  write("neuron", {1, 0, 0});
  write("depth", {7, 8, 9});
  file.close();
  EventSeries series(path, {.channel = "neuron"});
  CHECK(read_all(series) == Values{2, 0, /**/ 0, 0, /**/ 0, 1});
  EventSeries same(path, {.time = "0", .channel = "neuron", .dataset = "time"});
  CHECK(read_all(same) == read_all(series));
  CHECK_THROWS_WITH_TEXT(EventSeries(path, {.time = "when", .channel = "neuron"}), DataKeyError,
                         "/depth, /neuron, /time; or data.time names one of times, beside others");
  CHECK_THROWS_WITH_TEXT(EventSeries(path, {}), DataKeyError, "'channel'");
}

TEST_CASE("bins are those that a loop over the events fills") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> time(-3.0, 50.0);
  std::uniform_int_distribution<int> channel(0, 11);
  std::string text = "unit;t\n";
  constexpr double dt = 0.37, begin = 1.25, end = 40.0;
  const auto bins = static_cast<std::int64_t>(std::ceil((end - begin) / dt));
  Values expected(static_cast<std::size_t>(bins) * 12, 0.0);
  std::int64_t outside = 0;
  for (int i = 0; i < 3000; ++i) {
    const double t = std::round(time(random) * 1e4) / 1e4;
    const int c = channel(random);
    text += std::to_string(c) + ";" + std::to_string(t) + "\n";
    std::int64_t bin = -1;
    for (std::int64_t k = 0; k < bins; ++k) {
      if (begin + static_cast<double>(k) * dt <= t + 1e-9 &&
          t + 1e-9 < begin + static_cast<double>(k + 1) * dt)
        bin = k;
    }
    if (bin < 0)
      ++outside;
    else
      ++expected[static_cast<std::size_t>(bin * 12 + c)];
  }
  EventSeries series = Events(text).open(
      {.time = "t", .channel = "unit", .dt = dt, .begin = begin, .end = end, .channels = 12});
  CHECK(series.rows() == bins);
  CHECK(series.left_out() == outside);
  CHECK(read_all(series) == expected);
}

TEST_CASE("times of events begin anew in every trial, whose label is theirs") {
  const Events events(
      "time,channel,run,word\n0.5,left,a,yes\n3.2,right,a,yes\n0.1,right,b,no\n1.7,left,c,yes\n");
  EventSeries series = events.open({.trial = "run", .labels = "word"});
  CHECK(series.channel_names() == Names{"left", "right"});
  CHECK(series.trial_starts() == Starts{0, 4, 5});
  CHECK(series.classes() == Names{"no", "yes"});
  CHECK(read_all(series) == Values{1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0});
  Values rows(14);
  std::vector<SideValues> side(2);
  const std::vector<std::size_t> wanted = {0, 1};
  series.read_with_side(0, 7, rows, wanted, side);
  CHECK(std::get<Values>(side[0]) == Values{0, 1, 2, 3, 0, 0, 1});
  CHECK(std::get<Codes>(side[1]) == Codes{1, 1, 1, 1, 0, 1, 1});
  Values inside(4);
  series.read_with_side(3, 2, inside, wanted, side);
  CHECK(inside == Values{0, 1, 0, 1});
  CHECK(std::get<Values>(side[0]) == Values{3, 0});
  CHECK(std::get<Codes>(side[1]) == Codes{1, 0});
  SECTION("with an end all trials are equally long") {
    EventSeries even = events.open({.trial = "run", .labels = "word", .end = 2.0});
    CHECK(even.trial_starts() == Starts{0, 2, 4});
    CHECK(even.rows() == 6);
    CHECK(even.left_out() == 1);
    CHECK(read_all(even) == Values{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
  }
}

TEST_CASE("channels without events are there where they are asked for") {
  const Events numbers("time,channel\n0,3\n1,1\n");
  CHECK(numbers.open({.channels = 5}).channels() == 5);
  EventSeries chosen = numbers.open({.columns = {"3", "9"}});
  CHECK(chosen.channel_names() == Names{"3", "9"});
  CHECK(chosen.left_out() == 1);
  CHECK(read_all(chosen) == Values{1, 0});
}

TEST_CASE("what is no list of events is refused with its place") {
  const Events events("time,channel,run,word\n0.5,0,a,yes\n1e300,1,a,no\n");
  CHECK_SAYS(events.refused<DataError>({.channels = 2}), "events.csv:3");
  CHECK_SAYS(
      events.refused<DataError>({.trial = "run", .labels = "word", .dt = 1e299, .channels = 2}),
      "events.csv:3: expected the same label in column 'word'");
  CHECK_SAYS(events.refused<DataError>({.dt = 1e299, .channels = 1}),
             "column 'channel': expected channels from 0 to 0, got 1");
  CHECK_SAYS(events.refused<ArgumentError>({.time = "when"}), "when");
  CHECK_SAYS(events.refused<DataKeyError>({.channel = "which"}), "which");
  CHECK_SAYS(events.refused<DataKeyError>({.channel = "word", .channels = 2}),
             "list the names in `columns`");
  CHECK_SAYS(events.refused<DataKeyError>({.dt = 1e299, .end = -1.0}), "behind the begin");
  CHECK_SAYS(events.refused<DataKeyError>({.dt = 1e299, .columns = {"0", "0"}}), "twice");
  CHECK_SAYS(events.refused<ArgumentError>({.dt = 0.0}), "above 0");
  CHECK_SAYS(Events("time,channel\n0.5,\n").refused<DataError>(),
             "column 'channel' (data.channel) has no values at all");
  CHECK_SAYS(Events("time,channel\n0.5,1\n0.7,\n").refused<DataError>(),
             "events.csv:3: expected a channel in column 'channel'");
  CHECK_SAYS(Events("time,channel\n,1\n").refused<DataError>(), "events.csv");
  CHECK_SAYS(Events("time,channel\n-1,1\n").refused<DataError>(),
             "has no events of these channels from 0 on");
  CHECK_SAYS(Events("time,channel\n1,1000000\n").refused<DataError>(),
             "expected channels from 0 to 999999, got 1000000");
  CHECK_SAYS(Events("time,channel,run\n2e14,0,a\n2e14,0,b\n").refused<DataError>({.trial = "run"}),
             "more bins of 1 than can be counted");
}

}  // namespace
}  // namespace gaia
