// SPDX-License-Identifier: MIT
#include "../../../src/experiment/results/regimes_in_file.h"

#include <vector>

#include "../../../src/io/hdf5.h"
#include "../../support/catch.h"
#include "../../support/temp_dir.h"

using namespace gaia;
using gaia::test::TempDir;

TEST_CASE("changes of the regime are read from a file with their steps") {
  for (const bool has_trials : {false, true}) {
    const TempDir folder;
    const std::string path = folder.path("r.h5");
    {
      hdf5::File file = hdf5::File::create(path);
      const auto put = [](hdf5::Group& group, const char* name,
                          const std::vector<std::int64_t>& shape, const std::vector<double>& x) {
        group.create_dataset(name, {.type = hdf5::Type::float64, .shape = shape}).write<double>(x);
      };
      hdf5::Group levels = file.create_group("levels");
      for (const int n : {0, 1}) {
        hdf5::Group level = levels.create_group(std::to_string(n));
        std::vector<double> steps;
        std::vector<double> p;
        for (int t = 0; t < 40; ++t) {
          const bool is_first = t < 12 || t >= 30;
          steps.push_back(t * 5.0);
          p.insert(p.end(), {is_first ? 0.9 : 0.2, is_first ? 0.1 : 0.8});
        }
        put(level, "step", {40}, steps);
        if (n == 1) put(level, "probability", {40, 2}, p);
      }
      hdf5::Group data = file.create_group("data");
      if (has_trials) put(data, "trial_start", {2}, {0.0, 60.0});
      file.close();
    }
    const auto reader = hdf5::open_reader(path);
    const auto found = regimes_in_file(*reader, 200);
    REQUIRE(found.size() == 1);
    CHECK(found[0].level == 1);
    CHECK(found[0].models == 2);
    using Changes = std::vector<RegimeChange>;
    CHECK(found[0].changes ==
          (has_trials ? Changes{{150, 1, 0}} : Changes{{60, 0, 1}, {150, 1, 0}}));
    // What is not committed yet does not count.
    CHECK(regimes_in_file(*reader, 160)[0].changes.size() == (has_trials ? 0U : 1U));
  }
}
