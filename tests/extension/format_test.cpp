// SPDX-License-Identifier: MIT
// A format of files that no file of src/ names: what it takes to add one.
#include "../../src/io/formats/file_format.h"

#include "../../src/experiment/config/config_writer.h"
#include "../../src/experiment/init/initial_experiment.h"
#include "../../src/experiment/setup/load.h"
#include "../../src/io/columns.h"
#include "../../src/io/survey/array_survey.h"
#include "../../src/io/table_series.h"
#include "../support/catch.h"
#include "../support/temp_dir.h"

namespace gaia::test {
namespace {

constexpr const char* kSignature = "BYTES:";

/// One column of whole numbers below 256, a byte each, after a signature.
class ByteSeries final : public TableSeries {
 public:
  ByteSeries(const std::string& path, const FileOptions& options) : file_(path, true) {
    open_table(file_.size() - kBegin, numbered_names(1), 0, false, options, options.side, {});
  }

  std::string sha256() override { return file_.sha256(); }
  std::vector<std::string> paths() const override { return {file_.path()}; }

 private:
  static constexpr std::int64_t kBegin = 6;

  void read_table(std::int64_t first, std::int64_t count, std::span<const std::size_t> columns,
                  double* out) override {
    std::vector<char> bytes(static_cast<std::size_t>(count));
    file_.read(kBegin + first, bytes);
    for (std::size_t row = 0; row < bytes.size(); ++row) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        out[row * columns.size() + i] = static_cast<unsigned char>(bytes[row]);
      }
    }
  }
  void check_unchanged() const override { file_.check_unchanged(); }
  std::string source() const override { return file_.path(); }

  InputFile file_;
};

class ByteFormat final : public FileFormat {
 public:
  std::vector<std::string> endings() const override { return {".bytes"}; }
  bool is_signed(const InputFile& file) const override { return file.has_at(0, kSignature); }
  std::unique_ptr<FileSeries> open(const std::string& path,
                                   const FileOptions& options) const override {
    return std::make_unique<ByteSeries>(path, options);
  }
  FileSurvey survey(const std::vector<std::string>& paths) const override {
    FileSurvey survey;
    survey_arrays(survey, paths, [this](const std::string& path, const FileOptions& options) {
      return open(path, options);
    });
    return survey;
  }
};

/// Has the format in the list as long as it lives.
struct Registered {
  Registered() { FileFormat::list().push_back(std::make_shared<ByteFormat>()); }
  ~Registered() { FileFormat::list().pop_back(); }
};

TEST_CASE("a format from outside is told of, opened and surveyed") {
  const Registered registered;
  CHECK(a_file_of_data() == "a .csv, .npy, .h5/.hdf5/.nc, .mat, .edf/.bdf, .wav or .bytes file");
  CHECK_SAYS(of_no_known_kind(),
             "; known: .csv, .npy, .h5, .hdf5, .nc, .mat, .edf, .bdf, .wav, .bytes");
  CHECK_SAYS(json_schema(),
             "a .csv, .npy, .h5/.hdf5/.nc, .mat, .edf/.bdf, .wav or .bytes file, or a");

  const TempDir folder;
  std::string content = kSignature;
  for (int i = 0; i < 200; ++i) content += static_cast<char>(i * i % 251);
  const std::string path = folder.write("a.bin", content);  // known by its signature
  const Experiment experiment = load_experiment_text(
      "experiment: bytes\n"
      "data: {source: file, path: a.bin}\n"
      "hierarchy:\n  levels:\n    - layers:\n"
      "        - {type: hebbian, size: 1, rule: oja, learning_rate: 0.01}\n",
      folder.path("a.yaml"));
  REQUIRE(experiment.series->rows() == 200);
  std::vector<double> read(3);
  experiment.series->read(17, 3, read);
  CHECK(read == std::vector<double>{17.0 * 17.0 - 251.0, 18.0 * 18.0 - 251.0, 361.0 - 251.0});

  const std::string initial = initial_experiment({path}, folder.path("b.yaml"));
  CHECK_SAYS(initial, "# 200 rows, 1 column of numbers that change.");
}

}  // namespace
}  // namespace gaia::test
