// SPDX-License-Identifier: MIT
#include "pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <type_traits>
#include <utility>

#include "../../core/checked.h"
#include "../../core/error.h"
#include "../../core/names.h"
#include "../idx.h"
#include "../input_file.h"
#include "../npy_file.h"
#include "picture_folder.h"

namespace gaia::io {
namespace {

constexpr NameTable<Colours, 3> kColours = {
    {{"auto", Colours::automatic}, {"grey", Colours::grey}, {"rgb", Colours::rgb}}};

/// Most bytes of all pictures together.
constexpr std::int64_t kMostNumbers = std::int64_t{1} << 32;

template <class T>
double scaled(T number) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<double>(number) / static_cast<double>(std::numeric_limits<T>::max());
  } else {
    return static_cast<double>(number);
  }
}

template <class T>
T grey_of(const T* pixel) {
  if constexpr (std::is_integral_v<T>) {
    const std::uint64_t sum = std::uint64_t{19595} * pixel[0] + std::uint64_t{38470} * pixel[1] +
                              std::uint64_t{7471} * pixel[2] + 32768;
    return static_cast<T>(sum >> 16);
  } else {
    const auto at = [&](int i) { return static_cast<double>(pixel[i]); };
    return static_cast<T>(0.299 * at(0) + 0.587 * at(1) + 0.114 * at(2));
  }
}

[[noreturn]] void refuse(const std::string& path, const std::string& expected,
                         const std::string& got) {
  throw DataError(fmt::format("{}: expected {}, got {}", path, expected, got));
}

/// The numbers of an NPY file, in C order whatever the file has.
template <class T>
Pictures::Numbers npy_numbers(const NpyFile& file) {
  std::vector<T> numbers(static_cast<std::size_t>(file.bytes()) / sizeof(T));
  file.read(0, {reinterpret_cast<char*>(numbers.data()), static_cast<std::size_t>(file.bytes())});
  if constexpr (std::is_floating_point_v<T>) {
    const auto wrong =
        std::ranges::find_if(numbers, [](T number) { return !std::isfinite(number); });
    if (wrong != numbers.end()) {
      file.fail("finite numbers", fmt::format("{} at place {}", *wrong, wrong - numbers.begin()));
    }
  }
  if (!file.header().fortran_order) return numbers;
  const std::vector<std::int64_t>& shape = file.header().shape;
  std::vector<T> ordered(numbers.size());
  std::vector<std::int64_t> place(shape.size(), 0);
  for (T& number : ordered) {
    std::int64_t from = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) from = from * shape[axis] + place[axis];
    number = numbers[static_cast<std::size_t>(from)];
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++place[axis] < shape[axis]) break;
      place[axis] = 0;
    }
  }
  return ordered;
}

Pictures::Numbers npy_numbers_of(const NpyFile& file) {
  switch (file.header().type) {
    case NpyType::uint8:
      return npy_numbers<std::uint8_t>(file);
    case NpyType::uint16:
      return npy_numbers<std::uint16_t>(file);
    case NpyType::float32:
      return npy_numbers<float>(file);
    case NpyType::float64:
      return npy_numbers<double>(file);
    default:
      file.fail(
          "pictures of uint8 or uint16, whose greatest number is white, or of float32 or "
          "float64",
          "another type; convert them, as by pictures.astype(numpy.float32)");
  }
}

Pictures pictures_of_npy(const std::string& path) {
  const NpyFile file(path);
  std::vector<std::int64_t> shape = file.header().shape;
  const std::string expected =
      "pictures [n, height, width] or [n, height, width, colours], or one [height, width]";
  if (shape.size() == 2) shape.insert(shape.begin(), 1);
  if (shape.size() == 3) shape.push_back(1);
  if (shape.size() != 4 || shape[0] < 1 || shape[3] < 1) file.fail(expected, file.shape_text());
  check_picture_size(path, shape[1], shape[2]);
  // The file has as many numbers as its header says, so nothing is allotted that is not there.
  Pictures pictures;
  if (file.bytes() / file.header().item_bytes() > kMostNumbers) {
    file.fail(fmt::format("at most {} numbers", kMostNumbers), file.shape_text());
  }
  pictures.set(shape[0], {shape[1], shape[2]}, shape[3], npy_numbers_of(file), path);
  pictures.set_sha256(file.file().sha256());
  return pictures;
}

Pictures pictures_of_idx(const std::string& path) {
  BytePictures idx = read_idx_pictures(path);
  Pictures pictures;
  pictures.set(idx.count, {idx.height, idx.width}, 1, std::move(idx.pixels), path);
  pictures.set_sha256(std::move(idx.sha256));
  return pictures;
}

/// What a file is by its first bytes.
std::string_view foreign_format(const InputFile& file) {
  if (file.has_at(0, "GIF8")) return "a GIF picture";
  if (file.has_at(0, "BM")) return "a BMP picture";
  if (file.has_at(0, "RIFF") && file.has_at(8, "WEBP")) return "a WebP picture";
  if (file.has_at(0, std::string_view("II*\0", 4)) ||
      file.has_at(0, std::string_view("MM\0*", 4))) {
    return "a TIFF picture";
  }
  return {};
}

}  // namespace

std::string to_string(Colours colours) { return name_of(kColours, colours); }

Colours colours_from_name(std::string_view name) { return from_name(kColours, name, "colours"); }

std::vector<std::int64_t> Pictures::shape() const {
  std::vector<std::int64_t> shape = {sizes_.front().height, sizes_.front().width};
  if (colours_ > 1) shape.push_back(colours_);
  return shape;
}

void Pictures::read(std::int64_t picture, std::int64_t top, std::int64_t left, PictureSize part,
                    std::span<double> out) const {
  const std::int64_t stride = size(picture).width * colours_;
  const std::int64_t width = part.width * colours_;
  const std::int64_t begin =
      begins_[static_cast<std::size_t>(picture)] + top * stride + left * colours_;
  std::visit(
      [&](const auto& numbers) {
        for (std::int64_t y = 0; y < part.height; ++y) {
          const auto* const from = numbers.data() + begin + y * stride;
          std::transform(from, from + width, out.data() + y * width,
                         [](auto number) { return scaled(number); });
        }
      },
      numbers_);
}

void Pictures::check_total(std::int64_t more, const std::string& file) const {
  const std::int64_t all =
      std::visit([](const auto& numbers) { return std::ssize(numbers); }, numbers_);
  if (more <= kMostNumbers - all) return;
  refuse(file, fmt::format("pictures of at most {} numbers in all", kMostNumbers),
         fmt::format("{} with this one; data.train_samples reads fewer", all + more));
}

void Pictures::repeat_grey() {
  check_total(2 * std::visit([](const auto& all) { return std::ssize(all); }, numbers_),
              files_.front());
  std::visit(
      [](auto& numbers) {
        std::remove_reference_t<decltype(numbers)> wide;
        wide.reserve(3 * numbers.size());
        for (const auto number : numbers) wide.insert(wide.end(), 3, number);
        numbers = std::move(wide);
      },
      numbers_);
  for (std::int64_t& begin : begins_) begin *= 3;
  colours_ = 3;
}

void Pictures::add(DecodedPicture picture, const std::string& file) {
  using Bytes = std::vector<std::uint8_t>;
  using Wide = std::vector<std::uint16_t>;
  // 257 v of 65535 is v of 255.
  const auto widened = [](const Bytes& bytes) {
    Wide wide;
    wide.reserve(bytes.size());
    for (const std::uint8_t byte : bytes) wide.push_back(static_cast<std::uint16_t>(257 * byte));
    return wide;
  };
  if (picture.colours == 3 && colours_ == 1) {
    if (sizes_.empty()) {
      colours_ = 3;
    } else {
      repeat_grey();
    }
  }
  check_total(picture.size.pixels() * colours_, file);
  if (std::holds_alternative<Wide>(picture.numbers) && std::holds_alternative<Bytes>(numbers_)) {
    numbers_ = widened(std::get<Bytes>(numbers_));
  }
  if (std::holds_alternative<Bytes>(picture.numbers) && std::holds_alternative<Wide>(numbers_)) {
    picture.numbers = widened(std::get<Bytes>(picture.numbers));
  }
  sizes_.push_back(picture.size);
  files_.push_back(file);
  std::visit(
      [&]<class T>(const std::vector<T>& more) {
        auto& numbers = std::get<std::vector<T>>(numbers_);
        begins_.push_back(std::ssize(numbers));
        if (picture.colours == colours_) {
          numbers.insert(numbers.end(), more.begin(), more.end());
        } else {
          for (const T number : more) numbers.insert(numbers.end(), 3, number);
        }
      },
      picture.numbers);
}

void Pictures::set(std::int64_t count, PictureSize size, std::int64_t colours, Numbers numbers,
                   const std::string& file) {
  sizes_.assign(static_cast<std::size_t>(count), size);
  begins_.clear();
  for (std::int64_t i = 0; i < count; ++i) begins_.push_back(i * size.pixels() * colours);
  colours_ = colours;
  numbers_ = std::move(numbers);
  files_ = {file};
}

void Pictures::convert(Colours colours) {
  const std::int64_t wanted = colours == Colours::grey ? 1 : 3;
  if (colours == Colours::automatic || colours_ == wanted) return;
  if (colours_ != 1 && colours_ != 3) {
    refuse(files_.front(), "one colour or three (data.colours)", std::to_string(colours_));
  }
  if (wanted == 3) return repeat_grey();
  std::visit(
      [](auto& numbers) {
        const std::size_t pixels = numbers.size() / 3;
        for (std::size_t i = 0; i < pixels; ++i) numbers[i] = grey_of(numbers.data() + 3 * i);
        numbers.resize(pixels);
        numbers.shrink_to_fit();
      },
      numbers_);
  for (std::int64_t& begin : begins_) begin /= 3;
  colours_ = 1;
}

Pictures read_pictures(const std::string& path, const PictureOptions& options) {
  std::error_code error;
  Pictures pictures;
  if (std::filesystem::is_directory(path, error)) {
    pictures = read_picture_folder(path, options);
  } else {
    const InputFile file(path);
    if (file.has_at(0, "\x93NUMPY")) {
      pictures = pictures_of_npy(path);
    } else if (is_decodable(file)) {
      pictures = read_one_picture(path);
    } else if (const std::string_view other = foreign_format(file); !other.empty()) {
      refuse(path, "pictures as IDX, NPY, PNG or JPEG",
             fmt::format("{}; convert it to PNG", other));
    } else {
      pictures = pictures_of_idx(path);
    }
  }
  pictures.convert(options.colours);
  return pictures;
}

}  // namespace gaia::io
