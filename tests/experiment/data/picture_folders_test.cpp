// SPDX-License-Identifier: MIT
// Folders of PNG files as what hierarchies and networks read: the same as the pictures in IDX
// files.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "../../../src/experiment/config/config_writer.h"
#include "../../../src/experiment/run/apply.h"
#include "../../../src/experiment/run/apply_network.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/experiment/run/replay.h"
#include "../../../src/experiment/run/train.h"
#include "../../../src/io/hdf5.h"
#include "../../../src/io/pictures/pictures.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/datasets.h"
#include "../../support/png_file.h"
#include "../networks.h"

using namespace gaia;
using namespace gaia::test;

namespace {

namespace fs = std::filesystem;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The pictures of an ImageFolder below png/, in train/ and test/, with a folder for each class;
/// its IDX files have them in the same order afterwards.
struct PngFolder : ImageFolder {
  explicit PngFolder(bool in_colour = false) {
    for (const auto& [part, to] : {std::pair("train", "train"), std::pair("t10k", "test")}) {
      const std::string images = content(path(std::string(part) + "-images-idx3-ubyte")).substr(16);
      const std::string labels = content(path(std::string(part) + "-labels-idx1-ubyte")).substr(8);
      std::string of_class[4];
      for (std::size_t n = 0; n < labels.size(); ++n) {
        of_class[static_cast<std::size_t>(labels[n])] += images.substr(64 * n, 64);
      }
      std::string ordered;
      std::string classes;
      for (std::size_t n = 0; n < labels.size(); ++n) {
        const std::size_t label = n % 4;
        const std::string pixels = of_class[label].substr(64 * (n / 4), 64);
        ordered += pixels;
        classes += static_cast<char>(label);
        const std::string name = fmt::format("png/{}/{}/{:03}.png", to, label, n);
        fs::create_directories(fs::path(path(name)).parent_path());
        write(name, in_colour ? colours(pixels).bytes()
                              : PngFile{.height = 8, .width = 8, .rows = pixels}.bytes());
      }
      const auto count = static_cast<std::uint32_t>(labels.size());
      write(std::string(part) + "-images-idx3-ubyte", idx(3, {count, 8, 8}, ordered));
      write(std::string(part) + "-labels-idx1-ubyte", idx(1, {count}, classes));
    }
  }
  /// Red as it is, no green, half of it blue.
  static PngFile colours(const std::string& pixels) {
    PngFile png{.height = 8, .width = 8, .type = PngType::rgb, .rows = ""};
    for (const char pixel : pixels) {
      png.rows += {pixel, '\0', static_cast<char>(static_cast<unsigned char>(pixel) / 2)};
    }
    return png;
  }
};

const std::string kLevels =
    "experiment: quarters\ndtype: float64\nseed: 5\n"
    "data: {source: images, folder: .}\n"
    "hierarchy:\n  levels:\n    - layers:\n"
    "        - {type: hebbian, size: 3, rule: oja_subspace, learning_rate: 0.002}\n"
    "readouts:\n"
    "  - {name: quarter, type: logistic, target: {label: true}, levels: [0]}\n";

Experiment load(const TempDir& folder, const std::string& text, std::vector<std::string> set,
                const std::string& result = "r.h5") {
  return load_experiment(folder.write("e.yaml", text),
                         {.set = std::move(set), .device = "cpu", .output = folder.path(result)});
}

std::string refused(const TempDir& folder, const std::string& text,
                    const std::vector<std::string>& set) {
  return complaint_of([&] { load(folder, text, set); });
}

}  // namespace

TEST_CASE("a hierarchy learns from folders of PNG files what it learns from IDX files") {
  const PngFolder folder;
  Experiment of_idx = load(folder, kLevels, {});
  run_hierarchy(of_idx);
  Experiment of_png = load(folder, kLevels, {"data.folder=png"}, "p.h5");
  CHECK(of_png.steps == 400);
  CHECK(of_png.series->training_rows() == 300);
  CHECK(of_png.inputs ==
        std::vector<std::string>{folder.path("png/train"), folder.path("png/test")});
  run_hierarchy(of_png);
  check_same_datasets(datasets_of(folder.path("r.h5")), datasets_of(folder.path("p.h5")));
  const hdf5::File file = hdf5::File::open(folder.path("p.h5"));
  CHECK(file.open_group("data").text_attribute("sha256") ==
        io::sha256_of_input(folder.path("png/train")));
  CHECK(load(folder, kLevels, {"data.folder=png", "data.train_samples=8"}).steps == 108);
  // It is run again from what it says about itself, while its pictures are as they were.
  CHECK(replay_result(folder.path("p.h5"), {}).is_equal());
  folder.write("png/test/0/000.png",
               PngFile{.height = 8, .width = 8, .rows = std::string(64, 'x')}.bytes());
  CHECK_THROWS_WITH_TEXT(replay_result(folder.path("p.h5"), {}), DataError, "png/test");
}

TEST_CASE("what was learnt is applied to a folder, and to one picture") {
  const PngFolder folder;
  Experiment experiment = load(folder, kLevels, {"data.folder=png"});
  run_hierarchy(experiment);
  const auto apply = [&](const std::string& data, const std::string& labels = "") {
    Experiment applied = application_of(
        folder.path("r.h5"), {.data = data, .output = folder.path("a.h5"), .labels = labels});
    run_hierarchy(applied, {.overwrite = true});
    // What it was built from is an experiment of its own.
    CHECK(load_experiment_text(to_yaml(applied.config), folder.path("a.yaml")).steps ==
          applied.steps);
    return datasets_of(folder.path("a.h5")).at("/levels/0/representation");
  };
  const std::vector<double> of_png = apply(folder.path("png/test"));
  CHECK(of_png.size() == 300);
  CHECK(of_png ==
        apply(folder.path("t10k-images-idx3-ubyte"), folder.path("t10k-labels-idx1-ubyte")));
  // A product of one row is that of many within rounding.
  const std::vector<double> alone = apply(folder.path("png/test/0/000.png"));
  REQUIRE(alone.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(alone[i] == Approx(of_png[i]).epsilon(1e-5));
  fs::create_directories(folder.path("empty"));
  CHECK_SAYS(complaint_of([&] { apply(folder.path("empty")); }),
             "is neither a file nor a folder of pictures");
}

FOLDER_TEST_CASE("patches come from photographs of several sizes, in colour or grey") {
  fs::create_directories(folder.path("photos"));
  const auto photo = [&](const std::string& name, std::uint32_t height, std::uint32_t width) {
    std::string rows;
    for (std::size_t i = 0; i < 3 * std::size_t{height} * width; ++i) {
      rows += static_cast<char>(7 * i % 251);
    }
    folder.write(
        "photos/" + name,
        PngFile{.height = height, .width = width, .type = PngType::rgb, .rows = rows}.bytes());
    return rows;
  };
  const std::string rows[2] = {photo("a.png", 9, 12), photo("b.png", 20, 5)};
  const std::int64_t heights[2] = {9, 20};
  const std::int64_t widths[2] = {12, 5};
  const std::string text =
      "experiment: patches\nseed: 3\n"
      "data: {source: images, folder: photos, patch: [4, 3], count: 500}\n"
      "hierarchy: {levels: [{layers: [{type: reactive, size: 2}]}]}\n";
  const Experiment colour = load(folder, text, {});
  const Experiment grey = load(folder, text, {"data.colours=grey"});
  CHECK(colour.picture_shape() == std::vector<std::int64_t>{4, 3, 3});
  CHECK(grey.picture_shape() == std::vector<std::int64_t>{4, 3});
  CHECK(colour.series->channel_names()[4] == "y0x1c1");
  const RandomStream places = RandomStream::named(3, "data/patches");
  std::vector<double> patch(36);
  std::vector<double> grey_patch(12);
  bool seen[2] = {};
  for (std::int64_t n = 0; n < 500; ++n) {
    colour.series->read(n, 1, patch);
    grey.series->read(n, 1, grey_patch);
    const auto at = 3 * static_cast<std::uint64_t>(n);
    const auto picture = static_cast<std::size_t>(places.integer(at, 2));
    const std::int64_t top = places.integer(at + 1, heights[picture] - 3);
    const std::int64_t left = places.integer(at + 2, widths[picture] - 2);
    seen[picture] = true;
    for (std::int64_t y = 0, i = 0; y < 4; ++y) {
      for (std::int64_t x = 0; x < 3; ++x, ++i) {
        const std::int64_t pixel = 3 * ((top + y) * widths[picture] + left + x);
        int rgb[3];
        for (std::size_t c = 0; c < 3; ++c) {
          rgb[c] = static_cast<unsigned char>(rows[picture][static_cast<std::size_t>(pixel) + c]);
          CHECK(patch[static_cast<std::size_t>(3 * i) + c] == rgb[c] / 255.0);
        }
        const int sum = 19595 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2] + 32768;
        CHECK(grey_patch[static_cast<std::size_t>(i)] == sum / 65536 / 255.0);
      }
    }
  }
  CHECK((seen[0] && seen[1]));
  CHECK_SAYS(refused(folder, text, {"data.patch=6"}), "1 x 1 to 20 x 5 pixels", "b.png");
  CHECK_SAYS(refused(folder, text, {"data.colours=gray"}), "data.colours");
  const std::string whole =
      "experiment: photos\n"
      "data: {source: images, folder: photos}\n"
      "hierarchy: {levels: [{layers: [{type: reactive, size: 2}]}]}\n";
  CHECK_SAYS(refused(folder, whole, {}),
             "b.png: expected 9 x 12 pixels, as the first picture, got 20 x 5");
  const Experiment one = load(folder, whole, {"data.train_samples=1"});
  CHECK(one.steps == 1);
  CHECK(to_yaml(load(folder, whole, {"data.train_samples=1", "data.colours=rgb"}).config)
            .find("colours: rgb") != std::string::npos);
}

TEST_CASE("a network learns from folders of PNG files what it learns from IDX files") {
  const PngFolder folder;
  Experiment of_idx = load(folder, kImages, {});
  train_network(of_idx);
  Experiment of_png = load(folder, kImages, {"data.folder=png"}, "p.h5");
  train_network(of_png);
  check_same_datasets(datasets_of(folder.path("r.h5")), datasets_of(folder.path("p.h5")));
  const NetworkApplication made = apply_network(
      folder.path("p.h5"), {.data = folder.path("png/test"), .output = folder.path("a.h5")});
  CHECK(made.targets == 100);
  CHECK(datasets_of(folder.path("a.h5")).at("/test/prediction") ==
        datasets_of(folder.path("p.h5")).at("/test/prediction"));
  fs::rename(folder.path("png/test/3"), folder.path("png/test/other"));
  CHECK_THROWS_WITH_TEXT(apply_network(folder.path("p.h5"), {.data = folder.path("png/test"),
                                                             .output = folder.path("b.h5")}),
                         DataError, "expected classes of the training (0, 1, 2, 3), got other");
  CHECK_SAYS(refused(folder, kImages, {"data.folder=png/train"}),
             "a network needs pictures to test with");
  fs::create_directories(folder.path("png/val"));
  CHECK_SAYS(refused(folder, kImages, {"data.folder=png"}), "beside them 'val', which is neither");
}

TEST_CASE("a network reads colours one after the other, as conv2d wants them") {
  const PngFolder folder(true);
  Experiment experiment = load(folder, kImages, {"data.folder=png", "network.epochs=1"});
  const Shape shape = experiment.images->train_images.shape();
  CHECK(shape == Shape{300, 3, 8, 8});
  const std::vector<double> pixels = experiment.images->train_images.to_vector<double>();
  const std::string first = content(folder.path("train-images-idx3-ubyte")).substr(16, 64);
  for (std::size_t i = 0; i < 64; ++i) {
    const int red = static_cast<unsigned char>(first[i]);
    CHECK(std::abs(pixels[i] - red / 255.0) < 1e-7);
    CHECK(pixels[64 + i] == 0.0);
    CHECK(std::abs(pixels[128 + i] - red / 2 / 255.0) < 1e-7);
  }
  train_network(experiment);
  CHECK(hdf5::File::open(folder.path("r.h5")).open_group("data").integer_attribute("colours") == 3);
  const NetworkApplication made = apply_network(
      folder.path("r.h5"), {.data = folder.path("png/test"), .output = folder.path("a.h5")});
  CHECK(made.targets == 100);
  CHECK(datasets_of(folder.path("a.h5")).at("/test/prediction") ==
        datasets_of(folder.path("r.h5")).at("/test/prediction"));
}
