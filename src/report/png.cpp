// SPDX-License-Identifier: MIT
#include "png.h"

#include <libdeflate.h>
#include <openssl/evp.h>

#include <memory>
#include <new>

namespace gaia::report {
namespace {

void put_u32(std::string& out, std::size_t value) {
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>((value >> shift) & 0xFF);
}

void put_chunk(std::string& out, const char* type, const std::string& content) {
  put_u32(out, content.size());
  const std::string body = type + content;
  out += body;
  put_u32(out, libdeflate_crc32(0, body.data(), body.size()));
}

std::string deflated(const std::string& bytes) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(9), &libdeflate_free_compressor);
  if (compressor == nullptr) throw std::bad_alloc();
  std::string out(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()), '\0');
  out.resize(libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), out.data(),
                                      out.size()));
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
