// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string_view>

// After <cstdio>, which they take for granted.
#include <jpeglib.h>

#include <jerror.h>

#include "../../core/error.h"
#include "decoded_picture.h"

namespace gaia::io {
namespace {

/// Scans after which a progressive file is taken for one that is made to keep us busy.
constexpr int kMostScans = 500;

/// Place where libjpeg jumps to when it fails, and what it complained of.
struct JpegErrors {
  jpeg_error_mgr manager;  // first: libjpeg knows this alone
  std::jmp_buf back;
  char complaint[JMSG_LENGTH_MAX];
};

JpegErrors& errors_of(j_common_ptr jpeg) { return *reinterpret_cast<JpegErrors*>(jpeg->err); }

[[noreturn]] void on_jpeg_error(j_common_ptr jpeg) {
  jpeg->err->format_message(jpeg, errors_of(jpeg).complaint);
  std::longjmp(errors_of(jpeg).back, 1);
}

/// libjpeg would go on with grey where a file is cut or damaged, and only warn.
void on_jpeg_message(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  const int code = jpeg->err->msg_code;
  const bool is_harmless =
      code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR;
  if (!is_harmless) on_jpeg_error(jpeg);
}

void on_jpeg_progress(j_common_ptr jpeg) {
  if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number <= kMostScans) return;
  std::strncpy(errors_of(jpeg).complaint, "more than 500 scans", JMSG_LENGTH_MAX - 1);
  std::longjmp(errors_of(jpeg).back, 1);
}

/// Whether a step went through.  It may hold nothing that needs a destructor.
template <class Step>
bool guarded_jpeg(JpegErrors& errors, Step step) {
  if (setjmp(errors.back) != 0) return false;
  step();
  return true;
}

class JpegReader {
 public:
  JpegReader(std::span<const char> file, const std::string& path) : file_(file), path_(path) {
    jpeg_.err = jpeg_std_error(&errors_.manager);
    errors_.manager.error_exit = on_jpeg_error;
    errors_.manager.emit_message = on_jpeg_message;
    progress_.progress_monitor = on_jpeg_progress;
  }
  ~JpegReader() { jpeg_destroy_decompress(&jpeg_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  DecodedPicture read() {
    check(guarded_jpeg(errors_, [&] {
      jpeg_create_decompress(&jpeg_);
      jpeg_.progress = &progress_;
      jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(file_.data()), file_.size());
      jpeg_save_markers(&jpeg_, JPEG_APP0 + 1, 0xffff);
      jpeg_read_header(&jpeg_, TRUE);
    }));
    check_picture_size(path_, jpeg_.image_height, jpeg_.image_width);
    DecodedPicture picture{.size = {jpeg_.image_height, jpeg_.image_width},
                           .colours = colours(),
                           .numbers = {},
                           .orientation = orientation()};
    const std::int64_t width = picture.size.width * picture.colours;
    std::vector<std::uint8_t> numbers(static_cast<std::size_t>(picture.size.height * width));
    check(guarded_jpeg(errors_, [&] {
      jpeg_.out_color_space = picture.colours == 1 ? JCS_GRAYSCALE : JCS_RGB;
      jpeg_.dct_method = JDCT_ISLOW;
      jpeg_start_decompress(&jpeg_);
      while (jpeg_.output_scanline < jpeg_.output_height) {
        JSAMPROW row = numbers.data() + jpeg_.output_scanline * width;
        jpeg_read_scanlines(&jpeg_, &row, 1);
      }
      jpeg_finish_decompress(&jpeg_);
    }));
    picture.numbers = std::move(numbers);
    return picture;
  }

 private:
  std::int64_t colours() const {
    switch (jpeg_.jpeg_color_space) {
      case JCS_GRAYSCALE:
        return 1;
      case JCS_RGB:
      case JCS_YCbCr:
        return 3;
      case JCS_CMYK:
      case JCS_YCCK:
        fail("grey or red, green and blue", "the four inks of a print (CMYK); convert it to RGB");
      default:
        fail("grey or red, green and blue",
             fmt::format("{} colours of a kind that is not known", jpeg_.num_components));
    }
  }

  int orientation() const {
    constexpr std::string_view kExif("Exif\0\0", 6);
    for (const jpeg_marker_struct* one = jpeg_.marker_list; one != nullptr; one = one->next) {
      if (one->data_length < kExif.size() ||
          std::memcmp(one->data, kExif.data(), kExif.size()) != 0) {
        continue;
      }
      return exif_orientation({one->data + kExif.size(), one->data_length - kExif.size()});
    }
    return 1;
  }

  void check(bool went_well) const {
    if (!went_well) {
      fail("a JPEG file that is whole",
           fmt::format("one of which libjpeg says: {}", std::string_view(errors_.complaint)));
    }
  }

  [[noreturn]] void fail(const std::string& expected, const std::string& got) const {
    throw DataError(fmt::format("{}: expected {}, got {}", path_, expected, got));
  }

  std::span<const char> file_;
  const std::string& path_;
  JpegErrors errors_ = {};
  jpeg_progress_mgr progress_ = {};
  jpeg_decompress_struct jpeg_ = {};
};

}  // namespace

DecodedPicture decode_jpeg(std::span<const char> file, const std::string& path) {
  return JpegReader(file, path).read();
}

}  // namespace gaia::io
