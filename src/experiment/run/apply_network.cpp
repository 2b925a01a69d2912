// SPDX-License-Identifier: MIT
#include "apply_network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <tuple>

#include "../../array/create.h"
#include "../../array/functions.h"
#include "../../array/indexing.h"
#include "../../array/ops.h"
#include "../../array/reductions.h"
#include "../../core/error.h"
#include "../../core/names.h"
#include "../../core/text.h"
#include "../../io/images_series.h"
#include "../../io/output_files.h"
#include "../../io/same_file.h"
#include "../../io/sha256.h"
#include "../data/open_images.h"
#include "../data/sample_reader.h"
#include "../results/training_file.h"
#include "../setup/filled_values.h"
#include "device_trial.h"
#include "placement.h"
#include "train.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kBatch = 256;

/// \throws DataError unless the result is complete and of a network that its file holds.
void check_result(const StoredRun& run) {
  const std::string status = run.contents.root().text("status").value_or("");
  if (status == "complete") return;
  throw ConfigError(fmt::format(
      "{}: its training is {}, not complete; `gaia resume` goes on with one that was cut", run.path,
      status));
}

/// Gives the network the parameters and buffers of the result.
void load_parameters(const StoredRun& run, const BuiltNetwork& network) {
  const std::unique_ptr<hdf5::Reader> reader = hdf5::open_reader(run.path);
  ArrayMap state = network.net->state();
  for (auto& [name, value] : state) {
    std::size_t layer = 0;
    std::string prefix;
    for (std::size_t m = 0; m < network.modules.size(); ++m) {
      const std::string one = std::to_string(network.modules[m]) + ".";
      if (name.rfind(one, 0) != 0) continue;
      layer = m;
      prefix = one;
    }
    const std::string path =
        fmt::format("/network/layers/{}/{}", layer, name.substr(prefix.size()));
    const hdf5::DatasetDescription* stored = reader->contents().dataset(path);
    const Shape& shape = value.shape();
    if (stored == nullptr || stored->shape != std::vector(shape.begin(), shape.end())) {
      throw DataError(fmt::format("{}: expected {} of shape {}", run.path, path, to_string(shape)));
    }
    const std::vector<double> numbers = reader->read<double>(*stored);
    for (const double number : numbers) {
      if (std::isfinite(number)) continue;
      throw DataError(fmt::format("{}: {} is not finite: its training diverged", run.path, path));
    }
    value = from_values(numbers, shape).astype(value.dtype());
  }
  network.net->set_state(state);
}

/// How much the classes counted in the loss of the training; empty: each sample once.
std::vector<double> class_weights_of(const StoredRun& run) {
  const std::unique_ptr<hdf5::Reader> reader = hdf5::open_reader(run.path);
  const hdf5::DatasetDescription* stored = reader->contents().dataset("/network/class_weights");
  return stored == nullptr ? std::vector<double>() : reader->read<double>(*stored);
}

/// The numbers that the network has for classes of these names.
Array known_classes(const Array& classes, const std::vector<std::string>& names,
                    const std::vector<std::string>& known, std::int64_t count,
                    const std::string& path) {
  std::vector<std::int64_t> numbers = classes.to_vector<std::int64_t>();
  for (std::int64_t& number : numbers) {
    if (number < 0) continue;
    const std::string& name = names[static_cast<std::size_t>(number)];
    const auto found = std::ranges::find(known, name);
    if (!known.empty() && found == known.end()) {
      throw DataError(fmt::format("{}: expected classes of the training ({}), got {}", path,
                                  join(known), printable(name)));
    }
    number = known.empty() ? parse_integer(name).value_or(-1) : found - known.begin();
    if (number < 0 || number >= count) {
      throw DataError(
          fmt::format("{}: expected classes from 0 to {}, got {}", path, count - 1, name));
    }
  }
  return from_values(numbers, classes.shape());
}

/// Pictures of a file or folder, with their classes where these are known.
void open_images(Experiment& experiment, const StoredRun& run, const ApplyOptions& options,
                 TrainingData& data) {
  check_picture_files(options);
  experiment.inputs = {options.data};
  if (!options.labels.empty()) experiment.inputs.push_back(options.labels);
  data.class_weights = class_weights_of(run);
  const GPUContext on_host(Device::cpu());
  const hdf5::Description* stored = run.contents.group("/data");
  const hdf5::DatasetDescription* confusion = run.contents.dataset("/test/confusion");
  std::vector<std::int64_t> shape;
  if (stored != nullptr) {
    shape = {stored->integer("height").value_or(0), stored->integer("width").value_or(0)};
    if (const auto colours = stored->integer("colours")) shape.push_back(*colours);
  }
  if (shape.empty() || std::ranges::min(shape) < 1 || confusion == nullptr ||
      confusion->shape.size() != 2) {
    throw DataError(run.path + ": does not say on what images it was trained");
  }
  // Grey ones are shown as the colours that the run has read.
  const bool in_colour = shape.size() == 3 && shape[2] == 3;
  const std::unique_ptr<Series> series = gaia::open_images(
      {.images = options.data, .labels = options.labels}, {},
      {.colours = in_colour ? io::Colours::rgb
                            : std::get<ImagesConfig>(experiment.config.data.source).colours});
  if (series->picture_shape() != shape) {
    throw DataError(fmt::format("{}: expected images [n, {}], as {} was trained on, got [{}, {}]",
                                options.data, fmt::join(shape, ", "), run.path, series->rows(),
                                fmt::join(series->picture_shape(), ", ")));
  }
  experiment.classes = confusion->shape.front();
  if (!data.class_weights.empty() && std::ssize(data.class_weights) != *experiment.classes) {
    throw DataError(fmt::format("{}: expected /network/class_weights of shape [{}]", run.path,
                                *experiment.classes));
  }
  const std::int64_t count = std::min(options.steps.value_or(series->rows()), series->rows());
  io::LabelledImages images;
  Array classes;
  std::tie(images.test_images, classes) = pictures_of(*series, 0, count, experiment.config.dtype);
  images.classes = stored->texts("classes").value_or(std::vector<std::string>());
  images.test_labels =
      known_classes(classes, series->classes(), images.classes, *experiment.classes,
                    options.labels.empty() ? options.data : options.labels);
  const std::vector<std::int64_t> numbers = images.test_labels.to_vector<std::int64_t>();
  if (std::ranges::count(numbers, -1) > 0) {
    data.known.emplace();
    for (std::int64_t i = 0; i < count; ++i) {
      if (numbers[static_cast<std::size_t>(i)] >= 0) data.known->push_back(i);
    }
  }
  images.train_images = images.test_images.slice(0, 0, 0);
  images.train_labels = zeros({0}, DType::int64);
  experiment.data_path = options.data;
  experiment.images = std::move(images);
}

TrainingData images_of(const Experiment& experiment, TrainingData data) {
  const io::LabelledImages& images = *experiment.images;
  data.test_x = with_colours(images.test_images.astype(experiment.config.dtype));
  data.train_x = data.test_x.slice(0, 0, 0);
  data.test_y = images.test_labels;
  data.train_y = data.test_y.slice(0, 0, 0);
  data.classes = *experiment.classes;
  data.wants_probabilities = true;
  return data;
}

TrainingData series_of(Experiment& experiment) {
  const ExperimentConfig& config = experiment.config;
  const NetworkTarget& target = config.network()->target;
  const std::int64_t all = experiment.steps;
  SampleReader samples(*experiment.series, config.data, experiment.trials, config.dtype,
                       {.ahead = target.horizon}, false);
  TrainingData data;
  const SeriesSamples read = read_series_samples(
      experiment, samples, {.targets = !target.of_latent, .without_target = true});
  data.test_x = read.x;
  data.test_y = from_values(read.targets, {all, 1}).astype(config.dtype);
  std::vector<double> targets;
  std::vector<double> now;
  data.known.emplace();
  for (std::size_t i = 0; i < read.targets.size(); ++i) {
    if (std::isnan(read.targets[i])) continue;
    data.known->push_back(static_cast<std::int64_t>(i));
    targets.push_back(read.targets[i]);
    now.push_back(read.now[i]);
  }
  if (!targets.empty()) data.baseline = series_baseline(target.horizon, std::move(now), targets);
  data.train_x = data.test_x.slice(0, 0, 0);
  data.train_y = data.test_y.slice(0, 0, 0);
  data.test_rows = read.rows;
  data.scaling = {samples.offset(), samples.scale()};
  return data;
}

/// Whether what is applied to was trained on: of images those of the training part, which is one
/// file of several.
bool is_in_sample(const RunFacts& facts, const StoredRun& run, bool is_of_images) {
  if (!is_of_images) return reads_same_data(facts.input_hashes, run);
  const hdf5::Description* const data = run.contents.group("/data");
  return data != nullptr && !facts.input_hashes.empty() &&
         data->text("sha256") == facts.input_hashes.front();
}

/// Takes the opened series into the experiment, and checks that it can be read.
void take_series(Experiment& experiment, Applied& applied, const StoredRun& run) {
  experiment.series = std::move(applied.data.series);
  experiment.data_path = applied.data.data_path;
  experiment.inputs = applied.data.inputs;
  DataConfig& data = experiment.config.data;
  data.scaling = run.scaling;
  if (std::ssize(run.fill) == experiment.series->channels()) experiment.series->set_fill(run.fill);
  const bool is_scaled = data.normalize == Normalize::stored;
  if (is_scaled &&
      static_cast<std::int64_t>(data.scaling.scale.size()) != experiment.series->channels()) {
    throw DataError(run.path + ": does not say how its data were scaled");
  }
  const std::vector<std::int64_t>& starts = experiment.series->trial_starts();
  const std::int64_t samples = Trials(starts, experiment.series->rows(), data.window).steps();
  if (samples < 1 || data.steps.value_or(1) > samples) {
    throw ConfigError(fmt::format("{}: {} rows give {} samples of window {}, expected {}",
                                  applied.data.data_path, experiment.series->rows(), samples,
                                  data.window,
                                  data.steps ? fmt::format("{}", *data.steps) : "at least 1"));
  }
  experiment.trials = Trials(starts, experiment.series->rows(), data.window, data.steps);
  experiment.steps = experiment.trials.steps();
}

}  // namespace

NetworkApplication apply_network(const std::string& result, const ApplyOptions& options,
                                 const RunOptions& how) {
  const auto start = std::chrono::steady_clock::now();
  Applied applied = open_application(result, options);
  const std::shared_ptr<const StoredRun> run = open_stored_run(result);
  if (!applied.config.network()) throw ConfigError(result + ": is not the result of a network");
  check_result(*run);
  Experiment experiment;
  experiment.file = result;
  experiment.stands_in_file = false;
  experiment.config = std::move(applied.config);
  const ExperimentConfig& config = experiment.config;
  TrainingData data;
  if (std::holds_alternative<ImagesConfig>(config.data.source)) {
    open_images(experiment, *run, options, data);
  } else {
    take_series(experiment, applied, *run);
  }
  for (const std::string& input : experiment.inputs) {
    if (!is_same_file(config.output.path, input)) continue;
    throw OutputError(config.output.path + " is the data that is read; choose another --output");
  }
  if (is_same_file(config.output.path, result)) {
    throw OutputError(config.output.path +
                      " is the result that is applied; choose another --output");
  }
  const auto lock = claim_output(config.output.path, how.overwrite);
  const GPUContext scope(device_of_run(experiment, [&] { return trial_of_answers(experiment); }));
  const MatmulPrecisionScope precision(config.precision);
  const BuiltNetwork network =
      build_network(config, sample_shape(experiment), answer_size(experiment));
  load_parameters(*run, network);
  data = experiment.images ? images_of(experiment, std::move(data)) : series_of(experiment);

  const std::int64_t count = data.test_x.shape(0);
  NetworkApplication made;
  made.samples = count;
  made.targets = data.known ? std::ssize(*data.known) : count;
  made.is_classifier = data.classes > 0;
  made.looks_ahead = filled_values(experiment).looks_ahead();
  const Array answers = predict(*network.net, data.test_x, kBatch);
  made.score.loss = std::numeric_limits<double>::quiet_NaN();
  if (made.targets > 0) {
    const auto those_known = [&](const Array& x) {
      return data.known ? take(x, from_values(*data.known, {made.targets}), 0) : x;
    };
    const Array y = those_known(data.test_y);
    const DataLoader known(those_known(data.test_x), y, {.batch_size = kBatch});
    made.score.loss = evaluate(*network.net, known, training_loss(*config.network(), data)).loss;
    if (made.is_classifier) {
      made.score.accuracy = accuracy(answers, data.test_y);
    } else {
      score_series(made.score, those_known(answers).to_vector<double>(), data.baseline,
                   y.to_vector<double>());
    }
  }
  RunFacts facts =
      facts_of_run(experiment, nullptr, how.command_line, to_string(current_device()), 0);
  facts.applied = {.path = result, .sha256 = sha256_of_file(result), .run_id = run->run_id};
  made.in_sample = is_in_sample(facts, *run, experiment.images.has_value());
  facts.in_sample = made.in_sample && made.targets > 0;
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::optional<TrainingFile> file;
  try {
    file.emplace(experiment, facts, network, data);
    if (made.is_classifier) {
      file->write_test(argmax(answers, 1), softmax(answers, 1));
    } else {
      file->write_test(answers.reshape({-1}));
    }
    made.seconds = seconds();
    made.file = file->finish(RunStatus::complete, 0, made.seconds, made.score);
  } catch (...) {
    if (file) file->abandon();
    std::remove(partial_path(config.output.path).c_str());
    throw;
  }
  return made;
}

}  // namespace gaia
