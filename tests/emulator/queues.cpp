// SPDX-License-Identifier: MIT
#include "queues.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace {

/// What an event has been recorded as.
struct Mark {
  EmulatedStream* stream = nullptr;
  bool reached = false;
};

}  // namespace

struct EmulatedStream {
  struct Work {
    std::function<void()> run;
    std::shared_ptr<Mark> after;  ///< Of another stream; null: of none.
  };
  std::deque<Work> queue;
};

struct EmulatedEvent {
  std::shared_ptr<Mark> mark;
};

namespace gaia::emulator {
namespace {

std::atomic<Order> order{Order::at_once};
std::atomic<std::int64_t> synchronisations_made{0};
std::atomic<std::int64_t> waits_made{0};
std::mutex mutex;
std::vector<EmulatedStream*>& all_streams() {
  static auto& all = *new std::vector<EmulatedStream*>;
  return all;
}

/// Does a stream's work until `mark` is reached; without one, all of it.
void run(EmulatedStream& stream, const Mark* mark) {
  while (!stream.queue.empty() && (mark == nullptr || !mark->reached)) {
    const EmulatedStream::Work work = std::move(stream.queue.front());
    stream.queue.pop_front();
    if (work.after && !work.after->reached) run(*work.after->stream, work.after.get());
    if (work.run) work.run();
  }
}

}  // namespace

void set_order(Order wanted) {
  std::vector<EmulatedStream*> streams;
  {
    const std::lock_guard lock(mutex);
    streams = all_streams();
  }
  for (EmulatedStream* stream : streams) run(*stream, nullptr);
  order = wanted;
}

void enqueue(cudaStream_t stream, std::function<void()> work) {
  if (order == Order::at_once || stream == nullptr) return work();
  stream->queue.push_back({std::move(work), nullptr});
}

std::int64_t queued(cudaStream_t stream) { return static_cast<std::int64_t>(stream->queue.size()); }
std::int64_t synchronisations() { return synchronisations_made; }
std::int64_t waits() { return waits_made; }

}  // namespace gaia::emulator

using namespace gaia::emulator;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new EmulatedStream;
  const std::lock_guard lock(mutex);
  all_streams().push_back(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  ++synchronisations_made;
  if (order == Order::late) run(*stream, nullptr);
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  ++waits_made;
  if (order == Order::late && event->mark) stream->queue.push_back({nullptr, event->mark});
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new EmulatedEvent;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (order == Order::at_once) return cudaSuccess;
  event->mark = std::make_shared<Mark>(Mark{stream, false});
  stream->queue.push_back({[mark = event->mark] { mark->reached = true; }, nullptr});
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
