// SPDX-License-Identifier: MIT
#include "slurm.h"

#include <fmt/format.h>

#include "console.h"

namespace gaia::app {

std::string slurm_script(const std::string& name, std::int64_t tasks, std::int64_t processors,
                         const std::vector<std::string>& command) {
  std::string line;
  for (const std::string& word : command) line += as_typed(word) + " ";
  return fmt::format(R"(#!/bin/bash
#SBATCH --job-name={0}
#SBATCH --array=0-{1}
#SBATCH --cpus-per-task={2}
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output={0}-%A_%a.log
#SBATCH --signal=B:USR1@120
# Add what your cluster asks for: --partition, --account, --mem, --gpus-per-task=1.

# Two minutes before the time is over, or when the task has to make room for others, the members
# that run store their state; gaia then ends with 75, and the task is queued again.
child=
stop() {{
  if [ -n "$child" ]; then kill -TERM "$child" 2>/dev/null; fi
}}
trap stop USR1 TERM

{3}--shard auto --threads "${{SLURM_CPUS_PER_TASK:-1}}" --progress lines &
child=$!
wait "$child"
code=$?
# A signal ends `wait`, not the child.
while kill -0 "$child" 2>/dev/null; do
  wait "$child"
  code=$?
done

if [ "$code" -eq 75 ]; then
  scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_${{SLURM_ARRAY_TASK_ID}}" && exit 0
fi
exit "$code"
)",
                     name, tasks - 1, processors, line);
}

}  // namespace gaia::app
