// SPDX-License-Identifier: MIT
#include "survey.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "predictions_so_far.h"

namespace gaia::report {
namespace {

constexpr std::int64_t kMapColumns = 2400;  // stretches of ticks in a heat map
constexpr std::int64_t kMapRows = 128;      // groups of neurons in a heat map
constexpr std::int64_t kTraceNeurons = 4;   // at most so many are drawn as lines
constexpr std::int64_t kTraceBins = 2000;
constexpr std::int64_t kNumbersAtOnce = 1 << 18;  // in memory
constexpr std::int64_t kNumbersInAll = 400'000'000;
constexpr std::int64_t kSpectrumNeurons = 256;
constexpr std::int64_t kCloseTicks = 4000;
constexpr std::size_t kMostSpikes = 8000;    // drawn of a level, in the run and in the close-up
constexpr std::int64_t kMostTargets = 4096;  // targets of a readout

/// How near to an end of its range an output counts as saturated; nothing for other activations.
bool is_saturated(const std::string& activation, double value) {
  if (activation == "tanh") return std::abs(value) > 0.99;
  if (activation == "sigmoid") return value < 0.01 || value > 0.99;
  return false;
}

/// Sums over the ticks of one neuron.
struct Sums {
  double count = 0.0;
  double mean = 0.0;
  double squares = 0.0;  // sum of the squares of deviations
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();

  /// Welford (1962), Technometrics 4, 419-420.
  void add(double value) {
    count += 1.0;
    const double before = value - mean;
    mean += before / count;
    squares += before * (value - mean);
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  double deviation() const { return count > 0.0 ? std::sqrt(squares / count) : 0.0; }
};

class Surveyor {
 public:
  Surveyor(LevelSurvey& survey, StepRange close_up)
      : survey_(survey),
        n_(survey.neurons),
        pool_(survey.ticks, n_, kMapColumns, kMapRows),
        close_first_((close_up.begin + survey.spacing - 1) / survey.spacing),
        close_end_(std::min(survey.ticks, close_up.end / survey.spacing + 1)),
        close_(std::max<std::int64_t>(0, close_end_ - close_first_), n_, kCloseTicks, kMapRows),
        stride_(std::max<std::int64_t>(1, n_ / kSpectrumNeurons)),
        welch_((n_ + stride_ - 1) / stride_, Welch::segment_length(survey.ticks)),
        all_(static_cast<std::size_t>(n_)),
        late_(all_.size()),
        saturated_(all_.size(), 0.0),
        spikes_(kMostSpikes),
        close_spikes_(kMostSpikes) {
    survey_.figures.resize(all_.size());
    if (n_ <= kTraceNeurons) {
      envelopes_.resize(all_.size(), Envelope(survey.ticks, kTraceBins));
    }
  }

  void take(std::int64_t first, std::int64_t count, const std::vector<double>& values) {
    if (first != next_) welch_.interrupt();
    next_ = first + count;
    pool_.add(first, count, values.data());
    const std::int64_t late_from = survey_.ticks - survey_.ticks / 4;
    std::vector<double> some(static_cast<std::size_t>((n_ + stride_ - 1) / stride_));
    for (std::int64_t r = 0; r < count; ++r) {
      const std::int64_t tick = first + r;
      const double* row = values.data() + r * n_;
      for (std::int64_t i = 0; i < n_; ++i) {
        take(tick, static_cast<std::size_t>(i), row[i], tick >= late_from);
      }
      for (std::size_t k = 0; k < some.size(); ++k)
        some[k] = row[static_cast<std::int64_t>(k) * stride_];
      welch_.add(some);
      if (tick >= close_first_ && tick < close_end_) close_.add(tick - close_first_, 1, row);
    }
  }

  void finish() {
    survey_.map = pool_.means();
    survey_.ticks_per_column = pool_.bin_rows();
    survey_.neurons_per_row = pool_.bin_columns();
    for (const Envelope& envelope : envelopes_) survey_.traces.push_back(envelope.points());
    survey_.close_first = close_first_;
    survey_.close = close_.means();
    survey_.spectrum = welch_.spectrum();
    survey_.is_binary = is_binary_ && spikes_.count() > 0;
    if (survey_.is_binary) {
      survey_.raster = {spikes_.kept(), spikes_.count()};
      survey_.close_raster = {close_spikes_.kept(), close_spikes_.count()};
      double answers = 0.0;
      for (const Sums& sums : all_) answers += sums.count;
      survey_.mean_rate = static_cast<double>(spikes_.count()) / answers;
    }
    for (std::size_t i = 0; i < all_.size(); ++i) {
      NeuronFigures& figures = survey_.figures[i];
      figures.mean = all_[i].mean;
      figures.deviation = all_[i].deviation();
      figures.least = all_[i].least;
      figures.greatest = all_[i].greatest;
      figures.late_deviation = late_[i].deviation();
      figures.largest_size = std::max(std::abs(late_[i].least), std::abs(late_[i].greatest));
      figures.saturated_share = late_[i].count > 0.0 ? saturated_[i] / late_[i].count : 0.0;
    }
  }

 private:
  void take(std::int64_t tick, std::size_t neuron, double value, bool is_late) {
    if (!envelopes_.empty()) envelopes_[neuron].add(tick, value);
    take_spike(tick, neuron, value);
    if (!std::isfinite(value)) {
      ++survey_.figures[neuron].not_finite;
      if (survey_.first_bad_tick < 0) survey_.first_bad_tick = tick;
      return;
    }
    all_[neuron].add(value);
    if (!is_late) return;
    late_[neuron].add(value);
    if (is_saturated(survey_.activation, value)) saturated_[neuron] += 1.0;
  }

  /// Until something comes that is no spike.
  void take_spike(std::int64_t tick, std::size_t neuron, double value) {
    if (!is_binary_) return;
    is_binary_ = value == 0.0 || value == 1.0;
    if (value != 1.0) return;
    spikes_.add(tick, static_cast<std::int64_t>(neuron));
    if (tick >= close_first_ && tick < close_end_) {
      close_spikes_.add(tick, static_cast<std::int64_t>(neuron));
    }
  }

  LevelSurvey& survey_;
  std::int64_t n_;
  MeanPool pool_;
  std::int64_t close_first_;
  std::int64_t close_end_;
  MeanPool close_;
  std::int64_t stride_;  // distance of the neurons whose spectra are taken
  Welch welch_;
  std::vector<Sums> all_;
  std::vector<Sums> late_;
  std::vector<double> saturated_;
  bool is_binary_ = true;
  SpikeSample spikes_;
  SpikeSample close_spikes_;
  std::vector<Envelope> envelopes_;
  std::int64_t next_ = 0;
};

std::string level_path(std::int64_t index) { return "levels/" + std::to_string(index); }

/// Recorded ticks whose steps are safe in the file.
std::int64_t safe_ticks(const Result& result, std::int64_t rows, std::int64_t spacing) {
  return std::min(rows, (result.series_done() + spacing - 1) / spacing);
}

/// Steps from the first recorded tick to the second; 0 if that makes no sense.
std::int64_t spacing_of(const Result& result, const std::string& path, std::int64_t resolution) {
  const std::vector<std::int64_t> shape = result.shape(path + "/step");
  if (shape.size() != 1 || shape.front() < 2) return resolution;
  double first[2] = {0.0, 0.0};
  result.read_rows(path + "/step", 0, 2, first);
  const double spacing = first[1] - first[0];
  return first[0] == 0.0 && spacing >= 1.0 && spacing < 1e15 ? static_cast<std::int64_t>(spacing)
                                                             : 0;
}

/// First step of that stretch of a readout's predictions in which the target's deviation is the
/// median of such stretches.
std::optional<std::int64_t> usual_stretch(const Result& result, const std::string& path,
                                          std::int64_t length) {
  constexpr std::int64_t most_stretches = 33;
  const std::vector<std::int64_t> shape = result.shape(path + "/target");
  const std::vector<std::int64_t> steps = result.shape(path + "/step");
  if (shape.empty() || shape.size() > 2 || steps != std::vector{shape[0]} ||
      (shape.size() == 2 && shape[1] > kMostTargets)) {
    return std::nullopt;
  }
  const std::int64_t rows = row_of_step(result, path + "/step", shape[0], result.series_done());
  if (rows < 1) return std::nullopt;
  double ends[2] = {0.0, 0.0};
  result.read_rows(path + "/step", 0, 1, &ends[0]);
  result.read_rows(path + "/step", rows - 1, 1, &ends[1]);
  const double span = ends[1] - ends[0] - static_cast<double>(length);
  std::vector<std::pair<double, std::int64_t>> stretches;
  for (std::int64_t k = 0; k < most_stretches; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(most_stretches - 1);
    const auto begin = static_cast<std::int64_t>(ends[0] + share * std::max(0.0, span));
    const std::int64_t first = row_of_step(result, path + "/step", rows, begin);
    const std::int64_t end = row_of_step(result, path + "/step", rows, begin + length);
    // A row has a step of its own, whatever the file says.
    const std::int64_t count = std::clamp<std::int64_t>(end - first, 0, length);
    // A readout of several targets shows the first.
    const std::vector<double> target = read_column(result, path + "/target", first, count);
    if (target.empty()) continue;
    Sums sums;
    for (const double value : target) sums.add(value);
    if (std::isfinite(sums.deviation())) stretches.emplace_back(sums.deviation(), begin);
    if (span <= 0.0) break;
  }
  if (stretches.empty()) return std::nullopt;
  std::sort(stretches.begin(), stretches.end());
  return stretches[stretches.size() / 2].second;
}

void read(const Result& result, const std::string& dataset, LevelSurvey& survey,
          StepRange close_up) {
  Surveyor surveyor(survey, close_up);
  const std::int64_t n = survey.neurons;
  const std::int64_t at_once = std::max<std::int64_t>(1, kNumbersAtOnce / n);
  // Very long series are read at the beginning of every column of the map.
  const std::int64_t column = (survey.ticks + kMapColumns - 1) / kMapColumns;
  const std::int64_t affordable = std::max<std::int64_t>(1, kNumbersInAll / n / kMapColumns);
  survey.is_read_partly = column > affordable && survey.ticks > kNumbersInAll / n;
  std::vector<double> values;
  std::int64_t first = 0;
  while (first < survey.ticks) {
    std::int64_t count = std::min(at_once, survey.ticks - first);
    if (survey.is_read_partly) count = std::min(count, affordable - first % column);
    values.resize(static_cast<std::size_t>(count * n));
    result.read_rows(dataset, first, count, values.data());
    surveyor.take(first, count, values);
    first += count;
    if (survey.is_read_partly && first % column >= affordable) first += column - first % column;
  }
  surveyor.finish();
}

}  // namespace

std::int64_t row_of_step(const Result& result, const std::string& coordinate, std::int64_t rows,
                         std::int64_t step) {
  std::int64_t first = 0;
  while (first < rows) {
    const std::int64_t middle = first + (rows - first) / 2;
    double at = 0.0;
    result.read_rows(coordinate, middle, 1, &at);
    if (at < static_cast<double>(step)) {
      first = middle + 1;
    } else {
      rows = middle;
    }
  }
  return first;
}

std::int64_t count_levels(const Result& result) {
  std::int64_t count = 0;
  while (count < 1000 && result.has_group("levels", std::to_string(count))) ++count;
  return count;
}

StepRange choose_close_up(const Result& result) {
  std::int64_t slowest = 1;
  for (std::int64_t i = 0; i < count_levels(result); ++i) {
    const std::int64_t resolution =
        result.integer(level_path(i), "temporal_resolution").value_or(1);
    slowest = std::max(slowest, std::min<std::int64_t>(resolution, 1000));
  }
  const std::int64_t length = std::min(std::clamp<std::int64_t>(60 * slowest, 600, 2400),
                                       std::max<std::int64_t>(1, result.series_done()));
  std::int64_t begin = (result.series_done() - length) / 2;
  for (const std::string& name : result.groups("readouts")) {
    if (const auto usual = usual_stretch(result, "readouts/" + name, length)) {
      begin = *usual;
      break;
    }
  }
  begin =
      std::clamp<std::int64_t>(begin, 0, std::max<std::int64_t>(0, result.series_done() - length));
  return {begin, begin + length};
}

LevelSurvey survey_level(const Result& result, std::int64_t index, StepRange close_up) {
  LevelSurvey survey;
  const std::string path = level_path(index);
  survey.index = index;
  survey.temporal_resolution =
      std::max<std::int64_t>(1, result.integer(path, "temporal_resolution").value_or(1));
  survey.pooling = result.text(path, "pooling");
  survey.neurons = result.integer(path, "output_size").value_or(0);
  const std::vector<std::string> layers = result.groups(path + "/layers");
  if (!layers.empty()) {
    survey.activation = result.text(path + "/layers/" + layers.back(), "activation");
  }
  const std::string dataset = path + "/representation";
  const std::vector<std::int64_t> shape = result.shape(dataset);
  if (shape.empty()) {
    survey.missing = "its representation was not recorded (output.representations)";
    return survey;
  }
  survey.spacing = spacing_of(result, path, survey.temporal_resolution);
  if (shape.size() != 2 || shape[1] < 1 || shape[1] > kWidestRow || survey.spacing < 1) {
    survey.missing = "its representation has a shape that cannot be drawn";
    return survey;
  }
  survey.neurons = shape[1];
  survey.ticks = safe_ticks(result, shape[0], survey.spacing);
  if (survey.ticks < 1) {
    survey.missing = "no tick is safe in the file yet";
    return survey;
  }
  read(result, dataset, survey, close_up);
  return survey;
}

}  // namespace gaia::report
