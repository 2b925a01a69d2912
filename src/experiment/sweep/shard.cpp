// SPDX-License-Identifier: MIT
#include "shard.h"

#include <cstdlib>
#include <optional>

#include "../../core/error.h"
#include "../../core/text.h"

namespace gaia {
namespace {

std::optional<std::int64_t> variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::nullopt : parse_integer(text);
}

std::optional<Shard> rank_of(const char* rank, const char* size) {
  const auto index = variable(rank);
  const auto count = variable(size);
  if (!index || !count || *index < 0 || *index >= *count) return std::nullopt;
  return Shard{*index, *count};
}

/// A task of a Slurm array, whose numbers may start anywhere and lie apart.
std::optional<Shard> array_task() {
  const auto task = variable("SLURM_ARRAY_TASK_ID");
  if (!task) return std::nullopt;
  const auto first = variable("SLURM_ARRAY_TASK_MIN");
  const auto count = variable("SLURM_ARRAY_TASK_COUNT");
  const std::int64_t step = variable("SLURM_ARRAY_TASK_STEP").value_or(1);
  if (first && count && step > 0 && *task >= *first && (*task - *first) % step == 0 &&
      (*task - *first) / step < *count) {
    return Shard{(*task - *first) / step, *count};
  }
  throw ArgumentError(
      "--shard auto: the tasks of this Slurm array are not numbered evenly (such as 0-7); use "
      "--shard i/n");
}

}  // namespace

Shard shard_from_text(const std::string& text) {
  if (text == "auto") {
    // From the innermost to the outermost: an mpirun may run within a task of an array.
    if (const auto shard = rank_of("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")) return *shard;
    if (const auto shard = rank_of("PMI_RANK", "PMI_SIZE")) return *shard;
    if (const auto shard = array_task()) return *shard;
    // The numbers of the processes that srun starts together are taken: SLURM_NTASKS is also there
    // where a script asked sbatch for many tasks and starts one.
    if (const auto shard = rank_of("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")) return *shard;
    throw ArgumentError(
        "--shard auto: nothing in the environment says which of how many processes this is; it is "
        "for mpirun, srun and Slurm arrays (in a script of sbatch write srun before gaia), "
        "elsewhere use --shard i/n");
  }
  const std::size_t slash = text.find('/');
  const auto index = parse_integer(text.substr(0, slash));
  const auto count =
      slash == std::string::npos ? std::nullopt : parse_integer(text.substr(slash + 1));
  if (!index || !count || *index < 0 || *index >= *count) {
    throw ArgumentError("--shard: expected i/n with 0 <= i < n, or auto, got '" + text + "'");
  }
  return {*index, *count};
}

}  // namespace gaia
