// SPDX-License-Identifier: MIT
/// \file
/// Rules that are text and of class matrix, where a tick has so many samples, the streams of a
/// batch, that a chunk is one tick.
///
/// All samples of a tick see the same weights, so all z are one product, and what a tick adds to w,
/// the mean over the streams, is another: no product of samples with each other is due.  The rule's
/// program takes the streams one after another.  Groups of streams are tasks, whose sums are added
/// in the order of the groups, so results do not depend on the number of threads.
#include <algorithm>
#include <iterator>
#include <vector>

#include "../src/core/parallel.h"
#include "chunked_samples.h"
#include "denormals.h"
#include "equation_chunk_inputs.h"
#include "equation_inputs.h"
#include "equation_machine.h"
#include "equations.h"
#include "gemm.h"
#include "plastic.h"
#include "rows.h"

namespace gaia::cpu {
namespace {

constexpr std::int64_t kStreamsOfGroup = 64;

/// A layer, tick by tick.
template <class T>
class TickBatch {
 public:
  TickBatch(const EquationRun& run, Backend& backend)
      : run_(run),
        program_(*run.program),
        x_(run.samples),
        answers_(run.outputs),
        control_(run.control),
        inputs_(run, 1),
        share_(T(1) / static_cast<T>(x_.streams)),
        neurons_(run.weights.shape[0]),
        groups_((x_.streams + kStreamsOfGroup - 1) / kStreamsOfGroup),
        terms_(terms_of_streams(*run.program)),
        packed_(backend, packed_room<T>(x_.inputs, neurons_)),
        drives_(backend, x_.streams * neurons_),
        gains_(backend, std::ssize(terms_) * x_.streams * neurons_),
        squares_(static_cast<std::size_t>(program_.reads_weight_square ? neurons_ : 0)),
        sums_(groups_ * kSums, equation_row<T>(neurons_)) {
    for (std::int64_t g = 0; g < groups_; ++g) {
      machines_.emplace_back(run, g * kStreamsOfGroup, 0, neurons_);
    }
  }

  void run() {
    for (std::int64_t t = 0; t < x_.ticks; ++t) {
      inputs_.read(t, 1);
      answer(t);
      learn(t);
    }
    for (EquationMachine<T>& machine : machines_) machine.write_back();
  }

 private:
  /// Sums over the streams of a group, one number a neuron each.
  enum Sum { kOfW, kOfOnes, kOfAnswer, kSums };

  static bool is_sum(const EquationTerm& term) {
    return term.vector.kind == EquationVector::Kind::w ||
           term.vector.kind == EquationVector::Kind::ones;
  }
  /// The terms whose vector each stream has for itself: samples and traces.
  static std::vector<EquationTerm> terms_of_streams(const EquationProgram& program) {
    std::vector<EquationTerm> terms;
    std::copy_if(program.dw_terms.begin(), program.dw_terms.end(), std::back_inserter(terms),
                 [](const EquationTerm& term) { return !is_sum(term); });
    return terms;
  }
  MatrixRef<T> weights() const { return {run_.weights.as<T>(), neurons_, x_.inputs, x_.inputs}; }
  double operations() const {
    return 2.0 * static_cast<double>(x_.streams * neurons_) * static_cast<double>(x_.inputs);
  }
  /// What the streams ask for of the vectors of a term, [streams, neurons].
  T* gains(std::size_t term) const {
    return gains_.data() + static_cast<std::int64_t>(term) * x_.streams * neurons_;
  }
  T* sum(std::int64_t group, Sum of) { return sums_.row(group * kSums + of); }

  /// y of a tick, and what its streams ask for.
  void answer(std::int64_t tick) {
    const MatrixRef<T> w = weights();
    const PackedMatrix<T> packed = pack(
        MatrixRef<const T>{w.data, w.rows, w.columns, w.row_stride}.transposed(), packed_.data());
    for (std::size_t i = 0; i < squares_.size(); ++i) {
      const T* const row = w.data + static_cast<std::int64_t>(i) * x_.inputs;
      squares_[i] = dot(row, row, x_.inputs);
    }
    share_where_it_pays(groups_, operations(), [&](std::int64_t group) {
      const FlushDenormals flush;
      const std::int64_t first = group * kStreamsOfGroup;
      const std::int64_t last = std::min(x_.streams, first + kStreamsOfGroup);
      gemm(MatrixRef<const T>{x_.row(first, tick), last - first, x_.inputs, x_.stream_stride},
           packed,
           MatrixRef<T>{drives_.data() + first * neurons_, last - first, neurons_, neurons_});
      std::fill_n(sum(group, kOfW), kSums * equation_row<T>(neurons_), T(0));
      EquationMachine<T>& machine = machines_[static_cast<std::size_t>(group)];
      std::copy_n(squares_.data(), squares_.size(), machine.weight_squares());
      for (std::int64_t b = first; b < last; ++b) {
        machine.turn_to(b);
        std::copy_n(drives_.data() + b * neurons_, neurons_, machine.drives());
        machine.step(tick, inputs_.square(b, tick));
        machine.write_output(answers_.row(b, tick));
        ask(machine, group, b);
        machine.settle();
      }
    });
  }

  void ask(const EquationMachine<T>& machine, std::int64_t group, std::int64_t stream) {
    for (const EquationTerm& term : program_.dw_terms) {
      const EquationCell<T> factors = machine.cell(term.factor);
      if (term.vector.kind == EquationVector::Kind::w) add(sum(group, kOfW), factors);
      if (term.vector.kind == EquationVector::Kind::ones) add(sum(group, kOfOnes), factors);
    }
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      const EquationCell<T> factors = machine.cell(terms_[k].factor);
      T* const to = gains(k) + stream * neurons_;
      if (factors.stride == 0) {
        std::fill_n(to, neurons_, share_ * factors.numbers[0]);
      } else {
        for (std::int64_t i = 0; i < neurons_; ++i) to[i] = share_ * factors.numbers[i];
      }
    }
    if (control_.homeostatic) add(sum(group, kOfAnswer), machine.output());
  }
  void add(T* to, const EquationCell<T>& from) const {
    if (from.stride != 0) return add_scaled(to, T(1), from.numbers, neurons_);
    for (std::int64_t i = 0; i < neurons_; ++i) to[i] += from.numbers[0];
  }

  void learn(std::int64_t tick) {
    for (const Sum of : {kOfW, kOfOnes, kOfAnswer}) {
      T* const all = sum(0, of);
      for (std::int64_t g = 1; g < groups_; ++g) add_scaled(all, T(1), sum(g, of), neurons_);
      for (std::int64_t i = 0; i < neurons_; ++i) all[i] *= share_;
    }
    const bool has_ones = has_term(program_, EquationVector::Kind::ones);
    const std::int64_t most = (neurons_ + kColumnUnit - 1) / kColumnUnit;
    const EvenPieces pieces{neurons_, kRowUnit, most};
    share_where_it_pays(
        most, operations() * static_cast<double>(terms_.size()), [&](std::int64_t piece) {
          const FlushDenormals flush;
          const std::int64_t first = pieces.begin(piece);
          const std::int64_t last = pieces.end(piece);
          const MatrixRef<T> w = weights().rows_between(first, last);
          for (std::int64_t i = first; i < last; ++i) {
            T* const row = w.data + (i - first) * x_.inputs;
            const T factor = sum(0, kOfW)[i];
            if (factor != T(0)) add_scaled(row, factor, row, x_.inputs);
            const T constant = has_ones ? sum(0, kOfOnes)[i] : T(0);
            if (constant != T(0)) std::for_each_n(row, x_.inputs, [&](T& one) { one += constant; });
          }
          for (std::size_t k = 0; k < terms_.size(); ++k) {
            const MatrixRef<const T> asked{gains(k), x_.streams, neurons_, neurons_};
            gemm(asked.columns_between(first, last).transposed(), vectors(terms_[k].vector, tick),
                 w, true);
          }
          for (std::int64_t i = first; i < last; ++i) {
            control_weights(control_, sum(0, kOfAnswer)[i], w.data + (i - first) * x_.inputs,
                            x_.inputs);
          }
        });
  }

  /// Such a vector of a tick, [streams, inputs].
  MatrixRef<const T> vectors(const EquationVector& vector, std::int64_t tick) {
    if (vector.kind == EquationVector::Kind::x) {
      return {x_.row(0, tick), x_.streams, x_.inputs, x_.stream_stride};
    }
    return {inputs_.trace(0, tick, vector.index), x_.streams, x_.inputs,
            std::ssize(program_.traces) * x_.inputs};
  }

  const EquationRun& run_;
  const EquationProgram& program_;
  Samples<T> x_;
  Answers<T> answers_;
  ControlFactors<T> control_;
  EquationInputs<T> inputs_;
  T share_;  // share of a stream in the mean
  std::int64_t neurons_;
  std::int64_t groups_;
  std::vector<EquationTerm> terms_;  // terms of streams
  Workspace<T> packed_;              // W transposed
  Workspace<T> drives_;              // z, [streams, neurons]
  Workspace<T> gains_;               // [terms, streams, neurons]
  std::vector<T> squares_;
  AlignedRows<T> sums_;                       // [groups, kSums, neurons]
  std::vector<EquationMachine<T>> machines_;  // machines of groups
};

}  // namespace

bool goes_by_ticks(const EquationRun& run, std::int64_t chunk) {
  return chunk == 1 && run.samples.shape[0] > 1 && run.program->backs.empty() && !run.chain &&
         run.lateral == nullptr;
}

template <class T>
void run_equations_batch(const EquationRun& run, Backend& backend) {
  TickBatch<T>(run, backend).run();
}

template void run_equations_batch<float>(const EquationRun&, Backend&);
template void run_equations_batch<double>(const EquationRun&, Backend&);

}  // namespace gaia::cpu
