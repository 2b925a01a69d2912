// SPDX-License-Identifier: MIT
/// \file
/// Which layers under rules that are text go through matrix products on a GPU, and in how long
/// chunks: a table of sizes for each architecture, never a time that was taken, so that the same
/// seed gives the same bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "../src/array/backend.h"
#include "../src/formulas/equations/how_it_runs.h"
#include "equation_form.h"
#include "plastic_form.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// From which sizes on products pay.  Estimates, from what a launch and a tick of the scan take.
struct EquationChunkBorders {
  int capability;        ///< The least, 10 major + minor, for which the row holds.
  std::int64_t shared;   ///< Bytes of shared memory that a block of the scan may have.
  std::int64_t samples;  ///< Samples of a chunk, at most.
  std::int64_t least;    ///< Samples of a chunk of which a product pays.
  std::int64_t across;   ///< Weights from which on, where numbers cross the layer;
  std::int64_t back;     ///< where something goes back to the inputs.
  std::int64_t held;     ///< Bytes of weights that a multiprocessor holds, and
  std::int64_t neurons;  ///< neurons of at least
  std::int64_t inputs;   ///< inputs that keep it busy, where neurons are apart.
};

inline constexpr EquationChunkBorders kEquationChunkBorders[] = {
    {80, 160 << 10, 32, 16, 1 << 14, 1 << 14, 192 << 10, 760, 256},
    {86, 96 << 10, 32, 16, 1 << 14, 1 << 14, 192 << 10, 760, 256},
    {90, 224 << 10, 32, 16, 1 << 14, 1 << 14, 192 << 10, 760, 256},
};

/// The last row whose capability the device has.
inline const EquationChunkBorders& equation_chunk_borders(int capability) {
  const EquationChunkBorders* found = kEquationChunkBorders;
  for (const EquationChunkBorders& row : kEquationChunkBorders) {
    if (row.capability <= capability) found = &row;
  }
  return *found;
}

/// Vectors that go back at a tick, at most: a lane has a running sum for each.
constexpr int kMostBacks = 4;

/// Neurons of a block of the scan, where they are apart.
constexpr std::int64_t kNeuronsOfScan = 32;

/// A chip, as far as it decides.
struct EquationChip {
  int capability = 80;
  std::int64_t processors = 1;
};

/// How the chunks of a run are laid out.
struct EquationChunkForm {
  std::int64_t ticks = 1;    ///< Ticks of a chunk.
  std::int64_t samples = 1;  ///< Samples of a chunk, over all streams.
  std::int64_t stack = 1;    ///< Numbers of a synapse: its weight, its eligibility or its chain.
  std::int64_t sets = 1;     ///< Sums of known vectors: dw, and de.
  std::int64_t slots = 2;    ///< Kinds of known vectors: x, traces, ones.
  bool has_x = false;
  bool has_ones = false;
  bool carries_square = false;  ///< |w|^2, for a normalisation or since the rule reads it.
  bool sees_layer = false;
  std::int64_t backs = 0;
  std::int64_t known_rows = 1;   ///< Known vectors of a chunk.
  std::int64_t total_rows = 1;   ///< Rows of the scan: drives, coefficients, what is left of W.
  std::int64_t factor_rows = 1;  ///< Factors of a tick.
  std::int64_t number_rows = 1;  ///< Numbers of a neuron and stream, see EquationForm.
  std::int64_t neurons_of_block = 1;
  // In shared memory, in this order, or else in the device's.
  bool holds_factors = false;
  bool holds_numbers = false;
  bool holds_rows = false;
  std::int64_t shared_numbers = 0;
};

inline EquationSetting setting_of(const EquationRun& run) {
  return {.control = run.control,
          .is_bounded = run.bounds.has_value(),
          .streams = run.samples.shape[0],
          .has_chain = run.chain.has_value()};
}

inline EquationChunkForm equation_chunk_form(const EquationRun& run, std::int64_t shared) {
  const EquationProgram& program = *run.program;
  const std::int64_t streams = run.samples.shape[0];
  const std::int64_t neurons = run.weights.shape[0];
  const auto traces = std::ssize(program.traces);
  EquationChunkForm form;
  form.ticks = std::clamp<std::int64_t>(run.chunk / streams, 1,
                                        std::max<std::int64_t>(run.samples.shape[1], 1));
  form.samples = form.ticks * streams;
  form.stack = run.chain ? run.chain->length : (program.has_eligibility ? 2 : 1);
  form.sets = program.has_eligibility ? 2 : 1;
  form.slots = 2 + traces;
  for (const auto* const terms : {&program.dw_terms, &program.de_terms}) {
    for (const EquationTerm& term : *terms) {
      form.has_x = form.has_x || term.vector.kind == EquationVector::Kind::x;
      form.has_ones = form.has_ones || term.vector.kind == EquationVector::Kind::ones;
    }
  }
  form.carries_square =
      program.reads_weight_square || run.control.normalization != Normalization::none;
  form.sees_layer = sees_layer(program, run.activation);
  form.backs = std::ssize(program.backs);
  form.known_rows = form.samples * (1 + traces) + (form.has_ones ? 1 : 0);
  form.total_rows = form.samples;
  if (form.backs == 0) form.total_rows = form.known_rows + form.stack + (form.stack == 1 ? 3 : 0);
  form.factor_rows = form.sets * form.slots * streams + 4 + 2 * form.backs;
  form.number_rows = program.layer_places + program.neuron_places + 1 +
                     (program.reads_square ? 1 : 0) + (program.reads_weight_square ? 1 : 0);
  form.neurons_of_block = form.sees_layer ? neurons : std::min(neurons, kNeuronsOfScan);
  const std::int64_t room = (shared - 4096) / size_of(run.weights.dtype);  // sums take some too
  const auto take = [&](std::int64_t rows) {
    const std::int64_t numbers = rows * form.neurons_of_block;
    if (form.shared_numbers + numbers > room) return false;
    form.shared_numbers += numbers;
    return true;
  };
  form.holds_factors = form.backs == 0 && take(form.factor_rows);
  form.holds_numbers = take(streams * form.number_rows);
  form.holds_rows = take(form.total_rows * form.stack);
  return form;
}

/// For tests: whether products are taken wherever they can be; nothing: by the table.
inline std::optional<bool>& forced_equation_chunks() {
  static std::optional<bool> forced;
  return forced;
}

/// Whether a layer of such sizes goes chunkwise; `replicas` of them do so together.
inline bool takes_equation_chunks(const EquationRun& run, std::int64_t replicas,
                                  const EquationChip& chip) {
  const EquationProgram& program = *run.program;
  if (!run.learns || run.executor != Executor::chunkwise) return false;
  if (!why_stepwise(program, setting_of(run)).empty()) return false;
  if (std::ssize(program.backs) > kMostBacks) return false;
  if (forced_equation_chunks()) return *forced_equation_chunks();
  const EquationChunkBorders& borders = equation_chunk_borders(chip.capability);
  EquationRun bounded = run;
  bounded.chunk = std::min(run.chunk, borders.samples);
  const EquationChunkForm form = equation_chunk_form(bounded, borders.shared);
  if (run.samples.shape[0] > borders.samples || form.samples < borders.least) return false;
  const std::int64_t neurons = run.weights.shape[0];
  const std::int64_t inputs = run.weights.shape[1];
  const std::int64_t bytes = size_of(run.weights.dtype);
  if (form.sees_layer) {  // a block has all of them, and needs its rows at hand
    const std::int64_t weights = replicas * neurons * inputs;
    return form.holds_rows && form.holds_numbers &&
           weights >= (form.backs > 0 ? borders.back : borders.across);
  }
  const std::int64_t row = 32 * (bytes == 8 ? kMostPerLane<double> : kMostPerLane<float>);
  return inputs > row || neurons * inputs * bytes > chip.processors * borders.held ||
         (replicas * neurons >= chip.processors * borders.neurons && inputs >= borders.inputs);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
