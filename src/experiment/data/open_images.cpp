// SPDX-License-Identifier: MIT
#include "open_images.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "../../array/create.h"
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

/// Pictures to learn from, those to test with, and whatever is read of them.
struct ImageSource {
  ImageFiles train;
  ImageFiles test = {};
  bool are_idx = false;  ///< In a folder.

  std::vector<std::string> inputs() const {
    std::vector<std::string> all;
    for (const std::string* path : {&train.images, &train.labels, &test.images, &test.labels}) {
      if (!path->empty()) all.push_back(*path);
    }
    return all;
  }
};

/// The four IDX files of a folder, or the problem that one of them is not there.
std::optional<ImageSource> find_idx_files(const std::string& folder, bool only_pictures,
                                          const AddProblem& add) {
  ImageSource source{.train = {}, .test = {}, .are_idx = true};
  using Place = std::pair<const char*, std::string*>;
  std::vector<Place> wanted = {{kTrainImages, &source.train.images}};
  if (!only_pictures) {
    wanted.insert(wanted.end(), {{kTrainLabels, &source.train.labels},
                                 {kTestImages, &source.test.images},
                                 {kTestLabels, &source.test.labels}});
  }
  for (const auto& [name, place] : wanted) {
    // Each may be there as it is or packed.
    const std::optional<std::string> path = io::find_idx(folder, name);
    if (!path) {
      add("data.folder",
          fmt::format("no {0} and no {0}.gz in '{1}'{3}; Debian's package dataset-fashion-mnist "
                      "puts Fashion-MNIST into {2}",
                      name, folder, io::kFashionMnistFolder,
                      only_pictures || name == kTrainImages
                          ? ", and no PNG or JPEG files (.png, .jpg, .jpeg)"
                          : ""));
      return std::nullopt;
    }
    *place = fs::path(*path).lexically_normal().string();
  }
  return source;
}

/// A folder of pictures, or of the folders `train` and `test` with such.
std::optional<ImageSource> find_pictures(const std::string& folder, const AddProblem& add) {
  const auto below = [&](const char* name) { return (fs::path(folder) / name).string(); };
  std::error_code error;
  if (!fs::is_directory(below("train"), error) || !fs::is_directory(below("test"), error)) {
    return ImageSource{.train = {folder}};
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') || name == "train" || name == "test" || !entry.is_directory(error)) {
      continue;
    }
    add("data.folder", fmt::format("'{}' has the folders train and test, and beside them '{}', "
                                   "which is neither; take it away, or name one of them",
                                   folder, printable(name)));
    return std::nullopt;
  }
  return ImageSource{.train = {below("train")}, .test = {below("test")}};
}

std::optional<ImageSource> find_in_folder(const Experiment& experiment, const ImagesConfig& config,
                                          const AddProblem& add) {
  const std::string folder = path_of(experiment, config.folder).lexically_normal().string();
  const bool has_train = io::has_pictures((fs::path(folder) / "train").string());
  if (!io::find_idx(folder, kTrainImages) && (has_train || io::has_pictures(folder))) {
    return find_pictures(folder, add);
  }
  return find_idx_files(folder, !config.patch.empty(), add);
}

/// A file that is named by a key of its own.
std::optional<std::string> find_file(const Experiment& experiment, const char* key,
                                     const std::string& given, const AddProblem& add) {
  const fs::path path = path_of(experiment, given);
  std::error_code error;
  if (fs::is_regular_file(path, error)) return path.lexically_normal().string();
  add(key, fs::exists(path, error)
               ? "'" + given + "' is not a regular file" +
                     (fs::is_directory(path, error) ? "; data.folder names a folder" : "")
               : fmt::format("file '{}' not found; looked for {}", given,
                             fs::absolute(path, error).lexically_normal().string()));
  return std::nullopt;
}

std::optional<ImageSource> find_named(const Experiment& experiment, const ImagesConfig& config,
                                      const AddProblem& add) {
  const auto images = find_file(experiment, "data.path", config.path, add);
  ImageSource source{.train = {.images = images.value_or("")}};
  if (!config.labels.empty()) {
    const auto labels = find_file(experiment, "data.labels", config.labels, add);
    if (!labels) return std::nullopt;
    source.train.labels = *labels;
  }
  return images ? std::optional(source) : std::nullopt;
}

std::optional<ImageSource> find_source(const Experiment& experiment, const ImagesConfig& config,
                                       const AddProblem& add) {
  return config.path.empty() ? find_in_folder(experiment, config, add)
                             : find_named(experiment, config, add);
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

void use_files(Experiment& experiment, std::vector<std::string> files) {
  experiment.data_path = files.front();
  experiment.inputs = std::move(files);
}

/// PNG and JPEG files of a folder for a network.
void open_folder(Experiment& experiment, const ImagesConfig& config, const ImageSource& source,
                 const AddProblem& add) {
  if (source.test.images.empty()) {
    return add("data.folder",
               "a network needs pictures to test with; put the folders of the classes "
               "into two folders, train and test");
  }
  const std::unique_ptr<Series> series = gaia::open_images(
      source.train, source.test,
      {.train = config.train_samples, .test = config.test_samples, .colours = config.colours});
  if (series->classes().empty()) {
    return add("data.folder",
               "a network needs the classes of its pictures; put those of a class "
               "into a folder of its name, in both train and test");
  }
  const std::int64_t train = *series->training_rows();
  const DType dtype = experiment.config.dtype;
  io::LabelledImages images;
  std::tie(images.train_images, images.train_labels) = pictures_of(*series, 0, train, dtype);
  std::tie(images.test_images, images.test_labels) =
      pictures_of(*series, train, series->rows(), dtype);
  images.files = source.inputs();
  images.classes = series->classes();
  experiment.classes = std::ssize(images.classes);
  experiment.images = std::move(images);
}

}  // namespace

void open_images(Experiment& experiment, const ImagesConfig& config, const AddProblem& add) {
  const auto source = find_in_folder(experiment, config, add);
  if (!source) return;
  use_files(experiment, source->inputs());
  const GPUContext on_host(Device::cpu());
  if (!source->are_idx) return open_folder(experiment, config, *source, add);
  io::LabelledImages images =
      io::fashion_mnist(path_of(experiment, config.folder).string(), experiment.config.dtype);
  keep_first(config.train_samples, "data.train_samples", images.train_images, images.train_labels,
             add);
  keep_first(config.test_samples, "data.test_samples", images.test_images, images.test_labels, add);
  experiment.images = std::move(images);
}

std::pair<Array, Array> pictures_of(Series& series, std::int64_t first, std::int64_t last,
                                    DType dtype) {
  constexpr std::int64_t kBlock = 256;
  const GPUContext on_host(Device::cpu());
  std::vector<std::int64_t> shape = series.picture_shape();
  shape.insert(shape.begin(), last - first);
  const std::int64_t channels = series.channels();
  const bool has_labels = !series.classes().empty();
  Array images = Array::uninitialized(Shape(shape), dtype);
  std::vector<std::int64_t> labels(static_cast<std::size_t>(last - first), -1);
  std::vector<double> block;
  std::vector<SideValues> side(1);
  dispatch(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T>) {
      const std::span<T> out = images.elements<T>();
      for (std::int64_t row = first; row < last; row += kBlock) {
        const std::int64_t count = std::min(kBlock, last - row);
        block.resize(static_cast<std::size_t>(count * channels));
        if (has_labels) {
          series.read_with_side(row, count, block, std::vector<std::size_t>{0}, side);
          std::ranges::copy(std::get<std::vector<std::int64_t>>(side.front()),
                            labels.begin() + (row - first));
        } else {
          series.read(row, count, block);
        }
        std::ranges::transform(block, out.begin() + (row - first) * channels,
                               [](double number) { return static_cast<T>(number); });
      }
    }
  });
  if (images.rank() == 4) images = images.transpose({0, 3, 1, 2}).contiguous();
  return {images, from_values(labels, Shape{last - first})};
}

void open_image_series(Experiment& experiment, const ImagesConfig& config, const AddProblem& add) {
  if (config.patch.size() > 2) {
    return add("data.patch",
               fmt::format("expected a height and a width, got {} numbers", config.patch.size()));
  }
  if (!config.patch.empty() && !config.count) {
    return add("data.count", "missing; how many patches there are to be");
  }
  std::optional<ImageSource> source = find_source(experiment, config, add);
  if (!source) return;
  if (config.patch.empty()) {
    experiment.series = gaia::open_images(
        source->train, source->test,
        {.train = config.train_samples, .test = config.test_samples, .colours = config.colours});
  } else {
    source = ImageSource{.train = {source->train.images}};
    experiment.series = open_patches(source->train.images,
                                     {.height = config.patch.front(),
                                      .width = config.patch.back(),
                                      .count = *config.count,
                                      .seed = static_cast<std::uint64_t>(experiment.config.seed),
                                      .train = config.train_samples,
                                      .colours = config.colours});
  }
  use_files(experiment, source->inputs());
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
