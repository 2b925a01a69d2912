// SPDX-License-Identifier: MIT
/// \file
/// Whether searching parameters of plasticity is worth more than trying them at random, reported on
/// seeds that no search has seen.
///
///     bench_search                  the tables of docs/search.md, some minutes
///     bench_search --searches 5     fewer searches a row
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <vector>

#include "../src/core/parallel.h"
#include "../src/search/plasticity_controller.h"
#include "search_runs.h"

namespace {

using namespace gaia;
using namespace gaia::runs;

struct Options {
  int searches = 20;
  std::uint64_t judges = 40;
};

void duels(const Options& options) {
  fmt::print(
      "\n| parameter | runs of a candidate | candidates | better fitness than random | p | better "
      "on other seeds | p | above the default there | score there: found | random | default |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const SearchedRule& rule : {oja_rate(), bcm_tau(), subspace_rate(), oja_schedule()}) {
    const bool is_one = rule.parameters.size() == 1;
    const std::vector<std::uint64_t> runs_of_candidate =
        is_one ? std::vector<std::uint64_t>{3, 10, 30} : std::vector<std::uint64_t>{3, 10};
    const std::vector<std::int64_t> budgets =
        is_one ? std::vector<std::int64_t>{20, 40, 80} : std::vector<std::int64_t>{70, 140, 280};
    for (const std::uint64_t seeds : runs_of_candidate) {
      for (const std::int64_t evaluations : budgets) {
        const Duel d = duel(rule, options.searches, seeds, evaluations, options.judges);
        fmt::print(
            "| {} | {} | {} | {} of {} | {:.2g} | {} of {} | {:.2g} | {} of {} | {:.5f} | {:.5f} | "
            "{:.5f} |\n",
            rule.name, seeds, evaluations, d.fitness.above, options.searches, d.fitness.p(),
            d.others.above, options.searches, d.others.p(), d.default_there.above, options.searches,
            d.found, d.by_chance, d.by_default);
        std::fflush(stdout);
      }
    }
  }
}

/// What BCM's selectivity alone tells of tau.
void selectivities() {
  fmt::print("\n| tau | selectivity | distance from where the rule ends |\n|---|---|---|\n");
  for (const double tau : {2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0}) {
    double selectivity = 0.0, distance = 0.0;
    for (const std::uint64_t seed : seeds_of(1'000'000, 40)) {
      const BcmRun run = bcm_run(tau, seed);
      selectivity += run.selectivity / 40;
      distance += run.distance / 40;
    }
    fmt::print("| {:g} | {:.4f} | {:.4f} |\n", tau, selectivity, distance);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Searches of plasticity by CMA-ES beside such at random");
  app.add_option("--searches", options.searches, "Searches a row")->check(CLI::Range(1, 1000));
  app.add_option("--judges", options.judges, "Seeds that judge what was found")
      ->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  const auto start = std::chrono::steady_clock::now();
  duels(options);
  selectivities();
  fmt::print("\n{:.0f} s on {} threads\n",
             std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
             num_threads());
  return 0;
}
