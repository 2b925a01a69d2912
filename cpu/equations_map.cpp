// SPDX-License-Identifier: MIT
/// \file
/// Rules in which something goes back to the inputs, chunkwise and exact sample by sample, by what
/// a tick does to each column of W: Sanger's rule and its kind.
///
/// Where each neuron has a sum of its own, back_upto(a)_i = the sum of a_j w_j over j <= i, what a
/// tick adds is no single vector for a layer, so that weights are not carried as coefficients (as
/// equations_back.cpp does).  But what a tick does to W, it does to each of its columns alone,
/// given the factors of the neurons; and z by later samples, which are sums of columns, change by
/// the same map.  So the drives of a chunk's samples are taken through it tick by tick, a matrix
/// [neurons, ticks], and the columns of W once the chunk is over, block by block: no block waits
/// for another, and several ticks go down the neurons together while a block stays in a near cache.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "chunked_samples.h"
#include "denormals.h"
#include "equation_chunk_inputs.h"
#include "equation_machine.h"
#include "equations.h"
#include "gemm.h"
#include "plastic.h"
#include "vector/equation_map.h"

namespace gaia::cpu {
namespace {

template <class T>
class MapLayer {
 public:
  MapLayer(const EquationRun& run, std::int64_t chunk, Backend& backend)
      : run_(run),
        program_(*run.program),
        backend_(backend),
        x_(run.samples),
        answers_(run.outputs),
        chunk_(chunk),
        samples_(run.samples, chunk, backend),
        inputs_(prepared_inputs(run, samples_, chunk, backend)),
        neurons_(run.weights.shape[0]),
        machine_(run, 0, 0, neurons_),
        shape_(GAIA_VECTOR_KERNEL(equation_map_shape<T>)()),
        lanes_(shape_.lanes),
        drive_row_(whole_vectors(chunk)),
        known_row_(whole_vectors(x_.inputs)),
        map_columns_(GAIA_VECTOR_KERNEL(map_columns<T>)) {
    find_factors();
    drives_.resize(static_cast<std::size_t>(neurons_ * drive_row_));
    along_.resize(static_cast<std::size_t>(knowns() * chunk_ * drive_row_));
    known_.resize(static_cast<std::size_t>(knowns() * chunk_ * known_row_));
    pairs_.resize(static_cast<std::size_t>(chunk_ * 2 * backs() * neurons_));
    others_.resize(static_cast<std::size_t>(chunk_ * numbers() * neurons_));
    if (together_ > 1) packed_.resize(static_cast<std::size_t>(chunk_ * 2 * neurons_));
    rides_.resize(static_cast<std::size_t>(chunk_));
    kept_.resize(static_cast<std::size_t>(chunk_));
    shares_.resize(static_cast<std::size_t>(chunk_));
  }

  void run() {
    for_each_chunk(x_.ticks, chunk_, [&](std::int64_t c, std::int64_t ticks) {
      start(c, ticks);
      {
        const FlushDenormals flush;
        for (std::int64_t t = 0; t < ticks; ++t) tick(c, t, ticks);
      }
      finish(ticks);
    });
    machine_.write_back();
  }

 private:
  /// The factors of a neuron and tick, in the order that EquationMap asks for.
  void find_factors() {
    std::vector<EquationTerm> knowns;
    for (const EquationBack& back : program_.backs) {
      const auto term = std::find_if(
          program_.dw_terms.begin(), program_.dw_terms.end(), [&](const EquationTerm& of) {
            return of.vector == EquationVector{EquationVector::Kind::back,
                                               static_cast<std::uint16_t>(places_.size() / 2)};
          });
      places_.push_back(back.factors);
      places_.push_back(term->factor);
    }
    // A sample last: it may ride.
    for (const EquationTerm& term : program_.dw_terms) {
      switch (term.vector.kind) {
        case EquationVector::Kind::trace:
        case EquationVector::Kind::ones:
          knowns.insert(knowns.begin(), term);
          break;
        case EquationVector::Kind::x:
          knowns.push_back(term);
          break;
        case EquationVector::Kind::w:
          keep_ = term.factor;
          break;
        case EquationVector::Kind::back:
          break;
        case EquationVector::Kind::e:
          break;  // why_stepwise
      }
    }
    for (const EquationTerm& term : knowns) {
      vectors_.push_back(term.vector);
      places_.push_back(term.factor);
    }
    if (keep_) places_.push_back(*keep_);
    upto_ = std::make_unique<bool[]>(program_.backs.size());
    for (std::size_t b = 0; b < program_.backs.size(); ++b) upto_[b] = program_.backs[b].upto;
    may_ride_ = backs() == 1 && upto_[0] && !vectors_.empty() &&
                vectors_.back().kind == EquationVector::Kind::x;
    together_ = backs() == 1 && upto_[0] ? shape_.ticks : 1;
  }

  std::int64_t whole_vectors(std::int64_t n) const { return (n + lanes_ - 1) / lanes_ * lanes_; }
  std::int64_t backs() const { return std::ssize(program_.backs); }
  std::int64_t knowns() const { return std::ssize(vectors_); }
  std::int64_t numbers() const { return std::ssize(places_) - 2 * backs(); }

  /// The known vectors of a tick for the inputs, and their products with the chunk's samples.
  T* known(std::int64_t q, std::int64_t tick) {
    return known_.data() + (q * chunk_ + tick) * known_row_;
  }
  T* along(std::int64_t q, std::int64_t tick) {
    return along_.data() + (q * chunk_ + tick) * drive_row_;
  }
  T* pairs(std::int64_t tick) { return pairs_.data() + tick * 2 * backs() * neurons_; }
  T* others(std::int64_t tick) { return others_.data() + tick * numbers() * neurons_; }
  /// Pairs of ticks that go together, from `tick` on.
  T* packed(std::int64_t tick) { return packed_.data() + tick * 2 * neurons_; }

  /// f(first, last) for `pieces` even pieces of n units, on all threads where that pays.
  template <class F>
  static void by_pieces(const EvenPieces& pieces, double operations, const F& f) {
    share_where_it_pays(pieces.pieces, operations, [&](std::int64_t i) {
      const FlushDenormals flush;
      f(pieces.begin(i), pieces.end(i));
    });
  }
  double products(std::int64_t ticks) const {
    return 2.0 * static_cast<double>(ticks) * static_cast<double>(neurons_ * x_.inputs);
  }

  /// What is known of a chunk, and its drives by the weights as they are.
  void start(std::int64_t c, std::int64_t ticks) {
    const T* const gram = samples_.gram() + c * chunk_ * chunk_;
    gram_ = gram;
    for (std::int64_t q = 0; q < knowns(); ++q) read_known(c, q, ticks);
    for (std::int64_t q = 0; q < knowns(); ++q) {
      const EquationVector& vector = vectors_[static_cast<std::size_t>(q)];
      const T* const overlaps =
          inputs_.overlaps() + vector.index * inputs_.gram_numbers() + c * chunk_ * chunk_;
      const T* const sums = inputs_.sums() + c * chunk_;
      for (std::int64_t t = 0; t < ticks; ++t) {
        for (std::int64_t u = t + 1; u < ticks; ++u) {
          along(q, t)[u] = vector.kind == EquationVector::Kind::ones ? sums[u]
                           : vector.kind == EquationVector::Kind::x  ? gram[u * chunk_ + t]
                                                                     : overlaps[u * chunk_ + t];
        }
      }
    }
    const T* const samples = samples_.data() + c * chunk_ * samples_.stride();
    const MatrixRef<const T> x{samples, ticks, x_.inputs, samples_.stride()};
    const Workspace<T> room(backend_, packed_room<T>(x_.inputs, ticks));
    const PackedMatrix<T> packed = pack(x.transposed(), room.data());
    const std::int64_t pieces = std::max<std::int64_t>(1, neurons_ / (4 * kRowUnit));
    by_pieces({neurons_, kRowUnit, pieces}, products(ticks),
              [&](std::int64_t first, std::int64_t last) {
                const MatrixRef<const T> w{run_.weights.as<T>() + first * x_.inputs, last - first,
                                           x_.inputs, x_.inputs};
                T* const drives = drives_.data() + first * drive_row_;
                gemm(w, packed, MatrixRef<T>{drives, last - first, ticks, drive_row_});
              });
  }

  void read_known(std::int64_t c, std::int64_t q, std::int64_t ticks) {
    const EquationVector& vector = vectors_[static_cast<std::size_t>(q)];
    const std::int64_t extra = inputs_.extra_count();
    const T* before = inputs_.extra_rows() + (c * extra + vector.index) * x_.inputs;
    for (std::int64_t t = 0; t < ticks; ++t) {
      const T* const x = samples_.data() + (c * chunk_ + t) * samples_.stride();
      T* const row = known(q, t);
      if (vector.kind == EquationVector::Kind::ones) {
        std::fill_n(row, x_.inputs, T(1));
      } else if (vector.kind == EquationVector::Kind::x) {
        std::copy_n(x, x_.inputs, row);
      } else {
        std::copy_n(before, x_.inputs, row);
        advance_trace(row, inputs_.keeps()[vector.index], x, x_.inputs);
        before = row;
      }
    }
  }

  void tick(std::int64_t c, std::int64_t t, std::int64_t ticks) {
    T* const z = machine_.drives();
    for (std::int64_t i = 0; i < neurons_; ++i)
      z[i] = drives_[static_cast<std::size_t>(i * drive_row_ + t)];
    machine_.step(c * chunk_ + t, gram_[t * chunk_ + t]);
    machine_.write_output(answers_.row(0, c * chunk_ + t));
    for (std::int64_t slot = 0; slot < std::ssize(places_); ++slot) {
      const EquationCell<T> cell = machine_.cell(places_[static_cast<std::size_t>(slot)]);
      const std::int64_t other = slot - 2 * backs();
      T* const own = other < 0 ? pairs(t) + slot * neurons_ : others(t) + other * neurons_;
      if (cell.stride == 0) {
        std::fill_n(own, neurons_, cell.numbers[0]);
      } else {
        std::copy_n(cell.numbers, neurons_, own);
      }
    }
    rides_[static_cast<std::size_t>(t)] = may_ride_ && rides(t);
    kept_[static_cast<std::size_t>(t)] = keep_ ? kept(t) : 0.0;
    shares_[static_cast<std::size_t>(t)] = 0.0;
    change_drives(t, ticks);
    machine_.settle();
  }

  /// Later drives change as the weights do.  Those by samples of the ticks that go together with
  /// this one change at once, the others when all of these are there.
  void change_drives(std::int64_t t, std::int64_t ticks) {
    const std::int64_t vectors = whole_vectors(ticks) / lanes_;
    const std::int64_t first = t / together_ * together_;
    const std::int64_t last = first + together_ - 1;
    const std::int64_t near = together_ == 1 ? vectors : std::min(vectors, last / lanes_ + 1);
    if (t + 1 < ticks) move_drives(t, 1, (t + 1) / lanes_, near);
    if (together_ == 1 || t != last) return;
    take_out_share(first);
    turn_(pairs(first), neurons_, 2 * together_, neurons_, packed(first), 2 * together_);
    move_drives(first, together_, near, vectors);
  }

  /// Drives by the samples of the vectors [first, last) change by some ticks from t on.
  void move_drives(std::int64_t t, std::int64_t ticks, std::int64_t first, std::int64_t last) {
    if (first >= last) return;
    T* const columns = drives_.data() + first * lanes_;
    map_columns_(map_of(t, ticks, along(0, t) + first * lanes_, drive_row_), ticks, last - first,
                 columns, drive_row_, columns, drive_row_);
  }

  /// Share of themselves by which all weights change at tick t; NaN where neurons differ in it.
  double kept(std::int64_t t) {
    const T* const shares = others(t) + (numbers() - 1) * neurons_;
    const bool is_one = std::all_of(shares, shares + neurons_, [&](T x) { return x == shares[0]; });
    return is_one ? static_cast<double>(shares[0]) : std::nan("");
  }
  /// Takes the share that all weights keep of themselves at each tick, as under a decay, out of the
  /// ticks that go together: they go on with W divided by what has been kept since the first of
  /// them, and one multiplication of W after the last does for all.
  void take_out_share(std::int64_t first) {
    const auto begin = kept_.begin() + first;
    // Weights that nearly vanish or explode at a tick go the other way.
    const bool may_be = std::all_of(begin, begin + together_,
                                    [](double share) { return share >= -0.5 && share <= 1.0; });
    if (!may_be) return;
    double share = 0.0;  // (1 + share) is what has been kept so far
    for (std::int64_t t = first; t < first + together_; ++t) {
      T* const of_weights = pairs(t);
      T* const of_sums = of_weights + neurons_;
      const T before = static_cast<T>(1.0 + share);
      share += kept_[static_cast<std::size_t>(t)] * (1.0 + share);
      const T after = static_cast<T>(1.0 / (1.0 + share));
      for (std::int64_t i = 0; i < neurons_; ++i) {
        of_weights[i] *= before;
        of_sums[i] *= after;
      }
      T* const of_known = others(t);
      for (std::int64_t i = 0; i < knowns() * neurons_; ++i) of_known[i] *= after;
      kept_[static_cast<std::size_t>(t)] = 0.0;
    }
    shares_[static_cast<std::size_t>(first)] = share;
  }
  /// Whether what a tick adds of its sample is exactly what it takes of the sums.
  bool rides(std::int64_t t) {
    const T* const of_sums = pairs(t) + neurons_;
    const T* const of_sample = others(t) + (knowns() - 1) * neurons_;
    std::int32_t different = 0;
    for (std::int64_t i = 0; i < neurons_; ++i) different += of_sample[i] != -of_sums[i] ? 1 : 0;
    return different == 0;
  }

  /// `ticks` ticks from t on; `known` are the columns' numbers of the first known vector at t.
  EquationMap<T> map_of(std::int64_t t, std::int64_t ticks, const T* known, std::int64_t row) {
    const auto any = [&](const auto& flags, const auto& is) {
      return std::any_of(flags.begin() + t, flags.begin() + t + ticks, is);
    };
    return {.neurons = neurons_,
            .pairs = ticks == 1 ? pairs(t) : packed(t),
            .others = others(t),
            .numbers = numbers(),
            .keeps = any(kept_, [](double share) { return share != 0.0; }),
            .upto = upto_.get(),
            .backs = backs(),
            .known = known,
            .knowns = knowns(),
            .known_stride = chunk_ * row,
            .tick_stride = row,
            .last_rides = !any(rides_, [](char ride) { return ride == 0; }),
            .share_after = static_cast<T>(shares_[static_cast<std::size_t>(t)])};
  }

  /// The weights after a chunk.
  void finish(std::int64_t ticks) {
    const std::int64_t vectors = known_row_ / lanes_;
    const std::int64_t pieces = (vectors + shape_.vectors - 1) / shape_.vectors;
    by_pieces({vectors, shape_.vectors, pieces}, 2 * products(ticks),
              [&](std::int64_t first, std::int64_t last) {
                const Workspace<T> room(backend_, neurons_ * (last - first) * lanes_);
                map_weights(ticks, first * lanes_, last - first, room.data());
              });
  }

  /// The columns of some vectors from `column` on, in `room` between their first and last ticks.
  void map_weights(std::int64_t ticks, std::int64_t column, std::int64_t vectors, T* room) {
    const std::int64_t width = vectors * lanes_;
    T* const weights = run_.weights.as<T>() + column;
    const std::int64_t count = std::min(width, x_.inputs - column);
    const bool in_room = count < width;  // no vector may end behind a row
    if (in_room) {
      for (std::int64_t i = 0; i < neurons_; ++i) {
        std::copy_n(weights + i * x_.inputs, count, room + i * width);
        std::fill_n(room + i * width + count, width - count, T(0));
      }
    }
    for (std::int64_t t = 0; t < ticks;) {
      const std::int64_t step = t + together_ <= ticks ? together_ : 1;
      const bool reads_room = in_room || t > 0;
      const bool writes_room = in_room || t + step < ticks;
      map_columns_(map_of(t, step, known(0, t) + column, known_row_), step, vectors,
                   reads_room ? room : weights, reads_room ? width : x_.inputs,
                   writes_room ? room : weights, writes_room ? width : x_.inputs);
      t += step;
    }
    for (std::int64_t i = 0; in_room && i < neurons_; ++i) {
      std::copy_n(room + i * width, count, weights + i * x_.inputs);
    }
  }

  const EquationRun& run_;
  const EquationProgram& program_;
  Backend& backend_;
  Samples<T> x_;
  Answers<T> answers_;
  std::int64_t chunk_;
  ChunkedSamples<T> samples_;
  EquationChunkInputs<T> inputs_;
  std::int64_t neurons_;
  EquationMachine<T> machine_;
  EquationMapShape shape_;
  std::int64_t lanes_;
  std::int64_t drive_row_;
  std::int64_t known_row_;
  std::vector<EquationPlace> places_;    // places of the factors of a neuron and tick
  std::vector<EquationVector> vectors_;  // vectors that are known
  std::optional<EquationPlace> keep_;    // factor of w
  std::unique_ptr<bool[]> upto_;         // [backs]
  bool may_ride_ = false;
  std::int64_t together_ = 1;  // ticks that go through W together
  std::vector<T> drives_;      // [neurons, ticks]: by the weights as they are now
  std::vector<T> along_;       // [known vectors, ticks, ticks]: products with later samples
  std::vector<T> known_;       // [known vectors, ticks, inputs]
  std::vector<T> pairs_;       // [ticks, backs, 2, neurons]: see EquationMap
  std::vector<T> others_;      // [ticks, numbers, neurons]
  std::vector<T> packed_;      // of ticks that go together, [neurons, ticks, 2], one after another
  std::vector<char> rides_;    // [ticks]: see EquationMap
  // [ticks]: share of itself by which each weight changes at a tick, NaN where neurons differ, and
  // that by which all change after the ticks that begin here and go together
  std::vector<double> kept_;
  std::vector<double> shares_;
  const T* gram_ = nullptr;
  decltype(GAIA_VECTOR_KERNEL(map_columns<T>)) map_columns_;
  decltype(GAIA_VECTOR_KERNEL(transpose_matrix<T>)) turn_ = GAIA_VECTOR_KERNEL(transpose_matrix<T>);
};

}  // namespace

template <class T>
void run_equations_map(const EquationRun& run, std::int64_t chunk, Backend& backend) {
  MapLayer<T>(run, chunk, backend).run();
}

template void run_equations_map<float>(const EquationRun&, std::int64_t, Backend&);
template void run_equations_map<double>(const EquationRun&, std::int64_t, Backend&);

}  // namespace gaia::cpu
