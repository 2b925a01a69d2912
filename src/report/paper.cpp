// SPDX-License-Identifier: MIT
#include "paper.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/error.h"
#include "markup.h"

namespace gaia::report {
namespace {

/// A tag of our own markup, with the text that follows it.
struct Tag {
  std::string name;  ///< "/svg" at its end.
  std::vector<std::pair<std::string, std::string>> attributes;
  bool is_closed = false;  ///< By itself: "<line/>".
  std::string text;

  std::string get(std::string_view key) const {
    for (const auto& [name_of_one, value] : attributes) {
      if (name_of_one == key) return value;
    }
    return "";
  }
  double number(std::string_view key) const { return std::strtod(get(key).c_str(), nullptr); }
};

std::vector<Tag> tags_of(const std::string& svg) {
  std::vector<Tag> tags;
  for (std::size_t at = svg.find('<'); at != std::string::npos;) {
    const std::size_t end = svg.find('>', at);  // escaped in attributes
    if (end == std::string::npos) throw InternalError("[paper] a tag without an end");
    const std::size_t next = std::min(svg.find('<', end), svg.size());
    std::string inside = svg.substr(at + 1, end - at - 1);
    Tag tag;
    tag.is_closed = !inside.empty() && inside.back() == '/';
    if (tag.is_closed) inside.pop_back();
    tag.text = svg.substr(end + 1, next - end - 1);
    std::size_t i = std::min(inside.find(' '), inside.size());
    tag.name = inside.substr(0, i);
    while (i < inside.size()) {
      const std::size_t equals = inside.find("=\"", i);
      if (equals == std::string::npos) break;
      const std::size_t close = inside.find('"', equals + 2);
      const std::size_t begin = inside.find_first_not_of(" \n", i);
      tag.attributes.emplace_back(inside.substr(begin, equals - begin),
                                  inside.substr(equals + 2, close - equals - 2));
      i = close + 1;
    }
    tags.push_back(std::move(tag));
    at = next == svg.size() ? std::string::npos : next;
  }
  return tags;
}

/// How something looks on paper; a colour "none" is not drawn.
struct Look {
  std::string stroke = "none";
  std::string fill = "none";
  double width = 1.0;
  double opacity = 1.0;
  bool is_dashed = false;
  double size = 12.0;  ///< Size of letters.
  bool is_bold = false;
};

/// Colours, as assets/page.css has them for paper.
Look look_of(const Tag& tag) {
  static const std::map<std::string, std::string, std::less<>> colors = {
      {"c0", "#0072b2"},  {"c1", "#d55e00"},   {"c2", "#009e73"},
      {"c3", "#b35f94"},  {"c4", "#8a7300"},   {"c5", "#3a9bd0"},
      {"ink", "#000000"}, {"soft", "#777777"}, {"rule", "#777777"}};
  Look look;
  std::string color;
  std::vector<std::string> classes;
  const std::string all = tag.get("class");
  for (std::size_t i = 0; i < all.size();) {
    const std::size_t end = std::min(all.find(' ', i), all.size());
    classes.push_back(all.substr(i, end - i));
    i = end + 1;
  }
  for (const std::string& one : classes) {
    if (const auto found = colors.find(one); found != colors.end()) color = found->second;
  }
  const std::string kind = classes.empty() ? "" : classes.front();
  if (tag.name == "text") {
    look.fill = kind == "tick" || kind == "label" ? "#333333" : "#000000";
    look.size = kind == "tick" ? 11.5 : 12.0;
    look.is_bold = kind == "title";
  } else if (kind == "grid") {
    look.stroke = "#e4e4e4";
  } else if (kind == "frame") {
    look.stroke = "#999999";
  } else if (kind == "line") {
    look.stroke = color.empty() ? "#000000" : color;
    look.width = 1.5;
  } else {  // dots, bars and bands
    look.fill = color.empty() ? "#000000" : color;
    if (kind == "band") look.opacity = 0.18;
  }
  for (const std::string& one : classes) {
    if (one == "thin" || one == "rule") look.width = 1.0;
    if (one == "bold") look.width = 2.2;
    if (one == "dashed") look.is_dashed = true;
  }
  return look;
}

bool is_drawn(const Tag& tag) {
  return tag.name == "path" || tag.name == "circle" || tag.name == "rect" || tag.name == "line" ||
         tag.name == "text";
}

// PDF.

/// Widths of the letters 32 to 126 of Helvetica, in thousandths of their size (Adobe's AFM).
constexpr std::array<int, 95> kWidths = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

/// The raised letters that `text` begins with, as those of a line, and how many bytes they take.
std::pair<std::string, std::size_t> raised_at(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 11> raised = {{{"⁻", '-'},
                                                                         {"⁰", '0'},
                                                                         {"¹", '1'},
                                                                         {"²", '2'},
                                                                         {"³", '3'},
                                                                         {"⁴", '4'},
                                                                         {"⁵", '5'},
                                                                         {"⁶", '6'},
                                                                         {"⁷", '7'},
                                                                         {"⁸", '8'},
                                                                         {"⁹", '9'}}};
  std::string letters;
  std::size_t bytes = 0;
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (const auto& [letter, plain] : raised) {
      if (!text.substr(bytes).starts_with(letter)) continue;
      letters += plain;
      bytes += letter.size();
      goes_on = true;
      break;
    }
  }
  return {letters, bytes};
}

/// Our own markup as text in Windows Latin 1; a power of ten as "10^-3".
std::string latin_text(const std::string& markup) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kinds = {
      {{"&amp;", "&"},
       {"&lt;", "<"},
       {"&gt;", ">"},
       {"&quot;", "\""},
       {"&#39;", "'"},
       {"–", "\x96"},
       {"—", "\x97"},
       {"…", "\x85"},
       {"−", "\x96"},
       {"\n", " "}}};
  std::string out;
  for (std::size_t i = 0; i < markup.size();) {
    const std::string_view rest = std::string_view(markup).substr(i);
    const auto found = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const auto& kind) { return rest.starts_with(kind.first); });
    const auto [raised, bytes] = raised_at(rest);
    const auto first = static_cast<unsigned char>(markup[i]);
    if (found != kinds.end()) {
      out += found->second;
      i += found->first.size();
    } else if (raised == "2" || raised == "3") {  // letters of their own
      out += raised == "2" ? '\xB2' : '\xB3';
      i += bytes;
    } else if (!raised.empty()) {
      out += "^" + raised;
      i += bytes;
    } else if (first < 0x80) {
      out += markup[i++];
    } else if ((first == 0xC2 || first == 0xC3) && i + 1 < markup.size()) {
      const auto second = static_cast<unsigned char>(markup[i + 1]);
      out += static_cast<char>(first == 0xC2 ? second : second + 0x40);
      i += 2;
    } else {
      out += '?';
      for (++i; i < markup.size() && (markup[i] & '\xC0') == '\x80';) ++i;
    }
  }
  return out;
}

double width_of(const std::string& text, double size) {
  int sum = 0;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    sum += code >= 32 && code < 127 ? kWidths[code - 32u] : 556;
  }
  return 0.001 * size * sum;
}

std::string rgb(const std::string& color) {
  std::string text;
  for (std::size_t i = 1; i < 7; i += 2) {
    text +=
        length_text(static_cast<double>(std::stoi(color.substr(i, 2), nullptr, 16)) / 255.0) + " ";
  }
  return text;
}

std::string two(double x, double y) { return length_text(x) + " " + length_text(y) + " "; }

/// A path of M, L, h and Z.
std::string path_of(const std::string& d) {
  std::string out;
  double x = 0.0;
  double y = 0.0;
  const char* at = d.c_str();
  while (*at != '\0') {
    const char letter = *at++;
    if (letter == 'Z') {
      out += "h ";
      continue;
    }
    char* end = nullptr;
    const double first = std::strtod(at, &end);
    if (end == at) throw InternalError("[paper] a path without numbers");
    at = end;
    if (letter == 'h') {
      x += first;
    } else {
      x = first;
      y = std::strtod(at, &end);
      at = end;
    }
    out += two(x, y) + (letter == 'M' ? "m " : "l ");
  }
  return out;
}

std::string circle_of(double x, double y, double r) {
  const double k = 0.5522847498 * r;
  return two(x + r, y) + "m " + two(x + r, y + k) + two(x + k, y + r) + two(x, y + r) + "c " +
         two(x - k, y + r) + two(x - r, y + k) + two(x - r, y) + "c " + two(x - r, y - k) +
         two(x - k, y - r) + two(x, y - r) + "c " + two(x + k, y - r) + two(x + r, y - k) +
         two(x + r, y) + "c h ";
}

std::string text_of(const Tag& tag, const Look& look) {
  const std::string text = latin_text(tag.text);
  const double width = width_of(text, look.size);
  const std::string anchor = tag.get("text-anchor");
  const double back = anchor == "end" ? width : anchor == "middle" ? 0.5 * width : 0.0;
  std::string escaped;
  for (const char c : text) {
    if (c == '(' || c == ')' || c == '\\') escaped += '\\';
    escaped += c;
  }
  // "translate(x y) rotate(-90)": upwards.
  const std::string transform = tag.get("transform");
  std::string matrix = "1 0 0 -1 " + two(tag.number("x") - back, tag.number("y"));
  if (!transform.empty()) {
    char* end = nullptr;
    const double x = std::strtod(transform.c_str() + transform.find('(') + 1, &end);
    const double y = std::strtod(end, nullptr);
    matrix = "0 -1 -1 0 " + two(x, y + back);
  }
  return fmt::format("BT /F{} {} Tf {}rg {}Tm ({}) Tj ET\n", look.is_bold ? 2 : 1,
                     length_text(look.size), rgb(look.fill), matrix, escaped);
}

std::string drawn(const Tag& tag) {
  const Look look = look_of(tag);
  if (tag.name == "text") return text_of(tag, look);
  std::string shape;
  if (tag.name == "path") shape = path_of(tag.get("d"));
  if (tag.name == "circle") shape = circle_of(tag.number("cx"), tag.number("cy"), tag.number("r"));
  if (tag.name == "rect") {
    shape = two(tag.number("x"), tag.number("y")) + two(tag.number("width"), tag.number("height")) +
            "re ";
  }
  if (tag.name == "line") {
    shape = two(tag.number("x1"), tag.number("y1")) + "m " +
            two(tag.number("x2"), tag.number("y2")) + "l ";
  }
  const bool has_line = look.stroke != "none";
  std::string out = has_line ? rgb(look.stroke) + "RG " : rgb(look.fill) + "rg ";
  out += length_text(look.width) + " w " + (look.is_dashed ? "[4 4] 0 d " : "[] 0 d ");
  out += look.opacity < 1.0 ? "/G1 gs " : "/G0 gs ";
  return out + shape + (has_line ? "S\n" : "f\n");
}

std::string content_of(const std::vector<Tag>& tags, double height) {
  std::string out = fmt::format("{0} 0 0 -{0} 0 {1} cm 1 J 1 j\n", kPointsOfUnit,
                                length_text(kPointsOfUnit * height));
  int depth = 0;
  for (const Tag& tag : tags) {
    if (tag.name == "svg" && ++depth == 2) {  // a panel: what lies outside is cut off
      out += "q 1 0 0 1 " + two(tag.number("x"), tag.number("y")) + "cm 0 0 " +
             two(tag.number("width"), tag.number("height")) + "re W n\n";
    } else if (tag.name == "/svg") {
      if (depth-- == 2) out += "Q\n";
    } else if (is_drawn(tag)) {
      out += drawn(tag);
    }
  }
  return out;
}

/// Width and height of a figure.
std::pair<double, double> size_of(const Tag& root) {
  const std::string box = root.get("viewBox");  // "0 0 W H"
  char* end = nullptr;
  const double width = std::strtod(box.c_str() + 4, &end);
  return {width, std::strtod(end, nullptr)};
}

}  // namespace

std::string paper_svg(const std::string& svg) {
  const std::vector<Tag> tags = tags_of(svg);
  const auto [width, height] = size_of(tags.at(0));
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "width=\"{}pt\" height=\"{}pt\" viewBox=\"0 0 {} {}\" font-family=\"Helvetica, Arial, "
      "'Liberation Sans', sans-serif\" role=\"img\" aria-label=\"{}\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      length_text(kPointsOfUnit * width), length_text(kPointsOfUnit * height), length_text(width),
      length_text(height), tags.front().get("aria-label"));
  for (std::size_t i = 1; i < tags.size(); ++i) {
    const Tag& tag = tags[i];
    out += "<" + tag.name;
    for (const auto& [key, value] : tag.attributes) {
      if (key != "class" && !key.starts_with("data-")) out += fmt::format(" {}=\"{}\"", key, value);
    }
    if (is_drawn(tag)) {
      const Look look = look_of(tag);
      out += " fill=\"" + look.fill + "\"";
      if (tag.name == "text") {
        out += fmt::format(" font-size=\"{}\"{}", length_text(look.size),
                           look.is_bold ? " font-weight=\"bold\"" : "");
      } else if (look.stroke != "none") {
        out +=
            fmt::format(" stroke=\"{}\" stroke-width=\"{}\"{}", look.stroke,
                        length_text(look.width), look.is_dashed ? " stroke-dasharray=\"4 4\"" : "");
      }
      if (look.opacity < 1.0) out += " fill-opacity=\"" + length_text(look.opacity) + "\"";
    }
    out += std::string(tag.is_closed ? "/>" : ">") + tag.text;
  }
  return out;
}

std::string paper_pdf(const std::string& svg) {
  const std::vector<Tag> tags = tags_of(svg);
  const auto [width, height] = size_of(tags.at(0));
  const std::string content = content_of(tags, height);
  const auto font = [](const char* name) {
    return fmt::format("<< /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding >>",
                       name);
  };
  const std::vector<std::string> objects = {
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      fmt::format("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {}] /Contents 4 0 R /Resources "
                  "<< /Font << /F1 5 0 R /F2 6 0 R >> /ExtGState << /G0 << /ca 1 >> /G1 << /ca "
                  "0.18 >> >> >> >>",
                  length_text(kPointsOfUnit * width), length_text(kPointsOfUnit * height)),
      fmt::format("<< /Length {} >>\nstream\n{}\nendstream", content.size(), content),
      font("Helvetica"),
      font("Helvetica-Bold")};
  std::string out = "%PDF-1.4\n%\xE2\xE3\xCF\xD3\n";
  std::string places;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    places += fmt::format("{:010} 00000 n \n", out.size());
    out += fmt::format("{} 0 obj\n{}\nendobj\n", i + 1, objects[i]);
  }
  const std::size_t table = out.size();
  return out + fmt::format(
                   "xref\n0 {0}\n0000000000 65535 f \n{1}trailer\n<< /Size {0} /Root 1 0 R >>\n"
                   "startxref\n{2}\n%%EOF\n",
                   objects.size() + 1, places, table);
}

}  // namespace gaia::report
