// SPDX-License-Identifier: MIT
#include "../../../src/experiment/sweep/member_places.h"

#include <filesystem>

#include "../../support/catch.h"
#include "../../support/log_capture.h"
#include "../../support/temp_dir.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// A program that stands in for gaia: it does what `lines` say.
std::string program(const TempDir& folder, const std::string& lines) {
  const std::string path = folder.write("a gaia", "#!/bin/sh\n" + lines);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

}  // namespace

FOLDER_TEST_CASE("another process tells what memory the GPUs have") {
  const LogCapture log;
  const std::string answer = R"({"devices": [{"device": "cpu", "free_memory": 7},)"
                             R"({"device": "cuda:0", "free_memory": 81000000000},)"
                             R"({"device": "cuda:2", "free_memory": 5e8}]})";
  const std::string gaia = program(
      folder, "[ \"$*\" = 'info --json' ] || exit 2\necho loading >&2\necho '" + answer + "'\n");
  CHECK(free_on_gpus(gaia) == std::vector<double>{81e9, 0.0, 5e8});
  CHECK(free_on_gpus(program(folder, "echo '{\"devices\": [{\"device\": \"cpu\"}]}'\n")).empty());
  CHECK(log.lines.empty());
}

FOLDER_TEST_CASE("a process that does not tell what memory the GPUs have is warned of") {
  const std::string full = "echo '{\"devices\": [{\"device\": \"cuda:0\", ";
  for (const std::string& lines :
       {std::string("exit 3\n"), std::string("kill -9 $$\n"), std::string("echo memory: plenty\n"),
        std::string("echo '{}'\n"), full + "\"free\": 3}]}'\n",
        full + "\"free_memory\": \"all\"}]}'\n", full + "\"free_memory\": 3}]}'; exit 1\n"}) {
    CAPTURE(lines);
    const LogCapture log;
    CHECK(free_on_gpus(program(folder, lines)).empty());
    CHECK(log.lines.size() == 1);
  }
  const LogCapture log;
  CHECK(free_on_gpus(folder.path("nowhere")).empty());
  CHECK(log.lines.size() == 1);
}

TEST_CASE("memory limits how many members run at a time") {
  CHECK(jobs_that_fit(4, 1e3, {}) == 4);
  CHECK(jobs_that_fit(4, 1e15, {}) == 1);
  CHECK(jobs_that_fit(4, 1e3, {2, 1}) == 3);
  // 0.5 GB of each is the context's.
  CHECK(room_on_gpus(1.5e9, {9e9, 1e9, 2.1e9}) == std::vector<std::int64_t>{4, 0, 1});
  CHECK(room_on_gpus(1e12, {9e9, 1e10}) == std::vector<std::int64_t>{0, 1});
  CHECK(room_on_gpus(1e3, {}).empty());
}

TEST_CASE("processes share the GPUs in turn") {
  CHECK(gpu_environments(4, {9}, "").empty());
  const auto three = gpu_environments(3, {9, 9}, "");
  REQUIRE(three.size() == 3);
  CHECK(three[2] == ChildProcesses::Environment{{"CUDA_VISIBLE_DEVICES", "0"}});
  CHECK(gpu_environments(2, {9, 9}, "5,GPU-7")[1].front().second == "GPU-7");
}

TEST_CASE("a GPU gets no more processes than it has room for") {
  std::string gpus;
  for (const auto& environment : gpu_environments(6, {1, 0, 4, 2}, "")) {
    gpus += environment.front().second;
  }
  CHECK(gpus == "023232");
}
