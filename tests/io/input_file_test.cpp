// SPDX-License-Identifier: MIT
#include "../../src/io/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/temp_dir.h"

namespace gaia {
namespace {

FOLDER_TEST_CASE("input files are read at any offset") {
  const InputFile file(folder.write("a", "0123456789"));
  CHECK(file.size() == 10);
  std::string bytes(4, ' ');
  CHECK(file.read(3, bytes) == 4);
  CHECK(bytes == "3456");
  CHECK(file.read(8, bytes) == 2);
  CHECK(bytes.substr(0, 2) == "89");
  CHECK(file.read(10, bytes) == 0);
  CHECK(file.read(1000, bytes) == 0);
}

FOLDER_TEST_CASE("input files are regular files that can be read") {
  CHECK_THROWS_WITH(InputFile(folder.path("absent")),
                    folder.path("absent") + ": cannot be opened: No such file or directory");
  CHECK_THROWS_WITH(InputFile(folder.path("")),
                    folder.path("") + ": expected a regular file, got a directory");
  CHECK_THROWS_WITH(InputFile("/dev/null"), "/dev/null: expected a regular file, got a device");
  // A pipe without a writer must not make us wait.
  REQUIRE(mkfifo(folder.path("pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(InputFile(folder.path("pipe")),
                    folder.path("pipe") + ": expected a regular file, got a pipe");
  CHECK_THROWS_AS(InputFile(""), DataError);
}

FOLDER_TEST_CASE("input files notice when they are written to") {
  const std::string path = folder.write("a", "0123456789");
  const InputFile file(path);
  CHECK_NOTHROW(file.check_unchanged());
  SECTION("shorter") { folder.write("a", "012"); }
  SECTION("longer") { folder.write("a", "0123456789a"); }
  SECTION("of the same length, later") {
    const timespec later[2] = {{2000000000, 0}, {2000000000, 0}};
    REQUIRE(utimensat(AT_FDCWD, path.c_str(), later, 0) == 0);
  }
  CHECK_THROWS_WITH(file.check_unchanged(), path + ": the file changed while it was read");
}

FOLDER_TEST_CASE("input files that hash know their SHA-256, in whatever order they were read") {
  std::string content;
  for (int i = 0; i < 100000; ++i) content += static_cast<char>(i * i % 251);
  const std::string path = folder.write("a", content);
  const std::string expected = sha256_of(content);
  struct Read {
    std::int64_t offset;
    std::size_t count;
  };
  for (const std::vector<Read>& reads : std::vector<std::vector<Read>>{
           {},
           {{0, 100000}},
           {{0, 10}, {10, 50000}, {20, 70000}, {90, 3}, {0, 100000}, {100000, 5}},
           {{500, 10}, {0, 510}, {99990, 100}, {400, 200}}}) {
    const InputFile file(path, true);
    for (const Read& read : reads) {
      std::string bytes(read.count, ' ');
      file.read(read.offset, bytes);
    }
    CHECK(file.sha256() == expected);
    CHECK(file.sha256() == expected);
  }
  const InputFile changed(path, true);
  folder.write("a", content + "x");
  CHECK_THROWS_WITH(changed.sha256(), path + ": the file changed while it was read");
}

FOLDER_TEST_CASE("large input files know their SHA-256 on one thread and on two") {
  std::string content;
  for (int i = 0; i < 6'000'000; ++i) content += static_cast<char>(i * std::int64_t{i} % 251);
  const std::string path = folder.write("a", content);
  for (const int threads : {1, 2}) {
    const test::Threads some(threads);
    const InputFile file(path, true);
    std::string bytes(700'000, ' ');
    for (std::int64_t offset = 0; offset < 5'000'000; offset += 500'000) {
      file.read(offset, bytes);
      bytes.assign(bytes.size(), '-');  // what was read is the caller's
    }
    CHECK(file.sha256() == sha256_of(content));
    const InputFile dropped(path, true);
    dropped.read(0, bytes);
  }
}

FOLDER_TEST_CASE("input files notice that another file has their place") {
  const std::string path = folder.write("a", "old");
  const InputFile file(path);
  CHECK_NOTHROW(file.check_in_place());
  std::filesystem::rename(folder.write("b", "new"), path);
  CHECK_THROWS_WITH(file.check_in_place(), path + ": the file was replaced while it was read");
}

FOLDER_TEST_CASE("input files that are replaced stay readable as they were") {
  const InputFile file(folder.write("a", "old"));
  std::filesystem::rename(folder.write("b", "new content"), folder.path("a"));
  CHECK_NOTHROW(file.check_unchanged());
  std::string bytes(3, ' ');
  CHECK(file.read(0, bytes) == 3);
  CHECK(bytes == "old");
}

}  // namespace
}  // namespace gaia
