// SPDX-License-Identifier: MIT
/// \file
/// Rules that are text, one sample at a time: the definition of what they mean (docs/rules.md).
///
/// Where neurons do not see each other, some neighbouring ones go through all ticks as a task.
/// Else threads share the neurons of a tick for drives, and its inputs for the update: given the
/// numbers of all neurons, no column of W depends on another.
#include <algorithm>
#include <memory>
#include <vector>

#include "../src/core/parallel.h"
#include "denormals.h"
#include "equation_inputs.h"
#include "equation_machine.h"
#include "equation_update.h"
#include "equations.h"
#include "plastic.h"
#include "rows.h"

namespace gaia::cpu {
namespace {

constexpr std::int64_t kNeuronsPerPart = 32;
/// Bytes of the weights of a part that goes through many ticks, which the first cache holds.
constexpr std::int64_t kBytesPerPart = std::int64_t{24} << 10;
constexpr std::int64_t kInputsPerTask = 64;
constexpr std::int64_t kTicksPerPart = 64;
/// A row of no more inputs is too short a vector.
constexpr std::int64_t kFewInputs = 64;
/// Multiplications a tick must have before waking other threads pays.
constexpr std::int64_t kEnoughToShare = std::int64_t{1} << 18;

/// The neurons [first, first + count) of all streams.
template <class T>
class EquationNeurons {
 public:
  EquationNeurons(const EquationRun& run, EquationInputs<T>& inputs, std::int64_t first,
                  std::int64_t count)
      : run_(run),
        program_(*run.program),
        inputs_(inputs),
        x_(run.samples),
        answers_(run.outputs),
        control_(run.control),
        pulls_(run.chain ? ChainPulls<T>(*run.chain) : ChainPulls<T>()),
        first_(first),
        count_(count),
        sees_layer_(count == run.weights.shape[0] && sees_layer(run)),
        in_parallel_(sees_layer_ && x_.streams * x_.inputs * count >= kEnoughToShare) {
    for (std::int64_t b = 0; b < x_.streams; ++b) machines_.emplace_back(run, b, first, count);
    if (x_.streams == 1 && program_.backs.empty() && x_.inputs <= kFewInputs && !in_parallel_) {
      together_ = std::min(count, EquationUpdate<T>::kPiece / x_.inputs);
      repeated_.resize(
          static_cast<std::size_t>((1 + std::ssize(program_.traces)) * together_ * x_.inputs));
    }
    const std::int64_t width = sees_layer_ ? kInputsPerTask : EquationUpdate<T>::kPiece;
    for (std::int64_t from = 0; from < x_.inputs; from += width) {
      const std::int64_t to = std::min(x_.inputs, from + width);
      const auto inputs_of_piece = static_cast<std::size_t>(to - from);
      pieces_.push_back(
          {from, to, EquationUpdate<T>(run, machines_[0]),
           std::vector<T>(static_cast<std::size_t>(x_.streams) * program_.backs.size() *
                          inputs_of_piece),
           std::vector<const T*>(program_.traces.size()),
           std::vector<const T*>(program_.backs.size()), std::vector<T>(inputs_of_piece),
           std::vector<T*>(run.chain ? static_cast<std::size_t>(pulls_.length - 1) : 0),
           std::vector<T>(run.chain ? EquationUpdate<T>::kPiece : 0)});
    }
    follows_ = x_.streams == 1 && pieces_.size() == 1 && together_ == 1 && !in_parallel_ &&
               (program_.dw || program_.de);
    if (follows_) next_.resize(static_cast<std::size_t>(2 * count_));
  }

  void go(std::int64_t tick) {
    answer(tick);
    if (program_.dw || program_.de) {
      share(std::ssize(pieces_), 1, [&](std::int64_t piece, std::int64_t) {
        Piece& own = pieces_[static_cast<std::size_t>(piece)];
        together_ > 1 ? learn_together(tick, own) : learn(tick, own);
      });
    }
    if (!follows_) control_all();
    for (EquationMachine<T>& machine : machines_) machine.settle();
  }

  void write_back() {
    for (EquationMachine<T>& machine : machines_) machine.write_back();
  }

 private:
  template <class F>
  void share(std::int64_t n, std::int64_t part, const F& f) const {
    const auto task = [&](std::int64_t i) { f(i * part, std::min(n, (i + 1) * part)); };
    const std::int64_t tasks = (n + part - 1) / part;
    if (in_parallel_) return parallel_for(tasks, task);
    for (std::int64_t i = 0; i < tasks; ++i) task(i);
  }
  T* weights_of(std::int64_t neuron) const {
    return run_.weights.as<T>() + (first_ + neuron) * x_.inputs;
  }

  void answer(std::int64_t tick) {
    share(count_, kNeuronsPerPart, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t b = 0; b < x_.streams; ++b) {
        T* const z = machines_[static_cast<std::size_t>(b)].drives();
        if (known_tick_ == tick) {
          std::copy(next_.begin() + from, next_.begin() + to, z + from);
          continue;
        }
        for (std::int64_t i = from; i < to; ++i) {
          z[i] = dot(weights_of(i), x_.row(b, tick), x_.inputs);
        }
      }
      if (program_.reads_weight_square) measure(tick, from, to);
    });
    for (std::int64_t b = 0; b < x_.streams; ++b) {
      EquationMachine<T>& machine = machines_[static_cast<std::size_t>(b)];
      machine.step(tick, inputs_.square(b, tick));
      machine.write_output(answers_.row(b, tick) + first_);
    }
  }

  /// ww of the neurons [from, to).
  void measure(std::int64_t tick, std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) {
      const T square = known_tick_ == tick ? next_[static_cast<std::size_t>(count_ + i)]
                                           : dot(weights_of(i), weights_of(i), x_.inputs);
      for (EquationMachine<T>& machine : machines_) machine.weight_squares()[i] = square;
    }
  }

  /// Some inputs of all weights, and room for what is computed from them.
  struct Piece {
    std::int64_t from, to;
    EquationUpdate<T> update;
    std::vector<T> back_rows;  // [streams, backs, inputs of the piece]
    std::vector<const T*> traces;
    std::vector<const T*> backs;
    std::vector<T> sum;
    std::vector<T*> chained;  // u_2, u_3, ...; empty without a chain
    std::vector<T> pull;      // pull of the chain on its weights
  };

  T* back_row(Piece& piece, std::int64_t stream, std::size_t back) const {
    const auto place = static_cast<std::size_t>(stream) * program_.backs.size() + back;
    return piece.back_rows.data() + place * piece.sum.size();
  }

  /// Adds a_i w_i to what goes back to the inputs.
  void add_back(Piece& piece, std::int64_t neuron, bool upto) const {
    for (std::size_t k = 0; k < program_.backs.size(); ++k) {
      if (program_.backs[k].upto != upto) continue;
      for (std::int64_t b = 0; b < x_.streams; ++b) {
        const EquationCell<T> factors =
            machines_[static_cast<std::size_t>(b)].cell(program_.backs[k].factors);
        add_scaled(back_row(piece, b, k), factors.numbers[neuron * factors.stride],
                   weights_of(neuron) + piece.from, piece.to - piece.from);
      }
    }
  }

  /// The chains behind n weights move; what these change by is the piece's pull.
  void move_chain(Piece& piece, const T* weights, std::int64_t n) const {
    T* const chained = run_.chained.as<T>() + (weights - run_.weights.as<T>());
    for (std::size_t k = 0; k < piece.chained.size(); ++k) {
      piece.chained[k] = chained + static_cast<std::int64_t>(k) * run_.weights.count();
    }
    move_chains_(weights, piece.chained.data(), pulls_, piece.pull.data(), n);
  }

  void learn(std::int64_t tick, Piece& piece) {
    const std::int64_t n = piece.to - piece.from;
    const T share_of_stream = T(1) / static_cast<T>(x_.streams);
    std::fill(piece.back_rows.begin(), piece.back_rows.end(), T(0));
    for (std::int64_t i = 0; i < count_ && !piece.back_rows.empty(); ++i) {
      add_back(piece, i, false);
    }
    // What no control changes any more meets the next sample while it is in registers.
    const bool meets = follows_ && tick + 1 < x_.ticks;
    const T* const along = meets && !has_control() && !run_.chain ? x_.row(0, tick + 1) : nullptr;
    for (std::int64_t i = 0; i < count_; ++i) {
      add_back(piece, i, true);
      // The only stream's change can go to the weights at once; of several the mean is due first.
      T* const weights = weights_of(i) + piece.from;
      T* const change = x_.streams == 1 ? weights : piece.sum.data();
      if (run_.chain) move_chain(piece, weights, n);
      if (change != weights) std::fill_n(change, n, T(0));
      for (std::int64_t b = 0; b < x_.streams; ++b) {
        for (std::size_t k = 0; k < piece.traces.size(); ++k) {
          piece.traces[k] = inputs_.trace(b, tick, static_cast<std::int64_t>(k)) + piece.from;
        }
        for (std::size_t k = 0; k < piece.backs.size(); ++k) piece.backs[k] = back_row(piece, b, k);
        const std::int64_t place =
            (b * run_.weights.shape[0] + first_ + i) * x_.inputs + piece.from;
        piece.update.take_neuron(machines_[static_cast<std::size_t>(b)], i);
        const T next = piece.update.add_to(
            change, share_of_stream,
            {weights, x_.row(b, tick) + piece.from,
             program_.has_eligibility ? run_.eligibility.as<T>() + place : nullptr,
             piece.traces.data(), piece.backs.data()},
            n, along);
        if (along != nullptr) next_[static_cast<std::size_t>(i)] = next;
      }
      if (change != weights) add_scaled(weights, T(1), change, n);
      if (run_.chain) add_scaled(weights, T(1), piece.pull.data(), n);
      if (follows_) follow(tick, i, along == nullptr);
    }
    if (follows_) known_tick_ = tick + 1;
  }

  /// The rest of a tick of one neuron and the drive of the next one, while its row is in the cache.
  void follow(std::int64_t tick, std::int64_t neuron, bool drives) {
    if (has_control()) control(neuron);
    if (tick + 1 == x_.ticks) return;
    const T* const row = weights_of(neuron);
    const auto place = static_cast<std::size_t>(neuron);
    if (drives) next_[place] = dot(row, x_.row(0, tick + 1), x_.inputs);
    if (program_.reads_weight_square) {
      next_[place + static_cast<std::size_t>(count_)] = dot(row, row, x_.inputs);
    }
  }

  /// `row`, once for each of the neurons that learn together.
  const T* repeat(const T* row, std::int64_t place) {
    T* const to = repeated_.data() + place * together_ * x_.inputs;
    for (std::int64_t i = 0; i < together_; ++i) std::copy_n(row, x_.inputs, to + i * x_.inputs);
    return to;
  }

  /// The rows of neurons that have few inputs, as one vector.
  void learn_together(std::int64_t tick, Piece& piece) {
    const T* const sample = repeat(x_.row(0, tick), 0);
    for (std::size_t k = 0; k < piece.traces.size(); ++k) {
      const auto trace = static_cast<std::int64_t>(k);
      piece.traces[k] = repeat(inputs_.trace(0, tick, trace), 1 + trace);
    }
    for (std::int64_t i = 0; i < count_; i += together_) {
      const std::int64_t neurons = std::min(together_, count_ - i);
      T* const eligibility =
          program_.has_eligibility ? run_.eligibility.as<T>() + (first_ + i) * x_.inputs : nullptr;
      if (run_.chain) move_chain(piece, weights_of(i), neurons * x_.inputs);
      piece.update.take_neurons(machines_[0], i, neurons, x_.inputs);
      piece.update.add_to(weights_of(i), T(1),
                          {weights_of(i), sample, eligibility, piece.traces.data(), nullptr},
                          neurons * x_.inputs);
      if (run_.chain) add_scaled(weights_of(i), T(1), piece.pull.data(), neurons * x_.inputs);
    }
  }

  bool has_control() const {
    return control_.homeostatic || control_.normalizes() || run_.bounds.has_value();
  }

  /// Homeostasis, normalisation, bounds.
  void control_all() const {
    if (!has_control()) return;
    share(count_, kNeuronsPerPart, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i) control(i);
    });
  }

  void control(std::int64_t neuron) const {
    T mean = 0;
    for (const EquationMachine<T>& machine : machines_) {
      const EquationCell<T> y = machine.output();
      mean += y.numbers[neuron * y.stride];
    }
    mean /= static_cast<T>(x_.streams);
    T* const w = weights_of(neuron);
    control_weights(control_, mean, w, x_.inputs);
    if (run_.bounds) {
      bound_row_(w, static_cast<T>(run_.bounds->low), static_cast<T>(run_.bounds->high), x_.inputs);
    }
  }

  const EquationRun& run_;
  const EquationProgram& program_;
  EquationInputs<T>& inputs_;
  Samples<T> x_;
  Answers<T> answers_;
  ControlFactors<T> control_;
  ChainPulls<T> pulls_;
  std::int64_t first_;
  std::int64_t count_;
  bool sees_layer_;
  bool in_parallel_;
  void (*bound_row_)(T*, T, T, std::int64_t) = GAIA_VECTOR_KERNEL(bound_row<T>);
  decltype(GAIA_VECTOR_KERNEL(move_chains<T>)) move_chains_ = GAIA_VECTOR_KERNEL(move_chains<T>);
  std::vector<EquationMachine<T>> machines_;
  std::vector<Piece> pieces_;
  std::int64_t together_ = 1;  // neurons that learn as one vector
  std::vector<T> repeated_;    // [1 + traces, neurons, inputs]: the sample and its traces
  bool follows_ = false;       // whether a neuron's row goes through a tick and on in one
  std::int64_t known_tick_ = -1;
  std::vector<T> next_;  // [2, neurons]: z and ww of that tick
};

}  // namespace

template <class T>
void run_equations_stepwise(const EquationRun& run) {
  const std::int64_t neurons = run.weights.shape[0];
  const std::int64_t ticks = run.samples.shape[1];
  const bool whole = sees_layer(run);
  const std::int64_t row_bytes = run.weights.shape[1] * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t held = kBytesPerPart / std::max<std::int64_t>(1, row_bytes);
  const std::int64_t per_part =
      whole ? neurons : std::clamp<std::int64_t>(held, 8, kNeuronsPerPart);
  EquationInputs<T> inputs(run, std::min(ticks, kTicksPerPart));
  std::vector<std::unique_ptr<EquationNeurons<T>>> parts;
  for (std::int64_t first = 0; first < neurons; first += per_part) {
    parts.push_back(std::make_unique<EquationNeurons<T>>(run, inputs, first,
                                                         std::min(per_part, neurons - first)));
  }
  for (std::int64_t first = 0; first < ticks; first += kTicksPerPart) {
    const std::int64_t count = std::min(kTicksPerPart, ticks - first);
    inputs.read(first, count);
    const auto go = [&](std::int64_t part) {
      const FlushDenormals flush;
      for (std::int64_t t = first; t < first + count; ++t) {
        parts[static_cast<std::size_t>(part)]->go(t);
      }
    };
    if (parts.size() == 1) {
      go(0);
    } else {
      parallel_for(std::ssize(parts), go);
    }
  }
  for (const auto& part : parts) part->write_back();
}

template void run_equations_stepwise<float>(const EquationRun&);
template void run_equations_stepwise<double>(const EquationRun&);

}  // namespace gaia::cpu
