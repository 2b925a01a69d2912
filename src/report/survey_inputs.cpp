// SPDX-License-Identifier: MIT
#include "survey_inputs.h"

#include <algorithm>

#include "../core/error.h"

namespace gaia::report {
namespace {

constexpr std::int64_t kTraceChannels = 4;  // at most so many are drawn as lines
constexpr std::int64_t kInputTraceBins = 2400;
constexpr std::int64_t kInputMapColumns = 2400;
constexpr std::int64_t kInputMapRows = 128;
constexpr std::int64_t kSpectrumChannels = 64;
constexpr std::int64_t kInputNumbersAtOnce = 1 << 19;

std::string unit_of(const Result& result, const InputSource& inputs) {
  if (inputs.experiment() == nullptr) return result.has("data/scale") ? "normalised" : "value";
  switch (inputs.experiment()->config.data.normalize) {
    case Normalize::zscore:
      return "standard deviations";
    case Normalize::minmax:
      return "share of range";
    case Normalize::stored:
      return "scaled as before";
    case Normalize::none:
      break;
  }
  return "value";
}

/// Collects the newest rows of samples.
class Collector {
 public:
  Collector(std::int64_t steps, std::int64_t channels, StepRange close_up)
      : close_up_(close_up),
        drawn_(channels <= kTraceChannels ? channels : 0),
        pool_(steps, channels, kInputMapColumns, kInputMapRows),
        close_pool_(close_up.end - close_up.begin, channels, kInputMapColumns, kInputMapRows),
        listened_(std::min(channels, kSpectrumChannels)),
        welch_(listened_, Welch::segment_length(steps)) {
    envelopes_.resize(static_cast<std::size_t>(drawn_), Envelope(steps, kInputTraceBins));
    close_.resize(envelopes_.size());
  }

  void take(std::int64_t step, const double* newest) {
    welch_.add({newest, static_cast<std::size_t>(listened_)});
    const bool is_close = step >= close_up_.begin && step < close_up_.end;
    if (drawn_ == 0) pool_.add(step, 1, newest);
    if (drawn_ == 0 && is_close) close_pool_.add(step - close_up_.begin, 1, newest);
    for (std::size_t c = 0; c < envelopes_.size(); ++c) {
      envelopes_[c].add(step, newest[c]);
      if (is_close) close_[c].push_back({static_cast<double>(step), newest[c]});
    }
  }

  void finish(InputSurvey& survey) {
    for (const Envelope& envelope : envelopes_) survey.traces.push_back(envelope.points());
    survey.close = std::move(close_);
    if (drawn_ == 0) survey.map = pool_.means();
    if (drawn_ == 0) survey.close_map = close_pool_.means();
    survey.steps_per_column = pool_.bin_rows();
    survey.channels_per_row = pool_.bin_columns();
    survey.spectrum = welch_.spectrum();
  }

 private:
  StepRange close_up_;
  std::int64_t drawn_;  // channels drawn as lines
  MeanPool pool_;
  MeanPool close_pool_;
  std::int64_t listened_;  // channels whose spectra are taken
  Welch welch_;
  std::vector<Envelope> envelopes_;
  std::vector<std::vector<Point>> close_;
};

}  // namespace

InputSurvey survey_inputs(const Result& result, StepRange close_up) {
  InputSurvey survey;
  InputSource inputs(result);
  if (!inputs.is_found()) {
    survey.missing = inputs.missing();
    return survey;
  }
  survey.origin = inputs.origin();
  survey.channels = inputs.channels();
  survey.unit = unit_of(result, inputs);
  const auto channels = std::ssize(survey.channels);
  const std::int64_t width = inputs.features();
  Collector collector(inputs.steps(), channels, close_up);
  const std::int64_t at_once = std::clamp<std::int64_t>(kInputNumbersAtOnce / width, 1, 16384);
  try {
    for (std::int64_t first = 0; first < inputs.steps(); first += at_once) {
      const std::int64_t count = std::min(at_once, inputs.steps() - first);
      const std::vector<double> samples = inputs.read(first, count);
      for (std::int64_t r = 0; r < count; ++r) {
        collector.take(first + r, samples.data() + (r + 1) * width - channels);
      }
    }
  } catch (const Error& error) {
    survey = {};
    survey.missing = std::string("the data cannot be read again: ") + error.what();
    return survey;
  }
  collector.finish(survey);
  return survey;
}

}  // namespace gaia::report
