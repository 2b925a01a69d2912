// SPDX-License-Identifier: MIT
#include "images_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "../array/array.h"
#include "../core/error.h"
#include "../core/random.h"
#include "class_table.h"
#include "idx.h"
#include "npy_file.h"

namespace gaia {
namespace {

/// Beyond which a row would be wider than any series that is read.
constexpr std::int64_t kMostChannels = 100000;

std::vector<std::string> pixel_names(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> names;
  for (std::int64_t y = 0; y < shape[0]; ++y) {
    for (std::int64_t x = 0; x < shape[1]; ++x) {
      if (shape.size() == 2) names.push_back(fmt::format("y{}x{}", y, x));
      for (std::int64_t c = 0; shape.size() == 3 && c < shape[2]; ++c) {
        names.push_back(fmt::format("y{}x{}c{}", y, x, c));
      }
    }
  }
  return names;
}

void check_channels(const std::string& path, io::PictureSize size, std::int64_t colours) {
  const std::int64_t most = kMostChannels / colours;
  if (size.pixels() <= most) return;
  throw DataError(fmt::format(
      "{}: expected pictures of at most {} pixels{}, got {} x {}; data.patch reads a part of them",
      path, most, colours > 1 ? fmt::format(" of {} colours", colours) : "", size.height,
      size.width));
}

/// Checks that all are of one size, and not too large to be rows.
void check_whole(const io::Pictures& pictures, const std::string& path) {
  const io::PictureSize first = pictures.size(0);
  check_channels(path, first, pictures.colours());
  for (std::int64_t i = 1; i < pictures.count(); ++i) {
    const io::PictureSize& size = pictures.size(i);
    if (size == first) continue;
    throw DataError(fmt::format(
        "{}: expected {} x {} pixels, as the first picture, got {} x {}; make all of one size, or "
        "read parts of them (data.patch)",
        pictures.file(i), first.height, first.width, size.height, size.width));
  }
}

/// The class of each picture, by name: of a file of labels, or as the pictures have it.
std::vector<std::string> labels_of(const io::Pictures& pictures, const ImageFiles& files) {
  if (files.labels.empty()) return pictures.labels();
  const auto check = [&](std::int64_t count, const std::string& got) {
    if (count == pictures.count()) return;
    throw DataError(fmt::format("{}: expected labels [{}], one for each picture of {}, got {}",
                                files.labels, pictures.count(), files.images, got));
  };
  if (InputFile(files.labels).has_at(0, "\x93NUMPY")) {
    const NpyFile file(files.labels);
    std::vector<std::string> labels = read_npy_labels(file);
    check(std::ssize(labels), file.shape_text());
    return labels;
  }
  const GPUContext on_host(Device::cpu());
  const Array labels = io::read_idx(files.labels, DType::int64);
  check(labels.rank() == 1 ? labels.shape(0) : -1, to_string(labels.shape()));
  std::vector<std::string> names;
  for (const std::int64_t label : labels.to_vector<std::int64_t>()) {
    names.push_back(std::to_string(label));
  }
  return names;
}

/// `given`, or all.
std::int64_t used(const char* key, const std::optional<std::int64_t>& given, std::int64_t all) {
  if (!given) return all;
  if (*given >= 0 && *given <= all) return *given;
  throw ArgumentError(fmt::format("[images] {}: expected at most {}, got {}", key, all, *given));
}

/// What whole pictures and patches have in common.
class PictureSeries : public Series {
 public:
  explicit PictureSeries(std::vector<std::int64_t> shape)
      : shape_(std::move(shape)), names_(pixel_names(shape_)) {}

  const std::vector<std::string>& channel_names() const override { return names_; }
  std::vector<std::int64_t> picture_shape() const override { return shape_; }
  bool reads_at_random() const override { return true; }

 protected:
  io::PictureSize size() const { return {shape_[0], shape_[1]}; }

 private:
  std::vector<std::int64_t> shape_;
  std::vector<std::string> names_;
};

/// Pictures with their classes, and how many of them count.
struct Part {
  io::Pictures pictures;
  std::vector<std::string> labels;
  std::int64_t rows = 0;
};

Part read_part(const ImageFiles& files, const char* key, const std::optional<std::int64_t>& given,
               io::Colours colours) {
  Part part{.pictures = io::read_pictures(files.images, {colours, given}), .labels = {}, .rows = 0};
  check_whole(part.pictures, files.images);
  part.labels = labels_of(part.pictures, files);
  part.rows = used(key, given, part.pictures.count());
  return part;
}

class ImagesSeries final : public PictureSeries {
 public:
  ImagesSeries(Part train, Part test)
      : PictureSeries(train.pictures.shape()), parts_{std::move(train), std::move(test)} {
    if (parts_[0].labels.empty()) return;
    ClassTable table;
    for_each_label([&](const std::string& label) {
      if (!label.empty() && !table.note(label)) {
        throw DataError(fmt::format("{}: expected at most {} classes, got more",
                                    parts_[0].pictures.file(0), kMostClasses));
      }
    });
    table.number_them();
    classes_ = table.names();
    for_each_label([&](const std::string& label) {
      class_of_row_.push_back(label.empty() ? -1 : table.code(label));
    });
  }

  std::int64_t rows() const override { return parts_[0].rows + parts_[1].rows; }

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t row = first + i;
      const bool is_train = row < parts_[0].rows;
      const Part& part = parts_[is_train ? 0 : 1];
      part.pictures.read(is_train ? row : row - parts_[0].rows, 0, 0, size(),
                         out.subspan(static_cast<std::size_t>(i * channels())));
    }
  }

  std::vector<SideColumn> side_columns() const override {
    if (class_of_row_.empty()) return {};
    return {{SideColumn::Role::label, "label"}};
  }

  void read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                      std::span<const std::size_t> wanted, std::span<SideValues> side) override {
    read(first, count, out);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto from = class_of_row_.begin() + first;
      side[i] = std::vector<std::int64_t>(from, from + count);
    }
  }

  const std::vector<std::string>& classes() const override { return classes_; }

  std::optional<std::int64_t> training_rows() const override {
    return parts_[1].rows > 0 ? std::optional(parts_[0].rows) : std::nullopt;
  }

  std::string sha256() override { return parts_[0].pictures.sha256(); }

 private:
  /// The label of each row.
  template <class Use>
  void for_each_label(const Use& use) const {
    for (const Part& part : parts_) std::for_each_n(part.labels.begin(), part.rows, use);
  }

  Part parts_[2];  // to learn from, to test with
  std::vector<std::string> classes_;
  std::vector<std::int64_t> class_of_row_;
};

class PatchSeries final : public PictureSeries {
 public:
  PatchSeries(io::Pictures pictures, std::vector<std::int64_t> shape, std::int64_t used,
              const PatchOptions& options)
      : PictureSeries(std::move(shape)),
        pictures_(std::move(pictures)),
        used_(used),
        count_(options.count),
        places_(RandomStream::named(options.seed, "data/patches")) {}

  std::int64_t rows() const override { return count_; }

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    for (std::int64_t i = 0; i < count; ++i) {
      const auto place = 3 * static_cast<std::uint64_t>(first + i);
      const std::int64_t picture = places_.integer(place, used_);
      const io::PictureSize& all = pictures_.size(picture);
      const std::int64_t top = places_.integer(place + 1, all.height - size().height + 1);
      const std::int64_t left = places_.integer(place + 2, all.width - size().width + 1);
      pictures_.read(picture, top, left, size(),
                     out.subspan(static_cast<std::size_t>(i * channels())));
    }
  }

  std::string sha256() override { return pictures_.sha256(); }

 private:
  io::Pictures pictures_;
  std::int64_t used_;  // pictures
  std::int64_t count_;
  RandomStream places_;
};

}  // namespace

std::unique_ptr<Series> open_images(const ImageFiles& train, const ImageFiles& test,
                                    const ImagesOptions& options) {
  Part to_learn = read_part(train, "train_samples", options.train, options.colours);
  Part to_test;
  if (!test.images.empty()) {
    to_test = read_part(test, "test_samples", options.test, options.colours);
    const io::PictureSize one = to_learn.pictures.size(0);
    const io::PictureSize other = to_test.pictures.size(0);
    if (other != one) {
      throw DataError(fmt::format("{}: expected images of {} x {}, as in {}, got {} x {}",
                                  test.images, one.height, one.width, train.images, other.height,
                                  other.width));
    }
    if (to_learn.labels.empty() != to_test.labels.empty()) {
      throw DataError(fmt::format("{} and {}: expected labels of both or of neither", train.images,
                                  test.images));
    }
    // Both parts have colours, or neither.
    if (to_learn.pictures.colours() != to_test.pictures.colours()) {
      to_learn.pictures.convert(io::Colours::rgb);
      to_test.pictures.convert(io::Colours::rgb);
      check_whole(to_learn.pictures, train.images);
    }
  }
  return std::make_unique<ImagesSeries>(std::move(to_learn), std::move(to_test));
}

std::unique_ptr<Series> open_patches(const std::string& images, const PatchOptions& options) {
  io::Pictures pictures = io::read_pictures(images, {options.colours, options.train});
  const std::int64_t pictures_used = used("train_samples", options.train, pictures.count());
  const io::PictureSize patch{options.height, options.width};
  for (std::int64_t i = 0; i < pictures_used; ++i) {
    const io::PictureSize& size = pictures.size(i);
    if (patch.height >= 1 && patch.width >= 1 && patch.height <= size.height &&
        patch.width <= size.width) {
      continue;
    }
    throw ArgumentError(
        fmt::format("[images] patch: expected 1 x 1 to {} x {} pixels, the size of the pictures in "
                    "{}, got {} x {}",
                    size.height, size.width, pictures.file(i), patch.height, patch.width));
  }
  check_channels(images, patch, pictures.colours());
  if (options.count < 1 || pictures_used < 1) {
    throw ArgumentError("[images] count: expected at least one patch of at least one picture");
  }
  std::vector<std::int64_t> shape = {patch.height, patch.width};
  if (pictures.colours() > 1) shape.push_back(pictures.colours());
  return std::make_unique<PatchSeries>(std::move(pictures), std::move(shape), pictures_used,
                                       options);
}

}  // namespace gaia
