// SPDX-License-Identifier: MIT
#include "initial_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "../../array/device.h"
#include "../../core/error.h"
#include "../../core/text.h"
#include "../../io/columns.h"
#include "../../io/idx.h"
#include "../../io/input_file.h"
#include "../config/yaml.h"
#include "../setup/load.h"
#include "initial_experiment.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kFewest = 50;
constexpr std::int64_t kMostRead = 20000;

/// The file of the classes of these pictures, as MNIST and its kin call it; empty where there is
/// none.
std::string labels_beside(const std::string& path) {
  std::string name = fs::path(path).filename().string();
  const std::size_t at = name.find("images-idx3");
  if (at == std::string::npos) return "";
  name.replace(at, 11, "labels-idx1");
  const fs::path labels = fs::path(path).parent_path() / name;
  std::error_code error;
  return fs::is_regular_file(labels, error) ? labels.string() : "";
}

}  // namespace

bool is_idx_pictures(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  const InputFile file(path);
  std::array<char, 4> magic{};
  if (file.read(0, magic) != magic.size()) return false;
  const bool is_plain = magic == std::array<char, 4>{0, 0, 8, 3};
  const bool is_packed = magic[0] == '\x1f' && magic[1] == '\x8b';
  return is_plain ||
         (is_packed && fs::path(path).filename().string().find("idx3") != std::string::npos);
}

std::string initial_pictures(const std::string& data, const std::string& file) {
  const GPUContext on_host(Device::cpu());
  const Array pictures = io::read_idx(data);
  if (pictures.rank() != 3 || pictures.shape(0) < kFewest) {
    throw DataError(
        fmt::format("{}: expected at least {} pictures, [pictures, height, width], got "
                    "{}",
                    data, kFewest, to_string(pictures.shape())));
  }
  const std::string labels = labels_beside(data);
  const std::string name = experiment_name(data);
  std::string text = fmt::format(
      "# An experiment to begin with, made by `gaia init` for {}:\n"
      "# {} pictures of {} x {} pixels.  `gaia run` runs it, `gaia report results/{}.h5` makes a\n"
      "# page of the result, with the weights as pictures.\n"
      "# All keys: docs/experiments.md, or `gaia schema`.\n"
      "experiment: {}\n"
      "seed: 1\n"
      "data:\n"
      "  source: images\n"
      "  path: {}\n",
      in_quotes(fs::path(data).filename().string()), grouped(pictures.shape(0)), pictures.shape(1),
      pictures.shape(2), name, quoted(name), quoted(path_from(data, file)));
  std::int64_t pixels = pictures.shape(1) * pictures.shape(2);
  std::int64_t steps = std::min(pictures.shape(0), kMostRead);
  if (labels.empty()) {
    steps = kMostRead;
    const std::int64_t side = std::min<std::int64_t>({8, pictures.shape(1), pictures.shape(2)});
    pixels = side * side;
    text += fmt::format(
        "  # labels: FILE              # the IDX file of their classes, with whole pictures\n"
        "  patch: {:<20} # each step is a patch of so many pixels from a random place\n"
        "  count: {}\n"
        "  whiten: zca                 # pixels beside each other are no longer alike\n",
        side, steps);
  } else {
    text += fmt::format(
        "  labels: {}\n"
        "  train_samples: {:<12} # the first so many; more take longer\n"
        "  normalize: zscore           # every pixel to mean 0 and standard deviation 1\n",
        quoted(path_from(labels, file)), steps);
  }
  const std::int64_t anneal = labels.empty() ? steps : steps * 3 / 10;
  text += fmt::format(
      "hierarchy:\n"
      "  schedule: {{cosine_to: {}}}   # the level learns slower and slower, and then stands "
      "still\n"
      "  levels:\n"
      "    # The subspace in which the pictures vary most (Oja's subspace rule).\n"
      "    - layers:\n"
      "        - type: hebbian\n"
      "          size: {}\n"
      "          rule: oja_subspace\n"
      "          init: orthogonal\n"
      "          learning_rate: auto     # a tenth of what is stable on these pictures\n"
      "          normalization: max_norm # holds the weights where single pictures are far larger\n"
      "          bound: 2.0\n",
      std::max<std::int64_t>(1, anneal), std::min<std::int64_t>(16, pixels));
  if (!labels.empty()) {
    text +=
        "readouts:\n"
        "  # The class of each picture by logistic regression, beside the most frequent class.\n"
        "  - name: class\n"
        "    type: logistic\n"
        "    target: {label: true}\n"
        "    levels: [0]\n"
        "    skip: 0.3                   # the part that the level learns from\n"
        "    split: 0.7                  # trained up to here, and judged on the rest\n";
  }
  try {
    load_experiment_text(text, file);
  } catch (const ConfigError& error) {
    throw DataError(fmt::format("{}: no experiment could be made for it: {}", data, error.what()));
  }
  return text;
}

}  // namespace gaia
