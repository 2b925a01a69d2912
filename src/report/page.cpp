// SPDX-License-Identifier: MIT
#include "page.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "../core/error.h"
#include "../core/version.h"
#include "markup.h"
#include "png.h"

namespace gaia::report {
namespace {

/// How a Content-Security-Policy names a text that it allows.
std::string hash_source(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) {
    throw InternalError("[page_markup] no SHA-256");
  }
  return "'sha256-" + base64({reinterpret_cast<const char*>(digest.data()), length}) + "'";
}

}  // namespace

std::string page_markup(std::string_view title, const std::string& heading,
                        const std::vector<Section>& sections) {
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n";
  page += fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {}; "
      "style-src {}; img-src data:; base-uri 'none'; form-action 'none'\"/>\n",
      hash_source(page_script()), hash_source(page_style()));
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  page += "<meta name=\"color-scheme\" content=\"light dark\"/>\n";
  page += fmt::format("<meta name=\"generator\" content=\"gaia {}\"/>\n", escape(version()));
  page += fmt::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n",
                      escape(title), page_style());
  page += heading;
  page += "<nav aria-label=\"contents\">";
  for (const Section& section : sections) {
    page += fmt::format("<a href=\"#{}\">{}</a>", escape(section.id), escape(section.title));
  }
  page += "</nav>\n";
  for (const Section& section : sections) {
    page += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", escape(section.id),
                        escape(section.title), section.content);
  }
  page += fmt::format("<footer>Written by gaia {} ({}).</footer>\n", escape(version()),
                      escape(git_commit()));
  page += fmt::format("</main>\n<script>{}</script>\n</body>\n</html>\n", page_script());
  return page;
}

}  // namespace gaia::report
