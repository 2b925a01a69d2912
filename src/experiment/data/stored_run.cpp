// SPDX-License-Identifier: MIT
#include "stored_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../core/error.h"
#include "schema_version.h"
#include "whitened_series.h"

namespace gaia {
namespace {

constexpr std::int64_t kMostChannels = 1 << 24;

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Scaling scaling_of(hdf5::Reader& reader, const std::string& file) {
  const hdf5::DatasetDescription* scale = reader.contents().dataset("/data/scale");
  if (scale == nullptr || scale->shape.size() != 1 || scale->shape.front() > kMostChannels) {
    return {};
  }
  return {numbers_at(reader, file, "/data/mean", scale->shape),
          numbers_at(reader, file, "/data/scale", scale->shape)};
}

std::vector<double> fill_of(hdf5::Reader& reader, const std::string& file) {
  const hdf5::DatasetDescription* fill = reader.contents().dataset("/data/fill");
  if (fill == nullptr || fill->shape.size() != 1 || fill->shape.front() > kMostChannels) return {};
  return numbers_at(reader, file, "/data/fill", fill->shape);
}

Whitening stored_whitening(hdf5::Reader& reader, const std::string& file) {
  const hdf5::DatasetDescription* mean = reader.contents().dataset("/data/whitening/mean");
  if (mean == nullptr || mean->shape.size() != 1 || mean->shape.front() > kWidestWhitened)
    return {};
  const std::int64_t pixels = mean->shape.front();
  return {numbers_at(reader, file, "/data/whitening/mean", {pixels}),
          numbers_at(reader, file, "/data/whitening/matrix", {pixels, pixels})};
}

}  // namespace

std::vector<double> numbers_at(hdf5::Reader& reader, const std::string& file,
                               const std::string& path, const std::vector<std::int64_t>& shape) {
  const hdf5::DatasetDescription* dataset = reader.contents().dataset(path);
  if (dataset == nullptr) throw DataError(fmt::format("{}: has no {}", file, path));
  if (dataset->shape != shape) {
    throw DataError(fmt::format("{}: {}: expected shape {}, got {}", file, path, shape_text(shape),
                                shape_text(dataset->shape)));
  }
  std::size_t count = 1;
  for (const std::int64_t length : shape) count *= static_cast<std::size_t>(length);
  std::vector<double> numbers(count);
  reader.read_rows(*dataset, 0, shape.empty() ? 1 : shape.front(), numbers.data());
  if (!std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); })) {
    throw DataError(fmt::format(
        "{}: {} is not finite: its run diverged, or did not live to write it", file, path));
  }
  return numbers;
}

std::shared_ptr<const StoredRun> open_stored_run(const std::string& path) {
  const std::unique_ptr<hdf5::Reader> reader = hdf5::open_reader(path);
  check_schema(reader->contents().root().integer("schema_version"), path);
  StoredRun run{.path = path,
                .run_id = reader->contents().root().text("run_id").value_or(""),
                .contents = reader->contents(),
                .scaling = scaling_of(*reader, path),
                .fill = fill_of(*reader, path),
                .whitening = stored_whitening(*reader, path)};
  return std::make_shared<const StoredRun>(std::move(run));
}

bool reads_same_data(const std::vector<std::string>& hashes, const StoredRun& run) {
  auto stored = run.contents.root().texts("input_sha256").value_or(std::vector<std::string>());
  // A list of one text is read as a text.
  if (const auto one = run.contents.root().text("input_sha256")) stored.push_back(*one);
  // The results file that a run begins with is no data of its own.
  const hdf5::Description* const levels = run.contents.group("/levels");
  const std::string from = levels == nullptr ? "" : levels->text("from_sha256").value_or("");
  return std::any_of(hashes.begin(), hashes.end(), [&](const std::string& hash) {
    return hash != from && !hash.empty() &&
           std::find(stored.begin(), stored.end(), hash) != stored.end();
  });
}

}  // namespace gaia
