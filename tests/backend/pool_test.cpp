// SPDX-License-Identifier: MIT
/// \file
/// Temporal pooling of every backend, whole and cut into blocks, against its definition.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "../../src/array/backend.h"
#include "../../src/array/create.h"
#include "../reference/pool.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

constexpr Pooling kPoolings[] = {Pooling::last, Pooling::mean, Pooling::max, Pooling::ema,
                                 Pooling::concat};

/// Number of multiples of r in [first, end).
std::int64_t ticks_in(std::int64_t first, std::int64_t end, std::int64_t r) {
  std::int64_t count = 0;
  for (std::int64_t t = first; t < end; ++t) count += t % r == 0 ? 1 : 0;
  return count;
}

/// A source that ticks every `resolution` steps, for several streams.
struct Source {
  std::int64_t resolution;
  std::int64_t first_step;
  std::int64_t streams;
  std::int64_t n;
  std::vector<std::vector<Row>> ticks;  // [stream][tick]
  std::vector<Row> held;                // what each stream showed before the first step

  Source(std::mt19937_64& engine, std::int64_t r, std::int64_t first, std::int64_t steps,
         std::int64_t stream_count, std::int64_t size)
      : resolution(r), first_step(first), streams(stream_count), n(size) {
    std::uniform_real_distribution<double> draw(-2.0, 2.0);
    const auto row = [&] {
      Row values(static_cast<std::size_t>(n));
      for (double& value : values) value = static_cast<float>(draw(engine));
      return values;
    };
    for (std::int64_t s = 0; s < streams; ++s) {
      held.push_back(row());
      ticks.emplace_back();
      for (std::int64_t k = ticks_in(first, first + steps, r); k > 0; --k)
        ticks.back().push_back(row());
    }
  }

  /// What stream s shows at every step.
  std::vector<Row> shown(std::int64_t s, std::int64_t steps) const {
    const auto stream = static_cast<std::size_t>(s);
    std::vector<Row> rows;
    Row now = held[stream];
    std::size_t next = 0;
    for (std::int64_t t = first_step; t < first_step + steps; ++t) {
      if (t % resolution == 0) now = ticks[stream][next++];
      rows.push_back(now);
    }
    return rows;
  }
};

/// Pools with the current device's backend in blocks that end before the steps given; the last end
/// is the end of the series.
template <class T>
std::vector<std::vector<Row>> pool_in_blocks(Pooling pooling, std::int64_t r, const Source& source,
                                             const std::vector<std::int64_t>& ends) {
  const bool is_concat = pooling == Pooling::concat;
  const DType dtype = dtype_of<T>();
  const std::int64_t width = is_concat ? r * source.n : source.n;
  const Array held = zeros({source.streams, source.n}, dtype);
  for (std::int64_t s = 0; s < source.streams; ++s) {
    held[s].assign(from_values(source.held[static_cast<std::size_t>(s)], {source.n}));
  }
  const Array state = Array::uninitialized(
      is_concat ? Shape{source.streams, r, source.n} : Shape{source.streams, source.n}, dtype);
  std::vector<std::vector<Row>> answers(static_cast<std::size_t>(source.streams));

  std::int64_t done = 0;  // ticks of the source
  std::int64_t begin = source.first_step;
  for (const std::int64_t end : ends) {
    const std::int64_t source_ticks = ticks_in(begin, end, source.resolution);
    const std::int64_t ticks = ticks_in(begin, end, r);
    // Rows of a longer array, as in a block of a series.
    const Array longer = full({source.streams, source_ticks + 3, source.n}, std::nan(""), dtype);
    const Array block = longer.slice(1, 2, 2 + source_ticks);
    for (std::int64_t s = 0; s < source.streams; ++s) {
      for (std::int64_t k = 0; k < source_ticks; ++k) {
        const Row& row =
            source.ticks[static_cast<std::size_t>(s)][static_cast<std::size_t>(done + k)];
        block[s][k].assign(from_values(row, {source.n}));
      }
    }
    std::int64_t steps_held = begin - source.first_step;
    if (pooling != Pooling::ema) {
      for (std::int64_t t = source.first_step; t < begin; ++t) {
        if (t % r == 0) steps_held = begin - 1 - t;
      }
    }
    const Array outputs = Array::uninitialized({source.streams, ticks, width}, dtype);
    backend(current_device())
        .pool({.pooling = pooling,
               .resolution = r,
               .source_resolution = source.resolution,
               .first_step = begin,
               .steps = end - begin,
               .steps_held = steps_held,
               .source = block.view(),
               .held = held.view(),
               .state = state.view(),
               .outputs = outputs.view()});
    for (std::int64_t s = 0; s < source.streams; ++s) {
      for (std::int64_t k = 0; k < ticks; ++k) {
        answers[static_cast<std::size_t>(s)].push_back(outputs[s][k].to_vector<double>());
      }
    }
    // What the window in progress does not hold is 0, once a window has closed.
    if (ticks > 0 && pooling != Pooling::ema && pooling != Pooling::last) {
      const std::int64_t window = (end - 1) % r;
      const std::int64_t kept = is_concat ? window : std::min<std::int64_t>(window, 1);
      for (std::int64_t s = 0; s < source.streams; ++s) {
        const std::vector<double> numbers = state[s].to_vector<double>();
        CHECK(std::all_of(numbers.begin() + kept * source.n, numbers.end(),
                          [](double x) { return x == 0.0; }));
      }
    }
    done += source_ticks;
    begin = end;
  }
  // held shows what the source shows last.
  for (std::int64_t s = 0; s < source.streams; ++s) {
    const std::vector<Row> rows = source.shown(s, begin - source.first_step);
    if (!rows.empty()) CHECK(held[s].to_vector<double>() == rows.back());
  }
  return answers;
}

template <class T>
void check_pool(std::mt19937_64& engine, Pooling pooling, std::int64_t r, std::int64_t source_r,
                std::int64_t first) {
  INFO(gaia::to_string(pooling) << ", resolution " << r << " over " << source_r << ", from step "
                                << first);
  const std::int64_t steps = 1 + static_cast<std::int64_t>(engine() % 40);
  const std::int64_t streams = 1 + static_cast<std::int64_t>(engine() % 3);
  const Source source(engine, source_r, first, steps, streams,
                      1 + static_cast<std::int64_t>(engine() % 4));
  const auto whole = pool_in_blocks<T>(pooling, r, source, {first + steps});

  for (std::int64_t s = 0; s < streams; ++s) {
    const auto expected = pool(pooling, r, first, source.shown(s, steps));
    const auto& got = whole[static_cast<std::size_t>(s)];
    REQUIRE(got.size() == expected.size());
    const double allowed =
        pooling == Pooling::mean || pooling == Pooling::ema ? 16 * epsilon(dtype_of<T>()) : 0.0;
    for (std::size_t k = 0; k < got.size(); ++k) {
      REQUIRE(got[k].size() == expected[k].size());
      for (std::size_t j = 0; j < got[k].size(); ++j) {
        if (!(std::abs(got[k][j] - expected[k][j]) <= allowed)) {
          FAIL("tick " << k << ": " << got[k][j] << " for " << expected[k][j]);
        }
      }
    }
  }

  std::vector<std::int64_t> ends;
  for (std::int64_t at = first; at < first + steps;) {
    at =
        std::min(first + steps, at + static_cast<std::int64_t>(engine() % 6));  // 0: an empty block
    ends.push_back(at);
  }
  if (pool_in_blocks<T>(pooling, r, source, ends) != whole) FAIL("blocks differ from the whole");
}

TEMPLATE_TEST_CASE("pool does what the definition says, in one block or in many", "", float,
                   double) {
  on_each_device([] {
    std::mt19937_64 engine(1);
    for (const Pooling pooling : kPoolings) {
      for (std::int64_t r = 1; r <= 7; ++r) {
        for (std::int64_t source_r = 1; source_r <= 5; ++source_r) {
          for (const std::int64_t first : {0, 1, 2, 3, 5, 12, 1000003}) {
            check_pool<TestType>(engine, pooling, r, source_r, first);
          }
        }
      }
    }
  });
  SUCCEED();
}

TEST_CASE("pool of known numbers") {
  // x_t = t + 1 at steps 0 ... 6, read every 3 steps.
  std::vector<Row> x;
  for (int t = 0; t < 7; ++t) x.push_back({t + 1.0});
  const auto check = [&](Pooling pooling, const std::vector<Row>& expected) {
    INFO(gaia::to_string(pooling));
    CHECK(pool(pooling, 3, 0, x) == expected);  // the reference, too
    std::mt19937_64 engine(1);
    Source source(engine, 1, 0, 7, 1, 1);
    source.ticks[0] = x;
    CHECK(pool_in_blocks<double>(pooling, 3, source, {7})[0] == expected);
  };
  check(Pooling::last, {{1}, {4}, {7}});
  check(Pooling::mean, {{1}, {3}, {6}});
  check(Pooling::max, {{1}, {4}, {7}});
  check(Pooling::concat, {{0, 0, 1}, {2, 3, 4}, {5, 6, 7}});
  std::mt19937_64 engine(1);
  Source source(engine, 1, 0, 7, 1, 1);
  source.ticks[0] = x;
  const auto ema = pool_in_blocks<double>(Pooling::ema, 3, source, {7})[0];
  CHECK(ema[0][0] == 1.0);
  CHECK(ema[1][0] == Approx(70.0 / 27).epsilon(1e-15));
  CHECK(ema[2][0] == Approx(3773.0 / 729).epsilon(1e-15));
}

TEST_CASE("max pooling lets NaN through") {
  std::mt19937_64 engine(1);
  Source source(engine, 1, 0, 7, 1, 1);
  source.ticks[0] = {{1}, {std::nan("")}, {2}, {3}, {4}, {5}, {6}};
  const auto got = pool_in_blocks<double>(Pooling::max, 3, source, {7})[0];
  CHECK(got[0][0] == 1.0);
  CHECK(std::isnan(got[1][0]));
  CHECK(got[2][0] == 6.0);
}

}  // namespace
}  // namespace gaia::test
