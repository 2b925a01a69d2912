// SPDX-License-Identifier: MIT
#include "members_together.h"

#include <utility>

#include "../../core/error.h"
#include "../../core/log.h"
#include "member_state.h"

namespace gaia {

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
  std::vector<RunOutcome> outcomes =
      run_replicas(experiments, std::vector<RunOptions>(experiments.size(), options));
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].outcome = std::move(outcomes[i]);
  return runs;
}

}  // namespace gaia
