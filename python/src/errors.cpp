// SPDX-License-Identifier: MIT
/// \file
/// What gaia throws, as the exceptions of gaia/errors.py.
#include "../../src/core/error.h"

#include <nanobind/nanobind.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "bindings.h"

namespace gaia::python {
namespace {

namespace nb = nanobind;

using Fields = std::initializer_list<std::pair<const char*, std::int64_t>>;

/// What the command line does as what Python does.
std::string in_python(std::string text) {
  for (const auto& [command, call] : std::initializer_list<std::pair<std::string, std::string>>{
           {"`gaia run --overwrite`", "`gaia.run(..., overwrite=True)`"},
           {"`gaia run`", "`gaia.run`"},
           {"`gaia resume`", "`gaia.resume`"},
           {"`gaia sweep`", "`gaia.sweep`"},
           {"`gaia search`", "`gaia.search`"},
           {"`gaia verdict`", "`gaia.verdict`"},
           {"`gaia apply`", "`gaia.apply`"},
           {"(for gaia apply: --", "(on the command line: --"},
           {"use --overwrite ", "use overwrite=True "},
           {"another --output", "another output"},
           {"choose an --output", "choose an output"},
           {"or --output for", "or output= for"},
           {"--data FOLDER names", "data= names"},
           {" (--folder)", " (folder)"},
           {"--set ", "set: "}}) {
    for (std::size_t at = text.find(command); at != std::string::npos;
         at = text.find(command, at + call.size())) {
      text.replace(at, command.size(), call);
    }
  }
  return text;
}

void raise(const char* kind, const std::exception& error, Fields fields = {}) {
  nb::object made = nb::module_::import_("gaia.errors").attr(kind)(in_python(error.what()).c_str());
  for (const auto& [name, value] : fields) made.attr(name) = value;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
}

/// Whether it is an Error, which is raised then.
template <class Error>
bool raise_as(const char* kind, const std::exception& error) {
  const bool is_one = dynamic_cast<const Error*>(&error) != nullptr;
  if (is_one) raise(kind, error);
  return is_one;
}

void translate(const std::exception_ptr& thrown, void* /*unused*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const ConfigError& error) {
    raise("ConfigError", error, {{"line", error.line}, {"column", error.column}});
  } catch (const DivergedError& error) {
    raise("DivergedError", error,
          {{"level", error.level}, {"layer", error.layer}, {"step", error.step}});
  } catch (const std::exception& error) {
    // What derives from another comes before it.
    const bool is_ours =
        raise_as<ShapeError>("ShapeError", error) || raise_as<DTypeError>("DTypeError", error) ||
        raise_as<ArgumentError>("ArgumentError", error) ||
        raise_as<DeviceError>("DeviceError", error) ||
        raise_as<OutOfMemory>("OutOfMemory", error) ||
        raise_as<CompileError>("CompileError", error) || raise_as<DataError>("DataError", error) ||
        raise_as<LockedError>("LockedError", error) ||
        raise_as<OutputError>("OutputError", error) || raise_as<Error>("Error", error) ||
        raise_as<InternalError>("InternalError", error);
    if (!is_ours) throw;
  }
}

}  // namespace

void bind_errors(nb::module_& /*module*/) { nb::register_exception_translator(translate); }

}  // namespace gaia::python
