// SPDX-License-Identifier: MIT
#include "../../../src/experiment/sweep/shard.h"

#include <memory>
#include <utility>
#include <vector>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/environment.h"

using namespace gaia;
using gaia::test::Environment;

namespace {

bool is(const Shard& shard, std::int64_t index, std::int64_t count) {
  return shard.index == index && shard.count == count;
}

}  // namespace

TEST_CASE("a share is every n-th member") {
  const Shard shard = shard_from_text("1/3");
  CHECK(is(shard, 1, 3));
  CHECK((!shard.has(0) && shard.has(1) && !shard.has(2) && shard.has(4)));
  for (const char* wrong : {"3/3", "-1/3", "1", "1/", "/3", "a/b", "1/3/5", ""}) {
    INFO(wrong);
    CHECK_THROWS_WITH_TEXT(shard_from_text(wrong), ArgumentError, "0 <= i < n");
  }
}

namespace {

/// The share that an environment of these variables means, all others being away.
Shard share_under(const std::vector<std::pair<const char*, const char*>>& variables) {
  std::vector<std::unique_ptr<Environment>> scopes;
  for (const char* name :
       {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "SLURM_PROCID",
        "SLURM_NTASKS", "SLURM_STEP_NUM_TASKS", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN",
        "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_STEP"}) {
    scopes.push_back(std::make_unique<Environment>(name, nullptr));
  }
  for (const auto& [name, value] : variables) {
    scopes.push_back(std::make_unique<Environment>(name, value));
  }
  return shard_from_text("auto");
}

}  // namespace

TEST_CASE("auto asks mpirun, srun and Slurm arrays") {
  CHECK(is(share_under({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}}), 2, 4));
  CHECK(is(share_under({{"PMI_RANK", "0"}, {"PMI_SIZE", "3"}}), 0, 3));
  CHECK(is(share_under({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}}), 1, 2));
  CHECK(is(share_under({{"SLURM_ARRAY_TASK_ID", "7"},
                        {"SLURM_ARRAY_TASK_MIN", "5"},
                        {"SLURM_ARRAY_TASK_COUNT", "4"},
                        {"SLURM_PROCID", "0"},
                        {"SLURM_STEP_NUM_TASKS", "1"}}),
           2, 4));
  CHECK(is(share_under({{"SLURM_ARRAY_TASK_ID", "8"},
                        {"SLURM_ARRAY_TASK_MIN", "0"},
                        {"SLURM_ARRAY_TASK_STEP", "4"},
                        {"SLURM_ARRAY_TASK_COUNT", "3"}}),
           2, 3));
  CHECK_THROWS_WITH_TEXT(share_under({}), ArgumentError, "nothing in the environment says");
  // A script of sbatch --ntasks=4 that runs without srun is one process, not the first of four.
  CHECK_THROWS_WITH_TEXT(share_under({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}), ArgumentError,
                         "in a script of sbatch");
  CHECK_THROWS_WITH_TEXT(
      share_under({{"OMPI_COMM_WORLD_RANK", "4"}, {"OMPI_COMM_WORLD_SIZE", "4"}}), ArgumentError,
      "nothing in the environment says");
  // Tasks 3 and 9 of an array: two tasks, six apart, but it does not say so.
  CHECK_THROWS_WITH_TEXT(share_under({{"SLURM_ARRAY_TASK_ID", "9"},
                                      {"SLURM_ARRAY_TASK_MIN", "3"},
                                      {"SLURM_ARRAY_TASK_COUNT", "2"}}),
                         ArgumentError, "are not numbered evenly");
}
