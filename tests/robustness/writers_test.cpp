// SPDX-License-Identifier: MIT
/// \file
/// Several processes that want to write one file.
#include <algorithm>
#include <memory>

#include "results.h"
#include "trials.h"

using namespace gaia;
using namespace gaia::test;

TEST_CASE("of eight writers of one output exactly one wins") {
  const int rounds = gaia::test::trials("WRITERS", 2);
  const TempDir reference;
  const std::vector<std::string> arguments = {"run", "e.yaml", "-q", "--set", "data.steps=20000"};
  reference.write("e.yaml", gaia::test::kMinimal);
  REQUIRE(gaia_command(reference, arguments).code == 0);
  int locked = 0;
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    const TempDir target;
    std::vector<std::unique_ptr<TempDir>> folders;
    std::vector<std::unique_ptr<Running>> writers;
    for (int i = 0; i < 8; ++i) {
      folders.push_back(std::make_unique<TempDir>());
      folders.back()->write("e.yaml", gaia::test::kMinimal);
      std::vector<std::string> to_target = arguments;
      to_target.insert(to_target.end(), {"--output", target.path("r.h5")});
      writers.push_back(std::make_unique<Running>(*folders.back(), to_target));
    }
    std::vector<int> codes;
    for (const auto& writer : writers) codes.push_back(writer->wait().code);
    const auto with = [&](int code) { return std::count(codes.begin(), codes.end(), code); };
    CHECK(with(0) == 1);
    CHECK(with(0) + with(4) + with(7) == 8);
    locked += static_cast<int>(with(7));
    refused += static_cast<int>(with(4));
    CHECK(gaia::test::same_results(reference.path("results/minimal.h5"), target.path("r.h5")));
    CHECK_FALSE(std::filesystem::exists(target.path("r.h5.partial")));
    CHECK_FALSE(std::filesystem::exists(target.path("r.h5.lock")));
  }
  gaia::test::tell_row("8 writers of one output", static_cast<std::size_t>(rounds),
                       "one won each time, its file whole; of the others " +
                           std::to_string(locked) + " ended with 7, " + std::to_string(refused) +
                           " with 4");
}
