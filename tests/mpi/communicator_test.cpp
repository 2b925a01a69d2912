// SPDX-License-Identifier: MIT
/// \file
/// What processes exchange by MPI; to be started by mpirun.  Exits with 1 where something is wrong.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/array/reductions.h"
#include "../../src/training/communicator.h"

using namespace gaia;

namespace {

int g_wrong = 0;

void expect(bool right, const char* what, int rank) {
  if (right) return;
  std::fprintf(stderr, "rank %d: %s\n", rank, what);
  ++g_wrong;
}

}  // namespace

int main() {
  const auto processes = connect_mpi();
  const int rank = processes->rank();
  const int size = processes->size();
  expect(size == launched_processes(), "as many as were started", rank);

  // More than goes in one piece, of an odd length.
  const std::size_t count = (std::size_t{64} << 20) + 3;
  std::vector<unsigned char> mine(count);
  for (std::size_t i = 0; i < count; ++i) {
    mine[i] = static_cast<unsigned char>(i * 7 + static_cast<std::size_t>(rank));
  }
  std::vector<unsigned char> all(count * static_cast<std::size_t>(size));
  processes->all_gather(mine.data(), all.data(), count);
  bool right = true;
  for (std::size_t r = 0; r < static_cast<std::size_t>(size); ++r) {
    for (std::size_t i = 0; i < count; ++i) {
      right = right && all[r * count + i] == static_cast<unsigned char>(i * 7 + r);
    }
  }
  expect(right, "every byte of every rank", rank);

  const Array rows = processes->all_gather(full({2, 3}, static_cast<double>(rank)));
  expect(rows.shape() == Shape({size, 2, 3}), "the shape of arrays", rank);
  expect(sum(rows).item() == 3.0 * size * (size - 1), "the numbers of arrays", rank);
  expect(processes->all_gather(zeros({0})).shape() == Shape({size, 0}), "empty arrays", rank);

  expect(!processes->any(false), "nobody", rank);
  expect(processes->any(rank == size - 1), "one of all", rank);
  return g_wrong == 0 ? 0 : 1;
}
