// SPDX-License-Identifier: MIT
#include "replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "../../core/error.h"
#include "../../core/text.h"
#include "../../core/version.h"
#include "../../io/output_files.h"
#include "../../io/pictures/pictures.h"
#include "../../io/same_file.h"
#include "apply.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

/// Whether a file, or a folder of pictures, is there.
bool is_input(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) || fs::is_directory(path, error);
}

/// The file of a new run, which does not outlive the comparison unless it is kept.
class NewResult {
 public:
  NewResult(std::string path, bool is_kept) : path_(std::move(path)), is_kept_(is_kept) {}
  ~NewResult() {
    if (is_kept_) return;
    discard(path_);
    discard(partial_path(path_));
    try {
      remove_leftovers(path_);
    } catch (...) {
      // What is left of a run that nobody asked to keep is in nobody's way.
    }
  }
  NewResult(const NewResult&) = delete;
  NewResult& operator=(const NewResult&) = delete;

  const std::string& path() const { return path_; }
  void keep() { is_kept_ = true; }

 private:
  std::string path_;
  bool is_kept_;
};

/// NAME.replay.h5 of NAME.h5.
std::string replay_path(const std::string& result) {
  fs::path path(result);
  return path.replace_extension(".replay.h5").string();
}

/// \throws OutputError for a run that has not ended well, ConfigError for what is no run.
void check_is_whole(const hdf5::File& file, const std::string& path) {
  if (!file.has_attribute("run_id") || !file.has_attribute("config")) {
    throw ConfigError(path +
                      ": expected the result of a run, got another file of gaia, or one of a "
                      "version that did not store what is needed; name a file that `gaia run`, "
                      "`sweep`, `search` or `apply` wrote");
  }
  const std::string status = file.text_attribute("status").value_or("");
  if (status == "complete") return;
  throw OutputError(fmt::format(
      "{}: expected a run that is complete, got one that is {}; `gaia resume` goes on with a run "
      "that was cut",
      path, status));
}

/// Which of the files that the run has read are gone.
std::vector<std::string> gone(const RunFacts& facts) {
  std::vector<std::string> missing;
  for (const std::string& input : facts.inputs) {
    if (!is_input(input)) missing.push_back(printable(input));
  }
  return missing;
}

constexpr const char* kWayOut =
    "put it back, name the folder that the experiment's paths begin in (--folder), or, of a run in "
    "Python, hand over its rows";

Experiment stored_experiment(const RunFacts& facts, const std::string& result,
                             const std::string& output, const ReplayOptions& options) {
  std::string file = facts.config_path;
  if (!options.folder.empty()) {
    const std::string name = fs::path(facts.config_file).filename().string();
    file = (fs::path(options.folder) / (name.empty() ? "experiment.yaml" : name)).string();
  }
  try {
    Experiment experiment =
        load_experiment_text(facts.config_text, file, {.output = output, .rows = options.rows});
    check_inputs(experiment, facts);
    // It stands in a file that nobody has asked for.
    experiment.file = facts.config_file;
    experiment.settings = facts.settings;
    experiment.member = facts.member;
    // Its lines and numbers are of the run that the user has asked to be told of.
    experiment.config.runtime.telemetry.reset();
    experiment.config.device = options.device.value_or(facts.device);
    if (experiment.config.device != "auto") {
      static_cast<void>(Device::from_name(experiment.config.device));
    }
    return experiment;
  } catch (const DeviceError&) {
    throw;
  } catch (const ConfigError& error) {
    const std::vector<std::string> missing =
        options.folder.empty() ? gone(facts) : std::vector<std::string>();
    if (!missing.empty()) {
      throw DataError(fmt::format("{}: the run has read {}, which is not there; {}", result,
                                  fmt::join(missing, ", "), kWayOut));
    }
    throw ConfigError(
        fmt::format("{}: the experiment in it cannot be run again:\n{}", result, error.what()));
  }
}

/// How `gaia apply` was called for a network's result.
ApplyOptions application(const hdf5::File& file, const RunFacts& facts, const std::string& result,
                         const std::string& output, const ReplayOptions& options) {
  const std::string from = file.text_attribute("applied_from").value_or("");
  std::vector<std::string> missing = gone(facts);
  if (!is_input(from)) missing.push_back(printable(from));
  if (!missing.empty()) {
    throw DataError(fmt::format("{}: was made of {}, which is not there; put it back", result,
                                fmt::join(missing, ", ")));
  }
  const auto check = [&](const std::string& path, const std::string& before) {
    const std::string now = io::sha256_of_input(path);
    if (now == before) return;
    throw DataError(fmt::format(
        "{}: is not the file that {} was made of (SHA-256 {}, was {}); put it back, or apply anew",
        path, result, now, before));
  };
  check(from, file.text_attribute("applied_from_sha256").value_or(""));
  for (std::size_t i = 0; i < std::min(facts.inputs.size(), facts.input_hashes.size()); ++i) {
    check(facts.inputs[i], facts.input_hashes[i]);
  }
  const DataConfig data = stored_config(file, result).data;
  ApplyOptions apply{.data = facts.inputs.front(),
                     .output = output,
                     .device = options.device.value_or(facts.device)};
  apply.steps = file.open_dataset("/test/prediction").shape().front();
  if (const auto* const table = std::get_if<FileConfig>(&data.source)) {
    apply.dataset = table->dataset;
    apply.columns = table->columns;
    apply.missing = table->missing;
    apply.decimal = table->decimal;
    apply.trusted = table->trusted;
  } else if (facts.inputs.size() > 1) {
    apply.labels = facts.inputs[1];
  }
  return apply;
}

/// What may make a difference of bits though the run is the same.
std::vector<std::string> notes_of(const hdf5::File& before, const hdf5::File& now) {
  std::vector<std::string> notes;
  const auto compare = [&](const char* name, const char* what) {
    const std::string a = before.text_attribute(name).value_or("");
    const std::string b = now.text_attribute(name).value_or("");
    if (a != b) {
      notes.push_back(
          fmt::format("{} {} made it, {} runs it again", what, printable(a), printable(b)));
    }
  };
  compare("gaia_version", "gaia");
  if (notes.empty()) compare("git_commit", "gaia at commit");
  compare("device", "the device");
  return notes;
}

}  // namespace

Replayed replay_result(const std::string& path, const ReplayOptions& options, const RunOptions& how,
                       const std::function<void(const Experiment&)>& begin) {
  const hdf5::File before = open_results(path);
  check_is_whole(before, path);
  Replayed made;
  made.result = path;
  const auto compare = [&](const std::string& file) {
    const hdf5::File now = open_results(file);
    check_is_whole(now, file);
    made.notes = notes_of(before, now);
    made.comparison = compare_results(before, now, options.tolerance);
  };
  if (!options.against.empty()) {
    compare(options.against);
    made.file = options.against;
    return made;
  }

  const RunFacts facts = stored_facts(before);
  const bool is_kept = !options.output.empty();
  const std::string output = is_kept ? options.output : replay_path(path);
  if (is_same_file(output, path)) {
    throw OutputError(output + " is the result that is run again; choose another --output");
  }
  std::error_code error;
  if (!is_kept && fs::exists(output, error)) {
    throw OutputError(output + " exists and would be in the way; choose an --output, or remove it");
  }
  RunOptions run_options = how;
  // What a replay that was killed has left gives way to the next.
  if (!is_kept) run_options.overwrite = true;
  const auto tell = [&](const Experiment& experiment) {
    if (begin) begin(experiment);
  };
  std::unique_ptr<RunSummary> summary;
  std::function<std::unique_ptr<RunSummary>()> run;
  std::optional<Experiment> experiment;
  if (before.has_attribute("applied_from")) {
    run = [&, apply = application(before, facts, path, output, options)] {
      const std::string from = before.text_attribute("applied_from").value_or("");
      return kind_of_result(from).apply(from, apply, run_options, tell);
    };
  } else {
    experiment = stored_experiment(facts, path, output, options);
    tell(*experiment);
    run = [&] { return run_experiment(*experiment, run_options); };
  }
  NewResult file(output, is_kept);
  try {
    summary = run();
  } catch (const LockedError&) {
    file.keep();  // it is another's, who is writing it
    throw;
  }
  made.status = summary->status;
  made.steps_done = summary->steps_done;
  made.steps = summary->steps;
  if (made.status != RunStatus::complete) return made;
  compare(file.path());
  if (is_kept) made.file = output;
  return made;
}

std::string Replayed::text() const {
  if (status != RunStatus::complete) {
    return fmt::format("{}: interrupted after {} of {}; nothing was compared\n", result,
                       grouped(steps_done), grouped(steps));
  }
  std::string text;
  const std::string compared = fmt::format(
      "{} datasets{}", comparison.datasets,
      comparison.attributes == 0 ? std::string()
                                 : fmt::format(" and {} attributes", comparison.attributes));
  if (is_equal()) {
    return fmt::format(
        "equal    {}: {}{}\n", result, compared,
        comparison.largest == 0.0
            ? std::string()
            : fmt::format(", at most {:.3g} of the largest number apart", comparison.largest));
  }
  for (const std::string& note : notes) text += "note     " + note + "\n";
  std::vector<const ResultDifference*> order;
  for (const ResultDifference& one : comparison.differences) order.push_back(&one);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->relative > b->relative; });
  constexpr std::size_t most = 20;
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
    const ResultDifference& one = *order[i];
    text += fmt::format("differs  {}{}{} {}\n", one.path, one.attribute.empty() ? "" : "@",
                        one.attribute, one.text);
  }
  if (order.size() > most) text += fmt::format("         and {} more\n", order.size() - most);
  return text + fmt::format("differs  {}: {} of {}\n", result, order.size(), compared);
}

}  // namespace gaia
