// SPDX-License-Identifier: MIT
/// \file
/// What `gaia stream` costs, measured from outside, through pipes, with a hierarchy 16 -> 8 -> 4.
///
///     bench_stream                     two million rows each way, a minute or more
///     bench_stream --rows 100000       fewer
///
/// Rows a second: all rows are written as fast as they are taken, while another thread reads.  Cost
/// of a row at the beginning and at the end: the time between answers there.  Latency: a row is
/// written, and the next one only when its answer has been read.  What comes out both ways has to
/// be the same bytes, else nothing is reported and the exit code is 1.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kColumns = 16;
constexpr const char* kExperiment = R"(experiment: stream
seed: 1
data: {source: file, path: series.csv}
hierarchy:
  levels:
    - layers: [{type: hebbian, size: 8, rule: oja, learning_rate: 0.001}]
    - {temporal_resolution: 2, layers: [{type: hebbian, size: 4, rule: oja, learning_rate: 0.001}]}
controls: none
output: {path: stream.h5}
)";

struct Options {
  std::string program = "build/release/bin/gaia";
  std::int64_t rows = 2'000'000;
  std::int64_t questions = 50'000;  // rows that are answered one by one
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A row of numbers that look like an instrument's; the same for the same number.
void add_row(std::int64_t number, bool is_json, std::string& text) {
  std::uint64_t state = static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15u + 1;
  if (is_json) text += '{';
  for (int c = 0; c < kColumns; ++c) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto thousandths = static_cast<std::int64_t>(state >> 51) - 4096;
    if (c > 0) text += ',';
    if (is_json) fmt::format_to(std::back_inserter(text), "\"c{}\":", c);
    fmt::format_to(std::back_inserter(text), "{:.3f}", 1e-3 * static_cast<double>(thousandths));
  }
  text += is_json ? "}\n" : "\n";
}

std::string header() {
  std::string text = "c0";
  for (int c = 1; c < kColumns; ++c) text += fmt::format(",c{}", c);
  return text + "\n";
}

/// A command that is running in a folder, at both ends of which we sit.
class Piped {
 public:
  Piped(const std::vector<std::string>& words, const std::string& folder) {
    int in[2];
    int out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) {
      throw std::runtime_error("no pipes are left");
    }
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    process_ = fork();
    if (process_ == 0) {
      const int quiet = open("/dev/null", O_WRONLY);
      if (chdir(folder.c_str()) != 0 || dup2(in[0], STDIN_FILENO) < 0 ||
          dup2(out[1], STDOUT_FILENO) < 0 || dup2(quiet, STDERR_FILENO) < 0) {
        _exit(126);
      }
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    in_ = in[1];
    out_ = out[0];
  }

  void write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t put = ::write(in_, bytes.data(), bytes.size());
      if (put < 0) throw std::runtime_error("gaia stream has ended before its rows have");
      bytes.remove_prefix(static_cast<std::size_t>(put));
    }
  }
  void end_of_rows() const { close(in_); }

  /// The next bytes; none at the end.
  std::string_view read() {
    const ssize_t got = ::read(out_, buffer_.data(), buffer_.size());
    return {buffer_.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
  }
  /// The next line; nothing is read beyond it, since it is waited for.
  void read_line(std::string& line) {
    line.clear();
    while (!line.ends_with('\n')) {
      const std::string_view bytes = read();
      if (bytes.empty()) throw std::runtime_error("gaia stream has ended before its answers have");
      line += bytes;
    }
  }

  /// Kilobytes that are in memory.
  std::int64_t memory() const {
    std::ifstream status(fmt::format("/proc/{}/status", process_));
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) return std::atoll(line.c_str() + 6);
    }
    return 0;
  }

  void wait() {
    close(out_);
    int status = 0;
    waitpid(process_, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      throw std::runtime_error("gaia stream has failed");
    }
  }

 private:
  pid_t process_ = -1;
  int in_ = -1;
  int out_ = -1;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 16);
};

struct Way {
  std::string name;
  bool is_json;
  bool learns;
};

struct Figures {
  double rows_a_second = 0.0;
  double early = 0.0;  // microseconds a row
  double late = 0.0;
  std::int64_t memory_early = 0;
  std::int64_t memory_late = 0;
  double median = 0.0;  // microseconds
  double p99 = 0.0;
};

class Measurement {
 public:
  Measurement(const Options& options, Way way, std::string folder)
      : options_(options), way_(std::move(way)), folder_(std::move(folder)) {}

  Figures figures() {
    Figures figures;
    ask(figures);
    feed(figures);
    return figures;
  }

 private:
  Piped begin() const {
    std::vector<std::string> words = {options_.program, "stream", "stream.h5", "--anew"};
    if (way_.is_json) words.insert(words.end(), {"--format", "ndjson"});
    if (way_.learns) words.emplace_back("--learn");
    return {words, folder_};
  }

  /// One by one.
  void ask(Figures& figures) {
    Piped stream = begin();
    std::string line;
    if (!way_.is_json) {
      stream.write(header());
      stream.read_line(line);
      answers_ += line;
    }
    std::vector<double> times;
    for (std::int64_t i = 0; i < options_.questions; ++i) {
      std::string row;
      add_row(i, way_.is_json, row);
      const auto start = Clock::now();
      stream.write(row);
      stream.read_line(line);
      times.push_back(1e6 * seconds_since(start));
      answers_ += line;
    }
    stream.end_of_rows();
    while (!stream.read().empty()) {
    }
    stream.wait();
    std::sort(times.begin(), times.end());
    figures.median = times[times.size() / 2];
    figures.p99 = times[times.size() * 99 / 100];
  }

  /// All that come.
  void feed(Figures& figures) {
    // Rows are built before the clock starts.
    constexpr std::int64_t kDifferent = 200'000;
    std::string rows;
    for (std::int64_t i = 0; i < std::min(options_.rows, kDifferent); ++i) {
      add_row(i, way_.is_json, rows);
    }
    Piped stream = begin();
    const auto start = Clock::now();
    std::thread writing([&] {
      if (!way_.is_json) stream.write(header());
      for (std::int64_t i = 0; i < options_.rows; i += kDifferent) stream.write(rows);
      stream.end_of_rows();
    });
    const std::int64_t total =
        (options_.rows + kDifferent - 1) / kDifferent * std::min(options_.rows, kDifferent);
    const std::int64_t span = total / 20;
    std::int64_t answered = way_.is_json ? 0 : -1;
    std::vector<double> reached;  // time at which each twentieth was
    std::string first;
    for (;;) {
      const std::string_view bytes = stream.read();
      if (bytes.empty()) break;
      if (first.size() < answers_.size()) first += bytes;
      answered += std::count(bytes.begin(), bytes.end(), '\n');
      while (answered >= span * (std::ssize(reached) + 1)) {
        reached.push_back(seconds_since(start));
        if (reached.size() == 1) figures.memory_early = stream.memory();
        if (std::ssize(reached) == 19) figures.memory_late = stream.memory();
      }
    }
    const double seconds = seconds_since(start);
    writing.join();
    stream.wait();
    if (answered != total) throw std::runtime_error("not as many answers as rows");
    if (!first.starts_with(answers_.substr(0, first.size()))) {
      throw std::runtime_error("rows one by one are answered otherwise than all at once");
    }
    figures.rows_a_second = static_cast<double>(total) / seconds;
    figures.early = 1e6 * (reached[1] - reached[0]) / static_cast<double>(span);
    figures.late = 1e6 * (reached[18] - reached[17]) / static_cast<double>(span);
  }

  const Options& options_;
  Way way_;
  std::string folder_;
  std::string answers_;  // of the rows that were answered one by one
};

void make_result(const Options& options, const fs::path& folder) {
  std::string series = header();
  for (std::int64_t i = 0; i < 20'000; ++i) add_row(-1 - i, false, series);
  std::ofstream(folder / "series.csv") << series;
  std::ofstream(folder / "stream.yaml") << kExperiment;
  const std::string line =
      fmt::format("cd '{}' && '{}' run stream.yaml --quiet", folder.string(), options.program);
  if (std::system(line.c_str()) != 0) throw std::runtime_error("gaia run has failed");
}

void measure(const Options& options, const fs::path& folder) {
  make_result(options, folder);
  fmt::print(
      "| 16 -> 8 -> 4 | rows/s | us a row, second twentieth | us a row, nineteenth | RSS, first "
      "twentieth | RSS, nineteenth | latency, median | latency, p99 |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (const Way& way : {Way{"CSV", false, false}, Way{"CSV, --learn", false, true},
                         Way{"NDJSON", true, false}, Way{"NDJSON, --learn", true, true}}) {
    const Figures f = Measurement(options, way, folder.string()).figures();
    fmt::print("| {} | {:.0f} | {:.2f} | {:.2f} | {} kB | {} kB | {:.1f} us | {:.1f} us |\n",
               way.name, f.rows_a_second, f.early, f.late, f.memory_early, f.memory_late, f.median,
               f.p99);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("What gaia stream costs, through pipes");
  app.add_option("--program", options.program, "The gaia that is measured");
  app.add_option("--rows", options.rows, "Rows that are fed as fast as they are taken")
      ->check(CLI::Range(1000, 1'000'000'000));
  app.add_option("--questions", options.questions, "Rows that are answered one by one")
      ->check(CLI::Range(100, 200'000));
  CLI11_PARSE(app, argc, argv);
  std::signal(SIGPIPE, SIG_IGN);
  const fs::path folder =
      fs::temp_directory_path() / fmt::format("bench_stream.{}", static_cast<long>(getpid()));
  int code = 0;
  try {
    options.program = fs::canonical(options.program).string();
    fs::create_directories(folder);
    measure(options, folder);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_stream: {}\n", error.what());
    code = 1;
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return code;
}
