// SPDX-License-Identifier: MIT
#include "recover.h"

#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "../../core/error.h"
#include "../../core/text.h"
#include "../../io/foreign_hdf5/hdf5_contents.h"
#include "../../io/output_files.h"
#include "../../io/same_file.h"
#include "../config/experiment_kind.h"
#include "results_parts.h"
#include "results_rows.h"

namespace gaia {
namespace {

/// Groups within groups; more is a cycle or a prank.
constexpr int kDeepestGroup = 16;

/// Copies a tree of groups, and what makes coordinates of its datasets.
class Copier {
 public:
  Copier(const hdf5::File& from, hdf5::File& to, std::int64_t steps)
      : from_(from), to_(to), done_(steps_done(from, steps)), contents_(hdf5::contents_of(from)) {}

  void run() {
    copy(from_, to_, 0);
    // All coordinates are there now.
    for (Copy& copy : copies_) {
      if (copy.coordinate) continue;
      for (std::size_t axis = 0; axis < copy.scales.size(); ++axis) {
        const auto& scale = copy.scales[axis];
        const auto found = scale ? paths_.find(*scale) : paths_.end();
        if (found == paths_.end()) continue;
        copy.dataset.attach_scale(static_cast<int>(axis), to_.open_dataset(found->second));
      }
    }
  }

 private:
  struct Copy {
    hdf5::Dataset dataset;
    bool coordinate;
    std::vector<std::optional<std::uint64_t>> scales;  // places where they were, by axis
  };

  void copy(const hdf5::Group& from, hdf5::Group& to, int depth) {
    if (depth > kDeepestGroup) {
      throw DataError(from.place().file + ": expected groups within groups less deep");
    }
    to.take_attributes(from);
    const std::vector<std::string> names = from.datasets();
    for (const std::string& name : names) (void)has_numbers(from.open_dataset(name));
    const std::int64_t rows = rows_within(from, done_);
    for (const std::string& name : names) {
      const hdf5::Dataset source = from.open_dataset(name);
      if (const auto known = paths_.find(source.address()); known != paths_.end()) {
        to.link(name, known->second);
        continue;
      }
      hdf5::Dataset made = to.create_like(name, source);
      made.take_attributes(source);
      if (has_numbers(source)) {
        if (made.can_grow() && is_made_at_end(name) && source.shape().front() < rows) {
          made.resize(rows);
        } else if (made.can_grow()) {
          take_rows(made, source, rows);
        } else {
          take_whole(made, source);
        }
      }
      const auto coordinate = source.scale_name();
      if (coordinate) made.make_scale(*coordinate);
      paths_[source.address()] = source.place().path;
      copies_.push_back({std::move(made), coordinate.has_value(), source.scale_addresses()});
    }
    for (const std::string& name : from.groups()) {
      hdf5::Group made = to.create_group(name);
      copy(from.open_group(name), made, depth + 1);
    }
  }

  /// Whether a series is computed when the run is over, as smoothers do: a run that was cut has
  /// none, and NaN stands there.
  static bool is_made_at_end(const std::string& name) {
    return name == "smoothed" || name == "smoothed_covariance";
  }

  /// Whether there is something to copy.  What a run that was cut has not written yet, as its last
  /// weights, claims room and takes none.  \throws DataError for a claim that cannot be true.
  bool has_numbers(const hdf5::Dataset& source) const {
    const hdf5::DatasetDescription* const found = contents_.dataset(source.place().path);
    if (found == nullptr || found->type == hdf5::Type::other || found->refusal.empty()) return true;
    if (found->stored_bytes == 0 && !source.can_grow()) return false;
    throw DataError(from_.place().file + ": " + printable(found->path) + ": " + found->refusal);
  }

  const hdf5::File& from_;
  hdf5::File& to_;
  StepsDone done_;
  hdf5::Contents contents_;
  std::vector<Copy> copies_;
  std::map<std::uint64_t, std::string> paths_;  // paths of what was copied, by where it was
};

std::string default_output(const std::string& path) {
  std::filesystem::path name(path);
  if (name.extension() == ".partial") name.replace_extension();
  name.replace_extension(".recovered.h5");
  return name.string();
}

}  // namespace

Recovered recover_results(const std::string& path, const RecoverOptions& options) {
  const hdf5::File from = open_results(path);
  const std::int64_t steps =
      from.open_dataset("/status/committed_steps").read<std::int64_t>().front();
  const std::string output = options.output.empty() ? default_output(path) : options.output;
  if (is_same_file(output, path)) {
    throw OutputError(output + " is what is to be recovered; choose another --output");
  }
  if (is_same_file(partial_path(output), path)) {
    throw OutputError(output +
                      " is where the run goes on that is to be recovered; choose another --output");
  }
  const auto lock = claim_output(output, options.overwrite);
  const std::string partial = partial_path(output);
  try {
    hdf5::File to = hdf5::File::create(partial, output);
    Copier(from, to, steps).run();
    to.set_attribute("recovered_from", path);
    to.set_attribute("steps_done", steps);
    if (to.text_attribute("status") == "running") {
      to.set_attribute("status", to_string(RunStatus::interrupted));
    }
    to.open_dataset("/status/committed_steps").write<std::int64_t>({&steps, 1});
    to.close();
    publish(partial, output);
  } catch (...) {
    discard(partial);
    throw;
  }
  return {.file = output,
          .steps = steps,
          .steps_asked = from.integer_attribute("steps").value_or(steps),
          .unit = kind_of_results([&](const std::string& group) {
                    return from.has_group(group);
                  }).unit()};
}

}  // namespace gaia
