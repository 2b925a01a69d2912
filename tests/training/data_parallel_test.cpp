// SPDX-License-Identifier: MIT
#include "../../src/training/data_parallel.h"

#include <cmath>
#include <cstring>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/array/random_arrays.h"
#include "../../src/core/error.h"
#include "../../src/layers/network/dense.h"
#include "../../src/layers/network/normalization.h"
#include "../../src/layers/network/plastic.h"
#include "../../src/layers/network/pointwise.h"
#include "../../src/layers/network/sequential.h"
#include "../../src/training/fit.h"
#include "../support/catch.h"
#include "../support/log_capture.h"
#include "../support/thread_communicator.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// 72 samples, so that the last batch of 16 has 8, and whether each is near or far.
struct Samples {
  Array x;
  Array y;
};

Samples samples(DType dtype = DType::float32) {
  set_seed(3);
  const Array x = random_uniform({72, 5}, -1.0, 1.0).astype(dtype);
  return {x, greater(sum(square(x), {1}), full({}, 1.6)).astype(DType::int64)};
}

/// A network with everything that makes members depend on each other: running means (which need two
/// samples of a member), random draws, weights that learn by themselves.
std::shared_ptr<NeuralNetwork> network(DType dtype = DType::float32, bool has_batch_norm = true) {
  set_seed(5);
  auto net = std::make_shared<NeuralNetwork>();
  net->add<Dense>(5, 12, DenseOptions{.dtype = dtype});
  if (has_batch_norm) net->add<BatchNorm1d>(12, BatchNormOptions{.dtype = dtype});
  net->add<ReluLayer>();
  net->add<Dropout>(DropoutOptions{.probability = 0.3});
  net->add<PlasticModule>(12, 6,
                          HebbianOptions{.rule = OjaRule{.learning_rate = 0.01}, .dtype = dtype});
  net->add<Dense>(6, 2, DenseOptions{.dtype = dtype});
  return net;
}

struct Trained {
  ArrayMap state;
  std::vector<EpochReport> epochs;
};

/// The training of every rank.
std::vector<Trained> train_on(int ranks, std::int64_t members, DType dtype = DType::float32,
                              FitOptions options = {}) {
  const Samples data = samples(dtype);
  std::vector<std::shared_ptr<NeuralNetwork>> nets;
  for (int rank = 0; rank < ranks; ++rank) nets.push_back(network(dtype, members <= 4));
  std::vector<Trained> trained(static_cast<std::size_t>(ranks));
  options.epochs = 3;
  on_ranks(ranks, [&](Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    NeuralNetwork& net = *nets[rank];
    Optimiser optimiser(net.parameters(), AdamRule{.learning_rate = 0.01});
    const DataLoader train(data.x, data.y, {.batch_size = 16, .shuffle = true, .seed = 2});
    FitOptions own = options;
    own.parallel = {.members = members, .communicator = &communicator};
    trained[rank].epochs = fit(net, train, loss_from_name("cross_entropy"), optimiser, own).epochs;
    trained[rank].state = net.state();
  });
  return trained;
}

bool same_bits(const ArrayMap& a, const ArrayMap& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, array] : a) {
    const Array other = b.at(name).contiguous();
    const Array mine = array.contiguous();
    if (!(mine.shape() == other.shape()) || mine.dtype() != other.dtype() ||
        std::memcmp(mine.view().data, other.view().data, static_cast<std::size_t>(mine.bytes())) !=
            0) {
      return false;
    }
  }
  return true;
}

double farthest(const ArrayMap& a, const ArrayMap& b) {
  double most = 0.0;
  for (const auto& [name, array] : a) most = std::max(most, max(abs(array - b.at(name))).item());
  return most;
}

}  // namespace

TEST_CASE("the rows of a batch's members follow each other, the first has one") {
  for (const std::int64_t samples : {1, 3, 6, 16, 17}) {
    for (const std::int64_t members : {1, 2, 4, 7}) {
      std::int64_t at = 0;
      for (std::int64_t i = 0; i < members; ++i) {
        const auto [begin, end] = rows_of_member(i, members, samples);
        CHECK(begin == at);
        CHECK((i > 0 || end > begin));
        CHECK(end - begin <= samples / members + 1);
        at = end;
      }
      CHECK(at == samples);
    }
  }
}

TEST_CASE("any number of ranks trains the same network, bit for bit") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    const std::vector<Trained> one = train_on(1, 4, dtype);
    for (const int ranks : {2, 3, 4}) {
      INFO(ranks << " ranks, " << to_string(dtype));
      const std::vector<Trained> many = train_on(ranks, 4, dtype);
      for (const Trained& trained : many) {
        CHECK(same_bits(trained.state, one.front().state));
        REQUIRE(trained.epochs.size() == 3);
        for (std::size_t e = 0; e < 3; ++e) {
          CHECK(trained.epochs[e].loss == one.front().epochs[e].loss);
          CHECK(trained.epochs[e].accuracy == one.front().epochs[e].accuracy);
        }
      }
    }
    // The members do count: another number of them is another order of sums, and other draws.
    CHECK_FALSE(same_bits(train_on(1, 2, dtype).front().state, one.front().state));
  }
}

TEST_CASE("more members than samples, and clipped gradients") {
  const FitOptions options{.clip_norm = 0.1};
  const Trained one = train_on(1, 9, DType::float32, options).front();
  CHECK(same_bits(train_on(4, 9, DType::float32, options)[3].state, one.state));
  CHECK(one.epochs.back().loss > 0.0);
}

TEST_CASE("members give the gradient of the whole batch within rounding") {
  const Samples data = samples(DType::float64);
  const DataLoader train(data.x, data.y, {.batch_size = 16});
  const auto trained = [&](std::int64_t members) {
    set_seed(5);
    NeuralNetwork net;
    net.add<Dense>(5, 12, DenseOptions{.dtype = DType::float64}).add<TanhLayer>();
    net.add<Dense>(12, 2, DenseOptions{.dtype = DType::float64});
    Optimiser optimiser(net.parameters(), SgdRule{.learning_rate = 0.1, .momentum = 0.9});
    FitOptions options{.epochs = 4};
    options.parallel.members = members;
    const History history = fit(net, train, loss_from_name("cross_entropy"), optimiser, options);
    ArrayMap state;
    for (const auto& [name, value] : net.state()) state.emplace(name, value.copy());
    return std::pair(state, history.epochs.back());
  };
  const auto [plain, plain_report] = trained(1);
  const auto [parts, parts_report] = trained(5);
  CHECK(farthest(plain, parts) < 1e-12);
  CHECK(std::abs(plain_report.loss - parts_report.loss) < 1e-12);
  CHECK(plain_report.accuracy == parts_report.accuracy);
}

TEST_CASE("a plastic layer learns the mean over the samples of a batch") {
  // Its update is a mean of those of the samples, so a mean of means is the same.
  const Samples data = samples(DType::float64);
  const auto weights = [&](std::int64_t members) {
    set_seed(5);
    NeuralNetwork net;
    net.add<PlasticModule>(
        5, 3, HebbianOptions{.rule = OjaRule{.learning_rate = 0.05}, .dtype = DType::float64});
    net.add<Dense>(3, 2, DenseOptions{.dtype = DType::float64});
    Optimiser optimiser(net.parameters(), SgdRule{.learning_rate = 0.1});
    FitOptions options{.epochs = 2};
    options.parallel.members = members;
    fit(net, DataLoader(data.x, data.y, {.batch_size = 16}), loss_from_name("cross_entropy"),
        optimiser, options);
    return net.state().at("0.weights").copy();
  };
  CHECK(max(abs(weights(1) - weights(4))).item() < 1e-12);
}

TEST_CASE("one rank that asks to stop stops all after the same batch") {
  std::vector<std::int64_t> batches(3, 0);
  std::vector<std::shared_ptr<NeuralNetwork>> nets;
  for (int rank = 0; rank < 3; ++rank) nets.push_back(network());
  const Samples data = samples();
  on_ranks(3, [&](Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    Optimiser optimiser(nets[rank]->parameters(), AdamRule{});
    FitOptions options{.epochs = 2};
    options.parallel = {.members = 3, .communicator = &communicator};
    options.on_batch = [&](const BatchReport&) { return ++batches[rank] < 4 || rank != 1; };
    fit(*nets[rank], DataLoader(data.x, data.y, {.batch_size = 16}),
        loss_from_name("cross_entropy"), optimiser, options);
  });
  CHECK(batches == std::vector<std::int64_t>{4, 4, 4});
  CHECK(same_bits(nets[0]->state(), nets[2]->state()));
}

TEST_CASE("ranks that have drifted apart go on with the network of rank 0") {
  const test::LogCapture log;
  std::vector<std::shared_ptr<NeuralNetwork>> nets;
  for (int rank = 0; rank < 2; ++rank) nets.push_back(network());
  const Array before = nets[0]->state().at("0.weights").copy();
  on_ranks(2, [&](Communicator& communicator) {
    NeuralNetwork& net = *nets[static_cast<std::size_t>(communicator.rank())];
    Optimiser optimiser(net.parameters(), AdamRule{});
    const Loss loss = loss_from_name("cross_entropy");
    DataParallel parallel(net, loss, optimiser, {.members = 2, .communicator = &communicator});
    parallel.agree();
    if (communicator.rank() == 1) net.state().at("0.weights").fill(0.5);
    parallel.agree();
  });
  CHECK(log.count(LogLevel::warning, "round differently") == 1);
  CHECK(same_bits(nets[0]->state(), nets[1]->state()));
  CHECK(max(abs(nets[1]->state().at("0.weights") - before)).item() == 0.0);
}

TEST_CASE("fewer members than ranks are an error, on every rank") {
  CHECK_THROWS_WITH_TEXT(train_on(3, 2), ArgumentError,
                         "members: expected at least one for each of the 3 processes, got 2");
}

TEST_CASE("a process on its own is a communicator too") {
  const std::unique_ptr<Communicator> one = alone();
  CHECK((one->rank() == 0 && one->size() == 1));
  CHECK(one->any(true));
  CHECK_FALSE(one->any(false));
  CHECK(one->all_gather(arange(3)).shape() == Shape{1, 3});
  if (!why_no_mpi().empty()) {
    CHECK_THROWS_WITH_TEXT(connect_mpi(), DeviceError, "-DGAIA_MPI=ON");
  }
}

TEST_CASE("processes that train together stop early together, with the weights of one alone") {
  const Samples data = samples();
  set_seed(11);
  const Array other_x = random_uniform({40, 5}, -1.0, 1.0);
  // Classes by chance, so that what is learnt soon makes this worse.
  const Array other_y = greater(random_uniform({40}, 0.0, 1.0), 0.5).astype(DType::int64);
  struct Stopped {
    ArrayMap state;
    std::size_t epochs = 0;
    bool stopped_early = false;
  };
  const auto train_on_ranks = [&](int ranks) {
    std::vector<std::shared_ptr<NeuralNetwork>> nets;
    for (int rank = 0; rank < ranks; ++rank) nets.push_back(network());
    std::vector<Stopped> all(static_cast<std::size_t>(ranks));
    on_ranks(ranks, [&](Communicator& communicator) {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      NeuralNetwork& net = *nets[rank];
      Optimiser optimiser(net.parameters(), AdamRule{.learning_rate = 0.02});
      const DataLoader train(data.x, data.y, {.batch_size = 16, .shuffle = true, .seed = 2});
      const DataLoader validation(other_x, other_y);
      const History history = fit(net, train, loss_from_name("cross_entropy"), optimiser,
                                  {.epochs = 60,
                                   .validation = &validation,
                                   .early_stop = EarlyStop{.patience = 2},
                                   .parallel = {.members = 4, .communicator = &communicator}});
      all[rank] = {net.state(), history.epochs.size(), history.stopped_early};
    });
    return all;
  };
  const std::vector<Stopped> alone = train_on_ranks(1);
  REQUIRE(alone[0].stopped_early);
  CHECK(alone[0].epochs < 60);
  for (const int ranks : {2, 3}) {
    for (const Stopped& one : train_on_ranks(ranks)) {
      CHECK(one.stopped_early);
      CHECK(one.epochs == alone[0].epochs);
      CHECK(same_bits(one.state, alone[0].state));
    }
  }
}
