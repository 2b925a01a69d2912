// SPDX-License-Identifier: MIT
/// \file
/// JSON and CSV.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "../../src/core/parallel.h"
#include "../../src/core/text.h"
#include "../../src/core/version.h"
#include "../../src/io/csv_field.h"
#include "report.h"

namespace gaia::bench {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Limits& limits) {
  const DeviceInfo info = device_info(limits.device);
  Json json = {{"device", to_string(limits.device)},
               {"name", info.name},
               {"description", info.description},
               {"version", info.version},
               {"total_memory", info.total_memory},
               {"copy_bytes_per_second", limits.copy_rate},
               {"matmul_flops_per_second", limits.matmul_rate},
               {"call_seconds", limits.call_seconds}};
  if (limits.upload_rate > 0.0) {
    json["upload_bytes_per_second"] = limits.upload_rate;
    json["download_bytes_per_second"] = limits.download_rate;
  }
  if (!limits.problem.empty()) json["not_measured"] = limits.problem;
  return json;
}

void add_times(Json& json, const Report& report, const Row& row, const Measurement& one) {
  const BenchmarkResult& times = one.compute;
  const double ms = 1e3;
  json["iterations"] = times.repeats();
  json["real_time"] = times.median_time * ms;
  json["cpu_time"] = times.median_time * ms;
  json["time_unit"] = "ms";
  json["mean_time"] = times.mean_time * ms;
  json["std_time"] = times.std_time * ms;
  json["min_time"] = times.min_time * ms;
  json["max_time"] = times.max_time * ms;
  json["total_time"] = times.total_time * ms;
  json["lower_quartile"] = times.lower_quartile * ms;
  json["upper_quartile"] = times.upper_quartile * ms;
  if (row.what.bytes > 0.0) json["bytes_per_second"] = row.what.bytes / times.median_time;
  if (row.what.flops > 0.0) json["flops_per_second"] = row.what.flops / times.median_time;
  const Limits& limits = report.limits(one);
  if (const auto share = share_of_limit(row.what, times.median_time, limits)) {
    json["share_of_limit"] = *share;
    json["limit"] = is_compute_bound(row.what, limits) ? "matmul" : "copy";
  }
  if (one.upload) json["upload_time"] = one.upload->median_time * ms;
  if (one.download) json["download_time"] = one.download->median_time * ms;
}

void add_claim(Json& json, const Case& what, const Measurement& one) {
  if (!what.claim) return;
  const Claim& claim = *what.claim;
  const bool cpu = one.device.is_cpu();
  json["guide_time"] = {(cpu ? claim.cpu_from : claim.gpu_from) * 1e3,
                        (cpu ? claim.cpu_to : claim.gpu_to) * 1e3};
}

Json json_of(const Report& report, const Row& row, const Measurement& one) {
  Json json = {{"name", row.what.name + "/" + column_name(one)},
               {"run_name", row.what.name},
               {"run_type", "iteration"},
               {"device", to_string(one.device)},
               {"label", row.what.what},
               {"status", to_string(one.status)}};
  if (one.is_measured()) {
    add_times(json, report, row, one);
  } else {
    json["error_occurred"] = true;
    json["error_message"] = one.message;
  }
  if (!one.device.is_cpu()) {
    // JSON has no NaN: null.
    json["error"] = one.error;
    json["tolerance"] = row.what.tolerance;
    if (const auto speedup = row.speedup()) {
      json["speedup"] = *speedup;
      json["speedup_with_transfers"] = *row.speedup_with_transfers();
    }
  }
  if (!one.note.empty()) json["note"] = one.note;
  add_claim(json, row.what, one);
  return json;
}

Json json_of(const Crossover& one) {
  const auto size = [](const std::optional<std::int64_t>& from) {
    return from ? Json(*from) : Json(nullptr);
  };
  return {{"sweep", one.sweep},
          {"smallest", one.smallest},
          {"largest", one.largest},
          {"from", size(one.from)},
          {"from_with_transfers", size(one.from_with_transfers)}};
}

std::string median_seconds(const std::optional<BenchmarkResult>& times) {
  return times ? number_text(times->median_time) : "";
}

}  // namespace

std::string to_json(const Report& report) {
  Json devices = Json::array({json_of(report.cpu)});
  if (report.gpu) devices.push_back(json_of(*report.gpu));
  Json rows = Json::array();
  for_each_measurement(report, [&](const Row& row, const Measurement& one) {
    rows.push_back(json_of(report, row, one));
  });
  Json crossovers = Json::array();
  for (const Crossover& one : report.crossovers) crossovers.push_back(json_of(one));
  const Json json = {{"context",
                      {{"date", report.started_utc},
                       {"host_name", report.host},
                       {"executable", "gpu_benchmark"},
                       {"num_cpus", std::thread::hardware_concurrency()},
                       {"library", "gaia " + version()},
                       {"commit", git_commit()},
                       {"build", build_description()},
                       {"num_threads", num_threads()},
                       {"quick", report.quick},
                       {"why_no_gpu", report.why_no_gpu},
                       {"devices", devices}}},
                     {"benchmarks", rows},
                     {"crossovers", crossovers},
                     {"left_out", report.left_out}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_csv(const Report& report) {
  std::string text =
      "name,column,device,status,repeats,median,lower_quartile,upper_quartile,mean,std,min,max,"
      "upload,download,bytes_per_second,flops_per_second,share_of_limit,error,guide_from,guide_to,"
      "message\n";
  for_each_measurement(report, [&](const Row& row, const Measurement& one) {
    text += fmt::format("{},{},{},{}", csv_field(row.what.name), column_name(one),
                        to_string(one.device), to_string(one.status));
    const BenchmarkResult& t = one.compute;
    if (one.is_measured()) {
      text += "," + std::to_string(t.repeats());
      for (const double value : {t.median_time, t.lower_quartile, t.upper_quartile, t.mean_time,
                                 t.std_time, t.min_time, t.max_time}) {
        text += "," + number_text(value);
      }
    } else {
      text += ",,,,,,,,";
    }
    const auto share = one.is_measured()
                           ? share_of_limit(row.what, t.median_time, report.limits(one))
                           : std::nullopt;
    const auto rate = [&](double work) {
      return one.is_measured() && work > 0.0 ? number_text(work / t.median_time) : std::string();
    };
    const auto claim = [&](double Claim::*cpu, double Claim::*gpu) {
      if (!row.what.claim) return std::string();
      return number_text((*row.what.claim).*(one.device.is_cpu() ? cpu : gpu));
    };
    for (const std::string& field :
         {median_seconds(one.upload), median_seconds(one.download), rate(row.what.bytes),
          rate(row.what.flops), share ? number_text(*share) : std::string(), number_text(one.error),
          claim(&Claim::cpu_from, &Claim::gpu_from), claim(&Claim::cpu_to, &Claim::gpu_to),
          csv_field(one.message.empty() ? one.note : one.message)}) {
      text += "," + field;
    }
    text += "\n";
  });
  return text;
}

}  // namespace gaia::bench
