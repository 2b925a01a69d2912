// SPDX-License-Identifier: MIT
#include "print.h"

#include <algorithm>
#include <ostream>
#include <string_view>
#include <vector>

#include "joining.h"
#include "number_text.h"

namespace gaia {
namespace {

constexpr std::int64_t kThreshold = 1000;  // elements; beyond, the middle is left out
constexpr std::int64_t kEdge = 3;          // elements along an axis that then stay at either end
constexpr std::size_t kLineWidth = 75;

/// The elements that are printed, on the CPU.
Array printed(const Array& x) {
  if (x.size() <= kThreshold) return x.to(Device::cpu());
  const GPUContext there(x.device());
  Array corners = x;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (x.shape(axis) <= 2 * kEdge) continue;
    corners = concatenate({corners.slice(axis, 0, kEdge), corners.slice(axis, -kEdge, {})}, axis);
  }
  return corners.to(Device::cpu());
}

std::vector<std::string> texts_of(const Array& x) {
  switch (x.dtype()) {
    case DType::boolean:
      return aligned(x.to_vector<bool>());
    case DType::int32:
    case DType::int64:
      return aligned(x.to_vector<std::int64_t>());
    case DType::bfloat16:
    case DType::float32:
      return aligned(x.to_vector<float>());
    case DType::float64:
      break;
  }
  return aligned(x.to_vector<double>());
}

void trim_right(std::string& text) { text.erase(text.find_last_not_of(' ') + 1); }

/// Brackets, separators and line breaks around the texts of the elements.
class PrintLayout {
 public:
  /// `indent`: columns that stand before the first line; `reserved`: those that its last line keeps
  /// free at the end.
  PrintLayout(const Array& x, std::string_view separator, std::size_t indent, std::size_t reserved)
      : shape_(x.shape()),
        summarized_(x.size() > kThreshold),
        separator_(separator),
        separator_end_(separator.find_last_not_of(' ') + 1),
        texts_(texts_of(printed(x))),
        text_(block(0, std::string(indent + 1, ' '), kLineWidth - reserved)) {}

  const std::string& text() const { return text_; }

 private:
  /// Positions along an axis, of those that are printed; `middle` before the first of the end.
  struct Positions {
    std::int64_t count;
    std::int64_t middle;  // -1: nothing is left out
  };
  Positions positions(int axis) const {
    const std::int64_t length = shape_[axis];
    if (summarized_ && length > 2 * kEdge) return {2 * kEdge, kEdge};
    return {length, -1};
  }

  std::string block(int axis, const std::string& indent, std::size_t width) {
    if (axis == shape_.rank()) return texts_[next_++];
    const std::string inside =
        axis + 1 == shape_.rank() ? row(axis, indent, width) : rows(axis, indent, width);
    return "[" + inside.substr(indent.size()) + "]";
  }

  /// Elements one behind the other, broken into lines.
  std::string row(int axis, const std::string& indent, std::size_t width) {
    const Positions which = positions(axis);
    const std::size_t usable = width - std::max<std::size_t>(separator_end_, 1);
    std::string done;
    std::string line = indent;
    const auto extend = [&](const std::string& word) {
      if (line.size() + word.size() > usable && line.size() > indent.size()) {
        trim_right(line);
        done += line + "\n";
        line = indent;
      }
      line += word;
    };
    for (std::int64_t i = 0; i < which.count; ++i) {
      if (i == which.middle) {
        extend("...");
        line += separator_;
      }
      extend(texts_[next_++]);
      if (i + 1 < which.count) line += separator_;
    }
    return done + line;
  }

  /// Blocks one below the other, with an empty line more for every further axis.
  std::string rows(int axis, const std::string& indent, std::size_t width) {
    const Positions which = positions(axis);
    const std::string end = separator_.substr(0, separator_end_) +
                            std::string(static_cast<std::size_t>(shape_.rank() - axis - 1), '\n');
    std::string done;
    for (std::int64_t i = 0; i < which.count; ++i) {
      if (i == which.middle) done += indent + "..." + end;
      done += indent + block(axis + 1, indent + " ", width - 1);
      if (i + 1 < which.count) done += end;
    }
    return done;
  }

  Shape shape_;
  bool summarized_;
  std::string separator_;
  std::size_t separator_end_;  // without spaces at its end
  std::vector<std::string> texts_;
  std::size_t next_ = 0;
  std::string text_;
};

std::string single(const Array& x) {
  switch (x.dtype()) {
    case DType::bfloat16:
    case DType::float32:
      return shortest_text(x.to_vector<float>().front());
    case DType::float64:
      return shortest_text(x.to_vector<double>().front());
    case DType::boolean:
      return x.item() != 0.0 ? "True" : "False";
    case DType::int32:
    case DType::int64:
      break;
  }
  return texts_of(x).front();
}

/// "(2, 0)", as Python writes a tuple.
std::string tuple(const Shape& shape) {
  std::string text = "(";
  for (const std::int64_t length : shape) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(length);
  }
  return text + (shape.rank() == 1 ? ",)" : ")");
}

}  // namespace

std::string to_string(const Array& x) {
  if (x.size() == 0) return "[]";
  return x.rank() == 0 ? single(x) : PrintLayout(x, " ", 0, 0).text();
}

std::string repr(const Array& x) {
  constexpr std::string_view prefix = "array(";
  const bool is_default =
      x.size() > 0 &&
      (x.dtype() == DType::boolean || x.dtype() == DType::int64 || x.dtype() == DType::float64);
  std::string text(prefix);
  if (x.size() == 0) {
    text += x.rank() == 1 ? "[]" : "[], shape=" + tuple(x.shape());
  } else {
    const bool is_flag = x.rank() == 0 && x.dtype() == DType::boolean;
    text += is_flag ? single(x) : PrintLayout(x, ", ", prefix.size(), 1).text();
  }
  if (is_default) return text + ")";
  text += ",";
  const std::string dtype = "dtype=" + to_string(x.dtype()) + ")";
  const std::size_t last_line = text.size() - (text.rfind('\n') + 1);
  const bool fits = last_line + 1 + dtype.size() <= kLineWidth;
  return text + (fits ? " " : "\n" + std::string(prefix.size(), ' ')) + dtype;
}

std::ostream& operator<<(std::ostream& out, const Array& x) { return out << to_string(x); }
std::ostream& operator<<(std::ostream& out, const Dims& dims) { return out << to_string(dims); }
std::ostream& operator<<(std::ostream& out, DType dtype) { return out << to_string(dtype); }
std::ostream& operator<<(std::ostream& out, Device device) { return out << to_string(device); }

}  // namespace gaia
