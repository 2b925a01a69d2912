// SPDX-License-Identifier: MIT
/// \file
/// Products with packed codes where a number of the result passes from a warp to a block.
#include "../../src/array/ternary_product.h"

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "as_on_cpu.h"

namespace gaia::test {

TEST_CASE("Products with packed codes of any length are as on the CPU") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const std::int64_t columns : {1, 16, 31, 33, 1024, 1025}) {
      INFO(columns << " " << to_string(dtype));
      check_as_on_cpu(
          [&](std::mt19937_64& engine) -> std::vector<Array> {
            const Array x = some(engine, {3, columns}, dtype);
            std::vector<std::int32_t> words;
            for (std::int64_t i = 0; i < 5 * ((columns + 15) / 16); ++i) {
              // Digits 0 to 2: 3 stands for no code.
              std::uint32_t word = 0;
              for (int digit = 0; digit < 16; ++digit) {
                word |= static_cast<std::uint32_t>(engine() % 3) << (2 * digit);
              }
              words.push_back(static_cast<std::int32_t>(word ^ 0x80000000U));
            }
            return {ternary_product(x, from_values(words, {5, (columns + 15) / 16}))};
          },
          64, 1000);
    }
  }
}

}  // namespace gaia::test
