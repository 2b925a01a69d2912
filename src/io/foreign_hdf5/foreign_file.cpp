// SPDX-License-Identifier: MIT
#include "foreign_file.h"

#include <optional>

#include "matlab_file.h"

namespace gaia::hdf5 {
namespace {

class ForeignHdf5 final : public ForeignFile {
 public:
  explicit ForeignHdf5(const std::string& path) : ForeignFile(path), file_(File::open(path)) {}

  std::int64_t bytes() const override { return file_.bytes(); }
  Contents contents(const ContentsLimits& limits, const std::function<void()>& tell) override {
    return contents_of(file_, limits, tell);
  }
  void read_rows(const DatasetDescription& dataset, Type type, std::int64_t first,
                 std::int64_t rows, char* to) override {
    if (!last_ || last_->place().path != dataset.path) {
      last_.emplace(file_.open_dataset(dataset.path));
    }
    last_->read_rows(type, first, rows, to);
  }

 private:
  File file_;
  std::optional<Dataset> last_;  // dataset that was read from
};

}  // namespace

std::unique_ptr<ForeignFile> open_foreign_file(const std::string& path) {
  if (is_matlab5(path)) return std::make_unique<MatlabFile>(path);
  return std::make_unique<ForeignHdf5>(path);
}

}  // namespace gaia::hdf5
