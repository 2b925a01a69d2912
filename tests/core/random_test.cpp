// SPDX-License-Identifier: MIT
#include "../../src/core/random.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/statistics.h"

namespace gaia {
namespace {

using Block = std::array<std::uint32_t, 4>;

std::vector<double> uniforms(const RandomStream& stream, std::uint64_t first, std::size_t count) {
  std::vector<double> out(count);
  stream.uniforms(first, out);
  return out;
}

std::vector<double> normals(const RandomStream& stream, std::uint64_t first, std::size_t count) {
  std::vector<double> out(count);
  stream.normals(first, out);
  return out;
}

TEST_CASE("Philox4x32-10 gives the known answers of Random123") {
  CHECK(RandomStream{0, 0}.block(0) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const std::uint64_t ones = ~std::uint64_t(0);
  CHECK(RandomStream{ones, ones}.block(ones) ==
        Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  // Counter 243f6a88 85a308d3 13198a2e 03707344, key a4093822 299f31d0.
  const RandomStream pi{0x299f31d0a4093822, 0x0370734413198a2e};
  CHECK(pi.block(0x85a308d3243f6a88) == Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("Numbers are the same on every machine, bit for bit") {
  // Computed by a program in another language from the definition.
  const RandomStream stream{42, 7};
  CHECK(uniforms(stream, 0, 3) ==
        std::vector<double>{0x1.9fb9bcf2aa086p-2, 0x1.b1fb28aab9cc6p-2, 0x1.cbbbd29803d86p-1});
  CHECK(normals(stream, 0, 4) == std::vector<double>{-0x1.311863b7ead21p+0, 0x1.3cad9ff5ce268p-1,
                                                     -0x1.b7e52e69ed065p-2, -0x1.677cb484fb45ep-3});
  CHECK(test::fingerprint(uniforms(stream, 0, 10000)) == 0x3122fe79dd11c082);
  CHECK(test::fingerprint(normals(stream, 0, 10000)) == 0xbdf72ec420091030);
}

TEST_CASE("Number i does not depend on where a draw begins") {
  const RandomStream stream{1, 2};
  const auto u = uniforms(stream, 0, 100);
  const auto n = normals(stream, 0, 100);
  for (const std::size_t first : {0u, 1u, 2u, 3u, 17u, 50u, 99u}) {
    for (const std::size_t count : {0u, 1u, 2u, 5u}) {
      if (first + count > 100) continue;
      const auto from = static_cast<std::ptrdiff_t>(first);
      const auto to = static_cast<std::ptrdiff_t>(first + count);
      CHECK(uniforms(stream, first, count) == std::vector(u.begin() + from, u.begin() + to));
      CHECK(normals(stream, first, count) == std::vector(n.begin() + from, n.begin() + to));
    }
  }
}

TEST_CASE("Streams are long: numbers beyond 2^33 are numbers of their own") {
  const RandomStream stream{1, 2};
  const std::uint64_t far = (std::uint64_t(1) << 40) + 1;
  CHECK(uniforms(stream, far, 3)[1] == uniforms(stream, far + 1, 1)[0]);
  CHECK(uniforms(stream, far, 3) != uniforms(stream, 1, 3));
  CHECK(uniforms(stream, far, 3) != uniforms(stream, far - (std::uint64_t(1) << 33), 3));
}

TEST_CASE("Uniforms are multiples of 2^-53 below 1 with the moments of a uniform distribution") {
  const auto u = uniforms({3, 4}, 0, 200000);
  for (const double x : u) {
    if (!(x >= 0.0 && x < 1.0 && std::ldexp(x, 53) == std::floor(std::ldexp(x, 53)))) FAIL(x);
  }
  const test::Moments moments(u);
  // Five standard errors of each.
  CHECK(std::abs(moments.mean - 0.5) < 5 * std::sqrt(1.0 / 12 / 200000));
  CHECK(std::abs(moments.variance - 1.0 / 12) < 5 * std::sqrt(1.0 / 180 / 200000));
  CHECK(test::kolmogorov_smirnov(u, [](double x) { return x; }) < 1.95);  // 0.1 %
}

TEST_CASE("Normals have the moments and the distribution function of a normal distribution") {
  const std::size_t count = 200000;
  const auto n = normals({5, 6}, 0, count);
  const test::Moments moments(n);
  const auto error = [&](double variance) { return 5 * std::sqrt(variance / double(count)); };
  CHECK(std::abs(moments.mean) < error(1));
  CHECK(std::abs(moments.variance - 1) < error(2));
  CHECK(std::abs(moments.skewness) < error(6));
  CHECK(std::abs(moments.kurtosis - 3) < error(24));
  CHECK(test::kolmogorov_smirnov(n, test::normal_cdf) < 1.95);
  // Both numbers of a pair, and their independence.
  double product = 0;
  for (std::size_t i = 0; i < count; i += 2) product += n[i] * n[i + 1];
  CHECK(std::abs(product / double(count / 2)) < 5 / std::sqrt(double(count / 2)));
}

TEST_CASE("Streams of other names and seeds are independent") {
  CHECK(RandomStream::named(1, "levels/0").stream == RandomStream::named(1, "levels/0").stream);
  std::set<std::uint64_t> streams;
  for (const char* name : {"", "a", "b", "ab", "ba", "levels/0/layers/0/weights",
                           "levels/0/layers/1/weights", "levels/1/layers/0/weights"}) {
    const RandomStream stream = RandomStream::named(9, name);
    CHECK(stream.seed == 9);
    streams.insert(stream.stream);
  }
  CHECK(streams.size() == 8);

  const std::size_t count = 20000;
  const auto correlation = [&](const RandomStream& a, const RandomStream& b) {
    const auto x = normals(a, 0, count);
    const auto y = normals(b, 0, count);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += x[i] * y[i];
    return std::abs(sum) / std::sqrt(double(count));
  };
  CHECK(correlation(RandomStream::named(9, "a"), RandomStream::named(9, "b")) < 5);
  CHECK(correlation(RandomStream::named(9, "a"), RandomStream::named(10, "a")) < 5);
  CHECK(correlation({9, 0}, {9, 1}) < 5);
  CHECK(correlation({0, 0}, {std::uint64_t(1) << 32, 0}) < 5);
  CHECK(correlation({0, 0}, {0, std::uint64_t(1) << 32}) < 5);
}

TEST_CASE("Integers lie below their count, each equally often") {
  const RandomStream stream{7, 8};
  std::vector<int> counts(10);
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const std::int64_t drawn = stream.integer(i, 10);
    REQUIRE((drawn >= 0 && drawn < 10));
    ++counts[static_cast<std::size_t>(drawn)];
  }
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - 1e4) * (count - 1e4) / 1e4;
  CHECK(chi_square < 27.9);  // 0.1 % at 9 degrees of freedom
  CHECK(stream.integer(3, 1) == 0);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::int64_t drawn = stream.integer(i, most);
    CHECK((drawn >= 0 && drawn < most));
  }
}

TEST_CASE("Integers need a count of at least 1") {
  const RandomStream stream;
  CHECK_THROWS_AS(stream.integer(0, 0), ArgumentError);
  CHECK_THROWS_WITH(stream.integer(0, -3),
                    "[RandomStream::integer] count must be at least 1, got -3");
}

TEST_CASE("next_stream never repeats a stream, and set_seed begins anew") {
  set_seed(11);
  const RandomStream a = next_stream();
  const RandomStream b = next_stream();
  CHECK(a.seed == 11);
  CHECK(a.stream != b.stream);
  set_seed(11);
  CHECK(next_stream().stream == a.stream);
  CHECK(next_stream().stream == b.stream);
  set_seed(12);
  CHECK(next_stream().seed == 12);
  set_seed(0);
}

TEST_CASE("Two threads get different streams") {
  set_seed(0);
  std::vector<std::uint64_t> drawn[2];
  const auto draw = [](std::vector<std::uint64_t>& into) {
    for (int i = 0; i < 1000; ++i) into.push_back(next_stream().stream);
  };
  std::thread other(draw, std::ref(drawn[0]));
  draw(drawn[1]);
  other.join();
  std::set<std::uint64_t> all(drawn[0].begin(), drawn[0].end());
  all.insert(drawn[1].begin(), drawn[1].end());
  CHECK(all.size() == 2000);
  set_seed(0);
}

}  // namespace
}  // namespace gaia
