// SPDX-License-Identifier: MIT
#include "../../src/experiment/progress.h"

#include <cstdio>

#include "../support/catch.h"

using namespace gaia;
using Catch::Matchers::ContainsSubstring;

namespace {

/// What a display writes for a run of 1000 steps in blocks of `block`.
std::string shown(ProgressMode mode, std::int64_t block) {
  std::FILE* stream = std::tmpfile();
  REQUIRE(stream != nullptr);
  {
    ProgressDisplay display(mode, stream);
    for (std::int64_t done = block; done <= 1000; done += block) {
      display.show({done, 1000, static_cast<double>(done) / 100.0});
    }
  }
  std::string text(static_cast<std::size_t>(std::ftell(stream)), ' ');
  std::rewind(stream);
  REQUIRE(std::fread(text.data(), 1, text.size(), stream) == text.size());
  std::fclose(stream);
  return text;
}

}  // namespace

TEST_CASE("progress tells share, steps, speed and time left") {
  CHECK(progress_text({500, 1000, 5.0}) == " 50 %  500/1 000 steps  100.0 steps/s  ETA 5.0 s");
  CHECK(progress_text({1, 2000000, 0.001}) ==
        "  0 %  1/2 000 000 steps  1.0 k steps/s  ETA 33 min 20 s");
  CHECK(rate_text(2.5e6) == "2.50 M");
}

TEST_CASE("elsewhere than on a terminal a line comes each tenth") {
  const std::string lines = shown(ProgressMode::lines, 10);
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 10);
  CHECK(lines.find('\r') == std::string::npos);
  CHECK_THAT(lines, ContainsSubstring(" 10 %  100/1 000 steps"));
  CHECK_THAT(lines, ContainsSubstring("100 %"));
}

TEST_CASE("large blocks do not repeat a tenth") {
  const std::string lines = shown(ProgressMode::lines, 400);
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 2);
}

TEST_CASE("a bar is drawn over itself and ends its line once") {
  const std::string bar = shown(ProgressMode::bar, 10);
  CHECK(std::count(bar.begin(), bar.end(), '\n') == 1);
  CHECK(bar.back() == '\n');
  CHECK_THAT(bar, ContainsSubstring("[########################] 100 %"));
  // Drawn at most five times a second, and at the end.
  CHECK(std::count(bar.begin(), bar.end(), '\r') < 5);
}

TEST_CASE("no progress is no output") { CHECK(shown(ProgressMode::none, 10).empty()); }
