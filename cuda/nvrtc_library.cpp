// SPDX-License-Identifier: MIT
#include "nvrtc_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <memory>

#include "../src/core/error.h"

namespace gaia::cuda {
namespace {

/// Headers of the standard library that std_for_nvrtc.h stands for.
constexpr const char* kStandardHeaders[] = {
    "algorithm",   "array",      "cfloat",           "climits",     "cmath",
    "compare",     "concepts",   "cstddef",          "cstdint",     "cstdlib",
    "cstring",     "functional", "initializer_list", "limits",      "map",
    "memory",      "mutex",      "numeric",          "optional",    "set",
    "span",        "stdexcept",  "string",           "string_view", "tuple",
    "type_traits", "utility",    "variant",          "vector"};

void check(const NvrtcLibrary& library, int result, const char* call) {
  if (result == 0) return;
  throw DeviceError("[cuda] " + std::string(call) + ": " + library.error_string(result));
}

/// What `size` and `get` give of a program.
std::string text_of(const NvrtcLibrary& library, NvrtcLibrary::Program program,
                    int (*size)(void*, std::size_t*), int (*get)(void*, char*), const char* call) {
  std::size_t length = 0;
  check(library, size(program, &length), call);
  std::string text(length, '\0');
  check(library, get(program, text.data()), call);
  return text;
}

}  // namespace

NvrtcLibrary open_nvrtc(int major) {
  std::vector<std::string> names = {"libnvrtc.so.13", "libnvrtc.so.12"};
  if (major == 12) std::ranges::reverse(names);
  names.emplace_back("libnvrtc.so");
  void* opened = nullptr;
  std::string why;
  for (const std::string& name : names) {
    opened = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened != nullptr) break;
    if (why.empty()) why = dlerror();
  }
  if (opened == nullptr) {
    throw DeviceError(
        "[cuda] kernels are compiled by libnvrtc.so.13 or .12, which cannot be opened (" + why +
        "); install NVRTC (python3 -m pip install nvidia-cuda-nvrtc, or a CUDA toolkit) and name "
        "its folder in LD_LIBRARY_PATH");
  }
  NvrtcLibrary library;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(opened, name));
    if (function == nullptr) {
      throw DeviceError("[cuda] libnvrtc lacks " + std::string(name) +
                        "; install the NVRTC of CUDA 12 or 13");
    }
  };
  find(library.version, "nvrtcVersion");
  find(library.error_string, "nvrtcGetErrorString");
  find(library.count_architectures, "nvrtcGetNumSupportedArchs");
  find(library.architectures, "nvrtcGetSupportedArchs");
  find(library.create, "nvrtcCreateProgram");
  find(library.destroy, "nvrtcDestroyProgram");
  find(library.compile, "nvrtcCompileProgram");
  find(library.add_name, "nvrtcAddNameExpression");
  find(library.lowered_name, "nvrtcGetLoweredName");
  find(library.log_size, "nvrtcGetProgramLogSize");
  find(library.log, "nvrtcGetProgramLog");
  find(library.cubin_size, "nvrtcGetCUBINSize");
  find(library.cubin, "nvrtcGetCUBIN");
  find(library.ptx_size, "nvrtcGetPTXSize");
  find(library.ptx, "nvrtcGetPTX");
  int minor = 0;
  check(library, library.version(&library.major, &minor), "nvrtcVersion");
  library.version_text = std::to_string(library.major) + "." + std::to_string(minor);
  int count = 0;
  check(library, library.count_architectures(&count), "nvrtcGetNumSupportedArchs");
  library.known.resize(static_cast<std::size_t>(count));
  check(library, library.architectures(library.known.data()), "nvrtcGetSupportedArchs");
  return library;
}

NvrtcResult compile_by_nvrtc(const NvrtcLibrary& library, const KernelSource& source,
                             int capability) {
  constexpr const char* standard = "cuda/std_for_nvrtc.h";
  std::vector<SourceText> texts = source.headers;
  if (std::ranges::find(texts, standard, &SourceText::name) == texts.end()) {
    texts.push_back(carried_headers({standard})[0]);
  }
  for (const char* name : kStandardHeaders) {
    texts.push_back({name, "#include \"" + std::string(standard) + "\"\n"});
  }
  std::vector<const char*> header_names;
  std::vector<const char*> header_texts;
  for (const SourceText& text : texts) {
    header_names.push_back(text.name.c_str());
    header_texts.push_back(text.text.c_str());
  }
  NvrtcLibrary::Program made = nullptr;
  check(library,
        library.create(&made, source.source.c_str(), source.name.c_str(),
                       static_cast<int>(texts.size()), header_texts.data(), header_names.data()),
        "nvrtcCreateProgram");
  const auto destroy = [&library](NvrtcLibrary::Program* program) { library.destroy(program); };
  const std::unique_ptr<NvrtcLibrary::Program, decltype(destroy)> program(&made, destroy);
  for (const std::string& kernel : source.kernels) {
    check(library, library.add_name(made, kernel.c_str()), "nvrtcAddNameExpression");
  }

  const bool is_known = std::ranges::find(library.known, capability) != library.known.end();
  int newest = 0;  // newest of those before it
  for (const int known : library.known) {
    if (known <= capability) newest = std::max(newest, known);
  }
  std::vector<std::string> options = {
      is_known ? "--gpu-architecture=sm_" + std::to_string(capability)
               : "--gpu-architecture=compute_" + std::to_string(newest),
      "--std=c++20", "--device-as-default-execution-space", "--generate-line-info"};
  options.insert(options.end(), source.options.begin(), source.options.end());
  std::vector<const char*> given;
  for (const std::string& option : options) given.push_back(option.c_str());
  const int result = library.compile(made, static_cast<int>(given.size()), given.data());
  NvrtcResult compiled;
  compiled.log = text_of(library, made, library.log_size, library.log, "nvrtcGetProgramLog");
  while (!compiled.log.empty() && (compiled.log.back() == '\0' || compiled.log.back() == '\n')) {
    compiled.log.pop_back();
  }
  if (result != 0) {
    throw CompileError("[cuda] " + source.name + " does not compile:\n" +
                       (compiled.log.empty() ? library.error_string(result) : compiled.log));
  }
  for (const std::string& kernel : source.kernels) {
    const char* lowered = nullptr;
    check(library, library.lowered_name(made, kernel.c_str(), &lowered), "nvrtcGetLoweredName");
    compiled.lowered.emplace_back(lowered);
  }
  compiled.image = is_known
                       ? text_of(library, made, library.cubin_size, library.cubin, "nvrtcGetCUBIN")
                       : text_of(library, made, library.ptx_size, library.ptx, "nvrtcGetPTX");
  return compiled;
}

}  // namespace gaia::cuda
