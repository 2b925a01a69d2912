// SPDX-License-Identifier: MIT
/// \file
/// One self-contained page: it loads nothing, and runs no script but ours.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gaia::report {

/// A part of a page, with a heading that the contents name.
struct Section {
  std::string id;
  std::string title;
  std::string content;  ///< HTML.
};

/// The sections of a page that have something to say.
class Sections {
 public:
  void add(const char* id, const char* title, std::string content) {
    if (!content.empty()) all_.push_back({id, title, std::move(content)});
  }
  const std::vector<Section>& all() const { return all_; }

 private:
  std::vector<Section> all_;
};

/// The page: the heading, contents, sections.  A Content-Security-Policy allows this style sheet
/// and this script by their hashes, images within the page, and nothing else.
std::string page_markup(std::string_view title, const std::string& heading,
                        const std::vector<Section>& sections);

/// Colours and type for screens, light and dark, and for paper.
std::string_view page_style();

/// Zooming with a cursor that all panels of a figure share, and tables that sort.
std::string_view page_script();

}  // namespace gaia::report
