// SPDX-License-Identifier: MIT
// The keys that say how a run computes, and change none of its numbers.
#include "describe.h"

namespace gaia {

void describe_runtime(ConfigVisitor& v, bool& is_there, RuntimeConfig& runtime) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 53;
  const auto telemetry = [&] {
    bool has_telemetry = runtime.telemetry.has_value();
    TelemetryConfig files = runtime.telemetry.value_or(TelemetryConfig{});
    v.optional_map({"telemetry", "files in which a run tells how far it is"}, has_telemetry, [&] {
      v.text({"file", "a file of JSON, to which a line is added each time"}, files.file);
      v.text({"metrics", "a text file for Prometheus, replaced as a whole each time"},
             files.metrics);
      v.optional({"seconds", "seconds from one time to the next, at least; default 1"},
                 files.seconds, {0.0, 1e6});
      if (!files.is_on()) v.refuse({"telemetry", ""}, "expected `file`, `metrics` or both");
    });
    if (has_telemetry) runtime.telemetry = files;
  };
  v.optional_map(
      {"runtime", "how the run computes; no number of the results depends on it"}, is_there, [&] {
        v.forbid({"device", ""}, "it is the key `device` beside `runtime`");
        v.optional({"threads",
                    "threads of the process, where the command line does not "
                    "name their number"},
                   runtime.threads, {1, 1024});
        v.optional({"memory_limit", "bytes that arrays may have on the device of the run; 0: any"},
                   runtime.memory_limit, {0, most_bytes});
        v.choice({"transfer_policy",
                  "what happens where an operand lies on another device: allow, "
                  "warn_once or forbid; inherited: what the program has set"},
                 {{"inherited", "allow", "warn_once", "forbid"},
                  [&] {
                    return runtime.transfer_policy ? to_string(*runtime.transfer_policy)
                                                   : std::string("inherited");
                  },
                  [&](const std::string& word) {
                    runtime.transfer_policy.reset();
                    if (word == "inherited") return;
                    runtime.transfer_policy = transfer_policy_from_name(word);
                  }});
        v.optional(
            {"offload_threshold", "bytes that a run has to need for `device: auto` to try a GPU"},
            runtime.offload_threshold, {0, most_bytes});
        v.optional({"retries",
                    "how often a member of a sweep or a search is tried again that died "
                    "by a signal or for want of memory"},
                   runtime.retries, {0, 1000});
        telemetry();
      });
}

}  // namespace gaia
