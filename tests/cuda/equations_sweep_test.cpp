// SPDX-License-Identifier: MIT
/// \file
/// Rules as text that chance has put together, on the emulated GPU compared with the CPU.
#include "../../cuda/equation_chunk_form.h"
#include "../emulator/machine.h"
#include "../support/emulated_device.h"
#include "../support/long_tests.h"
#include "chance_rules.h"

namespace gaia::test {

TEST_CASE("Rules as text that chance has put together do on a GPU what they do on the CPU") {
  for (std::uint64_t seed = 0; seed < few_or_many<std::uint64_t>(40, 100); ++seed) {
    Chance chance(seed);
    const ChanceRun run(chance);
    const auto& rule = std::get<EquationRule>(run.options.rule);
    INFO("seed " << seed << ", " << run.neurons << " neurons, " << run.inputs << " inputs, "
                 << run.streams << " streams\n"
                 << rule.equations());
    const std::vector<std::vector<double>> expected = run.played();
    const OnEmulatedDevice emulated;
    using Kind = cuda::emulated::EquationKind;
    cuda::emulated::forced_equation_kind() =
        chance.of<std::optional<Kind>>({std::nullopt, Kind::owners, Kind::one_block, Kind::ticks});
    emulator::set_schedule(static_cast<emulator::Schedule>(chance.below(5)));
    cuda::emulated::forced_equation_chunks() = true;  // where the executor is chunkwise
    CHECK(distance(run.played(), expected) < 1e-10);
    emulator::set_schedule(emulator::Schedule::forward);
    cuda::emulated::forced_equation_kind().reset();
    cuda::emulated::forced_equation_chunks().reset();
  }
}

}  // namespace gaia::test
