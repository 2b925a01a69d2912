// SPDX-License-Identifier: MIT
#include "npy_format.h"

#include <filesystem>

#include "../../core/error.h"
#include "../npy.h"
#include "../npy_file.h"
#include "../survey/array_survey.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

/// A second array beside one of trials, by its name: labels of eeg.npy in eeg_labels.npy,
/// labels.npy, y.npy, or those of X_train.npy in y_train.npy.
void find_label_file(FileSurvey& survey, const fs::path& path) {
  const std::string stem = path.stem().string();
  std::vector<std::string> names = {stem + "_labels", stem + "_y", "labels", "y"};
  if (stem.starts_with("X")) names.insert(names.begin(), "y" + stem.substr(1));
  const std::int64_t trials = survey.shape[survey.options.axes.trials->front()];
  for (const std::string& name : names) {
    const fs::path file = path.parent_path() / (name + ".npy");
    std::error_code error;
    if (!fs::is_regular_file(file, error) || fs::equivalent(file, path, error)) continue;
    try {
      const NpyHeader header = NpyFile(file.string()).header();
      if (header.shape != std::vector<std::int64_t>{trials}) continue;
    } catch (const DataError&) {
      continue;  // no array after all
    }
    survey.options.side.labels = file.string();
    return;
  }
}

}  // namespace

std::unique_ptr<FileSeries> NpyFormat::open(const std::string& path,
                                            const FileOptions& options) const {
  return open_npy(path, options);
}

FileSurvey NpyFormat::survey(const std::vector<std::string>& paths) const {
  FileSurvey survey{.takes_label_file = true};
  guess_axes(survey, NpyFile(paths.front()).header().shape);
  if (!survey.shape.empty() && paths.size() == 1) find_label_file(survey, paths.front());
  survey_arrays(survey, paths, open_npy);
  return survey;
}

}  // namespace gaia
