// SPDX-License-Identifier: MIT
/// \file
/// What the command answers without a run: check, inspect, info, version, schema.
#include <nlohmann/json.hpp>

#include "../../src/array/device.h"
#include "../experiment/networks.h"
#include "../support/catch.h"
#include "minimal_run.h"

using namespace gaia;
using namespace gaia::test;

FOLDER_TEST_CASE("check tells the resolved configuration, sizes and needs, and runs nothing") {
  folder.write("e.yaml", kMinimal);
  const Finished done = gaia_command(folder, {"check", "e.yaml", "--set", "data.steps=1000"});
  CHECK(done.code == 0);
  for (const char* text :
       {"# e.yaml: can be run", "steps: 1000", "learning_rate: 0.01", "tau: 50.0", "memory   about",
        "disk     at most about", "time     about"}) {
    CHECK_SAYS(done.out, text);
  }
  CHECK_FALSE(exists(folder.path("results")));
  // What check prints can be run.
  folder.write("resolved.yaml", done.out.substr(0, done.out.find("\ndata     ")));
  CHECK(gaia_command(folder, {"run", "resolved.yaml"}).code == 0);

  const Finished json = gaia_command(folder, {"check", "e.yaml", "--json"});
  const auto parsed = nlohmann::json::parse(json.out);
  CHECK(parsed[0]["steps"] == 300);
  CHECK(parsed[0]["levels"][1]["input_size"] == 2);
}

FOLDER_TEST_CASE("check tells of every plastic layer how its rule will run, and why") {
  folder.write("e.yaml",
               "experiment: rules\n"
               "data: {source: generator, kind: gaussian, spectrum: [4, 2, 1], steps: 200}\n"
               "hierarchy:\n  levels:\n    - layers:\n"
               "      - {type: hebbian, size: 3, rule: {equations: dw = 0.01*y*w*(1 - w)}}\n"
               "      - type: hebbian\n        size: 3\n"
               "        rule: {equations: dw = 0.01*y*x}\n"
               "        bounds: {low: 0, high: 1}\n"
               "      - {type: reactive, size: 3}\n"
               "      - {type: hebbian, size: 2, rule: sanger}\n"
               "      - {type: hebbian, size: 2, rule: oja}\n");
  const Finished done = gaia_command(folder, {"check", "e.yaml", "--set", "device=cpu"});
  INFO(done.err);
  CHECK(done.code == 0);
  for (const char* text :
       {"\nrule     hierarchy.levels[0].layers[0]: equations, class weights: dw multiplies",
        "so it is not a sum of known vectors, stepwise\n",
        "\nrule     hierarchy.levels[0].layers[1]: equations, class matrix: dw is x times a "
        "number, stepwise: bounds act on each weight by itself\n",
        "\nrule     hierarchy.levels[0].layers[3]: sanger, class matrix: dw is a sum of w, x and "
        "back_upto(y), each times a number, chunkwise\n",
        "\nrule     hierarchy.levels[0].layers[4]: oja, class matrix: dw is a sum of w and x, each "
        "times a number, chunkwise\n"}) {
    CHECK_SAYS(done.out, text);
  }
  CHECK_THAT(done.out, !ContainsSubstring("layers[2]: "));
  const Finished json = gaia_command(folder, {"check", "e.yaml", "--json", "--set", "device=cpu"});
  const auto rules = nlohmann::json::parse(json.out)[0]["rules"];
  REQUIRE(rules.size() == 4);
  CHECK(rules[1]["layer"] == "hierarchy.levels[0].layers[1]");
  CHECK(rules[1]["rule"] == "equations");
  CHECK(rules[1]["rule_class"] == "matrix");
  CHECK(rules[1]["executor"] == "stepwise");
  CHECK(rules[1]["executor_why"] == "bounds act on each weight by itself");
}

FOLDER_TEST_CASE("rules prints the kernel to which a rule is compiled") {
  const Finished oja = gaia_command(folder, {"rules", "oja", "--cuda"});
  CHECK(oja.code == 0);
  CHECK_SAYS(oja.out, "//     dw = rate*y*(x - y*w)", "run_owners<OwnersShape<1, 32, 25>>");
  const Finished softhebb = gaia_command(folder, {"rules", "softhebb", "--cuda"});
  CHECK_SAYS(softhebb.out, "cross(EquationOp::softmax");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"rules", "--cuda"}, {"rules", "lif", "--cuda"}}) {
    const Finished none = gaia_command(folder, words);
    CHECK(none.code == 2);
    CHECK_SAYS(none.err, "--cuda prints the kernel of a rule; name one");
  }
}

FOLDER_TEST_CASE("check goes through all files and ends with the worst") {
  folder.write("good.yaml", kMinimal);
  folder.write("bad.yaml", "experiment: x\n");
  const Finished done = gaia_command(folder, {"check", "bad.yaml", "good.yaml"});
  CHECK(done.code == 2);
  CHECK_SAYS(done.err, "bad.yaml:1:1: data: missing");
  CHECK_SAYS(done.out, "# good.yaml: can be run");
}

FOLDER_TEST_CASE("inspect shows what is inside, as a table or as JSON") {
  run(folder);
  const Finished table = gaia_command(folder, {"inspect", "results/minimal.h5"});
  CHECK(table.code == 0);
  CHECK_SAYS(table.out, "status           complete", "/levels/1/representation",
             "[step 100, neuron 2]");
  const Finished json = gaia_command(folder, {"inspect", "results/minimal.h5", "--json"});
  const auto parsed = nlohmann::json::parse(json.out);
  CHECK(parsed["attributes"]["steps"] == 300);
  CHECK(parsed["committed_steps"] == 300);
  CHECK(parsed["datasets"].size() > 20);
}

FOLDER_TEST_CASE("inspect tells scores of classes, and how rules by their equations run") {
  REQUIRE(gaia_command(folder, {"run", GAIA_SOURCE_DIR "/experiments/reward_learning.yaml",
                                "--output", "r.h5", "--quiet"})
              .code == 0);
  const Finished table = gaia_command(folder, {"inspect", "r.h5"});
  CHECK_SAYS(table.out, "readout digit: accuracy 0.", "the most frequent class: 0.09",
             "; frozen: 0.", "; same_past: 0.92",
             "/levels/0/layers/0: equations, class matrix: dw is x times a number, chunkwise\n");
  const Finished json = gaia_command(folder, {"inspect", "r.h5", "--json"});
  const auto layer = nlohmann::json::parse(json.out)["layers"]["/levels/0/layers/0"];
  CHECK(layer["rule_class"] == "matrix");
  CHECK(layer["executor"] == "chunkwise");
}

FOLDER_TEST_CASE("info, version and schema answer on stdout") {
  const Finished version = gaia_command(folder, {"version"});
  CHECK(version.code == 0);
  CHECK_SAYS(version.out, "gaia 0.");
  CHECK(gaia_command(folder, {"--version"}).out == version.out);
  const Finished info = gaia_command(folder, {"info"});
  CHECK_SAYS(info.out, "device     cpu: ", "library    HDF5 1.", "library    yaml-cpp 0.");
  CHECK(nlohmann::json::parse(
            gaia_command(folder, {"info", "--json"}).out)["devices"][0]["device"] == "cpu");
  CHECK(nlohmann::json::parse(gaia_command(folder, {"schema"}).out)["title"] == "gaia experiment");
  const Finished help = gaia_command(folder, {"--help"});
  CHECK(help.code == 0);
  for (const char* verb : {"run", "check", "inspect", "info", "schema", "version"}) {
    CHECK_SAYS(help.out, verb);
  }
}

FOLDER_TEST_CASE("check --explain shows what was timed, of hierarchies, networks and sweeps") {
  folder.write("e.yaml", kMinimal);
  const Finished done =
      gaia_command(folder, {"check", "e.yaml", "--explain", "--set", "data.steps=1000"});
  INFO(done.err);
  CHECK(done.code == 0);
  for (const char* text :
       {"steps: 1000", "time     about",
        "\ntrial   minimal: a hierarchy over 1 000 steps in blocks of 256\n", "\nmemory  about ",
        "\ncpu     ", "; a block of 256 steps in ", "; in all about ", "\ndevice  "}) {
    CHECK_SAYS(done.out, text);
  }
  folder.write("sweep.yaml", kMinimal + "sweep:\n  seeds: 2\n");
  folder.write("net.yaml", gaia::test::kSeries);
  const Finished others = gaia_command(folder, {"check", "sweep.yaml", "net.yaml", "--explain"});
  INFO(others.err);
  CHECK(others.code == 0);
  CHECK_SAYS(others.out, "\ntrial   minimal: a hierarchy over 300 steps",
             "\ntrial   sines: a network, ", "; a batch (of ");
  CHECK_FALSE(exists(folder.path("results")));
}

FOLDER_TEST_CASE("without a GPU nothing is tried to run, and explain says why there is none") {
  if (is_available(Device::cuda(0))) GAIA_SKIP("there is a CUDA device");
  const Finished done = run(folder);
  CHECK(done.code == 0);
  CHECK_SAYS(done.err, "device auto: CPU (" + why_no_cuda() + ")");
  CHECK_SAYS(gaia_command(folder, {"check", "e.yaml"}).out, "device   cpu (" + why_no_cuda() + ")");
  CHECK_SAYS(gaia_command(folder, {"check", "e.yaml", "--explain"}).out,
             "device  cpu (" + why_no_cuda() + ")");
}
