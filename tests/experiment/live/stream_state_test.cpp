// SPDX-License-Identifier: MIT
#include "../../../src/experiment/live/stream_state.h"

#include <filesystem>

#include "../../../src/array/create.h"
#include "../../../src/core/error.h"
#include "../../../src/io/checkpoint_file.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/text.h"
#include "streamed.h"

using namespace gaia;
using namespace gaia::test;

namespace {

const std::string kSmall =
    "experiment: small\nseed: 4\n"
    "data: {source: file, path: train.csv, columns: [a, b, c], targets: [gain], normalize: "
    "zscore}\n"
    "hierarchy:\n  levels:\n"
    "    - layers: [{type: hebbian, size: 4, rule: oja, learning_rate: 0.01}]\n";

}  // namespace

FOLDER_TEST_CASE("a state comes back from its file bit for bit") {
  StreamState state{
      .run = "r", .options = "o", .row = 7, .in_trial = 3, .step = 2, .trial = "t", .arrays = {}};
  state.arrays.emplace("a/b/float32", from_values(std::vector<float>{1.5F, -0.0F}, {1, 2}));
  state.arrays.emplace("a/int64", from_values(std::vector<std::int64_t>{1LL << 62}, {1}));
  state.arrays.emplace("flags", from_values(std::vector<double>{1, 0}, {2}).astype(DType::boolean));
  state.arrays.emplace("short", from_values(std::vector<double>{3}, {1}).astype(DType::bfloat16));
  put_numbers(state.arrays, "none", {});
  put_numbers(state.arrays, "numbers", {kMissing, 1e-310, 2.0});
  write_stream_state(folder.path("s.h5"), state);
  const StreamState read = read_stream_state(folder.path("s.h5"));
  CHECK(read.run == "r");
  CHECK(read.options == "o");
  CHECK(read.row == 7);
  CHECK(read.in_trial == 3);
  CHECK(read.step == 2);
  CHECK(read.trial == "t");
  REQUIRE(read.arrays.size() == state.arrays.size());
  for (const auto& [name, array] : state.arrays) {
    INFO(name);
    REQUIRE(read.arrays.contains(name));
    const Array& got = read.arrays.at(name);
    CHECK(got.dtype() == array.dtype());
    CHECK(got.shape() == array.shape());
    CHECK(same_bits(got.to_vector<double>(), array.to_vector<double>()));
  }
  CHECK(read.arrays.at("a/int64").to_vector<std::int64_t>() ==
        std::vector<std::int64_t>{1LL << 62});
}

TEST_CASE("a state that is damaged, or no state at all, is an error and never trusted") {
  const Streamed folder(kSmall);
  const std::vector<StreamRow> all = stream_rows(400, 20);
  const std::string path = folder.path("s.h5");
  const auto open = [&] { LiveStream(folder.result(), {.learn = true, .state = path}); };
  {
    LiveStream stream(folder.result(), {.learn = true, .state = path});
    answers_to(stream, all);
    stream.keep();
  }
  open();
  const std::string whole = file_text(path);
  REQUIRE(whole.size() > 2000);
  // Cut anywhere, and with a byte changed wherever numbers lie.
  for (const double share : {0.0, 0.3, 0.6, 0.9}) {
    folder.write(
        "s.h5",
        whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size()))));
    CHECK_FALSE(complaint_of<DataError>(open).empty());
  }
  const Datasets kept = [&] {
    folder.write("s.h5", whole);
    return datasets_of(path);
  }();
  std::vector<float> weights;
  for (const double w : kept.at("/state/hierarchy/levels/0/layers/0/weights")) {
    weights.push_back(static_cast<float>(w));
  }
  const std::size_t at = whole.find(
      std::string(reinterpret_cast<const char*>(weights.data()), weights.size() * sizeof(float)));
  REQUIRE(at != std::string::npos);
  std::string flipped = whole;
  flipped[at + 5] = static_cast<char>(flipped[at + 5] ^ 4);
  folder.write("s.h5", flipped);
  CHECK_SAYS(complaint_of<DataError>(open), "its hash is not that");
  folder.write("s.h5", "no HDF5 at all");
  CHECK_FALSE(complaint_of<DataError>(open).empty());
  std::filesystem::remove(path);
  std::filesystem::copy_file(folder.result(), path);
  CHECK_SAYS(complaint_of<DataError>(open), "is no state of a stream");
}

TEST_CASE("a state of another result, of other options or with other arrays is refused") {
  const Streamed folder(kSmall);
  const Streamed other(kSmall);
  const std::string path = folder.path("s.h5");
  const std::vector<StreamRow> all = stream_rows(400, 20);
  {
    LiveStream stream(folder.result(), {.learn = true, .state = path});
    answers_to(stream, all);
    stream.keep();
  }
  const auto complaint = [&](const std::string& result, const StreamOptions& options) {
    return complaint_of([&] { LiveStream(result, options); });
  };
  CHECK_SAYS(complaint(other.result(), {.learn = true, .state = path}),
             "is of another result than");
  CHECK_SAYS(complaint(folder.result(), {.state = path}),
             "is of a stream with other options (learn: true");
  CHECK_SAYS(complaint(folder.result(), {.learn = true, .state = path, .late = 5}), "late: 1000");
  const StreamState good = read_stream_state(path);
  const auto with = [&](const auto& change) {
    StreamState state = good;
    change(state.arrays);
    write_stream_state(path, state);
    return complaint(folder.result(), {.learn = true, .state = path});
  };
  const std::string weights = "hierarchy/levels/0/layers/0/weights";
  CHECK_SAYS(with([&](ArrayMap& arrays) { arrays.erase(weights); }), "it lacks " + weights);
  CHECK_SAYS(with([&](ArrayMap& arrays) { arrays[weights] = zeros({4, 4}); }),
             "the shape of " + weights + " is another");
  CHECK_SAYS(with([&](ArrayMap& arrays) { arrays[weights] = zeros({4, 3}, DType::float64); }),
             "the dtype of " + weights + " is another");
  CHECK_SAYS(with([&](ArrayMap& arrays) { arrays[weights] = full({4, 3}, kMissing); }),
             "expected finite numbers in levels/0/layers/0/weights");
  CHECK_SAYS(with([&](ArrayMap& arrays) { put_numbers(arrays, "samples/last", {1.0}); }),
             "expected 3 numbers samples/last, got 1");
  CHECK_SAYS(with([&](ArrayMap& arrays) { put_numbers(arrays, "out", {kMissing}); }),
             "expected a count");
  CHECK_SAYS(with([&](ArrayMap& arrays) { put_numbers(arrays, "out", {1e300}); }),
             "expected a count");
  // The way out.
  LiveStream anew(folder.result(), {.learn = true, .state = path, .begin_anew = true});
  CHECK(anew.step() == 0);
  answers_to(anew, all);
  anew.keep();
  CHECK(LiveStream(folder.result(), {.learn = true, .state = path}).step() == 20);
}

TEST_CASE("a state is kept every so many rows, and held by one stream at a time") {
  const Streamed folder(kSmall);
  const std::vector<StreamRow> all = stream_rows(400, 25);
  LiveStream stream(folder.result(), {.learn = true, .keep_every = 10});
  CHECK(stream.state_path() == folder.path("r.stream.h5"));
  CHECK_FALSE(std::filesystem::exists(stream.state_path()));
  answers_to(stream, all);
  CHECK(read_stream_state(stream.state_path()).row == 20);
  CHECK_FALSE(std::filesystem::exists(stream.state_path() + ".partial"));
  LiveStream second(folder.result(), {.learn = true});
  CHECK(second.step() == 20);
  CHECK_FALSE(complaint_of<LockedError>([&] { second.keep(); }).empty());
}
