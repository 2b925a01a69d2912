// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <png.h>

#include <bit>
#include <csetjmp>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include "../../core/error.h"
#include "decoded_picture.h"

namespace gaia::io {
namespace {

/// What libpng is given to read from, and where it leaves what it complains of.
struct PngSource {
  std::span<const char> file;
  std::size_t position = 0;
  char complaint[256] = {};
};

/// libpng jumps out of its calls by longjmp, so nothing between here and guarded_png may need a
/// destructor.
[[noreturn]] void on_png_error(png_structp png, png_const_charp what) {
  auto* const source = static_cast<PngSource*>(png_get_error_ptr(png));
  std::strncpy(source->complaint, what, sizeof source->complaint - 1);
  png_longjmp(png, 1);
}

void on_png_warning(png_structp /*png*/, png_const_charp /*what*/) {}

void read_png_bytes(png_structp png, png_bytep out, std::size_t count) {
  auto* const source = static_cast<PngSource*>(png_get_io_ptr(png));
  if (count > source->file.size() - source->position) png_error(png, "the file ends too early");
  std::memcpy(out, source->file.data() + source->position, count);
  source->position += count;
}

/// Whether a step went through.
template <class Step>
bool guarded_png(png_structp png, Step step) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  step();
  return true;
}

class PngReader {
 public:
  PngReader(std::span<const char> file, const std::string& path)
      : source_{.file = file},
        path_(path),
        png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &source_, on_png_error, on_png_warning)),
        info_(png_ == nullptr ? nullptr : png_create_info_struct(png_)) {
    if (info_ != nullptr) return;
    png_destroy_read_struct(&png_, nullptr, nullptr);
    throw std::bad_alloc();
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  DecodedPicture read() {
    read_start();
    const PictureSize size{png_get_image_height(png_, info_), png_get_image_width(png_, info_)};
    const auto channels = static_cast<std::int64_t>(png_get_channels(png_, info_));
    DecodedPicture picture{.size = size, .colours = channels < 3 ? 1 : 3, .numbers = {}};
    if (png_get_bit_depth(png_, info_) == 16) {
      picture.numbers = rows_of<std::uint16_t>(picture, channels);
    } else {
      picture.numbers = rows_of<std::uint8_t>(picture, channels);
    }
#ifdef PNG_eXIf_SUPPORTED
    png_uint_32 length = 0;
    png_bytep exif = nullptr;
    if (png_get_eXIf_1(png_, info_, &length, &exif) != 0) {
      picture.orientation = exif_orientation({exif, length});
    }
#endif
    return picture;
  }

 private:
  /// Reads what stands before the pixels, and says in which form these are to come.
  void read_start() {
    check(guarded_png(png_, [&] {
      png_set_read_fn(png_, &source_, read_png_bytes);
      png_read_info(png_, info_);
    }));
    check_picture_size(path_, png_get_image_height(png_, info_), png_get_image_width(png_, info_));
    check(guarded_png(png_, [&] {
      png_set_expand(png_);  // palettes to colours, fewer bits to 8, a transparent colour to alpha
      if constexpr (std::endian::native == std::endian::little) png_set_swap(png_);
      png_set_interlace_handling(png_);
      png_read_update_info(png_, info_);
    }));
    // Deflate packs no tighter than 1032 to 1.
    const std::size_t height = png_get_image_height(png_, info_);
    const std::size_t row = png_get_rowbytes(png_, info_);
    // Before palettes and few bits were expanded a row may have been 32 times as short.
    if (height * row / 32 / 1032 > source_.file.size()) {
      fail(fmt::format("more bytes for {} x {} pixels", height, png_get_image_width(png_, info_)),
           fmt::format("{}", source_.file.size()));
    }
  }

  /// The pixels, without alpha.
  template <class T>
  std::vector<T> rows_of(const DecodedPicture& picture, std::int64_t channels) {
    const std::int64_t width = picture.size.width * channels;
    std::vector<T> numbers(static_cast<std::size_t>(picture.size.height * width));
    std::vector<png_bytep> rows;
    for (std::int64_t y = 0; y < picture.size.height; ++y) {
      rows.push_back(reinterpret_cast<png_bytep>(numbers.data() + y * width));
    }
    png_bytepp first = rows.data();
    check(guarded_png(png_, [&] {
      png_read_image(png_, first);
      png_read_end(png_, info_);
    }));
    return channels == picture.colours ? std::move(numbers)
                                       : without_alpha(numbers, picture, channels);
  }

  template <class T>
  std::vector<T> without_alpha(const std::vector<T>& numbers, const DecodedPicture& picture,
                               std::int64_t channels) const {
    std::vector<T> opaque;
    opaque.reserve(static_cast<std::size_t>(picture.size.pixels() * picture.colours));
    for (std::int64_t i = 0; i < picture.size.pixels(); ++i) {
      const T* const pixel = numbers.data() + i * channels;
      if (pixel[channels - 1] != std::numeric_limits<T>::max()) {
        fail("an opaque picture",
             fmt::format("one that is transparent at row {}, column {}; put it on a background "
                         "first",
                         i / picture.size.width, i % picture.size.width));
      }
      opaque.insert(opaque.end(), pixel, pixel + picture.colours);
    }
    return opaque;
  }

  void check(bool went_well) const {
    if (!went_well) {
      fail("a PNG file that is whole",
           fmt::format("one of which libpng says: {}", std::string_view(source_.complaint)));
    }
  }

  [[noreturn]] void fail(const std::string& expected, const std::string& got) const {
    throw DataError(fmt::format("{}: expected {}, got {}", path_, expected, got));
  }

  PngSource source_;
  const std::string& path_;
  png_structp png_;
  png_infop info_;
};

}  // namespace

DecodedPicture decode_png(std::span<const char> file, const std::string& path) {
  return PngReader(file, path).read();
}

}  // namespace gaia::io
