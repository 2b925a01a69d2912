// SPDX-License-Identifier: MIT
#include "export_result.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "../../core/message.h"
#include "../../core/names.h"
#include "../../io/output_files.h"
#include "../data/schema_version.h"
#include "export_files.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

constexpr NameTable<ExportFormat, 3> kExportFormats = {
    {{"csv", ExportFormat::csv}, {"npy", ExportFormat::npy}, {"npz", ExportFormat::npz}}};

/// "results/small" of "results/small.h5" and of "results/small.h5.partial".
std::string stem_of_result(const std::string& result) {
  std::string stem = result;
  for (const char* ending : {".partial", ".h5"}) {
    if (stem.ends_with(ending)) stem.resize(stem.size() - std::string(ending).size());
  }
  return stem;
}

/// "levels.0.representation.csv": without a slash, whatever the file calls it.
std::string file_name_of(const std::string& dataset, const std::string& ending) {
  std::string name = dataset.substr(1);
  std::replace(name.begin(), name.end(), '/', '.');
  return name + "." + ending;
}

/// What is written of an array at least, so that a disk without room is reported before.
double least_bytes(const ExportedDataset& dataset, ExportFormat format) {
  const double numbers =
      static_cast<double>(dataset.rows()) * static_cast<double>(dataset.numbers_per_row());
  if (format == ExportFormat::csv || dataset.type() == hdf5::Type::text) return 2.0 * numbers;
  return numbers * static_cast<double>(size_of(dataset.type()));
}

void require_room_for(const std::vector<ExportedDataset>& datasets, const std::string& path,
                      ExportFormat format) {
  double bytes = 0.0;
  for (const ExportedDataset& dataset : datasets) bytes += least_bytes(dataset, format);
  const double room = free_space(path);
  if (bytes <= room) return;
  fail<OutputError>("{}: {} or more are to be written, and its disk has room for {}", path,
                    bytes_text(bytes), bytes_text(room));
}

/// Files of the datasets that have a file each. \throws ArgumentError where two files would have
/// one name.
std::vector<std::string> files_of(const std::vector<ExportedDataset>& datasets,
                                  const std::string& result, const ExportOptions& options) {
  const std::string ending = name_of(kExportFormats, options.format);
  const std::string stem = stem_of_result(result);
  if (datasets.size() == 1 && options.datasets.size() == 1) {
    return {options.output.empty() ? stem + "." + file_name_of(datasets.front().path(), ending)
                                   : options.output};
  }
  const fs::path folder = options.output.empty() ? stem + "." + ending + ".d" : options.output;
  std::vector<std::string> files;
  std::set<std::string> known;
  for (const ExportedDataset& dataset : datasets) {
    files.push_back((folder / file_name_of(dataset.path(), ending)).string());
    require<ArgumentError>(known.insert(files.back()).second,
                           "{} and another dataset would both be written to {}; export them one by "
                           "one",
                           dataset.path(), files.back());
  }
  return files;
}

}  // namespace

ExportFormat export_format(const std::string& name) {
  return from_name(kExportFormats, name, "format");
}

Exported export_result(const std::string& result, const ExportOptions& options) {
  std::error_code error;
  if (!fs::exists(result, error)) throw ConfigError(result + ": no such file");
  const std::unique_ptr<hdf5::Reader> reader = hdf5::open_reader(result);
  const hdf5::Contents& contents = reader->contents();
  // An index of a sweep and a verdict have no version, and are no less a table for that.
  const auto version = contents.root().integer("schema_version");
  if (version) check_schema(version, result);

  Exported exported;
  std::vector<std::string> paths = options.datasets;
  if (paths.empty()) {
    Exportable all = exportable(contents);
    paths = std::move(all.paths);
    exported.refusals = std::move(all.refusals);
    if (paths.empty()) fail<DataError>("{}: has no dataset that can be exported", result);
  }
  std::vector<ExportedDataset> datasets;
  for (const std::string& path : paths) {
    try {
      ExportedDataset dataset(*reader, path);
      const bool is_twice = std::any_of(datasets.begin(), datasets.end(), [&](const auto& other) {
        return other.path() == dataset.path();
      });
      if (!is_twice) datasets.push_back(std::move(dataset));
    } catch (const ArgumentError& why) {
      fail<ArgumentError>("{}: {}", result, why.what());
    } catch (const DataError& why) {
      if (std::string(why.what()).starts_with(result)) throw;
      fail<DataError>("{}: {}", result, why.what());
    }
  }

  if (options.format == ExportFormat::npz) {
    exported.files = {options.output.empty() ? stem_of_result(result) + ".npz" : options.output};
    refuse_over(exported.files.front(), options.overwrite);
    require_room_for(datasets, exported.files.front(), options.format);
    NewFile file(exported.files.front(), options.overwrite);
    write_npz(datasets, file);
    file.publish();
    return exported;
  }
  exported.files = files_of(datasets, result, options);
  for (const std::string& path : exported.files) refuse_over(path, options.overwrite);
  require_room_for(datasets, exported.files.front(), options.format);
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    NewFile file(exported.files[i], options.overwrite);
    options.format == ExportFormat::csv ? write_csv(datasets[i], file)
                                        : write_npy(datasets[i], file);
    file.publish();
  }
  return exported;
}

}  // namespace gaia
