// SPDX-License-Identifier: MIT
#include "inputs.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "../core/error.h"
#include "../experiment/readouts/readout.h"
#include "../experiment/setup/load.h"
#include "../io/sha256.h"

namespace gaia::report {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = std::uintmax_t{4} << 30;
constexpr double kMostGenerated = 4e8;  // numbers

YamlNode* entry_of(YamlNode& map, const char* key) {
  for (YamlNode::Entry& entry : map.entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

/// Takes from an experiment what it had from an earlier run, whose file a report does not need:
/// weights, scaling, readouts that did not learn.  Whether its data were scaled as those before.
bool forget_earlier_run(YamlNode& root) {
  if (YamlNode* hierarchy = entry_of(root, "hierarchy")) {
    std::erase_if(hierarchy->entries, [](const auto& entry) { return entry.key == "from"; });
  }
  if (YamlNode* readouts = entry_of(root, "readouts")) {
    std::erase_if(readouts->items, [](YamlNode& readout) {
      const YamlNode* learn = entry_of(readout, "learn");
      return learn != nullptr && learn->text == "false";
    });
  }
  YamlNode* data = entry_of(root, "data");
  YamlNode* normalize = data == nullptr ? nullptr : entry_of(*data, "normalize");
  if (normalize == nullptr || normalize->text != "stored") return false;
  normalize->text = "none";
  return true;
}

}  // namespace

std::string quoted_yaml(const std::string& text) {
  // A text of JSON is one of YAML.
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string find_data_file(const Result& result, std::string& why_not) {
  const std::string named = result.text("data", "path");
  const std::string hash = result.text("data", "sha256");
  if (named.empty() || hash.empty()) {
    why_not = "the result does not name a data file with its hash";
    return {};
  }
  const fs::path folder = fs::path(result.path()).parent_path();
  why_not = "the data file " + named + " is not there";
  for (const fs::path& path : {fs::path(named), folder / named, folder / ".." / named}) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) continue;
    if (fs::file_size(path, error) > kLargestFile || error) {
      why_not = "the data file " + named + " is too large to be hashed for a report";
      continue;
    }
    try {
      if (sha256_of_file(path.string()) == hash)
        return fs::absolute(path).lexically_normal().string();
    } catch (const DataError&) {
      continue;  // it is taken as absent
    }
    why_not = "the file " + named + " is not the one that was read: its SHA-256 is another";
  }
  return {};
}

InputSource::InputSource(const Result& result) : result_(result) {
  if (load() || use_recorded()) return;
  channels_.clear();
  features_ = 0;
  steps_ = 0;
}

std::optional<Experiment> load_again(const Result& result, double numbers, std::string& why_not) {
  Overrides overrides;
  if (result.text("data", "source") == "file") {
    const std::string path = find_data_file(result, why_not);
    if (path.empty()) return std::nullopt;
    overrides.set.push_back("data.path=" + quoted_yaml(path));
  } else if (numbers > kMostGenerated) {
    why_not = "the series is too long to be generated again for a report";
    return std::nullopt;
  }
  try {
    why_not.clear();
    ExperimentFile file = read_experiment_text(result.text("", "config"), result.path(), overrides);
    const bool is_stored = forget_earlier_run(file.root);
    Experiment experiment = make_experiment(file.path, file.root, file.problems);
    file.problems.throw_if_any();
    if (experiment.series && result.has("data/fill")) {
      std::vector<double> fill = result.read("data/fill");
      if (std::ssize(fill) != experiment.series->channels()) {
        throw DataError("the result does not say what stands before the first value");
      }
      experiment.series->set_fill(std::move(fill));
    }
    if (is_stored) {
      experiment.config.data.normalize = Normalize::stored;
      experiment.config.data.scaling = {result.read("data/mean"), result.read("data/scale")};
      const auto channels =
          static_cast<std::size_t>(experiment.series ? experiment.series->channels() : 0);
      const Scaling& scaling = experiment.config.data.scaling;
      if (scaling.offset.size() != channels || scaling.scale.size() != channels) {
        throw DataError("the result does not say how they were scaled");
      }
    }
    return experiment;
  } catch (const Error& error) {
    why_not = std::string("the data cannot be had again: ") + error.what();
    return std::nullopt;
  }
}

bool InputSource::load() {
  const double channels = static_cast<double>(result_.integer("data", "channels").value_or(1));
  experiment_ =
      load_again(result_, channels * static_cast<double>(result_.series_done()), missing_);
  if (!experiment_) return false;
  try {
    if (!experiment_->series || experiment_->steps < result_.series_done()) {
      throw DataError("the data are shorter than the run");
    }
    const ExperimentConfig& known = experiment_->config;
    reader_.emplace(*experiment_->series, known.data, experiment_->trials, known.dtype,
                    reach_of(known.readouts), read_latents(known.readouts));
    reader_->begin_epoch(experiment_->config.hierarchy().epochs - 1);  // what the file is of
  } catch (const Error& error) {
    missing_ = std::string("the data cannot be had again: ") + error.what();
    reader_.reset();
    experiment_.reset();
    return false;
  }
  origin_ = experiment_->data_path.empty()
                ? "generated again from the seed"
                : "read again from " + result_.text("data", "path") +
                      ", which still has the SHA-256 that the result names";
  channels_ = experiment_->series->channel_names();
  features_ = reader_->features();
  steps_ = result_.series_done();
  return true;
}

bool InputSource::use_recorded() {
  const std::vector<std::int64_t> shape = result_.shape("data/samples");
  if (shape.size() != 2 || shape[1] < 1 || shape[1] > kWidestRow) {
    missing_ += "; and the samples were not recorded (output.inputs)";
    return false;
  }
  const std::int64_t channels = result_.integer("data", "channels").value_or(0);
  if (channels < 1 || shape[1] % channels != 0) {
    missing_ += "; and the recorded samples do not fit the number of channels";
    return false;
  }
  missing_.clear();
  origin_ = "as recorded in the result";
  const std::vector<std::string> names = result_.texts("data", "channel_names");
  for (std::int64_t c = 0; c < channels; ++c) {
    channels_.push_back(std::ssize(names) == channels ? names[static_cast<std::size_t>(c)]
                                                      : std::to_string(c));
  }
  features_ = shape[1];
  steps_ = std::min(shape[0], result_.series_done());
  return steps_ > 0;
}

std::vector<double> InputSource::read(std::int64_t first, std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count * features_));
  if (reader_) {
    const std::int64_t end = first + count;
    for (std::int64_t step = first; step < end;) {
      const std::int64_t piece = std::min(end, reader_->trials().at(step).end()) - step;
      const std::vector<double> read = reader_->read(step, piece).to_vector<double>();
      std::copy(read.begin(), read.end(), values.begin() + (step - first) * features_);
      step += piece;
    }
    return values;
  }
  result_.read_rows("data/samples", first, count, values.data());
  return values;
}

}  // namespace gaia::report
