// SPDX-License-Identifier: MIT
/// \file
/// Arrays and threads on two GPUs, and what travels between them.
#include <atomic>
#include <string>
#include <thread>

#include "../../src/array/array.h"
#include "../../src/array/backend_cuda.h"
#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"
#include "../support/fake_device.h"
#include "hardware.h"
#include "queues.h"

namespace gaia::test {
namespace {

const Device kFirst = Device::cuda(0);
const Device kSecond = Device::cuda(1);

}  // namespace

TEST_CASE("Arrays are made and computed with on the GPU that was named") {
  const EmulatedDevices two(2);
  CHECK(available_devices() == std::vector<Device>{Device::cpu(), kFirst, kSecond});
  CHECK(device_info(kSecond).device == kSecond);
  const GPUContext outer("cuda:1");
  const Array x = full({3}, 2.0);
  CHECK(x.device() == kSecond);
  {
    const GPUContext inner("cuda");
    CHECK(current_device() == kFirst);
    const Array y = full({3}, 5.0);
    CHECK(y.device() == kFirst);
    {
      const GPUContext host("cpu");
      CHECK((x + 1.0).device() == Device::cpu());
    }
    CHECK((y + 1.0).device() == kFirst);
    CHECK(x.copy().device() == kSecond);  // where it lives, from anywhere
    CHECK((y + 1.0).to_vector<float>() == std::vector<float>{6, 6, 6});
  }
  CHECK(current_device() == kSecond);
  CHECK((x + 1.0).to_vector<float>() == std::vector<float>{3, 3, 3});
}

TEST_CASE("A third GPU is refused with the number there are") {
  const EmulatedDevices two(2);
  const char* const why =
      "[device] 'cuda:2' cannot be used: this machine has 2 CUDA device(s), numbered from 0";
  CHECK_THROWS_WITH(GPUContext("cuda:2"), why);
  CHECK_THROWS_WITH(ones({2}).to(Device::cuda(2)), why);
  CHECK_THROWS_WITH(memory_stats(Device::cuda(2)), why);
  CHECK_THROWS_WITH(set_memory_limit(1, Device::cuda(2)), why);
  CHECK(current_device() == Device::cpu());
}

TEST_CASE("Nothing is made on a GPU before it is asked for, nor on another one") {
  const auto contexts = [] {
    std::vector<int> found;
    for (int index = 0; index < 3; ++index) {
      if (emulator::has_context(index)) found.push_back(index);
    }
    return found;
  };
  const WithHardware three({.devices = 3});
  const OtherCudaDevices others(cuda::emulated::find_devices());
  CHECK(cuda_device_count() == 3);
  {
    const GPUContext host("cpu");
    const Array x = random_normal({20, 30});
    CHECK(matmul(x, x.transpose()).shape(1) == 20);
    CHECK_FALSE(is_available(Device::cuda(3)));
    CHECK_THROWS_AS(Device::from_name("cuda:x"), ArgumentError);
    synchronize();
    CHECK(device_info().device.is_cpu());
  }
  CHECK(contexts().empty());
  // On a new thread, since every thread begins with device 0, and must not go back to it.
  std::thread([&] {
    {
      const GPUContext second("cuda:1");
      const Array x = full({3}, 2.0);
      CHECK((x + 1.0).to_vector<float>() == std::vector<float>{3, 3, 3});
      CHECK(memory_stats().arrays == 1);
    }
    synchronize();
  }).join();
  CHECK(contexts() == std::vector<int>{1});
  CHECK(Device::automatic() == kFirst);  // which looks, at the first
  CHECK(contexts() == std::vector<int>{0, 1});
  CHECK(available_devices().size() == 4);
  CHECK(contexts() == std::vector<int>{0, 1, 2});
}

TEST_CASE("A GPU that is too old for any build is left alone") {
  const WithHardware old({.devices = 2, .compute_capability = 7});
  const OtherCudaDevices others(cuda::emulated::find_devices());
  CHECK_FALSE(is_available(kSecond));
  CHECK_FALSE(emulator::has_context(1));
}

TEST_CASE("A GPU among others that cannot be used is refused with its own reason") {
  const auto with_bad = [](int bad, const auto& test) {
    const WithHardware hardware(
        {.devices = 2, .kernel_error = cudaErrorNoKernelImageForDevice, .bad_device = bad});
    const OtherCudaDevices others(cuda::emulated::find_devices());
    test();
  };
  const std::string no_code =
      "[cuda] this build of gaia has no code for emulated GPU (compute "
      "capability 9.0); configure it with -DCMAKE_CUDA_ARCHITECTURES=90";
  const std::string before = why_no_cuda();
  with_bad(1, [&] {
    CHECK(available_devices() == std::vector<Device>{Device::cpu(), kFirst});
    CHECK(why_no_cuda() == "");
    CHECK_THROWS_WITH(GPUContext("cuda:1"),
                      "[device] 'cuda:1' cannot be used: this machine has 2 CUDA device(s), "
                      "numbered from 0; cuda:1: " +
                          no_code);
  });
  with_bad(0, [&] {
    CHECK(available_devices() == std::vector<Device>{Device::cpu(), kSecond});
    CHECK(why_no_cuda() == "");  // gpu_benchmark measures the second
    CHECK(Device::automatic() == kSecond);
    CHECK_THROWS_WITH(GPUContext("cuda"),
                      "[device] 'cuda:0' cannot be used: this machine has 2 CUDA device(s), "
                      "numbered from 0; cuda:0: " +
                          no_code);
  });
  with_bad(-1, [&] {
    CHECK(available_devices() == std::vector<Device>{Device::cpu()});
    CHECK(why_no_cuda() == "cuda:0: " + no_code + "; cuda:1: " + no_code);
    CHECK_THROWS_WITH(GPUContext("cuda:1"), "[device] 'cuda:1' cannot be used: " + why_no_cuda() +
                                                "; use device 'cpu' or 'auto'");
  });
  CHECK(why_no_cuda() == before);
}

TEST_CASE("Arrays travel between GPUs in every dtype and layout, and are counted") {
  for (const bool peers : {true, false}) {
    INFO("peers " << peers);
    const WithHardware hardware({.devices = 2, .peers = peers});
    const EmulatedDevices two(2);
    for (const DType dtype : {DType::boolean, DType::int32, DType::int64, DType::bfloat16,
                              DType::float32, DType::float64}) {
      const Array x = arange(24).astype(dtype).reshape({4, 6}).to(kFirst);
      for (const Array& view : {x, x.transpose(), x.slice(1, {}, {}, -2), x[0].broadcast_to({3, 6}),
                                x[1][1], x.slice(0, 0, 0)}) {
        reset_transfer_stats();
        const Array there = view.to(kSecond);
        CHECK(transfer_stats().explicit_copies == 1);
        CHECK(transfer_stats().bytes == view.bytes());
        CHECK(there.device() == kSecond);
        CHECK(there.dtype() == dtype);
        CHECK(there.shape() == view.shape());
        CHECK(there.to_vector<double>() == view.to_vector<double>());
        CHECK(there.to(kFirst).to_vector<double>() == view.to_vector<double>());
      }
    }
  }
}

TEST_CASE("Copies between GPUs are in order with the work on both") {
  const EmulatedDevices two(2);
  const Array ones_there = full({1000}, 1.0).to(kFirst);
  // Nothing here waits: everything is given to the streams of two devices.
  Array there;
  {
    const GPUContext first(kFirst);
    const Array made = ones_there + 1.0;
    there = made.to(kSecond);
    made.fill(9.0);  // after the copy has read it
  }  // and only then it is given back
  {
    const GPUContext second(kSecond);
    const Array more = there + 3.0;
    const Array back = more.to(kFirst);
    more.fill(9.0);
    CHECK(back.to_vector<float>() == std::vector<float>(1000, 5.0f));
  }
  CHECK(there.to_vector<float>() == std::vector<float>(1000, 2.0f));
}

TEST_CASE("An operand on another GPU comes over, and the copy is counted") {
  const EmulatedDevices two(2);
  const Array x = full({10}, 2.0).to(kFirst);
  reset_transfer_stats();
  const GPUContext second(kSecond);
  const Array y = x * 3.0;
  CHECK(y.device() == kSecond);
  CHECK(transfer_stats().implicit_copies == 1);
  CHECK(transfer_stats().bytes == 40);
  CHECK(y.to_vector<float>() == std::vector<float>(10, 6.0f));
}

TEST_CASE("Between GPUs of different kinds arrays go through the host") {
  const EmulatedDevices two(2);
  const FakeDevice fake;  // in place of the first
  const Array x = arange(5).to(fake.device());
  CHECK(x.to(kSecond).to_vector<double>() == x.to_vector<double>());
  CHECK(x.to(kSecond).to(fake.device()).to_vector<double>() == x.to_vector<double>());
}

TEST_CASE("Two threads compute on two GPUs and pass arrays to and fro") {
  const EmulatedDevices two(2);
  std::atomic<int> wrong{0};
  const auto work = [&](Device mine, Device other) {
    const GPUContext scope(mine);
    for (int i = 0; i < 40; ++i) {
      const Array x = full({50}, i);
      const Array there = x.to(other);
      const Array y = there.to(mine) + x;
      if (y.device() != mine || y.item({49}) != 2.0 * i) ++wrong;
    }
  };
  std::thread first(work, kFirst, kSecond);
  std::thread second(work, kSecond, kFirst);
  first.join();
  second.join();
  CHECK(wrong == 0);
}

TEST_CASE("An array that one thread made is copied by another to another GPU") {
  const EmulatedDevices two(2);
  const GPUContext scope(kFirst);
  const Array x = full({100}, 3.0) + 1.0;
  std::vector<float> got;
  std::thread([&] { got = x.to(kSecond).to_vector<float>(); }).join();
  x.fill(0.0);
  CHECK(got == std::vector<float>(100, 4.0f));
}

TEST_CASE("Each GPU has statistics and a limit of its own") {
  const EmulatedDevices two(2);
  const Array x = full({100}, 1.0).to(kFirst);
  CHECK(memory_stats(kFirst).used == 400);
  CHECK(memory_stats(kSecond).used == 0);
  const Array y = x.to(kSecond).slice(0, 0, 50);
  CHECK(memory_stats(kSecond).used == 400);
  CHECK(memory_stats(kSecond).free < memory_stats(kSecond).total);
  set_memory_limit(600, kSecond);
  CHECK(memory_stats(kSecond).limit == 600);
  CHECK(memory_stats(kFirst).limit == 0);
  CHECK_THROWS_WITH_TEXT(x.to(kSecond), OutOfMemory,
                         "[array] 400 bytes are not to be had on cuda:1: 400 in use by arrays (at "
                         "most 400 so far) of 600 that set_memory_limit allows");
  CHECK(x.copy().to_vector<float>() == std::vector<float>(100, 1.0f));
  set_memory_limit(800, kSecond);
  CHECK(x.to(kSecond).to_vector<float>() == std::vector<float>(100, 1.0f));
}

}  // namespace gaia::test
