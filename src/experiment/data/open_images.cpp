// SPDX-License-Identifier: MIT
#include "open_images.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "../../array/device.h"
#include "../../core/text.h"
#include "../../io/images_series.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrainImages = "train-images-idx3-ubyte";
constexpr const char* kTrainLabels = "train-labels-idx1-ubyte";
constexpr const char* kTestImages = "t10k-images-idx3-ubyte";
constexpr const char* kTestLabels = "t10k-labels-idx1-ubyte";

/// A path of the YAML file, which is relative to that.
fs::path path_of(const Experiment& experiment, const std::string& given) {
  const fs::path path(given);
  return path.is_absolute() ? path : fs::path(experiment.file).parent_path() / path;
}

/// These files of the folder, or the problem that one of them is not there.
std::optional<std::vector<std::string>> find_idx_files(const Experiment& experiment,
                                                   const ImagesConfig& config,
                                                   std::span<const char* const> names,
                                                   const AddProblem& add) {
  const std::string folder = path_of(experiment, config.folder).string();
  std::vector<std::string> found;
  for (const char* name : names) {
    // Each may be there as it is or packed.
    const std::optional<std::string> path = io::find_idx(folder, name);
    if (!path) {
      add("data.folder",
          fmt::format("no {0} and no {0}.gz in '{1}'; Debian's package dataset-fashion-mnist puts "
                      "Fashion-MNIST into {2}",
                      name, folder, io::kFashionMnistFolder));
      return std::nullopt;
    }
    found.push_back(fs::path(*path).lexically_normal().string());
  }
  return found;
}

/// A file that is named by a key of its own.
std::optional<std::string> find_file(const Experiment& experiment, const char* key,
                                     const std::string& given, const AddProblem& add) {
  const fs::path path = path_of(experiment, given);
  std::error_code error;
  if (fs::is_regular_file(path, error)) return path.lexically_normal().string();
  add(key, fs::exists(path, error)
               ? "'" + given + "' is not a regular file"
               : fmt::format("file '{}' not found; looked for {}", given,
                             fs::absolute(path, error).lexically_normal().string()));
  return std::nullopt;
}

/// The first `count` of images and labels.
void keep_first(const std::optional<std::int64_t>& count, const char* key, Array& images,
                Array& labels, const AddProblem& add) {
  if (!count) return;
  if (*count > labels.size()) {
    return add(key, fmt::format("expected at most {}, got {}", labels.size(), *count));
  }
  images = images.slice(0, 0, *count);
  labels = labels.slice(0, 0, *count);
}

void use(Experiment& experiment, std::unique_ptr<Series> series, std::vector<std::string> files) {
  experiment.series = std::move(series);
  experiment.data_path = files.front();
  experiment.inputs = std::move(files);
}

void open_patch_series(Experiment& experiment, const ImagesConfig& config, const AddProblem& add) {
  if (config.patch.size() > 2) {
    return add("data.patch",
               fmt::format("expected a height and a width, got {} numbers", config.patch.size()));
  }
  if (!config.count) return add("data.count", "missing; how many patches there are to be");
  std::optional<std::vector<std::string>> files;
  if (config.path.empty()) {
    files = find_idx_files(experiment, config, std::vector{kTrainImages}, add);
  } else if (const auto path = find_file(experiment, "data.path", config.path, add)) {
    files = {*path};
  }
  if (!files) return;
  const PatchOptions options{.height = config.patch.front(),
                             .width = config.patch.back(),
                             .count = *config.count,
                             .seed = static_cast<std::uint64_t>(experiment.config.seed),
                             .train = config.train_samples};
  use(experiment, open_patches(files->front(), options), *files);
}

void open_whole_series(Experiment& experiment, const ImagesConfig& config, const AddProblem& add) {
  const ImagesOptions options{.train = config.train_samples, .test = config.test_samples};
  if (config.path.empty()) {
    const std::vector names = {kTrainImages, kTrainLabels, kTestImages, kTestLabels};
    const auto files = find_idx_files(experiment, config, names, add);
    if (!files) return;
    return use(experiment,
               gaia::open_images({(*files)[0], (*files)[1]}, {(*files)[2], (*files)[3]}, options),
               *files);
  }
  const auto images = find_file(experiment, "data.path", config.path, add);
  std::vector<std::string> files;
  if (images) files.push_back(*images);
  ImageFiles one{.images = images.value_or("")};
  if (!config.labels.empty()) {
    const auto labels = find_file(experiment, "data.labels", config.labels, add);
    if (!labels) return;
    files.push_back(*labels);
    one.labels = *labels;
  }
  if (images) use(experiment, gaia::open_images(one, {}, options), files);
}

}  // namespace

void open_images(Experiment& experiment, const ImagesConfig& config, const AddProblem& add) {
  const std::vector names = {kTrainImages, kTrainLabels, kTestImages, kTestLabels};
  if (!find_idx_files(experiment, config, names, add)) return;
  const GPUContext on_host(Device::cpu());
  io::LabelledImages images =
      io::fashion_mnist(path_of(experiment, config.folder).string(), experiment.config.dtype);
  for (const std::string& file : images.files) {
    experiment.inputs.push_back(fs::path(file).lexically_normal().string());
  }
  experiment.data_path = fs::path(images.files.front()).lexically_normal().string();
  keep_first(config.train_samples, "data.train_samples", images.train_images, images.train_labels,
             add);
  keep_first(config.test_samples, "data.test_samples", images.test_images, images.test_labels, add);
  experiment.images = std::move(images);
}

void open_image_series(Experiment& experiment, const ImagesConfig& config, const AddProblem& add) {
  if (config.patch.empty()) {
    open_whole_series(experiment, config, add);
  } else {
    open_patch_series(experiment, config, add);
  }
}

void check_shape(const Experiment& experiment, const AddProblem& add) {
  const std::vector<std::int64_t>& shape = experiment.config.data.shape;
  if (shape.empty()) return;
  const std::string shown = fmt::format("[{}]", fmt::join(shape, ", "));
  if (shape.size() < 2 || shape.size() > 3) {
    return add("data.shape",
               "expected height and width, or height, width and colours, got " + shown);
  }
  const std::vector<std::int64_t> told = experiment.series->picture_shape();
  // Each is at most 100 000.
  std::int64_t numbers = 1;
  for (const std::int64_t length : shape) numbers *= length;
  const std::int64_t channels = experiment.series->channels();
  if (numbers != channels) {
    return add("data.shape",
               fmt::format("a picture of {} has {} numbers, a row of these data has {} channels",
                           shown, numbers, channels));
  }
  if (!told.empty() && told != shape) {
    add("data.shape", fmt::format("these pictures are of [{}]; leave it out, or say that",
                                  fmt::join(told, ", ")));
  }
}

}  // namespace gaia
