// SPDX-License-Identifier: MIT
#include "members_together.h"

#include <deque>
#include <exception>
#include <utility>

#include "../../core/error.h"
#include "../../core/log.h"
#include "../run/telemetry.h"
#include "member_state.h"

namespace gaia {

namespace {

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

std::vector<MemberRun> run_members_together(const Members& members,
                                            const std::vector<std::int64_t>& numbers,
                                            const RunOptions& options) {
  MemberStates states(members.rows());
  std::vector<MemberRun> runs;
  std::vector<Experiment> experiments;
  for (const std::int64_t number : numbers) {
    try {
      Experiment experiment = members.load(number);
      if (!experiment.config.kind->runs_with_others() ||
          states.of(experiment) != MemberState::missing)
        continue;
      experiments.push_back(std::move(experiment));
      runs.push_back({number, {}});
    } catch (const Error& error) {
      log_debug(error.what());  // Whoever runs it by itself will tell.
    }
  }
  std::deque<ToldRun> told;  // settings come back in the opposite order
  std::vector<RunOptions> how;
  for (const Experiment& experiment : experiments) {
    how.push_back(told.emplace_back(experiment, options).options());
  }
  std::vector<RunOutcome> outcomes = run_replicas(experiments, how);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunOutcome& outcome = runs[i].outcome = std::move(outcomes[i]);
    outcome.summary ? told[i].end(*outcome.summary) : told[i].fail(text_of(outcome.error));
  }
  while (!told.empty()) told.pop_back();
  return runs;
}

}  // namespace gaia
