// SPDX-License-Identifier: MIT
#include "../../src/report/markup.h"

#include <cmath>

#include "../support/catch.h"

using namespace gaia::report;

TEST_CASE("no text becomes markup") {
  CHECK(escape("<script>alert(\"1\" && '2')</script>") ==
        "&lt;script&gt;alert(&quot;1&quot; &amp;&amp; &#39;2&#39;)&lt;/script&gt;");
  CHECK(escape("]]> -->") == "]]&gt; --&gt;");
  CHECK(escape("&amp;") == "&amp;amp;");
  CHECK(escape("µV, ½ Ångström\n\tθ 🧠") == "µV, ½ Ångström\n\tθ 🧠");
}

TEST_CASE("what cannot stand in a page is replaced") {
  const std::string lost = "\xEF\xBF\xBD";
  CHECK(escape(std::string("a\0b", 3)) == "a" + lost + "b");
  CHECK(escape("bell \a, escape \x1b, delete \x7f") ==
        "bell " + lost + ", escape " + lost + ", delete " + lost);
  CHECK(escape("\xff") == lost);
  CHECK(escape("\xc3") == lost);  // cut short
  CHECK(escape("\xe2\x82<b>") == lost + lost + "&lt;b&gt;");
  CHECK(escape("\xed\xa0\x80") == lost + lost + lost);  // half of a surrogate pair
  CHECK(escape("\xEF\xBF\xBF") == lost + lost + lost);  // U+FFFF, which XML refuses
  CHECK(escape("txt.\xE2\x80\xAEgpj") == "txt." + lost + lost + lost + "gpj");  // turned around
}

TEST_CASE("numbers are written for people") {
  CHECK(number_for_people(0.34163) == "0.3416");
  CHECK(number_for_people(-0.259) == "−0.259");
  CHECK(number_for_people(1.0) == "1");
  CHECK(number_for_people(9.9999) == "10");
  CHECK(number_for_people(123456.0) == "123456");
  CHECK(number_for_people(0.0) == "0");
  CHECK(number_for_people(3.2e-5) == "3.2×10⁻⁵");
  CHECK(number_for_people(-6.02e23, 3) == "−6.02×10²³");
  CHECK(number_for_people(std::nan("")) == "NaN");
  CHECK(number_for_people(-INFINITY) == "−∞");
  CHECK(length_text(12.5) == "12.5");
  CHECK(length_text(-0.001) == "0");
  CHECK(length_text(1.0 / 3.0) == "0.33");
}
