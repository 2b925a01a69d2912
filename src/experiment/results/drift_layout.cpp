// SPDX-License-Identifier: MIT
#include "drift_layout.h"

#include <string>
#include <variant>

#include "results_parts.h"

namespace gaia {
namespace {

/// A dataset over steps.
template <class T>
hdf5::Dataset write_over(hdf5::Group& group, const char* name, const std::vector<T>& values,
                         const char* long_name, const hdf5::Dataset& scale,
                         const char* units = "1") {
  constexpr hdf5::Type type = std::is_same_v<T, double> ? hdf5::Type::float64 : hdf5::Type::int64;
  hdf5::Dataset dataset = group.create_dataset(name, {.type = type, .shape = {std::ssize(values)}});
  dataset.template write<T>(values);
  describe(dataset, long_name, units);
  dataset.attach_scale(0, scale);
  return dataset;
}

hdf5::Dataset write_scale(hdf5::Group& group, const char* name,
                          const std::vector<std::int64_t>& values, const char* long_name) {
  hdf5::Dataset dataset =
      group.create_dataset(name, {.type = hdf5::Type::int64, .shape = {std::ssize(values)}});
  dataset.write<std::int64_t>(values);
  describe(dataset, long_name);
  dataset.make_scale(name);
  return dataset;
}

void write_one(hdf5::Group& group, const Drift& drift) {
  const DriftRecord& record = drift.record();
  const std::string kind =
      std::visit([](const auto& one) { return std::string(one.name); }, drift.config().kind);
  group.set_attribute("kind", kind);
  group.set_attribute("from", drift.config().from);
  group.set_attribute("to", drift.config().to);
  const hdf5::Dataset step =
      write_scale(group, "step", record.step,
                  "step, counted through all epochs, before whose sample is read it happens");
  if (!record.angle.empty()) {
    const hdf5::Dataset pair = make_index(group, "pair", std::ssize(record.a), "pair of channels");
    write_over(group, "a", record.a, "first channel of the pair", pair);
    write_over(group, "b", record.b, "second channel of the pair", pair);
    write_over(group, "angle", record.angle, "angle by which pairs have turned", step, "degree");
    return;
  }
  if (!record.a.empty()) {
    write_over(group, "a", record.a, "input of level 0 whose wire goes to b", step);
    write_over(group, "b", record.b, "input of level 0 whose wire goes to a", step);
    return;
  }
  if (record.value.empty()) {
    write_over(group, "channel", record.channel, "channel that becomes 0", step);
    return;
  }
  const hdf5::Dataset channel =
      write_scale(group, "channel", record.channel, "channel that changes");
  const auto width = std::ssize(record.channel);
  hdf5::Dataset value = group.create_dataset(
      "value", {.type = hdf5::Type::float64, .shape = {std::ssize(record.value), width}});
  std::vector<double> all;
  for (const std::vector<double>& row : record.value) all.insert(all.end(), row.begin(), row.end());
  value.write<double>(all);
  describe(value, kind == "gain"     ? "factor of the channel"
                  : kind == "offset" ? "addend of the channel"
                                     : "standard deviation of the noise");
  value.attach_scale(0, step);
  value.attach_scale(1, channel);
}

}  // namespace

void write_drifts(hdf5::Group& data, const std::vector<Drift>& drifts) {
  if (drifts.empty()) return;
  hdf5::Group all = data.create_group("drift");
  for (std::size_t i = 0; i < drifts.size(); ++i) {
    hdf5::Group group = all.create_group(std::to_string(i));
    write_one(group, drifts[i]);
  }
}

}  // namespace gaia
