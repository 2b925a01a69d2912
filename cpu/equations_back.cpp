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
///
/// Where each tick takes as much of r_t as it adds of its sample, as rules do that learn from what
/// is left of a sample, x_t - r_t is one vector with one coefficient: it rides on its sample.  Then
/// a chunk takes three products in place of four, and half of the recurrence.
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
        backend_(backend),
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
        trace_shares_(static_cast<std::size_t>(traces_ * chunk)),
        keeps_(has_term(program_, EquationVector::Kind::w)),
        has_ones_(has_term(program_, EquationVector::Kind::ones)),
        may_ride_(backs_ == 1 && traces_ == 0 && has_term(program_, EquationVector::Kind::x) &&
                  has_term(program_, EquationVector::Kind::back)) {}

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
    const Workspace<T> room(backend_, packed_room<T>(x_.inputs, ticks) + neurons_ * ticks);
    const PackedMatrix<T> packed = pack(x.transposed(), room.data());
    T* const turned = room.data() + packed_room<T>(x_.inputs, ticks);  // [neurons, ticks]
    by_pieces(neurons_, product(ticks), [&](std::int64_t first, std::int64_t last) {
      const MatrixRef<const T> w{run_.weights.as<T>() + first * x_.inputs, last - first, x_.inputs,
                                 x_.inputs};
      T* const own = turned + first * ticks;
      gemm(w, packed, MatrixRef<T>{own, last - first, ticks, ticks});
      turn_(own, ticks, last - first, ticks, drives_.data() + first, neurons_);
    });
    rides_ = may_ride_;
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
    if (rides_ && !rides(of_x, back_factors[0])) stop_riding(t);
    if (rides_) {
      ride(t, ticks, of_w, of_x, of_ones, slot);
    } else {
      go_back(t, ticks, of_w, of_x, of_ones, trace_factors, back_factors, slot);
    }
    if (of_w != nullptr) keep(t, of_w);
    const auto put = [&](T* row, const T* factor) {
      if (factor != nullptr) {
        std::copy_n(factor, neurons_, row);
      } else {
        std::fill_n(row, neurons_, T(0));
      }
    };
    put(coefficients(t), of_x);
    for (std::int64_t k = 0; k < backs_ && !rides_; ++k) {
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

  /// Whether a tick adds of its sample exactly what it takes of what goes back.
  bool rides(const T* of_x, const T* of_back) const {
    std::int32_t others = 0;
    for (std::int64_t i = 0; i < neurons_; ++i) others += of_x[i] != -of_back[i] ? 1 : 0;
    return others == 0;
  }

  /// What is left of a tick's sample rides on it: its products with later samples, and what it is
  /// built from.  Drives of later samples change as the weights do.
  void ride(std::int64_t t, std::int64_t ticks, const T* of_w, const T* of_x, const T* of_ones,
            std::int64_t slot) {
    const T* const a = spread(program_.backs[0].factors, slot);
    start_from(a, start_of_back(0, t));
    T* const share = shares(0, t);
    for (std::int64_t row = 0; row < t; ++row) share[row] = dot(a, coefficients(row), neurons_);
    if (has_ones_) share[row_of_ones()] = dot(a, coefficients(row_of_ones()), neurons_);
    const T* const vectors[] = {of_x, of_ones};
    for (std::int64_t u = t + 1; u < ticks; ++u) {
      const T left = gram_[u * chunk_ + t] - dot(a, drive(u), neurons_);
      const T factors[] = {left, sums_[u]};
      update_(drive(u), of_w, vectors, factors, of_ones != nullptr ? 2 : 1, neurons_);
    }
  }

  /// From tick t on what goes back has coefficients of its own.
  void stop_riding(std::int64_t t) {
    for (std::int64_t s = 0; s < t; ++s) {
      const T* const from = coefficients(s);
      T* const to = coefficients(row_of_back(0, s));
      for (std::int64_t i = 0; i < neurons_; ++i) to[i] = -from[i];
      for (std::int64_t other = 0; other < s; ++other) {
        shares(0, s)[row_of_back(0, other)] = -shares(0, s)[other];
      }
    }
    rides_ = false;
  }

  /// What of the first weights is in what goes back by the factors a.
  void start_from(const T* a, T* to) const {
    if (!keeps_) return std::copy_n(a, neurons_, to), void();
    for (std::int64_t i = 0; i < neurons_; ++i) to[i] = a[i] * scales_[static_cast<std::size_t>(i)];
  }

  /// What goes back: its products with later samples, and what it is built from.  Drives of later
  /// samples change as the weights do.
  void go_back(std::int64_t t, std::int64_t ticks, const T* of_w, const T* of_x, const T* of_ones,
               const std::vector<const T*>& trace_factors,
               const std::vector<const T*>& back_factors, std::int64_t slot) {
    back_along_.resize(static_cast<std::size_t>(backs_ * chunk_));
    for (std::int64_t k = 0; k < backs_; ++k) {
      const T* const a = spread(program_.backs[static_cast<std::size_t>(k)].factors, slot++);
      for (std::int64_t u = t + 1; u < ticks; ++u) {
        back_along_[static_cast<std::size_t>(k * chunk_ + u)] = dot(a, drive(u), neurons_);
      }
      start_from(a, start_of_back(k, t));
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
  }

  /// Coefficients of the ticks before t change as the weights do.
  void keep(std::int64_t t, const T* of_w) {
    const auto keep_row = [&](T* row) { update_(row, of_w, nullptr, nullptr, 0, neurons_); };
    for (std::int64_t row = 0; row < t; ++row) keep_row(coefficients(row));
    keep_row(coefficients(row_of_ones()));
    for (std::int64_t s = 0; s < t; ++s) {
      for (std::int64_t k = 0; k < backs_ && !rides_; ++k) {
        keep_row(coefficients(row_of_back(k, s)));
      }
      for (std::int64_t trace = 0; trace < traces_; ++trace) keep_row(trace_coefficients(trace, s));
    }
    for (std::int64_t i = 0; i < neurons_; ++i) {
      T& kept = kept_[static_cast<std::size_t>(i)];
      kept += of_w[i] * (T(1) + kept);
      scales_[static_cast<std::size_t>(i)] *= T(1) + of_w[i];
    }
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
    rides_ ? finish_riding(ticks) : finish_all(ticks);
  }

  /// Columns of the weights by what ticks leave of their samples: x_t - r_t takes the place of x_t.
  void finish_riding(std::int64_t ticks) {
    constexpr std::int64_t kRowsTogether = 8;
    for (std::int64_t s = 0; s < ticks; ++s) {
      T* const start = start_of_back(0, s);
      for (std::int64_t i = 0; i < neurons_; ++i) start[i] = -start[i];
      T* const share = shares(0, s);
      for (std::int64_t other = 0; other < s; ++other) share[other] = -share[other];
    }
    by_pieces(x_.inputs, 2 * product(ticks), [&](std::int64_t first, std::int64_t last) {
      const std::int64_t n = last - first;
      const MatrixRef<T> left{known(0) + first, ticks, n, x_.inputs};
      const MatrixRef<const T> samples{left.data, ticks, n, x_.inputs};
      const MatrixRef<T> w{run_.weights.as<T>() + first, neurons_, n, x_.inputs};
      gemm(MatrixRef<const T>{starts_.data(), ticks, neurons_, neurons_},
           MatrixRef<const T>{w.data, neurons_, n, x_.inputs}, left, true);
      for (std::int64_t begin = 0; begin < ticks; begin += kRowsTogether) {
        const std::int64_t end = std::min(ticks, begin + kRowsTogether);
        gemm(MatrixRef<const T>{shares(0, begin), end - begin, begin, rows()},
             samples.rows_between(0, begin), left.rows_between(begin, end), true);
        for (std::int64_t s = begin; s < end; ++s) {
          T* const row = left.data + s * x_.inputs;
          for (std::int64_t other = begin; other < s; ++other) {
            add_scaled(row, shares(0, s)[other], left.data + other * x_.inputs, n);
          }
          const T of_ones = has_ones_ ? shares(0, s)[row_of_ones()] : T(0);
          for (std::int64_t j = 0; has_ones_ && j < n; ++j) row[j] -= of_ones;
        }
      }
      shrink(first, n);
      const MatrixRef<const T> of_samples{coefficients(0), ticks, neurons_, neurons_};
      gemm(of_samples.transposed(), samples, w, true);
      for (std::int64_t i = 0; has_ones_ && i < neurons_; ++i) {
        const T of_ones = coefficients(row_of_ones())[i];
        for (std::int64_t j = 0; j < n; ++j) w.data[i * x_.inputs + j] += of_ones;
      }
    });
  }

  /// Columns of the weights, in the general case.
  void finish_all(std::int64_t ticks) {
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
                shrink(first, n);
                const MatrixRef<const T> coefficients{coefficients_.data(), first_back + count,
                                                      neurons_, neurons_};
                gemm(coefficients.transposed(),
                     MatrixRef<const T>{known_.data() + first, first_back + count, n, x_.inputs},
                     MatrixRef<T>{run_.weights.as<T>() + first, neurons_, n, x_.inputs}, true);
              });
  }

  /// What is left of the first weights, of n inputs from `first` on.  What hardly shrinks keeps its
  /// digits by what it loses, what is almost gone by what is left.
  void shrink(std::int64_t first, std::int64_t n) const {
    for (std::int64_t i = 0; keeps_ && i < neurons_; ++i) {
      T* const w = run_.weights.as<T>() + i * x_.inputs + first;
      const T kept = kept_[static_cast<std::size_t>(i)];
      if (std::abs(kept) < T(0.5)) {
        add_scaled(w, kept, w, n);
      } else {
        const T scale = scales_[static_cast<std::size_t>(i)];
        for (std::int64_t j = 0; j < n; ++j) w[j] *= scale;
      }
    }
  }

  const EquationRun& run_;
  const EquationProgram& program_;
  Samples<T> x_;
  Answers<T> answers_;
  Backend& backend_;
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
  bool keeps_;                         // whether weights change by shares of themselves
  bool has_ones_;
  bool may_ride_;
  bool rides_ = false;  // all ticks of the chunk so far
  const T* gram_ = nullptr;
  const T* overlaps_ = nullptr;
  const T* sums_ = nullptr;
  decltype(GAIA_VECTOR_KERNEL(update_equation_row<T>)) update_ =
      GAIA_VECTOR_KERNEL(update_equation_row<T>);
  decltype(GAIA_VECTOR_KERNEL(transpose_matrix<T>)) turn_ = GAIA_VECTOR_KERNEL(transpose_matrix<T>);
};

}  // namespace

template <class T>
void run_equations_back(const EquationRun& run, std::int64_t chunk, Backend& backend) {
  BackLayer<T>(run, chunk, backend).run();
}

template void run_equations_back<float>(const EquationRun&, std::int64_t, Backend&);
template void run_equations_back<double>(const EquationRun&, std::int64_t, Backend&);

}  // namespace gaia::cpu
