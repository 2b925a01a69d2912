// SPDX-License-Identifier: MIT
/// \file
/// Datasets of results on their way to files of other kinds.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../src/core/error.h"
#include "../../src/experiment/results/export_files.h"
#include "../../src/experiment/results/export_result.h"
#include "bindings.h"
#include "gil.h"

namespace gaia::python {
namespace {

/// A dataset of a results file, with the reader of the file.
struct OpenDataset {
  std::unique_ptr<hdf5::Reader> reader;
  std::unique_ptr<ExportedDataset> dataset;

  OpenDataset(const std::string& result, const std::string& path) {
    std::error_code error;
    if (!std::filesystem::exists(result, error)) throw ConfigError(result + ": no such file");
    reader = hdf5::open_reader(result);
    try {
      dataset = std::make_unique<ExportedDataset>(*reader, path);
    } catch (const ArgumentError& why) {
      throw ArgumentError(result + ": " + why.what());
    }
  }
};

template <class T>
nb::object array_of_rows(OpenDataset& self, std::int64_t first, std::int64_t count) {
  const ExportedDataset& dataset = *self.dataset;
  const auto lines = static_cast<std::size_t>(count * dataset.lines_per_row());
  const std::size_t columns = dataset.columns().size();
  auto values = std::make_unique<std::vector<T>>(lines * columns);
  without_gil([&] {
    dataset.read_rows(first, count, values->data());
    return 0;
  });
  T* const data = values->data();
  const nb::capsule owner(values.release(),
                          [](void* held) noexcept { delete static_cast<std::vector<T>*>(held); });
  return nb::cast(nb::ndarray<nb::numpy, T>(data, {lines, columns}, owner));
}

nb::object rows_of(OpenDataset& self, std::int64_t first, std::int64_t count) {
  switch (self.dataset->type()) {
    case hdf5::Type::int32:
      return array_of_rows<std::int32_t>(self, first, count);
    case hdf5::Type::int64:
      return array_of_rows<std::int64_t>(self, first, count);
    case hdf5::Type::uint8:
      return array_of_rows<std::uint8_t>(self, first, count);
    case hdf5::Type::float32:
      return array_of_rows<float>(self, first, count);
    case hdf5::Type::float64:
      return array_of_rows<double>(self, first, count);
    case hdf5::Type::text:
    case hdf5::Type::other:
      break;
  }
  throw ArgumentError("[export] expected a dataset of numbers, got texts");
}

}  // namespace

void bind_export(nb::module_& module) {
  module.def(
      "_export",
      [](const std::string& result, const std::string& format, std::vector<std::string> datasets,
         std::string output, bool overwrite) {
        const Exported exported = without_gil([&] {
          return export_result(result, {.format = export_format(format),
                                        .datasets = std::move(datasets),
                                        .output = std::move(output),
                                        .overwrite = overwrite});
        });
        return nb::make_tuple(exported.files, exported.refusals);
      },
      nb::arg("result"), nb::arg("format"), nb::arg("datasets"), nb::arg("output"),
      nb::arg("overwrite"));
  module.def(
      "_exportable",
      [](const std::string& result) {
        std::error_code error;
        if (!std::filesystem::exists(result, error)) throw ConfigError(result + ": no such file");
        const Exportable found =
            without_gil([&] { return exportable(hdf5::open_reader(result)->contents()); });
        return nb::make_tuple(found.paths, found.refusals);
      },
      nb::arg("result"));
  module.def(
      "_check_export",
      [](const std::string& path, bool overwrite) { refuse_over(path, overwrite); },
      nb::arg("path"), nb::arg("overwrite"));

  nb::class_<OpenDataset>(module, "_ExportedDataset")
      .def(nb::init<const std::string&, const std::string&>(), nb::arg("result"), nb::arg("path"),
           nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("path", [](const OpenDataset& self) { return self.dataset->path(); })
      .def_prop_ro("columns", [](const OpenDataset& self) { return self.dataset->columns(); })
      .def_prop_ro("shape", [](const OpenDataset& self) { return self.dataset->shape(); })
      .def_prop_ro("is_text",
                   [](const OpenDataset& self) { return self.dataset->type() == hdf5::Type::text; })
      .def_prop_ro("rows", [](const OpenDataset& self) { return self.dataset->rows(); })
      .def_prop_ro("block", [](const OpenDataset& self) { return self.dataset->block(); })
      .def_prop_ro("indices",
                   [](const OpenDataset& self) {
                     nb::list made;
                     for (const ExportedIndex& index : self.dataset->indices()) {
                       made.append(nb::make_tuple(index.name, index.axis, index.is_date));
                     }
                     return made;
                   })
      .def("read", &rows_of, nb::arg("first"), nb::arg("count"))
      .def("read_texts",
           [](const OpenDataset& self) {
             return without_gil([&] { return self.dataset->read_texts(); });
           })
      .def(
          "read_index",
          [](const OpenDataset& self, std::size_t number, std::int64_t first, std::int64_t count) {
            const ExportedIndex& index = self.dataset->indices().at(number);
            return without_gil([&] { return self.dataset->read_index(index, first, count); });
          },
          nb::arg("number"), nb::arg("first"), nb::arg("count"));
}

}  // namespace gaia::python
