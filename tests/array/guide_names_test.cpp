// SPDX-License-Identifier: MIT
#include "../../src/array/guide_names.h"

#include "../../src/array/create.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"

namespace gaia::test {
namespace {

TEST_CASE("get_device and get_backend_name tell the kind of device") {
  CHECK(get_device() == "cpu");
  CHECK(get_backend_name() == "cpu");
  const OnEmulatedDevice emulated;
  CHECK(get_device() == "cuda");
  CHECK(get_backend_name() == "cuda");
}

TEST_CASE("set_backend takes the names of Cortex, for this thread") {
  const GPUContext restored(Device::cpu());
  for (const char* name : {"numpy", "CPU", "cpu"}) {
    set_backend(name);
    CHECK(get_backend_name() == "cpu");
  }
  CHECK_THROWS_AS(set_backend("jax"), ArgumentError);
  if (!is_available(Device::cuda(0))) CHECK_THROWS_AS(set_backend("cupy"), DeviceError);
  set_backend(get_backend_name());
}

TEST_CASE("to_numpy and to_backend copy where they have to") {
  const Array x = array({1, 2});
  CHECK(to_numpy(x).elements<float>().data() == x.elements<float>().data());
  CHECK(to_backend(x).elements<float>().data() == x.elements<float>().data());
  on_each_device([] {
    const Array there = array({1, 2});
    CHECK(to_numpy(there).device().is_cpu());
    CHECK(to_backend(to_numpy(there)).device() == current_device());
  });
}

TEST_CASE("get_device_info has the fields of the guide, and real values") {
  const GuideDeviceInfo info = get_device_info();
  CHECK(info.cuda_available == is_available(Device::cuda(0)));
  CHECK(info.preferred_device == (info.cuda_available ? "cuda" : "cpu"));
  CHECK(info.device_count == static_cast<std::int64_t>(available_devices().size()) - 1);
  CHECK(info.cuda_version.empty() == !info.cuda_available);
  const Device preferred = info.cuda_available ? Device::cuda(0) : Device::cpu();
  CHECK(info.device_name == device_info(preferred).name);
  CHECK(info.device_memory.find("GB") != std::string::npos);
}

}  // namespace
}  // namespace gaia::test
