// SPDX-License-Identifier: MIT
#include "stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "../../array/create.h"
#include "../../array/device.h"
#include "../../array/precision.h"
#include "../../core/error.h"
#include "../../core/names.h"
#include "../../core/text.h"
#include "../../io/checkpoint_file.h"
#include "../../io/foreign_hdf5/hdf5_reader.h"
#include "../../io/output_files.h"
#include "../data/input_range.h"
#include "../run/rate_schedule.h"
#include "../setup/build.h"
#include "../setup/learnt.h"
#include "live_plan.h"
#include "live_readout.h"
#include "live_samples.h"
#include "stream_state.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

constexpr double kNotYet = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kHierarchy = "hierarchy/";

Device device_of_stream(const std::string& name) {
  // Row by row nothing is gained from a GPU: it has to be asked for by name.
  return name == "auto" ? Device::cpu() : Device::from_name(name);
}

/// What a state must have been told to fit.
std::string options_text(const LivePlan& plan, const StreamOptions& options) {
  return fmt::format("learn: {}, moments: {}, outputs: [{}], late: {}", options.learn,
                     options.moments == StreamMoments::running ? "running" : "stored",
                     join(plan.outputs), options.late);
}

/// The rates at the end of the run.
void set_rates(HierarchyManager& hierarchy, const LivePlan& plan) {
  const hdf5::Contents& contents = plan.run->contents;
  const RateSchedule& schedule = plan.config.hierarchy().schedule;
  for (std::size_t n = 0; n < hierarchy.levels().size(); ++n) {
    HierarchicalLevel& level = hierarchy.level(hierarchy.levels()[n].id());
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      AutoRate* const rate = level.layer(m).automatic_rate();
      if (rate == nullptr) continue;
      const hdf5::Description* const group =
          contents.group(fmt::format("/levels/{}/layers/{}", n, m));
      const double found = group == nullptr ? 0.0 : group->number("learning_rate").value_or(0.0);
      rate->begin({.ticks = 0,
                   .falls = schedule.kind == RateSchedule::Kind::none,
                   .given = std::isfinite(found) && found > 0.0 ? found : 0.0});
    }
  }
  learn_as_at(hierarchy, plan.config.hierarchy(), std::max<std::int64_t>(0, plan.steps - 1));
}

/// Weights, thresholds and solutions of the result.
Learnt take_learnt(const LivePlan& plan, HierarchyManager& hierarchy) {
  ExperimentConfig config = plan.config;
  for (std::size_t i = 0; i < config.readouts.size(); ++i) {
    const bool is_computed =
        std::find(plan.computed.begin(), plan.computed.end(), i) != plan.computed.end();
    // What learns is not read.
    if (!is_computed) config.readouts[i].learn = true;
  }
  return load_learnt(plan.result, config, hierarchy);
}

std::vector<double> model_states(const LivePlan& plan, const ReadoutConfig& readout) {
  if (!readout.learn) return {};
  const std::string path = model_state_path(readout.name);
  const hdf5::DatasetDescription* const dataset = plan.run->contents.dataset(path);
  if (dataset == nullptr || dataset->shape.size() != 1) {
    throw DataError(fmt::format("{}: has no {}", printable(plan.result), path));
  }
  return hdf5::open_reader(plan.result)->read<double>(*dataset);
}

}  // namespace

/// Parts that a stream is built from.
struct LiveStream::Parts {
  Parts(const std::string& result, const StreamOptions& options);

  void begin_trial();
  const StreamAnswer& push(const StreamRow& row);
  void check(const StreamRow& row) const;
  void check_targets(const std::vector<double>& targets) const;
  double class_of(const std::optional<std::string>& label) const;
  TickSignals signals_of(std::span<const double> targets, double label) const;
  Array sample() const;
  void take_block(const HierarchyBlock& block, std::span<const double> targets);
  std::size_t place_of(std::int64_t of) const {
    return static_cast<std::size_t>(of) % out_of.size();
  }
  void watch_range();
  void answer(std::int64_t row);
  void teach(std::int64_t row, const std::vector<double>& targets,
             const std::optional<std::string>& label);
  void keep();
  ArrayMap all_arrays() const;
  StreamState state() const;
  void put_back(const StreamState& state);
  void go_on();

  StreamOptions options;
  LivePlan plan;
  Device device;
  std::string state_path;
  std::string told;  // options_text
  HierarchyManager hierarchy;
  std::vector<std::string> signal_columns;
  LiveSamples samples;
  std::optional<InputRange> range;               // range by the moments, where they stay
  std::vector<LiveReadout> readouts;             // in the order of plan.computed
  std::vector<std::vector<LiveReadout*>> fused;  // readouts that each of them fuses
  std::vector<std::vector<double>> shown;  // answer of each level, zeros before its first tick
  std::vector<bool> has_ticked;            // each level in this trial
  std::vector<StreamField> fields;
  /// Source of the values of each output: a readout, or else a level.
  struct Source {
    const LiveReadout* readout = nullptr;
    std::size_t level = 0;
  };
  std::vector<Source> sources;
  std::int64_t row = 0;  // row that comes next
  std::int64_t out = 0;  // rows that a filter has let through; without one all
  /// Which of those each of the last rows is, by its number modulo their count; -1: none.  Empty
  /// without a filter.
  std::vector<double> out_of;
  std::int64_t in_trial = 0;   // rows of the trial that have come
  std::int64_t step = 0;       // step of the hierarchy, in the trial
  std::string trial;           // its name
  bool trial_is_over = false;  // true: it has its full length
  std::vector<char> is_missing;
  std::vector<double> scaled;  // the row, NaN where a value was missing
  bool reads_sample = false;   // a readout does
  std::vector<double> sample_read;
  StreamAnswer answered;
  std::vector<std::string> warnings;  // warnings for the next answer
  std::unique_ptr<OutputLock> lock;   // lock of the state, once that is kept
};

LiveStream::Parts::Parts(const std::string& result, const StreamOptions& given)
    : options(given),
      plan(plan_stream(result, given)),
      device(device_of_stream(plan.config.device)),
      state_path(given.state.empty() ? default_stream_state(result) : given.state),
      told(options_text(plan, given)),
      samples(plan, given.moments) {
  const GPUContext scope(device);
  const MatmulPrecisionScope precision(plan.config.precision);
  hierarchy = build_hierarchy(plan.config, plan.features());
  const Learnt learnt = take_learnt(plan, hierarchy);
  set_rates(hierarchy, plan);
  hierarchy.allocate_state(1, plan.features(), plan.config.dtype);
  signal_columns = hierarchy.signal_columns();
  for (const HierarchicalLevel& level : hierarchy.levels()) {
    shown.emplace_back(static_cast<std::size_t>(level.output_size()));
  }
  has_ticked.assign(shown.size(), false);
  const Normalize normalize = plan.config.data.normalize;
  if (normalize != Normalize::none && given.moments == StreamMoments::stored) {
    range.emplace(plan.channels, normalize == Normalize::minmax);
  }
  readouts.reserve(plan.computed.size());
  for (const std::size_t i : plan.computed) {
    readouts.emplace_back(plan, i, hierarchy, learnt.readouts[i],
                          model_states(plan, plan.config.readouts[i]), options.learn, options.late);
  }
  reads_sample = std::any_of(readouts.begin(), readouts.end(),
                             [](const LiveReadout& one) { return one.reads_sample(); });
  const auto readout_at = [&](std::size_t index) {
    const auto found = std::find(plan.computed.begin(), plan.computed.end(), index);
    return &readouts[static_cast<std::size_t>(found - plan.computed.begin())];
  };
  for (const std::size_t i : plan.computed) {
    std::vector<LiveReadout*>& of = fused.emplace_back();
    for (const std::int64_t one : plan.config.readouts[i].fused) {
      of.push_back(readout_at(static_cast<std::size_t>(one)));
    }
  }
  for (const std::string& output : plan.outputs) {
    const auto found =
        std::find_if(plan.readouts.begin(), plan.readouts.end(),
                     [&](std::size_t index) { return plan.config.readouts[index].name == output; });
    if (found != plan.readouts.end()) {
      const LiveReadout* const readout = readout_at(*found);
      sources.push_back({readout, 0});
      for (StreamField& field : readout->fields()) fields.push_back(std::move(field));
      continue;
    }
    const auto level =
        static_cast<std::size_t>(*parse_integer(output.substr(output.find(' ') + 1)));
    sources.push_back({nullptr, level});
    for (std::size_t k = 0; k < shown[level].size(); ++k) {
      fields.push_back({fmt::format("{}.{}", output, k)});
    }
  }
  answered.values.assign(fields.size(), kNotYet);
  is_missing.assign(plan.channels.size(), 0);
  if (samples.has_filter()) out_of.assign(static_cast<std::size_t>(options.late) + 1, -1.0);
  warnings = plan.warnings;
  std::error_code ignored;
  if (!options.begin_anew && fs::exists(state_path, ignored)) go_on();
}

void LiveStream::Parts::begin_trial() {
  const GPUContext scope(device);
  hierarchy.reset_state();
  hierarchy.allocate_state(1, plan.features(), plan.config.dtype);
  samples.begin_trial();
  if (range) range->begin_trial();
  for (LiveReadout& readout : readouts) readout.begin_trial(out);
  for (std::vector<double>& level : shown) std::fill(level.begin(), level.end(), 0.0);
  has_ticked.assign(shown.size(), false);
  in_trial = 0;
  step = 0;
  trial_is_over = false;
}

void LiveStream::Parts::check_targets(const std::vector<double>& targets) const {
  if (!targets.empty() && targets.size() != plan.targets.size()) {
    throw ShapeError(fmt::format("[stream] expected {} targets ({}), got {}", plan.targets.size(),
                                 join(plan.targets), targets.size()));
  }
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (!std::isinf(targets[k])) continue;
    throw DataError(fmt::format("column {}: expected a finite number, got {}",
                                printable(plan.targets[k]), targets[k]));
  }
}

void LiveStream::Parts::check(const StreamRow& given) const {
  if (given.values.size() != plan.channels.size()) {
    throw ShapeError(fmt::format("[stream] expected {} values ({}), got {}", plan.channels.size(),
                                 plan.channels.size() > 20 ? "one a channel" : join(plan.channels),
                                 given.values.size()));
  }
  check_targets(given.targets);
}

double LiveStream::Parts::class_of(const std::optional<std::string>& label) const {
  if (!label || plan.classes.empty()) return -1.0;
  const auto known = std::find(plan.classes.begin(), plan.classes.end(), *label);
  if (known == plan.classes.end()) {
    throw DataError(fmt::format("column {}: the result knows no class '{}'{}; known: {}",
                                printable(plan.label), printable(*label),
                                did_you_mean(*label, plan.classes), join(plan.classes)));
  }
  const auto found = std::find(plan.label_classes.begin(), plan.label_classes.end(), *label);
  return found == plan.label_classes.end()
             ? -1.0
             : static_cast<double>(found - plan.label_classes.begin());
}

TickSignals LiveStream::Parts::signals_of(std::span<const double> targets, double label) const {
  TickSignals signals;
  if (signal_columns.empty()) return signals;
  const GPUContext on_host(Device::cpu());
  for (const std::string& column : signal_columns) {
    const auto found = std::find(plan.targets.begin(), plan.targets.end(), column);
    const auto place = static_cast<std::size_t>(found - plan.targets.begin());
    const double value = column == "labels"       ? label
                         : place < targets.size() ? targets[place]
                                                  : kNotYet;
    signals[column] = from_values(std::vector<double>{value}, {1});
  }
  return signals;
}

Array LiveStream::Parts::sample() const {
  const std::span<const double> numbers = samples.sample();
  const auto count = static_cast<std::int64_t>(numbers.size());
  Array x;
  {
    const GPUContext on_host(Device::cpu());
    x = Array::uninitialized({1, 1, count}, plan.config.dtype);
  }
  const auto cast = [&]<class T>(std::span<T> to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] = static_cast<T>(numbers[i]);
      const bool fits = std::isfinite(to[i]) || (samples.keeps_missing() && std::isnan(numbers[i]));
      if (fits) continue;
      throw DataError(fmt::format("column {}: the value does not fit {}; use dtype: float64",
                                  printable(samples.channel_at(i)), to_string(plan.config.dtype)));
    }
  };
  plan.config.dtype == DType::float64 ? cast(x.elements<double>()) : cast(x.elements<float>());
  return device.is_cpu() ? x : x.to(device);
}

void LiveStream::Parts::take_block(const HierarchyBlock& block, std::span<const double> targets) {
  for (std::size_t n = 0; n < block.levels.size(); ++n) {
    const Array& ticks = block.levels[n].ticks;
    if (ticks.size() == 0) continue;
    has_ticked[n] = true;
    const Array here = ticks.to(Device::cpu()).contiguous();
    const auto take = [&](const auto& numbers) {
      std::copy(numbers.begin(), numbers.end(), shown[n].begin());
    };
    here.dtype() == DType::float64 ? take(here.elements<double>()) : take(here.elements<float>());
  }
  for (std::size_t c = 0; c < is_missing.size(); ++c) is_missing[c] = samples.has(c) ? 0 : 1;
  const LiveStep live{.row = out,
                      .step = step,
                      .first_row = out - step,
                      .shown = &shown,
                      .newest = samples.newest(),
                      .is_missing = is_missing,
                      .block = &block,
                      .sample = sample_read};
  for (std::size_t i = 0; i < readouts.size(); ++i) {
    readouts[i].take_targets(live, targets);
    readouts[i].read(live, fused[i], answered.warnings);
  }
}

void LiveStream::Parts::answer(std::int64_t of) {
  answered.step = of;
  auto to = answered.values.begin();
  for (const Source& source : sources) {
    if (source.readout != nullptr) {
      const std::span<const double> values = source.readout->values();
      to = std::copy(values.begin(), values.end(), to);
    } else if (has_ticked[source.level]) {
      to = std::copy(shown[source.level].begin(), shown[source.level].end(), to);
    } else {
      to = std::fill_n(to, shown[source.level].size(), kNotYet);
    }
  }
}

/// Warns where the row shows that the moments no longer fit.
void LiveStream::Parts::watch_range() {
  if (!range || !samples.comes_out()) return;
  scaled.assign(samples.newest().begin(), samples.newest().end());
  for (std::size_t c = 0; c < scaled.size(); ++c) {
    if (!samples.has(c)) scaled[c] = kNotYet;
  }
  for (const InputLeft& left : range->read(row, scaled)) {
    answered.warnings.push_back(range->text(left));
  }
}

const StreamAnswer& LiveStream::Parts::push(const StreamRow& given) {
  const GPUContext scope(device);
  const MatmulPrecisionScope precision(plan.config.precision);
  check(given);
  const double label = class_of(given.label);
  if (trial_is_over) begin_trial();
  const bool is_named = given.trial && *given.trial != trial;
  std::optional<StreamState> before;
  if (is_named && !trial.empty() && in_trial > 0) {
    // Whether the row can be used is seen only when its trial has begun.
    before = state();
    for (auto& [name, array] : before->arrays) array = array.copy();
    begin_trial();
  }
  bool has_sample = false;
  HierarchyBlock block;
  try {
    has_sample = samples.prepare(given.values);
    if (has_sample) {
      const Array x = sample();
      if (reads_sample) sample_read = x.to_vector<double>();
      for (LiveReadout& readout : readouts) {
        if (readout.reads_reconstructions()) readout.before_block(hierarchy, x[0]);
      }
      block = hierarchy.process_block(
          x, {.learn = plan.config.hierarchy().learn, .signals = signals_of(given.targets, label)});
    }
  } catch (...) {
    samples.reject();
    if (before) put_back(*before);
    throw;
  }
  // From here on the row counts.
  if (is_named) trial = *given.trial;
  answered.warnings.clear();
  answered.warnings.swap(warnings);
  if (has_sample) {
    take_block(block, given.targets);
    ++step;
  }
  watch_range();
  samples.accept();
  answer(row);
  if (!out_of.empty())
    out_of[place_of(row)] = samples.comes_out() ? static_cast<double>(out) : -1.0;
  if (samples.comes_out()) ++out;
  ++row;
  ++in_trial;
  trial_is_over = plan.trial_rows > 0 && in_trial >= plan.trial_rows;
  if (options.keep_every > 0 && row % options.keep_every == 0) keep();
  return answered;
}

void LiveStream::Parts::teach(std::int64_t of, const std::vector<double>& targets,
                              const std::optional<std::string>& label) {
  if (of < 0 || of >= row) {
    throw DataError(fmt::format("step {} has not come yet: the next row is {}", of, row));
  }
  if (row - of > options.late) {
    throw DataError(
        fmt::format("step {} is {} rows back, and targets are waited for over {} (late)", of,
                    row - of, options.late));
  }
  check_targets(targets);
  (void)class_of(label);
  const std::int64_t taught = out_of.empty() ? of : static_cast<std::int64_t>(out_of[place_of(of)]);
  if (targets.empty() || taught < 0) return;
  for (LiveReadout& readout : readouts) readout.teach(taught, targets);
}

ArrayMap LiveStream::Parts::all_arrays() const {
  ArrayMap arrays;
  for (const NamedArray& array : hierarchy.state()) {
    arrays.emplace(kHierarchy + array.name, array.value);
  }
  samples.add_state(arrays);
  if (range) put_numbers(arrays, "range", range->state());
  put_numbers(arrays, "out", {static_cast<double>(out)});
  if (!out_of.empty()) put_numbers(arrays, "out_of", out_of);
  for (const LiveReadout& readout : readouts) readout.add_state(arrays);
  std::vector<double> levels;
  for (std::size_t n = 0; n < shown.size(); ++n) {
    levels.push_back(has_ticked[n] ? 1.0 : 0.0);
    levels.insert(levels.end(), shown[n].begin(), shown[n].end());
  }
  put_numbers(arrays, "levels", levels);
  return arrays;
}

StreamState LiveStream::Parts::state() const {
  return {.run = plan.run->run_id,
          .options = told,
          .row = row,
          .in_trial = in_trial,
          .step = step,
          .trial = trial,
          .arrays = all_arrays()};
}

void LiveStream::Parts::keep() {
  const GPUContext scope(device);
  if (!lock) lock = std::make_unique<OutputLock>(state_path);
  write_stream_state(state_path, state());
}

void LiveStream::Parts::go_on() {
  const StreamState state = read_stream_state(state_path);
  constexpr const char* way_out =
      "; begin anew, which replaces it, or name another file for the state";
  if (state.run != plan.run->run_id) {
    throw ConfigError(fmt::format("{}: is of another result than {}{}", printable(state_path),
                                  printable(plan.result), way_out));
  }
  if (state.options != told) {
    throw ConfigError(fmt::format("{}: is of a stream with other options ({}), this one has {}{}",
                                  printable(state_path), printable(state.options), told, way_out));
  }
  // Whatever a foreign file says has to be what this stream would write, name by name.
  const ArrayMap own = all_arrays();
  const auto fail = [&](const std::string& what) {
    throw DataError(
        fmt::format("{}: is no state of this stream: {}{}", printable(state_path), what, way_out));
  };
  for (const auto& [name, array] : own) {
    const auto found = state.arrays.find(name);
    if (found == state.arrays.end()) fail("it lacks " + name);
    if (found->second.dtype() != array.dtype()) fail("the dtype of " + name + " is another");
    if (!name.starts_with(kHierarchy)) continue;
    if (found->second.shape() != array.shape()) fail("the shape of " + name + " is another");
  }
  try {
    put_back(state);
  } catch (const Error& error) {
    fail(error.what());
  }
  warnings.clear();
  answer(row - 1);
}

/// Everything as it was when `state` was taken, of this stream or of one like it.
void LiveStream::Parts::put_back(const StreamState& state) {
  ArrayMap of_hierarchy;
  for (const auto& [name, array] : state.arrays) {
    if (!name.starts_with(kHierarchy)) continue;
    of_hierarchy.emplace(name.substr(std::string_view(kHierarchy).size()), array);
  }
  hierarchy.set_state(of_hierarchy, state.step);
  samples.set_state(state.arrays);
  if (range) range->set_state(numbers_of(state.arrays, "range"));
  out = count_in_state(numbers_of(state.arrays, "out", 1).front());
  if (!out_of.empty()) out_of = numbers_of(state.arrays, "out_of", out_of.size());
  for (const double one : out_of) (void)count_in_state(one, -1);
  for (LiveReadout& readout : readouts) {
    readout.set_state(state.arrays, state.step);
    if (!readout.reads_reconstructions()) continue;
    // It takes its part over when it sees the hierarchy.
    readout.before_block(hierarchy, zeros({1, plan.features()}, plan.config.dtype));
  }
  std::size_t count = 0;
  for (const std::vector<double>& level : shown) count += level.size() + 1;
  const std::vector<double> levels = numbers_of(state.arrays, "levels", count);
  auto from = levels.begin();
  for (std::size_t n = 0; n < shown.size(); ++n) {
    has_ticked[n] = *from++ != 0.0;
    std::copy_n(from, shown[n].size(), shown[n].begin());
    from += static_cast<std::ptrdiff_t>(shown[n].size());
  }
  row = state.row;
  in_trial = state.in_trial;
  step = state.step;
  trial = state.trial;
  trial_is_over = plan.trial_rows > 0 && in_trial >= plan.trial_rows;
}

LiveStream::LiveStream(const std::string& result, const StreamOptions& options)
    : parts_(std::make_unique<Parts>(result, options)) {}
LiveStream::LiveStream(LiveStream&&) noexcept = default;
LiveStream& LiveStream::operator=(LiveStream&&) noexcept = default;
LiveStream::~LiveStream() = default;

const StreamAnswer& LiveStream::push(const StreamRow& row) { return parts_->push(row); }

void LiveStream::teach(std::int64_t step, const std::vector<double>& targets,
                       const std::optional<std::string>& label) {
  parts_->teach(step, targets, label);
}

void LiveStream::begin_trial() {
  if (parts_->in_trial > 0) parts_->begin_trial();
}

const std::string& LiveStream::trial() const { return parts_->trial; }

void LiveStream::keep() { parts_->keep(); }

std::int64_t LiveStream::step() const { return parts_->row; }
const std::vector<std::string>& LiveStream::columns() const { return parts_->plan.channels; }
const std::vector<std::string>& LiveStream::targets() const { return parts_->plan.targets; }
const std::string& LiveStream::label() const { return parts_->plan.label; }
const std::string& LiveStream::trials() const { return parts_->plan.trials; }
char LiveStream::decimal() const {
  const auto* const file = std::get_if<FileConfig>(&parts_->plan.config.data.source);
  return file == nullptr ? '.' : file->decimal;
}
const std::vector<StreamField>& LiveStream::fields() const { return parts_->fields; }
const std::string& LiveStream::state_path() const { return parts_->state_path; }

}  // namespace gaia
