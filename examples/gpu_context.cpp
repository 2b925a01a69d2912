// SPDX-License-Identifier: MIT
/// \file
/// Scopes decide where a thread computes: they nest, and threads never see each other's.
#include <gaia/gaia.h>

#include <iostream>
#include <sstream>
#include <thread>

int main() {
  using namespace gaia;
  const Array series = random_normal({1000, 4});  // on the CPU, as everything at the start
  const auto work = [&series](const char* device) {
    const GPUContext outer(device);                         // from here on, there ...
    const Array gram = matmul(series.transpose(), series);  // (series is copied there once)
    std::ostringstream text;
    {
      const GPUContext inner("cpu");  // ... but here on the CPU ...
      text << "from " << device << ": trace " << sum(gram.diagonal()).item() / 1000 << ", ";
    }
    text << "now on " << to_string(current_device()) << '\n';  // ... and there again.
    std::cout << text.str();
  };
  std::thread first(work, "auto");
  std::thread second(work, "cpu");
  first.join();
  second.join();
  return 0;
}
