// SPDX-License-Identifier: MIT
/// \file
/// A memory of what was seen once, learnt by differentiable plasticity (Miconi, Clune & Stanley
/// 2018, arXiv:1804.02464).
///
/// In every episode four keys are shown, one a tick, each with a value of its own: keys and values
/// are new every time, so no fixed weight can know them.  Then one of the keys comes back alone,
/// and the network is to answer its value.  Half of the inputs say nothing: they are drawn anew at
/// every tick, also when the key comes back.  Training, over thousands of episodes, has to find how
/// strongly each connection is to learn, and how fast; what is learnt within an episode is the
/// rule's.
///
/// The control is the same network with alpha held at 0, which is trained in the same way: whatever
/// it learns, it can but guess, and is right in one of four episodes.
///
///     one_shot_memory [SEEDS]
#include <gaia/array/create.h>
#include <gaia/array/indexing.h>
#include <gaia/array/ops.h>
#include <gaia/array/random_arrays.h>
#include <gaia/array/reductions.h>
#include <gaia/array/sorting.h>
#include <gaia/autograd/grad_mode.h>
#include <gaia/autograd/ops.h>
#include <gaia/layers/network/differentiable_plasticity.h>
#include <gaia/learning/optimisers.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace one_shot {

using namespace gaia;

constexpr std::int64_t kPairs = 4;   ///< In an episode; as many values.
constexpr std::int64_t kKey = 10;    ///< Inputs that make a key, each -1 or 1.
constexpr std::int64_t kNoise = 10;  ///< Inputs that say nothing.

struct Episodes {
  Array x;      ///< [episodes, pairs + 1, inputs]: the keys, then the one that comes back.
  Array drive;  ///< [episodes, pairs + 1, values]: what teaches; 0 when the key comes back.
  Array value;  ///< [episodes, values]: the right one is 1.
};

/// -1 or 1.
inline Array signs(const Shape& shape, RandomStream stream) {
  return bernoulli(shape, 0.5, DType::float32, stream) * 2.0 - 1.0;
}

inline Episodes draw_episodes(std::int64_t count, std::uint64_t seed, std::uint64_t number) {
  const auto stream = [&](const char* what) {
    return RandomStream::named(seed, what + std::to_string(number));
  };
  const Array keys = signs({count, kPairs, kKey}, stream("keys"));
  // Which value belongs to each pair: an order of its own in every episode.
  const Array order =
      argsort(random_uniform({count, kPairs}, 0.0, 1.0, DType::float32, stream("values")));
  const Array values = one_hot(order, kPairs);  // [episodes, pairs, values]
  const Array asked =
      one_hot(randint(0, kPairs, {count}, DType::int64, stream("asked")), kPairs).expand_dims(2);
  const Array again = sum(asked * keys, {1}, true);
  const Array noise = signs({count, kPairs + 1, kNoise}, stream("noise"));
  return {.x = concatenate({concatenate({keys, again}, 1), noise}, 2),
          .drive = concatenate({values * 10.0, zeros({count, 1, kPairs})}, 1),
          .value = sum(asked * values, {1})};
}

/// What the network thinks of each value when the key comes back: [episodes, values].
inline Tensor answer(const DifferentiablePlasticity& net, const Episodes& episodes) {
  const PlasticWindowResult window = net.run(Tensor(episodes.x), {.drive = Tensor(episodes.drive)});
  return select(window.sequence, 1, -1);
}

/// The share of right answers in episodes that training has not seen.
inline double accuracy(const DifferentiablePlasticity& net, std::uint64_t seed,
                       std::int64_t count = 2000) {
  const NoGrad no_grad;
  const Episodes test = draw_episodes(count, seed, 1'000'000);
  const Array said = argmax(answer(net, test).value(), 1);
  return mean(equal(said, argmax(test.value, 1)).astype(DType::float32)).item();
}

/// A network of its own, with plasticity or without.
inline DifferentiablePlasticityOptions network(DifferentiableRule rule, bool is_plastic,
                                               std::uint64_t seed) {
  DifferentiablePlasticityOptions options{
      .rule = rule,
      .alpha = {.start = 0.1, .sharing = PlasticSharing::connection},
      .activation = Activation::softmax,
      .random = RandomStream::named(seed, "network")};
  if (!is_plastic) options.alpha = {.start = 0.0, .trained = false};
  return options;
}

/// Trains on new episodes at every step, by the negative logarithm of the right value's share.
inline void train(DifferentiablePlasticity& net, std::uint64_t seed, std::int64_t steps) {
  Optimiser optimiser(net.parameters(), AdamRule{.learning_rate = 0.02});
  for (std::int64_t step = 0; step < steps; ++step) {
    const Episodes episodes = draw_episodes(32, seed, static_cast<std::uint64_t>(step));
    optimiser.zero_grad();
    const Tensor right = sum(answer(net, episodes) * episodes.value, {1});
    mean(negative(log(right + 1e-6))).backward();
    optimiser.step();
  }
}

/// How right a trained network is.
inline double trained_accuracy(DifferentiableRule rule, bool is_plastic, std::uint64_t seed,
                               std::int64_t steps) {
  DifferentiablePlasticity net(kKey + kNoise, kPairs, network(rule, is_plastic, seed));
  train(net, seed, steps);
  return accuracy(net, seed);
}

struct Spread {
  double mean = 0.0, deviation = 0.0, least = 1.0, most = 0.0;
};

inline Spread spread_of(const std::vector<double>& numbers) {
  Spread spread;
  const auto n = static_cast<double>(numbers.size());
  for (const double x : numbers) {
    spread.mean += x / n;
    spread.least = std::min(spread.least, x);
    spread.most = std::max(spread.most, x);
  }
  double squares = 0.0;
  for (const double x : numbers) squares += (x - spread.mean) * (x - spread.mean);
  if (numbers.size() > 1) spread.deviation = std::sqrt(squares / (n - 1.0));
  return spread;
}

}  // namespace one_shot

int main(int argc, char** argv) {
  using namespace one_shot;
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 10;
  if (seeds < 1) {
    std::fprintf(stderr, "one_shot_memory: expected a number of seeds, got '%s'\n", argv[1]);
    return 2;
  }
  constexpr std::int64_t kSteps = 400;
  std::printf("one of %d values, %d seeds: right answers, mean +- deviation (least to most)\n",
              static_cast<int>(kPairs), seeds);
  bool is_learnt = true;
  const auto row = [&](const std::string& name, DifferentiableRule rule, bool is_plastic,
                       std::int64_t steps) {
    std::vector<double> right;
    for (int seed = 1; seed <= seeds; ++seed) {
      right.push_back(trained_accuracy(rule, is_plastic, static_cast<std::uint64_t>(seed), steps));
    }
    const Spread spread = spread_of(right);
    std::printf("%-28s %.3f +- %.3f (%.3f to %.3f)\n", name.c_str(), spread.mean, spread.deviation,
                spread.least, spread.most);
    return spread;
  };
  for (const auto rule :
       {DifferentiableRule::hebbian, DifferentiableRule::oja, DifferentiableRule::abcd}) {
    is_learnt = is_learnt && row(to_string(rule), rule, true, kSteps).least > 0.9;
  }
  row("hebbian, not trained", DifferentiableRule::hebbian, true, 0);
  const Spread without = row("the same with alpha = 0", DifferentiableRule::hebbian, false, kSteps);
  return is_learnt && without.most < 0.35 ? 0 : 1;
}
