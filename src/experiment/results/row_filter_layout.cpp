// SPDX-License-Identifier: MIT
#include "row_filter_layout.h"

#include "../data/row_filter.h"
#include "results_parts.h"

namespace gaia {
namespace {

void write_sections(hdf5::Group& group, const std::vector<SosSection>& sections) {
  const auto count = static_cast<std::int64_t>(sections.size());
  std::vector<double> numbers;
  for (const SosSection& s : sections) {
    numbers.insert(numbers.end(), {s.b0, s.b1, s.b2, 1.0, s.a1, s.a2});
  }
  hdf5::Dataset sos =
      group.create_dataset("sos", {.type = hdf5::Type::float64, .shape = {count, 6}});
  sos.write<double>(numbers);
  describe(sos, "sections of second order, b0 b1 b2 a0 a1 a2");
  const std::vector<double> steady = steady_state(sections);
  hdf5::Dataset start =
      group.create_dataset("start", {.type = hdf5::Type::float64, .shape = {count, 2}});
  start.write<double>(steady);
  describe(start, "state at the start of a trial, in first values");
}

}  // namespace

void write_row_filter(hdf5::Group& data, const DataConfig& config) {
  if (!RowFilter::is_needed(config)) return;
  const RowFilter filter(config, 1);
  if (config.filter.is_on) {
    hdf5::Group group = data.create_group("filter");
    group.set_attribute("source_rate", config.sample_rate.value_or(1.0));
    write_sections(group, filter.sections());
  }
  if (config.resample.by == ResampleConfig::By::none) return;
  hdf5::Group group = data.create_group("resample");
  group.set_attribute("spacing", filter.kept().spacing());
  if (!filter.antialias().empty()) write_sections(group, filter.antialias());
}

}  // namespace gaia
