// SPDX-License-Identifier: MIT
/// \file
/// HDF5 files with changes at random, through everything that reads such files.
#include <cstring>

#include "../../src/array/create.h"
#include "../../src/core/error.h"
#include "../../src/io/arrays.h"
#include "../../src/io/hdf5_series.h"
#include "results.h"
#include "trials.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// One to a few changes: bits, bytes, numbers that sizes and addresses consist of, cuts, copies.
std::string mutant_of(const std::string& original, std::mt19937_64& engine) {
  std::string bytes = original;
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(engine() % n); };
  const auto count = 1 + below(6);
  for (std::size_t i = 0; i < count; ++i) {
    // Structure lies in small pieces among the numbers, much of it at the start.
    const std::size_t at =
        below(below(2) == 0 ? bytes.size() : std::min<std::size_t>(4096, bytes.size()));
    const std::size_t left = bytes.size() - at;
    switch (below(7)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(below(256));
        break;
      case 2:
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    std::min<std::size_t>(left, 1 + below(16)), below(2) == 0 ? '\xff' : '\0');
        break;
      case 3: {
        const std::uint64_t values[] = {1,          0x7fffffff, 0xffffffff,   1ull << 32,
                                        1ull << 61, ~0ull - 7,  bytes.size(), engine()};
        const std::uint64_t value = values[below(8)];
        std::memcpy(bytes.data() + at, &value, std::min<std::size_t>(left, below(2) == 0 ? 4 : 8));
        break;
      }
      case 4: {
        const std::size_t from = below(bytes.size());
        const std::size_t length = std::min({left, bytes.size() - from, 1 + below(64)});
        std::memmove(bytes.data() + at, bytes.data() + from, length);
        break;
      }
      case 5:
        bytes[at] = static_cast<char>(bytes[at] + (below(2) == 0 ? 1 : -1));
        break;
      case 6:
        if (below(4) == 0) bytes.resize(std::max<std::size_t>(64, at));
        break;
    }
  }
  return bytes;
}

/// The names of small files of every kind that is read: a series, arrays, a result, a partial one.
const std::vector<std::string> kNames = {"series.h5", "arrays.h5", "result.h5", "cut.h5.partial"};

std::vector<std::string> originals(const TempDir& folder) {
  folder.write("e.yaml", gaia::test::kMinimal);
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "e.yaml", "-q"});
    return gaia::test::gaia_command(folder, more).code;
  };
  REQUIRE(run({"--output", "result.h5"}) == 0);
  REQUIRE(run({"--output", "cut.h5", "--set", "data.steps=100000000", "--max-time", "0.1s", "--set",
               "output.representations={every: 10000}"}) == 75);
  hdf5::File file = hdf5::File::create(folder.path("series.h5"));
  std::vector<double> values(3000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 97);
  hdf5::Dataset dataset = file.create_dataset(
      "x", {.shape = {1000, 3}, .chunk = {100, 3}, .can_grow = true, .deflate = 4});
  dataset.write(std::span<const double>(values));
  dataset.set_attribute("columns", "a,b,c");
  file.close();
  io::save(folder.path("arrays.h5"),
           {{"0.weights", zeros({4, 3}, DType::float32)}, {"0.bias", zeros({4}, DType::float32)}});
  std::vector<std::string> all;
  for (const std::string& name : kNames) all.push_back(gaia::test::bytes_of(folder.path(name)));
  return all;
}

struct Outcomes {
  int read = 0;
  int refused = 0;
  int crashed = 0;
  int hung = 0;
  bool hung_last = false;

  template <class Read>
  void count(const Read& reading) {
    hung_last = false;
    try {
      reading();
      ++read;
    } catch (const DataError& error) {
      const std::string text = error.what();
      const bool dead = text.find("(reader crashed") != std::string::npos;
      const bool slow = text.find("(reader gave no") != std::string::npos ||
                        text.find("(reader took more") != std::string::npos;
      ++(dead ? crashed : slow ? hung : refused);
      hung_last = slow;
    } catch (const ArgumentError&) {
      ++refused;  // a dataset that is not there any more
    }
  }
};

}  // namespace

TEST_CASE("damaged HDF5 files end in errors, never in the end of who reads them") {
  const int count = gaia::test::trials("MUTANTS", 64);
  const TempDir folder;
  const std::vector<std::string> seeds = originals(folder);
  const hdf5::ReaderOptions hurried{.limits = {.patience = 1}};
  std::mt19937_64 engine(20261121);
  Outcomes outcomes;
  std::map<int, int> codes;
  for (int i = 0; i < count; ++i) {
    const std::size_t kind = static_cast<std::size_t>(i) % seeds.size();
    const std::string path = folder.write(kNames[kind], mutant_of(seeds[kind], engine));
    INFO("mutant " << i << " of " << kNames[kind]);
    outcomes.count([&] { hdf5::probe(path, hurried.limits); });
    if (kind == 0) {
      outcomes.count([&] {
        const auto series = open_hdf5(path, {.dataset = "/x", .reader = hurried});
        std::vector<double> row(static_cast<std::size_t>(series->channels()));
        series->read(series->rows() - 1, 1, row);
      });
    } else if (kind == 1) {
      outcomes.count([&] { io::load(path, hurried); });
    } else if (i % 16 < 4) {
      // The whole command, which has a minute's patience; mutants on which the reader hangs are
      // left to the trials above.
      if (outcomes.hung_last) continue;
      const std::vector<std::string> arguments =
          kind == 2 ? std::vector<std::string>{i % 32 < 16 ? "inspect" : "report", kNames[kind]}
                    : std::vector<std::string>{"resume", "-q", "--max-time", "0.1s", kNames[kind]};
      const Finished done = gaia::test::attempt(folder, arguments);
      INFO(arguments[0] << " ended with " << done.code << ": " << done.err);
      // A change may have hit numbers alone.
      CHECK((done.code == 0 || done.code == 2 || done.code == 3 || done.code == 75));
      ++codes[done.code];
      std::filesystem::remove(folder.path("result.html"));
    }
  }
  gaia::test::tell_row("HDF5 files with random changes", static_cast<std::size_t>(count),
                       std::to_string(outcomes.refused) + " readings refused, " +
                           std::to_string(outcomes.read) + " read, " +
                           std::to_string(outcomes.crashed) + " crashes and " +
                           std::to_string(outcomes.hung) +
                           " hangs of the reader, each an error; inspect, report and resume: " +
                           gaia::test::codes_text(codes));
}
