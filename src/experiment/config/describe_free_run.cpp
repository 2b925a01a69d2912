// SPDX-License-Identifier: MIT
#include "describe.h"

namespace gaia {

void describe_free_run(ConfigVisitor& v, FreeRunConfig& run) {
  constexpr std::int64_t kMostSteps = 1000000000000;
  constexpr std::int64_t kMostStarts = 1000000;
  v.optional_map(
      {"free_run", "goes on by itself: the next row that is read is what the readout has said"},
      run.is_there, [&] {
        v.integer({"from", "first step whose row is what the readout has said", true}, run.from,
                  {1, kMostSteps});
        v.integer({"steps", "steps that are read so from each start", true}, run.steps,
                  {1, 100000000});
        v.optional_map({"repeat", "further starts behind `from`"}, run.repeats, [&] {
          v.integer({"every", "steps from one start to the next", true}, run.every,
                    {1, kMostSteps});
          v.integer({"count", "how many starts there are, `from` among them", true}, run.count,
                    {1, kMostStarts});
        });
        v.optional({"at", "step, from 1, of which nrmse_at is; default steps"}, run.at,
                   {1, 100000000});
        v.number({"threshold",
                  "length of an error, in standard deviations of the series, with which a forecast "
                  "is no longer valid"},
                 run.threshold, kPositive);
      });
}

}  // namespace gaia
