// SPDX-License-Identifier: MIT
/// \file
/// A disk that is full.
#include <sys/mount.h>

#include "../experiment/networks.h"
#include "results.h"
#include "trials.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// A file system in memory, of so many KiB; needs the right to mount.
class SmallDisk {
 public:
  SmallDisk(const std::string& folder, int kibibytes) : folder_(folder) {
    std::filesystem::create_directory(folder);
    const std::string size = "size=" + std::to_string(kibibytes) + "k";
    is_there_ = ::mount("tmpfs", folder.c_str(), "tmpfs", 0, size.c_str()) == 0;
  }
  ~SmallDisk() {
    if (is_there_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool is_there() const { return is_there_; }

 private:
  std::string folder_;
  bool is_there_ = false;
};

}  // namespace

TEST_CASE("a full disk ends a run with code 4, what was committed readable") {
  const int count = gaia::test::trials("DISKS", 5);
  const TempDir folder;
  folder.write("e.yaml", gaia::test::kMinimal);
  int with_rows = 0;
  int fitting = 0;
  for (int i = 0; i < count; ++i) {
    const int kibibytes = 16 + 4 * (i * 300 / count);
    const SmallDisk disk(folder.path("disk"), kibibytes);
    if (!disk.is_there()) GAIA_SKIP("mounting a file system is not allowed here");
    const Finished done =
        gaia::test::attempt(folder, {"run", "e.yaml", "-q", "--set", "data.steps=30000", "--set",
                                     "output.compression=0", "--output", "disk/r.h5"});
    INFO(kibibytes << " KiB: code " << done.code << " " << done.err);
    if (done.code == 0) {
      ++fitting;
      continue;
    }
    CHECK(done.code == 4);
    CHECK_SAYS(done.err, "disk");
    CHECK_FALSE(std::filesystem::exists(folder.path("disk/r.h5")));
    CHECK_FALSE(std::filesystem::exists(folder.path("disk/r.h5.finishing")));
    const std::string partial = folder.path("disk/r.h5.partial");
    if (has_begun(partial) && gaia::test::committed_steps(partial) > 0) ++with_rows;
  }
  gaia::test::tell_row("a disk of 16 KiB to 1.2 MiB (tmpfs)", static_cast<std::size_t>(count),
                       "code 4, " + std::to_string(with_rows) +
                           " with committed rows, all readable; " + std::to_string(fitting) +
                           " results fitted");
}

TEST_CASE("a full disk ends a training, saving and a sweep as documented") {
  const int count = gaia::test::trials("DISKS", 4);
  const TempDir folder;
  folder.write("net.yaml", gaia::test::kSeries);
  folder.write("sweep.yaml", gaia::test::kMinimal + "sweep: {seeds: 3}\n");
  struct Writing {
    const char* what;
    int most;  ///< KiB that suffice
    std::vector<std::string> arguments;
    int refused;  ///< Code.
    std::string program = GAIA_COMMAND;
  };
  const std::vector<Writing> all = {
      {"training",
       900,
       {"run", "net.yaml", "-q", "--set", "network.layers[1].size=2048", "--set",
        "network.epochs=2", "--output", "disk/r.h5"},
       4},
      {"saving arrays", 200, {"disk/r.h5", "1"}, 4, GAIA_SAVE_ARRAYS},
      {"a sweep", 600, {"sweep", "sweep.yaml", "-q", "--jobs", "2", "--output", "disk/s"}, 1}};
  for (const Writing& writing : all) {
    std::map<int, int> codes;
    for (int i = 0; i < count; ++i) {
      const int kibibytes = 16 + 4 * (i * writing.most / 4 / count);
      const SmallDisk disk(folder.path("disk"), kibibytes);
      if (!disk.is_there()) GAIA_SKIP("mounting a file system is not allowed here");
      const Finished done = gaia::test::attempt(folder, writing.arguments, writing.program);
      INFO(writing.what << ", " << kibibytes << " KiB: code " << done.code << " " << done.err);
      ++codes[done.code];
      // A sweep's own folder and files may not fit either.
      CHECK((done.code == 0 || done.code == writing.refused || done.code == 4));
      if (done.code != 0) CHECK_FALSE(done.err.empty());
      for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path("disk"))) {
        const std::string name = entry.path().string();
        CHECK(name.find(".finishing") == std::string::npos);
        // What has its name is whole.
        if (entry.path().extension() == ".h5") CHECK_NOTHROW(gaia::test::datasets_of(name));
      }
      if (writing.refused == 4) {
        CHECK(std::filesystem::exists(folder.path("disk/r.h5")) == (done.code == 0));
      }
    }
    gaia::test::tell_row(
        std::string("a disk of 16 to ") + std::to_string(writing.most) + " KiB, " + writing.what,
        static_cast<std::size_t>(count), gaia::test::codes_text(codes));
  }
}
