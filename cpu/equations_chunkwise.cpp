// SPDX-License-Identifier: MIT
/// \file
/// Rules that are text and of class matrix, exact sample by sample, through matrix products.
///
/// As under built-in rules (plastic_chunkwise.cpp) the weights of a neuron stay, within a chunk, in
/// the span of what they were and of vectors that are known: the samples, their traces, ones.  So
/// z follows from the products of weights and samples at the chunk's start by a recurrence of
/// numbers, and a rule's program sees numbers alone (vector/equation_panel.cpp).
///
/// A trace before sample t is keep^t times the trace before the chunk plus a sum of the chunk's
/// samples.  Its products with samples are a running sum along the rows of their Gram matrix, and
/// at the end its coefficients go to those samples: traces cost no product of their own.
///
/// Samples that are mostly zeros, as spikes are, are read as lists of what they hold, chunk by
/// chunk (sample_events.h), and samples for which no neuron of a panel asks for anything are passed
/// over.
///
/// Where neurons do not see each other a panel of them goes through all chunks as a task; else
/// panels share the products of a chunk, and its ticks are taken one after another.
#include <algorithm>
#include <vector>

#include "chunked_samples.h"
#include "denormals.h"
#include "equation_chunk_inputs.h"
#include "equation_machine.h"
#include "equations.h"
#include "plastic.h"
#include "rows.h"
#include "sample_events.h"
#include "vector/equation_panel.h"
#include "vector/gemm.h"

namespace gaia::cpu {
namespace {

constexpr std::int64_t kTicksAhead = 4;

/// Neighbouring panels that take their ticks together.
template <class T>
class PanelGroup {
 public:
  PanelGroup(const EquationRun& run, const EquationChunks<T>& chunks, std::int64_t first,
             std::int64_t count, Backend& backend)
      : chunks_(chunks),
        answers_(run.outputs),
        first_(first),
        count_(count),
        width_(GAIA_VECTOR_KERNEL(equation_panel_width<T>)(chunks.block.outputs)),
        panels_((count + width_ - 1) / width_),
        numbers_(equation_row<T>(GAIA_VECTOR_KERNEL(equation_panel_numbers<T>)(chunks))),
        room_(backend, panels_ * numbers_),
        start_(GAIA_VECTOR_KERNEL(start_equation_panel<T>)),
        drive_(GAIA_VECTOR_KERNEL(drive_equation_panel<T>)),
        take_(GAIA_VECTOR_KERNEL(take_equation_shares<T>)),
        settle_(GAIA_VECTOR_KERNEL(settle_equation_panel<T>)),
        finish_(GAIA_VECTOR_KERNEL(finish_equation_panel<T>)) {
    for (std::int64_t b = 0; b < chunks.block.streams; ++b) {
      streams_.emplace_back(run, b, first, count, panels_ * width_);
    }
    const auto enter = GAIA_VECTOR_KERNEL(enter_equation_panel<T>);
    each_panel([&](std::int64_t p) {
      enter(chunks_, first_ + p * width_, std::min(width_, count - p * width_), room(p));
    });
  }

  void run() {
    const std::int64_t chunk = chunks_.block.chunk;
    std::int64_t span = chunk;
    for (std::int64_t first = 0, c = 0; first < chunks_.block.ticks; first += chunk, ++c) {
      const std::int64_t ticks = std::min(chunk, chunks_.block.ticks - first);
      for (std::int64_t begin = 0; begin < ticks;) {
        const std::int64_t end = stretch(c, begin, std::min(ticks, begin + span));
        // Drives past a cut were in vain: the next stretch does not reach much further.
        span = std::min(chunk, 2 * (end - begin));
        begin = end;
      }
    }
    const auto leave = GAIA_VECTOR_KERNEL(leave_equation_panel<T>);
    each_panel([&](std::int64_t p) { leave(room(p)); });
    for (Stream& stream : streams_) stream.machine.write_back();
  }

 private:
  /// The program of one stream, and what of its numbers the update is made of.
  struct Stream {
    Stream(const EquationRun& run, std::int64_t number, std::int64_t first, std::int64_t count,
           std::int64_t row)
        : machine(run, number, first, count, row),
          dw_traces(run.program->traces.size(), EquationCell<T>{nullptr, 0}),
          de_traces(dw_traces),
          dw(shares(run.program->dw_terms, dw_traces)),
          de(shares(run.program->de_terms, de_traces)) {}
    Stream(Stream&&) = default;

    EquationShares<T> shares(const std::vector<EquationTerm>& terms,
                             std::vector<EquationCell<T>>& traces) const {
      EquationShares<T> found{{nullptr, 0}, {nullptr, 0}, {nullptr, 0}, {nullptr, 0}, nullptr};
      for (const EquationTerm& term : terms) {
        const EquationCell<T> cell = machine.cell(term.factor);
        switch (term.vector.kind) {
          case EquationVector::Kind::w:
            found.w = cell;
            break;
          case EquationVector::Kind::e:
            found.e = cell;
            break;
          case EquationVector::Kind::x:
            found.x = cell;
            break;
          case EquationVector::Kind::ones:
            found.ones = cell;
            break;
          case EquationVector::Kind::trace:
            traces[term.vector.index] = cell;
            break;
          case EquationVector::Kind::back:
            break;  // why_stepwise
        }
      }
      found.traces = traces.data();
      return found;
    }

    EquationMachine<T> machine;
    std::vector<EquationCell<T>> dw_traces, de_traces;
    EquationShares<T> dw, de;
  };

  T* room(std::int64_t panel) const { return room_.data() + panel * numbers_; }

  template <class F>
  void each_panel(const F& f) const {
    const PlasticChunks<T>& block = chunks_.block;
    const double operations = 2.0 * static_cast<double>(panels_ * width_ * block.inputs) *
                              static_cast<double>(block.chunk * block.streams);
    share_where_it_pays(panels_, panels_ > 1 ? operations : 0.0, [&](std::int64_t p) {
      const FlushDenormals flush;
      f(p);
    });
  }

  /// Answers go to memory that no cache holds: that of a later tick comes meanwhile.
  void expect_answer(std::int64_t stream, std::int64_t tick) const {
    if (tick >= chunks_.block.ticks) return;
    constexpr std::int64_t kLine = 64 / static_cast<std::int64_t>(sizeof(T));
    const T* const row = answers_.row(stream, tick) + first_;
    for (std::int64_t i = 0; i < count_; i += kLine) __builtin_prefetch(row + i, 1);
  }

  /// From true weights to true weights; returns the tick after the last.
  std::int64_t stretch(std::int64_t c, std::int64_t begin, std::int64_t end) {
    each_panel([&](std::int64_t p) { start_(room(p), c, begin, end); });
    const PlasticChunks<T>& block = chunks_.block;
    const std::int64_t per_chunk = block.chunk * block.streams;
    const FlushDenormals flush;
    for (std::int64_t tick = begin; tick < end; ++tick) {
      for (std::int64_t b = 0; b < block.streams; ++b) {
        Stream& stream = streams_[static_cast<std::size_t>(b)];
        for (std::int64_t p = 0; p < panels_; ++p) {
          const std::int64_t column = p * width_;
          drive_(room(p), tick, b, stream.machine.drives() + column,
                 stream.machine.weight_squares() + column);
        }
        const std::int64_t sample = tick * block.streams + b;
        stream.machine.step(c * block.chunk + tick,
                            block.gram[(c * per_chunk + sample) * per_chunk + sample]);
        stream.machine.write_output(answers_.row(b, c * block.chunk + tick) + first_);
        expect_answer(b, c * block.chunk + tick + kTicksAhead);
        const EquationCell<T> answer = stream.machine.output();
        for (std::int64_t p = 0; p < panels_; ++p) {
          take_(room(p), tick, b, stream.dw, stream.de, answer, p * width_);
        }
      }
      bool cut = false;
      for (std::int64_t p = 0; p < panels_; ++p) {
        cut = settle_(room(p), tick) || cut;
      }
      for (Stream& stream : streams_) stream.machine.settle();
      if (cut) end = tick + 1;
    }
    each_panel([&](std::int64_t p) { finish_(room(p), c, end); });
    return end;
  }

  const EquationChunks<T>& chunks_;
  Answers<T> answers_;
  std::int64_t first_;
  std::int64_t count_;
  std::int64_t width_;
  std::int64_t panels_;
  std::int64_t numbers_;  // numbers of a panel
  Workspace<T> room_;
  std::vector<Stream> streams_;
  decltype(GAIA_VECTOR_KERNEL(start_equation_panel<T>)) start_;
  decltype(GAIA_VECTOR_KERNEL(drive_equation_panel<T>)) drive_;
  decltype(GAIA_VECTOR_KERNEL(take_equation_shares<T>)) take_;
  decltype(GAIA_VECTOR_KERNEL(settle_equation_panel<T>)) settle_;
  decltype(GAIA_VECTOR_KERNEL(finish_equation_panel<T>)) finish_;
};

/// A chunk whose samples are the columns of a product is best made of whole panels of it.
template <class T>
std::int64_t whole_panels(std::int64_t ticks) {
  const std::int64_t panel = GAIA_VECTOR_KERNEL(gemm_panel<T>)();
  return ticks < panel / 2 ? ticks : (ticks + panel - 1) / panel * panel;
}

template <class T>
void run_part(const EquationRun& run, std::int64_t chunk, Backend& backend) {
  const EquationProgram& program = *run.program;
  const Samples<T> x(run.samples);
  ChunkedSamples<T> samples(run.samples, chunk, backend);
  samples.make_gram();
  const EquationChunkInputs<T> inputs(run, samples, chunk, backend);
  const EventLists<T> events(samples, x.ticks * x.streams, x.inputs);
  const EquationChunks<T> chunks{
      .block = samples.block_of(run),
      .traces = static_cast<int>(program.traces.size()),
      .trace_keeps = inputs.keeps(),
      .trace_overlaps = inputs.overlaps(),
      .gram_numbers = inputs.gram_numbers(),
      .extra_rows = inputs.extra_rows(),
      .sums = inputs.sums(),
      .has_x = has_term(program, EquationVector::Kind::x),
      .has_ones = has_term(program, EquationVector::Kind::ones),
      .reads_weight_square = program.reads_weight_square,
      .has_eligibility = program.has_eligibility,
      .eligibility = program.has_eligibility ? run.eligibility.as<T>() : nullptr,
      .events = events.view()};
  const std::int64_t neurons = run.weights.shape[0];
  if (crosses_layer(run)) {
    PanelGroup<T>(run, chunks, 0, neurons, backend).run();
    return;
  }
  const std::int64_t width = GAIA_VECTOR_KERNEL(equation_panel_width<T>)(neurons);
  const double operations =
      4.0 * static_cast<double>(neurons * x.inputs) * static_cast<double>(x.ticks * x.streams);
  share_where_it_pays((neurons + width - 1) / width, operations, [&](std::int64_t task) {
    const std::int64_t first = task * width;
    PanelGroup<T>(run, chunks, first, std::min(width, neurons - first), backend).run();
  });
}

}  // namespace

template <class T>
void run_equations_chunkwise(const EquationRun& run, Backend& backend) {
  const Samples<T> x(run.samples);
  std::int64_t asked = run.chunk / x.streams;
  if (!run.program->backs.empty() && goes_by_map(run)) asked = whole_panels<T>(asked);
  const std::int64_t chunk = std::clamp<std::int64_t>(asked, 1, std::max<std::int64_t>(x.ticks, 1));
  const std::int64_t ticks = ticks_of_part(x, chunk);
  for (std::int64_t first = 0; first < x.ticks; first += ticks) {
    const std::int64_t count = std::min(ticks, x.ticks - first);
    EquationRun part = run;
    part.first_tick = run.first_tick + first;
    part.samples = ticks_of<T>(run.samples, first, count);
    part.outputs = ticks_of<T>(run.outputs, first, count);
    if (run.layer_signals.data != nullptr) {
      part.layer_signals = ticks_of<T>(run.layer_signals, first, count);
    }
    if (run.neuron_signals.data != nullptr) {
      part.neuron_signals = ticks_of<T>(run.neuron_signals, first, count);
    }
    equation_sweeps().chunkwise += (count + chunk - 1) / chunk;
    if (goes_by_ticks(part, chunk)) {
      run_equations_batch<T>(part, backend);
    } else if (run.chain) {
      run_equations_chained<T>(part, chunk, backend);
    } else if (run.program->backs.empty()) {
      run_part<T>(part, chunk, backend);
    } else if (goes_by_map(run)) {
      run_equations_map<T>(part, chunk, backend);
    } else {
      run_equations_back<T>(part, chunk, backend);
    }
  }
}

template void run_equations_chunkwise<float>(const EquationRun&, Backend&);
template void run_equations_chunkwise<double>(const EquationRun&, Backend&);

}  // namespace gaia::cpu
