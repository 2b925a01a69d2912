// SPDX-License-Identifier: MIT
/// \file
/// Would the tests of equations through products see a mistake in their kernels?  Copies of these
/// with a mistake each (planted_kernels.cmake) come to other numbers, under at least one schedule.
#include "../../cuda/equation_chunk_launches.cuh"
#include "../../src/learning/equation_rule.h"
#include "caught.h"
#include "device_numbers.h"
#include "planted/chunks_goes_on/equation_chunk_launches.cuh"
#include "planted/chunks_memory_anew/equation_chunk_launches.cuh"
#include "planted/chunks_next_tick/equation_chunk_launches.cuh"
#include "planted/chunks_no_columns/equation_chunk_launches.cuh"
#include "planted/chunks_no_drives/equation_chunk_launches.cuh"
#include "planted/chunks_no_factors/equation_chunk_launches.cuh"
#include "planted/chunks_no_numbers/equation_chunk_launches.cuh"
#include "planted/chunks_no_sums/equation_chunk_launches.cuh"
#include "planted/chunks_not_learnt/equation_chunk_launches.cuh"
#include "planted/chunks_of_later/equation_chunk_launches.cuh"
#include "planted/chunks_one_replica/equation_chunk_launches.cuh"
#include "planted/chunks_sees_ahead/equation_chunk_launches.cuh"
#include "planted/chunks_trace_behind/equation_chunk_launches.cuh"
#include "planted/chunks_upto_before/equation_chunk_launches.cuh"

namespace gaia::test {
namespace {

namespace by_chunks = cuda::emulated;
using ChunkNumbers = std::vector<double>;
using Chunks = void (*)(std::span<const EquationRun>, by_chunks::Memory&, by_chunks::Staging&,
                        cudaStream_t);

struct ChunkScene {
  std::string text;
  Normalization normalization = Normalization::none;
  int streams = 1;
  int neurons = 19;
  int inputs = 13;
  int ticks = 9;
  int replicas = 1;
};

/// What replicas of a layer leave after some ticks in chunks of 4 samples.
ChunkNumbers learned(const ChunkScene& scene, Chunks run_chunks) {
  const auto wave = [](int i) { return 0.3f * std::sin(static_cast<float>(i) * 1.7f); };
  const auto none = [](int) { return 0.0f; };
  EquationRuleOptions options;
  if (scene.text.find("pre") != std::string::npos) options.traces.emplace_back("pre", 3.0);
  const EquationRule rule(scene.text, options);
  const EquationProgram& program = rule.program();
  const auto memories = std::ssize(program.memories);
  using Some = DeviceNumbers<float>;
  std::vector<std::unique_ptr<Some>> all;
  std::vector<EquationRun> runs;
  for (int r = 0; r < scene.replicas; ++r) {
    const auto view = [&](Shape shape, const auto& f) {
      all.push_back(std::make_unique<Some>(static_cast<std::size_t>(count_elements(shape)),
                                           [&](int i) { return f(i + 7 * r); }));
      return View{all.back()->data(), DType::float32, shape, row_major_strides(shape)};
    };
    EquationRun run;
    run.samples = view({scene.streams, scene.ticks, scene.inputs}, wave);
    run.weights = view({scene.neurons, scene.inputs}, wave);
    run.outputs = view({scene.streams, scene.ticks, scene.neurons}, none);
    run.program = &program;
    run.control.normalization = scene.normalization;
    run.trace_keeps = rule.trace_keeps();
    run.memory = view({scene.streams, memories, scene.neurons}, none);
    run.traces = view({scene.streams, std::ssize(program.traces), scene.inputs}, wave);
    if (program.has_eligibility) {
      run.eligibility = view({scene.streams, scene.neurons, scene.inputs}, none);
    }
    run.chunk = 4;
    runs.push_back(run);
  }
  by_chunks::Memory device(0);
  by_chunks::Staging staging;
  run_chunks(runs, device, staging, nullptr);
  REQUIRE(cudaStreamSynchronize(nullptr) == cudaSuccess);
  ChunkNumbers left;
  for (const auto& numbers : all) numbers->append_to(left);
  return left;
}

const ChunkScene kApart{.text = "m = 0.5*m + y\ndw = 0.1*m*x + 0.02*y*pre - 0.01*w + 0.001",
                        .streams = 2,
                        .neurons = 70};
const ChunkScene kCrossing{.text = "m = 0.5*m + softmax(4*z)\ndw = 0.1*m*(x - w)", .neurons = 70};
const ChunkScene kEligible{.text = "m = 0.5*m + y\nde = y*pre - e/3\ndw = 0.002*m*e"};
const ChunkScene kBack{.text = "m = 0.5*m + y\ndw = 0.01*m*(x - back_upto(y)) - 0.001*z*back(m)",
                       .neurons = 70,
                       .inputs = 29};
const ChunkScene kLong{
    .text = "dw = -0.99*y*x/xx", .normalization = Normalization::l2, .inputs = 2};
const ChunkScene kReplicas{.text = "dw = 0.1*y*(x - y*w)", .replicas = 3};

#define GAIA_CHUNKS(build)                                                                      \
  [](std::span<const EquationRun> runs, by_chunks::Memory& memory, by_chunks::Staging& staging, \
     cudaStream_t stream) {                                                                     \
    cuda::build::run_equation_chunks<float>(runs, {90, 132}, memory, staging, stream);          \
  }

/// Whether planted kernels come to other numbers than the kernels, which give the same each time.
bool differs(const ChunkScene& scene, Chunks planted) {
  INFO(scene.text);
  const ChunkNumbers expected = learned(scene, GAIA_CHUNKS(emulated));
  REQUIRE(std::all_of(expected.begin(), expected.end(), [](double x) { return std::isfinite(x); }));
  return is_caught([&] { return learned(scene, planted) == expected; });
}

}  // namespace

TEST_CASE("Bugs planted in equations through products are caught") {
  for (const ChunkScene* const scene :
       {&kApart, &kCrossing, &kEligible, &kBack, &kLong, &kReplicas}) {
    CHECK_FALSE(differs(*scene, GAIA_CHUNKS(emulated)));
  }
  for (const ChunkScene* const scene : {&kApart, &kCrossing, &kBack}) {  // by several warps
    INFO(scene->text);
    CHECK(differs(*scene, GAIA_CHUNKS(chunks_no_drives)));
    CHECK(differs(*scene, GAIA_CHUNKS(chunks_no_factors)));
    CHECK(differs(*scene, GAIA_CHUNKS(chunks_next_tick)));
    CHECK(differs(*scene, GAIA_CHUNKS(chunks_memory_anew)));
  }
  CHECK(differs(kApart, GAIA_CHUNKS(chunks_no_sums)));  // of several streams
  CHECK(differs(kApart, GAIA_CHUNKS(chunks_no_numbers)));
  CHECK(differs(kEligible, GAIA_CHUNKS(chunks_no_factors)));
  CHECK(differs(kEligible, GAIA_CHUNKS(chunks_next_tick)));
  for (const ChunkScene* const scene : {&kApart, &kCrossing}) {
    INFO(scene->text);
    CHECK(differs(*scene, GAIA_CHUNKS(chunks_sees_ahead)));
  }
  CHECK(differs(kEligible, GAIA_CHUNKS(chunks_trace_behind)));
  CHECK(differs(kLong, GAIA_CHUNKS(chunks_goes_on)));
  CHECK(differs(kLong, GAIA_CHUNKS(chunks_of_later)));
  CHECK(differs(kBack, GAIA_CHUNKS(chunks_no_columns)));
  CHECK(differs(kBack, GAIA_CHUNKS(chunks_not_learnt)));
  CHECK(differs(kBack, GAIA_CHUNKS(chunks_upto_before)));
  CHECK(differs(kReplicas, GAIA_CHUNKS(chunks_one_replica)));
}
#undef GAIA_CHUNKS

}  // namespace gaia::test
