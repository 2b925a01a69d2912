// SPDX-License-Identifier: MIT
/// \file
/// PNG files of any kind, byte by byte (ISO/IEC 15948).
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>

namespace gaia::test {

enum class PngType { grey = 0, rgb = 2, palette = 3, grey_alpha = 4, rgba = 6 };

struct PngFile {
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  PngType type = PngType::grey;
  int bits = 8;
  std::string rows;               ///< Rows, each of whole bytes; 16 bits with the high byte first.
  std::string palette = {};       ///< Red, green and blue of each entry.
  std::string transparency = {};  ///< Chunk tRNS.
  bool is_interlaced = false;     ///< Pixels of whole bytes only.

  std::string bytes() const {
    std::string header = number(width) + number(height);
    header += static_cast<char>(bits);
    header += static_cast<char>(type);
    header += std::string(2, '\0');
    header += static_cast<char>(is_interlaced);
    std::string file = "\x89PNG\r\n\x1a\n" + chunk("IHDR", header);
    if (!palette.empty()) file += chunk("PLTE", palette);
    if (!transparency.empty()) file += chunk("tRNS", transparency);
    return file + chunk("IDAT", packed(is_interlaced ? interlaced() : filtered())) +
           chunk("IEND", "");
  }

  static std::string number(std::size_t value) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift);
    return text;
  }
  static std::string chunk(const std::string& name, const std::string& content) {
    const std::string body = name + content;
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(body.data()),
                           static_cast<uInt>(body.size()));
    return number(content.size()) + body + number(crc);
  }
  static std::string packed(const std::string& bytes) {
    uLongf size = compressBound(bytes.size());
    std::string out(size, '\0');
    compress(reinterpret_cast<Bytef*>(out.data()), &size,
             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    out.resize(size);
    return out;
  }

 private:
  std::string filtered() const {
    std::string all;
    const std::size_t length = rows.size() / height;
    for (std::size_t y = 0; y < height; ++y) all += '\0' + rows.substr(y * length, length);
    return all;
  }
  /// The seven passes of Adam7.
  std::string interlaced() const {
    static constexpr std::size_t passes[7][4] = {{0, 0, 8, 8}, {0, 4, 8, 8}, {4, 0, 8, 4},
                                                 {0, 2, 4, 4}, {2, 0, 4, 2}, {0, 1, 2, 2},
                                                 {1, 0, 2, 1}};
    const std::size_t pixel = rows.size() / height / width;
    std::string all;
    for (const auto& [top, left, down, right] : passes) {
      for (std::size_t y = top; y < height && left < width; y += down) {
        all += '\0';
        for (std::size_t x = left; x < width; x += right) {
          all += rows.substr((y * width + x) * pixel, pixel);
        }
      }
    }
    return all;
  }
};

}  // namespace gaia::test
