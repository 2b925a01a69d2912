// SPDX-License-Identifier: MIT
#include "measure.h"

#include <fmt/format.h>

#include <chrono>
#include <new>
#include <tuple>
#include <utility>

#include "../../src/array/kernels.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"

namespace gaia::bench {
namespace {

using Clock = std::chrono::steady_clock;

BenchmarkOptions options_of(const Effort& effort) {
  return {.warmup = effort.warmup, .repeats = effort.repeats, .max_seconds = effort.max_seconds};
}

/// The kernels that did not run since the registry was reset, and why.
std::string fallback_note() {
  std::string note;
  for (const KernelInfo& kernel : kernel_registry()) {
    if (kernel.fallbacks == 0) continue;
    note += (note.empty() ? "unfused: " : "; ") + kernel.name + " " + kernel.last_fallback;
  }
  return note;
}

/// Runs `work`, and makes of errors what the measurement says.
template <class Work>
void guarded(Measurement& result, const Work& work) {
  try {
    work();
  } catch (const OutOfMemory& error) {
    result.status = Status::skipped;
    result.message = error.what();
  } catch (const std::bad_alloc&) {
    result.status = Status::skipped;
    result.message = "out of memory";
  } catch (const Error& error) {
    result.status = Status::failed;
    result.message = error.what();
  }
}

/// The first answer and how long it took.
std::pair<Array, double> first_answer(const Task& task) {
  synchronize();
  const Clock::time_point start = Clock::now();
  Array answer = task.run();
  synchronize();
  return {std::move(answer), std::chrono::duration<double>(Clock::now() - start).count()};
}

Measurement on_cpu(const Case& one, const std::vector<Array>& operands, const Effort& effort,
                   Array& reference) {
  Measurement result;
  guarded(result, [&] {
    const GPUContext scope(Device::cpu());
    const Task task = one.prepare(operands);
    double seconds = 0.0;
    std::tie(reference, seconds) = first_answer(task);
    if (const std::int64_t index = first_not_finite(reference); index >= 0) {
      result.status = Status::wrong;
      result.message = "the CPU's answer is not finite at element " + std::to_string(index);
      return;
    }
    // What takes long was timed already.
    result.compute = seconds >= effort.max_seconds
                         ? summarize_times({seconds})
                         : benchmark_device([&] { task.run(); }, options_of(effort));
  });
  return result;
}

void time_transfers(Measurement& result, const std::vector<Array>& operands, const Array& answer,
                    const Effort& effort) {
  if (!operands.empty()) {
    result.upload = benchmark_device(
        [&] {
          for (const Array& operand : operands) operand.to(result.device);
        },
        options_of(effort));
  }
  result.download = benchmark_device([&] { answer.to(Device::cpu()); }, options_of(effort));
}

Measurement on_gpu(const Case& one, const std::vector<Array>& operands, Device device,
                   const Effort& effort, const Array& reference) {
  Measurement result;
  result.device = device;
  guarded(result, [&] {
    const GPUContext scope(device);
    std::vector<Array> moved;
    for (const Array& operand : operands) moved.push_back(operand.to(device));
    reset_kernel_registry();
    const Task task = one.prepare(moved);
    const Array answer = task.run();
    result.note = fallback_note();
    result.error = one.compared ? relative_error(one.compared(answer), one.compared(reference))
                                : relative_error(answer, reference);
    if (!(result.error <= one.tolerance)) {
      result.status = Status::wrong;
      result.message = fmt::format(
          "differs from the CPU's answer by {:.1e} of its largest element, more than {:.0e}",
          result.error, one.tolerance);
      return;
    }
    // Not the first call, which has kernels and libraries loaded.
    result.compute = benchmark_device([&] { task.run(); }, options_of(effort));
    time_transfers(result, operands, answer, effort);
  });
  return result;
}

}  // namespace

std::string to_string(Status status) {
  switch (status) {
    case Status::measured:
      return "measured";
    case Status::wrong:
      return "wrong";
    case Status::failed:
      return "failed";
    case Status::skipped:
      break;
  }
  return "skipped";
}

double Measurement::with_transfers() const {
  return compute.median_time + (upload ? upload->median_time : 0.0) +
         (download ? download->median_time : 0.0);
}

std::optional<double> Row::speedup() const {
  if (!gpu || !gpu->is_measured() || !cpu.is_measured()) return {};
  return cpu.compute.median_time / gpu->compute.median_time;
}

std::optional<double> Row::speedup_with_transfers() const {
  if (!speedup()) return {};
  return cpu.compute.median_time / gpu->with_transfers();
}

bool Row::is_bad() const {
  const auto bad = [](const Measurement& one) {
    return one.status == Status::wrong || one.status == Status::failed;
  };
  return bad(cpu) || (gpu && bad(*gpu));
}

Row measure(const Case& one, std::optional<Device> gpu, const Effort& effort) {
  Row row{.what = one, .cpu = {}, .gpu = {}};
  std::vector<Array> operands;
  Array reference;
  guarded(row.cpu, [&] {
    const GPUContext scope(Device::cpu());
    operands = one.inputs();
  });
  if (row.cpu.is_measured()) row.cpu = on_cpu(one, operands, effort, reference);
  if (!gpu) return row;
  if (row.cpu.is_measured()) {
    row.gpu = on_gpu(one, operands, *gpu, effort, reference);
  } else {
    row.gpu.emplace();
    row.gpu->device = *gpu;
    row.gpu->status = Status::skipped;
    row.gpu->message = "there is no answer of the CPU to verify by";
  }
  return row;
}

}  // namespace gaia::bench
