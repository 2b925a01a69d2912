// SPDX-License-Identifier: MIT
#include "png.h"

#include <openssl/evp.h>
#include <zlib.h>

#include "../core/error.h"

namespace gaia::report {
namespace {

void put_u32(std::string& out, std::size_t value) {
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>((value >> shift) & 0xFF);
}

void put_chunk(std::string& out, const char* type, const std::string& content) {
  put_u32(out, content.size());
  const std::string body = type + content;
  out += body;
  put_u32(out,
          crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size())));
}

std::string deflated(const std::string& bytes) {
  uLongf length = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(length, '\0');
  const int result = compress2(reinterpret_cast<Bytef*>(out.data()), &length,
                               reinterpret_cast<const Bytef*>(bytes.data()),
                               static_cast<uLong>(bytes.size()), Z_BEST_COMPRESSION);
  if (result != Z_OK) throw InternalError("[to_png] zlib says " + std::to_string(result));
  out.resize(length);
  return out;
}

}  // namespace

std::string to_png(const Image& image) {
  std::string header;
  put_u32(header, static_cast<std::size_t>(image.width));
  put_u32(header, static_cast<std::size_t>(image.height));
  header += {8, 3, 0, 0, 0};  // 8 bits, palette, deflate, filters, not interlaced
  std::string colors;
  std::string alphas;
  for (const Rgba& color : *image.palette) {
    for (const std::uint8_t part : {color.red, color.green, color.blue}) {
      colors += static_cast<char>(part);
    }
    alphas += static_cast<char>(color.alpha);
  }
  std::string rows;
  for (std::int64_t y = 0; y < image.height; ++y) {
    rows += '\0';  // no filter
    rows.append(reinterpret_cast<const char*>(image.pixels.data()) + y * image.width,
                static_cast<std::size_t>(image.width));
  }
  std::string out = "\x89PNG\r\n\x1a\n";
  put_chunk(out, "IHDR", header);
  put_chunk(out, "PLTE", colors);
  put_chunk(out, "tRNS", alphas);
  put_chunk(out, "IDAT", deflated(rows));
  put_chunk(out, "IEND", "");
  return out;
}

std::string base64(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

std::string png_uri(const Image& image) { return "data:image/png;base64," + base64(to_png(image)); }

}  // namespace gaia::report
