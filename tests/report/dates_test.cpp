// SPDX-License-Identifier: MIT
#include "../../src/report/dates.h"

#include "../support/catch.h"
#include "tick_labels.h"

using namespace gaia::report;
using namespace gaia::test;

namespace {

// `date -u -d '2024-02-28 22:00' +%s`, a leap year.
constexpr double kStart = 1709157600.0;

}  // namespace

TEST_CASE("dates are told as finely as their ticks stand") {
  CHECK(date_text(kStart, 86400.0) == "2024-02-28");
  CHECK(date_text(kStart, 600.0) == "2024-02-28 22:00");
  CHECK(date_text(kStart + 61.0, 1.0) == "2024-02-28 22:01:01");
  CHECK(date_text(kStart + 0.25, 0.05) == "2024-02-28 22:00:00.250");
  CHECK(date_text(kStart + 86400.0, 86400.0) == "2024-02-29");
  CHECK(date_text(-1.0, 1.0) == "1969-12-31 23:59:59");
  // A rounding error makes no 21:59 of it.
  CHECK(date_text(kStart - 1e-7, 60.0) == "2024-02-28 22:00");
}

TEST_CASE("ticks stand at round dates") {
  // A step every minute.
  const std::vector<DatedStep> dates = {{0.0, kStart}, {600.0, kStart + 36000.0}};
  const std::vector<Tick> ticks = date_ticks({0.0, 600.0, false}, dates, 5);
  CHECK(labels(ticks) == Texts{"2024-02-28 22:00", "2024-02-29 00:00", "2024-02-29 02:00",
                               "2024-02-29 04:00", "2024-02-29 06:00", "2024-02-29 08:00"});
  CHECK(ticks[1].value == Approx(120.0));
}

TEST_CASE("a gap takes no room, and its dates no ticks that stand on each other") {
  // A step every minute; between steps 299 and 300 two days are missing.
  const double after = kStart + 299.0 * 60.0 + 2.0 * 86400.0;
  const std::vector<DatedStep> dates = {
      {0.0, kStart}, {299.0, kStart + 299.0 * 60.0}, {300.0, after}, {600.0, after + 18000.0}};
  const std::vector<Tick> ticks = date_ticks({0.0, 600.0, false}, dates, 5);
  REQUIRE(ticks.size() >= 2);
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    CHECK((ticks[i].value >= 0.0 && ticks[i].value <= 600.0));
    if (i > 0) CHECK(ticks[i].value - ticks[i - 1].value >= 600.0 / 7.5);
  }
}

TEST_CASE("of no dates there are no ticks, and of whole centuries few") {
  CHECK(date_ticks({0.0, 1.0, false}, {}, 5).empty());
  const std::vector<DatedStep> dates = {{0.0, -1e11}, {10.0, 1e11}};
  const std::size_t count = date_ticks({0.0, 10.0, false}, dates, 5).size();
  CHECK((count >= 1 && count <= 20));
}

TEST_CASE("long names end in dots, whatever letters they have") {
  CHECK(shortened("pressure", 8) == "pressure");
  CHECK(shortened("temperature", 8) == "tempera…");
  CHECK(shortened("ÄÖÜäöüßéè", 4) == "ÄÖÜ…");
  CHECK(shortened("", 4).empty());
}
