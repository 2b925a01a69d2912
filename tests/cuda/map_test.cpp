// SPDX-License-Identifier: MIT
/// \file
/// Functions of elements where packs, rows of packs and views end: every way in which operands may
/// lie to each other, with and without the borders of packs.
#include "../../cuda/map.cuh"

#include "../../src/array/backend.h"
#include "../../src/array/ops.h"
#include "../support/operands.h"
#include "device_numbers.h"
#include "every_schedule.h"

namespace gaia::test {
namespace {

Array whole_numbers(const Shape& shape, DType dtype) {
  std::mt19937_64 engine(static_cast<unsigned>(count_elements(shape)));
  return random_operand(engine, shape, dtype, Layout::contiguous, -40.0, 40.0).array;
}

const std::vector<DType> kTypes = {DType::boolean, DType::int32, DType::float32, DType::float64};

struct Weighted {
  __device__ float operator()(float a, float b) const { return a + 1000.0f * b; }
};

}  // namespace

TEST_CASE("Contiguous operands end anywhere in a pack and begin anywhere in one") {
  for (const std::int64_t count : {1, 2, 3, 4, 5, 7, 8, 9, 1023, 1024, 1027, 4099}) {
    for (const DType dtype : kTypes) {
      for (const std::int64_t from : {0, 1, 4}) {
        INFO(count << " " << to_string(dtype) << " from " << from);
        check_every_schedule(
            {whole_numbers({count + from}, dtype), whole_numbers({count + 2 * from}, dtype)}, 0,
            [&](const std::vector<Array>& in) {
              return less(in[0].slice(0, from, {}), in[1].slice(0, 2 * from, {}));
            });
      }
    }
  }
}

TEST_CASE("A row, a column or one number meets a matrix, whatever the length of rows") {
  for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 8}, {5, 1}, {3, 4}, {3, 6}, {2, 1032}, {300, 8}, {7, 260}, {33, 17}}) {
    for (const DType dtype : {DType::int32, DType::float32, DType::float64}) {
      INFO(rows << " x " << columns << " " << to_string(dtype));
      const std::vector<Array> operands = {
          whole_numbers({rows, columns}, dtype), whole_numbers({columns}, dtype),
          whole_numbers({rows, 1}, dtype), whole_numbers({1, 1}, dtype)};
      for (const auto& [a, b] : std::vector<std::pair<std::size_t, std::size_t>>{
               {0, 1}, {1, 0}, {0, 2}, {2, 1}, {0, 3}, {3, 2}, {3, 3}}) {
        INFO("operands " << a << " and " << b);
        check_every_schedule({operands[a], operands[b]}, 0,
                             [&](const std::vector<Array>& in) { return subtract(in[0], in[1]); });
      }
    }
  }
}

TEST_CASE("Rows are cut out of longer ones, on the borders of packs and off them") {
  for (const std::int64_t wide : {16, 18}) {
    for (const std::int64_t from : {0, 1, 4}) {
      for (const std::int64_t length : {4, 7, 8}) {
        INFO(wide << " " << from << " " << length);
        check_every_schedule(
            {whole_numbers({9, wide}, DType::float32), whole_numbers({9, length}, DType::float32)},
            0, [&](const std::vector<Array>& in) {
              const Array all = in[0].copy();
              const Array some = all.slice(1, from, from + length);
              backend(current_device()).binary(Add{}, some.view(), in[1].view(), some.view());
              return all;
            });
      }
    }
  }
}

TEST_CASE("Operands of several types go by packs of the same number of elements") {
  for (const Shape& shape : std::vector<Shape>{{7}, {8}, {1029}, {5, 16}, {5, 15}}) {
    INFO(to_string(shape));
    check_every_schedule(
        {whole_numbers(shape, DType::boolean), whole_numbers(shape, DType::float32),
         whole_numbers({shape.back()}, DType::float32)},
        0, [&](const std::vector<Array>& in) { return where(in[0], in[1], in[2]); });
    for (const DType from : {DType::boolean, DType::bfloat16, DType::int32, DType::float64}) {
      for (const DType to : {DType::boolean, DType::bfloat16, DType::float32, DType::int64}) {
        check_every_schedule({whole_numbers(shape, from)}, 0, [&](const std::vector<Array>& in) {
          return in[0].astype(to).astype(DType::float64);
        });
      }
    }
  }
}

TEST_CASE("Threads go on from row to row where packs are more than threads") {
  constexpr std::uint32_t kBlocks = 2;
  for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{
           {1, 20004}, {1, 8 * 256 + 1}, {1000, 4}, {333, 12}, {5, 2052}, {3, 6144}}) {
    INFO(rows << " x " << columns);
    const DeviceNumbers<float> a(static_cast<std::size_t>(columns), [](int i) { return i; });
    const DeviceNumbers<float> b(static_cast<std::size_t>(rows), [](int i) { return i; });
    const DeviceNumbers<float> y(static_cast<std::size_t>(rows * columns));
    const Shape shape = {rows, columns};
    const auto walk =
        cuda::make_walk<3>(shape, {Strides{columns, 1}, Strides{0, 1}, Strides{1, 0}});
    auto packed = cuda::packed_rows<3>(walk, {true, true, true}, 4);
    REQUIRE(packed.has_value());
    packed->share_among(kBlocks * cuda::kThreads);
    cuda::launch("map", cuda::map_packs_kernel<Weighted, float, float, float>,
                 {.grid = kBlocks, .block = cuda::kThreads}, nullptr, Weighted{}, *packed, y.data(),
                 a.data(), b.data());
    REQUIRE(cudaStreamSynchronize(nullptr) == cudaSuccess);
    int wrong = 0;
    for (int i = 0; i < rows * columns; ++i) {
      const auto wanted = static_cast<float>(i % columns + 1000 * (i / columns));
      if (y[i] != wanted) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

}  // namespace gaia::test
