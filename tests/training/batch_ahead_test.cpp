// SPDX-License-Identifier: MIT
#include "../../src/training/batch_ahead.h"

#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../../src/core/parallel.h"
#include "../../src/layers/network/dense.h"
#include "../../src/layers/network/pointwise.h"
#include "../../src/layers/network/sequential.h"
#include "../../src/training/fit.h"
#include "../support/devices.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// On the host, wherever batches are wanted.
DataLoader on_host(const LoaderOptions& options) {
  const GPUContext host(Device::cpu());
  const Array x = random_normal({37, 3, 2}, 0.0, 1.0, DType::float32, {83, 1});
  return {x, sum(x, {1, 2}).expand_dims(1), options};
}

}  // namespace

DEVICE_TEST_CASE("batches that come ahead are those of the epoch, from any of them on") {
  for (const bool shuffle : {false, true}) {
    for (const bool drop_last : {false, true}) {
      const DataLoader loader = on_host({.batch_size = 5,
                                         .shuffle = shuffle,
                                         .seed = 3,
                                         .drop_last = drop_last,
                                         .prefetch = true});
      const DataLoader::Epoch epoch = loader.epoch(2);
      CHECK(epoch.is_prefetched());
      for (const std::int64_t first : {0, 3, 6}) {
        BatchAhead ahead(epoch, first);
        for (std::int64_t i = first; i < loader.batches(); ++i) {
          const Batch batch = ahead.next();
          const Batch expected = epoch.batch(i);
          CHECK(batch.x.device() == current_device());
          CHECK(batch.y.device() == current_device());
          CHECK(batch.x.to_vector<float>() == expected.x.to_vector<float>());
          CHECK(batch.y.to_vector<float>() == expected.y.to_vector<float>());
        }
        CHECK_THROWS_WITH_TEXT(ahead.next(), ArgumentError, "expected a batch below");
      }
    }
  }
}

DEVICE_TEST_CASE("batches come ahead where they are wanted on another device than the host") {
  const bool is_host = current_device().is_cpu();
  CHECK(on_host({}).epoch(0).is_prefetched() == !is_host);
  CHECK_FALSE(on_host({.prefetch = false}).epoch(0).is_prefetched());
  // What lies on the device is put together there, in the order of its other work.
  const Array x = zeros({8, 2});
  CHECK(DataLoader(x, x, {.prefetch = true}).epoch(0).is_prefetched() == is_host);
}

TEST_CASE("a batch that is not asked for any more is waited for") {
  const DataLoader loader = on_host({.batch_size = 4, .shuffle = true, .prefetch = true});
  const DataLoader::Epoch epoch = loader.epoch(0);
  for (int i = 0; i < 50; ++i) {
    BatchAhead ahead(epoch);
    if (i % 2 == 0) ahead.next();
  }
  CHECK(BatchAhead(epoch).next().x.shape(0) == 4);
}

DEVICE_TEST_CASE("a network is trained to the same bits with batches that come ahead") {
  const auto train = [](bool prefetch) {
    NeuralNetwork net;
    net.add<Flatten>()
        .add<Dense>(6, 8, DenseOptions{.activation = Activation::tanh, .random = {84, 1}})
        .add<Dropout>(DropoutOptions{.probability = 0.2, .random = {84, 2}})
        .add<Dense>(8, 1, DenseOptions{.random = {84, 3}});
    Optimiser optimiser(net.parameters(), AdamRule{.learning_rate = 0.01});
    const DataLoader loader =
        on_host({.batch_size = 8, .shuffle = true, .seed = 1, .prefetch = prefetch});
    const History history = fit(net, loader, loss_from_name("mse"), optimiser, {.epochs = 3});
    std::vector<float> numbers;
    for (const Tensor& parameter : net.parameters()) {
      const std::vector<float> all = parameter.value().to_vector<float>();
      numbers.insert(numbers.end(), all.begin(), all.end());
    }
    for (const EpochReport& epoch : history.epochs) {
      numbers.push_back(static_cast<float>(epoch.loss));
    }
    return numbers;
  };
  const std::vector<float> plain = train(false);
  const int before = num_threads();
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    CHECK(train(true) == plain);
  }
  set_num_threads(before);
}
