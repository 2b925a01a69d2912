// SPDX-License-Identifier: MIT
/// \file
/// Several streams of one thread, on emulated hardware whose streams are as late as they may be.
#include "../../cuda/streams.h"

#include <cmath>
#include <optional>
#include <string>

#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/array/ops.h"
#include "../emulator/queues.h"
#include "../hierarchy/random_hierarchy.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/emulated_device.h"

namespace gaia::test {
namespace {

using cuda::emulated::stream_of_thread;
using emulator::LateStreams;

cudaStream_t stream_number(int number) {
  const GPUContext scope(current_device(), Stream{number});
  return stream_of_thread(0);
}

/// What `levels` make of a series, block by block on one stream.
std::map<int, std::vector<double>> on_one_stream(HierarchyManager& hierarchy, const Array& data,
                                                 std::int64_t block) {
  std::map<int, std::vector<Array>> ticks;
  for (std::int64_t first = 0; first < data.shape(1); first += block) {
    const Array rows = data.slice(1, first, std::min(first + block, data.shape(1)));
    for (const LevelBlock& level : hierarchy.process_block(rows, {.learn = true}).levels) {
      ticks[level.id].push_back(level.ticks);
    }
  }
  std::map<int, std::vector<double>> result;
  for (const auto& [id, parts] : ticks) result[id] = concatenate(parts, 1).to_vector<double>();
  return result;
}

std::vector<std::vector<double>> weights_of(const HierarchyManager& hierarchy) {
  std::vector<std::vector<double>> all;
  for (const NamedArray& array : hierarchy.state()) all.push_back(array.value.to_vector<double>());
  return all;
}

/// Three plastic levels of resolutions 1, 2, 4.
HierarchyManager three_levels() {
  HierarchyManager hierarchy;
  for (int k = 0; k < 3; ++k) {
    HierarchicalLevel level(k, 5, 5, std::int64_t{1} << k, {.pooling = Pooling::mean});
    level.add_layer(HebbianLayer(5, 5,
                                 {.rule = OjaRule{},
                                  .dtype = DType::float64,
                                  .random = {1, static_cast<std::uint64_t>(k)}}));
    hierarchy.add_level(std::move(level));
  }
  return hierarchy;
}

/// On the host.
Array series() {
  const GPUContext cpu(Device::cpu());
  return random_normal({64, 5}, 0.0, 1.0, DType::float64, {1, 9});
}

}  // namespace

TEST_CASE("A stream that is late has done nothing until someone waits for it") {
  int value = 0;
  int seen = -1;
  const LateStreams late;  // does at its end what is left in the queues, with the numbers above
  const cudaStream_t first = stream_of_thread(0);
  const cudaStream_t second = stream_number(1);
  CHECK(first != second);
  emulator::enqueue(first, [&] { value = 1; });
  emulator::enqueue(second, [&] { seen = value; });
  cudaStreamSynchronize(second);
  CHECK(seen == 0);  // nobody said that it must wait
  emulator::enqueue(first, [&] { value = 2; });
  cuda::emulated::wait_for(second, first);
  emulator::enqueue(first, [&] { value = 3; });
  emulator::enqueue(second, [&] { seen = value; });
  cudaStreamSynchronize(second);
  CHECK(seen == 2);
  CHECK(emulator::queued(first) == 1);
}

TEST_CASE("Streams wait for each other where they use the same array") {
  const OnEmulatedDevice device;
  const LateStreams late;
  const Array x = full({3}, 2.0);
  Array y;
  Array z;
  {
    const GPUContext side(device.device(), Stream{1});
    y = x + 1.0;
  }
  {
    const GPUContext side(device.device(), Stream{2});
    z = y * 10.0;
  }
  x.fill(100.0);  // not before stream 1 has read it
  CHECK(x.to_vector<float>() == std::vector<float>{100, 100, 100});
  CHECK(z.to_vector<float>() == std::vector<float>{30, 30, 30});
  CHECK(y.to_vector<float>() == std::vector<float>{3, 3, 3});
}

TEST_CASE("synchronize waits for all streams of the thread") {
  const OnEmulatedDevice device;
  const LateStreams late;
  const Array x = full({3}, 2.0);
  {
    const GPUContext side(device.device(), Stream{3});
    x.fill(4.0);
    CHECK(emulator::queued(stream_of_thread(0)) > 0);
  }
  synchronize();
  CHECK(emulator::queued(stream_number(3)) == 0);
  CHECK(emulator::queued(stream_number(0)) == 0);
}

TEST_CASE("Levels side by side do bit for bit what they do on one stream") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const OnEmulatedDevice device;
    const std::int64_t block = 3 + static_cast<std::int64_t>(seed % 9);
    RandomHierarchy alone(seed);
    const Array data = alone.data.to(device.device());
    const auto expected = on_one_stream(alone.hierarchy, data, block);

    RandomHierarchy together(seed);
    const bool from_stream = seed % 3 == 0;
    std::map<int, LevelRepresentation> found;
    std::map<int, std::vector<Array>> seen;
    const LateStreams late;
    if (from_stream) {
      together.hierarchy.add_observer([&](const HierarchyBlock& made) {
        for (const LevelBlock& level : made.levels) seen[level.id].push_back(level.ticks);
      });
      together.hierarchy.process_stream(
          [&](std::int64_t first, std::int64_t rows) {
            return together.data.slice(1, first, first + rows);
          },
          data.shape(1), {.learn = true, .block_steps = block});
    } else {
      found = together.hierarchy.process_hierarchy(data, -1, {.learn = true, .block_steps = block});
    }
    std::vector<int> ids;
    for (const auto& [id, ticks] : expected) ids.push_back(id);
    if (seed % 2 == 0) std::reverse(ids.begin(), ids.end());  // who is waited for first
    for (const int id : ids) {
      INFO("seed " << seed << ", level " << id << ": " << alone.description);
      const Array ticks = from_stream ? concatenate(seen.at(id), 1) : found.at(id).ticks;
      CHECK(ticks.to_vector<double>() == expected.at(id));
    }
    CHECK(weights_of(together.hierarchy) == weights_of(alone.hierarchy));
  }
}

TEST_CASE("Between the blocks of a series the host waits for nothing") {
  const OnEmulatedDevice device;
  const Array data = series().to(device.device());
  const auto waits = [&](std::int64_t block) {
    HierarchyManager hierarchy = three_levels();
    hierarchy.process_hierarchy(data, 1, {.learn = true});  // brings the weights there
    const std::int64_t before = emulator::synchronisations();
    hierarchy.process_hierarchy(data, -1, {.learn = true, .block_steps = block});
    return emulator::synchronisations() - before;
  };
  CHECK(waits(64) == 0);
  CHECK(waits(4) == 0);
}

TEST_CASE(
    "What a series on the host is sent by does nothing else, and so the host waits for that "
    "alone") {
  const OnEmulatedDevice device;
  HierarchyManager hierarchy = three_levels();
  hierarchy.process_hierarchy(series(), 1, {.learn = true});
  const LateStreams late;
  const std::int64_t before = emulator::synchronisations();
  const auto made = hierarchy.process_hierarchy(series(), -1, {.learn = true, .block_steps = 8});
  CHECK(emulator::synchronisations() - before == 8);
  CHECK(emulator::queued(stream_number(0)) > 8);  // of the first level nothing was done
}

TEST_CASE("A level does not wait for slower ones") {
  const OnEmulatedDevice device;
  const Array data = series().to(device.device());
  HierarchyManager hierarchy = three_levels();
  hierarchy.process_hierarchy(data, 1, {.learn = true});
  synchronize();
  const LateStreams late;
  const auto made = hierarchy.process_hierarchy(data, -1, {.learn = true, .block_steps = 8});
  const std::int64_t behind = emulator::queued(stream_number(1));
  CHECK(behind > 8);
  made.at(0).ticks.to_vector<double>();
  CHECK(emulator::queued(stream_number(0)) == 0);
  CHECK(emulator::queued(stream_number(1)) >= behind - 2);  // no more than from before the series
  made.at(1).ticks.to_vector<double>();
  CHECK(emulator::queued(stream_number(1)) == 0);
  CHECK(emulator::queued(stream_number(2)) > 8);
}

TEST_CASE("A block is worked on by levels side by side, in pieces, and comes back whole") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const OnEmulatedDevice device;
    std::optional<LateStreams> late;
    if (seed % 3 != 0) late.emplace();
    const std::int64_t piece = 3 + static_cast<std::int64_t>(seed % 9);
    RandomHierarchy series(seed);
    const Array data = seed % 2 == 0 ? series.data : series.data.to(device.device());
    // A level that is alone takes the whole block.
    const std::int64_t length = series.hierarchy.levels().size() > 1 ? piece : 0;
    const auto expected =
        series.hierarchy.process_hierarchy(data, -1, {.learn = true, .block_steps = length});

    RandomHierarchy block(seed);
    int seen = 0;
    block.hierarchy.add_observer([&](const HierarchyBlock& made) {
      ++seen;
      CHECK(made.first_step == 0);
      CHECK(made.steps == data.shape(1));
    });
    const HierarchyBlock made =
        block.hierarchy.process_block(data, {.learn = true, .block_steps = piece});
    INFO("seed " << seed << ": " << block.description);
    CHECK(seen == 1);
    CHECK(block.hierarchy.step() == data.shape(1));
    REQUIRE(made.levels.size() == expected.size());
    for (const LevelBlock& level : made.levels) {
      INFO("level " << level.id);
      CHECK(level.first_tick == 0);
      CHECK(level.ticks.to_vector<double>() == expected.at(level.id).ticks.to_vector<double>());
    }
    CHECK(weights_of(block.hierarchy) == weights_of(series.hierarchy));
  }
}

TEST_CASE("A long block is cut into pieces where there are levels to work side by side") {
  const OnEmulatedDevice device;
  const Array data = random_normal({1, 1100, 5}, 0.0, 1.0, DType::float64, {1, 9});
  HierarchyManager hierarchy = three_levels();
  hierarchy.process_block(data.slice(1, 0, 4), {.learn = true});  // brings the weights there
  synchronize();
  const LateStreams late;
  const std::int64_t before = emulator::synchronisations();
  const HierarchyBlock made = hierarchy.process_block(data.slice(1, 4, {}), {.learn = true});
  CHECK(emulator::synchronisations() == before);
  made.levels[0].ticks.to_vector<double>();
  CHECK(emulator::queued(stream_number(0)) == 0);
  CHECK(emulator::queued(stream_number(2)) > 3);
  synchronize();
  HierarchyManager alone = three_levels();
  alone.remove_level(2);
  alone.remove_level(1);
  alone.process_block(data, {.learn = true});
  CHECK(emulator::queued(stream_number(1)) == 0);
}

TEST_CASE("A block in pieces names the step whose data are not finite") {
  const Array data = series().copy();
  data.slice(0, 37, 38).fill(std::nan(""));
  const auto error_of = [&](const ProcessOptions& options) {
    HierarchyManager hierarchy = three_levels();
    std::string what = "nothing";
    what =
        complaint_of<ArgumentError>([&] { hierarchy.process_block(data.expand_dims(0), options); });
    CHECK(hierarchy.step() == 0);
    return what;
  };
  const ProcessOptions options{.learn = true, .block_steps = 8, .check_finite = true};
  const std::string found =
      "[process] expected finite numbers in the data, got NaN at step 37, stream 0, feature 0; ";
  CHECK(error_of(options).starts_with(found));
  const OnEmulatedDevice device;
  CHECK(error_of(options).starts_with(found));
}

}  // namespace gaia::test
