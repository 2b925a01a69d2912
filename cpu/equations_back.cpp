// SPDX-License-Identifier: MIT
/// \file
/// Rules in which what goes back to the inputs, back(a) = sum of a_i w_i, is part of the update,
/// chunkwise: Oja's subspace rule and its kind.
///
/// Each tick adds one vector to those that the weights are made of, r_t = back(a_t), which is not
/// known before.  Of it a chunk needs its products with later samples alone, and r_t . x_u is the
/// sum of a_i times the drive of neuron i by x_u.  So the drives of all later samples are kept up
/// to date, each tick changing them as it changes the weights; coefficients of r_t in what the
/// weights are made of follow in the same way, and at the end one product and a triangular solve
/// make all r_t, and one more the weights: the compact form of products of reflections (Bischof &
/// Van Loan, 1987, SIAM J. Sci. Stat. Comput. 8, 2-13).
#include <algorithm>
#include <cmath>
#include <vector>

#include "chunked_samples.h"
#include "denormals.h"
#include "equation_chunk_inputs.h"
#include "equation_machine.h"
#include "equations.h"
#include "gemm.h"
#include "plastic.h"
#include "rows.h"

namespace gaia::cpu {
namespace {

template <class T>
class BackLayer {
 public:
  BackLayer(const EquationRun& run, std::int64_t chunk, Backend& backend)
      : run_(run),
        program_(*run.program),
        x_(run.samples),
        answers_(run.outputs),
        chunk_(chunk),
        samples_(run.samples, chunk, backend),
        inputs_(prepared_inputs(run, samples_, chunk, backend)),
        neurons_(run.weights.shape[0]),
        traces_(std::ssize(program_.traces)),
        backs_(std::ssize(program_.backs)),
        extra_(inputs_.extra_count()),
        machine_(run, 0, 0, neurons_),
        drives_(static_cast<std::size_t>(chunk * neurons_)),
        coefficients_(static_cast<std::size_t>(rows() * neurons_)),
        trace_coefficients_(static_cast<std::size_t>(traces_ * chunk * neurons_)),
        kept_(static_cast<std::size_t>(neurons_)),
        scales_(static_cast<std::size_t>(neurons_)),
        numbers_(static_cast<std::size_t>((3 + traces_ + 2 * backs_) * neurons_)),
        starts_(static_cast<std::size_t>(backs_ * chunk * neurons_)),
        known_(static_cast<std::size_t>(rows() * x_.inputs)),
        shares_(static_cast<std::size_t>(backs_ * chunk * rows())),
        trace_shares_(static_cast<std::size_t>(traces_ * chunk)) {}

  void run() {
    for_each_chunk(x_.ticks, chunk_, [&](std::int64_t c, std::int64_t ticks) {
      start(c, ticks);
      const FlushDenormals flush;
      for (std::int64_t t = 0; t < ticks; ++t) tick(c, t, ticks);
      finish(ticks);
    });
    machine_.write_back();
  }

 private:
  // Rows of known vectors of a chunk, of their coefficients, and of those of what goes back: its
  // samples, traces before it and ones, then the vectors r of all ticks.
  std::int64_t rows() const { return chunk_ + extra_ + backs_ * chunk_; }
  std::int64_t row_of_trace(std::int64_t trace) const { return chunk_ + trace; }
  std::int64_t row_of_ones() const { return chunk_ + extra_ - 1; }
  std::int64_t row_of_back(std::int64_t back, std::int64_t tick) const {
    return chunk_ + extra_ + tick * backs_ + back;
  }
  T* coefficients(std::int64_t row) { return coefficients_.data() + row * neurons_; }
  T* trace_coefficients(std::int64_t trace, std::int64_t tick) {
    return trace_coefficients_.data() + (trace * chunk_ + tick) * neurons_;
  }
  T* drive(std::int64_t tick) { return drives_.data() + tick * neurons_; }
  T* known(std::int64_t row) { return known_.data() + row * x_.inputs; }
  T* shares(std::int64_t back, std::int64_t tick) {
    return shares_.data() + (tick * backs_ + back) * rows();
  }
  T* start_of_back(std::int64_t back, std::int64_t tick) {
    return starts_.data() + (tick * backs_ + back) * neurons_;
  }

  /// f(first, last) for pieces of n, on all threads where the product pays.
  template <class F>
  void by_pieces(std::int64_t n, double operations, const F& f) const {
    const EvenPieces pieces{n, kColumnUnit, std::max<std::int64_t>(1, n / (2 * kColumnUnit))};
    share_where_it_pays(pieces.pieces, operations, [&](std::int64_t i) {
      const FlushDenormals flush;
      f(pieces.begin(i), pieces.end(i));
    });
  }
  double product(std::int64_t k) const {
    return 2.0 * static_cast<double>(k) * static_cast<double>(neurons_ * x_.inputs);
  }
  MatrixRef<T> weights() const { return {run_.weights.as<T>(), neurons_, x_.inputs, x_.inputs}; }

  /// Drives of the samples of a chunk by the weights as they are.
  void start(std::int64_t c, std::int64_t ticks) {
    gram_ = samples_.gram() + c * chunk_ * chunk_;
    overlaps_ = inputs_.overlaps() + c * chunk_ * chunk_;
    sums_ = inputs_.sums() + c * chunk_;
    for (std::int64_t t = 0; t < ticks; ++t) {
      std::copy_n(samples_.data() + (c * chunk_ + t) * samples_.stride(), x_.inputs, known(t));
    }
    std::copy_n(inputs_.extra_rows() + c * extra_ * x_.inputs, extra_ * x_.inputs, known(chunk_));
    const MatrixRef<const T> x{known_.data(), ticks, x_.inputs, x_.inputs};
    by_pieces(neurons_, product(ticks), [&](std::int64_t first, std::int64_t last) {
      const MatrixRef<const T> w{run_.weights.as<T>() + first * x_.inputs, last - first, x_.inputs,
                                 x_.inputs};
      gemm(x, w.transposed(), MatrixRef<T>{drives_.data() + first, ticks, last - first, neurons_});
    });
    std::fill(coefficients_.begin(), coefficients_.end(), T(0));
    std::fill(shares_.begin(), shares_.end(), T(0));
    std::fill(kept_.begin(), kept_.end(), T(0));
    std::fill(scales_.begin(), scales_.end(), T(1));
  }

  /// The numbers of a factor as [neurons].
  const T* spread(const EquationPlace& place, std::int64_t slot) {
    const EquationCell<T> cell = machine_.cell(place);
    if (cell.stride != 0) return cell.numbers;
    T* const to = numbers_.data() + slot * neurons_;
    std::fill_n(to, neurons_, cell.numbers[0]);
    return to;
  }

  void tick(std::int64_t c, std::int64_t t, std::int64_t ticks) {
    std::copy_n(drive(t), neurons_, machine_.drives());
    machine_.step(c * chunk_ + t, gram_[t * chunk_ + t]);
    machine_.write_output(answers_.row(0, c * chunk_ + t));
    std::vector<const T*> trace_factors(static_cast<std::size_t>(traces_));
    std::vector<const T*> back_factors(static_cast<std::size_t>(backs_));
    const T* of_w = nullptr;
    const T* of_x = nullptr;
    const T* of_ones = nullptr;
    std::int64_t slot = 0;
    for (const EquationTerm& term : program_.dw_terms) {
      const T* const factor = spread(term.factor, slot++);
      switch (term.vector.kind) {
        case EquationVector::Kind::w:
          of_w = factor;
          break;
        case EquationVector::Kind::x:
          of_x = factor;
          break;
        case EquationVector::Kind::ones:
          of_ones = factor;
          break;
        case EquationVector::Kind::trace:
          trace_factors[term.vector.index] = factor;
          break;
        case EquationVector::Kind::back:
          back_factors[term.vector.index] = factor;
          break;
        case EquationVector::Kind::e:
          break;  // why_stepwise
      }
    }
    // What goes back: its products with later samples, and what it is built from.
    back_along_.resize(static_cast<std::size_t>(backs_ * chunk_));
    for (std::int64_t k = 0; k < backs_; ++k) {
      const T* const a = spread(program_.backs[static_cast<std::size_t>(k)].factors, slot++);
      for (std::int64_t u = t + 1; u < ticks; ++u) {
        back_along_[static_cast<std::size_t>(k * chunk_ + u)] = dot(a, drive(u), neurons_);
      }
      T* const from_start = start_of_back(k, t);
      for (std::int64_t i = 0; i < neurons_; ++i) {
        from_start[i] = a[i] * scales_[static_cast<std::size_t>(i)];
      }
      T* const share = shares(k, t);
      for (std::int64_t row = 0; row < t; ++row) share[row] = dot(a, coefficients(row), neurons_);
      share[row_of_ones()] = dot(a, coefficients(row_of_ones()), neurons_);
      for (std::int64_t s = 0; s < t; ++s) {
        for (std::int64_t other = 0; other < backs_; ++other) {
          const std::int64_t row = row_of_back(other, s);
          share[row] = dot(a, coefficients(row), neurons_);
        }
      }
      for (std::int64_t trace = 0; trace < traces_; ++trace) {
        T* const along = trace_shares_.data() + trace * chunk_;
        for (std::int64_t s = 0; s < t; ++s) {
          along[s] = dot(a, trace_coefficients(trace, s), neurons_);
        }
        share[row_of_trace(trace)] += fold(trace, t, along, 1, share, 1);
      }
    }
    // Later drives, and coefficients, change as the weights do.
    std::vector<const T*> vectors;
    std::vector<T> factors;
    for (std::int64_t u = t + 1; u < ticks; ++u) {
      vectors.clear();
      factors.clear();
      const auto add = [&](const T* vector, T factor) {
        if (vector == nullptr) return;
        vectors.push_back(vector);
        factors.push_back(factor);
      };
      add(of_x, gram_[u * chunk_ + t]);
      add(of_ones, sums_[u]);
      for (std::int64_t trace = 0; trace < traces_; ++trace) {
        add(trace_factors[static_cast<std::size_t>(trace)],
            overlaps_[trace * inputs_.gram_numbers() + u * chunk_ + t]);
      }
      for (std::int64_t k = 0; k < backs_; ++k) {
        add(back_factors[static_cast<std::size_t>(k)],
            back_along_[static_cast<std::size_t>(k * chunk_ + u)]);
      }
      update_(drive(u), of_w, vectors.data(), factors.data(), std::ssize(vectors), neurons_);
    }
    if (of_w != nullptr) {
      const auto keep = [&](T* row) { update_(row, of_w, nullptr, nullptr, 0, neurons_); };
      for (std::int64_t row = 0; row < t; ++row) keep(coefficients(row));
      keep(coefficients(row_of_ones()));
      for (std::int64_t s = 0; s < t; ++s) {
        for (std::int64_t k = 0; k < backs_; ++k) keep(coefficients(row_of_back(k, s)));
        for (std::int64_t trace = 0; trace < traces_; ++trace) keep(trace_coefficients(trace, s));
      }
      for (std::int64_t i = 0; i < neurons_; ++i) {
        T& kept = kept_[static_cast<std::size_t>(i)];
        kept += of_w[i] * (T(1) + kept);
        scales_[static_cast<std::size_t>(i)] *= T(1) + of_w[i];
      }
    }
    const auto put = [&](T* row, const T* factor) {
      if (factor != nullptr) {
        std::copy_n(factor, neurons_, row);
      } else {
        std::fill_n(row, neurons_, T(0));
      }
    };
    put(coefficients(t), of_x);
    for (std::int64_t k = 0; k < backs_; ++k) {
      put(coefficients(row_of_back(k, t)), back_factors[static_cast<std::size_t>(k)]);
    }
    for (std::int64_t trace = 0; trace < traces_; ++trace) {
      put(trace_coefficients(trace, t), trace_factors[static_cast<std::size_t>(trace)]);
    }
    if (of_ones != nullptr) {
      T* const row = coefficients(row_of_ones());
      for (std::int64_t i = 0; i < neurons_; ++i) row[i] += of_ones[i];
    }
    machine_.settle();
  }

  /// Coefficients of a trace at the ticks before `ticks`, `stride` numbers apart, added to those of
  /// the samples that it is made of, `step` apart; returns that of the trace before the chunk.
  T fold(std::int64_t trace, std::int64_t ticks, const T* along, std::int64_t stride, T* samples,
         std::int64_t step) const {
    const T keep = inputs_.keeps()[trace];
    T reached(0);
    for (std::int64_t s = ticks - 1; s >= 0; --s) {
      reached = keep * reached + along[s * stride];
      samples[s * step] += reached;
    }
    return keep * reached;
  }

  /// The weights after a chunk.
  void finish(std::int64_t ticks) {
    for (std::int64_t trace = 0; trace < traces_; ++trace) {
      for (std::int64_t i = 0; i < neurons_; ++i) {
        coefficients(row_of_trace(trace))[i] += fold(trace, ticks, trace_coefficients(trace, 0) + i,
                                                     neurons_, coefficients(0) + i, neurons_);
      }
    }
    const std::int64_t count = ticks * backs_;
    const std::int64_t first_back = row_of_back(0, 0);
    const MatrixRef<const T> starts{starts_.data(), count, neurons_, neurons_};
    const MatrixRef<const T> of_known{shares_.data(), count, first_back, rows()};
    by_pieces(x_.inputs, product(count) + product(first_back + count),
              [&](std::int64_t first, std::int64_t last) {
                const std::int64_t n = last - first;
                const MatrixRef<T> r{known(first_back) + first, count, n, x_.inputs};
                gemm(starts,
                     MatrixRef<const T>{run_.weights.as<T>() + first, neurons_, n, x_.inputs}, r);
                gemm(of_known, MatrixRef<const T>{known_.data() + first, first_back, n, x_.inputs},
                     r, true);
                for (std::int64_t s = 0; s < count; ++s) {
                  const T* const share = shares_.data() + s * rows() + first_back;
                  for (std::int64_t other = 0; other < s / backs_ * backs_; ++other) {
                    add_scaled(r.data + s * x_.inputs, share[other], r.data + other * x_.inputs, n);
                  }
                }
                for (std::int64_t i = 0; i < neurons_; ++i) {
                  // What hardly shrinks keeps its digits by what it loses, what is almost gone by
                  // what is left.
                  T* const w = run_.weights.as<T>() + i * x_.inputs + first;
                  const T kept = kept_[static_cast<std::size_t>(i)];
                  if (std::abs(kept) < T(0.5)) {
                    add_scaled(w, kept, w, n);
                  } else {
                    const T scale = scales_[static_cast<std::size_t>(i)];
                    for (std::int64_t j = 0; j < n; ++j) w[j] *= scale;
                  }
                }
                const MatrixRef<const T> coefficients{coefficients_.data(), first_back + count,
                                                      neurons_, neurons_};
                gemm(coefficients.transposed(),
                     MatrixRef<const T>{known_.data() + first, first_back + count, n, x_.inputs},
                     MatrixRef<T>{run_.weights.as<T>() + first, neurons_, n, x_.inputs}, true);
              });
  }

  const EquationRun& run_;
  const EquationProgram& program_;
  Samples<T> x_;
  Answers<T> answers_;
  std::int64_t chunk_;
  ChunkedSamples<T> samples_;
  EquationChunkInputs<T> inputs_;
  std::int64_t neurons_;
  std::int64_t traces_;
  std::int64_t backs_;
  std::int64_t extra_;
  EquationMachine<T> machine_;
  std::vector<T> drives_;              // [ticks, neurons]: of the weights as they are now
  std::vector<T> coefficients_;        // [rows, neurons]
  std::vector<T> trace_coefficients_;  // [traces, ticks, neurons]
  std::vector<T> kept_;                // [neurons]: what is left of the first weights, less one
  std::vector<T> scales_;              // [neurons]: the same without the one
  std::vector<T> numbers_;             // [slots, neurons]
  std::vector<T> starts_;              // [ticks, backs, neurons]: of the first weights in r
  std::vector<T> known_;               // [rows, inputs]
  std::vector<T> shares_;              // [ticks, backs, rows]: of the known vectors in r
  std::vector<T> trace_shares_;        // [traces, ticks]
  std::vector<T> back_along_;          // [backs, ticks]: r . x of later samples
  const T* gram_ = nullptr;
  const T* overlaps_ = nullptr;
  const T* sums_ = nullptr;
  decltype(GAIA_VECTOR_KERNEL(update_equation_row<T>)) update_ =
      GAIA_VECTOR_KERNEL(update_equation_row<T>);
};

}  // namespace

template <class T>
void run_equations_back(const EquationRun& run, std::int64_t chunk, Backend& backend) {
  BackLayer<T>(run, chunk, backend).run();
}

template void run_equations_back<float>(const EquationRun&, std::int64_t, Backend&);
template void run_equations_back<double>(const EquationRun&, std::int64_t, Backend&);

}  // namespace gaia::cpu
