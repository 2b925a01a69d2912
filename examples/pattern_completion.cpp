// SPDX-License-Identifier: MIT
/// \file
/// Patterns that are seen once are completed from a half: the first experiment of Miconi, Clune &
/// Stanley (2018, arXiv:1804.02464), in small.
///
/// Each neuron of a recurrent layer is one bit of a pattern.  An episode shows three new patterns,
/// each for a few ticks, by a drive that the neurons follow.  Then one of them is shown again with
/// half of its bits, whichever they are, left out, and the neurons of these are to find their bits.
/// What a neuron answers is what all read at the next tick, so the window is run tick by tick, and
/// the gradient follows H and the answers through all of it.
///
/// Before that the neurons fall silent, so that nothing is left of the patterns but H: without it a
/// recurrent layer learns to hold on to the last pattern by its activity, and finds 60 % of the
/// bits.
///
/// The control is the same network with alpha held at 0, trained in the same way.
///
///     pattern_completion [SEEDS]
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
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace completion {

using namespace gaia;

constexpr std::int64_t kBits = 40;
constexpr std::int64_t kPatterns = 3;
constexpr std::int64_t kShown = 4;  ///< Ticks that a pattern is shown, and half of one at the end.
constexpr std::int64_t kBlank = 2;  ///< Ticks between patterns, without a drive.

struct Episodes {
  Array patterns;  ///< [patterns, episodes, bits], each -1 or 1, in the order in which they come.
  Array pattern;   ///< [episodes, bits]: the one that is asked for.
  Array known;     ///< [episodes, bits]: 1 for the half of its bits that is shown.
};

inline Episodes draw_episodes(std::int64_t count, std::uint64_t seed, std::uint64_t number) {
  const auto stream = [&](const char* what) {
    return RandomStream::named(seed, what + std::to_string(number));
  };
  const Array patterns =
      bernoulli({kPatterns, count, kBits}, 0.5, DType::float32, stream("patterns")) * 2.0 - 1.0;
  const Array asked = one_hot(randint(0, kPatterns, {count}, DType::int64, stream("asked")),
                              kPatterns);  // [episodes, patterns]
  const Array places =
      argsort(random_uniform({count, kBits}, 0.0, 1.0, DType::float32, stream("known")));
  return {.patterns = patterns,
          .pattern = sum(asked.transpose().expand_dims(2) * patterns, {0}),
          .known = less(places, kBits / 2).astype(DType::float32)};
}

/// What the neurons answer in the end: [episodes, bits].
inline Tensor answer(const DifferentiablePlasticity& net, const Episodes& episodes) {
  const std::int64_t count = episodes.pattern.shape(0);
  const Array nothing = zeros({count, kBits});
  Tensor y(nothing);
  std::optional<Tensor> h;
  const auto tick = [&](const Array& drive) {
    const PlasticWindowResult now =
        net.run(expand_dims(y, 1), {.plastic = h, .drive = Tensor(drive.expand_dims(1) * 20.0)});
    y = select(now.sequence, 1, 0);
    h = now.plastic;
  };
  for (std::int64_t k = 0; k < kPatterns; ++k) {
    for (std::int64_t t = 0; t < kShown; ++t) tick(episodes.patterns[k]);
    for (std::int64_t t = 0; t < kBlank; ++t) tick(nothing);
  }
  y = Tensor(nothing);
  for (std::int64_t t = 0; t < kShown; ++t) tick(episodes.pattern * episodes.known);
  return y;
}

inline DifferentiablePlasticityOptions network(bool is_plastic, std::uint64_t seed) {
  DifferentiablePlasticityOptions options{
      .alpha = {.start = 0.01, .sharing = PlasticSharing::connection},
      .activation = Activation::tanh,
      .bias = false,
      .init = Init::normal,
      .random = RandomStream::named(seed, "network")};
  if (!is_plastic) options.alpha = {.start = 0.0, .trained = false};
  return options;
}

inline void train(DifferentiablePlasticity& net, std::uint64_t seed, std::int64_t steps) {
  Optimiser optimiser(net.parameters(), AdamRule{.learning_rate = 0.005});
  for (std::int64_t step = 0; step < steps; ++step) {
    const Episodes episodes = draw_episodes(16, seed, static_cast<std::uint64_t>(step));
    optimiser.zero_grad();
    mean(square(answer(net, episodes) - episodes.pattern)).backward();
    optimiser.step();
  }
}

/// The share of the bits that were left out whose sign is right, in episodes that are new.
inline double completed(const DifferentiablePlasticity& net, std::uint64_t seed) {
  const NoGrad no_grad;
  const Episodes test = draw_episodes(200, seed, 1'000'000);
  const Array right = greater(answer(net, test).value() * test.pattern, 0.0).astype(DType::float32);
  const Array left_out = 1.0 - test.known;
  return sum(right * left_out).item() / sum(left_out).item();
}

}  // namespace completion

int main(int argc, char** argv) {
  using namespace completion;
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 10;
  if (seeds < 1) {
    std::fprintf(stderr, "pattern_completion: expected a number of seeds, got '%s'\n", argv[1]);
    return 2;
  }
  constexpr std::int64_t kSteps = 600;
  std::printf("bits found of those left out, of patterns seen once\n");
  std::printf("%-6s %10s %12s\n", "seed", "plastic", "alpha = 0");
  double least = 1.0;
  double most = 0.0;
  for (int k = 1; k <= seeds; ++k) {
    const auto seed = static_cast<std::uint64_t>(k);
    const auto found = [&](bool is_plastic) {
      DifferentiablePlasticity net(kBits, kBits, network(is_plastic, seed));
      train(net, seed, kSteps);
      return completed(net, seed);
    };
    const double plastic = found(true);
    const double fixed = found(false);
    std::printf("%-6d %10.3f %12.3f\n", k, plastic, fixed);
    least = std::min(least, plastic);
    most = std::max(most, fixed);
  }
  return least > 0.95 && most < 0.55 ? 0 : 1;
}
