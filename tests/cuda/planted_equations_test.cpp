// SPDX-License-Identifier: MIT
/// \file
/// Would the tests of equations on a GPU see a mistake in their kernel?  Copies of it with a
/// mistake each (planted_kernels.cmake) come to other numbers, under at least one schedule.
#include "../../cuda/equation_launches.cuh"
#include "../../src/learning/equation_rule.h"
#include "caught.h"
#include "device_numbers.h"
#include "planted/equations_crossed_late/equation_launches.cuh"
#include "planted/equations_draws_of_a_call/equation_launches.cuh"
#include "planted/equations_draws_of_a_pair/equation_launches.cuh"
#include "planted/equations_draws_of_a_stream/equation_launches.cuh"
#include "planted/equations_draws_of_a_tick/equation_launches.cuh"
#include "planted/equations_memory_of_one/equation_launches.cuh"
#include "planted/equations_next_tick/equation_launches.cuh"
#include "planted/equations_no_drives/equation_launches.cuh"
#include "planted/equations_no_numbers/equation_launches.cuh"
#include "planted/equations_no_sums/equation_launches.cuh"
#include "planted/equations_no_weights/equation_launches.cuh"
#include "planted/equations_not_crossed/equation_launches.cuh"
#include "planted/equations_one_warp/equation_launches.cuh"
#include "planted/equations_samples_late/equation_launches.cuh"
#include "planted/equations_streams_in_turn/equation_launches.cuh"
#include "planted/equations_sum_of_streams/equation_launches.cuh"
#include "planted/equations_sums_overwritten/equation_launches.cuh"
#include "planted/equations_traces_of_later/equation_launches.cuh"

namespace gaia::test {
namespace {

namespace right = cuda::emulated;
using Numbers = std::vector<double>;
using Launches = void (*)(const EquationRun&, right::Memory&, right::Staging&, cudaStream_t);

float wave(int i) { return std::sin(static_cast<float>(i) * 1.7f); }
float none(int) { return 0.0f; }

/// Two streams of a layer of 19 neurons over 9 ticks.
Numbers learned(const std::string& equations, Launches run_equations, int inputs = 13) {
  constexpr int streams = 2, neurons = 19, ticks = 9;
  const EquationRule rule(equations, {.traces = {{"pre", 3.0}}});
  const EquationProgram& program = rule.program();
  const auto memories = std::ssize(program.memories);
  const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
  const DeviceNumbers<float> x(size(streams * ticks * inputs), wave);
  const DeviceNumbers<float> w(size(neurons * inputs), wave);
  const DeviceNumbers<float> y(streams * ticks * neurons, none);
  const DeviceNumbers<float> memory(size(streams * memories * neurons), none);
  const DeviceNumbers<float> traces(size(streams * inputs), wave);
  const DeviceNumbers<float> eligibility(size(streams * neurons * inputs), none);
  const auto view = [](const DeviceNumbers<float>& numbers, Shape shape, Strides strides) {
    return View{numbers.data(), DType::float32, shape, strides};
  };
  EquationRun run;
  run.samples = view(x, {streams, ticks, inputs}, {ticks * inputs, inputs, 1});
  run.weights = view(w, {neurons, inputs}, {inputs, 1});
  run.outputs = view(y, {streams, ticks, neurons}, {ticks * neurons, neurons, 1});
  run.program = &program;
  run.control.normalization = Normalization::max_norm;
  run.control.homeostasis = Homeostasis{};
  run.trace_keeps = rule.trace_keeps();
  run.memory = view(memory, {streams, memories, neurons}, {memories * neurons, neurons, 1});
  run.traces = view(traces, {streams, 1, inputs}, {inputs, inputs, 1});
  if (program.has_eligibility) {
    run.eligibility = view(eligibility, {streams, neurons, inputs}, {neurons * inputs, inputs, 1});
  }
  right::Memory device(0);
  right::Staging staging;
  run_equations(run, device, staging, nullptr);
  REQUIRE(cudaStreamSynchronize(nullptr) == cudaSuccess);
  Numbers all;
  for (const DeviceNumbers<float>* const numbers : {&w, &y, &memory, &traces, &eligibility}) {
    numbers->append_to(all);
  }
  return all;
}

/// Neurons that do not see each other, in three blocks; and such that do, in one.
const std::string kApart = "m = 0.5*m + y\nde = y*pre - e/3\ndw = 0.1*m*e + 0.01*pre";
const std::string kCrossing = "m = 0.5*m + rank(2*z)/19 - rank(3*z*z)/19\ndw = 0.1*m*pre";
const std::string kDrawing = "m = uniform() + z*normal()\ndw = 0.1*m*pre";
const std::string kBack = "m = 0.5*m + y\ndw = 0.1*m*(pre - back(y))";

#define GAIA_LAUNCHES(build)                                                 \
  [](const EquationRun& run, right::Memory& memory, right::Staging& staging, \
     cudaStream_t stream) {                                                  \
    cuda::build::interpret_equations<float>(run, memory, staging, stream);   \
  }

/// Whether a planted kernel comes to other numbers than the kernel.
bool differs(const std::string& equations, Launches planted, int inputs = 13) {
  const Numbers expected = learned(equations, GAIA_LAUNCHES(emulated), inputs);
  return is_caught([&] { return learned(equations, planted, inputs) == expected; });
}

}  // namespace

TEST_CASE("Bugs planted in equations on a GPU are caught") {
  for (const std::string& text : {kApart, kCrossing, kBack}) {
    INFO(text);
    CHECK_FALSE(differs(text, GAIA_LAUNCHES(emulated)));
    CHECK(differs(text, GAIA_LAUNCHES(equations_no_drives)));
    CHECK(differs(text, GAIA_LAUNCHES(equations_no_numbers)));
    CHECK(differs(text, GAIA_LAUNCHES(equations_next_tick)));
    CHECK(differs(text, GAIA_LAUNCHES(equations_sum_of_streams)));
    CHECK(differs(text, GAIA_LAUNCHES(equations_memory_of_one)));
  }
  constexpr int two_warps = 260;  // of a neuron
  CHECK_FALSE(differs(kApart, GAIA_LAUNCHES(emulated), two_warps));
  CHECK(differs(kApart, GAIA_LAUNCHES(equations_one_warp), two_warps));
  CHECK(differs(kApart, GAIA_LAUNCHES(equations_samples_late)));
  CHECK(differs(kBack, GAIA_LAUNCHES(equations_no_sums)));
  CHECK(differs(kBack, GAIA_LAUNCHES(equations_sums_overwritten)));
  CHECK_FALSE(differs(kDrawing, GAIA_LAUNCHES(emulated)));
  CHECK(differs(kDrawing, GAIA_LAUNCHES(equations_draws_of_a_tick)));
  CHECK(differs(kDrawing, GAIA_LAUNCHES(equations_draws_of_a_stream)));
  CHECK(differs(kDrawing, GAIA_LAUNCHES(equations_draws_of_a_call)));
  CHECK(differs(kDrawing, GAIA_LAUNCHES(equations_draws_of_a_pair)));
  CHECK(differs(kBack, GAIA_LAUNCHES(equations_no_weights)));
  CHECK(differs(kApart, GAIA_LAUNCHES(equations_traces_of_later)));
  CHECK(differs(kCrossing, GAIA_LAUNCHES(equations_not_crossed)));
  CHECK(differs(kCrossing, GAIA_LAUNCHES(equations_crossed_late)));
}

TEST_CASE("Blocks that compute the numbers of one stream after another keep them apart") {
  right::forced_equation_kind() = right::EquationKind::ticks;
  namespace in_turn = cuda::equations_streams_in_turn;
  in_turn::forced_equation_kind() = in_turn::EquationKind::ticks;
  // What a memory was before the tick is read after all streams have been computed.
  const std::string text = "y = softmax(z)\ndw = m*pre\nm = 0.5*m + z";
  CHECK_FALSE(differs(text, GAIA_LAUNCHES(equations_streams_in_turn)));
  right::forced_equation_kind().reset();
}
#undef GAIA_LAUNCHES

}  // namespace gaia::test
