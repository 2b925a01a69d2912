// SPDX-License-Identifier: MIT
#include "auto_rate.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "../array/create.h"
#include "../array/device.h"
#include "../array/ops.h"
#include "../array/reductions.h"
#include "../core/message.h"

namespace gaia {
namespace {

/// By how much of itself the rate falls until its course ends.
constexpr double kFall = 100.0;
/// Ticks after which it is half of what it was, where no end is known.
constexpr double kHalving = 300.0;
/// Stretches, at least, between a tick and the one of twice its number.
constexpr std::int64_t kStretches = 16;

enum Stored : std::uint8_t {
  ticks_done,
  inputs,  // ticks with |x|^2 > 0 that were measured
  squares,
  largest,
  stretch_rate,
  told_rate,  // the last one that was reported as a change
  course_ticks,
  course_falls,
  course_given,
  places
};

std::int64_t stretch_length(std::int64_t tick) {
  std::int64_t length = 1;
  while (2 * kStretches * length <= tick) length *= 2;
  return length;
}

/// Sum over rows that lie one after another, in an order that depends on their length alone.
template <class T>
double sum_of_squares(const T* x, std::int64_t n) {
  constexpr std::int64_t lanes = 8;
  double sums[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (std::int64_t k = 0; k < lanes; ++k) {
      sums[k] += static_cast<double>(x[i + k]) * static_cast<double>(x[i + k]);
    }
  }
  double sum = 0.0;
  for (; i < n; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  for (const double part : sums) sum += part;
  return sum;
}

template <class T>
void add_squares(const Array& samples, std::vector<double>& squares) {
  const Array rows = samples.contiguous();
  const T* const x = rows.elements<T>().data();
  const std::int64_t n = rows.shape(2);
  for (std::size_t i = 0; i < squares.size(); ++i) {
    squares[i] = sum_of_squares(x + static_cast<std::int64_t>(i) * n, n);
  }
}

/// |x|^2 of samples [streams, ticks, inputs], on the host, stream by stream.
std::vector<double> squares_of(const Array& samples) {
  if (!samples.device().is_cpu()) {
    std::vector<double> squares = norm(samples, {2}).to_vector<double>();
    for (double& square : squares) square *= square;
    return squares;
  }
  std::vector<double> squares(static_cast<std::size_t>(samples.shape(0) * samples.shape(1)));
  if (samples.dtype() == DType::float32) {
    add_squares<float>(samples, squares);
  } else {
    add_squares<double>(samples, squares);
  }
  return squares;
}

}  // namespace

AutoRate::AutoRate(double limit) : limit_(limit) {
  if (!(limit > 0.0) || !std::isfinite(limit)) {
    fail<ArgumentError>("[AutoRate] expected a finite limit above 0, got {}", limit);
  }
  const GPUContext host(Device::cpu());  // which chooses rates, whatever learns
  numbers_ = zeros({places}, DType::float64);
  begin({});
}

AutoRate::AutoRate(const AutoRate& other)
    : limit_(other.limit_), numbers_(other.numbers_.copy()), changes_(other.changes_) {}

AutoRate& AutoRate::operator=(const AutoRate& other) {
  limit_ = other.limit_;
  numbers_ = other.numbers_.copy();
  changes_ = other.changes_;
  return *this;
}

double& AutoRate::at(int place) const {
  return numbers_.elements<double>()[static_cast<std::size_t>(place)];
}

void AutoRate::begin(const RateCourse& course) {
  if (course.ticks < 0 || !(course.given >= 0.0) || !std::isfinite(course.given)) {
    fail<ArgumentError>("[AutoRate] expected ticks and a given rate of at least 0, got {} and {}",
                        course.ticks, course.given);
  }
  std::ranges::fill(numbers_.elements<double>(), 0.0);
  at(course_ticks) = static_cast<double>(course.ticks);
  at(course_falls) = course.falls ? 1.0 : 0.0;
  at(course_given) = course.given;
  at(stretch_rate) = course.given;
  changes_.clear();
}

double AutoRate::rate() const { return at(stretch_rate); }

double AutoRate::last_rate() const { return at(told_rate); }

std::int64_t AutoRate::ticks() const { return static_cast<std::int64_t>(at(ticks_done)); }

double AutoRate::mean_square() const { return at(inputs) > 0.0 ? at(squares) / at(inputs) : 0.0; }

double AutoRate::largest_square() const { return at(largest); }

std::vector<AutoRate::Change> AutoRate::take_changes() { return std::exchange(changes_, {}); }

double AutoRate::rate_at(std::int64_t tick) const {
  if (at(course_given) > 0.0) return at(course_given);
  const double mean = mean_square();
  if (mean == 0.0) return 0.0;
  const double course = at(course_ticks);
  const auto n = static_cast<double>(tick);
  const double fallen = course > 0.0 ? kFall * std::min(n, course) / course : n / kHalving;
  return kAutoShare * limit_ / mean / (at(course_falls) > 0.0 ? 1.0 + fallen : 1.0);
}

RateCourse AutoRate::course() const {
  return {.ticks = static_cast<std::int64_t>(at(course_ticks)),
          .falls = at(course_falls) > 0.0,
          .given = at(course_given)};
}

/// Takes the |x|^2 [streams, ticks] of a tick of a block.
void AutoRate::measure(const std::vector<double>& all, std::int64_t tick, std::int64_t ticks) {
  double sum = 0.0;
  double most = 0.0;
  const std::int64_t streams = std::ssize(all) / ticks;
  for (std::int64_t stream = 0; stream < streams; ++stream) {
    const double square = all[static_cast<std::size_t>(stream * ticks + tick)];
    sum += square;
    most = std::max(most, square);
  }
  if (!(sum > 0.0) || !std::isfinite(sum)) return;
  at(inputs) += 1.0;
  at(squares) += sum / static_cast<double>(streams);
  at(largest) = std::max(at(largest), most);
}

std::vector<AutoRate::Stretch> AutoRate::read(const Array& samples, double factor) {
  const std::int64_t ticks = samples.shape(1);
  const std::vector<double> all = squares_of(samples);
  const std::int64_t streams = samples.shape(0);
  const auto end = static_cast<std::int64_t>(at(course_ticks));
  const bool is_given = at(course_given) > 0.0;
  std::vector<Stretch> stretches;
  for (std::int64_t i = 0; i < ticks; ++i) {
    const std::int64_t tick = this->ticks();
    if (!is_given && (end == 0 || tick < end)) {
      measure(all, i, ticks);
      const bool is_first = at(stretch_rate) == 0.0;
      if (is_first || tick % stretch_length(tick) == 0) {
        at(stretch_rate) = rate_at(tick);
      }
    }
    const double usual = at(stretch_rate) * factor;
    if (usual != at(told_rate)) {
      at(told_rate) = usual;
      changes_.push_back({tick, usual});
    }
    double longest = 0.0;
    for (std::int64_t stream = 0; stream < streams; ++stream) {
      longest = std::max(longest, all[static_cast<std::size_t>(stream * ticks + i)]);
    }
    const double most = kAutoMost * limit_ / longest;  // infinite of an input of zeros
    const double rate = most < usual ? most : usual;
    if (stretches.empty() || stretches.back().rate != rate) stretches.push_back({i, i, rate});
    stretches.back().end = i + 1;
    at(ticks_done) += 1.0;
    if (!is_given && tick + 1 == end) at(stretch_rate) = rate_at(end);
  }
  return stretches;
}

}  // namespace gaia
