// SPDX-License-Identifier: MIT
/// \file
/// Would the tests of this folder see a mistake in a kernel?  Copies of gaia's own kernels with a
/// mistake each (planted_kernels.cmake) come to other answers than the kernels, under at least one
/// schedule.
#include <cmath>

#include "../../cuda/attention_arguments.h"
#include "../../cuda/attention_sm80.cuh"
#include "../../cuda/plastic_products.cuh"
#include "../../cuda/plastic_replicas.cuh"
#include "../../cuda/scale.cuh"
#include "../../cuda/sum_of_squares.cuh"
#include "caught.h"
#include "device_numbers.h"
#include "planted/attention_backward_sm80_no_barrier_before/attention_backward_sm80.cuh"
#include "planted/attention_backward_sm80_no_barrier_behind/attention_backward_sm80.cuh"
#include "planted/attention_backward_sm80_no_mask/attention_backward_sm80.cuh"
#include "planted/attention_backward_sm80_not_waited/attention_backward_sm80.cuh"
#include "planted/attention_backward_sm80_one_buffer/attention_backward_sm80.cuh"
#include "planted/attention_backward_sm80_right/attention_backward_sm80.cuh"
#include "planted/attention_sm80_no_barrier_before/attention_sm80.cuh"
#include "planted/attention_sm80_no_barrier_behind/attention_sm80.cuh"
#include "planted/attention_sm80_no_mask/attention_sm80.cuh"
#include "planted/attention_sm80_not_waited/attention_sm80.cuh"
#include "planted/products_no_barrier/plastic_products.cuh"
#include "planted/products_no_warp_barrier/plastic_products.cuh"
#include "planted/products_sees_ahead/plastic_products.cuh"
#include "planted/replicas_no_barrier_behind/plastic_replicas.cuh"
#include "planted/replicas_not_there/plastic_replicas.cuh"
#include "planted/replicas_one_set/plastic_replicas.cuh"
#include "planted/replicas_wrong_place/plastic_replicas.cuh"
#include "planted/scale_misaligned/scale.cuh"
#include "planted/scale_wrong_part/scale.cuh"
#include "planted/sum_of_squares_no_barrier/sum_of_squares.cuh"
#include "planted/sum_of_squares_past_the_end/sum_of_squares.cuh"
#include "planted/sum_of_squares_racing/sum_of_squares.cuh"

namespace gaia::test {
namespace {

namespace right = cuda::emulated;
namespace right_gradients = cuda::attention_backward_sm80_right;
using Numbers = std::vector<double>;

/// Between -1 and 1.
float wave(int i) { return std::sin(static_cast<float>(i) * 1.7f); }

/// Whether `run` of a planted kernel does other than `expected`, which is what the kernel does.
template <class Run>
bool differs(const Numbers& expected, const Run& run) {
  return is_caught([&] { return run() == expected; });
}

/// \throws KernelError.
void finish() {
  const cudaError_t error = cudaStreamSynchronize(nullptr);
  REQUIRE(error == cudaSuccess);
}

/// Causal attention of 150 queries and keys of 64 numbers: several tiles of each.
class Attention {
 public:
  Attention()
      : inputs_{.scale = 0.125,
                .causal = true,
                .q = view(q_, kQueries),
                .k = view(k_, kKeys),
                .v = view(v_, kKeys),
                .key_lengths = {}} {}

  template <class Kernel>
  Numbers answers(Kernel kernel) const {
    using P = right::MmaAttention<bfloat16, kSize>;
    cuda::launch("attention", kernel,
                 {.grid = 1, .block = right::kMmaThreads, .shared_bytes = P::kSharedBytes}, nullptr,
                 right::attention_arguments<bfloat16>(inputs_), 0.18f,
                 right::ceil_div(kQueries, P::kQueries), y_.data(), largest_.data(), sums_.data());
    finish();
    Numbers all;
    y_.append_to(all);
    largest_.append_to(all);
    sums_.append_to(all);
    return all;
  }

  /// dq, or dk and dv, of attention that has been answered.
  template <right::TileOwner owner, class Statistics>
  Numbers gradients(void (*kernel)(right::AttentionArguments<bfloat16>, float, float, std::int64_t,
                                   const bfloat16*, Statistics, float*, float*)) const {
    using P = right_gradients::MmaGradient<bfloat16, kSize, owner>;
    const int rows = owner == right::TileOwner::queries ? kQueries : kKeys;
    const DeviceNumbers<float> first(static_cast<std::size_t>(rows) * kSize, [](int) { return 0; });
    const DeviceNumbers<float> second(static_cast<std::size_t>(rows) * kSize,
                                      [](int) { return 0; });
    cuda::launch("gradients", kernel,
                 {.grid = 1, .block = right::kMmaThreads, .shared_bytes = P::kSharedBytes}, nullptr,
                 right::attention_arguments<bfloat16>(inputs_), 0.125f, 0.18f,
                 right::ceil_div(rows, P::kOwn), dy_.data(),
                 Statistics{largest_.data(), sums_.data(), products_.data()}, first.data(),
                 second.data());
    finish();
    Numbers all;
    first.append_to(all);
    second.append_to(all);
    return all;
  }

 private:
  static constexpr int kSize = 64;
  static constexpr int kQueries = 150;
  static constexpr int kKeys = 150;

  static bfloat16 rounded(int i) { return bfloat16(wave(i)); }
  static View view(const DeviceNumbers<bfloat16>& x, std::int64_t rows) {
    return {x.data(), DType::bfloat16, {1, rows, kSize}, {rows * kSize, kSize, 1}};
  }

  DeviceNumbers<bfloat16> q_{kQueries * kSize, rounded};
  DeviceNumbers<bfloat16> k_{kKeys * kSize, [](int i) { return rounded(3 * i); }};
  DeviceNumbers<bfloat16> v_{kKeys * kSize, [](int i) { return rounded(5 * i); }};
  DeviceNumbers<bfloat16> dy_{kQueries * kSize, [](int i) { return rounded(7 * i); }};
  DeviceNumbers<float> y_{kQueries * kSize};
  DeviceNumbers<float> largest_{kQueries};
  DeviceNumbers<float> sums_{kQueries};  // stand in for their reciprocals
  DeviceNumbers<float> products_{kQueries, wave};
  AttentionInputs inputs_;
};

struct Squared {
  double operator()(double x) const { return x * x; }
};

/// Sums of three arrays, of more tiles than blocks.
template <class Table>
Numbers sums(void (*kernel)(Squared, Table, double*)) {
  constexpr int counts[] = {9000, 5, 4097};
  const DeviceNumbers<double> made(6, [](int) { return -1; });
  const DeviceNumbers<float> a(9000, wave);
  const DeviceNumbers<float> b(5, wave);
  const DeviceNumbers<float> c(4097, wave);
  const float* const data[] = {a.data(), b.data(), c.data()};
  Table table{};
  std::int64_t first = 0;
  for (int i = 0; i < 3; ++i) {
    std::remove_reference_t<decltype(table.part[0])> part{};
    part.data = data[i];
    part.count = counts[i];
    part.first_sum = first;
    table.append(part, right::kSummedTile);
    first += right::ceil_div(counts[i], right::kSummedTile);
  }
  cuda::launch("sums", kernel, {.grid = 2, .block = right::kThreads}, nullptr, Squared{}, table,
               made.data());
  finish();
  Numbers all;
  made.append_to(all);
  return all;
}

template <class Table>
Numbers scaled_parts(void (*kernel)(float, Table), int skipped = 0) {
  const DeviceNumbers<float> a(5000, wave);
  const DeviceNumbers<float> b(70, wave);
  Table table{};
  for (const auto& [x, count] : {std::pair{&a, 5000}, std::pair{&b, 70}}) {
    std::remove_reference_t<decltype(table.part[0])> part{};
    part.x = x->data() + skipped;
    part.y = x->data() + skipped;
    part.count = count - skipped;
    table.append(part, right::kScaledTile<float>);
  }
  cuda::launch("scale", kernel, {.grid = 2, .block = right::kThreads}, nullptr, 0.5f, table);
  finish();
  Numbers all;
  a.append_to(all);
  b.append_to(all);
  return all;
}

/// Replicas of a layer of 70 neurons and 13 inputs over 11 ticks, more of them than a launch writes
/// into the table.
template <class Table, class Owners, class Kernel>
Numbers learned(Kernel kernel) {
  constexpr int neurons = 70, inputs = 13, ticks = 11;
  constexpr int count = right::SomeReplicas<float, OjaRule>::kMost + 3;
  const DeviceNumbers<float> x(ticks * inputs, wave);
  const DeviceNumbers<float> w(count * neurons * inputs, wave);
  const DeviceNumbers<float> y(count * neurons * ticks, [](int) { return 0; });
  const DeviceNumbers<float> memory(count * neurons, [](int) { return 0; });
  right::Memory device(0);
  std::vector<PlasticRun> runs(count);
  for (int r = 0; r < count; ++r) {
    PlasticRun& run = runs[static_cast<std::size_t>(r)];
    run.samples = {x.data(), DType::float32, {1, ticks, inputs}, {ticks * inputs, inputs, 1}};
    run.weights = {w.data() + r * neurons * inputs, DType::float32, {neurons, inputs}, {inputs, 1}};
    run.outputs = {y.data() + r * neurons * ticks,
                   DType::float32,
                   {1, ticks, neurons},
                   {ticks * neurons, neurons, 1}};
    run.memory = {memory.data() + r * neurons, DType::float32, {neurons}, {1}};
    run.rule = OjaRule{.learning_rate = 0.02 / (1 + r)};
  }
  const Table table(runs, device, nullptr);
  const Owners owners{.lanes = 2, .rows = 4, .packs = false};
  cuda::launch("plastic", kernel,
               {.grid = {2, count}, .block = right::kOwnerThreads, .shared_bytes = 2 * 4 * 16 * 4},
               nullptr, table.replicas(), owners);
  finish();
  Numbers all;
  w.append_to(all);
  y.append_to(all);
  return all;
}

/// A chunk of 8 ticks of two streams, for 70 neurons of 13 inputs, between products.
class ScannedChunk {
 public:
  using Replicas = right::PlasticReplicas<float, OjaRule>;

  template <class Chunk>
  Numbers scanned(void (*kernel)(Replicas, Chunk)) const {
    Chunk chunk = this->chunk<Chunk>();
    cuda::launch("scan", kernel, {.grid = 2, .block = right::kScanThreads}, nullptr, replicas(),
                 chunk);
    return all();
  }
  template <class Chunk>
  Numbers settled(void (*kernel)(Replicas, Chunk, bool)) const {
    Chunk chunk = this->chunk<Chunk>();
    cuda::launch("settle", kernel, {.grid = 2, .block = right::kThreads}, nullptr, replicas(),
                 chunk, false);
    return all();
  }

 private:
  static constexpr int kNeurons = 70, kInputs = 13, kTicks = 8, kStreams = 2;
  static constexpr int kSamples = kTicks * kStreams;

  Replicas replicas() const {
    PlasticRun run;
    run.samples = {
        x_.data(), DType::float32, {kStreams, kTicks, kInputs}, {kInputs, kStreams * kInputs, 1}};
    run.weights = {w_.data(), DType::float32, {kNeurons, kInputs}, {kInputs, 1}};
    run.outputs = {
        y_.data(), DType::float32, {kStreams, kTicks, kNeurons}, {kTicks * kNeurons, kNeurons, 1}};
    Replicas made{right::PlasticLayer<float>(run), OjaRule{.learning_rate = 0.05}, nullptr};
    made.layer.memory = memory_.data();
    return made;
  }

  template <class Chunk>
  Chunk chunk() const {
    for (int i = 0; i < kSamples * kNeurons; ++i) drive_[i] = wave(i);
    for (int i = 0; i < kNeurons * kInputs; ++i) w_[i] = wave(i);
    for (int i = 0; i < kSamples * kNeurons; ++i) y_[i] = 0.0f;
    for (int s = 0; s < kSamples; ++s) {
      for (int u = 0; u < kSamples; ++u) {
        float sum = 0;
        for (int j = 0; j < kInputs; ++j) sum += x_[s * kInputs + j] * x_[u * kInputs + j];
        gram_[s * kSamples + u] = sum;
      }
    }
    Chunk made{};
    made.ticks = kTicks;
    made.stride = kSamples;
    made.gram = gram_.data();
    made.drive = drive_.data();
    made.factor = factor_.data();
    made.deficit = deficit_.data();
    made.square = square_.data();
    made.stopped = stopped_.data();
    made.weights = w_.data();
    return made;
  }

  Numbers all() const {
    finish();
    Numbers numbers;
    for (const auto* some : {&drive_, &w_, &y_, &factor_, &deficit_}) some->append_to(numbers);
    return numbers;
  }

  DeviceNumbers<float> x_{kSamples * kInputs, wave};
  DeviceNumbers<float> w_{kNeurons * kInputs};
  DeviceNumbers<float> y_{kSamples * kNeurons};
  DeviceNumbers<float> memory_{kNeurons, [](int) { return 0; }};
  DeviceNumbers<float> drive_{kSamples * kNeurons};
  DeviceNumbers<float> gram_{kSamples * kSamples};
  DeviceNumbers<float> factor_{kNeurons, [](int) { return 1; }};
  DeviceNumbers<float> deficit_{kNeurons, [](int) { return 0; }};
  DeviceNumbers<float> square_{kNeurons, [](int) { return 1; }};
  DeviceNumbers<int> stopped_{kNeurons, [](int i) { return i % kTicks; }};
};

}  // namespace

TEST_CASE("Bugs planted in attention by tensor cores are caught") {
  const Attention attention;
#define GAIA_ANSWERS(build) \
  [&] { return attention.answers(cuda::build::attention_mma_kernel<bfloat16, 64>); }
  const Numbers expected = GAIA_ANSWERS(emulated)();
  CHECK_FALSE(differs(expected, GAIA_ANSWERS(emulated)));
  CHECK(differs(expected, GAIA_ANSWERS(attention_sm80_not_waited)));
  CHECK(differs(expected, GAIA_ANSWERS(attention_sm80_no_barrier_before)));
  CHECK(differs(expected, GAIA_ANSWERS(attention_sm80_no_barrier_behind)));
  CHECK(differs(expected, GAIA_ANSWERS(attention_sm80_no_mask)));
#undef GAIA_ANSWERS
}

TEST_CASE("Bugs planted in gradients of attention by tensor cores are caught") {
  const Attention attention;
  attention.answers(right::attention_mma_kernel<bfloat16, 64>);
#define GAIA_GRADIENTS(build, owner)                                                        \
  [&] {                                                                                     \
    return attention.gradients<right::TileOwner::owner>(                                    \
        cuda::build::attention_gradient_mma_kernel<bfloat16, 64, right::TileOwner::owner>); \
  }
  const Numbers by_queries = GAIA_GRADIENTS(attention_backward_sm80_right, queries)();
  const Numbers by_keys = GAIA_GRADIENTS(attention_backward_sm80_right, keys)();
  CHECK_FALSE(differs(by_queries, GAIA_GRADIENTS(attention_backward_sm80_right, queries)));
  CHECK_FALSE(differs(by_keys, GAIA_GRADIENTS(attention_backward_sm80_right, keys)));
  CHECK(differs(by_queries, GAIA_GRADIENTS(attention_backward_sm80_not_waited, queries)));
  CHECK(differs(by_keys, GAIA_GRADIENTS(attention_backward_sm80_not_waited, keys)));
  CHECK(differs(by_queries, GAIA_GRADIENTS(attention_backward_sm80_no_barrier_before, queries)));
  CHECK(differs(by_keys, GAIA_GRADIENTS(attention_backward_sm80_no_barrier_before, keys)));
  CHECK(differs(by_queries, GAIA_GRADIENTS(attention_backward_sm80_no_barrier_behind, queries)));
  CHECK(differs(by_keys, GAIA_GRADIENTS(attention_backward_sm80_no_barrier_behind, keys)));
  CHECK(differs(by_queries, GAIA_GRADIENTS(attention_backward_sm80_no_mask, queries)));
  CHECK(differs(by_keys, GAIA_GRADIENTS(attention_backward_sm80_no_mask, keys)));
  CHECK(differs(by_keys, GAIA_GRADIENTS(attention_backward_sm80_one_buffer, keys)));
#undef GAIA_GRADIENTS
}

TEST_CASE("Bugs planted in launches of many arrays are caught") {
#define GAIA_SUMS(build) [] { return sums(cuda::build::sum_parts_kernel<float, Squared>); }
  const Numbers expected = GAIA_SUMS(emulated)();
  CHECK_FALSE(differs(expected, GAIA_SUMS(emulated)));
  CHECK(differs(expected, GAIA_SUMS(sum_of_squares_no_barrier)));
  CHECK(differs(expected, GAIA_SUMS(sum_of_squares_racing)));
#ifdef __SANITIZE_ADDRESS__
  CHECK(differs(expected, GAIA_SUMS(sum_of_squares_past_the_end)));
#endif
#undef GAIA_SUMS
  const Numbers shorter = scaled_parts(right::scale_kernel<float>);
  CHECK_FALSE(differs(shorter, [] { return scaled_parts(right::scale_kernel<float>); }));
  CHECK(differs(shorter, [] { return scaled_parts(cuda::scale_wrong_part::scale_kernel<float>); }));
  CHECK_NOTHROW(scaled_parts(right::scale_kernel<float>, 1));
  CHECK_THROWS_WITH(scaled_parts(cuda::scale_misaligned::scale_kernel<float>, 1),
                    Catch::Matchers::ContainsSubstring("a pack is misaligned"));
}

TEST_CASE("Bugs planted in replicas of plastic layers are caught") {
#define GAIA_LEARNED(build)                                                         \
  [] {                                                                              \
    return learned<cuda::build::ReplicaTable<float, OjaRule>, cuda::build::Owners>( \
        cuda::build::plastic_kernel<float, OjaRule, 8>);                            \
  }
  const Numbers expected = GAIA_LEARNED(emulated)();
  CHECK_FALSE(differs(expected, GAIA_LEARNED(emulated)));
  CHECK(differs(expected, GAIA_LEARNED(replicas_not_there)));
  CHECK(differs(expected, GAIA_LEARNED(replicas_no_barrier_behind)));
  CHECK(differs(expected, GAIA_LEARNED(replicas_one_set)));
  CHECK(differs(expected, GAIA_LEARNED(replicas_wrong_place)));
#undef GAIA_LEARNED
}

TEST_CASE("Bugs planted between the products of plastic layers are caught") {
  const ScannedChunk layer;
#define GAIA_SCANNED(build) \
  [&] { return layer.scanned(cuda::build::scan_chunk_kernel<float, OjaRule>); }
#define GAIA_SETTLED(build) \
  [&] { return layer.settled(cuda::build::settle_weights_kernel<float, OjaRule>); }
  const Numbers scanned = GAIA_SCANNED(emulated)();
  CHECK_FALSE(differs(scanned, GAIA_SCANNED(emulated)));
  CHECK(differs(scanned, GAIA_SCANNED(products_no_barrier)));
  CHECK(differs(scanned, GAIA_SCANNED(products_sees_ahead)));
  const ScannedChunk other;
  const Numbers settled = other.settled(right::settle_weights_kernel<float, OjaRule>);
  CHECK(differs(settled, [&] {
    return other.settled(cuda::products_no_warp_barrier::settle_weights_kernel<float, OjaRule>);
  }));
#undef GAIA_SETTLED
#undef GAIA_SCANNED
}

}  // namespace gaia::test
