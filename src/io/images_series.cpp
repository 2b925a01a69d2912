// SPDX-License-Identifier: MIT
#include "images_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "../core/error.h"
#include "../core/random.h"

namespace gaia {
namespace {

/// Beyond which a row would be wider than any series that is read.
constexpr std::int64_t kMostChannels = 100000;

std::vector<std::string> pixel_names(std::int64_t height, std::int64_t width) {
  std::vector<std::string> names;
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) names.push_back(fmt::format("y{}x{}", y, x));
  }
  return names;
}

void check_channels(const std::string& path, std::int64_t height, std::int64_t width) {
  if (height * width <= kMostChannels) return;
  throw DataError(fmt::format(
      "{}: expected pictures of at most {} pixels, got {} x {}; data.patch reads a part of them",
      path, kMostChannels, height, width));
}

/// `given`, or all.
std::int64_t used(const char* key, const std::optional<std::int64_t>& given, std::int64_t all) {
  if (!given) return all;
  if (*given >= 0 && *given <= all) return *given;
  throw ArgumentError(fmt::format("[images] {}: expected at most {}, got {}", key, all, *given));
}

/// out[i] = pixel / 255 of `width` pixels.
void scale_pixels(const std::uint8_t* pixels, std::int64_t width, double* out) {
  std::transform(pixels, pixels + width, out,
                 [](std::uint8_t pixel) { return static_cast<double>(pixel) / 255.0; });
}

/// What whole pictures and patches have in common.
class PictureSeries : public Series {
 public:
  PictureSeries(std::int64_t height, std::int64_t width)
      : height_(height), width_(width), names_(pixel_names(height, width)) {}

  const std::vector<std::string>& channel_names() const override { return names_; }
  std::vector<std::int64_t> picture_shape() const override { return {height_, width_}; }
  bool reads_at_random() const override { return true; }

 protected:
  std::int64_t height_;
  std::int64_t width_;

 private:
  std::vector<std::string> names_;
};

/// One file of pictures with their classes, and how many of them count.
struct Part {
  io::BytePictures pictures;
  std::vector<std::int64_t> labels;
  std::int64_t rows = 0;
};

Part read_part(const ImageFiles& files, const char* key, const std::optional<std::int64_t>& given) {
  Part part{.pictures = io::read_pictures(files.images), .labels = {}, .rows = 0};
  const io::BytePictures& pictures = part.pictures;
  check_channels(files.images, pictures.height, pictures.width);
  if (!files.labels.empty()) {
    const GPUContext on_host(Device::cpu());
    const Array labels = io::read_idx(files.labels, DType::int64);
    if (labels.rank() != 1 || labels.shape(0) != pictures.count) {
      throw DataError(fmt::format("{}: expected labels [{}], one for each picture of {}, got {}",
                                  files.labels, pictures.count, files.images,
                                  to_string(labels.shape())));
    }
    part.labels = labels.to_vector<std::int64_t>();
  }
  part.rows = used(key, given, pictures.count);
  return part;
}

class ImagesSeries final : public PictureSeries {
 public:
  ImagesSeries(Part train, Part test)
      : PictureSeries(train.pictures.height, train.pictures.width),
        parts_{std::move(train), std::move(test)} {
    const bool has_labels = !parts_[0].labels.empty();
    if (!has_labels) return;
    std::set<std::int64_t> known;
    for (const Part& part : parts_) {
      known.insert(part.labels.begin(),
                   part.labels.begin() + static_cast<std::ptrdiff_t>(part.rows));
    }
    std::map<std::int64_t, std::int64_t> class_of;
    for (const std::int64_t label : known) {
      class_of.emplace(label, static_cast<std::int64_t>(classes_.size()));
      classes_.push_back(std::to_string(label));
    }
    for (const Part& part : parts_) {
      for (std::int64_t row = 0; row < part.rows; ++row) {
        class_of_row_.push_back(class_of.at(part.labels[static_cast<std::size_t>(row)]));
      }
    }
  }

  std::int64_t rows() const override { return parts_[0].rows + parts_[1].rows; }

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t row = first + i;
      const bool is_train = row < parts_[0].rows;
      const Part& part = parts_[is_train ? 0 : 1];
      scale_pixels(
          part.pictures.pixels.data() + (is_train ? row : row - parts_[0].rows) * channels(),
          channels(), out.data() + i * channels());
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

  std::string sha256() override { return parts_[0].pictures.sha256; }

 private:
  Part parts_[2];  // to learn from, to test with
  std::vector<std::string> classes_;
  std::vector<std::int64_t> class_of_row_;
};

class PatchSeries final : public PictureSeries {
 public:
  PatchSeries(io::BytePictures pictures, std::int64_t used, const PatchOptions& options)
      : PictureSeries(options.height, options.width),
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
      const std::int64_t top = places_.integer(place + 1, pictures_.height - height_ + 1);
      const std::int64_t left = places_.integer(place + 2, pictures_.width - width_ + 1);
      for (std::int64_t y = 0; y < height_; ++y) {
        const std::int64_t row = picture * pictures_.height + top + y;
        scale_pixels(pictures_.pixels.data() + row * pictures_.width + left, width_,
                     out.data() + i * channels() + y * width_);
      }
    }
  }

  std::string sha256() override { return pictures_.sha256; }

 private:
  io::BytePictures pictures_;
  std::int64_t used_;  // pictures
  std::int64_t count_;
  RandomStream places_;
};

}  // namespace

std::unique_ptr<Series> open_images(const ImageFiles& train, const ImageFiles& test,
                                    const ImagesOptions& options) {
  Part to_learn = read_part(train, "train_samples", options.train);
  Part to_test;
  if (!test.images.empty()) {
    to_test = read_part(test, "test_samples", options.test);
    const io::BytePictures& one = to_learn.pictures;
    const io::BytePictures& other = to_test.pictures;
    if (other.height != one.height || other.width != one.width) {
      throw DataError(fmt::format("{}: expected images of {} x {}, as in {}, got {} x {}",
                                  test.images, one.height, one.width, train.images, other.height,
                                  other.width));
    }
    if (to_learn.labels.empty() != to_test.labels.empty()) {
      throw DataError(fmt::format("{} and {}: expected labels of both or of neither", train.images,
                                  test.images));
    }
  }
  return std::make_unique<ImagesSeries>(std::move(to_learn), std::move(to_test));
}

std::unique_ptr<Series> open_patches(const std::string& images, const PatchOptions& options) {
  io::BytePictures pictures = io::read_pictures(images);
  const std::int64_t pictures_used = used("train_samples", options.train, pictures.count);
  if (options.height < 1 || options.width < 1 || options.height > pictures.height ||
      options.width > pictures.width) {
    throw ArgumentError(
        fmt::format("[images] patch: expected 1 x 1 to {} x {} pixels, the size of the pictures in "
                    "{}, got {} x {}",
                    pictures.height, pictures.width, images, options.height, options.width));
  }
  check_channels(images, options.height, options.width);
  if (options.count < 1 || pictures_used < 1) {
    throw ArgumentError("[images] count: expected at least one patch of at least one picture");
  }
  return std::make_unique<PatchSeries>(std::move(pictures), pictures_used, options);
}

}  // namespace gaia
