// SPDX-License-Identifier: MIT
/// \file
/// Processes that exchange by MPI.  Nothing else of gaia includes its header.
#include "../src/training/communicator.h"

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "../src/core/error.h"

namespace gaia {
namespace {

/// MPI counts in int; larger gifts go in pieces.
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

void check(int result, const char* what) {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(result, text, &length);
  throw Error(std::string("MPI: ") + what + " failed: " + text);
}

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator() {
    int provided = MPI_THREAD_SINGLE;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
  }
  ~MpiCommunicator() override { MPI_Finalize(); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  using Communicator::all_gather;

  void all_gather(const void* mine, void* all, std::size_t bytes) override {
    if (bytes <= kMostBytes) return gather(mine, all, bytes);
    const auto* from = static_cast<const char*>(mine);
    auto* to = static_cast<char*>(all);
    std::vector<char> pieces(static_cast<std::size_t>(size_) * kMostBytes);
    for (std::size_t done = 0; done < bytes; done += kMostBytes) {
      const std::size_t count = std::min(kMostBytes, bytes - done);
      gather(from + done, pieces.data(), count);
      for (std::size_t r = 0; r < static_cast<std::size_t>(size_); ++r) {
        std::memcpy(to + r * bytes + done, pieces.data() + r * count, count);
      }
    }
  }

  [[noreturn]] void abort(int code) override {
    MPI_Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);
  }

 private:
  static void gather(const void* mine, void* all, std::size_t bytes) {
    const int count = static_cast<int>(bytes);
    check(MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, MPI_COMM_WORLD),
          "MPI_Allgather");
  }

  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

std::string why_no_mpi() { return {}; }

std::unique_ptr<Communicator> connect_mpi() { return std::make_unique<MpiCommunicator>(); }

}  // namespace gaia
