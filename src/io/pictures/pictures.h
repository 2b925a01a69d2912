// SPDX-License-Identifier: MIT
/// \file
/// Pictures from files: IDX, NPY, PNG, JPEG, or a folder of PNG and JPEG files.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "decoded_picture.h"

namespace gaia::io {

/// In which colours pictures are read.
enum class Colours {
  automatic,  ///< Grey where all of them are, else red, green and blue.
  grey,  ///< Brightness, of bytes (19595 R + 38470 G + 7471 B + 32768) / 65536 in whole numbers, as
         ///< Pillow has it (ITU-R BT.601); of floating numbers 0.299 R + 0.587 G + 0.114 B.
  rgb    ///< Grey ones have the same number three times.
};

/// "auto", "grey", "rgb".
std::string to_string(Colours colours);
/// \throws ArgumentError for another name.
Colours colours_from_name(std::string_view name);

/// Pictures in memory, in the numbers of their files.
class Pictures {
 public:
  /// Integers stand for 0 to 1: 0 for black, the greatest for white.
  using Numbers = std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>,
                               std::vector<float>, std::vector<double>>;

  std::int64_t count() const { return static_cast<std::int64_t>(sizes_.size()); }
  const PictureSize& size(std::int64_t picture) const {
    return sizes_[static_cast<std::size_t>(picture)];
  }
  /// Numbers of a pixel.
  std::int64_t colours() const { return colours_; }
  /// [height, width], or with colours [height, width, colours], of the first picture.
  std::vector<std::int64_t> shape() const;

  /// Part of a picture that begins at row `top` and column `left`: out [height, width, colours],
  /// each number from 0 to 1, floating ones as they are.
  void read(std::int64_t picture, std::int64_t top, std::int64_t left, PictureSize part,
            std::span<double> out) const;

  /// Classes of the pictures, by name, where the files tell them; else empty.
  const std::vector<std::string>& labels() const { return labels_; }
  /// SHA-256 of what they were read from, as sha256_of_input has it.
  const std::string& sha256() const { return sha256_; }
  /// File of a picture.
  const std::string& file(std::int64_t picture) const {
    return files_.size() == 1 ? files_.front() : files_[static_cast<std::size_t>(picture)];
  }

  /// Adds one with the numbers [height, width, colours]; all are then in the wider type, and in
  /// colours if one of them is.
  void add(DecodedPicture picture, const std::string& file);
  /// Takes the place of all: `count` pictures of this size, one behind the other.
  void set(std::int64_t count, PictureSize size, std::int64_t colours, Numbers numbers,
           const std::string& file);
  void set_labels(std::vector<std::string> labels) { labels_ = std::move(labels); }
  void set_sha256(std::string hash) { sha256_ = std::move(hash); }
  /// \throws DataError for colours that can be neither turned grey nor shown as such.
  void convert(Colours colours);

 private:
  void check_total(std::int64_t more, const std::string& file) const;
  void repeat_grey();

  std::vector<PictureSize> sizes_;
  std::vector<std::int64_t> begins_;  // begin of each in numbers_
  std::int64_t colours_ = 1;
  Numbers numbers_;
  std::vector<std::string> files_;  // one, or one for each
  std::vector<std::string> labels_;
  std::string sha256_;
};

struct PictureOptions {
  Colours colours = Colours::automatic;
  std::optional<std::int64_t> first = {};  ///< Only the first so many of a folder are decoded.
};

/// The pictures of a path:
///
/// - a folder of PNG and JPEG files, in whose subfolders, if it has any, those of a class each
///   (list_pictures says their order),
/// - an IDX file of bytes [n, height, width], plain or packed by gzip,
/// - an NPY file [height, width], [n, height, width] or [n, height, width, colours] of uint8,
///   uint16, float32 or float64,
/// - one PNG or JPEG file.
///
/// The content of a file decides, not its name.
/// \throws DataError "path: ..." for anything else, for pictures without pixels or with more than
///         kMostPicturePixels, and for more than 2^32 numbers in all.
Pictures read_pictures(const std::string& path, const PictureOptions& options = {});

/// Files of pictures in a folder, in the order in which they are read.
struct PictureList {
  std::vector<std::string> names;   ///< Paths below the folder.
  std::vector<std::string> labels;  ///< Name of the subfolder of each; empty without subfolders.
};

/// Files whose names end with .png, .jpg or .jpeg, in either case, sorted by their names, byte by
/// byte.  Where they are in subfolders the name of each is a class, and classes, sorted in the same
/// way, take turns: the first file of each class, then the second of each that has one, and so on.
/// Files of other names are passed over, and names that begin with a dot.
/// \throws DataError for pictures beside subfolders, a folder within a subfolder, pictures of other
///         formats (by the ends of their names), and where there is none.
PictureList list_pictures(const std::string& folder);

/// Whether a folder has PNG or JPEG files, or subfolders with such.
bool has_pictures(const std::string& folder);

/// SHA-256 of a file, or of a folder of pictures: of the lines "HASH  NAME\n" of its files, as
/// sha256sum prints them, sorted by their names below the folder.
/// \throws DataError if something cannot be read.
std::string sha256_of_input(const std::string& path);

}  // namespace gaia::io
