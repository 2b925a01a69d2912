// SPDX-License-Identifier: MIT
#include "communicator.h"

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "../array/create.h"
#include "../core/text.h"

namespace gaia {
namespace {

/// The first of these variables of the environment that holds a count of at least `least`; else
/// that.
int first_count(std::initializer_list<const char*> names, int least) {
  for (const char* name : names) {
    const char* text = std::getenv(name);
    const auto count = parse_integer(text == nullptr ? "" : text);
    if (count && *count >= least && *count < 1 << 24) return static_cast<int>(*count);
  }
  return least;
}

class Alone final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void all_gather(const void* mine, void* all, std::size_t bytes) override {
    std::memcpy(all, mine, bytes);
  }
  Array all_gather(const Array& mine) override { return mine.expand_dims(0); }
  [[noreturn]] void abort(int code) override { std::exit(code); }
};

}  // namespace

Array Communicator::all_gather(const Array& mine) {
  const Array here = to_cpu(mine).contiguous();
  std::vector<std::int64_t> lengths = {size()};
  for (const std::int64_t length : here.shape()) lengths.push_back(length);
  Array all;
  {
    const GPUContext host(Device::cpu());
    all = Array::uninitialized(Shape(lengths), here.dtype());
  }
  const auto bytes = static_cast<std::size_t>(here.size() * size_of(here.dtype()));
  if (bytes > 0) all_gather(here.view().data, all.view().data, bytes);
  return all.to(current_device());
}

bool Communicator::any(bool mine) {
  const unsigned char says = mine ? 1 : 0;
  std::vector<unsigned char> all(static_cast<std::size_t>(size()));
  all_gather(&says, all.data(), 1);
  for (const unsigned char one : all) {
    if (one != 0) return true;
  }
  return false;
}

std::unique_ptr<Communicator> alone() { return std::make_unique<Alone>(); }

int launched_processes() {
  return first_count({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}, 1);
}

int process_on_machine() {
  return first_count({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}, 0);
}

}  // namespace gaia
