// SPDX-License-Identifier: MIT
#include "../../src/io/find_files.h"

#include <filesystem>

#include "../support/catch.h"
#include "../support/temp_dir.h"

namespace gaia {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("find_files finds regular files by a pattern, sorted by name") {
  const test::TempDir dir;
  for (const char* name : {"b.csv", "a10.csv", "a2.csv", "a.txt"}) dir.write(name, "x");
  std::filesystem::create_directory(dir.path("folder.csv"));
  const std::string folder = std::filesystem::path(dir.path("b.csv")).parent_path().string();
  CHECK(find_files("*.csv", folder) ==
        Names{dir.path("a10.csv"), dir.path("a2.csv"), dir.path("b.csv")});
  CHECK(find_files("a?.csv", folder) == Names{dir.path("a2.csv")});
  CHECK(find_files("[b-z].*", folder) == Names{dir.path("b.csv")});
  CHECK(find_files(folder + "/*.txt", "elsewhere") == Names{dir.path("a.txt")});
  CHECK(find_files("*.npy", folder).empty());
  CHECK(find_files("no/such/*.csv", folder).empty());
}

TEST_CASE("find_files takes what stands in the folder's own name as it is") {
  const test::TempDir dir;
  const std::string folder = dir.path("run[1]*");
  std::filesystem::create_directory(folder);
  std::filesystem::create_directory(dir.path("run1x"));
  dir.write("run1x/a.csv", "x");
  const std::string file = dir.write("run[1]*/a.csv", "x");
  CHECK(find_files("*.csv", folder) == Names{file});
}

TEST_CASE("is_pattern tells patterns from names") {
  CHECK(is_pattern("a*.csv"));
  CHECK(is_pattern("a?.csv"));
  CHECK(is_pattern("a[0-9].csv"));
  CHECK_FALSE(is_pattern("runs/a-1.csv"));
}

}  // namespace
}  // namespace gaia
