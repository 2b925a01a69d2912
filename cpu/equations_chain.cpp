// SPDX-License-Identifier: MIT
/// \file
/// Rules beside which each weight has a chain of slower numbers (SynapseChain), chunkwise.
///
/// A tick moves w and what stands behind it by one linear map of few numbers, and adds known
/// vectors to w.  So each of them stays, within a chunk, in the span of what all of them were at
/// its start and of the samples, their traces and ones.  A *stack* is the numbers of the chain for
/// one of those: for a later sample what each of w, u_2, ... gives as its product with it, else
/// their coefficients.  A tick moves all stacks alike; at the end the coefficients make the chain
/// true by matrix products.
#include <algorithm>
#include <vector>

#include "chunked_samples.h"
#include "denormals.h"
#include "equation_chunk_inputs.h"
#include "equation_machine.h"
#include "equations.h"
#include "gemm.h"
#include "plastic.h"

namespace gaia::cpu {
namespace {

constexpr std::int64_t kNeuronsOfChainTask = 32;
/// Inputs whose numbers are mixed at a time: those of a chain stay in the first cache.
constexpr std::int64_t kMixedInputs = 128;

/// The neurons [first, first + count) through all chunks; `whole`: they are the layer, of which
/// threads share the products.
template <class T>
class ChainedNeurons {
 public:
  ChainedNeurons(const EquationRun& run, const ChunkedSamples<T>& samples,
                 const EquationChunkInputs<T>& inputs, std::int64_t chunk, std::int64_t first,
                 std::int64_t count)
      : run_(run),
        program_(*run.program),
        x_(run.samples),
        answers_(run.outputs),
        samples_(samples),
        inputs_(inputs),
        chunk_(chunk),
        per_chunk_(chunk * x_.streams),
        first_(first),
        count_(count),
        whole_(count == run.weights.shape[0]),
        has_x_(has_term(program_, EquationVector::Kind::x)),
        has_ones_(has_term(program_, EquationVector::Kind::ones)),
        traces_(std::ssize(program_.traces)),
        pulls_(*run.chain),
        stack_(pulls_.length * count),
        drives_(stacks(per_chunk_)),
        of_samples_(stacks(per_chunk_)),
        of_traces_(stacks(traces_ * per_chunk_)),
        of_extra_(stacks(inputs.extra_count())),
        kept_(stacks(pulls_.length)),
        pull_(static_cast<std::size_t>(count)),
        of_w_(static_cast<std::size_t>(count)),
        of_ones_(static_cast<std::size_t>(count)),
        behind_(static_cast<std::size_t>(pulls_.length - 1)) {
    for (std::int64_t b = 0; b < x_.streams; ++b) machines_.emplace_back(run, b, first, count);
  }

  void run() {
    for_each_chunk(x_.ticks, chunk_, [&](std::int64_t c, std::int64_t ticks) {
      start(c, ticks);
      const FlushDenormals flush;
      for (std::int64_t t = 0; t < ticks; ++t) tick(c, t, ticks);
      finish(c, ticks);
    });
    for (EquationMachine<T>& machine : machines_) machine.write_back();
  }

 private:
  using Stacks = std::vector<T>;  // each [chain, neurons]

  Stacks stacks(std::int64_t count) const {
    return Stacks(static_cast<std::size_t>(count * stack_));
  }
  T* at(Stacks& of, std::int64_t index) const { return of.data() + index * stack_; }
  T* of_trace(std::int64_t trace, std::int64_t sample) {
    return at(of_traces_, trace * per_chunk_ + sample);
  }
  T* of_ones() { return at(of_extra_, inputs_.extra_count() - 1); }

  /// Number k of the neurons' chains, [neurons, inputs].
  MatrixRef<T> chained(std::int64_t k) const {
    const std::int64_t n = x_.inputs;
    T* const all =
        k == 0 ? run_.weights.as<T>() : run_.chained.as<T>() + (k - 1) * run_.weights.shape[0] * n;
    return {all + first_ * n, count_, n, n};
  }

  /// f(first, last) for pieces of n, on all threads where the products pay.
  template <class F>
  void by_pieces(std::int64_t n, std::int64_t rows, const F& f) const {
    const double operations =
        2.0 * static_cast<double>(rows * pulls_.length) * static_cast<double>(count_ * x_.inputs);
    const EvenPieces pieces{n, kColumnUnit, std::max<std::int64_t>(1, n / (2 * kColumnUnit))};
    share_where_it_pays(pieces.pieces, whole_ ? operations : 0.0, [&](std::int64_t i) {
      const FlushDenormals flush;
      f(pieces.begin(i), pieces.begin(i + 1));
    });
  }

  MatrixRef<const T> samples_of(std::int64_t c, std::int64_t ticks) const {
    return {samples_.data() + c * per_chunk_ * samples_.stride(), ticks * x_.streams, x_.inputs,
            samples_.stride()};
  }

  /// Products of the samples of a chunk with the chains as they are.
  void start(std::int64_t c, std::int64_t ticks) {
    gram_ = samples_.gram() + c * per_chunk_ * per_chunk_;
    overlaps_ = inputs_.overlaps() + c * per_chunk_ * per_chunk_;
    sums_ = inputs_.sums() + c * per_chunk_;
    const MatrixRef<const T> x = samples_of(c, ticks);
    by_pieces(count_, x.rows, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t k = 0; k < pulls_.length; ++k) {
        const MatrixRef<T> u = chained(k).rows_between(first, last);
        gemm(x, MatrixRef<const T>{u.data, u.rows, u.columns, u.row_stride}.transposed(),
             MatrixRef<T>{drives_.data() + k * count_ + first, x.rows, last - first, stack_});
      }
    });
    std::fill(of_extra_.begin(), of_extra_.end(), T(0));
    std::fill(kept_.begin(), kept_.end(), T(0));
  }

  /// Adds share times the factor's numbers to `to`.
  void add_factor(T* to, const EquationMachine<T>& machine, const EquationPlace& place,
                  T share) const {
    const EquationCell<T> cell = machine.cell(place);
    for (std::int64_t i = 0; i < count_; ++i) to[i] += share * cell.numbers[i * cell.stride];
  }

  /// What a tick adds to w: the mean over streams.
  void take_shares(std::int64_t t) {
    std::fill(of_w_.begin(), of_w_.end(), T(0));
    std::fill(of_ones_.begin(), of_ones_.end(), T(0));
    const T share = T(1) / static_cast<T>(x_.streams);
    for (std::int64_t b = 0; b < x_.streams; ++b) {
      const std::int64_t sample = t * x_.streams + b;
      std::fill_n(at(of_samples_, sample), stack_, T(0));
      for (std::int64_t k = 0; k < traces_; ++k) std::fill_n(of_trace(k, sample), stack_, T(0));
      for (const EquationTerm& term : program_.dw_terms) {
        T* to = nullptr;
        switch (term.vector.kind) {
          case EquationVector::Kind::w:
            to = of_w_.data();
            break;
          case EquationVector::Kind::x:
            to = at(of_samples_, sample);
            break;
          case EquationVector::Kind::ones:
            to = of_ones_.data();
            break;
          case EquationVector::Kind::trace:
            to = of_trace(term.vector.index, sample);
            break;
          case EquationVector::Kind::e:
          case EquationVector::Kind::back:
            continue;  // why_stepwise
        }
        add_factor(to, machines_[static_cast<std::size_t>(b)], term.factor, share);
      }
    }
  }

  /// A stack moves by a tick; its first row gets what is in vectors_, times factors_, too.
  void move(T* stack) {
    for (std::int64_t k = 1; k < pulls_.length; ++k) {
      behind_[static_cast<std::size_t>(k - 1)] = stack + k * count_;
    }
    move_chains_(stack, behind_.data(), pulls_, pull_.data(), count_);
    vectors_.push_back(pull_.data());
    factors_.push_back(T(1));
    update_(stack, of_w_.data(), vectors_.data(), factors_.data(), std::ssize(vectors_), count_);
    vectors_.clear();
    factors_.clear();
  }
  void add(const T* vector, T factor) {
    vectors_.push_back(vector);
    factors_.push_back(factor);
  }

  void tick(std::int64_t c, std::int64_t t, std::int64_t ticks) {
    const std::int64_t streams = x_.streams;
    for (std::int64_t b = 0; b < streams; ++b) {
      EquationMachine<T>& machine = machines_[static_cast<std::size_t>(b)];
      const std::int64_t sample = t * streams + b;
      std::copy_n(at(drives_, sample), count_, machine.drives());
      machine.step(c * chunk_ + t, gram_[sample * per_chunk_ + sample]);
      machine.write_output(answers_.row(b, c * chunk_ + t) + first_);
    }
    take_shares(t);
    const std::int64_t before = t * streams;
    const std::int64_t after = before + streams;
    for (std::int64_t u = after; u < ticks * streams; ++u) {
      for (std::int64_t s = before; s < after; ++s) {
        const std::int64_t place = u * per_chunk_ + s;
        if (has_x_) add(at(of_samples_, s), gram_[place]);
        for (std::int64_t k = 0; k < traces_; ++k) {
          add(of_trace(k, s), overlaps_[k * inputs_.gram_numbers() + place]);
        }
      }
      if (has_ones_) add(of_ones_.data(), sums_[u]);
      move(at(drives_, u));
    }
    for (std::int64_t s = 0; s < before; ++s) {
      if (has_x_) move(at(of_samples_, s));
      for (std::int64_t k = 0; k < traces_; ++k) move(of_trace(k, s));
    }
    if (has_ones_) {
      add(of_ones_.data(), T(1));
      move(of_ones());
    }
    for (std::int64_t k = 0; k < pulls_.length; ++k) keep(k);
    for (EquationMachine<T>& machine : machines_) machine.settle();
  }

  /// What is left of number k at the chunk's start, less the number itself: so little is lost at a
  /// tick that one and it would have no digits for it.
  void keep(std::int64_t k) {
    T* const stack = at(kept_, k);
    move(stack);
    const auto draw = [&](std::int64_t to, T by) {
      for (std::int64_t i = 0; i < count_; ++i) stack[to * count_ + i] += by;
    };
    draw(k, -(pulls_.before[k] + pulls_.behind[k]));
    if (k > 0) draw(k - 1, pulls_.behind[k - 1]);
    if (k + 1 < pulls_.length) draw(k + 1, pulls_.before[k + 1]);
    for (std::int64_t i = 0; k == 0 && i < count_; ++i) {
      stack[i] += of_w_[static_cast<std::size_t>(i)];
    }
  }

  /// Makes coefficients of traces into such of samples and of the traces before the chunk.
  void fold(std::int64_t ticks) {
    Stacks reached = stacks(1);
    for (std::int64_t k = 0; k < traces_; ++k) {
      const T keep = inputs_.keeps()[k];
      for (std::int64_t b = 0; b < x_.streams; ++b) {
        std::fill(reached.begin(), reached.end(), T(0));
        for (std::int64_t t = ticks - 1; t >= 0; --t) {
          const T* const own = of_trace(k, t * x_.streams + b);
          T* const of_sample = at(of_samples_, t * x_.streams + b);
          for (std::int64_t i = 0; i < stack_; ++i) {
            T& sum = reached[static_cast<std::size_t>(i)];
            sum = keep * sum + own[i];
            of_sample[i] += sum;
          }
        }
        T* const to = at(of_extra_, b * traces_ + k);
        for (std::int64_t i = 0; i < stack_; ++i)
          to[i] = keep * reached[static_cast<std::size_t>(i)];
      }
    }
  }

  /// The chains after a chunk.
  void finish(std::int64_t c, std::int64_t ticks) {
    fold(ticks);
    const MatrixRef<const T> x = samples_of(c, ticks);
    const std::int64_t extra = inputs_.extra_count();
    const MatrixRef<const T> rows{inputs_.extra_rows() + c * extra * x_.inputs,
                                  has_ones_ ? extra : extra - 1, x_.inputs, x_.inputs};
    by_pieces(x_.inputs, x.rows + extra, [&](std::int64_t first, std::int64_t last) {
      mix(first, last);
      for (std::int64_t k = 0; k < pulls_.length; ++k) {
        const MatrixRef<T> u = chained(k).columns_between(first, last);
        const auto add_product = [&](const Stacks& of, const MatrixRef<const T>& vectors) {
          if (vectors.rows == 0) return;
          const MatrixRef<const T> coefficients{of.data() + k * count_, vectors.rows, count_,
                                                stack_};
          gemm(coefficients.transposed(), vectors.columns_between(first, last), u, true);
        };
        if (has_x_ || traces_ > 0) add_product(of_samples_, x);
        add_product(of_extra_, rows);
      }
    });
  }

  /// What is left of the chains themselves, at the inputs [first, last).
  void mix(std::int64_t first, std::int64_t last) {
    const std::int64_t length = pulls_.length;
    std::vector<T> old(static_cast<std::size_t>(length * kMixedInputs));
    std::vector<const T*> olds(static_cast<std::size_t>(length));
    std::vector<T> factors(static_cast<std::size_t>(length));
    for (std::int64_t i = 0; i < count_; ++i) {
      for (std::int64_t from = first; from < last; from += kMixedInputs) {
        const std::int64_t n = std::min(kMixedInputs, last - from);
        const auto numbers = [&](std::int64_t k) { return chained(k).data + i * x_.inputs + from; };
        for (std::int64_t k = 0; k < length; ++k) {
          T* const copy = old.data() + k * kMixedInputs;
          std::copy_n(numbers(k), n, copy);
          olds[static_cast<std::size_t>(k)] = copy;
        }
        for (std::int64_t k = 0; k < length; ++k) {
          for (std::int64_t j = 0; j < length; ++j) {
            factors[static_cast<std::size_t>(j)] = at(kept_, j)[k * count_ + i];
          }
          update_(numbers(k), nullptr, olds.data(), factors.data(), length, n);
        }
      }
    }
  }

  const EquationRun& run_;
  const EquationProgram& program_;
  Samples<T> x_;
  Answers<T> answers_;
  const ChunkedSamples<T>& samples_;
  const EquationChunkInputs<T>& inputs_;
  std::int64_t chunk_;
  std::int64_t per_chunk_;
  std::int64_t first_;
  std::int64_t count_;
  bool whole_;
  bool has_x_;
  bool has_ones_;
  std::int64_t traces_;
  ChainPulls<T> pulls_;
  std::int64_t stack_;  // numbers of one
  Stacks drives_;       // by samples: w . x, u_2 . x, ... with the chains as they are now
  Stacks of_samples_;   // by samples
  Stacks of_traces_;    // by traces and samples
  Stacks of_extra_;     // by streams and traces before the chunk, and of ones
  Stacks kept_;         // by numbers of the chain at the chunk's start, see keep
  std::vector<T> pull_, of_w_, of_ones_;
  std::vector<T*> behind_;
  std::vector<const T*> vectors_;
  std::vector<T> factors_;
  std::vector<EquationMachine<T>> machines_;  // machines of streams
  const T* gram_ = nullptr;
  const T* overlaps_ = nullptr;
  const T* sums_ = nullptr;
  decltype(GAIA_VECTOR_KERNEL(move_chains<T>)) move_chains_ = GAIA_VECTOR_KERNEL(move_chains<T>);
  decltype(GAIA_VECTOR_KERNEL(update_equation_row<T>)) update_ =
      GAIA_VECTOR_KERNEL(update_equation_row<T>);
};

}  // namespace

template <class T>
void run_equations_chained(const EquationRun& run, std::int64_t chunk, Backend& backend) {
  const Samples<T> x(run.samples);
  ChunkedSamples<T> samples(run.samples, chunk, backend);
  const EquationChunkInputs<T> inputs = prepared_inputs(run, samples, chunk, backend);
  const std::int64_t neurons = run.weights.shape[0];
  if (crosses_layer(run)) {
    return ChainedNeurons<T>(run, samples, inputs, chunk, 0, neurons).run();
  }
  const double operations = 4.0 * static_cast<double>(run.chain->length * neurons * x.inputs) *
                            static_cast<double>(x.ticks * x.streams);
  share_where_it_pays((neurons + kNeuronsOfChainTask - 1) / kNeuronsOfChainTask, operations,
                      [&](std::int64_t task) {
                        const std::int64_t first = task * kNeuronsOfChainTask;
                        const std::int64_t count = std::min(kNeuronsOfChainTask, neurons - first);
                        ChainedNeurons<T>(run, samples, inputs, chunk, first, count).run();
                      });
}

template void run_equations_chained<float>(const EquationRun&, std::int64_t, Backend&);
template void run_equations_chained<double>(const EquationRun&, std::int64_t, Backend&);

}  // namespace gaia::cpu
