// SPDX-License-Identifier: MIT
/// \file
/// Runs the `gaia` command, or another, in a folder of its own.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "../support/temp_dir.h"
#include "../support/text.h"

namespace gaia::test {

struct Finished {
  int code = -1;  ///< Exit code, or 128 + the signal that ended it.
  std::string out;
  std::string err;
};

/// A command that is running.
class Running {
 public:
  Running(const TempDir& folder, const std::vector<std::string>& arguments,
          const std::string& program = GAIA_COMMAND)
      : folder_(folder) {
    std::vector<char*> argv;
    std::vector<std::string> words = {program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string home = folder.path("");
    const std::string out = folder.path("stdout.txt");
    const std::string err = folder.path("stderr.txt");
    // A signal may come as soon as there is a process; it must not meet handlers of the tests.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_ = fork();
    if (pid_ == 0) {
      for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, &before, nullptr);
    if (pid_ != 0) return;
    const bool ready =
        chdir(home.c_str()) == 0 && redirect(out, STDOUT_FILENO) && redirect(err, STDERR_FILENO);
    if (ready) execv(argv[0], argv.data());
    _exit(127);
  }

  void signal(int number) const { kill(pid_, number); }

  /// Whether it holds this file open.
  bool has_open(const std::string& path) const {
    std::error_code error;
    const std::string descriptors = "/proc/" + std::to_string(pid_) + "/fd";
    for (const auto& entry : std::filesystem::directory_iterator(descriptors, error)) {
      if (std::filesystem::equivalent(entry.path(), path, error)) return true;
    }
    return false;
  }

  /// Whether it has ended, by itself or by a signal; `wait` then tells how.
  bool has_ended() const {
    siginfo_t what{};
    return waitid(P_PID, static_cast<id_t>(pid_), &what, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           what.si_pid == pid_;
  }

  Finished wait() const {
    int status = 0;
    waitpid(pid_, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {code, file_text(folder_.path("stdout.txt")), file_text(folder_.path("stderr.txt"))};
  }

  /// Waits until `done()`, at most half a minute.
  template <class Done>
  static bool until(const Done& done) {
    for (int i = 0; i < 3000; ++i) {
      if (done()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

 private:
  static bool redirect(const std::string& path, int descriptor) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    return file >= 0 && dup2(file, descriptor) >= 0;
  }

  const TempDir& folder_;
  pid_t pid_;
};

inline Finished gaia_command(const TempDir& folder, const std::vector<std::string>& arguments) {
  return Running(folder, arguments).wait();
}

}  // namespace gaia::test
