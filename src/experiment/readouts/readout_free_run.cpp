// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <utility>

#include "../../array/create.h"
#include "../../layers/hierarchy/temporal.h"
#include "free_reader.h"
#include "readout.h"

namespace gaia {
namespace {

double largest_of(DType dtype) {
  return dtype == DType::float32 ? static_cast<double>(std::numeric_limits<float>::max())
                                 : std::numeric_limits<double>::max();
}

/// What layers read that are fed back what a readout has said.
TickSignals signals_of(const std::string& readout, std::span<const double> said) {
  const GPUContext on_host(Device::cpu());
  TickSignals signals;
  for (std::size_t k = 0; k < said.size(); ++k) {
    signals[feedback_signal(readout, static_cast<std::int64_t>(k))] =
        from_values(std::vector<double>{said[k]}, {1});
  }
  return signals;
}

}  // namespace

void Readout::watch(const ReadoutRows& rows, const HierarchyBlock& block,
                    const SampleReader& samples) {
  const std::int64_t width = reader_.targets();
  const std::int64_t first = samples.trial().first_step + block.first_step;
  std::vector<double> came(static_cast<std::size_t>(block.steps * width));
  for (std::int64_t k = 0; k < width; ++k) {
    const std::vector<double> values =
        samples.target(config_.target, static_cast<std::size_t>(k), first, block.steps);
    for (std::int64_t i = 0; i < block.steps; ++i) {
      came[static_cast<std::size_t>(i * width + k)] = values[static_cast<std::size_t>(i)];
    }
  }
  free_run_->see(first, came);
  if (!starts_at(first + block.steps) || rows.count() == 0) return;
  before_free_run_ = rows.part(rows.count() - 1, rows.count());
}

void Readout::run_free(std::int64_t step, FreeReader& reader, const Array& newest,
                       const SampleReader& samples) {
  ReadoutRows row = std::exchange(before_free_run_, {});
  if (row.count() == 0) return;
  const ReadoutReader::Held held = reader_.held();
  std::vector<double> sample = newest.to_vector<double>();
  const auto channels = static_cast<std::ptrdiff_t>(config_.target.indices.size());
  std::vector<double> room;
  const auto say = [&](std::span<const double> said) {
    if (!said.empty()) {
      std::copy(sample.begin() + channels, sample.end(), sample.begin());
      for (std::size_t k = 0; k < said.size(); ++k) {
        *(sample.end() - channels + config_.target.indices[k]) = said[k];
      }
      const Array x = from_values(sample, {1, std::ssize(sample)}).astype(newest.dtype());
      if (config_.feeds_back) reader.hear(signals_of(config_.name, said));
      row.features = reader_.read_alone(reader.read(x), x, samples);
      row.baseline.assign(said.begin(), said.end());
    }
    return model_->predict(read_by_model(row, 0, 1, room));
  };
  free_run_->go_on(step, largest_of(newest.dtype()), say);
  reader_.hold(held);  // the run goes on where it was
}

}  // namespace gaia
