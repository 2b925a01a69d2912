// SPDX-License-Identifier: MIT
#include "initial_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "../../core/error.h"
#include "../../core/text.h"
#include "../../io/columns.h"
#include "../../io/input_file.h"
#include "../../io/pictures/pictures.h"
#include "../config/yaml.h"
#include "../setup/load.h"
#include "initial_experiment.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kFewest = 50;
constexpr std::int64_t kMostRead = 20000;
constexpr std::string_view kPngStart = "\x89PNG";
constexpr std::string_view kJpegStart = "\xff\xd8\xff";

/// The folder of the pictures to learn from, where a folder has one for them and one to test with.
std::string learnt_from(const std::string& path) {
  const fs::path train = fs::path(path) / "train";
  std::error_code error;
  return fs::is_directory(train, error) && fs::is_directory(fs::path(path) / "test", error)
             ? train.string()
             : path;
}

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

bool holds_pictures(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return io::has_pictures(learnt_from(path));
  if (!fs::is_regular_file(path, error)) return false;
  const InputFile file(path);
  if (file.has_at(0, kPngStart) || file.has_at(0, kJpegStart)) return true;
  std::array<char, 4> magic{};
  if (file.read(0, magic) != magic.size()) return false;
  const bool is_plain = magic == std::array<char, 4>{0, 0, 8, 3};
  const bool is_packed = magic[0] == '\x1f' && magic[1] == '\x8b';
  return is_plain ||
         (is_packed && fs::path(path).filename().string().find("idx3") != std::string::npos);
}

std::string initial_pictures(const std::string& given, const std::string& file) {
  std::string data = given;
  while (data.size() > 1 && data.ends_with('/')) data.pop_back();
  const io::Pictures pictures = io::read_pictures(learnt_from(data));
  const std::string labels = labels_beside(data);
  const bool has_labels = !labels.empty() || !pictures.labels().empty();
  if (has_labels && pictures.count() < kFewest) {
    throw DataError(fmt::format("{}: expected at least {} pictures with classes, got {}", data,
                                kFewest, pictures.count()));
  }
  io::PictureSize least = pictures.size(0);
  for (std::int64_t i = 1; i < pictures.count(); ++i) {
    least.height = std::min(least.height, pictures.size(i).height);
    least.width = std::min(least.width, pictures.size(i).width);
  }
  std::error_code ignored;
  const bool is_folder = fs::is_directory(data, ignored);
  const std::string name = experiment_name(data);
  std::string text = fmt::format(
      "# An experiment to begin with, made by `gaia init` for {}:\n"
      "# {} picture{} of {} x {} pixels{}.  `gaia run` runs it, and\n"
      "# `gaia report results/{}.h5` makes a page of the result, with the weights as pictures.\n"
      "# All keys: docs/experiments.md, or `gaia schema`.\n"
      "experiment: {}\n"
      "seed: 1\n"
      "data:\n"
      "  source: images\n"
      "  {}: {}\n",
      in_quotes(fs::path(data).filename().string()), grouped(pictures.count()),
      pictures.count() == 1 ? "" : "s", least.height, least.width,
      pictures.colours() > 1 ? " in colour" : "", name, quoted(name), is_folder ? "folder" : "path",
      quoted(path_from(data, file)));
  std::int64_t pixels = least.pixels() * pictures.colours();
  std::int64_t steps = std::min(pictures.count(), kMostRead);
  if (pictures.colours() > 1) text += "  colours: rgb                # or grey\n";
  if (!has_labels) {
    steps = kMostRead;
    const std::int64_t side = std::min<std::int64_t>({8, least.height, least.width});
    pixels = side * side * pictures.colours();
    if (!is_folder) {
      text += "  # labels: FILE              # the file of their classes, with whole pictures\n";
    }
    text += fmt::format(
        "  patch: {:<20} # each step is a patch of so many pixels from a random place\n"
        "  count: {}\n"
        "  whiten: zca                 # pixels beside each other are no longer alike\n",
        side, steps);
  } else {
    if (!labels.empty()) text += fmt::format("  labels: {}\n", quoted(path_from(labels, file)));
    text += fmt::format(
        "  train_samples: {:<12} # the first so many; more take longer\n"
        "  normalize: zscore           # every pixel to mean 0 and standard deviation 1\n",
        steps);
  }
  const std::int64_t anneal = !has_labels ? steps : steps * 3 / 10;
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
  if (has_labels) {
    text +=
        "readouts:\n"
        "  # The class of each picture by logistic regression, beside the most frequent class.\n"
        "  - name: class\n"
        "    type: logistic\n"
        "    target: {label: true}\n"
        "    levels: [0]\n"
        "    skip: 0.3                   # the part that the level learns from\n";
    text += learnt_from(data) == data
                ? "    split: 0.7                  # trained up to here, and judged on the rest\n"
                : "    # It is trained on the other pictures of `train`, and judged on those of "
                  "`test`.\n";
  }
  try {
    load_experiment_text(text, file);
  } catch (const ConfigError& error) {
    throw DataError(fmt::format("{}: no experiment could be made for it: {}", data, error.what()));
  }
  return text;
}

}  // namespace gaia
