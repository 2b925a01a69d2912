// SPDX-License-Identifier: MIT
#include "filter_layer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include "../../array/create.h"
#include "../../array/device.h"
#include "../../core/message.h"
#include "../../filters/kalman_filter.h"

namespace gaia {
namespace {

/// On the host, whatever device is current.
Array host_array(std::span<const double> numbers, const Shape& shape) {
  const GPUContext host(Device::cpu());
  return from_values(std::vector<double>(numbers.begin(), numbers.end()), shape);
}

/// A square matrix; without elements where there is none.
Array host_square(std::span<const double> numbers, std::int64_t size) {
  if (numbers.empty()) return {};
  return host_array(numbers, {size, size});
}

/// Stands for infinity in what is carried, as the logarithm of a probability of 0 may be: levels
/// take what is not finite for a fault.
constexpr double kInfinite = std::numeric_limits<double>::max();

std::vector<double> with_finite(std::vector<double> numbers) {
  for (double& number : numbers) {
    if (std::isinf(number)) number = std::copysign(kInfinite, number);
  }
  return numbers;
}

std::vector<double> with_infinite(std::span<const double> finite) {
  std::vector<double> numbers(finite.begin(), finite.end());
  for (double& number : numbers) {
    if (std::abs(number) == kInfinite) {
      number = std::copysign(std::numeric_limits<double>::infinity(), number);
    }
  }
  return numbers;
}

void set_numbers(Array& array, std::span<const double> numbers) {
  const std::span<double> to = array.elements<double>();
  std::copy(numbers.begin(), numbers.end(), to.begin());
  array.count_change();
}

/// Room for numbers of each tick, [streams, ticks, numbers].
class TickRoom {
 public:
  TickRoom(std::int64_t streams, std::int64_t ticks, std::int64_t width)
      : ticks_(ticks), width_(width), numbers_(static_cast<std::size_t>(streams * ticks * width)) {}

  /// Takes `from` [streams, numbers].
  void put(std::int64_t tick, std::span<const double> from) {
    const auto width = static_cast<std::size_t>(width_);
    const auto streams = from.size() / std::max<std::size_t>(1, width);
    for (std::size_t s = 0; s < streams; ++s) {
      const std::size_t row = s * static_cast<std::size_t>(ticks_) + static_cast<std::size_t>(tick);
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(s * width), width,
                  numbers_.begin() + static_cast<std::ptrdiff_t>(row * width));
    }
  }
  Array array(const Shape& shape) const { return host_array(numbers_, shape); }

 private:
  std::int64_t ticks_;
  std::int64_t width_;
  std::vector<double> numbers_;
};

/// \throws ArgumentError unless these are different inputs of a layer.
void check_observes(const std::vector<std::int64_t>& observes, std::int64_t inputs,
                    const std::string& type) {
  for (std::size_t i = 0; i < observes.size(); ++i) {
    if (observes[i] < 0 || observes[i] >= inputs) {
      fail<ArgumentError>(
          "[{} layer] observes: expected numbers of inputs, 0 to {}, got {}; the layer reads {}",
          type, inputs - 1, observes[i], inputs);
    }
    if (std::find(observes.begin(), observes.begin() + static_cast<std::ptrdiff_t>(i),
                  observes[i]) != observes.begin() + static_cast<std::ptrdiff_t>(i)) {
      fail<ArgumentError>("[{} layer] observes: expected each input once, got {} twice", type,
                          observes[i]);
    }
  }
}

/// \throws TickFailure unless the dtype holds all of the numbers.
void check_holds(DType dtype, std::span<const double> means, const std::string& type,
                 std::int64_t tick) {
  for (const double mean : means) {
    const bool holds =
        dtype == DType::float64 ? std::isfinite(mean) : std::isfinite(static_cast<float>(mean));
    if (holds) continue;
    throw TickFailure(message("[{} layer] expected states that are finite in {}, got {}; the "
                              "model should not let the state grow without bound",
                              type, dtype, mean),
                      tick);
  }
}

/// What a filter is made known by before there is a layer.
const StateFilter& given(const std::unique_ptr<StateFilter>& filter) {
  if (!filter) throw ArgumentError("[filter layer] got no filter");
  return *filter;
}

}  // namespace

FilterLayer::FilterLayer(std::int64_t input_size, std::unique_ptr<StateFilter> filter,
                         const FilterPlace& place, std::shared_ptr<const LayerKind> kind)
    : Layer(input_size, given(filter).states(), place.dtype),
      filter_(std::move(filter)),
      place_(place),
      kind_(std::move(kind)) {
  check_observes(place.observes, input_size, type());
  const std::int64_t count = place.observes.empty() ? input_size : std::ssize(place.observes);
  if (filter_->observed() != count) {
    fail<ShapeError>("[{} layer] its filter observes {} numbers, and the layer hands over {}",
                     type(), filter_->observed(), count);
  }
  state_noise_ = host_square(filter_->state_noise(), filter_->states());
  observation_noise_ = host_square(filter_->observation_noise(), filter_->observed());
  const std::vector<double> adapted = filter_->adapted();
  if (!adapted.empty()) adapted_ = host_array(adapted, {1, std::ssize(adapted)});
}

FilterLayer::FilterLayer(const FilterLayer& other)
    : Layer(other),
      filter_(other.filter_->clone()),
      place_(other.place_),
      kind_(other.kind_),
      state_noise_(other.state_noise_.copy()),
      observation_noise_(other.observation_noise_.copy()),
      adapted_(other.adapted_.copy()),
      carried_(other.carried_.copy()) {}

std::unique_ptr<LayerKind> FilterLayer::kind() const { return kind_ ? kind_->copy() : nullptr; }

std::unique_ptr<Layer> FilterLayer::clone() const {
  return std::unique_ptr<Layer>(new FilterLayer(*this));
}

std::string FilterLayer::why_not_replica(const Layer& other) const {
  if (std::string why_not = Layer::why_not_replica(other); !why_not.empty()) return why_not;
  const auto names = [](const Layer& layer) {
    std::vector<std::pair<std::string, std::int64_t>> all;
    for (const TickSeries& series : layer.tick_series()) {
      all.emplace_back(series.name, series.axes.empty() ? 1 : series.axes.front().length);
    }
    return all;
  };
  if (names(other) != names(*this)) return "tells something else of its ticks";
  if (other.is_plastic() != is_plastic()) {
    return other.is_plastic() ? "adapts noise, where the first does not"
                              : "adapts no noise, where the first does";
  }
  return "";
}

void FilterLayer::allocate_state(std::int64_t streams) {
  if (carried_.size() > 0 && carried_.shape(0) == streams) return;
  if (filter_->streams() == streams) {
    filter_->begin();
  } else {
    filter_->set_streams(streams);
  }
  const std::vector<double> numbers = with_finite(filter_->carried());
  carried_ = host_array(numbers, {streams, std::ssize(numbers) / streams});
}

void FilterLayer::reset_state() {
  // Others may have set the state of the filter, and particles count ticks over trials.
  if (carried_.size() > 0) stand_at_arrays(carried_.shape(0));
  filter_->begin();
  carried_ = Array();
}

void FilterLayer::keep(ArrayUndo& undo, bool learn) {
  Layer::keep(undo, learn);
  if (carried_.size() > 0) return;
  const std::shared_ptr<const StateFilter> before = filter_->clone();
  undo.before_put_back([this, before] {
    filter_ = before->clone();
    carried_ = Array();
  });
}

std::vector<TickSeries> FilterLayer::tick_series() const {
  const TickSeries::Axis state{"state", "number of the state", filter_->states()};
  const TickSeries::Axis source{"source_state", "number of the other state", filter_->states()};
  const TickSeries::Axis observed{"observation", "number that is observed", filter_->observed()};
  std::vector<TickSeries> all = {
      {"log_likelihood", "log likelihood of what the tick observed, 0 where that is nothing"},
      {"innovation",
       "what was observed less what was predicted, NaN where it is missing",
       {observed}},
      {"nis", "normalised innovation squared, NaN where nothing was observed"}};
  const std::int64_t models =
      std::ssize(filter_->probabilities()) / std::max<std::int64_t>(1, filter_->streams());
  if (models > 0) {
    all.push_back({"probability",
                   "probability of each model behind the tick",
                   {{"model", "number of the model", models}}});
  }
  if (place_.covariance || place_.smooth) {
    all.push_back({"covariance", "covariance of the state behind the tick", {state, source}});
  }
  if (place_.smooth && dtype() != DType::float64) {
    all.push_back({"mean", "representation as the filter has it", {state}});
  }
  if (place_.smooth && place_.adapts == AdaptedNoise::state) {
    all.push_back({"Q", "noise of the state that the tick was predicted with", {state, source}});
  }
  return all;
}

std::vector<Array> FilterLayer::tick_values() const { return told_; }

std::vector<NamedArray> FilterLayer::arrays() const {
  using Role = NamedArray::Role;
  std::vector<NamedArray> all;
  const auto add = [&](const char* name, const Array& noise) {
    if (noise.size() > 0) all.push_back({name, Role::noise, noise});
  };
  const bool is_of_state = place_.adapts != AdaptedNoise::observation;
  if (is_of_state) add("Q", state_noise_);
  add("R", observation_noise_);
  if (!is_of_state) add("Q", state_noise_);
  add("adapted", adapted_);
  all.push_back({"filter", Role::state, carried_});
  return all;
}

std::int64_t FilterLayer::operations_per_tick(bool /*learn*/) const {
  // P = A P A^T + Q and Joseph's form: products of [n, n], [n, m] and [m, m].
  const std::int64_t n = filter_->states();
  const std::int64_t m = filter_->observed();
  const std::int64_t models = std::max<std::int64_t>(
      1, std::ssize(filter_->probabilities()) / std::max<std::int64_t>(1, filter_->streams()));
  const std::int64_t of_points = filter_->points() * n * (n + m);
  return 2 * (models * (4 * n * n * n + 4 * n * n * m + 2 * n * m * m + m * m * m) + of_points);
}

std::span<const double> FilterLayer::transition() const {
  const auto* const linear = dynamic_cast<const KalmanFilter*>(filter_.get());
  return linear == nullptr ? std::span<const double>() : std::span(linear->model().A);
}

std::int64_t FilterLayer::input_of(std::int64_t observed) const {
  return place_.observes.empty() ? observed : place_.observes[static_cast<std::size_t>(observed)];
}

void FilterLayer::stand_at_arrays(std::int64_t streams) {
  allocate_state(streams);
  if (filter_->streams() != streams) filter_->set_streams(streams);
  if (adapted_.size() > 0) filter_->set_adapted(adapted_.elements<double>());
  filter_->set_carried(with_infinite(carried_.elements<double>()));
}

void FilterLayer::note(bool has_adapted) {
  set_numbers(carried_, with_finite(filter_->carried()));
  if (!has_adapted) return;
  set_numbers(adapted_, filter_->adapted());
  if (state_noise_.size() > 0) set_numbers(state_noise_, filter_->state_noise());
  if (observation_noise_.size() > 0) set_numbers(observation_noise_, filter_->observation_noise());
}

void FilterLayer::answer(const Array& x, bool learn, const Array& y) {
  const std::int64_t streams = x.shape(0);
  const std::int64_t ticks = x.shape(1);
  const std::int64_t observed = filter_->observed();
  const std::int64_t states = filter_->states();
  const bool adapts = learn && is_plastic() && adapted_.size() > 0;
  std::vector<double> samples;
  {
    const GPUContext host(Device::cpu());
    samples = x.to(Device::cpu()).astype(DType::float64).to_vector<double>();
  }
  stand_at_arrays(streams);
  const std::vector<TickSeries> series = tick_series();
  std::vector<TickRoom> rooms;
  for (const TickSeries& one : series) {
    std::int64_t width = 1;
    for (const TickSeries::Axis& axis : one.axes) width *= axis.length;
    rooms.emplace_back(streams, ticks, width);
  }
  TickRoom means(streams, ticks, states);
  std::vector<double> rows(static_cast<std::size_t>(streams * observed));
  FilterTick found;
  std::vector<double> noise;  // noise with which the tick of every stream is predicted
  const auto of_series = [&](const std::string& name) -> std::function<std::span<const double>()> {
    if (name == "log_likelihood")
      return [&] { return std::span<const double>(found.log_likelihood); };
    if (name == "innovation") return [&] { return std::span<const double>(found.innovation); };
    if (name == "nis") return [&] { return std::span<const double>(found.nis); };
    if (name == "probability") return [&] { return filter_->probabilities(); };
    if (name == "covariance") return [&] { return filter_->covariance(); };
    if (name == "mean") return [&] { return filter_->mean(); };
    return [&] { return std::span<const double>(noise); };
  };
  std::vector<std::function<std::span<const double>()>> read;
  for (const TickSeries& one : series) read.push_back(of_series(one.name));
  const bool tells_noise = !series.empty() && series.back().name == "Q";
  for (std::int64_t tick = 0; tick < ticks; ++tick) {
    for (std::int64_t s = 0; s < streams; ++s) {
      for (std::int64_t k = 0; k < observed; ++k) {
        const std::int64_t input = input_of(k);
        const double number =
            samples[static_cast<std::size_t>((s * ticks + tick) * input_size() + input)];
        if (std::isinf(number)) {
          throw InfiniteInput(
              message("[{} layer] expected samples that are finite in {}, or NaN where a value is "
                      "missing, got {} at stream {}, tick {}, input {}",
                      type(), dtype(), number, s, tick, input),
              tick);
        }
        rows[static_cast<std::size_t>(s * observed + k)] = number;
      }
    }
    noise.clear();
    for (std::int64_t s = 0; s < (tells_noise ? streams : 0); ++s) {
      noise.insert(noise.end(), filter_->state_noise().begin(), filter_->state_noise().end());
    }
    try {
      filter_->predict();
      filter_->update(rows, adapts, found);
    } catch (const ArgumentError& error) {
      throw TickFailure(error.what(), tick);
    }
    check_holds(dtype(), filter_->mean(), type(), tick);
    means.put(tick, filter_->mean());
    for (std::size_t i = 0; i < rooms.size(); ++i) rooms[i].put(tick, read[i]());
  }
  note(adapts);
  told_.clear();
  for (std::size_t i = 0; i < series.size(); ++i) {
    Shape shape = {streams, ticks};
    for (const TickSeries::Axis& axis : series[i].axes) {
      shape.insert(shape.rank(), axis.length);
    }
    told_.push_back(rooms[i].array(shape));
  }
  Array answers = means.array({streams, ticks, states});
  {
    const GPUContext host(Device::cpu());
    answers = answers.astype(dtype());
  }
  y.assign(answers.to(y.device()));
}

}  // namespace gaia
