// SPDX-License-Identifier: MIT
/// \file
/// A rule's program on its way into the memory of a device, for kernels that interpret it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <vector>

#include "../src/array/backend.h"
#include "../src/formulas/equations/numbering.h"
#include "equation_tables.h"
#include "memory.h"
#include "staging.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Lists on their way to the device, in one piece.
class EquationBytes {
 public:
  template <class E>
  std::size_t add(const std::vector<E>& items) {
    bytes_.resize((bytes_.size() + alignof(E) - 1) / alignof(E) * alignof(E));
    const std::size_t first = bytes_.size();
    bytes_.resize(first + items.size() * sizeof(E));
    if (!items.empty()) std::memcpy(bytes_.data() + first, items.data(), items.size() * sizeof(E));
    return first;
  }
  const std::byte* data() const { return bytes_.data(); }
  std::int64_t size() const { return std::ssize(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// The tables of a run, for as long as its kernels are given to the stream.
template <class T>
class DeviceEquations {
 public:
  DeviceEquations(const EquationRun& run, Memory& memory, Staging& staging, cudaStream_t stream)
      : run_(run),
        program_(*run.program),
        numbering_(program_),
        tick_(run.learns ? program_.learning : program_.still) {
    const auto in_numbers = [](const std::vector<double>& values) {
      std::vector<T> numbers;
      for (const double value : values) numbers.push_back(static_cast<T>(value));
      return numbers;
    };
    place(tables_.constants,
          in_numbers(program_.bound_constants(run.parameters, run.weights.shape[1],
                                              run.weights.shape[0], run.learns)));
    place(tables_.trace_keeps, in_numbers(run.trace_keeps));
    place(tables_.steps, numbered_steps(tick_.steps, numbering_));
    place(tables_.memory_list, numbered(tick_.memory));
    place_draws();
    if (run.learns) place_update();
    number_places();
    scratch_.emplace(memory, bytes_.size(), stream);
    staging.upload(bytes_.data(), scratch_->template as<std::byte>(), bytes_.size(), stream);
    for (const auto& settle : settle_) settle(scratch_->template as<std::byte>());
  }
  DeviceEquations(const DeviceEquations&) = delete;
  DeviceEquations& operator=(const DeviceEquations&) = delete;

  const EquationTables<T>& tables() const { return tables_; }

 private:
  template <class E>
  void place(EquationList<E>& list, const std::vector<E>& items) {
    const std::size_t first = bytes_.add(items);
    list.count = static_cast<int>(items.size());
    settle_.push_back([&list, first](const std::byte* base) {
      list.items = reinterpret_cast<const E*>(base + first);
    });
  }

  std::vector<std::uint16_t> numbered(const std::vector<EquationPlace>& places) const {
    std::vector<std::uint16_t> numbers;
    for (const EquationPlace& one : places) numbers.push_back(numbering_(one));
    return numbers;
  }

  std::uint16_t number_of(const EquationVector& vector) const {
    using Kind = EquationVector::Kind;
    const auto at = [this](std::size_t index) {
      return static_cast<std::uint16_t>(numbering_.vector() + index);
    };
    switch (vector.kind) {
      case Kind::w:
        return at(EquationProgram::kWeights);
      case Kind::e:
        return at(EquationProgram::kEligibility);
      case Kind::x:
        return at(EquationProgram::kSample);
      case Kind::trace:
        return at(EquationProgram::kFirstTrace + vector.index);
      case Kind::back:
        return at(EquationProgram::kFirstTrace + program_.traces.size() + vector.index);
      case Kind::ones:
        break;
    }
    return EquationTermCode::kOnes;
  }

  void place_draws() {
    std::vector<EquationDrawCode> draws;
    const std::vector<bool> is_read = program_.draws_read(run_.learns);
    for (std::size_t k = 0; k < is_read.size(); ++k) {
      if (!is_read[k]) continue;
      const auto place = numbering_.neuron() + program_.first_draw() + k;
      draws.push_back(
          {static_cast<std::uint16_t>(k), static_cast<std::uint16_t>(place), program_.draws[k]});
    }
    place(tables_.draw_list, draws);
  }

  void place_update() {
    std::vector<EquationBackCode> backs;
    for (const EquationBack& back : program_.backs) {
      backs.push_back({numbering_(back.factors), back.upto ? std::uint16_t{1} : std::uint16_t{0}});
    }
    place(tables_.back_list, backs);
    const bool is_sum = program_.rule_class == EquationProgram::Class::matrix;
    const auto terms = [&](const std::vector<EquationTerm>& sum,
                           const std::optional<EquationPlace>& whole) {
      std::vector<EquationTermCode> codes;
      for (const EquationTerm& term : sum) {
        if (is_sum) codes.push_back({number_of(term.vector), numbering_(term.factor)});
      }
      if (!is_sum && whole) codes.push_back({EquationTermCode::kOnes, numbering_(*whole)});
      return codes;
    };
    place(tables_.dw, terms(program_.dw_terms, program_.dw));
    place(tables_.de, terms(program_.de_terms, program_.de));
    if (!is_sum) place(tables_.vector_steps, numbered_steps(program_.vector_steps, numbering_));
  }

  void number_places() {
    tables_.first_number = static_cast<int>(numbering_.layer());
    tables_.first_neuron = static_cast<int>(numbering_.neuron());
    tables_.first_vector = static_cast<int>(numbering_.vector());
    tables_.traces = static_cast<int>(program_.traces.size());
    tables_.first_temporary = tables_.first_vector + EquationProgram::kFirstTrace +
                              static_cast<int>(program_.traces.size() + program_.backs.size());
    tables_.end = tables_.vector_steps.count == 0 ? tables_.first_temporary
                                                  : static_cast<int>(numbering_.count());
    tables_.output = numbering_(tick_.output);
    tables_.first_neuron_signal = tables_.first_neuron + program_.first_neuron_signal();
    for (const EquationSignal& signal : program_.signals) {
      ++(signal.of_neurons ? tables_.neuron_signals : tables_.layer_signals);
    }
    tables_.reads_square = program_.reads_square;
    tables_.reads_weight_square = program_.reads_weight_square;
    tables_.reads_activation = program_.reads_activation;
  }

  const EquationRun& run_;
  const EquationProgram& program_;
  EquationNumbering numbering_;
  const EquationTick& tick_;
  EquationBytes bytes_;
  EquationTables<T> tables_;
  std::vector<std::function<void(const std::byte*)>> settle_;
  std::optional<Scratch> scratch_;
};

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
