// SPDX-License-Identifier: MIT
/// \file
/// Pictures from files as a series: one picture, or one patch of a picture, is a row, its pixels
/// are the channels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pictures/pictures.h"
#include "series.h"

namespace gaia {

/// Pictures in whatever io::read_pictures reads, and the file of the class of each.
struct ImageFiles {
  std::string images;
  std::string labels =
      {};  ///< IDX or NPY file; empty: as the pictures' folder tells, or not known.
};

/// Which pictures of a data set are rows.
struct ImagesOptions {
  std::optional<std::int64_t> train = {};  ///< The first so many; all if not given.
  std::optional<std::int64_t> test = {};
  io::Colours colours = io::Colours::automatic;
};

/// The training pictures in their order, then the test pictures, if there are any (`test` with an
/// empty name: none).
///
/// - Channels are called y0x0, y0x1, ... by row and column of the pixel, with several colours
///   y0x0c0, y0x0c1, ...; numbers are those of io::Pictures::read, 0 to 1.
/// - With labels, each row's class is a side column "label"; classes() are the labels that occur
///   in the rows, in the order of ClassTable.
/// - Where one of the two parts has colours, the other gets them.
/// - training_rows() says how many training pictures there are, where test pictures follow.
///
/// The pictures stay in memory, in the numbers of their files.
/// \throws DataError for files that cannot be used or do not fit each other; ArgumentError
///         "[images] train_samples: ..." or "[images] test_samples: ..." for more than there are.
std::unique_ptr<Series> open_images(const ImageFiles& train, const ImageFiles& test,
                                    const ImagesOptions& options = {});

/// Which patches are cut out of pictures.
struct PatchOptions {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t count = 0;
  std::uint64_t seed = 0;
  std::optional<std::int64_t> train = {};  ///< From the first so many pictures; all if not given.
  io::Colours colours = io::Colours::automatic;
};

/// Patches of pictures, which may be of several sizes.  Patch n is of picture i and begins at row y
/// and column x, which are the numbers 3n, 3n + 1 and 3n + 2 of the seed's stream "data/patches":
/// each picture, and in it each place, as likely as any other.  There are no labels.
/// \throws DataError for a file that cannot be used; ArgumentError "[images] patch: ..." for a
///         patch that does not fit into the pictures, "[images] train_samples: ..." as above.
std::unique_ptr<Series> open_patches(const std::string& images, const PatchOptions& options);

}  // namespace gaia
