// SPDX-License-Identifier: MIT
/// \file
/// Arrays of random numbers.
#include "../src/array/random_arrays.h"
#include "../src/core/random_formulas.h"
#include "case_rows.h"

namespace gaia::bench {
namespace {

constexpr RandomStream kStream{3, 1};

/// The first numbers of the stream, as the formulas make them one block after the other.
template <class Draw>
std::vector<double> reference(const Draw& draw, std::int64_t count) {
  using T = typename Draw::Number;
  std::vector<double> numbers;
  for (std::uint64_t index = 0; std::ssize(numbers) < count; ++index) {
    const auto block = kStream.block(index);
    const std::uint32_t words[4] = {block[0], block[1], block[2], block[3]};
    T drawn[random_formulas::kPerBlock<T>];
    draw(words, drawn);
    for (const T number : drawn) numbers.push_back(static_cast<double>(number));
  }
  numbers.resize(static_cast<std::size_t>(count));
  return numbers;
}

template <class T>
Case random_case(bool normal, std::int64_t n) {
  const DType dtype = dtype_of<T>();
  return make_case({.operation = normal ? "random_normal" : "random_uniform",
                    .sizes = {n},
                    .dtype = dtype,
                    .inputs = {},
                    .function =
                        [=](const Arrays&) {
                          return normal ? random_normal({n}, 0.0, 1.0, dtype, kStream)
                                        : random_uniform({n}, 0.0, 1.0, dtype, kStream);
                        },
                    .reference =
                        [=](const std::vector<Doubles>&) {
                          Doubles wanted;
                          random_formulas::with_draw<T>(normal, 0.0, 1.0, [&](const auto& draw) {
                            wanted = reference(draw, n);
                          });
                          return wanted;
                        },
                    .written = bytes_of(n, dtype)});
}

}  // namespace

std::vector<Case> random_cases(bool quick) {
  const std::int64_t n = quick ? 10'000 : 1'000'000;
  return {random_case<float>(true, n), random_case<double>(true, n), random_case<float>(false, n),
          random_case<double>(false, n)};
}

}  // namespace gaia::bench
