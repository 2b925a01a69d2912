// SPDX-License-Identifier: MIT
/// \file
/// The kernels of plastic layers under rules that see the drive and remember several numbers, which
/// no built-in rule does.
#include "../../cuda/layer_phases.cuh"
#include "../extension/rules.h"
#include "caught.h"
#include "device_numbers.h"

namespace gaia::test {
namespace {

namespace right = cuda::emulated;

constexpr int kNeurons = 19, kInputs = 13, kTicks = 40;

/// A habit that the neuron becomes used to in turn.
struct TwiceHabituatingRule {
  double learning_rate = 0.02;
  double decay = 0.001;

  std::array<RuleMemory, 2> memories() const {
    return {{{"habit", "", 0.2}, {"habit_before", "", 0.1}}};
  }

  template <class T>
  PlasticStep<T> operator()(T z, T y, T* memory) const {
    const T d = y - memory[0] + T(0.5) * memory[1];
    memory[1] += (memory[0] - memory[1]) * T(0.25);
    memory[0] += (z - memory[0]) * T(0.125);
    return {T(decay) + T(learning_rate) * d * d, T(learning_rate) * d};
  }
};

float wave(int i) { return 0.4f * std::sin(static_cast<float>(i) * 1.7f); }
float memory_at(int i) { return i < kNeurons ? 0.2f : 0.1f; }

struct Learned {
  std::vector<double> weights, answers, memory;
};

/// The rule as it is defined, in double.
Learned by_hand(int streams) {
  const TwiceHabituatingRule rule;
  Learned made;
  for (int i = 0; i < kNeurons * kInputs; ++i) made.weights.push_back(wave(i));
  for (int i = 0; i < 2 * kNeurons; ++i) made.memory.push_back(memory_at(i));
  made.answers.resize(static_cast<std::size_t>(streams * kTicks * kNeurons));
  for (int t = 0; t < kTicks; ++t) {
    for (int i = 0; i < kNeurons; ++i) {
      double* const w = made.weights.data() + i * kInputs;
      double loss = 0;
      double after[2] = {made.memory[static_cast<std::size_t>(i)],
                         made.memory[static_cast<std::size_t>(kNeurons + i)]};
      const double before[2] = {after[0], after[1]};
      std::vector<double> added(kInputs);
      for (int b = 0; b < streams; ++b) {
        const int row = (b * kTicks + t) * kInputs;
        double z = 0;
        for (int j = 0; j < kInputs; ++j) z += w[j] * static_cast<double>(wave(row + j));
        const double y = std::tanh(z);
        made.answers[static_cast<std::size_t>((b * kTicks + t) * kNeurons + i)] = y;
        double own[2] = {before[0], before[1]};
        const PlasticStep<double> step = rule(z, y, own);
        loss += step.loss / streams;
        for (int m = 0; m < 2; ++m) after[m] += (own[m] - before[m]) / streams;
        for (int j = 0; j < kInputs; ++j) {
          added[static_cast<std::size_t>(j)] +=
              step.gain / streams * static_cast<double>(wave(row + j));
        }
      }
      for (int j = 0; j < kInputs; ++j) {
        w[j] += added[static_cast<std::size_t>(j)] - loss * w[j];
      }
      made.memory[static_cast<std::size_t>(i)] = after[0];
      made.memory[static_cast<std::size_t>(kNeurons + i)] = after[1];
    }
  }
  return made;
}

/// The numbers of a layer on the device.
class OnDevice {
 public:
  explicit OnDevice(int streams)
      : streams_(streams),
        x_(static_cast<std::size_t>(streams * kTicks * kInputs), wave),
        y_(static_cast<std::size_t>(streams * kTicks * kNeurons), [](int) { return 0; }),
        drives_(static_cast<std::size_t>(streams * kNeurons), [](int) { return 0; }) {}

  right::PlasticLayer<float> layer() const {
    PlasticRun run;
    run.activation = Activation::tanh;
    run.samples = {
        x_.data(), DType::float32, {streams_, kTicks, kInputs}, {kTicks * kInputs, kInputs, 1}};
    run.weights = {w_.data(), DType::float32, {kNeurons, kInputs}, {kInputs, 1}};
    run.outputs = {
        y_.data(), DType::float32, {streams_, kTicks, kNeurons}, {kTicks * kNeurons, kNeurons, 1}};
    right::PlasticLayer<float> made(run);
    made.memory = memory_.data();
    made.drives = drives_.data();
    return made;
  }

  void check(const Learned& expected) const {
    const cudaError_t error = cudaStreamSynchronize(nullptr);
    REQUIRE(error == cudaSuccess);
    compare(w_, expected.weights);
    compare(y_, expected.answers);
    compare(memory_, expected.memory);
  }

 private:
  static void compare(const DeviceNumbers<float>& found, const std::vector<double>& expected) {
    std::vector<double> numbers;
    found.append_to(numbers);
    REQUIRE(numbers.size() == expected.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      CHECK(numbers[i] == Approx(expected[i]).margin(2e-5));
    }
  }

  int streams_;
  DeviceNumbers<float> x_;
  DeviceNumbers<float> y_;
  DeviceNumbers<float> drives_;
  DeviceNumbers<float> w_{kNeurons * kInputs, wave};
  DeviceNumbers<float> memory_{2 * kNeurons, memory_at};
};

}  // namespace

TEST_CASE("A rule sees the drive and all its memories where weights stay in registers") {
  for (const int streams : {1, 3}) {
    INFO(streams << " streams");
    const OnDevice device(streams);
    constexpr int K = 8, lanes = 2, rows = 4;
    const right::PlasticReplicas<float, TwiceHabituatingRule> replicas{
        device.layer(), TwiceHabituatingRule{}, nullptr};
    const std::size_t sums = streams > 1 ? std::size_t{K} * right::kOwnerThreads : 0;
    cuda::launch("plastic", right::plastic_kernel<float, TwiceHabituatingRule, K>,
                 {.grid = 1,
                  .block = right::kOwnerThreads,
                  .shared_bytes = (2 * rows * lanes * K + sums) * sizeof(float)},
                 nullptr, replicas, right::Owners{.lanes = lanes, .rows = rows, .packs = false});
    device.check(by_hand(streams));
  }
}

TEST_CASE("A rule sees the drive and all its memories where a tick goes in phases") {
  for (const int streams : {1, 3}) {
    INFO(streams << " streams");
    const OnDevice device(streams);
    right::run_phases("plastic", nullptr, device.layer(), TwiceHabituatingRule{});
    device.check(by_hand(streams));
  }
}

}  // namespace gaia::test
