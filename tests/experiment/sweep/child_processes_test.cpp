// SPDX-License-Identifier: MIT
#include "../../../src/experiment/sweep/child_processes.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/temp_dir.h"

using namespace gaia;

namespace {

std::vector<std::string> shell(const std::string& line) { return {"/bin/sh", "-c", line}; }

/// Waits until all have ended, in the order of their ids.
std::vector<EndedChild> all_of(ChildProcesses& children) {
  std::vector<EndedChild> all;
  while (children.running() > 0) {
    for (EndedChild& ended : children.wait(std::chrono::seconds(10))) {
      all.push_back(std::move(ended));
    }
  }
  std::sort(all.begin(), all.end(),
            [](const EndedChild& a, const EndedChild& b) { return a.id < b.id; });
  return all;
}

}  // namespace

TEST_CASE("children tell their code, their signal and what they said") {
  ChildProcesses children;
  children.start(0, shell("exit 0"));
  children.start(1, shell("echo no luck >&2; exit 3"));
  children.start(2, shell("kill -9 $$"));
  children.start(3, shell("printf %s \"$GAIA_TEST_WORD\" >&2"), {{"GAIA_TEST_WORD", "heard"}});
  CHECK(children.running() == 4);
  const std::vector<EndedChild> all = all_of(children);
  REQUIRE(all.size() == 4);
  CHECK((all[0].code == 0 && all[0].signal == 0 && all[0].errors.empty()));
  CHECK((all[1].code == 3 && all[1].errors == "no luck\n"));
  CHECK((all[2].code == 128 + SIGKILL && all[2].signal == SIGKILL));
  CHECK(all[3].errors == "heard");
}

FOLDER_TEST_CASE("children tell what memory they take") {
  ChildProcesses children;
  children.start(7, shell("head -c 90000000 /dev/zero | tail -c 90000000 > /dev/null"));
  children.start(8, shell("touch " + folder.path("up") + "; sleep 0.05; exit 0"));
  while (!std::filesystem::exists(folder.path("up"))) ::usleep(1000);
  CHECK(children.bytes_of(8) > 1e5);
  CHECK(children.bytes_of(9) == 0.0);
  const std::vector<EndedChild> all = all_of(children);
  REQUIRE(all.size() == 2);
  CHECK(all[0].peak_bytes > 90e6);
  CHECK(all[0].peak_bytes < 190e6);
  CHECK(all[1].peak_bytes < 90e6);
  CHECK(children.bytes_of(8) == 0.0);
}

TEST_CASE("much that a child says does not stop it, and its end is kept") {
  ChildProcesses children;
  children.start(5, shell("i=0; while [ $i -lt 20000 ]; do echo line $i >&2; i=$((i+1)); done"));
  const std::vector<EndedChild> all = all_of(children);
  REQUIRE(all.size() == 1);
  CHECK(all[0].code == 0);
  CHECK(all[0].errors.size() <= 16 << 10);
  CHECK_THAT(all[0].errors, Catch::Matchers::EndsWith("line 19999\n"));
}

TEST_CASE("a child whose stderr another process keeps open still ends") {
  ChildProcesses children;
  children.start(0, shell("sleep 20 >/dev/null & exit 4"));
  const auto start = std::chrono::steady_clock::now();
  const std::vector<EndedChild> all = [&] {
    std::vector<EndedChild> found;
    while (found.empty()) found = children.wait(std::chrono::milliseconds(20));
    return found;
  }();
  CHECK(all.front().code == 4);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(15));
}

FOLDER_TEST_CASE("signals reach children, and those that are left die with their owner") {
  {
    ChildProcesses children;
    children.start(0, shell("trap 'exit 9' TERM; touch " + folder.path("up") +
                            "; while :; do sleep 0.01; done"));
    children.start(1, shell("sleep 600; touch " + folder.path("late")));
    // The trap stands when it has said so.
    while (!std::filesystem::exists(folder.path("up"))) children.wait(std::chrono::milliseconds(5));
    children.signal_all(SIGTERM);
    const std::vector<EndedChild> all = all_of(children);
    CHECK(all[0].code == 9);
    CHECK(all[1].signal == SIGTERM);
    children.start(2, shell("echo $$ > " + folder.path("pid") + "; sleep 600"));
    while (!std::filesystem::exists(folder.path("pid")))
      children.wait(std::chrono::milliseconds(5));
  }
  CHECK_FALSE(std::filesystem::exists(folder.path("late")));
}

TEST_CASE("a child can be stopped where its owner ignores what stops it") {
  const auto before = std::signal(SIGTERM, SIG_IGN);
  ChildProcesses children;
  children.start(0, shell("kill -TERM $$; exit 5"));
  std::signal(SIGTERM, before);
  CHECK(all_of(children).front().signal == SIGTERM);
}

TEST_CASE("a program that is not there is an error") {
  ChildProcesses children;
  CHECK_THROWS_WITH_TEXT(children.start(0, {"/no/such/program"}), Error, "cannot be started");
  CHECK(children.running() == 0);
}
