// SPDX-License-Identifier: MIT
/// \file
/// Ranks that are threads of one process: what several processes do together, without MPI.
#pragma once

#include <barrier>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "../../src/training/communicator.h"

namespace gaia::test {

/// What the ranks share.
struct ThreadGroup {
  explicit ThreadGroup(int ranks) : size(ranks), barrier(ranks) {}

  int size;
  std::barrier<> barrier;
  std::vector<unsigned char> board;
};

class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(ThreadGroup& group, int rank) : group_(group), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return group_.size; }

  using Communicator::all_gather;

  void all_gather(const void* mine, void* all, std::size_t bytes) override {
    const std::size_t whole = bytes * static_cast<std::size_t>(group_.size);
    if (rank_ == 0) group_.board.resize(whole);
    group_.barrier.arrive_and_wait();
    std::memcpy(group_.board.data() + bytes * static_cast<std::size_t>(rank_), mine, bytes);
    group_.barrier.arrive_and_wait();
    std::memcpy(all, group_.board.data(), whole);
    group_.barrier.arrive_and_wait();
  }

  [[noreturn]] void abort(int code) override { std::exit(code); }

 private:
  ThreadGroup& group_;
  int rank_;
};

/// Runs work(communicator) on each of so many ranks, and throws again what the lowest one threw.
inline void on_ranks(int ranks, const std::function<void(Communicator&)>& work) {
  ThreadGroup group(ranks);
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadCommunicator communicator(group, rank);
      try {
        work(communicator);
      } catch (...) {
        errors[static_cast<std::size_t>(rank)] = std::current_exception();
        group.barrier.arrive_and_drop();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace gaia::test
