// SPDX-License-Identifier: MIT
/// \file
/// The update of a rule weight by weight: steps on vectors, for pieces of the inputs, or for the
/// whole rows of some neurons that have few inputs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "equation_machine.h"
#include "equation_products.h"
#include "rows.h"
#include "vector/vector_products.h"

namespace gaia::cpu {

/// The vectors of a neuron and stream that the steps read: pieces of the same inputs, or the rows
/// of some neurons one after another.
template <class T>
struct EquationVectors {
  const T* weights;
  const T* sample;
  T* eligibility;          ///< Null without a de.  It is changed.
  const T* const* traces;  ///< Traces in the program's order.
  const T* const* backs;
};

template <class T>
class EquationUpdate {
 public:
  /// Inputs of a piece, at most: what some steps need of them stays in the first cache.
  static constexpr std::int64_t kPiece = 4096 / static_cast<std::int64_t>(sizeof(T));

  EquationUpdate(const EquationRun& run, const EquationMachine<T>& machine)
      : run_(run),
        numbering_(*run.program),
        codes_(numbered_steps(run.program->vector_steps, numbering_)),
        cells_(machine.cells()),
        rows_(run.program->vector_places, kPiece),
        run_steps_(GAIA_VECTOR_KERNEL(run_equation_steps<T>)),
        add_products_(GAIA_VECTOR_KERNEL(add_products<T>)),
        add_vector_products_(GAIA_VECTOR_KERNEL(add_vector_products<T>)) {
    for (std::int64_t i = 0; i < run.program->vector_places; ++i) {
      cells_[numbering_.vector() + static_cast<std::size_t>(i)] = {rows_.row(i), 1};
    }
    find_numbers();
    numbers_of_neurons_ = AlignedRows<T>(std::ssize(numbers_), kPiece);
    split_off_product();
    // Sums of known vectors keep the steps of their text, which all executors are compared with.
    if (run.program->rule_class == EquationProgram::Class::weights) {
      sum_ = products_of_update(*run.program);
      products_.resize(sum_.size());
    }
  }

  /// The numbers of neuron `index` of the machine, whose stream the next pieces are of.
  void take_neuron(const EquationMachine<T>& machine, std::int64_t index) {
    by_products_ = !sum_.empty();
    if (by_products_) return take_products(machine, index);
    std::copy_n(machine.cells().begin(), numbering_.neuron(), cells_.begin());
    for (std::size_t k = 0; k < numbers_.size(); ++k) {
      T* const number = numbers_of_neurons_.row(static_cast<std::int64_t>(k));
      std::fill_n(number, kEquationUnit<T>, machine.cell(numbers_[k]).numbers[index]);
      cells_[numbering_(numbers_[k])] = {number, 0};
    }
  }

  /// The numbers of `count` neurons from `first` on, each as often as it has inputs; all of them
  /// are kPiece at most.
  void take_neurons(const EquationMachine<T>& machine, std::int64_t first, std::int64_t count,
                    std::int64_t inputs) {
    by_products_ = false;
    std::copy_n(machine.cells().begin(), numbering_.neuron(), cells_.begin());
    for (std::size_t k = 0; k < numbers_.size(); ++k) {
      T* const numbers = numbers_of_neurons_.row(static_cast<std::int64_t>(k));
      const T* const own = machine.cell(numbers_[k]).numbers + first;
      for (std::int64_t i = 0; i < count; ++i) std::fill_n(numbers + i * inputs, inputs, own[i]);
      cells_[numbering_(numbers_[k])] = {numbers, 1};
    }
  }

  /// sum += share dw, for `count` weights.
  void add_to(T* sum, T share, const EquationVectors<T>& vectors, std::int64_t count) {
    const EquationProgram& program = *run_.program;
    if (by_products_) return add_sum(sum, share, vectors, count);
    bind(EquationProgram::kWeights, vectors.weights, count);
    bind(EquationProgram::kSample, vectors.sample, count);
    if (vectors.eligibility) bind(EquationProgram::kEligibility, vectors.eligibility, count);
    const std::int64_t traces = std::ssize(program.traces);
    for (std::int64_t k = 0; k < traces; ++k) {
      bind(EquationProgram::kFirstTrace + k, vectors.traces[k], count);
    }
    for (std::int64_t k = 0; k < std::ssize(program.backs); ++k) {
      bind(EquationProgram::kFirstTrace + traces + k, vectors.backs[k], count);
    }
    const std::int64_t padded = equation_row<T>(count);
    run_steps_({.codes = codes_.data(),
                .count = std::ssize(codes_),
                .cells = cells_.data(),
                .numbers = padded,
                .neurons = padded,
                .across = nullptr});
    if (last_product_) {
      add_products_(sum, share, cells_[last_product_->a], cells_[last_product_->b], count);
    } else if (program.dw) {
      add(sum, share, cells_[numbering_(*program.dw)], count);
    }
    if (program.de) add(vectors.eligibility, T(1), cells_[numbering_(*program.de)], count);
  }

 private:
  /// Which numbers of neurons the steps read.
  void find_numbers() {
    const auto use = [&](const EquationPlace& place) {
      if (place.of != EquationPlace::Of::neuron) return;
      if (std::find(numbers_.begin(), numbers_.end(), place) == numbers_.end()) {
        numbers_.push_back(place);
      }
    };
    for (const EquationStep& step : run_.program->vector_steps) {
      for (const EquationPlace& place : {step.a, step.b, step.c}) use(place);
    }
    if (run_.program->dw) use(*run_.program->dw);
    if (run_.program->de) use(*run_.program->de);
  }

  /// The numbers in the products, of one neuron.
  void take_products(const EquationMachine<T>& machine, std::int64_t index) {
    const auto number = [&](const EquationPlace& place) {
      const EquationCell<T> cell = machine.cell(place);
      return cell.numbers[index * cell.stride];
    };
    for (std::size_t k = 0; k < sum_.size(); ++k) {
      const EquationProduct& from = sum_[k];
      VectorProduct<T>& to = products_[k];
      to.share = from.is_negative ? T(-1) : T(1);
      for (const EquationPlace& place : from.numbers) to.share *= number(place);
      for (const EquationPlace& place : from.divisors) to.share /= number(place);
      to.has_left = false;
      to.has_mirror = false;
      for (const EquationProduct::Left& left : from.lefts) {
        const bool is_row = is_weights(left.vector) && !to.has_left;
        (is_row ? to.has_left : to.has_mirror) = true;
        (is_row ? to.centre_of_row : to.centre) = number(left.centre);
      }
    }
  }

  static bool is_weights(const EquationPlace& vector) {
    return vector.index == EquationProgram::kWeights;
  }

  /// sum += share times the products.
  void add_sum(T* sum, T share, const EquationVectors<T>& vectors, std::int64_t count) {
    const auto at = [&](const EquationPlace& place) {
      const std::size_t traces = run_.program->traces.size();
      if (is_weights(place)) return vectors.weights;
      if (place.index == EquationProgram::kSample) return vectors.sample;
      const std::size_t other = place.index - EquationProgram::kFirstTrace;
      return other < traces ? vectors.traces[other] : vectors.backs[other - traces];
    };
    for (std::size_t k = 0; k < sum_.size(); ++k) {
      VectorProduct<T>& to = products_[k];
      to.share *= share;
      to.has_row = false;
      to.vectors = 0;
      for (const EquationPlace& place : sum_[k].vectors) {
        const bool is_row = is_weights(place) && !to.has_row;
        if (is_row) to.has_row = true;
        if (!is_row) to.vector[to.vectors++] = at(place);
      }
      bool has_left = false;
      for (const EquationProduct::Left& left : sum_[k].lefts) {
        const bool is_row = is_weights(left.vector) && !has_left;
        if (is_row) has_left = true;
        if (!is_row) to.mirror = at(left.vector);
      }
    }
    add_vector_products_(products_.data(), std::ssize(products_), vectors.weights, sum, count);
  }

  /// Adds dw as it is computed if it is a product that comes last and that nothing else reads:
  /// memory is what these loops wait for.
  void split_off_product() {
    const EquationProgram& program = *run_.program;
    if (!program.dw || program.dw->of != EquationPlace::Of::vector || codes_.empty()) return;
    const EquationCode last = codes_.back();
    if (last.op != EquationOp::multiply || last.to != numbering_(*program.dw)) return;
    if (program.de == program.dw) return;
    last_product_ = last;
    codes_.pop_back();
  }

  /// Steps take whole vectors: what ends within one is copied to where there is room behind it.
  void bind(std::int64_t place, const T* numbers, std::int64_t count) {
    T* from = const_cast<T*>(numbers);  // no step writes to it
    if (count % kEquationUnit<T> != 0) {
      from = rows_.row(place);
      std::copy_n(numbers, count, from);
    }
    cells_[numbering_.vector() + static_cast<std::size_t>(place)] = {from, 1};
  }

  static void add(T* to, T share, const EquationCell<T>& from, std::int64_t count) {
    if (from.stride == 0) {
      const T amount = share * from.numbers[0];
      for (std::int64_t j = 0; j < count; ++j) to[j] += amount;
    } else {
      add_scaled(to, share, from.numbers, count);
    }
  }

  const EquationRun& run_;
  EquationNumbering numbering_;
  std::vector<EquationCode> codes_;
  std::optional<EquationCode> last_product_;
  std::vector<EquationProduct> sum_;         // dw, where it is one
  std::vector<VectorProduct<T>> products_;   // of sum_, for the neuron
  bool by_products_ = false;
  std::vector<EquationCell<T>> cells_;
  std::vector<EquationPlace> numbers_;
  AlignedRows<T> numbers_of_neurons_;  // [numbers_, kPiece]
  AlignedRows<T> rows_;
  void (*run_steps_)(const EquationSteps<T>&);
  void (*add_products_)(T*, T, EquationCell<T>, EquationCell<T>, std::int64_t);
  void (*add_vector_products_)(const VectorProduct<T>*, std::int64_t, const T*, T*, std::int64_t);
};

}  // namespace gaia::cpu
