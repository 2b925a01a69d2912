// SPDX-License-Identifier: MIT
/// \file
/// Rediscovers Oja's rule over several seeds, and measures candidates per second.
///
/// With --population it reads candidates from stdin, a line of coefficients each, and writes the
/// objective of each and then the seconds that a pass over all took: rediscover.py compares both
/// with NumPy.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "../src/core/parallel.h"
#include "rediscovery.h"

namespace {

using gaia::bench::Rediscovery;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int measure(const std::string& folder, int repeats) {
  const Rediscovery task(0);
  const auto write = [&](const char* name, const std::vector<double>& values) {
    std::ofstream file(folder + "/" + name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(double)));
  };
  write("samples.f64", task.samples());
  write("initial.f64", task.initial());
  std::vector<std::vector<double>> candidates;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    candidates.emplace_back();
    for (double value = 0.0; words >> value;) candidates.back().push_back(value);
  }
  for (const double one : task.objectives(candidates)) fmt::print("{:.17g}\n", one);
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    seconds.push_back(seconds_of([&] { task.objectives(candidates); }));
  }
  std::sort(seconds.begin(), seconds.end());
  fmt::print("{:.9g}\n", seconds[seconds.size() / 2]);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App cli("Rediscovers Oja's rule among the terms of a polynomial");
  std::int64_t seeds = 20;
  std::int64_t evaluations = 20000;
  std::string folder;
  int repeats = 5;
  int threads = 0;
  cli.add_option("--seeds", seeds, "Searches, each with data of its own");
  cli.add_option("--evaluations", evaluations, "Candidates of a search, at most");
  cli.add_option("--population", folder,
                 "Measure the candidates on stdin; the samples are written to this folder");
  cli.add_option("--repeats", repeats, "Passes over the population");
  cli.add_option("--threads", threads, "0: all");
  CLI11_PARSE(cli, argc, argv);
  if (threads > 0) gaia::set_num_threads(threads);
  if (!folder.empty()) return measure(folder, repeats);
  std::int64_t found = 0;
  std::int64_t by_luck = 0;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const Rediscovery task(static_cast<std::uint64_t>(seed));
    gaia::SearchResult result;
    const double seconds = seconds_of([&] {
      result = gaia::bench::rediscover(task, static_cast<std::uint64_t>(seed), evaluations);
    });
    const bool is_right = gaia::bench::is_oja(result.best, 0.05);
    found += is_right ? 1 : 0;
    const gaia::SearchResult luck = gaia::bench::best_at_random(
        task, static_cast<std::uint64_t>(seed), std::ssize(result.history));
    by_luck += gaia::bench::is_oja(luck.best, 0.05) ? 1 : 0;
    std::string terms;
    for (std::size_t k = 0; k < result.best.size(); ++k) {
      if (std::abs(result.best[k]) < 0.005) continue;
      terms += fmt::format(" {} {:+.3f}", Rediscovery::names()[k], result.best[k]);
    }
    fmt::print(
        "seed {:>2}  {}  {} candidates, {:.0f} a second, distance {:.1e}, at random {:.1e}:{}\n",
        seed, is_right ? "Oja's rule" : "another   ", result.history.size(),
        static_cast<double>(result.history.size()) / seconds, result.objective, luck.objective,
        terms);
    std::fflush(stdout);
  }
  fmt::print("{} of {} seeds have Oja's rule, coefficients within 5 %; at random {}\n", found,
             seeds, by_luck);
  return 0;
}
