// SPDX-License-Identifier: MIT
/// \file
/// Any bytes as a file of pictures: PNG, JPEG, NPY or IDX.
#include "../../../src/io/pictures/pictures.h"

#include "../../../src/core/error.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace gaia;
  static const test::InputInMemory input;
  const std::string path = input.path_with(test::text_of(bytes, count));
  try {
    const io::Pictures pictures = io::read_pictures(path);
    const io::PictureSize last = pictures.size(pictures.count() - 1);
    std::vector<double> numbers(static_cast<std::size_t>(last.pixels() * pictures.colours()));
    pictures.read(pictures.count() - 1, 0, 0, last, numbers);
    test::require(pictures.shape().size() >= 2, "a picture has a height and a width");
    io::read_pictures(path, {.colours = io::Colours::rgb});
  } catch (const Error&) {
  }
  return 0;
}
