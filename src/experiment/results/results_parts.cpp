// SPDX-License-Identifier: MIT
#include "results_parts.h"

#include "../data/schema_version.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "../../core/error.h"
#include "../../core/parallel.h"
#include "../../core/version.h"
#include "../../io/foreign_hdf5/hdf5_reader.h"
#include "../../io/output_files.h"
#include "../config/config_writer.h"
#include "../setup/load.h"
#include "checkpoints.h"

namespace gaia {
std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string to_string(RunStatus status) {
  switch (status) {
    case RunStatus::complete:
      return "complete";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::failed:
      break;
  }
  return "failed";
}

RunFacts facts_of_run(const Experiment& experiment, const RunFacts* before,
                      const std::string& command_line, const std::string& device,
                      std::int64_t steps) {
  RunFacts facts;
  if (before != nullptr) {
    facts = *before;
    facts.resumed_at.push_back(utc_now());
  } else {
    std::error_code ignored;
    facts.config_text = to_yaml(experiment.config);
    facts.config_file = experiment.file;
    if (experiment.stands_in_file) {
      facts.config_path =
          std::filesystem::absolute(experiment.file, ignored).lexically_normal().string();
    }
    facts.settings = experiment.settings;
    facts.inputs = experiment.inputs;
    facts.input_hashes = hashes_of_inputs(experiment);
    facts.included = experiment.included;
    facts.command_line = command_line;
    facts.run_id = new_run_id();
    facts.member = experiment.member;
  }
  facts.in_sample = experiment.from && reads_same_data(facts.input_hashes, *experiment.from);
  facts.device = device;
  facts.steps = steps;
  facts.threads = num_threads();
  return facts;
}

void write_root(hdf5::File& file, const ExperimentConfig& config, const RunFacts& run,
                const std::string& main_group) {
  file.set_attribute("gaia_version", version());
  file.set_attribute("schema_version", kSchemaVersion);
  file.set_attribute("experiment", config.experiment);
  file.set_attribute("config", run.config_text);
  file.set_attribute("config_file", run.config_file);
  file.set_attribute("config_path", run.config_path);
  file.set_attribute("settings", run.settings);
  std::vector<std::string> inputs = run.inputs;
  std::vector<std::string> hashes = run.input_hashes;
  std::vector<std::string> included;
  for (const auto& [path, hash] : run.included) {
    included.push_back(path);
    inputs.push_back(path);
    hashes.push_back(hash);
  }
  file.set_attribute("input_files", inputs);
  file.set_attribute("input_sha256", hashes);
  if (!included.empty()) file.set_attribute("included_files", included);
  file.set_attribute("command_line", run.command_line);
  file.set_attribute("run_id", run.run_id);
  file.set_attribute("created_utc", run.created_utc.empty() ? utc_now() : run.created_utc);
  if (!run.resumed_at.empty()) file.set_attribute("resumed_at", run.resumed_at);
  file.set_attribute("finished_utc", "");
  file.set_attribute("status", "running");
  file.set_attribute("device", run.device);
  file.set_attribute("dtype", to_string(config.dtype));
  file.set_attribute("precision", to_string(config.precision));
  file.set_attribute("seed", config.seed);
  file.set_attribute("steps", run.steps);
  file.set_attribute("steps_done", std::int64_t{0});
  file.set_attribute("wall_seconds", 0.0);
  std::array<char, 256> host{};
  file.set_attribute("hostname",
                     ::gethostname(host.data(), host.size() - 1) == 0 ? host.data() : "unknown");
  file.set_attribute("git_commit", git_commit());
  file.set_attribute("threads", run.threads);
  file.set_attribute("Conventions", "CF-1.8");
  file.set_attribute("NX_class", "NXroot");
  file.set_attribute("default", main_group);
  if (run.applied) {
    file.set_attribute("applied_from", run.applied->path);
    file.set_attribute("applied_from_sha256", run.applied->sha256);
    file.set_attribute("applied_from_run_id", run.applied->run_id);
  }
  write_published(file, config);
  if (!run.member) return;
  hdf5::Group sweep = file.create_group("sweep");
  sweep.set_attribute("member", run.member->number);
  for (const auto& [key, value] : run.member->settings) {
    std::visit([&, &name = key](const auto& v) { sweep.set_attribute(name, v); }, value);
  }
}

void write_published(hdf5::File& file, const ExperimentConfig& config) {
  if (!config.published.is_there) return;
  PublishedConfig published = config.published;
  if (published.readout.empty() && !config.readouts.empty()) {
    published.readout = config.readouts.front().name;
  }
  hdf5::Group group = file.create_group("published");
  for (const auto& [name, value] : attributes_of(published)) {
    std::visit([&, &key = name](const auto& v) { group.set_attribute(key, v); }, value);
  }
}

hdf5::Group create_data_group(hdf5::File& file, const ExperimentConfig& config,
                              const RunFacts& run) {
  const bool is_computed = std::holds_alternative<GeneratorConfig>(config.data.source);
  hdf5::Group group = file.create_group("data");
  group.set_attribute("source", source_name(config.data));
  group.set_attribute("path", is_computed ? "" : run.inputs.front());
  group.set_attribute("sha256", is_computed ? "" : run.input_hashes.front());
  return group;
}

void write_channels(hdf5::Group& data, const std::vector<std::string>& names,
                    const DataConfig& config, const Scaling& scaling) {
  const auto channels = static_cast<std::int64_t>(names.size());
  data.set_attribute("channels", channels);
  data.set_attribute("channel_names", names);
  if (scaling.offset.empty()) return;
  if (config.is_measured()) {
    data.set_attribute("normalized_from", config.measured.empty() ? "all" : "train");
  }
  const hdf5::Dataset channel = make_index(data, "channel", channels, "channel");
  const auto numbers = [&](const char* name, const std::string& long_name,
                           const std::vector<double>& values) {
    hdf5::Dataset dataset =
        data.create_dataset(name, {.type = hdf5::Type::float64, .shape = {channels}});
    dataset.write<double>(values);
    describe(dataset, long_name);
    dataset.attach_scale(0, channel);
  };
  const bool is_zscore = config.normalize == Normalize::zscore;
  const bool is_minmax = config.normalize == Normalize::minmax;
  numbers("mean",
          is_zscore   ? "mean, subtracted"
          : is_minmax ? "minimum, subtracted"
                      : "of the training that this goes back to, subtracted",
          scaling.offset);
  numbers("scale",
          is_zscore   ? "standard deviation, divided by"
          : is_minmax ? "range, divided by"
                      : "of the training that this goes back to, divided by",
          scaling.scale);
}

void write_without_blocks(hdf5::Group& group,
                          const std::vector<std::pair<std::string, std::vector<double>>>& scores) {
  std::optional<hdf5::Dataset> block;
  for (const auto& [name, values] : scores) {
    if (values.empty()) continue;
    const auto count = static_cast<std::int64_t>(values.size());
    if (!block) block = make_index(group, "block", count, "block of the test part");
    hdf5::Dataset dataset =
        group.create_dataset(name, {.type = hdf5::Type::float64, .shape = {count}});
    dataset.write<double>(values);
    describe(dataset, "the score of the test part without this block");
    dataset.attach_scale(0, *block);
  }
}

void write_filled(hdf5::Group& data, const FilledValues& filled) {
  if (filled.policy == MissingPolicy::error) return;
  data.set_attribute("missing", to_string(filled.policy));
  const auto channels = static_cast<std::int64_t>(filled.channels.size());
  const hdf5::Dataset channel = data.has_dataset("channel")
                                    ? data.open_dataset("channel")
                                    : make_index(data, "channel", channels, "channel");
  const auto put = [&]<class T>(const char* name, hdf5::Type type, const std::vector<T>& values,
                                const char* long_name) {
    hdf5::Dataset dataset = data.create_dataset(name, {.type = type, .shape = {channels}});
    dataset.write<T>(values);
    describe(dataset, long_name);
    dataset.attach_scale(0, channel);
  };
  const bool is_kept = filled.policy == MissingPolicy::keep;
  put("filled_share", hdf5::Type::float64, filled.shares,
      is_kept ? "share of the rows that are read in which the value is missing"
              : "share of the rows that are read in which the value was missing and is filled");
  put("longest_gap", hdf5::Type::int64, filled.longest,
      is_kept ? "rows of the longest gap" : "rows of the longest gap that is filled");
  if (filled.fill.empty()) return;
  put("fill", hdf5::Type::float64, filled.fill, "what stands before the first value of a trial");
}

void write_whitening(hdf5::Group& data, const Whitening& whitening) {
  hdf5::Group group = data.create_group("whitening");
  const std::int64_t pixels = whitening.features();
  const hdf5::Dataset pixel = make_index(group, "pixel", pixels, "pixel of a row");
  hdf5::Dataset mean =
      group.create_dataset("mean", {.type = hdf5::Type::float64, .shape = {pixels}});
  mean.write<double>(whitening.mean);
  describe(mean, "mean of the rows that whitening was found by, subtracted");
  mean.attach_scale(0, pixel);
  const std::int64_t outputs = whitening.outputs();
  const hdf5::Dataset white = make_index(group, "white_pixel", outputs, "pixel after whitening");
  hdf5::Dataset matrix =
      group.create_dataset("matrix", {.type = hdf5::Type::float64, .shape = {outputs, pixels}});
  matrix.write<double>(whitening.matrix);
  describe(matrix, "what a row, without that mean, is multiplied by");
  matrix.attach_scale(0, white);
  matrix.attach_scale(1, pixel);
}

hdf5::File open_results(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw ConfigError(path + ": no such file");
  hdf5::probe(path);
  hdf5::File file = hdf5::File::open(path);
  check_schema(file.integer_attribute("schema_version"), path);
  return file;
}

hdf5::Type stored_type(DType dtype) {
  return dtype == DType::float32 ? hdf5::Type::float32
         : dtype == DType::int64 ? hdf5::Type::int64
                                 : hdf5::Type::float64;
}

void describe(hdf5::Dataset& dataset, const std::string& long_name, const char* units) {
  dataset.set_attribute("long_name", long_name);
  dataset.set_attribute("units", units);
}

hdf5::Dataset make_index(hdf5::Group& group, const std::string& name, std::int64_t n,
                         const std::string& long_name) {
  hdf5::Dataset index = group.create_dataset(name, {.type = hdf5::Type::int32, .shape = {n}});
  std::vector<std::int32_t> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i);
  index.write<std::int32_t>(values);
  describe(index, long_name);
  index.make_scale(name);
  return index;
}

void mark_plot(hdf5::Group& group, const char* signal, const std::vector<std::string>& axes) {
  group.set_attribute("NX_class", "NXdata");
  group.set_attribute("signal", signal);
  group.set_attribute("axes", axes);
}

void write_whole(hdf5::Dataset& dataset, const Array& values) {
  // Weights are written from where they lie; they may be large.
  const Array here = values.to(Device::cpu()).contiguous();
  if (values.dtype() == DType::float32) {
    dataset.write<float>(here.elements<float>());
  } else if (values.dtype() == DType::float64) {
    dataset.write<double>(here.elements<double>());
  } else {
    dataset.write<std::int64_t>(values.to_vector<std::int64_t>());
  }
}

std::string finish_results(const std::string& result, RunStatus status, std::int64_t steps_done,
                           double wall_seconds, const std::function<void(hdf5::File&)>& mark) {
  // What a SWMR file cannot change, its attributes, is changed in a copy.
  const std::string partial = partial_path(result);
  const std::string last = result + ".finishing";
  copy_file(partial, last);
  try {
    hdf5::File file = hdf5::File::modify(last);
    file.set_attribute("status", to_string(status));
    file.set_attribute("finished_utc", utc_now());
    file.set_attribute("steps_done", steps_done);
    file.set_attribute("wall_seconds", wall_seconds);
    mark(file);
    file.close();
    if (status != RunStatus::complete) {
      publish(last, partial);
      return partial;
    }
    publish(last, result);
  } catch (...) {
    discard(last);
    throw;
  }
  std::remove(partial.c_str());
  return result;
}

}  // namespace gaia
