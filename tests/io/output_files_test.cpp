// SPDX-License-Identifier: MIT
#include "../../src/io/output_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/temp_dir.h"
#include "../support/text.h"

using namespace gaia;
using namespace gaia::test;

namespace {

bool exists(const std::string& path) { return std::filesystem::exists(path); }

}  // namespace

FOLDER_TEST_CASE("an output belongs to one run at a time") {
  const std::string result = folder.path("r.h5");
  {
    const OutputLock lock(result);
    CHECK(exists(result + ".lock"));
    CHECK_THROWS_WITH_TEXT(OutputLock(result), LockedError,
                           "process " + std::to_string(getpid()) + " on ");
  }
  CHECK_FALSE(exists(result + ".lock"));
  const OutputLock again(result);
}

FOLDER_TEST_CASE("a lock file that a dead process left is no obstacle") {
  folder.write("r.h5.lock", "process 1 on nowhere");
  const OutputLock lock(folder.path("r.h5"));
  CHECK(file_text(folder.path("r.h5.lock")).find(std::to_string(getpid())) != std::string::npos);
}

FOLDER_TEST_CASE("what exists is refused, and only the partial file is removed") {
  const std::string result = folder.path("r.h5");
  clear_the_way(result, false);
  folder.write("r.h5", "old");
  CHECK_THROWS_WITH_TEXT(clear_the_way(result, false), OutputError, "exists; use --overwrite");
  clear_the_way(result, true);
  CHECK(file_text(result) == "old");
  std::filesystem::remove(result);
  folder.write("r.h5.partial", "part");
  CHECK_THROWS_WITH_TEXT(clear_the_way(result, false), OutputError, "use --overwrite to drop it");
  CHECK(file_text(result + ".partial") == "part");
  clear_the_way(result, true);
  CHECK_FALSE(exists(result + ".partial"));
}

FOLDER_TEST_CASE("a result that is a folder or a link is left alone") {
  std::filesystem::create_directory(folder.path("r.h5"));
  CHECK_THROWS_WITH_TEXT(clear_the_way(folder.path("r.h5"), true), OutputError,
                         "not a regular file");
  folder.write("target", "precious");
  std::filesystem::create_symlink(folder.path("target"), folder.path("s.h5.partial"));
  CHECK_THROWS_WITH_TEXT(clear_the_way(folder.path("s.h5"), true), OutputError,
                         "not a regular file");
  CHECK(file_text(folder.path("target")) == "precious");
}

FOLDER_TEST_CASE("a copy holds the same bytes and publishing gives it its name") {
  std::string bytes(3000000, 'x');
  for (std::size_t i = 0; i < bytes.size(); i += 7) bytes[i] = static_cast<char>(i % 251);
  folder.write("a", bytes);
  copy_file(folder.path("a"), folder.path("b"));
  CHECK(file_text(folder.path("b")) == bytes);
  folder.write("c", "old");
  publish(folder.path("b"), folder.path("c"));
  CHECK(file_text(folder.path("c")) == bytes);
  CHECK_FALSE(exists(folder.path("b")));
  folder.write("empty", "");
  copy_file(folder.path("empty"), folder.path("empty2"));
  CHECK(file_text(folder.path("empty2")).empty());
}

FOLDER_TEST_CASE("failures name the file and leave nothing behind") {
  CHECK_THROWS_WITH_TEXT(copy_file(folder.path("none"), folder.path("b")), OutputError, "none");
  CHECK_FALSE(exists(folder.path("b")));
  folder.write("file", "x");
  CHECK_THROWS_WITH_TEXT(make_folder_of(folder.path("file/deeper/r.h5")), OutputError,
                         "cannot be made");
  CHECK_THROWS_WITH_TEXT(OutputLock(folder.path("no/such/folder/r.h5")), OutputError,
                         "cannot be created");
  // A full device.
  if (exists("/dev/full")) {
    std::filesystem::create_symlink("/dev/full", folder.path("full"));
    CHECK_THROWS_AS(copy_file(folder.path("file"), folder.path("full")), OutputError);
  }
}

FOLDER_TEST_CASE("folders on the way to a result are made") {
  make_folder_of(folder.path("a/b/c/r.h5"));
  CHECK(std::filesystem::is_directory(folder.path("a/b/c")));
  CHECK(free_space(folder.path("a/b/x/y/r.h5")) > 0.0);
}
