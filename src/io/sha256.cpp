// SPDX-License-Identifier: MIT
#include "sha256.h"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <new>
#include <vector>

#include "../core/error.h"

namespace gaia {
Sha256::Sha256()
    : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free),
      good_(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1) {}

void Sha256::add(std::span<const char> bytes) {
  good_ = good_ && EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1;
}

std::string Sha256::text() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  good_ = good_ && EVP_DigestFinal_ex(context_.get(), digest.data(), &length) == 1;
  const bool lacks_memory =
      context_ == nullptr || ERR_GET_REASON(ERR_peek_error()) == ERR_R_MALLOC_FAILURE;
  if (!good_ && lacks_memory) throw std::bad_alloc();
  std::string text;
  for (unsigned i = 0; good_ && i < length; ++i) {
    constexpr const char* digits = "0123456789abcdef";
    text += digits[digest[i] >> 4];
    text += digits[digest[i] & 15];
  }
  return text;
}

std::string sha256_of(std::span<const char> bytes) {
  Sha256 hash;
  hash.add(bytes);
  std::string text = hash.text();
  // SHA-256 is refused only for want of memory.
  if (text.empty()) throw std::bad_alloc();
  return text;
}

std::string sha256_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  bool good = file.good();
  Sha256 hash;
  std::vector<char> block(1 << 16);
  while (good && file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    good = !file.bad();
    hash.add({block.data(), static_cast<std::size_t>(file.gcount())});
  }
  std::string text = hash.text();
  if (!good || text.empty()) throw DataError(path + ": cannot be read for its SHA-256");
  return text;
}

}  // namespace gaia
