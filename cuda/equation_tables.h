// SPDX-License-Identifier: MIT
/// \file
/// A rule's program in the memory of a device, as the kernels of equations.cuh read it: the
/// numbered steps that the CPU's executors take too, and the few lists beside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <vector>

#include "../src/array/backend.h"
#include "../src/formulas/equations/numbering.h"
#include "memory.h"
#include "staging.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// factor * vector, with places by number; `kOnes` stands for a vector of ones.
struct EquationTermCode {
  static constexpr std::uint16_t kOnes = 0xffff;
  std::uint16_t vector, factor;
};

struct EquationBackCode {
  std::uint16_t factors;
  std::uint16_t upto;  ///< Whether of a neuron only those up to itself count.
};

/// A random number of neurons that the tick reads.
struct EquationDrawCode {
  std::uint16_t call;  ///< Number of the call in the text.
  std::uint16_t place;
  EquationDraw draw;
};

/// In the device's memory.
template <class E>
struct EquationList {
  const E* items = nullptr;
  int count = 0;

  __device__ const E& operator[](int i) const { return items[i]; }
  /// f(item) for one after another; each is on its way while the one before it is taken.
  template <class F>
  __device__ void each(const F& f) const {
    if (count == 0) return;
    E next = items[0];
    for (int i = 0; i < count; ++i) {
      const E item = next;
      if (i + 1 < count) next = items[i + 1];
      f(item);
    }
  }
};

template <class T>
struct EquationTables {
  EquationList<T> constants;
  EquationList<T> trace_keeps;
  EquationList<EquationCode> steps;         ///< Of numbers.
  EquationList<std::uint16_t> memory_from;  ///< Where each memory's new value is.
  EquationList<EquationDrawCode> draws;
  EquationList<EquationBackCode> backs;
  /// Of class matrix: the sums.  Of class weights: steps, and where dw and de are, as one term of
  /// kOnes each, whose factor may be a vector's place.
  EquationList<EquationTermCode> dw, de;
  EquationList<EquationCode> vector_steps;

  // Where places begin that are numbered in one row: constants, then these.
  int first_number = 0;  ///< Of the layer, then of neurons: each neuron has a copy of both.
  int first_neuron = 0;
  int first_vector = 0;
  int first_temporary = 0;  ///< Of vectors that steps write.
  int end = 0;              ///< Behind the last place.

  int output = 0;
  int first_neuron_signal = 0;
  int layer_signals = 0;
  int neuron_signals = 0;
  int traces = 0;
  bool reads_square = false;
  bool reads_weight_square = false;
  bool reads_activation = false;

  /// Over the inputs: z, then |x|^2 and |w|^2 where they are read.
  GAIA_HOST_DEVICE int sums() const {
    return 1 + (reads_square ? 1 : 0) + (reads_weight_square ? 1 : 0);
  }
  GAIA_HOST_DEVICE int numbers() const { return first_vector - first_number; }
  GAIA_HOST_DEVICE int temporaries() const { return end - first_temporary; }
};

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
    place(tables_.memory_from, numbered(tick_.memory));
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
    place(tables_.draws, draws);
  }

  void place_update() {
    std::vector<EquationBackCode> backs;
    for (const EquationBack& back : program_.backs) {
      backs.push_back({numbering_(back.factors), back.upto ? std::uint16_t{1} : std::uint16_t{0}});
    }
    place(tables_.backs, backs);
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
