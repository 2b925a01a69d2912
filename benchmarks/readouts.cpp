// SPDX-License-Identifier: MIT
/// \file
/// gaia's part of benchmarks/peers_readouts.py: fits a logistic regression again and again, and
/// says how long it took and what it found.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "../src/core/parallel.h"
#include "../src/learning/logistic.h"

namespace {

/// Rows and the codes of their classes, as peers_readouts.py writes them: two whole numbers, rows
/// and features, then the rows as doubles and the codes as whole numbers of 64 bits.
struct Problem {
  std::int64_t features = 0;
  std::vector<double> rows;
  std::vector<std::int64_t> codes;
};

Problem read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::int64_t sizes[2] = {};
  file.read(reinterpret_cast<char*>(sizes), sizeof sizes);
  Problem problem{.features = sizes[1], .rows = {}, .codes = {}};
  if (!file || sizes[0] < 1 || sizes[1] < 1)
    throw std::runtime_error(path + ": expected two sizes");
  problem.rows.resize(static_cast<std::size_t>(sizes[0] * sizes[1]));
  problem.codes.resize(static_cast<std::size_t>(sizes[0]));
  file.read(reinterpret_cast<char*>(problem.rows.data()),
            static_cast<std::streamsize>(problem.rows.size() * sizeof(double)));
  file.read(reinterpret_cast<char*>(problem.codes.data()),
            static_cast<std::streamsize>(problem.codes.size() * sizeof(std::int64_t)));
  if (!file) throw std::runtime_error(path + ": ends before its rows do");
  return problem;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Fits a logistic regression, and writes seconds and solution as JSON.");
  std::string path;
  double l2 = 1e-4;
  int rounds = 1;
  int threads = 0;
  app.add_option("FILE", path, "rows and codes, as peers_readouts.py writes them")->required();
  app.add_option("--l2", l2, "as the key of a logistic readout");
  app.add_option("--rounds", rounds, "how often it is fitted");
  app.add_option("--threads", threads, "0: as many as there are processors");
  CLI11_PARSE(app, argc, argv);
  try {
    const Problem problem = read(path);
    gaia::set_num_threads(threads);
    nlohmann::json seconds = nlohmann::json::array();
    gaia::LogisticRegression logistic(problem.features, l2);
    for (int round = 0; round < rounds; ++round) {
      const auto start = std::chrono::steady_clock::now();
      logistic.fit(problem.rows, problem.codes);
      seconds.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::cout << nlohmann::json{{"seconds", seconds},
                                {"steps", logistic.steps()},
                                {"converged", logistic.converged()},
                                {"weights", logistic.weights()},
                                {"intercepts", logistic.intercepts()}}
              << "\n";
  } catch (const std::exception& error) {
    std::cerr << "bench_readouts: " << error.what() << "\n";
    return 1;
  }
}
