// SPDX-License-Identifier: MIT
#include "../../src/core/state_fields.h"

#include <array>
#include <limits>

#include "../support/catch.h"

namespace gaia {
namespace {

using Numbers = std::vector<double>;

/// A thing of one field, inside of the other.
class Inner {
 public:
  double value = 0.0;

  Numbers state() const { return StateFields::of(*this); }
  void set_state(std::span<const double> state) {
    StateFields::set_sized(*this, "Inner", state, 2);
  }

 private:
  friend StateFields;
  static void fields(auto& self, auto& state) { state(self.count_, self.value); }

  std::int64_t count_ = 5;
};

/// One field of each kind.
struct Outer {
  struct Pair {
    double first = 0.0;
    double second = 0.0;
  };
  std::int64_t count = 0;
  bool has_names = false;
  std::array<double, 2> two = {};
  Numbers rows;
  std::vector<std::int64_t> names;
  Numbers list;
  std::vector<Pair> pairs;
  Inner inside;
  Inner last;

  static void fields(auto& self, auto& state, auto width) {
    auto length = self.rows.size() / width;
    state(self.count, self.has_names, self.two, length);
    state.numbers(self.rows, length, width);
    if (self.has_names) state.numbers(self.names, 2);
    state.list(self.list);
    state.list(self.pairs, [&](auto& pair) { state(pair.first, pair.second); });
    state.part(self.inside);
    state.part(self.inside, 2);
    state.rest(self.last);
  }
};

constexpr std::size_t kWidth = 3;
const Numbers kState = {7, 1, 0.5, -0.5, 1, 1, 2, 3, -1, 4, 2, 8, 9, 1, 6, 7, 2, 5, 1, 5, 1, 5, 2};

void set(Outer& thing, const Numbers& state) {
  std::size_t width = kWidth;
  StateFields::set(thing, "Outer", state, width);
}

TEST_CASE("a state is the fields in their order, and gives them back") {
  Outer thing;
  set(thing, kState);
  CHECK(thing.count == 7);
  CHECK(thing.has_names);
  CHECK(thing.two == std::array{0.5, -0.5});
  CHECK(thing.rows == Numbers{1, 2, 3});
  CHECK(thing.names == std::vector<std::int64_t>{-1, 4});
  CHECK(thing.list == Numbers{8, 9});
  REQUIRE(thing.pairs.size() == 1);
  CHECK(thing.pairs[0].second == 7);
  CHECK(thing.inside.value == 1);
  CHECK(thing.last.value == 2);
  CHECK(StateFields::of(thing, kWidth) == kState);
  // What was there before is no part of a state that has less.
  set(thing, {0, 0, 0, 0, 0, 0, 0, 2, 5, 0, 5, 0, 5, 0});
  CHECK(thing.rows.empty());
  CHECK(thing.pairs.empty());
  CHECK(StateFields::of(thing, kWidth).size() == 14);
}

TEST_CASE("a state that ends in the middle, or goes on, is refused") {
  for (std::size_t size = 0; size < kState.size(); ++size) {
    CAPTURE(size);
    Outer thing;
    CHECK_THROWS_AS(set(thing, Numbers(kState.begin(), kState.begin() + std::ptrdiff_t(size))),
                    ShapeError);
  }
  Outer thing;
  CHECK_THROWS_WITH_TEXT(set(thing, {7}), ShapeError, "[Outer] expected a state of more than 1");
  Numbers longer = kState;
  longer.push_back(0.0);
  CHECK_THROWS_WITH_TEXT(set(thing, longer), ShapeError,
                         "[Inner] expected a state of 2 numbers, got 3");
  Inner inner;
  CHECK_THROWS_WITH_TEXT(StateFields::set(inner, "Inner", Numbers{1, 2, 3}), ShapeError,
                         "[Inner] expected a state of 2 numbers, got 3");
}

TEST_CASE("counts and lengths that are none are refused before there is room made for them") {
  for (const double number : {-1.0, 0.5, 1e300, 0x1p53, std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()}) {
    for (const std::size_t place : {0U, 4U, 10U, 13U, 16U}) {
      CAPTURE(number, place);
      if (place == 0 && number == 0x1p53) continue;  // as a count it is one
      Numbers state = kState;
      state[place] = number;
      Outer thing;
      CHECK_THROWS_AS(set(thing, state), ShapeError);
      CHECK(thing.rows.size() + thing.list.size() + thing.pairs.size() <= kState.size());
    }
  }
  // A product of lengths does not wrap around: 2^62 + 1 rows of 4 numbers are not 4 numbers.
  Numbers values;
  StateReader<ShapeError> reader("Rows", kState);
  CHECK_THROWS_AS(reader.numbers(values, (std::size_t{1} << 62U) + 1, 4), ShapeError);
  CHECK(values.empty());
}

TEST_CASE("a state of a known length says which count is none, and has taken nothing of another") {
  Inner inner;
  inner.value = 3.0;
  CHECK_THROWS_WITH_TEXT(inner.set_state(Numbers{1.0}), ShapeError, "of 2 numbers, got 1");
  CHECK_THROWS_WITH_TEXT(inner.set_state(Numbers{-1.0, 4.0}), ArgumentError,
                         "[Inner] expected a state with a count of rows, got -1.0");
  CHECK(inner.state() == Numbers{5.0, 3.0});
}

}  // namespace
}  // namespace gaia
