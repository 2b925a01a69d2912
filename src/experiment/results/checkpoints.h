// SPDX-License-Identifier: MIT
/// \file
/// The state of a run, stored beside its result: when, where, and which is the newest that is
/// whole.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "../../io/checkpoint_file.h"
#include "../config/config.h"

namespace gaia {

/// A checkpoint that a run goes on from.
struct FoundCheckpoint {
  Checkpoint checkpoint;
  int number = 0;  ///< Number of its file; the next checkpoint goes to the other file.
};

/// The newest checkpoint of run `run` beside RESULT that is whole and not beyond `most_steps`,
/// which the result has recorded.  Of one that is not, a warning tells. \throws OutputError with
/// the way out if there is none.
FoundCheckpoint newest_checkpoint(const std::string& result, const std::string& run,
                                  std::int64_t most_steps);

/// Stores the states of a run in turn, so that one of them is whole at any moment.  One thread may
/// ask whether one is due while another writes.
class Checkpoints {
 public:
  /// `request`: set by others to ask for a checkpoint; may be null.  `next`: number of the first
  /// file to be written.
  Checkpoints(std::string result, std::string run, const CheckpointConfig& config,
              std::atomic<bool>* request, int next = 0);

  /// Whether the clock or somebody asks for one, which is to be written then; a request is taken
  /// with it.  The clock asks for no other until it is written.
  bool is_due();

  /// \throws OutputError.
  void write(std::int64_t step, ArrayMap arrays);

 private:
  using Clock = std::chrono::steady_clock;

  std::string result_;
  std::string run_;
  double seconds_;  // from one to the next; 0: not by the clock
  std::atomic<bool>* request_;
  int next_;
  std::atomic<Clock::time_point> last_ = Clock::now();
  std::atomic<bool> is_under_way_{false};  // one that was due
};

/// A name for a run that no other has.
std::string new_run_id();

}  // namespace gaia
