// SPDX-License-Identifier: MIT
#include "../../../src/experiment/data/sample_reader.h"

#include <atomic>
#include <cmath>
#include <functional>
#include <limits>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/wait_for.h"

using namespace gaia;
using gaia::test::wait_for;

namespace {

/// Channel c of row r is a number that says both; the latent is -r.
class Counting final : public Series {
 public:
  Counting(std::int64_t rows, std::int64_t channels) : rows_(rows) {
    for (std::int64_t c = 0; c < channels; ++c) names_.push_back(std::to_string(c));
  }
  std::int64_t rows() const override { return rows_; }
  const std::vector<std::string>& channel_names() const override { return names_; }
  const std::vector<std::string>& latent_names() const override { return latents_; }
  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    if (first + count > bad_row) {
      throw DataError(++failures == 1 ? "row " + std::to_string(bad_row) + " is bad"
                                      : "has failed before");
    }
    largest_read = std::max(largest_read, count);
    for (std::int64_t r = 0; r < count; ++r) {
      for (std::int64_t c = 0; c < channels(); ++c) {
        out[static_cast<std::size_t>(r * channels() + c)] = value(first + r, c);
      }
    }
    rows_read = first + count;
  }
  void read_latents(std::int64_t first, std::int64_t count, std::span<double> out) override {
    for (std::int64_t r = 0; r < count; ++r) {
      out[static_cast<std::size_t>(r)] = -static_cast<double>(first + r);
    }
  }
  static double value(std::int64_t row, std::int64_t channel) {
    return static_cast<double>(10 * row + channel);
  }
  std::int64_t largest_read = 0;
  std::int64_t bad_row = std::numeric_limits<std::int64_t>::max();  // and all after it
  int failures = 0;
  std::atomic<std::int64_t> rows_read{0};  // up to which row the last call read

 private:
  std::int64_t rows_;
  std::vector<std::string> names_;
  std::vector<std::string> latents_ = {"row"};
};

DataConfig data_with(std::int64_t window, Normalize normalize) {
  DataConfig data;
  data.window = window;
  data.normalize = normalize;
  return data;
}

}  // namespace

TEST_CASE("a sample is a window of rows, oldest first, channels innermost") {
  Counting series(20, 2);
  SampleReader reader(series, data_with(3, Normalize::none), Trials::one(18, 3), DType::float64,
                      {0, 0}, false);
  CHECK(reader.features() == 6);
  CHECK(reader.offset().empty());
  std::int64_t first = 0;
  for (const std::int64_t count : {5, 1, 7, 5}) {
    const Array samples = reader.read(first, count);
    REQUIRE(samples.shape() == Shape{count, 6});
    for (std::int64_t t = 0; t < count; ++t) {
      for (std::int64_t k = 0; k < 3; ++k) {
        for (std::int64_t c = 0; c < 2; ++c) {
          CHECK(samples.item({t, 2 * k + c}) == Counting::value(first + t + k, c));
        }
      }
    }
    first += count;
  }
}

TEST_CASE("targets can be looked up as far ahead as asked for, in any block") {
  Counting series(40, 2);
  SampleReader reader(series, data_with(4, Normalize::none), Trials::one(37, 4), DType::float32,
                      {0, 6}, true);
  for (std::int64_t first = 0; first < 30; first += 10) {
    reader.read(first, 10);
    const std::vector<double> now = reader.channel(1, first, 10);
    const std::vector<double> later =
        reader.channel(0, first + 6, std::min<std::int64_t>(10, 31 - first));
    for (std::size_t t = 0; t < 10; ++t) {
      CHECK(now[t] == Counting::value(first + static_cast<std::int64_t>(t) + 3, 1));
      CHECK(later[t] == Counting::value(first + static_cast<std::int64_t>(t) + 9, 0));
    }
    CHECK(reader.latent(0, first + 6, 2)[1] == -static_cast<double>(first + 10));
  }
}

TEST_CASE("normalisation uses the rows that the steps use, and no others") {
  // Rows 0 ... 9 are used by 8 samples of window 3; the other rows do not count.
  Counting series(1000, 2);
  SampleReader zscore(series, data_with(3, Normalize::zscore), Trials::one(8, 3), DType::float64,
                      {0, 0}, false);
  double mean = 0.0;
  double square = 0.0;
  for (int r = 0; r < 10; ++r) mean += Counting::value(r, 1) / 10.0;
  for (int r = 0; r < 10; ++r) square += std::pow(Counting::value(r, 1) - mean, 2) / 10.0;
  CHECK(zscore.offset()[1] == Approx(mean).epsilon(1e-14));
  CHECK(zscore.scale()[1] == Approx(std::sqrt(square)).epsilon(1e-14));
  CHECK(zscore.read(0, 8).item({2, 1}) ==
        Approx((Counting::value(2, 1) - mean) / std::sqrt(square)));

  SampleReader minmax(series, data_with(3, Normalize::minmax), Trials::one(8, 3), DType::float64,
                      {0, 0}, false);
  CHECK(minmax.offset() == std::vector<double>{0.0, 1.0});
  CHECK(minmax.scale() == std::vector<double>{90.0, 90.0});
}

TEST_CASE("a channel that does not change has scale 1") {
  class Constant final : public Series {
   public:
    std::int64_t rows() const override { return 1000; }
    const std::vector<std::string>& channel_names() const override { return names_; }
    void read(std::int64_t, std::int64_t count, std::span<double> out) override {
      std::fill_n(out.begin(), count, 0.1);
    }

   private:
    std::vector<std::string> names_ = {"c"};
  } series;
  for (const Normalize normalize : {Normalize::zscore, Normalize::minmax}) {
    SampleReader reader(series, data_with(1, normalize), Trials::one(1000, 1), DType::float32,
                        {0, 0}, false);
    CHECK(reader.offset() == std::vector<double>{0.1});
    CHECK(reader.scale() == std::vector<double>{1.0});
    CHECK(reader.read(0, 10).item({9, 0}) == 0.0);
  }
}

namespace {

/// One channel, x(row).
class Function final : public Series {
 public:
  Function(std::int64_t rows, std::function<double(std::int64_t)> x)
      : rows_(rows), x_(std::move(x)) {}
  std::int64_t rows() const override { return rows_; }
  const std::vector<std::string>& channel_names() const override { return names_; }
  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    for (std::int64_t r = 0; r < count; ++r) out[static_cast<std::size_t>(r)] = x_(first + r);
  }

 private:
  std::int64_t rows_;
  std::function<double(std::int64_t)> x_;
  std::vector<std::string> names_ = {"x"};
};

}  // namespace

TEST_CASE("zscore gives mean 0 and deviation 1 where the mean is large beside the deviation") {
  constexpr std::int64_t rows = 200000;
  Function series(rows,
                  [](std::int64_t k) { return 1e9 + 0.01 * static_cast<double>(k) / 200000.0; });
  SampleReader reader(series, data_with(1, Normalize::zscore), Trials::one(rows, 1), DType::float64,
                      {0, 0}, false);
  const std::vector<double> x = reader.read(0, rows).to_vector<double>();
  long double mean = 0.0L;
  long double square = 0.0L;
  for (const double value : x) mean += static_cast<long double>(value) / rows;
  for (const double value : x) square += static_cast<long double>(value * value) / rows;
  // A double near 1e9 is right to 6e-8, a deviation is 0.003.
  CHECK(std::abs(static_cast<double>(mean)) < 6e-8 / 0.0028);
  CHECK(static_cast<double>(std::sqrt(square)) == Approx(1.0).epsilon(1e-9));
}

TEST_CASE("of a constant with one sample an ulp higher, that sample alone stands out") {
  constexpr std::int64_t rows = 1000;
  Function series(rows, [](std::int64_t k) { return k == 500 ? std::nextafter(0.1, 1.0) : 0.1; });
  SampleReader reader(series, data_with(1, Normalize::zscore), Trials::one(rows, 1), DType::float64,
                      {0, 0}, false);
  const std::vector<double> x = reader.read(0, rows).to_vector<double>();
  for (std::size_t k = 0; k < x.size(); ++k) {
    // sqrt(999) and -1 / sqrt(999) about the mean itself, which no double is.
    CHECK(x[k] == Approx(k == 500 ? 31.6 : 0.0).margin(0.04));
  }
}

namespace {

/// A series with all that may stand beside a channel.
class RecordedSeries final : public Series {
 public:
  std::int64_t rows() const override { return 50; }
  const std::vector<std::string>& channel_names() const override { return names_; }
  std::vector<SideColumn> side_columns() const override {
    return {{SideColumn::Role::time, "when"},
            {SideColumn::Role::target, "quality"},
            {SideColumn::Role::label, "state"}};
  }
  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    for (std::int64_t r = 0; r < count; ++r) {
      out[static_cast<std::size_t>(r)] = static_cast<double>(first + r);
    }
  }
  void read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                      std::span<const std::size_t> wanted, std::span<SideValues> side) override {
    read(first, count, out);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      std::vector<std::int64_t> whole;
      std::vector<double> others;
      for (std::int64_t row = first; row < first + count; ++row) {
        if (wanted[i] == 0) whole.push_back(time(row));
        if (wanted[i] == 1) others.push_back(0.5 * static_cast<double>(row));
        if (wanted[i] == 2) whole.push_back(row % 3);
      }
      side[i] = wanted[i] == 1 ? SideValues(others) : SideValues(whole);
    }
  }
  /// Nanoseconds that no double holds.
  static std::int64_t time(std::int64_t row) { return 1700000000000000001 + 1000 * row; }

 private:
  std::vector<std::string> names_ = {"x"};
};

}  // namespace

TEST_CASE("what stands beside the channels goes with the newest row, and is no part of a sample") {
  for (const bool ahead : {false, true}) {
    RecordedSeries series;
    SampleReader reader(series, data_with(4, Normalize::zscore), Trials::one(47, 4), DType::float64,
                        {2, 5}, false);
    if (ahead) reader.read_ahead();
    CHECK(reader.features() == 4);
    CHECK(reader.side_columns() == series.side_columns());
    CHECK_FALSE(reader.has_target({.of = ReadoutTarget::Of::latent}));
    using Whole = std::vector<std::int64_t>;
    for (std::int64_t first = 0; first < 40; first += 8) {
      CHECK(reader.read(first, 8).shape() == Shape{8, 4});
      const std::int64_t begin = std::max<std::int64_t>(0, first - 2);
      const std::int64_t count = std::min<std::int64_t>(first + 8 + 5, 47) - begin;
      const auto when = std::get<Whole>(reader.side(0, begin, count));
      const auto quality = std::get<std::vector<double>>(reader.side(1, begin, count));
      const auto state = std::get<Whole>(reader.side(2, begin, count));
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t row = begin + i + 3;
        const auto at = static_cast<std::size_t>(i);
        CHECK(when[at] == RecordedSeries::time(row));
        CHECK(quality[at] == 0.5 * static_cast<double>(row));
        CHECK(state[at] == row % 3);
      }
    }
  }
}

TEST_CASE("latents stand beside the channels too, where they are needed") {
  Counting series(20, 2);
  const std::vector<SideColumn> row = {{SideColumn::Role::latent, "row"}};
  CHECK(series.side_columns() == row);
  SampleReader with(series, data_with(2, Normalize::none), Trials::one(19, 2), DType::float64,
                    {0, 0}, true);
  CHECK(with.side_columns() == row);
  CHECK(with.has_target({.of = ReadoutTarget::Of::latent}));
  with.read(3, 4);
  CHECK(std::get<std::vector<double>>(with.side(0, 3, 2)) == std::vector<double>{-4.0, -5.0});
  SampleReader without(series, data_with(2, Normalize::none), Trials::one(19, 2), DType::float64,
                       {0, 0}, false);
  CHECK(without.side_columns().empty());
  CHECK_FALSE(without.has_target({.of = ReadoutTarget::Of::latent}));
}

TEST_CASE("a long series is never read whole") {
  Counting series(1000000, 1);
  SampleReader reader(series, data_with(10, Normalize::zscore), Trials::one(900000, 10),
                      DType::float32, {0, 5}, false);
  for (std::int64_t first = 0; first < 5000; first += 1000) reader.read(first, 1000);
  CHECK(series.largest_read < 20000);
}

TEST_CASE("numbers that float32 cannot hold are an error, with the row") {
  class Large final : public Series {
   public:
    std::int64_t rows() const override { return 5; }
    const std::vector<std::string>& channel_names() const override { return names_; }
    void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
      for (std::int64_t r = 0; r < count; ++r) {
        out[static_cast<std::size_t>(r)] = first + r == 3 ? 1e39 : 1.0;
      }
    }

   private:
    std::vector<std::string> names_ = {"big"};
  } series;
  SampleReader reader(series, data_with(1, Normalize::none), Trials::one(5, 1), DType::float32,
                      {0, 0}, false);
  reader.read(0, 2);
  CHECK_THROWS_WITH_TEXT(reader.read(2, 3), DataError, "data row 3, channel big");
}

TEST_CASE("the rows of the next block are read while the last one is used, those needed alone") {
  Counting series(1000, 1);
  SampleReader reader(series, data_with(3, Normalize::none), Trials::one(90, 3), DType::float64,
                      {0, 4}, false);
  reader.read(0, 20);
  CHECK(series.rows_read == 20 + 2 + 4);  // not asked to read ahead yet
  reader.read_ahead();
  reader.read(20, 20);
  CHECK(wait_for([&] { return series.rows_read == 60 + 2 + 4; }));
  reader.read(40, 50);
  CHECK(series.rows_read == 92);
}

TEST_CASE("what is read ahead is what would have been read, however blocks follow on each other") {
  Counting series(500, 3);
  Counting same(500, 3);
  const DataConfig data = data_with(4, Normalize::zscore);
  SampleReader ahead(series, data, Trials::one(490, 4), DType::float64, {2, 5}, true);
  SampleReader in_turn(same, data, Trials::one(490, 4), DType::float64, {2, 5}, true);
  ahead.read_ahead();
  struct Block {
    std::int64_t first, count;
  };
  // One after the other, of all lengths; over again; back to the start; and further on.
  for (const auto& [first, count] : {Block{0, 50},
                                     {50, 50},
                                     {100, 7},
                                     {107, 43},
                                     {150, 100},
                                     {150, 100},
                                     {250, 1},
                                     {251, 3},
                                     {0, 64},
                                     {64, 64},
                                     {300, 64},
                                     {364, 126}}) {
    const Array x = ahead.read(first, count);
    const Array expected = in_turn.read(first, count);
    CHECK(x.to_vector<double>() == expected.to_vector<double>());
    CHECK(ahead.channel(2, first, count) == in_turn.channel(2, first, count));
    const std::int64_t last = std::min<std::int64_t>(first + count + 5, 490);
    CHECK(ahead.latent(0, first, last - first) == in_turn.latent(0, first, last - first));
  }
}

TEST_CASE("a row that cannot be read is an error of the block that needs it, read ahead or not") {
  Counting series(100, 1);
  series.bad_row = 45;
  SampleReader reader(series, data_with(1, Normalize::none), Trials::one(100, 1), DType::float64,
                      {0, 0}, false);
  reader.read_ahead();
  reader.read(0, 20);
  reader.read(20, 20);  // rows 40 to 59 are read ahead
  CHECK(reader.read(40, 5).item({4, 0}) == Counting::value(44, 0));
  CHECK_THROWS_WITH(reader.read(45, 5), "has failed before");
  CHECK(reader.read(0, 40).item({39, 0}) == Counting::value(39, 0));
}

TEST_CASE("of a row that fails when it is read ahead and once more, the first error is told") {
  Counting series(100, 1);
  series.bad_row = 40;
  SampleReader reader(series, data_with(1, Normalize::none), Trials::one(100, 1), DType::float64,
                      {0, 0}, false);
  reader.read_ahead();
  reader.read(0, 20);
  reader.read(20, 20);  // rows 40 to 59 are read ahead
  CHECK_THROWS_WITH(reader.read(40, 20), "row 40 is bad");
  CHECK(series.failures == 2);
}

TEST_CASE("numbers too large or too close to be normalised are an error, not zeros") {
  class Swinging final : public Series {
   public:
    Swinging(std::string name, double reach) : names_{std::move(name)}, reach_(reach) {}
    std::int64_t rows() const override { return 100; }
    const std::vector<std::string>& channel_names() const override { return names_; }
    void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
      for (std::int64_t r = 0; r < count; ++r) {
        out[static_cast<std::size_t>(r)] = (first + r) % 2 == 0 ? reach_ : -reach_;
      }
    }

   private:
    std::vector<std::string> names_;
    double reach_;
  };
  Swinging series("huge", 1.5e308);
  for (const Normalize normalize : {Normalize::zscore, Normalize::minmax}) {
    CHECK_THROWS_WITH(SampleReader(series, data_with(1, normalize), Trials::one(100, 1),
                                   DType::float64, {0, 0}, false),
                      Catch::Matchers::ContainsSubstring(
                          "channel huge: its numbers, up to 1.5e+308, are too large"));
  }
  Swinging small("small", 1e-200);
  CHECK_THROWS_WITH(
      SampleReader(small, data_with(1, Normalize::zscore), Trials::one(100, 1), DType::float64,
                   {0, 0}, false),
      Catch::Matchers::ContainsSubstring(
          "channel small: its numbers, 2e-200 apart at most, are too close together"));
  CHECK_NOTHROW(SampleReader(small, data_with(1, Normalize::minmax), Trials::one(100, 1),
                             DType::float64, {0, 0}, false));
}

TEST_CASE("samples and targets of one trial know nothing of the next, read ahead or not") {
  const std::vector<std::int64_t> starts = {0, 9, 11, 30};
  const Trials trials(starts, 40, 3);
  for (const bool reads_ahead : {false, true}) {
    Counting series(40, 2);
    SampleReader reader(series, data_with(3, Normalize::none), trials, DType::float64, {2, 4},
                        false);
    if (reads_ahead) reader.read_ahead();
    for (const Trial& trial : trials.all()) {
      for (std::int64_t first = trial.first_step; first < trial.end();) {
        const std::int64_t count = std::min<std::int64_t>(5, trial.end() - first);
        const Array samples = reader.read(first, count);
        CHECK(reader.trial() == trial);
        for (std::int64_t t = 0; t < count; ++t) {
          const std::int64_t row = trial.first_row + (first + t - trial.first_step);
          CHECK(samples.item({t, 0}) == Counting::value(row, 0));
          CHECK(samples.item({t, 5}) == Counting::value(row + 2, 1));
        }
        const std::int64_t ahead = std::min(first + 4, trial.end() - 1);
        CHECK(reader.channel(1, ahead, 1).front() ==
              Counting::value(trial.first_row + (ahead - trial.first_step) + 2, 1));
        first += count;
      }
    }
  }
}
