// SPDX-License-Identifier: MIT
#include "../../src/core/kept_files.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "../../src/core/log.h"
#include "../support/catch.h"
#include "../support/log_capture.h"
#include "../support/scratch_cache.h"
#include "../support/text.h"

namespace gaia::test {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t kMuch = 1 << 20;

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("What is kept is found again, byte by byte, in the user's cache") {
  const ScratchCache cache;
  CHECK(user_cache_folder() == cache.folder() / "gaia");
  const KeptFiles files(user_cache_folder() / "kernels", kMuch);
  CHECK_FALSE(files.find("a1"));
  const std::string content = std::string("\0\n\xff", 3) + std::string(10000, 'x');
  files.keep("a1", content);
  files.keep("a2", "");
  CHECK(files.find("a1") == content);
  CHECK(files.find("a2") == "");
  files.keep("a1", "another");
  CHECK(files.find("a1") == "another");
  CHECK(cache.files().size() == 2);
  // Nobody else may write there.
  struct stat facts {};
  REQUIRE(::stat((cache.folder() / "gaia/kernels/a1").c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777) == 0600);
}

TEST_CASE("What is damaged, or may be another one's, is as if it were not there") {
  const ScratchCache cache;
  const fs::path folder = cache.folder();
  const KeptFiles files(folder, kMuch);
  const std::string content = "0123456789";
  files.keep("a", content);
  const std::string whole = file_text(folder / "a");
  const auto is_refused = [&](const std::string& text) {
    fs::remove(folder / "a");
    write(folder / "a", text);
    fs::permissions(folder / "a", fs::perms::owner_read | fs::perms::owner_write);
    return !files.find("a");
  };
  CHECK_FALSE(is_refused(whole));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CHECK(is_refused(whole.substr(0, length)));
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    CHECK(is_refused(changed));
  }
  CHECK(is_refused(whole + "x"));
  CHECK(is_refused(std::string(1000, '\n')));
  // The file of another key under this one's name.
  files.keep("b", content);
  CHECK(is_refused(file_text(folder / "b")));
  // A file that others can write, a link, a folder.
  files.keep("a", content);
  CHECK(files.find("a") == content);
  fs::permissions(folder / "a", fs::perms::others_write, fs::perm_options::add);
  CHECK_FALSE(files.find("a"));
  fs::remove(folder / "a");
  fs::create_symlink(folder / "b", folder / "a");
  CHECK_FALSE(files.find("a"));
  fs::remove(folder / "a");
  fs::create_directory(folder / "a");
  CHECK_FALSE(files.find("a"));
}

TEST_CASE("Over the limit, what was not read for longest goes first") {
  const ScratchCache cache;
  const fs::path folder = cache.folder();
  const KeptFiles files(folder, 3500);
  const std::string content(1000, 'x');
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 3; ++i) {
    const std::string key = "k" + std::to_string(i);
    files.keep(key, content);
    fs::last_write_time(folder / key, now - std::chrono::hours(10 - i));
  }
  CHECK(files.find("k0"));  // which makes k1 the oldest
  files.keep("k3", content);
  CHECK(files.find("k0"));
  CHECK_FALSE(files.find("k1"));
  CHECK(files.find("k2"));
  CHECK(files.find("k3"));
  // What alone is over the limit is not kept, and drives nothing out.
  files.keep("large", std::string(4000, 'x'));
  CHECK_FALSE(files.find("large"));
  CHECK(cache.files().size() == 3);
  // What a writer that died has left goes when it is old.
  write(folder / "k4.1.0.part", "half");
  write(folder / "k5.1.0.part", "half");
  fs::last_write_time(folder / "k4.1.0.part", now - std::chrono::hours(2));
  files.keep("k3", content);
  CHECK_FALSE(fs::exists(folder / "k4.1.0.part"));
  CHECK(fs::exists(folder / "k5.1.0.part"));
}

TEST_CASE("That nothing can be kept is said once, and is no error") {
  const ScratchCache cache;
  const auto tries_to_keep = [](const KeptFiles& files) {
    const LogCapture log;
    files.keep("a", "content");
    files.keep("b", "content");
    CHECK_FALSE(files.find("a"));
    CHECK(log.lines.size() == 1);
  };
  // No folder can be created where a file is.
  write(cache.folder() / "file", "");
  tries_to_keep(KeptFiles(cache.folder() / "file" / "below", kMuch));
  // A disk on which nothing more fits.
  const fs::path folder = cache.folder() / "full";
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{16, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  tries_to_keep(KeptFiles(folder, kMuch));
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  ::signal(SIGXFSZ, handler);
  CHECK(fs::is_empty(folder));
  // No folder at all.
  KeptFiles({}, kMuch).keep("a", "content");
  CHECK_FALSE(KeptFiles({}, kMuch).find("a"));
}

TEST_CASE("Processes that keep one thing at once see it whole or not at all") {
  const ScratchCache cache;
  const KeptFiles files(cache.folder() / "shared", kMuch);
  std::string content;
  for (int i = 0; i < 50000; ++i) content += static_cast<char>('a' + i % 23);
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      bool good = true;
      for (int turn = 0; turn < 50; ++turn) {
        const auto found = files.find("k");
        good = good && (!found || *found == content);
        files.keep("k", content);
      }
      _exit(good && files.find("k") == content ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(files.find("k") == content);
  CHECK(cache.files().size() == 1);
}

}  // namespace gaia::test
