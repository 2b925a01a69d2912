// SPDX-License-Identifier: MIT
#include "../core/random.h"
#include "../layers/network/sequential.h"
#include "fit.h"

namespace gaia {

History Sequential::fit(const Array& x, const Array& y, std::int64_t epochs, double learning_rate) {
  const DataLoader samples(x, y, {.batch_size = 32, .shuffle = true, .seed = next_stream().seed});
  Optimiser adam(parameters(), AdamRule{.learning_rate = learning_rate});
  return gaia::fit(*this, samples, loss_from_name(is_integer(y.dtype()) ? "cross_entropy" : "mse"),
                   adam, {.epochs = epochs});
}

}  // namespace gaia
