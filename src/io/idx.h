// SPDX-License-Identifier: MIT
/// \file
/// IDX files, the format of MNIST and its kin: a magic number, big-endian sizes, big-endian
/// numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../array/array.h"

namespace gaia::io {

/// The array in an IDX file, plain or compressed by gzip, on the current device.  Without `dtype`
/// integers of up to 32 bits come as int32, floating numbers as they are; integers are cast without
/// scaling.
/// Format: LeCun, Cortes & Burges, "The MNIST database of handwritten digits".
/// \throws DataError "file: ..." if it cannot be read, is no IDX file, or holds more or fewer
///         numbers than its header says; DTypeError for bool and bfloat16.
Array read_idx(const std::string& path, std::optional<DType> dtype = {});

/// Grey pictures as they stand in an IDX file of bytes.
struct BytePictures {
  std::int64_t count = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::vector<std::uint8_t> pixels;  ///< [count, height, width]
  std::string sha256;                ///< Hash of the file, as it was read.
};

/// The pictures in an IDX file [n, height, width], plain or compressed by gzip.
/// \throws DataError as read_idx, and for a file of other numbers than bytes, without pictures, or
///         with pictures of more than 2^24 pixels.
BytePictures read_idx_pictures(const std::string& path);

/// The file `name`, or `name`.gz, in a folder; nothing if there is neither.
std::optional<std::string> find_idx(const std::string& folder, const std::string& name);

/// Images with the class of each.
struct LabelledImages {
  Array train_images;  ///< [samples, height, width] or [samples, colours, height, width], 0 to 1
  Array train_labels;  ///< [samples], int64, from 0
  Array test_images;
  Array test_labels;
  std::vector<std::string> files;    ///< Files or folders that they were read from, in this order.
  std::vector<std::string> classes;  ///< Names of the classes; empty where they are numbers.
};

/// The folder into which Debian's package dataset-fashion-mnist puts its files.
inline constexpr const char* kFashionMnistFolder = "/usr/share/datasets/fashion-mnist";

/// Zalando's pictures of clothes, 60 000 to learn from and 10 000 to test with, 28 x 28 pixels, 10
/// classes; or MNIST, whose files have the same names.  Reads {train,t10k}-images-idx3-ubyte and
/// {train,t10k}-labels-idx1-ubyte, with or without .gz; images come as `dtype`, pixels / 255 in it.
/// Xiao, Rasul & Vollgraf (2017), arXiv:1708.07747.
/// \throws DataError naming the Debian package where files are missing, or if images and labels do
///         not fit each other; DTypeError for a dtype that is not float32 or float64.
LabelledImages fashion_mnist(const std::string& folder = kFashionMnistFolder,
                             DType dtype = DType::float32);

}  // namespace gaia::io
