// SPDX-License-Identifier: MIT
/// \file
/// Every case of conformance/vectors.h5, numbers of plain loops that share nothing with gaia, by
/// the library's layers: on the CPU chunkwise and one tick at a time, and on the emulated GPU.
/// (conformance/run.py does the same with the program.)
#include <algorithm>
#include <functional>

#include "../../src/array/create.h"
#include "../../src/io/hdf5.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"
#include "../support/log_capture.h"

namespace gaia::test {
namespace {

using Numbers = std::vector<double>;

/// A case of the file, and the layer that it asks for.
class Case {
 public:
  Case(const hdf5::Group& group, DType dtype, Executor executor)
      : group_(group), dtype_(dtype), executor_(executor) {
    const hdf5::Dataset x = group.open_dataset("x");
    std::vector<std::int64_t> shape = x.shape();
    if (shape.size() == 2) shape.insert(shape.begin(), 1);
    x_ = from_values(x.read<double>(), {shape[0], shape[1], shape[2]});
    const hdf5::Dataset weights = group.open_dataset("weights_initial");
    weights_ = from_values(weights.read<double>(), {weights.shape()[0], weights.shape()[1]});
    read_signals();
  }

  /// The largest difference from the expected numbers, relative to the largest of its dataset.
  double distance() const {
    HebbianLayer layer(weights_.shape(1), weights_.shape(0), options());
    layer.set_weights(weights_.astype(dtype_));
    const hdf5::Group expected = group_.open_group("expected");
    const std::vector<std::int64_t> kept = expected.open_dataset("ticks").read<std::int64_t>();
    std::map<std::string, Numbers> found;
    std::vector<Array> answers;
    std::int64_t first = 0;
    for (const std::int64_t end : ends(kept)) {
      if (begins_trial(first) && first > 0) layer.reset_state();
      layer.read_signals(signals_between(first, end));
      const Array x = x_.slice(1, first, end).contiguous().astype(dtype_).to(current_device());
      answers.push_back(layer.process(x, first < integer("learning_ticks")).to(Device::cpu()));
      first = end;
      if (std::find(kept.begin(), kept.end(), end) != kept.end()) add_state(layer, found);
    }
    found["y"] = together(answers);
    double worst = 0.0;
    for (const auto& [name, values] : found) worst = std::max(worst, difference(name, values));
    return worst;
  }

 private:
  std::int64_t integer(const char* name) const { return group_.integer_attribute(name).value(); }
  std::string text(const char* name) const { return group_.text_attribute(name).value(); }

  /// Attributes whose names begin with `prefix`, which is cut off.
  void each_named(const std::string& prefix,
                  const std::function<void(const std::string&, const std::string&)>& f) const {
    for (const std::string& name : group_.attribute_names()) {
      if (name.starts_with(prefix) && name != "memory_across_trials") {
        f(name.substr(prefix.size()), name);
      }
    }
  }

  HebbianOptions options() const {
    EquationRuleOptions rule;
    each_named("parameter_", [&](const std::string& name, const std::string& attribute) {
      rule.parameters.emplace_back(name, group_.number_attribute(attribute).value());
    });
    each_named("memory_", [&](const std::string& name, const std::string& attribute) {
      rule.memory.emplace_back(name, group_.number_attribute(attribute).value());
    });
    each_named("trace_", [&](const std::string& name, const std::string& attribute) {
      const auto number = group_.number_attribute(attribute);
      if (number) {
        rule.traces.emplace_back(name, *number);
      } else {
        rule.traces.emplace_back(name, group_.text_attribute(attribute).value());
      }
    });
    rule.signals = sources_;
    rule.memory_across_trials = integer("memory_across_trials") != 0;
    HebbianOptions made{
        .rule = EquationRule(text("equations"), rule),
        .activation = activation_from_name(text("activation")),
        .executor = executor_,
        .dtype = dtype_,
        // An experiment of that seed draws so for the first layer of its first level.
        .random = RandomStream::named(static_cast<std::uint64_t>(integer("seed")),
                                      "levels/0/layers/0/weights")};
    if (const auto target = group_.number_attribute("homeostasis_target")) {
      made.control.homeostasis = {
          .target = *target, .strength = group_.number_attribute("homeostasis_strength").value()};
    }
    made.control.normalization = normalization_from_name(text("normalization"));
    made.control.bound = group_.number_attribute("bound").value_or(made.control.bound);
    if (const auto low = group_.number_attribute("bounds_low")) {
      made.bounds = {.low = *low, .high = group_.number_attribute("bounds_high").value()};
    }
    return made;
  }

  void read_signals() {
    if (!group_.has_group("signal")) return;
    const hdf5::Group signals = group_.open_group("signal");
    const std::int64_t streams = x_.shape(0), ticks = x_.shape(1);
    for (const std::string& name : signals.datasets()) {
      const hdf5::Dataset data = signals.open_dataset(name);
      const std::string of = data.text_attribute("of").value();
      EquationSignalSource source{
          .name = name, .is_list = of == "neuron", .is_labels = of == "labels"};
      const std::int64_t columns = of == "neuron" ? weights_.shape(0) : 1;
      const Array values = from_values(data.read<double>(), {streams, ticks, columns});
      for (std::int64_t c = 0; c < columns; ++c) {
        const std::string column = source.is_labels ? "labels" : name + std::to_string(c);
        if (!source.is_labels) source.columns.push_back(column);
        columns_[column] = values.slice(2, c, c + 1).squeeze({2}).contiguous();
      }
      sources_.push_back(source);
    }
  }

  TickSignals signals_between(std::int64_t first, std::int64_t end) const {
    TickSignals signals;
    for (const auto& [name, values] : columns_) {
      signals[name] = values.slice(1, first, end).contiguous();
    }
    return signals;
  }

  bool begins_trial(std::int64_t tick) const {
    const std::vector<std::int64_t> starts =
        group_.open_dataset("trial_start").read<std::int64_t>();
    return std::find(starts.begin(), starts.end(), tick) != starts.end();
  }

  /// Ends of the pieces of ticks: what is kept, trials, and learning.
  std::vector<std::int64_t> ends(std::vector<std::int64_t> kept) const {
    const std::int64_t ticks = x_.shape(1);
    for (std::int64_t t = 1; t < ticks; ++t) {
      if (begins_trial(t) || t == integer("learning_ticks")) kept.push_back(t);
    }
    kept.push_back(ticks);
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    return kept;
  }

  static void add_state(const HebbianLayer& layer, std::map<std::string, Numbers>& found) {
    for (const NamedArray& array : layer.arrays()) {
      if (array.role == NamedArray::Role::state) continue;
      const std::string name =
          array.role == NamedArray::Role::memory ? "memory/" + array.name : array.name;
      const Numbers values = array.value.astype(DType::float64).to_vector<double>();
      found[name].insert(found[name].end(), values.begin(), values.end());
    }
  }

  /// [streams, ticks, out] of all pieces.
  Numbers together(const std::vector<Array>& answers) const {
    const GPUContext host(Device::cpu());
    Numbers all;
    for (std::int64_t stream = 0; stream < x_.shape(0); ++stream) {
      for (const Array& piece : answers) {
        const Numbers values = piece[stream].astype(DType::float64).to_vector<double>();
        all.insert(all.end(), values.begin(), values.end());
      }
    }
    return all;
  }

  double difference(const std::string& name, const Numbers& found) const {
    INFO(name);
    const hdf5::Group expected = group_.open_group("expected");
    REQUIRE(expected.has_dataset(name));
    const Numbers values = expected.open_dataset(name).read<double>();
    REQUIRE(found.size() == values.size());
    double largest = 0.0, apart = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      REQUIRE(std::isfinite(found[i]));
      largest = std::max(largest, std::abs(values[i]));
      apart = std::max(apart, std::abs(values[i] - found[i]));
    }
    return largest > 0 ? apart / largest : apart;
  }

  const hdf5::Group& group_;
  DType dtype_;
  Executor executor_;
  Array x_, weights_;  // float64, on the CPU
  std::vector<EquationSignalSource> sources_;
  TickSignals columns_;
};

/// Checks all cases on the current device.
void check_all(DType dtype, Executor executor) {
  const double tolerance = dtype == DType::float64 ? 1e-12 : 1e-4;
  const LogCapture log;  // one case has a homeostasis that l2 cancels, which is warned of
  const hdf5::File file = hdf5::File::open(GAIA_CONFORMANCE_VECTORS);
  const std::vector<std::string> names = file.groups();
  CHECK(names.size() > 130);
  for (const std::string& name : names) {
    INFO(name << ", " << to_string(dtype));
    const hdf5::Group group = file.open_group(name);
    std::optional<Case> one;
    {
      const GPUContext host(Device::cpu());
      one.emplace(group, dtype, executor);
    }
    CHECK(one->distance() <= tolerance);
  }
}

}  // namespace

TEST_CASE("Chunkwise layers compute the numbers of the papers") {
  for (const DType dtype : {DType::float64, DType::float32}) check_all(dtype, Executor::chunkwise);
}

TEST_CASE("Stepwise layers compute the numbers of the papers") {
  for (const DType dtype : {DType::float64, DType::float32}) check_all(dtype, Executor::stepwise);
}

TEST_CASE("Layers on an emulated GPU compute the numbers of the papers") {
  const OnEmulatedDevice emulated;
  for (const DType dtype : {DType::float64, DType::float32}) check_all(dtype, Executor::chunkwise);
}

}  // namespace gaia::test
