// SPDX-License-Identifier: MIT
#include "../../../src/experiment/results/recover.h"

#include <cmath>

#include "../../../src/core/error.h"
#include "../../../src/experiment/run/resume.h"
#include "../../../src/io/foreign_hdf5/hdf5_contents.h"
#include "../../../src/io/sha256.h"
#include "../cuts.h"
#include "../minimal.h"

using namespace gaia;
using namespace gaia::test;

namespace fs = std::filesystem;

namespace {

/// Rows of the first axis of a recovered dataset that are the first ones of the whole.
bool begins_like(const std::vector<double>& part, const std::vector<double>& whole) {
  return part.size() <= whole.size() &&
         same_bits(part, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(part.size())});
}

/// Whether it is found out when a run ends, and is not in the file of one that did not: what chance
/// explains, neurons that never answer, what was noticed of a level or readout, what a control is
/// called, scores along the stream.
bool is_of_end(const std::string& name) {
  return name.ends_with("_without_block") || name == "block" || name.ends_with("/block") ||
         name.ends_with("_neurons") || name == "noticed" || name == "title" || name == "windows" ||
         name.find("/windows/") != std::string::npos;
}

/// What of a file is there before its run ends.
Datasets without_end(Datasets all) {
  std::erase_if(all, [](const auto& one) { return is_of_end(one.first); });
  return all;
}

/// Names of attributes that are there before the run ends.
std::vector<std::string> names_before_end(const hdf5::Group& group) {
  std::vector<std::string> names = group.attribute_names();
  std::erase_if(names, is_of_end);
  return names;
}

/// Whether a group and those below have the same attributes and coordinates in both files.
void check_same_descriptions(const hdf5::Group& expected, const hdf5::Group& got) {
  for (const std::string& name : expected.datasets()) {
    if (is_of_end(name)) continue;
    const hdf5::Dataset a = expected.open_dataset(name);
    const hdf5::Dataset b = got.open_dataset(name);
    INFO(a.place().path);
    CHECK(a.type() == b.type());
    CHECK(a.scales() == b.scales());
    CHECK(a.scale_name() == b.scale_name());
    CHECK(a.can_grow() == b.can_grow());
    for (const char* const attribute : {"long_name", "units", "coordinates"}) {
      CHECK(a.text_attribute(attribute) == b.text_attribute(attribute));
    }
  }
  for (const std::string& name : expected.groups()) {
    if (is_of_end(name)) continue;
    const hdf5::Group a = expected.open_group(name);
    const hdf5::Group b = got.open_group(name);
    INFO(a.place().path);
    CHECK(names_before_end(a) == b.attribute_names());
    CHECK(a.texts_attribute("axes") == b.texts_attribute("axes"));
    check_same_descriptions(a, b);
  }
}

}  // namespace

TEST_CASE("every committed row of a killed run is brought into a clean file") {
  const Cuts cuts(everything("bcm", "concat"));
  cuts.run_with_kills("uncut", {90, 360, 555});
  const Datasets uncut = datasets_of(cuts.result("uncut"));
  for (const std::int64_t step : {90, 360, 555}) {
    INFO("killed after step " << step);
    const std::string partial = cuts.result(std::to_string(step)) + ".partial";
    const std::string before = sha256_of_file(partial);
    const Recovered saved = recover_results(partial);
    CHECK(sha256_of_file(partial) == before);
    CHECK(saved.file == cuts.folder().path(std::to_string(step) + "/r.recovered.h5"));
    CHECK(saved.steps_asked == gaia::test::kSteps);
    CHECK(saved.unit == std::string("steps"));
    // Rows are committed a quarter of a second apart, and with every checkpoint.
    CHECK(saved.steps <= step);
    CHECK(saved.steps >= step / 37 * 37);

    const Datasets clean = datasets_of(saved.file);
    CHECK(clean.size() == without_end(uncut).size());
    const auto rows = static_cast<std::size_t>(saved.steps);
    CHECK(clean.at("/levels/0/representation").size() == rows * 5);
    CHECK(clean.at("/levels/1/representation").size() == (rows + 2) / 3 * 4);
    CHECK(clean.at("/levels/2/time").size() == (rows + 6) / 7);
    CHECK(clean.at("/levels/1/layers/1/history/step").size() == rows / 90 + 1);
    CHECK(clean.at("/data/samples").size() == rows * 9);
    CHECK(clean.at("/metrics/step").back() == static_cast<double>(rows));
    for (const auto& [path, values] : clean) {
      const bool is_series =
          path.find("/levels/") == 0 && (path.find("representation") != std::string::npos ||
                                         path.find("/step") != std::string::npos ||
                                         path.find("/history/weights") != std::string::npos ||
                                         path.find("weights_initial") != std::string::npos);
      // What readouts have found is there once their training part is over, of folds at the end.
      const bool is_solution = path.ends_with("/weights") || path.ends_with("/intercept") ||
                               path.ends_with("/target_mean");
      const bool is_missing = is_solution && std::isnan(values.front());
      if (is_solution && path.find("/readouts/") == 0) {
        const bool has_folds = path.find("/three/") != std::string::npos;
        const std::int64_t trained = path.find("/one/") != std::string::npos ? 417 : 180;
        CHECK(is_missing == (has_folds || step < trained));
      }
      const bool is_other = (path.find("/readouts/") == 0 && !is_missing) ||
                            path.find("/data/") == 0 ||
                            (path.find("/metrics/") == 0 && !gaia::test::is_speed(path));
      INFO(path);
      if (is_series || is_other) CHECK(begins_like(values, uncut.at(path)));
    }
    const hdf5::File file = hdf5::File::open(saved.file);
    CHECK(file.text_attribute("status") == "interrupted");
    CHECK(file.integer_attribute("steps_done") == saved.steps);
    CHECK(file.text_attribute("recovered_from") == partial);
    CHECK(file.open_dataset("/status/committed_steps").read<std::int64_t>().front() == saved.steps);
    const auto uncut_file = hdf5::File::open(cuts.result("uncut"));
    check_same_descriptions(uncut_file, file);
    const hdf5::Contents contents = hdf5::contents_of(file);
    for (const hdf5::DatasetDescription& expected : hdf5::contents_of(uncut_file).datasets) {
      if (is_of_end(expected.path)) continue;
      INFO(expected.path);
      CHECK(contents.dataset(expected.path)->scales == expected.scales);
    }
  }
}

TEST_CASE("a run that is alive, complete or without checkpoints is recovered too") {
  const Cuts cuts(kMinimal + "checkpoint: {minutes: 0}\n");
  const gaia::test::Threads one(1);  // of several one would use HDF5 meanwhile
  const std::string alive =
      fs::path(cuts.result("r")).replace_filename("alive.h5.partial").string();
  RunOptions options;
  std::int64_t saved_alive = 0;
  options.on_progress = [&](const Progress& progress) {
    if (progress.steps_done < 300) {
      // Another process sees it so: within one, HDF5 takes a file for what it knows of it.
      fs::copy_file(cuts.result("r") + ".partial", alive);
      saved_alive = recover_results(alive).steps;
      fs::remove(alive);
    }
  };
  cuts.run("r", options);
  CHECK(saved_alive == 256);
  const Recovered whole = recover_results(cuts.result("r"), {.output = cuts.result("copy")});
  CHECK(whole.steps == 300);
  gaia::test::check_same_datasets(datasets_of(cuts.result("r")), datasets_of(whole.file));
  CHECK(hdf5::File::open(whole.file).text_attribute("status") == "complete");
}

TEST_CASE("what cannot be recovered is refused, and nothing is replaced silently") {
  const Cuts cuts(kMinimal);
  cuts.run("r");
  const std::string result = cuts.result("r");
  CHECK_THROWS_WITH_TEXT(recover_results(cuts.result("none")), ConfigError, "no such file");
  CHECK_THROWS_WITH_TEXT(recover_results(cuts.folder().write("t.h5", "text")), DataError,
                         "cannot open (HDF5: file signature not");
  hdf5::File::create(cuts.folder().path("other.h5")).close();
  CHECK_THROWS_WITH_TEXT(recover_results(cuts.folder().path("other.h5")), DataError,
                         "is not a results file of gaia");
  CHECK_THROWS_WITH_TEXT(recover_results(result, {.output = result, .overwrite = true}),
                         OutputError, "is what is to be recovered");
  const std::string there = cuts.folder().write("there.h5", "mine");
  CHECK_THROWS_WITH_TEXT(recover_results(result, {.output = there}), OutputError,
                         "exists; use --overwrite");
  CHECK(fs::file_size(there) == 4);
  CHECK(recover_results(result, {.output = there, .overwrite = true}).steps == 300);
  CHECK(hdf5::File::open(there).text_attribute("experiment") == "minimal");
}

TEST_CASE("a dataset that claims what it does not have fills no disk when it is recovered") {
  const Cuts cuts(kMinimal);
  const auto with = [&](const char* name, const hdf5::Layout& layout) {
    cuts.run(name);
    hdf5::File file = hdf5::File::modify(cuts.result(name));
    hdf5::Group level = file.open_group("levels").open_group("0");
    level.create_dataset("lie", layout);
    file.close();
    return cuts.result(name);
  };
  // These are the last weights of a run that was cut: laid out, and never written.
  const std::string unwritten =
      with("unwritten", {.shape = {1 << 14, 1 << 14}, .chunk = {64, 1024}});
  const Recovered saved = recover_results(unwritten);
  CHECK(fs::file_size(saved.file) < 2 * fs::file_size(unwritten));
  CHECK(hdf5::File::open(saved.file).open_dataset("/levels/0/lie").shape() ==
        std::vector<std::int64_t>{1 << 14, 1 << 14});
  // Rows that grow are written as they come.
  const std::string rows =
      with("rows", {.shape = {std::int64_t{1} << 31}, .chunk = {1 << 14}, .can_grow = true});
  CHECK_THROWS_WITH_TEXT(recover_results(rows, {.output = cuts.folder().path("out.h5")}), DataError,
                         "/levels/0/lie: claims 17179869184 bytes");
  CHECK_FALSE(fs::exists(cuts.folder().path("out.h5")));
}

TEST_CASE("what is recovered takes no resumable run's place, and is not taken for complete") {
  const Cuts cuts(kMinimal + "checkpoint: {every: 60}\n");
  cuts.run_with_kills("uncut", {180});
  const std::string partial = cuts.result("180") + ".partial";
  CHECK_THROWS_WITH_TEXT(
      recover_results(partial, {.output = cuts.result("180"), .overwrite = true}), OutputError,
      "is where the run goes on that is to be recovered");
  CHECK(fs::exists(partial));
  const Recovered saved = recover_results(partial);
  CHECK_THROWS_WITH_TEXT(open_cut_run(saved.file), OutputError,
                         "is interrupted after " + std::to_string(saved.steps) + " of 300 steps");
  CHECK(open_cut_run(cuts.result("180")).has_value());
}
