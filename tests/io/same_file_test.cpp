// SPDX-License-Identifier: MIT
#include "../../src/io/same_file.h"

#include <filesystem>

#include "../support/catch.h"
#include "../support/temp_dir.h"

using namespace gaia;

FOLDER_TEST_CASE("two paths are one file once the folders on the way are there") {
  const std::string file = folder.write("r.h5", "text");
  folder.write("other.h5", "text");
  std::filesystem::create_directories(folder.path("deep/er"));
  std::filesystem::create_symlink("r.h5", folder.path("link.h5"));
  std::filesystem::create_symlink("deep/er", folder.path("far"));
  for (const char* same : {"r.h5", "./r.h5", "link.h5", "none/../r.h5", "none/./none/../../r.h5",
                           "none/../link.h5", "far/../../r.h5", "none/../far/../../r.h5"}) {
    INFO(same);
    CHECK(is_same_file(folder.path(same), file));
    CHECK(is_same_file(file, folder.path(same)));
  }
  for (const char* other : {"other.h5", "none/r.h5", "none/../other.h5", "far/../r.h5", ""}) {
    INFO(other);
    CHECK_FALSE(is_same_file(folder.path(other), file));
  }
  CHECK(is_same_file(folder.path("new.h5"), folder.path("none/../new.h5")));
}
