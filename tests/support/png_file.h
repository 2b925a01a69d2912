// SPDX-License-Identifier: MIT
/// \file
/// PNG files of any kind, byte by byte (ISO/IEC 15948).
#pragma once

#include <algorithm>
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
    std::uint32_t crc = 0xffffffff;
    for (const char byte : body) {
      crc ^= static_cast<unsigned char>(byte);
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return number(content.size()) + body + number(~crc);
  }
  /// A stream of zlib whose blocks are stored as they are (RFC 1950, 1951).
  static std::string packed(const std::string& bytes) {
    std::string out = "\x78\x01";
    constexpr std::size_t kBlock = 65535;
    for (std::size_t first = 0; first < bytes.size(); first += kBlock) {
      const std::size_t count = std::min(kBlock, bytes.size() - first);
      out += static_cast<char>(first + count == bytes.size());
      for (const std::size_t length : {count, ~count}) {
        out += static_cast<char>(length);
        out += static_cast<char>(length >> 8);
      }
      out += bytes.substr(first, count);
    }
    std::uint32_t low = 1;
    std::uint32_t high = 0;
    for (const char byte : bytes) {
      low = (low + static_cast<unsigned char>(byte)) % 65521;
      high = (high + low) % 65521;
    }
    return out + number(high << 16 | low);
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
