// SPDX-License-Identifier: MIT
#include "../../src/core/parallel.h"
#include "../../src/core/version.h"
#include "../../src/io/hdf5.h"
#include "../../src/io/output_files.h"
#include "report.h"

namespace gaia::bench {
namespace {

void write_times(hdf5::Group& group, const std::string& name, const std::string& what,
                 const BenchmarkResult& times) {
  hdf5::Dataset dataset =
      group.create_dataset(name, {.type = hdf5::Type::float64, .shape = {std::ssize(times.times)}});
  dataset.write<double>(times.times);
  dataset.set_attribute("long_name", what);
  dataset.set_attribute("units", "s");
  dataset.set_attribute("median", times.median_time);
  dataset.set_attribute("lower_quartile", times.lower_quartile);
  dataset.set_attribute("upper_quartile", times.upper_quartile);
  dataset.set_attribute("mean", times.mean_time);
  dataset.set_attribute("std", times.std_time);
  dataset.set_attribute("min", times.min_time);
  dataset.set_attribute("max", times.max_time);
  dataset.set_attribute("total", times.total_time);
}

void write_measurement(hdf5::Group& parent, const Report& report, const Row& row,
                       const Measurement& one) {
  hdf5::Group group = parent.create_group(column_name(one));
  group.set_attribute("device", to_string(one.device));
  group.set_attribute("status", to_string(one.status));
  if (!one.message.empty()) group.set_attribute("message", one.message);
  if (!one.note.empty()) group.set_attribute("note", one.note);
  group.set_attribute("error", one.error);
  if (row.what.claim) {
    const bool cpu = one.device.is_cpu();
    group.set_attribute("guide_from", cpu ? row.what.claim->cpu_from : row.what.claim->gpu_from);
    group.set_attribute("guide_to", cpu ? row.what.claim->cpu_to : row.what.claim->gpu_to);
  }
  if (!one.is_measured()) return;
  write_times(group, "compute", "time of one call", one.compute);
  if (one.upload) write_times(group, "upload", "time of copying the operands there", *one.upload);
  if (one.download) {
    write_times(group, "download", "time of copying the answer back", *one.download);
  }
  if (const auto share = share_of_limit(row.what, one.compute.median_time, report.limits(one))) {
    group.set_attribute("share_of_limit", *share);
  }
}

void write_limits(hdf5::Group& parent, const char* name, const Limits& limits) {
  hdf5::Group group = parent.create_group(name);
  const DeviceInfo info = device_info(limits.device);
  group.set_attribute("device", to_string(limits.device));
  group.set_attribute("name", info.name);
  group.set_attribute("description", info.description);
  group.set_attribute("version", info.version);
  group.set_attribute("copy_bytes_per_second", limits.copy_rate);
  group.set_attribute("matmul_flops_per_second", limits.matmul_rate);
  group.set_attribute("call_seconds", limits.call_seconds);
  group.set_attribute("upload_bytes_per_second", limits.upload_rate);
  group.set_attribute("download_bytes_per_second", limits.download_rate);
}

}  // namespace

void write_hdf5(const Report& report, const std::string& path) {
  const std::string partial = partial_path(path);
  hdf5::File file = hdf5::File::create(partial);
  file.set_attribute("gaia_version", version());
  file.set_attribute("git_commit", git_commit());
  file.set_attribute("created_utc", report.started_utc);
  file.set_attribute("hostname", report.host);
  file.set_attribute("threads", std::int64_t(num_threads()));
  file.set_attribute("why_no_gpu", report.why_no_gpu);
  hdf5::Group devices = file.create_group("devices");
  write_limits(devices, "cpu", report.cpu);
  if (report.gpu) write_limits(devices, "gpu", *report.gpu);
  for (const Row& row : report.rows) {
    hdf5::Group group = file.nested("cases/" + row.what.name);
    group.set_attribute("long_name", row.what.what);
    group.set_attribute("bytes", row.what.bytes);
    group.set_attribute("flops", row.what.flops);
    group.set_attribute("tolerance", row.what.tolerance);
    write_measurement(group, report, row, row.cpu);
    if (row.gpu) write_measurement(group, report, row, *row.gpu);
  }
  hdf5::Group crossovers = file.create_group("crossovers");
  for (const Crossover& one : report.crossovers) {
    hdf5::Group group = crossovers.create_group(one.sweep);
    group.set_attribute("smallest", one.smallest);
    group.set_attribute("largest", one.largest);
    // An attribute that is not there: at no size.
    if (one.from) group.set_attribute("from", *one.from);
    if (one.from_with_transfers) {
      group.set_attribute("from_with_transfers", *one.from_with_transfers);
    }
  }
  file.close();
  publish(partial, path);
}

}  // namespace gaia::bench
