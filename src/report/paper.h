// SPDX-License-Identifier: MIT
/// \file
/// Drawings of a page as files of their own, for papers and slides: SVG that needs no style sheet,
/// and PDF of lines and letters.
#pragma once

#include <string>

namespace gaia::report {

/// A unit of a figure in points.
inline constexpr double kPointsOfUnit = 0.75;

/// What Figure::svg has drawn, with its looks written out, on white.
std::string paper_svg(const std::string& svg);

/// The same drawing as one page of PDF 1.4.  Letters are those of Helvetica, which every reader
/// has, in Windows Latin 1; others are shown as "?".  No images.
std::string paper_pdf(const std::string& svg);

}  // namespace gaia::report
