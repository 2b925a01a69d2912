// SPDX-License-Identifier: MIT
#include "summary.h"

#include <fmt/format.h>

#include <filesystem>

#include "../../core/parallel.h"
#include "../../core/text.h"
#include "../../core/version.h"
#include "../setup/filled_values.h"

namespace gaia {
namespace {

std::string data_line(const Experiment& experiment) {
  if (experiment.images) {
    const Shape& shape = experiment.images->train_images.shape();
    return fmt::format("{}  {} + {} images of {} x {}", experiment.data_path,
                       grouped(experiment.images->train_labels.size()),
                       grouped(experiment.images->test_labels.size()), shape[shape.rank() - 2],
                       shape.back());
  }
  const Series& series = *experiment.series;
  std::string text =
      experiment.data_path.empty() ? source_name(experiment.config.data) : experiment.data_path;
  text += fmt::format("  {} rows x {} channel{}", grouped(series.rows()), series.channels(),
                      series.channels() == 1 ? "" : "s");
  if (const auto rate = experiment.config.data.rate_of_rows()) {
    text += fmt::format("  {:g} Hz  {}", *rate,
                        duration_text(static_cast<double>(series.rows()) / *rate));
  }
  return text;
}

/// What of the data is filled, "missing  held: 'flow' 12.3 % ..."; empty where nothing is.
std::string filled_line(const Experiment& experiment) {
  const FilledValues filled = filled_values(experiment);
  if (!filled.any()) return {};
  return fmt::format("missing  {}: {}\n",
                     filled.policy == MissingPolicy::hold   ? "held"
                     : filled.policy == MissingPolicy::keep ? "kept"
                                                            : "interpolated",
                     filled_text(filled));
}

}  // namespace

std::string opening_text(const Experiment& experiment) {
  const ExperimentConfig& config = experiment.config;
  return fmt::format(
      "gaia {} ({})  {}, {} thread{}\n"
      "config   {}  {}, seed {}, {}\n{}",
      version(), git_commit(), config.device == "auto" ? "device auto" : config.device,
      num_threads(), num_threads() == 1 ? "" : "s", experiment.file, config.experiment, config.seed,
      to_string(config.dtype), config.kind->opening_lines(experiment));
}

std::string data_lines(const Experiment& experiment) {
  return fmt::format("data     {}\n{}", data_line(experiment), filled_line(experiment));
}

std::string scores_text(const std::string& what, const std::string& whose, const Score& score,
                        const std::string& undefined, const std::vector<Score>& baselines,
                        const std::string& more, const std::vector<std::string>& doubts,
                        const std::vector<std::string>& remarks) {
  if (!undefined.empty()) return fmt::format("{} not defined: {}{}\n", what, undefined, more);
  std::string beside;
  for (const Score& baseline : baselines) {
    beside +=
        fmt::format("{}{}: {}", beside.empty() ? "" : "; ", baseline.name, score_text(baseline));
  }
  std::string text = fmt::format("{} {}   ({}){}\n", what, score_text(score), beside, more);
  const Verdict verdict = verdict_of(score, baselines, doubts, remarks);
  if (verdict.text.empty()) return text;
  const bool is_bad = verdict.standing == Verdict::Standing::bad;
  // "readout next of channel 0 is beaten by", "readout next of channel 0: learning gains"
  const char* const after =
      verdict.text.starts_with("learning") || verdict.text.starts_with("the ") ? ":" : "";
  return text +
         fmt::format("{}  {}{} {}\n", is_bad ? "warning" : "verdict", whose, after, verdict.text);
}

Fields fields_of(const Score& score) {
  return {{"name", score.name},
          {"measure", score.measure},
          {"value", score.value},
          {"error", score.error}};
}

std::string seed_line(bool has_scores, const std::string& one_seed) {
  return has_scores && !one_seed.empty() ? fmt::format("         {}\n", one_seed) : "";
}

std::string file_lines(const std::string& file, bool with_size) {
  std::error_code error;
  const auto bytes = static_cast<double>(std::filesystem::file_size(file, error));
  const std::string size = error || !with_size ? "" : " (" + bytes_text(bytes) + ")";
  return fmt::format("file     {0}{1}\nnext     gaia report {0}\n         gaia inspect {0}\n", file,
                     size);
}

std::string xarray_line(const std::string& file, const char* group) {
  return fmt::format(
      "         python3 -c \"import xarray as xr; print(xr.open_dataset('{}', "
      "engine='h5netcdf', group='{}'))\"\n",
      file, group);
}

}  // namespace gaia
