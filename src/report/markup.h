// SPDX-License-Identifier: MIT
/// \file
/// Text that goes into a page of HTML: nothing that comes from a file can become markup.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gaia::report {

/// `text` as the content of an element or of an attribute in double quotes, in HTML and in XML.
/// Bytes that are not UTF-8, control characters and those that turn the direction of writing are
/// shown as U+FFFD.
std::string escape(std::string_view text);

/// `<p class="note">escaped text</p>`.
std::string paragraph(std::string_view text, std::string_view css_class = "note");

/// A coordinate or length of SVG with at most two decimals: "12.5".
std::string length_text(double value);

/// A number for readers, with at most `digits` significant ones: "0.3416", "−12.5", "3.2×10⁻⁵",
/// "NaN".
std::string number_for_people(double value, int digits = 4);

/// 10 to a whole power: "10⁻³".
std::string power_of_ten(int exponent);

/// "s" for every count but 1.
const char* plural(std::int64_t count);

}  // namespace gaia::report
