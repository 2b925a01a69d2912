// SPDX-License-Identifier: MIT
#include "message_log.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../../array/device.h"
#include "../../array/joining.h"
#include "../../io/checkpoint_file.h"
#include "results_parts.h"

namespace gaia {
namespace {

/// The representations of some messages, at least one: [messages, streams, n].
Array representations_of(const std::deque<Message>& messages) {
  const GPUContext host(Device::cpu());
  std::vector<Array> all;
  for (const Message& message : messages) all.push_back(message.representation);
  return stack(all);
}

/// The numbers that a function has for each of some messages.
template <class T, class Of>
std::vector<T> each_of(const std::deque<Message>& messages, const Of& of) {
  std::vector<T> all;
  for (const Message& message : messages) all.push_back(static_cast<T>(of(message)));
  return all;
}

void write_log(hdf5::Group& group, const std::deque<Message>& kept, std::int64_t neurons,
               DType dtype) {
  const std::int64_t count = std::ssize(kept);
  hdf5::Dataset step = group.create_dataset("step", {.type = hdf5::Type::int64, .shape = {count}});
  describe(step, "step of the tick at which it was sent");
  step.make_scale("step");
  const hdf5::Dataset neuron = make_index(group, "neuron", neurons, "neuron");
  hdf5::Dataset energy =
      group.create_dataset("energy", {.type = hdf5::Type::float64, .shape = {count}});
  describe(energy, "mean square of the representation");
  energy.attach_scale(0, step);
  hdf5::Dataset representation = group.create_dataset(
      "representation", {.type = stored_type(dtype), .shape = {count, neurons}});
  describe(representation, "representation that was sent");
  representation.attach_scale(0, step);
  representation.attach_scale(1, neuron);
  mark_plot(group, "representation", {"step", "neuron"});
  if (count == 0) return;
  step.write<std::int64_t>(each_of<std::int64_t>(kept, [](const Message& m) { return m.step; }));
  energy.write<double>(each_of<double>(kept, [](const Message& m) { return m.energy; }));
  write_whole(representation, representations_of(kept).reshape({count, neurons}));
}

std::string prefix_of(int level) { return fmt::format("messages/{}/", level); }

}  // namespace

void write_messages(hdf5::File& file, const Messages& messages, const HierarchyManager& hierarchy,
                    DType dtype) {
  const std::vector<LevelCosts> costs = messages.metrics(hierarchy);
  for (std::size_t n = 0; n < costs.size(); ++n) {
    const LevelCosts& of_level = costs[n];
    const std::int64_t level = of_level.level;
    hdf5::Group group =
        file.open_group("levels").open_group(std::to_string(level)).create_group("messages");
    if (n + 1 < costs.size()) group.set_attribute("parent", level + 1);
    if (n > 0) group.set_attribute("child", level - 1);
    group.set_attribute("every", messages.schedule(of_level.level));
    group.set_attribute("ticks", of_level.ticks);
    group.set_attribute("sent", of_level.sent);
    group.set_attribute("delivered", of_level.delivered);
    group.set_attribute("message_bytes", of_level.message_bytes);
    group.set_attribute("memory_bytes", of_level.memory_bytes);
    write_log(group, messages.logs().at(of_level.level).kept, hierarchy.levels()[n].output_size(),
              dtype);
  }
}

void add_messages_state(const Messages& messages, ArrayMap& arrays) {
  for (const auto& [level, log] : messages.logs()) {
    const std::string prefix = prefix_of(level);
    put_numbers(arrays, prefix + "counts",
                {static_cast<double>(log.ticks), static_cast<double>(log.sent),
                 static_cast<double>(log.delivered), static_cast<double>(log.bytes)});
    if (log.kept.empty()) continue;
    put_numbers(arrays, prefix + "step",
                each_of<double>(log.kept, [](const Message& m) { return m.step; }));
    put_numbers(arrays, prefix + "energy",
                each_of<double>(log.kept, [](const Message& m) { return m.energy; }));
    arrays.emplace(prefix + "representation", representations_of(log.kept));
  }
}

void set_messages_state(Messages& messages, const ArrayMap& arrays) {
  std::map<int, Messages::Log> logs;
  for (const auto& [level, unused] : messages.logs()) {
    const std::string prefix = prefix_of(level);
    Messages::Log& log = logs[level];
    const std::vector<double> counts = numbers_of(arrays, prefix + "counts", 4);
    log.ticks = static_cast<std::int64_t>(counts[0]);
    log.sent = static_cast<std::int64_t>(counts[1]);
    log.delivered = static_cast<std::int64_t>(counts[2]);
    log.bytes = static_cast<std::int64_t>(counts[3]);
    const auto representation = arrays.find(prefix + "representation");
    if (representation == arrays.end()) continue;
    const auto count = static_cast<std::size_t>(representation->second.shape(0));
    const std::vector<double> steps = numbers_of(arrays, prefix + "step", count);
    const std::vector<double> energies = numbers_of(arrays, prefix + "energy", count);
    for (std::size_t k = 0; k < count; ++k) {
      log.kept.push_back(
          {.level = level,
           .step = static_cast<std::int64_t>(steps[k]),
           .representation = representation->second[static_cast<std::int64_t>(k)].copy(),
           .energy = energies[k]});
    }
  }
  messages.set_logs(std::move(logs));
}

}  // namespace gaia
