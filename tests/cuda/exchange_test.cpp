// SPDX-License-Identifier: MIT
/// \file
/// Exchanges between GPUs, with a stand-in for NCCL whose ranks are threads.
#include "../../cuda/exchange.h"

#include <barrier>
#include <cstring>
#include <memory>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/array/reductions.h"
#include "../../src/training/device_communicator.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"
#include "../support/thread_communicator.h"

using namespace gaia;
using gaia::test::on_ranks;

namespace {

/// What the ranks of the stand-in share.
struct Board {
  explicit Board(int ranks) : size(ranks), barrier(ranks) {}

  int size;
  std::barrier<> barrier;
  std::vector<char> bytes;
};

struct Seat {
  Board* board;
  int rank;
};

Board* g_board = nullptr;
int g_calls = 0;

int init_rank(void** made, int size, cuda::NcclId id, int rank) {
  if (id.bytes[0] != 'x' || size != g_board->size) return 5;
  *made = new Seat{g_board, rank};
  return 0;
}

int all_gather(const void* mine, void* all, std::size_t count, int type, void* group,
               cudaStream_t) {
  if (type != cuda::kNcclUint8) return 4;
  const Seat& seat = *static_cast<Seat*>(group);
  Board& board = *seat.board;
  if (seat.rank == 0) {
    board.bytes.resize(count * static_cast<std::size_t>(board.size));
    ++g_calls;
  }
  board.barrier.arrive_and_wait();
  std::memcpy(board.bytes.data() + count * static_cast<std::size_t>(seat.rank), mine, count);
  board.barrier.arrive_and_wait();
  std::memcpy(all, board.bytes.data(), board.bytes.size());
  board.barrier.arrive_and_wait();
  return 0;
}

int destroy(void* group) {
  delete static_cast<Seat*>(group);
  return 0;
}

const char* error_string(int result) { return result == 5 ? "invalid usage" : "invalid argument"; }

const cuda::NcclLibrary kStandIn{nullptr, init_rank, all_gather, destroy, error_string};

ExchangeId an_id() { return {'x'}; }

}  // namespace

TEST_CASE("arrays on GPUs are gathered from GPU to GPU, in the order of the ranks") {
  const test::EmulatedDevices emulated(1);
  Board board(3);
  g_board = &board;
  g_calls = 0;
  // Assertions are for one thread.
  struct Seen {
    Array all;
    double turned = 0.0;
    Array of_host;
    bool any = false;
  };
  std::vector<Seen> seen(3);
  on_ranks(3, [&](Communicator& host) {
    const GPUContext scope(Device::cuda(0));
    DeviceCommunicator devices(
        host, Device::cuda(0),
        std::make_unique<cuda::NcclExchange>(kStandIn, an_id(), 0, host.rank(), host.size()));
    // Still being computed when it is asked for; then a view in float64, and what lies on the host.
    const Array mine = full({2, 5}, 1.0) * static_cast<double>(host.rank() + 1);
    Seen& own = seen[static_cast<std::size_t>(host.rank())];
    own.all = devices.all_gather(mine);
    own.turned = sum(devices.all_gather(mine.transpose().astype(DType::float64))).item();
    own.of_host = devices.all_gather(to_cpu(mine));
    own.any = devices.any(devices.rank() == 2);
  });
  for (const Seen& one : seen) {
    CHECK(one.all.device() == Device::cuda(0));
    CHECK(one.all.shape() == Shape{3, 2, 5});
    for (int r = 0; r < 3; ++r) CHECK(sum(to_cpu(one.all)[r]).item() == 10.0 * (r + 1));
    CHECK(one.turned == 60.0);
    CHECK(one.of_host.shape() == Shape{3, 2, 5});
    CHECK(one.any);
  }
  CHECK(g_calls == 2);
}

TEST_CASE("what NCCL refuses is told in its words") {
  const test::EmulatedDevices emulated(1);
  Board board(1);
  g_board = &board;
  CHECK_THROWS_WITH_TEXT(cuda::NcclExchange(kStandIn, ExchangeId{}, 0, 0, 1), DeviceError,
                         "[cuda] ncclCommInitRank: invalid usage");
}

TEST_CASE("without GPUs of their own processes exchange through the host") {
  CHECK(over_devices(nullptr, Device::cpu()) == nullptr);
  std::vector<int> made(2, 1);
  on_ranks(2, [&](Communicator& host) {
    made[static_cast<std::size_t>(host.rank())] = over_devices(&host, Device::cpu()) ? 1 : 0;
  });
  CHECK(made == std::vector<int>{0, 0});
}
