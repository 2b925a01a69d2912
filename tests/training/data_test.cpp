// SPDX-License-Identifier: MIT
#include "../../src/training/data.h"

#include <algorithm>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../support/devices.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Sample i is (i, 10 i), its target 100 + i.
Array inputs(std::int64_t n) {
  const Array i = arange(n).astype(DType::float32);
  return (i.expand_dims(1) * array({1.0, 10.0}));
}
Array targets(std::int64_t n) { return arange(n) + 100; }

/// The first numbers of all samples of an epoch, batch after batch; checks that y belongs to x.
std::vector<double> order_of(const DataLoader& loader, std::int64_t epoch,
                             std::vector<std::int64_t>* sizes = nullptr) {
  std::vector<double> order;
  for (const Batch& batch : loader.epoch(epoch)) {
    CHECK(batch.x.device() == current_device());
    CHECK(batch.y.device() == current_device());
    if (sizes != nullptr) sizes->push_back(batch.x.shape(0));
    for (std::int64_t i = 0; i < batch.x.shape(0); ++i) {
      order.push_back(batch.x.item({i, 0}));
      CHECK(batch.x.item({i, 1}) == 10.0 * order.back());
      CHECK(batch.y.item({i}) == 100.0 + order.back());
    }
  }
  return order;
}

}  // namespace

DEVICE_TEST_CASE("Batches come in order, and the last one holds the rest") {
  const DataLoader loader(inputs(10), targets(10), {.batch_size = 4});
  CHECK(loader.batches() == 3);
  std::vector<std::int64_t> sizes;
  const std::vector<double> expected = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  CHECK(order_of(loader, 0, &sizes) == expected);
  CHECK(sizes == std::vector<std::int64_t>{4, 4, 2});
  const DataLoader dropping(inputs(10), targets(10), {.batch_size = 4, .drop_last = true});
  CHECK(dropping.batches() == 2);
  CHECK(order_of(dropping, 0).size() == 8);
  CHECK(DataLoader(inputs(8), targets(8), {.batch_size = 4}).batches() == 2);
  CHECK(DataLoader(inputs(0), targets(0)).batches() == 0);
  // An epoch may outlive its loader.
  double total = 0.0;
  for (const Batch& batch : DataLoader(inputs(10), targets(10), {.batch_size = 3}).epoch(0)) {
    total += sum(batch.y).item();
  }
  CHECK(total == 1045.0);
}

DEVICE_TEST_CASE("Shuffled epochs hold every sample once, in an order of seed and epoch") {
  const DataLoader loader(inputs(50), targets(50), {.batch_size = 8, .shuffle = true, .seed = 3});
  const std::vector<double> first = order_of(loader, 0);
  std::vector<double> sorted = first;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted == inputs(50).slice(1, 0, 1).to_vector<double>());
  CHECK(first != sorted);
  CHECK(order_of(loader, 0) == first);
  CHECK(order_of(loader, 1) != first);
  const DataLoader twin(inputs(50), targets(50), {.batch_size = 5, .shuffle = true, .seed = 3});
  CHECK(order_of(twin, 0) == first);
  const DataLoader other(inputs(50), targets(50), {.batch_size = 8, .shuffle = true, .seed = 4});
  CHECK(order_of(other, 0) != first);
}

TEST_CASE("Data may lie elsewhere than where batches are wanted") {
  const DataLoader loader(inputs(6), targets(6), {.batch_size = 4, .shuffle = true});
  const std::vector<double> here = order_of(loader, 2);
  const FakeDevice fake;
  const GPUContext scope(fake.device());
  reset_transfer_stats();
  CHECK(order_of(loader, 2) == here);
  CHECK(transfer_stats().implicit_copies == 0);
}

TEST_CASE("A split is a partition that the seed chooses") {
  const Split split = train_test_split(inputs(20), targets(20), 0.3, 5);
  CHECK(split.train_x.shape() == Shape{14, 2});
  CHECK(split.test_x.shape() == Shape{6, 2});
  std::vector<double> all;
  const auto take_all = [&](const Array& x, const Array& y) {
    for (std::int64_t i = 0; i < x.shape(0); ++i) {
      all.push_back(x.item({i, 0}));
      CHECK(y.item({i}) == 100.0 + all.back());
    }
  };
  take_all(split.train_x, split.train_y);
  take_all(split.test_x, split.test_y);
  const std::vector<double> order = all;
  std::sort(all.begin(), all.end());
  CHECK(all == inputs(20).slice(1, 0, 1).to_vector<double>());
  CHECK(order != all);
  const Split again = train_test_split(inputs(20), targets(20), 0.3, 5);
  CHECK(all_close(again.test_x, split.test_x, 0.0, 0.0));
  CHECK_FALSE(all_close(train_test_split(inputs(20), targets(20), 0.3, 6).test_x, split.test_x));
  CHECK(train_test_split(inputs(3), targets(3), 1.0, 1).train_x.shape() == Shape{0, 2});
}

DEVICE_TEST_CASE("Normalised data has mean 0 and deviation 1, and goes back") {
  Array x = random_normal({40, 3}, 5.0, 3.0, DType::float64, {71, 1});
  x.slice(1, 2).fill(7.0);
  const Normalizer normalizer = normalizer_of(x);
  const Array z = normalizer.apply(x);
  CHECK(norm(mean(z, {0})).item() < 1e-12);
  CHECK(mean(square(z.slice(1, 0, 2)), {0}).item({1}) == Approx(1.0));
  CHECK(norm(z.slice(1, 2)).item() == 0.0);
  CHECK(all_close(normalizer.restore(z), x, 1e-12, 1e-12));
}

TEST_CASE("Data that does not fit is refused") {
  CHECK_THROWS_WITH_TEXT(DataLoader(inputs(3), targets(4)), ShapeError,
                         "[data_loader] expected x [n, ...] and y [n, ...], got shapes [3, 2] and "
                         "[4]");
  CHECK_THROWS_AS(DataLoader(ones({}), ones({})), ShapeError);
  CHECK_THROWS_AS(DataLoader(inputs(3), targets(3), {.batch_size = 0}), ArgumentError);
  const DataLoader loader(inputs(3), targets(3));
  CHECK_THROWS_AS(loader.epoch(0).batch(1), ArgumentError);
  CHECK_THROWS_AS(train_test_split(inputs(3), targets(3), 1.5, 0), ArgumentError);
  CHECK_THROWS_AS(normalizer_of(inputs(0)), ShapeError);
}
