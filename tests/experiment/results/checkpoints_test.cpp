// SPDX-License-Identifier: MIT
#include "../../../src/experiment/results/checkpoints.h"

#include <chrono>
#include <thread>

#include "../../support/catch.h"
#include "../../support/temp_dir.h"

using namespace gaia;

FOLDER_TEST_CASE("the clock asks for no checkpoint while one is under way, who asks gets one") {
  CheckpointConfig config;
  config.minutes = 1e-9;
  std::atomic<bool> request{false};
  Checkpoints checkpoints(folder.path("r.h5"), "run", config, &request);
  const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  wait();
  CHECK(checkpoints.is_due());
  wait();
  CHECK_FALSE(checkpoints.is_due());
  request = true;
  CHECK(checkpoints.is_due());
  CHECK_FALSE(request);
  ArrayMap state;
  put_numbers(state, "x", {1.0});
  checkpoints.write(3, state);
  wait();
  CHECK(checkpoints.is_due());
  checkpoints.write(4, state);
  CHECK(newest_checkpoint(folder.path("r.h5"), "run", 4).checkpoint.step == 4);
}
