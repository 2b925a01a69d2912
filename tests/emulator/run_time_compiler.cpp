// SPDX-License-Identifier: MIT
/// \file
/// What stands for NVRTC on the emulator: the host's compiler, which makes a shared library of a
/// kernel's text and the emulator's headers.
#include "../../cuda/run_time_compiler.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../../src/core/version.h"
#include "emulator.h"
#include "host_kernel.h"

#ifndef GAIA_EMULATOR_FOLDER
#define GAIA_EMULATOR_FOLDER ""
#define GAIA_EMULATOR_COMPILER "g++"
#define GAIA_EMULATOR_FLAGS ""
#endif

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

struct LaunchableKernel::State {
  std::string name;
  const emulator::HostKernel* host;
};

namespace {

namespace fs = std::filesystem;

/// Copies of a launch's arguments, which CUDA takes by value: the kernel may run when the launcher
/// has returned.
class Arguments {
 public:
  Arguments(const emulator::HostKernel& kernel, void** arguments) {
    constexpr std::size_t unit = alignof(std::max_align_t);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < kernel.parameters; ++i) {
      places.push_back(bytes_.size());
      bytes_.resize(bytes_.size() + (kernel.bytes[i] + unit - 1) / unit * unit);
      std::memcpy(bytes_.data() + places.back(), arguments[i], kernel.bytes[i]);
    }
    for (const std::size_t place : places) pointers_.push_back(bytes_.data() + place);
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  void* const* pointers() const { return pointers_.data(); }

 private:
  std::vector<unsigned char> bytes_;
  std::vector<void*> pointers_;
};

/// A folder of its own for a scope.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "gaia-kernel-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw DeviceError("[emulator] cannot make " + name);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream file(path_ / name, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw DeviceError("[emulator] cannot write " + *this / name);
  }

 private:
  fs::path path_;
};

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string quoted(const std::string& word) {
  std::string made = "'";
  for (const char c : word) made += c == '\'' ? "'\\''" : std::string(1, c);
  return made + "' ";
}

/// Runs a command; what it says goes to `said`.  Whether it went well.
bool run(const std::string& command, std::string& said) {
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return false;
  std::array<char, 4096> block{};
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), pipe)) {
    said.append(block.data(), count);
  }
  return pclose(pipe) == 0;
}

std::string compiler_name() {
  const char* const named = std::getenv("CXX");
  if (named != nullptr) return named;
  return fs::exists(GAIA_EMULATOR_COMPILER) ? GAIA_EMULATOR_COMPILER : "g++";
}

/// What the compiler says of itself; empty where there is none.
const std::string& compiler_version() {
  static const std::string version = [] {
    std::string said;
    return run(compiler_name() + " --version", said) ? said : std::string();
  }();
  return version;
}

/// Texts that every library is built from, next to its source.
const std::string& emulator_texts() {
  static const std::string texts = [] {
    std::string all;
    for (const char* name : {"emulator.h", "machine.h", "queues.h", "runtime.h", "host_kernel.h"}) {
      all += read(GAIA_EMULATOR_FOLDER "/" + std::string(name));
    }
    return all;
  }();
  return texts;
}

/// Lets libraries that are opened later find the functions of the one that holds `function`.
void let_find(void (*function)()) {
  Dl_info place{};
  if (dladdr(reinterpret_cast<void*>(function), &place) == 0) return;
  dlopen(place.dli_fname,
         RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);  // of a program there is nothing to do
}

}  // namespace

std::string why_not_compile() {
  if (compiler_version().empty()) {
    return "the emulator compiles kernels by the host's compiler, and " + compiler_name() +
           " cannot be run; name one in CXX";
  }
  if (!fs::exists(GAIA_EMULATOR_FOLDER "/host_kernel.h")) {
    return "the emulator compiles kernels beside its headers, which are not in "
           "'" GAIA_EMULATOR_FOLDER "'";
  }
  return {};
}

std::string compiler_now() {
  const std::string why = why_not_compile();
  if (!why.empty()) throw DeviceError("[cuda] " + why);
  return compiler_version() + GAIA_EMULATOR_FLAGS + emulator_texts();
}

std::string compile_to_bytes(const KernelSource& source) {
  const Folder folder;
  for (const SourceText& header : source.headers) folder.write(header.name, header.text);
  folder.write(source.name, source.source);
  // A user's kernels may say __shared__; blocks run one after another, so one copy will do.
  std::string main = source.headers.empty() ? "#define GAIA_EMULATOR_OF_KERNELS_ALONE\n" : "";
  main +=
      "#include <emulator.h>\n#include <host_kernel.h>\n#define __shared__ static\n"
      "#define __constant__\n#include \"" +
      source.name + "\"\n";
  for (std::size_t i = 0; i < source.kernels.size(); ++i) {
    main += "GAIA_HOST_KERNEL(" + std::to_string(i) + ", " + source.kernels[i] + ")\n";
  }
  folder.write("gaia_main.cpp", main);
  std::string command = compiler_name() +
                        " -std=c++20 -shared -fPIC -O1 -w -ffp-contract=off "
                        "-fdiagnostics-color=never " GAIA_EMULATOR_FLAGS " ";
  for (const std::string& option : source.options) {
    if (option.starts_with("-D") || option.starts_with("-U")) command += quoted(option);
  }
  command += "-I" + quoted(folder / "") + "-I" + quoted(GAIA_EMULATOR_FOLDER) +
             quoted(folder / "gaia_main.cpp") + "-o " + quoted(folder / "kernels.so");
  std::string said;
  const bool good = run(command, said);
  const std::string place = folder / "";
  for (std::size_t at = said.find(place); at != std::string::npos; at = said.find(place, at)) {
    said.erase(at, place.size());
  }
  if (!good) throw CompileError("[cuda] " + source.name + " does not compile:\n" + said);
  return read(folder / "kernels.so");
}

std::vector<LaunchableKernel> load_kernels(const KernelSource& source, const std::string& bytes) {
  static const bool found = [] {
    let_find(reinterpret_cast<void (*)()>(&emulator::block_barrier));
    let_find(reinterpret_cast<void (*)()>(&gaia::version));
    return true;
  }();
  static_cast<void>(found);
  const Folder folder;
  folder.write("kernels.so", bytes);
  void* const opened = dlopen((folder / "kernels.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) throw DeviceError("[cuda] " + source.name + ": " + dlerror());
  std::vector<LaunchableKernel> kernels;
  for (std::size_t i = 0; i < source.kernels.size(); ++i) {
    void* const host = dlsym(opened, ("gaia_host_kernel_" + std::to_string(i)).c_str());
    if (host == nullptr) throw DeviceError("[cuda] " + source.name + " lacks " + source.kernels[i]);
    kernels.emplace_back(*new LaunchableKernel::State{
        source.kernels[i], static_cast<const emulator::HostKernel*>(host)});
  }
  return kernels;
}

void LaunchableKernel::launch(const LaunchShape& shape, cudaStream_t stream,
                              void** arguments) const {
  const State& state = *state_;
  const auto named = [&state](const auto& act) {
    try {
      act();
    } catch (const emulator::KernelError& error) {
      throw emulator::KernelError("[" + state.name + "] " + error.what());
    }
  };
  const emulator::Index3 grid{shape.grid.x, shape.grid.y, shape.grid.z};
  const emulator::Index3 block{shape.block.x, shape.block.y, shape.block.z};
  const std::size_t bytes = shape.shared_bytes;
  named([&] {
    emulator::check_launch(grid, block, bytes);
    if (bytes > kSharedUnasked) allow_shared(state.name.c_str(), state_, bytes);
    emulator::check_shared(state_, bytes);
  });
  emulator::enqueue(
      stream, [=, &state, values = std::make_shared<const Arguments>(*state.host, arguments)] {
        named([&] {
          const auto body = [run = state.host->run, held = values->pointers()] { run(held); };
          emulator::run_blocks(
              grid, block, bytes, [](const void* f) { (*static_cast<const decltype(body)*>(f))(); },
              &body);
        });
      });
}

std::optional<std::vector<std::size_t>> LaunchableKernel::parameter_bytes() const {
  const emulator::HostKernel& host = *state_->host;
  return std::vector<std::size_t>(host.bytes, host.bytes + host.parameters);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
