// SPDX-License-Identifier: MIT
#include "series_array.h"

#include <algorithm>
#include <vector>

#include "../array/create.h"

namespace gaia::io {

Array read_series(Series& series, DType dtype) {
  constexpr std::int64_t block = 4096;
  const std::int64_t rows = series.rows();
  const std::int64_t channels = series.channels();
  const auto on_the_cpu = [&] {
    const GPUContext cpu(Device::cpu());
    Array whole = Array::uninitialized({rows, channels}, dtype);
    std::vector<double> numbers;
    for (std::int64_t first = 0; first < rows; first += block) {
      const std::int64_t count = std::min(block, rows - first);
      numbers.resize(static_cast<std::size_t>(count * channels));
      series.read(first, count, numbers);
      whole.slice(0, first, first + count).assign(from_values(numbers, {count, channels}));
    }
    return whole;
  };
  return on_the_cpu().to(current_device());
}

Array load_csv(const std::string& path, const FileOptions& options, DType dtype) {
  return read_series(*open_csv(path, options), dtype);
}

}  // namespace gaia::io
