// SPDX-License-Identifier: MIT
/// \file
/// Small experiments with networks for tests to change.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../src/core/random.h"
#include "../support/temp_dir.h"

namespace gaia::test {

inline std::string idx(int axes, const std::vector<std::uint32_t>& lengths,
                       const std::string& bytes) {
  std::string text = {'\0', '\0', '\x08', static_cast<char>(axes)};
  for (const std::uint32_t length : lengths) {
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(length >> shift);
  }
  return text + bytes;
}

/// Pictures of 8 x 8 pixels of noise with one bright quarter, which is their class.
inline void write_images(const TempDir& folder, const std::string& part, std::uint32_t count) {
  const RandomStream random = RandomStream::named(3, part);
  std::vector<double> noise(count * 64);
  random.uniforms(0, noise);
  std::string images;
  std::string labels;
  for (std::uint32_t n = 0; n < count; ++n) {
    const std::uint32_t label = (n * 7 + 3) % 4;
    labels += static_cast<char>(label);
    for (std::uint32_t i = 0; i < 64; ++i) {
      const bool bright = (i / 32 == label / 2) && ((i % 8) / 4 == label % 2);
      images += static_cast<char>(static_cast<int>(noise[n * 64 + i] * 120) + (bright ? 100 : 0));
    }
  }
  folder.write(part + "-images-idx3-ubyte", idx(3, {count, 8, 8}, images));
  folder.write(part + "-labels-idx1-ubyte", idx(1, {count}, labels));
}

inline const std::string kImages =
    "experiment: quarters\nseed: 4\n"
    "data: {source: images, folder: .}\n"
    "network:\n  layers:\n"
    "    - {type: conv2d, channels: 3, kernel: 3, padding: 1, activation: relu}\n"
    "    - {type: max_pool2d}\n"
    "    - {type: flatten}\n"
    "    - {type: dropout, probability: 0.1}\n"
    "    - {type: dense, size: 4}\n"
    "  optimizer: {type: adam, learning_rate: 0.02}\n"
    "  epochs: 4\n"
    "  batch_size: 16\n";

inline const std::string kSeries =
    "experiment: sines\n"
    "data: {source: generator, kind: sines, frequencies: [0.03, 0.011], steps: 600, window: 8}\n"
    "network:\n  layers:\n"
    "    - {type: flatten}\n"
    "    - {type: dense, size: 16, activation: tanh}\n"
    "    - {type: dense, size: 1}\n"
    "  target: {channel: 0, horizon: 5}\n"
    "  optimizer: {type: adam, learning_rate: 0.01}\n"
    "  epochs: 20\n";

/// Has the pictures of kImages.
struct ImageFolder : TempDir {
  ImageFolder() {
    write_images(*this, "train", 300);
    write_images(*this, "t10k", 100);
  }
};

}  // namespace gaia::test
