// SPDX-License-Identifier: MIT
#include "queues.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "blocks.h"
#include "machine.h"

/// Work that has not been done, in order.
struct EmulatedStream {
  int device;
  std::deque<std::function<void()>> work;
};

namespace {

using gaia::emulator::Timing;

constexpr std::size_t kMostWaiting = 1024;  // then hardware makes the host wait

/// A place in a stream: passed when all before it is done.
struct Moment {
  EmulatedStream* stream;
  bool passed = false;
};

std::mutex ordering;  // of queues and moments; held while work is done
std::atomic<std::int64_t> waits_made{0};
std::atomic<std::int64_t> synchronisations_made{0};

Timing first_timing() {
  const char* const wanted = std::getenv("GAIA_EMULATOR_TIMING");
  return wanted != nullptr && std::strcmp(wanted, "late") == 0 ? Timing::late : Timing::at_once;
}

Timing& current_timing() {
  static Timing timing = first_timing();
  return timing;
}

/// Every stream there is; they live as long as the program.
std::vector<EmulatedStream*>& streams() {
  static auto& all = *new std::vector<EmulatedStream*>;
  return all;
}

EmulatedStream* make_stream(int device) {
  streams().push_back(new EmulatedStream{device, {}});
  return streams().back();
}

int current_device() {
  int device = 0;
  cudaGetDevice(&device);
  return device;
}

/// `stream`, or the default one of the current device.
EmulatedStream& find(cudaStream_t stream) {
  static auto& defaults = *new std::map<int, EmulatedStream*>;
  if (stream != nullptr) return *stream;
  EmulatedStream*& mine = defaults[current_device()];
  if (mine == nullptr) mine = make_stream(current_device());
  return *mine;
}

void do_next(EmulatedStream& stream) {
  const std::function<void()> work = std::move(stream.work.front());
  stream.work.pop_front();
  work();
}

void do_all(EmulatedStream& stream) {
  while (!stream.work.empty()) do_next(stream);
}

/// Does what has to be done before `moment` and no more.
void reach(const Moment& moment) {
  while (!moment.passed) do_next(*moment.stream);
}

void add(EmulatedStream& stream, std::function<void()> work) {
  stream.work.push_back(std::move(work));
  if (current_timing() == Timing::at_once) do_all(stream);
}

}  // namespace

struct EmulatedEvent {
  int device;
  std::shared_ptr<Moment> recorded;
};

namespace gaia::emulator {

void set_timing(Timing wanted) {
  const std::lock_guard lock(ordering);
  for (EmulatedStream* stream : streams()) do_all(*stream);
  current_timing() = wanted;
}

Timing timing() {
  const std::lock_guard lock(ordering);
  return current_timing();
}

void enqueue(cudaStream_t stream, std::function<void()> work) {
  const std::lock_guard lock(ordering);
  EmulatedStream& mine = find(stream);
  if (mine.device != current_device()) {
    throw KernelError("[stream] work for a stream of another device than the current one");
  }
  if (mine.work.size() >= kMostWaiting) do_next(mine);
  add(mine, std::move(work));
}

void append(cudaStream_t stream, std::function<void()> work) {
  const std::lock_guard lock(ordering);
  add(find(stream), std::move(work));
}

void finish(cudaStream_t stream) {
  const std::lock_guard lock(ordering);
  do_all(find(stream));
}

std::int64_t queued(cudaStream_t stream) {
  const std::lock_guard lock(ordering);
  return static_cast<std::int64_t>(find(stream).work.size());
}

std::int64_t waits() { return waits_made; }
std::int64_t synchronisations() { return synchronisations_made; }

}  // namespace gaia::emulator

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  gaia::emulator::make_context();
  const std::lock_guard lock(ordering);
  *stream = make_stream(current_device());
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  ++synchronisations_made;
  gaia::emulator::finish(stream);
  gaia::emulator::shrink_pools();
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const std::lock_guard lock(ordering);
  EmulatedStream& mine = find(stream);
  if (mine.work.empty()) return cudaSuccess;
  do_next(mine);  // who asks again and again comes to an end
  return mine.work.empty() ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const std::lock_guard lock(ordering);
  ++waits_made;
  if (event->recorded == nullptr) return cudaSuccess;
  add(find(stream), [moment = event->recorded] { reach(*moment); });
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  gaia::emulator::make_context();
  {
    const std::lock_guard lock(ordering);
    for (EmulatedStream* stream : streams()) {
      if (stream->device == current_device()) do_all(*stream);
    }
  }
  gaia::emulator::shrink_pools();
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  gaia::emulator::make_context();
  *event = new EmulatedEvent{current_device(), nullptr};
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const std::lock_guard lock(ordering);
  EmulatedStream& mine = find(stream);
  if (mine.device != event->device) return gaia::emulator::answer(cudaErrorInvalidResourceHandle);
  event->recorded = std::make_shared<Moment>(Moment{&mine});
  add(mine, [moment = event->recorded] { moment->passed = true; });
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  ++synchronisations_made;
  const std::lock_guard lock(ordering);
  if (event->recorded != nullptr) reach(*event->recorded);
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const std::lock_guard lock(ordering);
  if (event->recorded == nullptr || event->recorded->passed) return cudaSuccess;
  do_next(*event->recorded->stream);  // who asks again and again comes to an end
  return event->recorded->passed ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;  // the moment stays for who waits for it
  return cudaSuccess;
}
