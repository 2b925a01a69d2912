// SPDX-License-Identifier: MIT
/// \file
/// A sweep of many members.
#include <algorithm>
#include <numeric>

#include "results.h"
#include "trials.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr std::int64_t kSteps = 300;  // of kMinimal

std::string member(std::int64_t number) {
  const std::string digits = std::to_string(number);
  return "s/member-" + std::string(5 - std::min<std::size_t>(5, digits.size()), '0') + digits +
         ".h5";
}

/// Whether a member's file is complete and its row of the index, of so many numbers, is its own.
bool is_whole(const TempDir& folder, std::int64_t number, const std::vector<double>& indexed) {
  const hdf5::File file = hdf5::File::open(folder.path(member(number)));
  return file.text_attribute("status") == "complete" && file.integer_attribute("seed") == number &&
         file.integer_attribute("steps_done") == kSteps &&
         file.open_group("sweep").integer_attribute("member") == number &&
         gaia::test::same_bits(file.open_dataset("levels/0/representation").read<double>(),
                               indexed);
}

}  // namespace

TEST_CASE("a sweep of many members leaves each of them whole, and an index of all") {
  const std::int64_t count = gaia::test::trials("MEMBERS", 12);
  const TempDir folder;
  folder.write("e.yaml", gaia::test::kMinimal +
                             "readouts:\n"
                             "  - {name: now, target: {channel: 0, horizon: 1}, levels: [0]}\n"
                             "sweep: {seeds: " +
                             std::to_string(count) + "}\n");
  const Finished done = gaia_command(folder, {"sweep", "e.yaml", "--jobs", "4", "--output", "s"});
  INFO(done.err);
  REQUIRE(done.code == 0);

  std::vector<std::vector<double>> rows;
  {
    const hdf5::File index = hdf5::File::open(folder.path("s/index.h5"));
    CHECK(index.integer_attribute("members") == count);
    CHECK(index.integer_attribute("complete") == count);
    std::vector<std::int64_t> seeds(static_cast<std::size_t>(count));
    std::iota(seeds.begin(), seeds.end(), 0);
    CHECK(index.open_dataset("seed").read<std::int64_t>() == seeds);
    const hdf5::Dataset seen = index.open_dataset("levels/0/representation");
    REQUIRE(seen.shape() == std::vector<std::int64_t>{count, kSteps, 2});
    for (std::int64_t i = 0; i < count; ++i) {
      rows.emplace_back(static_cast<std::size_t>(2 * kSteps));
      seen.read_rows(i, 1, rows.back().data());
    }
  }
  std::int64_t whole = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    INFO("member " << i);
    const bool is_good = is_whole(folder, i, rows[static_cast<std::size_t>(i)]);
    CHECK(is_good);
    whole += is_good ? 1 : 0;
  }
  const std::string table = gaia::test::bytes_of(folder.path("s/members.csv"));
  CHECK(std::count(table.begin(), table.end(), '\n') == count + 1);
  const std::filesystem::directory_iterator left(folder.path("s"));
  CHECK(std::distance(begin(left), end(left)) == count + 2);

  // The last is what it is alone.
  REQUIRE(gaia_command(folder, {"run", "e.yaml", "-q", "--set", "sweep=null", "--seed",
                                std::to_string(count - 1), "--output", "alone.h5"})
              .code == 0);
  CHECK(gaia::test::same_results(folder.path("alone.h5"), folder.path(member(count - 1))));
  gaia::test::tell_row("a sweep of so many members, `--jobs 4`", static_cast<std::size_t>(count),
                       std::to_string(whole) + " members whole, each as the index shows it");
}
