// SPDX-License-Identifier: MIT
#include "equation_machine.h"

#include <algorithm>

#include "../src/formulas/equations/draws.h"
#include "equation_orders.h"
#include "rows.h"
#include "vector/random.h"

namespace gaia::cpu {
namespace {

using NormalDraw = random_formulas::NormalDraw<double>;
using UniformDraw = random_formulas::UniformDraw<double>;

}  // namespace

template <class T>
EquationMachine<T>::EquationMachine(const EquationRun& run, std::int64_t stream, std::int64_t first,
                                    std::int64_t count, std::int64_t least_row)
    : run_(&run),
      tick_(run.learns ? &run.program->learning : &run.program->still),
      numbering_(*run.program),
      stream_(stream),
      first_(first),
      count_(count),
      row_(equation_row<T>(std::max(count, least_row))),
      singles_(static_cast<std::int64_t>(numbering_.neuron()), kEquationUnit<T>),
      rows_(run.program->neuron_places, row_),
      shown_(run.lateral == nullptr ? 0 : 1, row_),
      cells_(numbering_.count()),
      run_steps_(GAIA_VECTOR_KERNEL(run_equation_steps<T>)) {
  const EquationProgram& program = *run.program;
  const std::vector<double> constants = program.bound_constants(
      run.parameters, run.weights.shape[1], run.weights.shape[0], run.learns);
  for (std::size_t i = 0; i < numbering_.neuron(); ++i) {
    cells_[i] = {singles_.row(static_cast<std::int64_t>(i)), 0};
    if (i < constants.size()) {
      std::fill_n(cells_[i].numbers, kEquationUnit<T>, static_cast<T>(constants[i]));
    }
  }
  for (std::int64_t i = 0; i < program.neuron_places; ++i) {
    cells_[numbering_.neuron() + static_cast<std::size_t>(i)] = {rows_.row(i), 1};
  }
  codes_ = numbered_steps(tick_->steps, numbering_);
  select_by_rank(codes_, places_read_later(), numbering_.neuron());
  for (std::int64_t m = 0; m < std::ssize(program.memories); ++m) {
    const EquationPlace stays{EquationPlace::Of::neuron,
                              static_cast<std::uint16_t>(EquationProgram::kFirstMemory + m)};
    if (!(tick_->memory[static_cast<std::size_t>(m)] == stays)) {
      changing_.push_back(static_cast<int>(m));
    }
  }
  const std::vector<bool> is_read = program.draws_read(run.learns);
  for (std::size_t k = 0; k < is_read.size(); ++k) {
    if (is_read[k]) draws_.push_back({static_cast<std::int64_t>(k), {}});
  }
  if (!draws_.empty()) drawn_.resize(static_cast<std::size_t>(count + 2));
  read_stream();
}

template <class T>
void EquationMachine<T>::read_stream() {
  for (std::int64_t m = 0; m < std::ssize(run_->program->memories); ++m) {
    std::copy_n(place_of_memory(m), count_, rows_.row(EquationProgram::kFirstMemory + m));
  }
  for (Draw& one : draws_) {
    const auto words = run_->random.block(
        draw_block(static_cast<std::size_t>(one.call), static_cast<std::uint64_t>(stream_)));
    std::copy_n(words.begin(), 4, one.words);
  }
}

template <class T>
void EquationMachine<T>::turn_to(std::int64_t stream) {
  if (stream == stream_) return;
  write_back();
  stream_ = stream;
  read_stream();
}

template <class T>
std::vector<std::uint16_t> EquationMachine<T>::places_read_later() const {
  const EquationProgram& program = *run_->program;
  std::vector<std::uint16_t> places = {numbering_(tick_->output)};
  const auto add = [&](const EquationPlace& place) { places.push_back(numbering_(place)); };
  for (const EquationPlace& place : tick_->memory) add(place);
  if (!run_->learns) return places;
  for (const EquationBack& back : program.backs) add(back.factors);
  for (const EquationTerm& term : program.dw_terms) add(term.factor);
  for (const EquationTerm& term : program.de_terms) add(term.factor);
  for (const EquationStep& step : program.vector_steps) {
    for (const EquationPlace& place : {step.a, step.b, step.c}) add(place);
  }
  if (program.dw) add(*program.dw);
  if (program.de) add(*program.de);
  return places;
}

template <class T>
void EquationMachine<T>::read_signals(std::int64_t tick) {
  const auto row = [&](const View& signals) {
    return signals.as<T>() + stream_ * signals.strides[0] + tick * signals.strides[1];
  };
  const EquationProgram& program = *run_->program;
  std::int64_t of_layer = 0;
  std::int64_t of_neurons = 0;
  for (const EquationSignal& signal : program.signals) {
    if (signal.of_neurons) {
      std::copy_n(row(run_->neuron_signals) + of_neurons * run_->weights.shape[0] + first_, count_,
                  rows_.row(program.first_neuron_signal() + of_neurons));
      ++of_neurons;
    } else {
      std::fill_n(cells_[numbering_.layer() + EquationProgram::kFirstLayerSignal +
                         static_cast<std::size_t>(of_layer)]
                      .numbers,
                  kEquationUnit<T>, row(run_->layer_signals)[of_layer]);
      ++of_layer;
    }
  }
}

template <class T>
void EquationMachine<T>::draw(std::int64_t tick) {
  const EquationProgram& program = *run_->program;
  // A block gives the numbers of two neighbours.
  const std::int64_t first_block = first_ / 2;
  const std::int64_t blocks = (first_ + count_ + 1) / 2 - first_block;
  const double* const drawn = drawn_.data() + first_ % 2;
  for (const Draw& one : draws_) {
    const RandomStream stream =
        draw_stream(one.words, run_->ticks_before + run_->first_tick + tick);
    const auto fill = [&](const auto& draw) {
      using Kind = std::decay_t<decltype(draw)>;
      GAIA_VECTOR_KERNEL(draw_blocks<Kind>)
      (stream, draw, static_cast<std::uint64_t>(first_block), blocks, drawn_.data());
    };
    T* const to = rows_.row(program.first_draw() + one.call);
    if (program.draws[static_cast<std::size_t>(one.call)] == EquationDraw::normal) {
      fill(NormalDraw{.shift = 0.0, .scale = 1.0});
      for (std::int64_t i = 0; i < count_; ++i) to[i] = static_cast<T>(drawn[i]);
    } else {
      fill(UniformDraw{.shift = 0.0, .scale = 1.0, .last = 1.0 - 0x1p-53});
      for (std::int64_t i = 0; i < count_; ++i) to[i] = uniform_as<T>(drawn[i]);
    }
  }
}

template <class T>
void EquationMachine<T>::step(std::int64_t tick, T square) {
  const EquationProgram& program = *run_->program;
  std::fill_n(cells_[numbering_.layer() + EquationProgram::kTick].numbers, kEquationUnit<T>,
              static_cast<T>(run_->first_tick + tick));
  if (program.reads_square) {
    std::fill_n(cells_[numbering_.layer() + EquationProgram::kSquare].numbers, kEquationUnit<T>,
                square);
  }
  if (!program.signals.empty()) read_signals(tick);
  if (!draws_.empty()) draw(tick);
  if (run_->lateral != nullptr) {
    run_->lateral->answer(drives(), rows_.row(EquationProgram::kActivated));
  } else if (program.reads_activation) {
    T* const activated = rows_.row(EquationProgram::kActivated);
    std::copy_n(drives(), row_, activated);
    activate_row(run_->activation, activated, count_);
  }
  run_steps_({.codes = codes_.data(),
              .count = std::ssize(codes_),
              .cells = cells_.data(),
              .numbers = row_,
              .neurons = count_,
              .across = &order_neurons<T>});
}

template <class T>
void EquationMachine<T>::settle() {
  if (run_->lateral != nullptr && run_->learns) {
    write_output(shown_.row(0));
    run_->lateral->take(stream_, shown_.row(0));
  }
  for (const int m : changing_) {
    const EquationCell<T> from = cell(tick_->memory[static_cast<std::size_t>(m)]);
    T* const to = rows_.row(EquationProgram::kFirstMemory + m);
    if (from.stride == 0) {
      std::fill_n(to, count_, from.numbers[0]);
    } else {
      std::copy_n(from.numbers, count_, to);
    }
  }
}

template <class T>
void EquationMachine<T>::write_output(T* to) const {
  const EquationCell<T> y = output();
  if (y.stride == 0) {
    std::fill_n(to, count_, y.numbers[0]);
  } else {
    std::copy_n(y.numbers, count_, to);
  }
}

template <class T>
void EquationMachine<T>::write_back() {
  for (std::int64_t m = 0; m < std::ssize(run_->program->memories); ++m) {
    std::copy_n(rows_.row(EquationProgram::kFirstMemory + m), count_, place_of_memory(m));
  }
}

template class EquationMachine<float>;
template class EquationMachine<double>;

}  // namespace gaia::cpu
