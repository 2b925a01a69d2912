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
    find_products();
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

  /// sum += share dw, for `count` weights.  Returns the product of the new sum with `along`, 0
  /// where that is null.
  T add_to(T* sum, T share, const EquationVectors<T>& vectors, std::int64_t count,
           const T* along = nullptr) {
    const EquationProgram& program = *run_.program;
    if (by_products_) return add_sum(sum, share, vectors, count, along);
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
    return along == nullptr ? T(0) : dot(sum, along, count);
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

  /// What the products of an update read, as numbers of places.
  struct Product {
    T sign = T(1);
    std::vector<std::uint16_t> numbers, divisors, centres;
    std::vector<std::size_t> vectors;  // but for the row itself
  };

  void find_products() {
    // Sums of known vectors keep the steps of their text, which all executors are compared with.
    if (run_.program->rule_class != EquationProgram::Class::weights) return;
    for (const EquationProduct& from : products_of_update(*run_.program)) {
      Product to;
      to.sign = from.is_negative ? T(-1) : T(1);
      for (const EquationPlace& place : from.numbers) to.numbers.push_back(numbering_(place));
      for (const EquationPlace& place : from.divisors) to.divisors.push_back(numbering_(place));
      for (const EquationPlace& place : from.centres) to.centres.push_back(numbering_(place));
      VectorProduct<T> kernel{};
      kernel.has_left = !to.centres.empty();
      for (const EquationPlace& place : from.vectors) {
        if (place.index == EquationProgram::kWeights && !kernel.has_row) {
          kernel.has_row = true;
        } else {
          to.vectors.push_back(place.index);
        }
      }
      kernel.vectors = static_cast<int>(to.vectors.size());
      sum_.push_back(std::move(to));
      products_.push_back(kernel);
    }
  }

  /// The numbers in the products, of one neuron.
  void take_products(const EquationMachine<T>& machine, std::int64_t index) {
    const EquationCell<T>* const cells = machine.cells().data();
    const auto number = [&](std::uint16_t place) {
      return cells[place].numbers[index * cells[place].stride];
    };
    for (std::size_t k = 0; k < sum_.size(); ++k) {
      const Product& from = sum_[k];
      T share = from.sign;
      for (const std::uint16_t place : from.numbers) share *= number(place);
      for (const std::uint16_t place : from.divisors) share /= number(place);
      products_[k].share = share;
      for (const std::uint16_t place : from.centres) products_[k].centre = number(place);
    }
  }

  /// sum += share times the products.
  T add_sum(T* sum, T share, const EquationVectors<T>& vectors, std::int64_t count,
            const T* along) {
    const auto at = [&](std::size_t place) {
      const std::size_t traces = run_.program->traces.size();
      if (place == EquationProgram::kWeights) return vectors.weights;
      if (place == EquationProgram::kSample) return vectors.sample;
      const std::size_t other = place - EquationProgram::kFirstTrace;
      return other < traces ? vectors.traces[other] : vectors.backs[other - traces];
    };
    for (std::size_t k = 0; k < sum_.size(); ++k) {
      products_[k].share *= share;
      for (std::size_t i = 0; i < sum_[k].vectors.size(); ++i) {
        products_[k].vector[i] = at(sum_[k].vectors[i]);
      }
    }
    return add_vector_products_(products_.data(), std::ssize(products_), vectors.weights, sum,
                                count, along);
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
  std::vector<Product> sum_;                // dw, where it is one
  std::vector<VectorProduct<T>> products_;  // of sum_, for the neuron
  bool by_products_ = false;
  std::vector<EquationCell<T>> cells_;
  std::vector<EquationPlace> numbers_;
  AlignedRows<T> numbers_of_neurons_;  // [numbers_, kPiece]
  AlignedRows<T> rows_;
  void (*run_steps_)(const EquationSteps<T>&);
  void (*add_products_)(T*, T, EquationCell<T>, EquationCell<T>, std::int64_t);
  decltype(GAIA_VECTOR_KERNEL(add_vector_products<T>)) add_vector_products_;
};

}  // namespace gaia::cpu
