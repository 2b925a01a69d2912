// SPDX-License-Identifier: MIT
#include "../../../src/io/generators/generator.h"

#include <stdexcept>

#include "../../support/catch.h"

namespace gaia {
namespace {

/// Counts its rows, and in `steps` what all of its copies have gone.
class Walk {
 public:
  Walk(std::int64_t& steps, std::int64_t last) : steps_(&steps), last_(last) {}

  void advance() {
    if (row_ == last_) throw std::runtime_error("the last row");
    ++row_;
    ++*steps_;
  }
  std::int64_t row() const { return row_; }

 private:
  std::int64_t* steps_;
  std::int64_t last_;
  std::int64_t row_ = 0;
};

constexpr std::int64_t kRows = 200000;

TEST_CASE("Cursor stands at any row, forwards and backwards") {
  std::int64_t steps = 0;
  Cursor<Walk> cursor(Walk(steps, kRows));
  for (const std::int64_t row :
       {0, 5, 3, 4096, 4095, 4097, 100000, 99999, 4, 150000, 117232, 117231, 90000, 0, 8191}) {
    CAPTURE(row);
    CHECK(cursor.at(row).row() == row);
  }
}

TEST_CASE("Cursor goes a bounded way where blocks of rows are read more than once") {
  for (const std::int64_t back : {1, 1024, 1040, 16384}) {
    CAPTURE(back);
    std::int64_t steps = 0;
    Cursor<Walk> cursor(Walk(steps, kRows));
    for (std::int64_t row = back; row <= kRows; row += back) {
      cursor.at(row);
      CHECK(cursor.at(row - back).row() == row - back);
      if (back == 1) row += 99;
    }
    CHECK(steps <= 8 * kRows);
  }
}

TEST_CASE("Cursor begins anew after a row that fails") {
  std::int64_t steps = 0;
  Cursor<Walk> cursor(Walk(steps, 9000));
  CHECK_THROWS_AS(cursor.at(9001), std::runtime_error);
  CHECK(cursor.at(9000).row() == 9000);
  CHECK(cursor.at(8999).row() == 8999);
}

}  // namespace
}  // namespace gaia
