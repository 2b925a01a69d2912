// SPDX-License-Identifier: MIT
#include "random.h"

#include <Random123/philox.h>

#include <mutex>

#include "message.h"
#include "random_formulas.h"
#include "repeatable.h"

namespace gaia {
namespace {

std::mutex g_mutex;
std::uint64_t g_seed = 0;
std::uint64_t g_next = 0;

std::uint32_t low_word(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high_word(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

/// Fills `out` from blocks of two doubles each; `pair(words, a, b)` makes them.
template <class Pair>
void fill(const RandomStream& stream, std::uint64_t first, std::span<double> out, Pair pair) {
  std::uint64_t index = first;
  for (std::size_t j = 0; j < out.size();) {
    const auto words = stream.block(index / 2);
    double numbers[2];
    pair(words, numbers[0], numbers[1]);
    for (std::uint64_t lane = index % 2; lane < 2 && j < out.size(); ++lane, ++index, ++j) {
      out[j] = numbers[lane];
    }
  }
}

}  // namespace

RandomStream RandomStream::named(std::uint64_t seed, std::string_view purpose) {
  // FNV-1a spreads names over 64 bits (Fowler, Noll & Vo).
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : purpose) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ull;
  }
  return {seed, hash};
}

std::array<std::uint32_t, 4> RandomStream::block(std::uint64_t index) const {
  r123::Philox4x32 philox;
  const r123::Philox4x32::ctr_type counter = {
      {low_word(index), high_word(index), low_word(stream), high_word(stream)}};
  const r123::Philox4x32::key_type key = {{low_word(seed), high_word(seed)}};
  const auto words = philox(counter, key);
  return {words[0], words[1], words[2], words[3]};
}

void RandomStream::uniforms(std::uint64_t first, std::span<double> out) const {
  fill(*this, first, out, [](const auto& w, double& a, double& b) {
    a = random_formulas::uniform(w[0], w[1]);
    b = random_formulas::uniform(w[2], w[3]);
  });
}

void RandomStream::normals(std::uint64_t first, std::span<double> out) const {
  fill(*this, first, out, [](const auto& w, double& a, double& b) {
    const std::uint32_t words[4] = {w[0], w[1], w[2], w[3]};
    random_formulas::normal_pair(words, a, b);
  });
}

std::int64_t RandomStream::integer(std::uint64_t index, std::int64_t count) const {
  if (count < 1) {
    fail<ArgumentError>("[RandomStream::integer] count must be at least 1, got {}", count);
  }
  const auto words = block(index);
  return static_cast<std::int64_t>(
      random_formulas::below(words[0], words[1], static_cast<std::uint64_t>(count)));
}

void set_seed(std::uint64_t seed) {
  const std::lock_guard lock(g_mutex);
  g_seed = seed;
  g_next = 0;
}

RandomStream next_stream() {
  return repeatable([] {
    const std::lock_guard lock(g_mutex);
    return RandomStream{g_seed, g_next++};
  });
}

}  // namespace gaia
