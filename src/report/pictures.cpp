// SPDX-License-Identifier: MIT
#include "pictures.h"

#include <fmt/format.h>

#include <vector>

#include "../core/text.h"
#include "markup.h"

namespace gaia::report {
namespace {

/// Pictures of more pixels across than this get more room.
constexpr std::int64_t kNarrow = 32;

/// A matrix that is a picture of nothing else.
std::string picture_markup(const Matrix& matrix, const ColorScale& colors, const char* classes,
                           const std::string& description) {
  return fmt::format(
      "<svg class=\"{0}\" viewBox=\"0 0 {1} {2}\" "
      "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{3}\"><image "
      "class=\"crisp\" x=\"0\" y=\"0\" width=\"{1}\" height=\"{2}\" preserveAspectRatio=\"none\" "
      "href=\"{4}\"/></svg>",
      classes, matrix.columns, matrix.rows, escape(description),
      png_uri(image_of(matrix, colors, false)));
}

/// [height, colours * width] of the numbers [height, width, colours] from `begin` on.
Matrix matrix_of(const double* begin, const PictureShape& shape) {
  Matrix matrix{.rows = shape.height, .columns = shape.colours * shape.width, .values = {}};
  for (std::int64_t y = 0; y < shape.height; ++y) {
    for (std::int64_t c = 0; c < shape.colours; ++c) {
      for (std::int64_t x = 0; x < shape.width; ++x) {
        matrix.values.push_back(begin[(y * shape.width + x) * shape.colours + c]);
      }
    }
  }
  return matrix;
}

/// The colours from the low end to the high one, with the numbers of both and, between them, 0.
std::string scale_markup(const ColorScale& colors) {
  Matrix ramp{.rows = 1, .columns = 128, .values = {}};
  for (int i = 0; i < 128; ++i) {
    const double share = (i + 0.5) / 128.0;
    ramp.values.push_back(colors.scale.low + share * (colors.scale.high - colors.scale.low));
  }
  return fmt::format("<div class=\"scale\"><span>{}</span>{}<span>{}</span></div>\n",
                     number_for_people(colors.scale.low, 2),
                     picture_markup(ramp, colors, "ramp", "scale of colours"),
                     number_for_people(colors.scale.high, 2));
}

}  // namespace

std::optional<PictureShape> picture_shape_of(const std::string& text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  std::vector<std::int64_t> lengths;
  for (std::size_t begin = 1; begin < text.size();) {
    const std::size_t end = text.find_first_of(",]", begin);
    const std::size_t first = text.find_first_not_of(' ', begin);
    const auto length = parse_integer(text.substr(first, end - first));
    // So that their product is no more than 64 bits count.
    if (!length || *length < 1 || *length > 1'000'000) return std::nullopt;
    lengths.push_back(*length);
    begin = end + 1;
  }
  if (lengths.size() < 2 || lengths.size() > 3) return std::nullopt;
  return PictureShape{lengths[0], lengths[1], lengths.size() == 3 ? lengths[2] : 1};
}

std::string pictures_markup(const Matrix& weights, const PictureShape& shape,
                            const ColorScale& colors, const std::vector<std::string>& names) {
  const bool is_wide = shape.width * shape.colours > kNarrow;
  std::string out = fmt::format("<div class=\"pictures{}\">\n", is_wide ? " wide" : "");
  for (std::int64_t neuron = 0; neuron < weights.rows; ++neuron) {
    const double* begin = weights.values.data() + neuron * weights.columns;
    out += fmt::format("<div>{}<span>{}</span></div>\n",
                       picture_markup(matrix_of(begin, shape), colors, "picture",
                                      fmt::format("weights of neuron {}", neuron)),
                       static_cast<std::size_t>(neuron) < names.size()
                           ? escape(names[static_cast<std::size_t>(neuron)])
                           : std::to_string(neuron));
  }
  return out + "</div>\n" + scale_markup(colors);
}

}  // namespace gaia::report
