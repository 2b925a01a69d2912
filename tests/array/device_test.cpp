// SPDX-License-Identifier: MIT
/// \file
/// Devices, their names, and which one is current.  Transfers and memory have files of their own.
#include "../../src/array/device.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../../src/array/backend_cuda.h"
#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/array/ops.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/log_capture.h"

namespace gaia::test {
namespace {

const Device kCpu = Device::cpu();
const Device kCuda = Device::cuda(0);

TEST_CASE("Devices are known by name, by alias and in any case") {
  for (const char* name : {"cpu", "CPU", "Cpu", "numpy", "NumPy"}) {
    CHECK(Device::from_name(name) == kCpu);
  }
  for (const char* name : {"cuda", "CUDA", "gpu", "GPU", "cupy", "CuPy", "cuda:0", "gpu:0"}) {
    CHECK(Device::from_name(name) == kCuda);
  }
  CHECK(Device::from_name("cuda:1") == Device::cuda(1));
  CHECK(Device::from_name("GPU:12") == Device::cuda(12));
  CHECK(to_string(kCpu) == "cpu");
  CHECK(to_string(kCuda) == "cuda:0");
  CHECK(to_string(Device::cuda(3)) == "cuda:3");
  CHECK(Device::cuda(1).index() == 1);
  CHECK(Device::cuda(1).kind() == DeviceKind::cuda);
  CHECK_FALSE(Device::cuda(1) == kCuda);
  CHECK(Device() == kCpu);
}

TEST_CASE("Names that are none are refused with the known ones") {
  for (const char* name : {"", " cpu", "cpu:0", "cuda:", "cuda:-1", "cuda:x", "cuda:1x", "cuda:+1",
                           "cuda1", "tpu", "auto:0", "cuda:99999999999999"}) {
    INFO(name);
    CHECK_THROWS_AS(Device::from_name(name), ArgumentError);
  }
  CHECK_THROWS_WITH(Device::from_name("TPU"),
                    "[device] unknown device 'TPU'; known: cpu, cuda, cuda:N, auto (and gpu, cupy "
                    "for cuda, numpy for cpu)");
}

TEST_CASE("Without CUDA, \"cuda\" is refused with reason and remedy, and \"auto\" is the CPU") {
  if (is_available(kCuda)) GAIA_SKIP("there is a CUDA device");
  CHECK(available_devices() == std::vector<Device>{kCpu});
  CHECK_FALSE(why_no_cuda().empty());
  CHECK_THROWS_AS(GPUContext("cuda"), DeviceError);
  CHECK_THROWS_AS(set_device("gpu"), DeviceError);
  CHECK_THROWS_AS(device_info(kCuda), DeviceError);
  CHECK_THROWS_AS(memory_stats(kCuda), DeviceError);
  CHECK_THROWS_AS(to_gpu(ones({2})), DeviceError);
  CHECK_THROWS_WITH(GPUContext("cuda"), "[device] 'cuda:0' cannot be used: " + why_no_cuda() +
                                            "; use device 'cpu' or 'auto'");
  CHECK_THROWS_AS(GPUContext("cuda:1"), DeviceError);
  CHECK(current_device() == kCpu);

  const LogCapture log;
  CHECK(Device::from_name("auto") == kCpu);
  CHECK(Device::from_name("AUTO") == kCpu);
  { const GPUContext scope; }
  CHECK(log.lines.size() == 1);
  CHECK(log.count(LogLevel::info, "device auto: CPU (" + why_no_cuda() + ")") == 1);
}

TEST_CASE("With a GPU, \"auto\" is that GPU and says nothing") {
  const FakeDevice fake;
  const LogCapture log;
  CHECK(Device::automatic() == kCuda);
  CHECK(why_no_cuda().empty());
  const GPUContext scope("auto");
  CHECK(scope.device() == kCuda);
  CHECK(current_device() == kCuda);
  CHECK(log.lines.empty());
}

TEST_CASE("A GPU is made when it is first asked for, once, and the others are not") {
  std::atomic<int> made[4] = {};
  const auto count = [&] { return std::vector<int>{made[0], made[1], made[2], made[3]}; };
  {
    const OtherCudaDevices others({.count = 4, .why_none = {}, .make = [&](int index) {
                                     ++made[index];
                                     std::this_thread::sleep_for(std::chrono::milliseconds(5));
                                     if (index == 2) throw DeviceError("[fake] in pieces");
                                     return std::make_unique<fake::FakeBackend>();
                                   }});
    const Array x = random_normal({30, 20});
    CHECK(matmul(x, x.transpose()).device() == kCpu);
    CHECK(cuda_device_count() == 4);
    CHECK(is_available(kCpu));
    CHECK_THROWS_AS(Device::from_name("cuda:x"), ArgumentError);
    CHECK(Device::from_name("cuda:3") == Device::cuda(3));
    CHECK(memory_stats().arrays > 0);
    CHECK(count() == std::vector<int>{0, 0, 0, 0});

    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        const GPUContext scope("cuda:1");
        const Array y = full({2}, 3.0) + 1.0;
        right += y.device() == Device::cuda(1) && y.to_vector<float>()[1] == 4.0f;
      });
    }
    for (std::thread& one : threads) one.join();
    CHECK(right == 4);
    CHECK(count() == std::vector<int>{0, 1, 0, 0});

    // What could not be created is not tried again, and says why; so does looking at all of them.
    CHECK_FALSE(is_available(Device::cuda(2)));
    CHECK_THROWS_WITH(GPUContext("cuda:2"),
                      "[device] 'cuda:2' cannot be used: this machine has 4 CUDA device(s), "
                      "numbered from 0; cuda:2: [fake] in pieces");
    CHECK(count()[2] == 1);
    CHECK(count()[3] == 0);
    CHECK(available_devices() ==
          std::vector<Device>{kCpu, kCuda, Device::cuda(1), Device::cuda(3)});
    CHECK(count() == std::vector<int>{1, 1, 1, 1});
  }
}

TEST_CASE("What takes a GPU's place gives it back unmade") {
  int made = 0;
  const OtherCudaDevices others({.count = 1, .why_none = {}, .make = [&](int) {
                                   ++made;
                                   return std::make_unique<fake::FakeBackend>(
                                       fake::Behaviour{.name = "the machine's"});
                                 }});
  {
    const FakeDevice fake;
    CHECK(device_info(kCuda).name == "fake device");
  }
  CHECK(made == 0);
  CHECK(device_info(kCuda).name == "the machine's");
  {
    const FakeDevice fake;
    CHECK(device_info(kCuda).name == "fake device");
  }
  CHECK(device_info(kCuda).name == "the machine's");
  CHECK(made == 1);
}

TEST_CASE("A GPU that is not there is refused with the number there are") {
  const FakeDevice fake;
  if (available_devices().size() > 2) GAIA_SKIP("there is more than one CUDA device");
  CHECK(available_devices() == std::vector<Device>{kCpu, kCuda});
  CHECK_FALSE(is_available(Device::cuda(1)));
  CHECK_THROWS_AS(GPUContext("cuda:1"), DeviceError);
  CHECK_THROWS_WITH(GPUContext("cuda:1"),
                    "[device] 'cuda:1' cannot be used: this machine has 1 CUDA device(s), numbered "
                    "from 0");
}

TEST_CASE("Scopes nest and restore what was current before") {
  const FakeDevice fake;
  CHECK(current_device() == kCpu);
  {
    const GPUContext outer("cuda");
    CHECK(current_device() == kCuda);
    CHECK(zeros({2}).device() == kCuda);
    {
      const GPUContext inner("cpu");
      CHECK(inner.device() == kCpu);
      CHECK(zeros({2}).device() == kCpu);
      {
        const GPUContext again(kCuda);
        CHECK(current_device() == kCuda);
      }
      CHECK(current_device() == kCpu);
    }
    CHECK(current_device() == kCuda);
  }
  CHECK(current_device() == kCpu);
}

TEST_CASE("A scope may name a stream, which lasts until it ends or one within names another") {
  const FakeDevice fake;
  CHECK(current_stream() == Stream{0});
  try {
    const GPUContext outer(kCuda, Stream{2});
    CHECK(outer.stream() == Stream{2});
    CHECK(current_stream() == Stream{2});
    {
      const GPUContext inner("cpu");
      CHECK(current_stream() == Stream{2});
      CHECK((full({2}, 1.0) + 2.0).to_vector<float>() == std::vector<float>{3, 3});
      const GPUContext innermost("cuda", Stream{0});
      CHECK(current_stream() == Stream{0});
    }
    CHECK(current_stream() == Stream{2});
    std::thread([] { CHECK(current_stream() == Stream{0}); }).join();
    throw std::runtime_error("leave");
  } catch (const std::runtime_error&) {
  }
  CHECK(current_stream() == Stream{0});
  CHECK_THROWS_WITH(GPUContext(kCpu, Stream{-1}),
                    "[device] a stream has a number from 0 to 63, got -1");
  CHECK_THROWS_AS(GPUContext(kCpu, Stream{Stream::kMost}), ArgumentError);
  CHECK(current_stream() == Stream{0});
}

TEST_CASE("A scope that an exception leaves restores the device") {
  const FakeDevice fake;
  try {
    const GPUContext outer("cuda");
    const GPUContext inner("cuda");
    throw std::runtime_error("out of both");
  } catch (const std::runtime_error&) {
    CHECK(current_device() == kCpu);
  }
  CHECK_THROWS_AS(
      [] {
        const GPUContext scope("cuda");
        add(zeros({2}), zeros({3}));
      }(),
      ShapeError);
  CHECK(current_device() == kCpu);
}

TEST_CASE("A scope that cannot begin changes nothing") {
  const FakeDevice fake;
  const GPUContext outer("cuda");
  CHECK_THROWS_AS(GPUContext("cuda:77"), DeviceError);
  CHECK(current_device() == kCuda);
  CHECK_THROWS_AS(GPUContext("nonsense"), ArgumentError);
  CHECK(current_device() == kCuda);
  CHECK_THROWS_AS(set_device(Device::cuda(77)), DeviceError);
  CHECK(current_device() == kCuda);
}

TEST_CASE("set_device lasts until the next change or the end of the scope around it") {
  const FakeDevice fake;
  {
    const GPUContext scope(kCpu);
    set_device("cuda");
    CHECK(current_device() == kCuda);
  }
  CHECK(current_device() == kCpu);
  set_device(kCuda);
  CHECK(ones({1}).device() == kCuda);
  set_device("cpu");
  CHECK(current_device() == kCpu);
}

TEST_CASE("Threads start on the CPU and never see each other's scopes") {
  const FakeDevice fake;
  const GPUContext scope("cuda");
  std::atomic<bool> other_started_on_cpu{false};
  std::atomic<int> wrong{0};
  std::thread other([&] {
    other_started_on_cpu = current_device() == kCpu;
    for (int i = 0; i < 200; ++i) {
      const GPUContext mine(i % 2 == 0 ? kCuda : kCpu);
      const Array x = ones({3}) + ones({3});
      if (x.device() != mine.device() || x.item({2}) != 2.0) ++wrong;
    }
  });
  for (int i = 0; i < 200; ++i) {
    const Array x = ones({3}) + ones({3});
    if (x.device() != kCuda || x.item({2}) != 2.0) ++wrong;
  }
  other.join();
  CHECK(other_started_on_cpu);
  CHECK(wrong == 0);
  CHECK(current_device() == kCuda);
}

TEST_CASE("device_info tells what is known of a device") {
  const DeviceInfo cpu = device_info();
  CHECK(cpu.device == kCpu);
  CHECK_FALSE(cpu.name.empty());
  CHECK(cpu.description.find("thread") != std::string::npos);
  CHECK(cpu.total_memory > 0);
  CHECK(cpu.free_memory > 0);
  CHECK(cpu.free_memory <= cpu.total_memory);
  const FakeDevice fake;
  CHECK(device_info(kCuda).name == "fake device");
  CHECK(device_info(kCuda).device == kCuda);
}

TEST_CASE("synchronize waits for the current device") {
  const FakeDevice fake;
  synchronize();
  CHECK(fake.backend().synchronized() == 0);
  const GPUContext scope("cuda");
  synchronize();
  CHECK(fake.backend().synchronized() == 1);
}

TEST_CASE("The CPU cannot be taken away") {
  CHECK_THROWS_AS(replace_backend(kCpu, nullptr), ArgumentError);
  CHECK(is_available(kCpu));
}

TEST_CASE("Code written for the CPU runs unchanged inside a scope, with the same results") {
  const auto program = [] {
    const Array x = random_normal({20, 5}, 0.0, 1.0, DType::float64, {1, 2});
    const Array w = random_normal({4, 5}, 0.0, 1.0, DType::float64, {1, 3});
    const Array y = tanh(matmul(x, w.transpose()) + 0.5);
    const Array z = softmax(y * 3.0, 1);
    return concatenate({sum(z, {0}), max(y, {0}), mean(abs(y), {0})});
  };
  const auto on_cpu = program().to_vector<double>();
  const FakeDevice fake;
  const GPUContext scope("cuda");
  reset_transfer_stats();
  const Array result = program();
  CHECK(transfer_stats().implicit_copies == 0);
  CHECK(result.device() == kCuda);
  CHECK(result.to_vector<double>() == on_cpu);
}

}  // namespace
}  // namespace gaia::test
