// SPDX-License-Identifier: MIT
/// \file
/// A rule's program on its way through the ticks of one stream, for neighbouring neurons.
#pragma once

#include <cstdint>
#include <vector>

#include "../src/array/backend.h"
#include "../src/formulas/equations/numbering.h"
#include "vector/equations.h"

namespace gaia::cpu {

/// `count` rounded up to what rows of numbers are a multiple of.
template <class T>
std::int64_t equation_row(std::int64_t count) {
  return (count + kEquationUnit<T> - 1) / kEquationUnit<T> * kEquationUnit<T>;
}

/// Numbers on a vector's border.
template <class T>
class AlignedRows {
 public:
  AlignedRows() = default;
  AlignedRows(std::int64_t rows, std::int64_t row) : row_(row) {
    blocks_.resize(
        static_cast<std::size_t>((rows * row + kEquationUnit<T> - 1) / kEquationUnit<T>));
  }
  T* row(std::int64_t index) { return reinterpret_cast<T*>(blocks_.data()) + index * row_; }

 private:
  struct alignas(64) Block {
    T numbers[static_cast<std::size_t>(kEquationUnit<T>)] = {};
  };
  std::vector<Block> blocks_;
  std::int64_t row_ = 0;
};

template <class T>
class EquationMachine {
 public:
  /// For the neurons [first, first + count) of a stream; where the program crosses the layer they
  /// are all there are.  Rows have room for `least_row` numbers at least.
  EquationMachine(const EquationRun& run, std::int64_t stream, std::int64_t first,
                  std::int64_t count, std::int64_t least_row = 0);
  EquationMachine(const EquationMachine&) = delete;
  EquationMachine& operator=(const EquationMachine&) = delete;
  EquationMachine(EquationMachine&&) = default;

  /// Goes on with another stream of the same neurons; the memories of this one are written back.
  void turn_to(std::int64_t stream);

  /// The place for z before a tick: `row()` numbers.
  T* drives() const { return cells_[numbering_.neuron() + EquationProgram::kDrive].numbers; }
  /// The place for ww, if the program reads it: ww stays until it is written again.
  T* weight_squares() const {
    return cells_[numbering_.neuron() + EquationProgram::kWeightSquare].numbers;
  }
  std::int64_t row() const { return row_; }

  /// Computes tick `tick` of the block; `square` is |x|^2, where the program reads it.
  void step(std::int64_t tick, T square);
  /// y.
  EquationCell<T> output() const { return cell(tick_->output); }
  EquationCell<T> cell(const EquationPlace& place) const { return cells_[numbering_(place)]; }
  /// The memories take their new values: after this, those of before are gone.
  void settle();
  /// Writes y to [count] numbers.
  void write_output(T* to) const;
  /// Writes the memories back to the run's.
  void write_back();

  /// Constants and places of the layer, for steps on vectors.
  const std::vector<EquationCell<T>>& cells() const { return cells_; }

 private:
  T* place_of_memory(std::int64_t memory) const {
    return run_->memory.as<T>() +
           (stream_ * static_cast<std::int64_t>(run_->program->memories.size()) + memory) *
               run_->weights.shape[0] +
           first_;
  }
  /// Reads what belongs to the stream: its memories, and the words of its draws.
  void read_stream();
  void read_signals(std::int64_t tick);
  /// Random numbers of the neurons, where the tick reads them.
  void draw(std::int64_t tick);
  /// What is read of the places after the steps of a tick.
  std::vector<std::uint16_t> places_read_later() const;

  const EquationRun* run_;
  const EquationTick* tick_;
  EquationNumbering numbering_;
  std::int64_t stream_, first_, count_, row_;
  AlignedRows<T> singles_, rows_;
  AlignedRows<T> shown_;  // y, for lateral connections
  std::vector<EquationCell<T>> cells_;
  std::vector<EquationCode> codes_;
  std::vector<int> changing_;  // memories that get a new value at a tick
  struct Draw {
    std::int64_t call;
    std::uint32_t words[4];
  };
  std::vector<Draw> draws_;  // draws that the tick reads
  std::vector<double> drawn_;
  void (*run_steps_)(const EquationSteps<T>&);
};

}  // namespace gaia::cpu
