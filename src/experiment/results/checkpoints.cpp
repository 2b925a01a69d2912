// SPDX-License-Identifier: MIT
#include "checkpoints.h"

#include <fmt/format.h>

#include <filesystem>
#include <random>
#include <utility>

#include "../../core/error.h"
#include "../../core/log.h"
#include "../../io/output_files.h"

namespace gaia {

FoundCheckpoint newest_checkpoint(const std::string& result, const std::string& run,
                                  std::int64_t most_steps) {
  std::optional<FoundCheckpoint> newest;
  std::string reasons;
  for (int number = 0; number < kCheckpoints; ++number) {
    const std::string path = checkpoint_path(result, number);
    std::error_code error;
    if (!std::filesystem::exists(path, error)) continue;
    try {
      Checkpoint checkpoint = read_checkpoint(path);
      if (checkpoint.run != run) throw DataError(path + ": is of another run");
      if (checkpoint.step < 0 || checkpoint.step > most_steps) {
        throw DataError(fmt::format("{}: is of step {}, but the results end at {}", path,
                                    checkpoint.step, most_steps));
      }
      if (newest && newest->checkpoint.step >= checkpoint.step) continue;
      newest = FoundCheckpoint{std::move(checkpoint), number};
    } catch (const DataError& unusable) {
      reasons += std::string("; ") + unusable.what();
    }
  }
  if (!newest) {
    const std::string partial = partial_path(result);
    std::string text = partial + ": there is no checkpoint to go on from" + reasons;
    std::string way_out =
        "; `gaia run --overwrite` starts anew, `gaia recover` saves what was recorded";
    std::error_code error;
    if (std::filesystem::exists(result, error)) {
      text += "; " + result + " is the result of an earlier run and stays as it is";
      way_out += "; to do without the later run delete " + partial;
    }
    throw OutputError(text + way_out);
  }
  if (!reasons.empty()) {
    log_warning(
        fmt::format("{}; going on from step {}", reasons.substr(2), newest->checkpoint.step));
  }
  return std::move(*newest);
}

Checkpoints::Checkpoints(std::string result, std::string run, const CheckpointConfig& config,
                         std::atomic<bool>* request, int next)
    : result_(std::move(result)),
      run_(std::move(run)),
      seconds_(60.0 * config.minutes),
      request_(request),
      next_(next) {}

bool Checkpoints::is_due() {
  const bool is_asked = request_ != nullptr && request_->exchange(false);
  const auto elapsed = [&] {
    return std::chrono::duration<double>(Clock::now() - last_.load()).count();
  };
  if (!is_asked && (seconds_ <= 0.0 || is_under_way_ || elapsed() < seconds_)) return false;
  is_under_way_ = true;
  return true;
}

void Checkpoints::write(std::int64_t step, ArrayMap arrays) {
  const std::string path = checkpoint_path(result_, next_);
  write_checkpoint(path, {.run = run_, .step = step, .arrays = std::move(arrays)});
  log_debug(fmt::format("{}: the state after {} steps", path, step));
  next_ = (next_ + 1) % kCheckpoints;
  last_ = Clock::now();
  is_under_way_ = false;
}

std::string new_run_id() {
  std::random_device random;
  std::string id;
  for (int word = 0; word < 4; ++word) id += fmt::format("{:08x}", random() & 0xffffffffU);
  return id;
}

}  // namespace gaia
